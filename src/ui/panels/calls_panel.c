/* Each call, the longest first, below how many there are of each duration; and the regions, of
 * which Enter shows the calls. `v` begins and ends a choice of durations: then the list has those
 * alone. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "ui/panels/calls_bars.h"
#include "ui/widgets/table_tabs.h"
#include "views/explain/explaining.h"
#include "views/tables/view_calls.h"

enum pane { PANE_CALLS, PANE_REGIONS, PANES };
enum { ROOM = 12 /* lines of the panel for a picture */ };

struct calls_panel {
	struct table_tabs tabs;
	uint32_t region;   /* UINT32_MAX: all */
	unsigned from, to; /* chosen bins, both inside; NO_BIN: all */
	bool choosing;     /* the bins are being chosen: from `from` to `to`, in either order */
	uint64_t bins[CALLS_BINS]; /* of the region */
	uint64_t matching;
	bool of_waits, of_causes; /* the list was made when they were known */
	uint32_t wanted;          /* event to land on once the list has it, EVENT_NONE */
	char note[100];
};

static const enum action actions[] = { ACTION_ENTER,     ACTION_SELECT,      ACTION_ZOOM_ITEM,
				       ACTION_NEXT_PANE, ACTION_SORT,        ACTION_SEARCH_THIS,
				       ACTION_BACK,      TABLE_PANE_ACTIONS, ACTION_CANCEL,
				       ACTION_NONE };

static struct calls_panel *calls_of(const struct panel *panel)
{
	return (struct calls_panel *)(uintptr_t)panel;
}

static unsigned first_bin(const struct calls_panel *p)
{
	return p->from < p->to ? p->from : p->to;
}

static unsigned last_bin(const struct calls_panel *p)
{
	return p->from < p->to ? p->to : p->from;
}

static bool has_choice(const struct calls_panel *p)
{
	return p->from < NO_BIN && !p->choosing;
}

/* ---- computing ---- */

/* "of MPI_Allreduce: 10,000 of 1,204,311", beside the pane's name. */
static void make_note(struct calls_panel *p)
{
	const struct trace *trace = p->tabs.panel.session->trace;
	const struct table *table = p->tabs.panes[PANE_CALLS].table;
	OWNED_STR s = STR_INIT;

	if (p->region != UINT32_MAX)
		str_add_fmt(&s, "of %s: ", trace_region_name(trace, p->region));
	if (table && p->matching > table->rows) {
		units_count(&s, table->rows);
		str_add(&s, " of ");
	}
	units_count(&s, p->matching);
	if (table && longest_calls_done(table) < 1)
		str_add_fmt(&s, " so far (%.0f %%)", 100 * longest_calls_done(table));
	str_clean(p->note, sizeof p->note, s.text, s.n);
	p->tabs.note[PANE_CALLS] = p->note;
}

static void take_counts(struct calls_panel *p, const struct table *table)
{
	p->matching = longest_calls_matching(table);
	memcpy(p->bins, longest_calls_bins(table), sizeof p->bins);
}

static struct table *make_calls(struct calls_panel *p, const struct query *query, struct err *err)
{
	const struct trace *trace = query->trace;
	const bool all = !has_choice(p);
	const unsigned first = first_bin(p), last = last_bin(p);
	struct table *table =
		longest_calls_new(query, p->region,
				  all || first == 0 ? INT64_MIN : calls_bin_from(trace, first),
				  all || last + 1 == CALLS_BINS
					  ? INT64_MAX
					  : calls_bin_from(trace, last + 1) - 1,
				  err);

	if (table) {
		take_counts(p, table);
		p->of_waits = analyses_peek(query->analyses, query->base) != NULL;
		p->of_causes = analyses_causes(query->analyses, query->base) != NULL;
		p->wanted = EVENT_NONE;
	}
	return table;
}

static struct table *make(struct panel *panel, unsigned pane, struct query *query, struct err *err)
{
	return pane == PANE_CALLS ? make_calls(calls_of(panel), query, err)
				  : profile_table_new(query, err);
}

static void empty(const struct panel *panel, unsigned pane, struct str *out)
{
	(void)pane;
	if (has_choice(calls_of(panel)))
		str_add_fmt(out, "no calls of these durations; %s shows all",
			    session_key(panel->session, ACTION_BACK).text);
	else
		session_none(panel->session, "calls", out);
}

static unsigned show_again(struct calls_panel *p)
{
	const unsigned reactions = table_tabs_show(&p->tabs.panel, PANE_CALLS, true);

	make_note(p);
	return reactions;
}

static void requery(struct panel *panel)
{
	struct calls_panel *p = calls_of(panel);
	const struct query query = session_query(panel->session);

	if ((!p->of_waits && analyses_peek(query.analyses, query.base)) ||
	    (!p->of_causes && analyses_causes(query.analyses, query.base)))
		p->tabs.made[PANE_CALLS] = 0;
	table_tabs_requery(panel);
	make_note(p);
}

static void open_panel(struct panel *panel)
{
	struct calls_panel *p = calls_of(panel);

	p->region = UINT32_MAX;
	p->from = p->to = NO_BIN;
	p->wanted = EVENT_NONE;
}

static bool has_picture(const struct calls_panel *p, struct rect area)
{
	return p->tabs.front == PANE_CALLS && area.h >= ROOM;
}

static struct rect table_area(const struct panel *panel, struct rect area)
{
	const int above = 1 + (has_picture(calls_of(panel), area) ? BARS + AXIS : 0);

	return (struct rect){ area.x, area.y + above, area.w, area.h - above };
}

/* ---- the rest of the events, between keys ---- */

/* The cursor stays on its call; on the first row if it is there. */
static void follow(struct calls_panel *p, struct row_thing thing, bool first)
{
	struct table_pane *pane = &p->tabs.panes[PANE_CALLS];
	uint64_t row = first && p->wanted == EVENT_NONE ? 0 : ROW_NONE;

	if (p->wanted != EVENT_NONE)
		row = table_pane_find(pane, (struct row_thing){ THING_EVENT, p->wanted, 0 });
	if (row != ROW_NONE)
		p->wanted = EVENT_NONE;
	else
		row = table_pane_find(pane, thing);
	if (pane->table->rows)
		table_pane_go(pane, row == ROW_NONE ? 0 : row,
			      table_area(&p->tabs.panel, p->tabs.panel.area));
}

static bool work(struct panel *panel, unsigned *reactions)
{
	struct calls_panel *p = calls_of(panel);
	struct table_pane *pane = &p->tabs.panes[PANE_CALLS];
	const struct row_thing thing = table_pane_thing(pane);
	const bool first = pane->cursor == 0 || pane->cursor == ROW_NONE;
	bool more, changed = false;

	more = pane->table && longest_calls_work(pane->table, SLICE_NS, &changed);
	if (changed) {
		take_counts(p, pane->table);
		make_note(p);
		follow(p, thing, first);
		*reactions |= REACT_REDRAW;
	}
	return table_panel_work(panel, reactions) || more;
}

/* Regions have other numbers in another look at the job. */
static void renew(struct panel *panel)
{
	open_panel(panel);
	table_tabs_renew(panel);
}

/* ---- drawing ---- */

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct calls_panel *p = calls_of(panel);
	const int x = table_tabs_draw(panel, canvas, area);

	if (p->tabs.front != PANE_CALLS)
		return;
	if (p->choosing)
		canvas_text_fmt(canvas, x, area.y, area.x + area.w - x, ROLE_VALUE,
				"%s, %s: durations; %s shows them",
				session_key(panel->session, ACTION_LEFT).text,
				session_key(panel->session, ACTION_RIGHT).text,
				session_key(panel->session, ACTION_SELECT).text);
	if (has_picture(p, area))
		calls_bars_draw(&(struct calls_bars){ p->bins, first_bin(p), last_bin(p),
						      p->choosing },
				canvas, (struct rect){ area.x, area.y + 1, area.w, BARS + AXIS });
}

/* ---- choosing ---- */

static unsigned choose_region(struct calls_panel *p, uint32_t region)
{
	p->region = region;
	p->from = p->to = NO_BIN;
	p->choosing = false;
	return show_again(p);
}

/* The bin of the call under the cursor. */
static unsigned bin_here(const struct calls_panel *p)
{
	const struct table_pane *pane = &p->tabs.panes[PANE_CALLS];
	struct value v[TABLE_COLUMNS];
	unsigned bin = 0;

	if (pane->cursor == ROW_NONE)
		return NO_BIN;
	table_cells(pane->table, pane->cursor, v);
	while (bin + 1 < CALLS_BINS && calls_bin_from(p->tabs.panel.session->trace, bin + 1) <=
					       v[table_column(pane->table, "duration_s")].integer)
		bin++;
	return bin;
}

static unsigned select_durations(struct calls_panel *p)
{
	if (p->tabs.front != PANE_CALLS)
		return REACT_IGNORED;
	if (p->choosing) {
		p->choosing = false;
		return show_again(p);
	}
	p->from = p->to = bin_here(p);
	p->choosing = p->from < NO_BIN;
	return REACT_REDRAW;
}

static unsigned move_choice(struct calls_panel *p, int by)
{
	unsigned n;
	const unsigned first = calls_bars_used(p->bins, &n);
	const int to = (int)p->to + by;

	if (to >= (int)first && to < (int)(first + n))
		p->to = (unsigned)to;
	return REACT_REDRAW;
}

static unsigned show_all(struct calls_panel *p)
{
	if (p->tabs.front != PANE_CALLS)
		return table_tabs_show(&p->tabs.panel, PANE_CALLS, false);
	if (p->from == NO_BIN && p->region == UINT32_MAX)
		return REACT_IGNORED;
	if (p->from == NO_BIN)
		p->region = UINT32_MAX;
	p->from = p->to = NO_BIN;
	p->choosing = false;
	return show_again(p);
}

/* The calls of the function under the cursor that take as long or longer, by the bars. */
static unsigned narrow(struct calls_panel *p)
{
	const struct panel *panel = &p->tabs.panel;
	const struct query query = session_query(panel->session);
	const unsigned bin = p->tabs.front == PANE_CALLS ? bin_here(p) : NO_BIN;
	struct selection selection = SELECTION_NONE;

	/* With a selection of time the key zooms to that. */
	if (bin == NO_BIN || panel->session->selection.t1 > panel->session->selection.t0)
		return REACT_IGNORED;
	table_panel_chosen(panel, &selection);
	selection_complete(&selection, &query);
	p->region = selection.region;
	p->from = bin;
	p->to = CALLS_BINS - 1;
	p->choosing = false;
	return show_again(p);
}

static unsigned enter(struct calls_panel *p)
{
	struct session *session = p->tabs.panel.session;
	const struct row_thing thing = table_pane_thing(table_tabs_front(&p->tabs.panel));

	if (p->choosing)
		return select_durations(p);
	switch (thing.kind) {
	case THING_REGION: return choose_region(p, thing.id);
	case THING_EVENT:
		session_go_event(session, thing.id);
		session->asked.goto_view = "timeline";
		return REACT_REDRAW;
	default: return REACT_IGNORED;
	}
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct calls_panel *p = calls_of(panel);

	switch (action) {
	case ACTION_ENTER: return enter(p);
	case ACTION_SELECT: return select_durations(p);
	case ACTION_ZOOM_ITEM: return narrow(p);
	case ACTION_BACK: return show_all(p);
	case ACTION_CANCEL: return p->choosing ? show_all(p) : REACT_IGNORED;
	case ACTION_LEFT:
		if (p->choosing)
			return move_choice(p, -count);
		break;
	case ACTION_RIGHT:
		if (p->choosing)
			return move_choice(p, count);
		break;
	default: break;
	}
	return table_tabs_act(panel, action, count);
}

/* On a bar: its durations alone; on one that is chosen: all again. On the scale below them: those
 * and longer ones. */
static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct calls_panel *p = calls_of(panel);
	unsigned n, bin;
	const unsigned first = calls_bars_used(p->bins, &n);
	const int column = x - area.x - BARS_MARGIN;

	if (!has_picture(p, area) || y < area.y + 1 || y > area.y + BARS + AXIS)
		return table_tabs_click(panel, x, y, area);
	bin = first + (unsigned)(column < 0 ? 0 : column) / (unsigned)calls_bars_width(n, area.w);
	if (column < 0 || bin >= first + n)
		return REACT_NONE;
	if (has_choice(p) && first_bin(p) <= bin && bin <= last_bin(p))
		return show_all(p);
	p->from = bin;
	p->to = y == area.y + BARS + AXIS ? CALLS_BINS - 1 : bin;
	p->choosing = false;
	return show_again(p);
}

/* A function alone, from the profile, say: its calls. An event or a call path: the row, of a call
 * around it, as far as the list has it. */
static bool land(struct panel *panel, const struct selection *selection)
{
	struct calls_panel *p = calls_of(panel);
	const struct query query = session_query(panel->session);
	struct explain_subject call;
	uint64_t row;

	if (!p->tabs.panes[PANE_CALLS].table)
		return false;
	if (selection->region != UINT32_MAX && selection->event == EVENT_NONE &&
	    selection->region != p->region)
		choose_region(p, selection->region);
	if (selection->event != EVENT_NONE) {
		explain_event(&call, &query, selection->event);
		row = table_pane_find(&p->tabs.panes[PANE_CALLS],
				      (struct row_thing){ THING_EVENT, call.enter, 0 });
		table_pane_go(&p->tabs.panes[PANE_CALLS], row, table_area(panel, panel->area));
		if (row == ROW_NONE)
			p->wanted = call.enter;
	}
	return true;
}

static void commands(const struct panel *panel, struct str *out)
{
	const struct calls_panel *p = calls_of(panel);

	if (p->region != UINT32_MAX || p->from != NO_BIN)
		str_add_fmt(out, "state %u %u %u %d\n", p->region, p->from, p->to, p->choosing);
}

static bool restore(struct panel *panel, const char *numbers)
{
	struct calls_panel *p = calls_of(panel);
	unsigned region, from, to;
	int choosing;

	if (sscanf(numbers, "%u %u %u %d", &region, &from, &to, &choosing) != 4 || from > NO_BIN ||
	    to > NO_BIN ||
	    (region != UINT32_MAX && region >= trace_region_count(panel->session->trace)))
		return false;
	p->region = region;
	p->from = from;
	p->to = to;
	p->choosing = choosing;
	show_again(p);
	return true;
}

static const struct table_tabs_info tabs = {
	.tabs = {
		[PANE_CALLS] = { "Calls", "region" },
		[PANE_REGIONS] = { "Functions", "region", "profile" },
	},
	.n = PANES,
	.make = make,
	.empty = empty,
	.area = table_area,
};

/* Of the durations of a bin and more, or less than those of the next one. */
static void add_limit(const char *op, unsigned bin, struct str *out)
{
	str_add_fmt(out, "%sduration_s %s ", out->n ? " && " : "", op);
	calls_bin_name(bin, out);
}

static void exported_of(const struct panel *panel, struct panel_choice *choice)
{
	const struct calls_panel *p = (const struct calls_panel *)panel;

	if (p->tabs.front != PANE_CALLS)
		return;
	if (p->region != UINT32_MAX)
		str_add_fmt(&choice->filter, "region_id == %u", p->region);
	if (has_choice(p) && first_bin(p) > 0)
		add_limit(">=", first_bin(p), &choice->where);
	if (has_choice(p) && last_bin(p) + 1 < CALLS_BINS)
		add_limit("<", last_bin(p) + 1, &choice->where);
}

const struct panel_ops calls_panel_ops = {
	.exported_of = exported_of,
	.actions = actions,
	.enter_hint = "show it",
	.size = sizeof(struct calls_panel),
	.open = open_panel,
	.close = table_tabs_close,
	.requery = requery,
	.renew = renew,
	.draw = draw,
	.act = act,
	.word = table_tabs_word,
	.click = click,
	.pane = table_tabs_front,
	.chosen = table_panel_chosen,
	.land = land,
	.commands = commands,
	.restore = restore,
	.tabs = &tabs,
	.search = table_panel_search,
	.work = work,
	.describe = table_panel_describe,
	.status = table_panel_status,
};
