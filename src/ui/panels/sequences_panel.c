/* Sequences: the matches of a pattern over calls, and their sums by rank. */
#include "ui/widgets/table_tabs.h"

enum { PANE_MATCHES, PANE_RANKS, PANES };
static const enum action actions[] = { ACTION_ENTER,       ACTION_NEXT_PANE,   ACTION_SEQUENCE,
				       ACTION_SORT,        ACTION_SEARCH_THIS, ACTION_EXPLAIN,
				       TABLE_PANE_ACTIONS, ACTION_NONE };

static struct table *make(struct panel *panel, unsigned pane, struct query *query, struct err *err)
{
	(void)panel;
	query->export.by_rank = pane == PANE_RANKS;
	return sequences_table_new(query, err);
}

static void empty(const struct panel *panel, unsigned pane, struct str *out)
{
	const struct session *session = panel->session;

	(void)pane;
	if (session->sequence.sequence)
		session_none(session, "sequences", out);
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

	if (thing.kind == THING_EVENT && session_find_sequence(session))
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

/* Beside the names the pattern, and what it is about. */
static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct sequence *sequence = panel->session->sequence.sequence;
	int x = table_tabs_draw(panel, canvas, area);

	if (!sequence)
		return;
	x += canvas_write(canvas, x, area.y, area.x + area.w - x, sequence_text(sequence),
			  ROLE_VALUE);
	if (sequence_skips_user(sequence))
		canvas_write(canvas, x + 2, area.y, area.x + area.w - x - 2, "user code left out",
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
	.size = sizeof(struct table_tabs),
	.close = table_tabs_close,
	.requery = table_tabs_requery,
	.renew = table_tabs_renew,
	.draw = draw,
	.act = act,
	.land = table_tabs_land,
	.tabs = &tabs,
	.chosen = table_panel_chosen,
	TABLE_TABS_SLOTS,
};
