/* Sequences: the matches of a pattern over calls, and their sums by rank, as far as they are found:
 * the search goes on between keys. */
#include <stdio.h>

#include "base/clock.h"
#include "ui/widgets/table_tabs.h"
#include "views/facts/match_search.h"

enum { PANE_MATCHES, PANE_RANKS, PANES };
enum { AGAIN_MS = 500 };

struct sequences_panel {
	struct table_tabs tabs;
	bool whole;   /* the tables were made when the search had ended */
	int64_t made; /* ms: when they were */
	char note[40];
};

static const enum action actions[] = { ACTION_ENTER,       ACTION_NEXT_PANE,   ACTION_SEQUENCE,
				       ACTION_SORT,        ACTION_SEARCH_THIS, ACTION_EXPLAIN,
				       TABLE_PANE_ACTIONS, ACTION_NONE };

static struct sequences_panel *sequences_of(const struct panel *panel)
{
	return (struct sequences_panel *)(uintptr_t)panel;
}

/* "so far (37 %)", beside the name. */
static void make_note(struct sequences_panel *p)
{
	const struct match_search *found = session_found(p->tabs.panel.session);

	p->whole = !found || match_search_ended(found);
	p->made = clock_ms();
	p->note[0] = '\0';
	if (!p->whole)
		snprintf(p->note, sizeof p->note, "so far (%.0f %%)",
			 100 * match_search_done(found));
	p->tabs.note[PANE_MATCHES] = p->whole ? NULL : p->note;
}

static void requery(struct panel *panel)
{
	struct session *session = panel->session;

	if (!session_found(session))
		session_search_sequence(session);
	table_tabs_requery(panel);
	make_note(sequences_of(panel));
}

static bool work(struct panel *panel, unsigned *reactions)
{
	struct sequences_panel *p = sequences_of(panel);
	const bool searching = !p->whole && session_search_sequence(panel->session);

	if (!p->whole && (!searching || clock_ms() - p->made > AGAIN_MS)) {
		p->tabs.made[PANE_MATCHES] = p->tabs.made[PANE_RANKS] = 0;
		requery(panel);
		*reactions |= REACT_REDRAW;
	}
	return table_panel_work(panel, reactions) || searching;
}

static struct table *make(struct panel *panel, unsigned pane, struct query *query, struct err *err)
{
	(void)panel;
	query->export.by_rank = pane == PANE_RANKS;
	return sequences_table_new(query, err);
}

/* "no calls match MPI_Send MPI_Barrier in this window; 0 shows the whole run". */
static void add_nothing(const struct session *session, struct str *out)
{
	str_add(out, "no calls match ");
	str_add_clean_text(out, sequence_text(session->sequence.sequence));
	if (session->filter)
		str_add_fmt(out, " and the filter; %s changes it",
			    session_key(session, ACTION_FILTER).text);
	else if (!session_is_whole(session))
		str_add_fmt(out, " in this window; %s shows the whole run",
			    session_key(session, ACTION_WHOLE_RUN).text);
	else
		str_add_fmt(out, "; %s changes it", session_key(session, ACTION_SEQUENCE).text);
}

static void empty(const struct panel *panel, unsigned pane, struct str *out)
{
	const struct session *session = panel->session;
	const struct match_search *found = session_found(session);

	(void)pane;
	if (found && !match_search_ended(found))
		str_add(out, "searching");
	else if (session->sequence.sequence)
		add_nothing(session, out);
	else
		str_add_fmt(out,
			    "%s asks for a sequence of calls: MPI_Isend+ MPI_Waitall, or "
			    "MPI_Send[dur > 1ms] ... MPI_Barrier",
			    session_key(session, ACTION_SEQUENCE).text);
}

/* To the match in the timeline. */
static unsigned enter(struct panel *panel)
{
	struct session *session = panel->session;
	const struct row_thing thing = table_pane_thing(table_tabs_front(panel));

	if (thing.kind == THING_EVENT)
		session_go_match(session, thing.id);
	else if (thing.kind == THING_LOCATION)
		session_set_cursor(session, thing.id, session->cursor.time, EVENT_NONE);
	else
		return REACT_IGNORED;
	session->sequence.leads = true;
	session->asked.goto_view = "timeline";
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	return action == ACTION_ENTER ? enter(panel) : table_tabs_act(panel, action, count);
}

static struct rect table_area(const struct panel *panel, struct rect area)
{
	(void)panel;
	return (struct rect){ area.x, area.y + 1, area.w, area.h - 1 };
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct sequence *sequence = panel->session->sequence.sequence;
	const int x = table_tabs_draw(panel, canvas, area);

	if (sequence && sequence_skips_user(sequence))
		canvas_write(canvas, x, area.y, area.x + area.w - x, "user code left out",
			     ROLE_MUTED);
}

static const struct table_tabs_info tabs = {
	.tabs = {
		[PANE_MATCHES] = { .name = "Sequences", .word = "first", .counted = true },
		[PANE_RANKS] = { .name = "By rank", .word = "location", .by = "rank" },
	},
	.n = PANES,
	.make = make,
	.empty = empty,
	.area = table_area,
};

const struct panel_ops sequences_panel_ops = {
	.actions = actions,
	.enter_hint = "show it",
	.size = sizeof(struct sequences_panel),
	.close = table_tabs_close,
	.requery = requery,
	.renew = table_tabs_renew,
	.draw = draw,
	.act = act,
	.land = table_tabs_land,
	.tabs = &tabs,
	.chosen = table_panel_chosen,
	.word = table_tabs_word,
	.click = table_tabs_click,
	.pane = table_tabs_front,
	.search = table_panel_search,
	.work = work,
	.describe = table_panel_describe,
	.status = table_panel_status,
};
