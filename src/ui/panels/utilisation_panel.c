/* What the ranks do, in four panes: over time, as a picture with its numbers below; how many are
 * busy at once; by rank; and the messages under way to each rank. Enter on a stretch of time zooms
 * to it, on a rank goes to it in the timeline. */
#include <stdio.h>
#include <string.h>

#include "ui/canvas/chart.h"
#include "ui/widgets/table_tabs.h"
#include "views/query/view_common.h"
#include "views/tables/view_utilisation.h"

enum pane { PANE_TIME, PANE_BUSY, PANE_RANKS, PANE_QUEUES, PANES };
/* Lines above the pane; of the picture, and of the pane from which on there is one. */
enum { TOP = 2, PICTURE_LEAST = 5, PICTURE_MOST = 12, WITH_PICTURE = 12 };
enum { MARGIN = 1, LABEL = 7 }; /* columns beside the picture: the scale */

struct utilisation_panel {
	struct table_tabs tabs;
	struct timeline_shades *shades; /* of the session's trace, NULL: not wanted yet */
	uint64_t *sums;                 /* [columns][USE_KINDS] of the picture; owned */
	size_t columns;                 /* that it has, 0: there is none */
	struct rect made_for;           /* area that cells of time and picture fit */
	uint32_t locations;
	bool wait_states; /* waiting is the time of wait states */
};

static const enum action actions[] = { ACTION_ENTER, ACTION_NEXT_PANE,   ACTION_PREV_PANE,
				       ACTION_SORT,  TABLE_PANE_ACTIONS, ACTION_NONE };

static int picture_height(const struct utilisation_panel *p, struct rect area)
{
	const int h = area.h - TOP, third = h / 3;

	if (p->tabs.front != PANE_TIME || h < WITH_PICTURE)
		return 0;
	return third < PICTURE_LEAST ? PICTURE_LEAST : third > PICTURE_MOST ? PICTURE_MOST : third;
}

static struct rect table_area(const struct panel *panel, struct rect area)
{
	const int top = TOP + picture_height((const struct utilisation_panel *)panel, area);

	return (struct rect){ area.x, area.y + top, area.w, area.h - top };
}

/* ---- computing ---- */

static struct timeline_shades *shades_of(struct utilisation_panel *p)
{
	if (!p->shades)
		p->shades = timeline_shades_new();
	return p->shades;
}

/* The picture of the pane over time, and what all panes say about waiting. */
static bool make_picture(struct utilisation_panel *p, const struct query *query, struct err *err)
{
	const int room = p->tabs.panel.area.w - MARGIN - LABEL - MARGIN;
	OWNED int64_t *edges = xcalloc((size_t)(room > 1 ? room : 1) + 1, sizeof *edges);
	struct utilisation u;
	int64_t t0, t1;
	bool whole = utilisation_begin(&u, query, shades_of(p), err);

	query_span(query, &t0, &t1);
	p->columns = utilisation_edges(t0, t1, (size_t)(room > 1 ? room : 1), edges);
	free(p->sums);
	p->sums = xcalloc(p->columns * USE_KINDS + 1, sizeof *p->sums);
	whole = whole && utilisation_sum(&u, edges, p->columns, p->sums);
	p->locations = u.n;
	p->wait_states = u.wait_states;
	if (!whole)
		p->columns = 0;
	utilisation_end(&u);
	return whole;
}

static struct table *make(struct panel *panel, unsigned pane, struct query *query, struct err *err)
{
	struct utilisation_panel *p = (struct utilisation_panel *)panel;
	const int lines = table_area(panel, panel->area).h - 1;

	if (pane == PANE_QUEUES)
		return queues_table_new(query, err);
	if (!make_picture(p, query, err))
		return NULL;
	switch (pane) {
	case PANE_TIME:
		return utilisation_table_of(query, shades_of(p), lines > 1 ? (size_t)lines : 1,
					    err);
	case PANE_BUSY: return concurrency_table_of(query, shades_of(p), err);
	default: return utilisation_ranks_table_of(query, shades_of(p), err);
	}
}

static void empty(const struct panel *panel, unsigned pane, struct str *out)
{
	(void)panel, (void)pane;
	str_add(out, "no time in this window, or no rank that the filter takes");
}

/* As many cells of time as there are lines. */
static void requery(struct panel *panel)
{
	struct utilisation_panel *p = (struct utilisation_panel *)panel;

	if (memcmp(&p->made_for, &panel->area, sizeof p->made_for) != 0)
		p->tabs.made[PANE_TIME] = 0;
	p->made_for = panel->area;
	table_tabs_requery(panel);
}

static void renew(struct panel *panel)
{
	struct utilisation_panel *p = (struct utilisation_panel *)panel;

	timeline_shades_free(p->shades);
	p->shades = NULL;
	table_tabs_renew(panel);
}

static void close_panel(struct panel *panel)
{
	struct utilisation_panel *p = (struct utilisation_panel *)panel;

	table_tabs_close(panel);
	timeline_shades_free(p->shades);
	free(p->sums);
}

/* ---- drawing ---- */

static void draw_picture(const struct utilisation_panel *p, struct canvas *canvas, struct rect area)
{
	const int x = area.x + MARGIN + LABEL;
	char label[16];

	snprintf(label, sizeof label, "%u", p->locations);
	canvas_text_right(canvas, area.x, area.y, LABEL, label, ROLE_MUTED, ROLE_DEFAULT);
	canvas_text_right(canvas, area.x, area.y + area.h - 1, LABEL, "0", ROLE_MUTED,
			  ROLE_DEFAULT);
	for (size_t i = 0; i < p->columns && (int)i < area.w - MARGIN - LABEL; i++) {
		const uint64_t *sums = p->sums + i * USE_KINDS;
		struct table_chart chart = { .parts = utilisation_parts, .n = USE_PARTS };
		double whole = 0;

		for (int kind = 0; kind < USE_KINDS; kind++)
			whole += (double)sums[kind];
		for (int kind = 0; whole > 0 && kind < USE_PARTS; kind++)
			chart.values[kind] = (double)sums[kind] / whole;
		chart_stack(canvas, x + (int)i, area.y, area.h, &chart);
	}
}

/* What the figures below are. */
static void draw_caption(const struct utilisation_panel *p, struct canvas *canvas, struct rect line)
{
	const bool filtered = p->tabs.panel.session->filter != NULL;
	const unsigned parts = filtered ? USE_PARTS : USE_FILTERED;
	const int legend = chart_legend_width(utilisation_parts, parts);

	switch (p->tabs.front) {
	case PANE_QUEUES:
		canvas_write(canvas, line.x, line.y, line.w,
			     "messages sent to a rank and not yet received", ROLE_MUTED);
		return;
	case PANE_BUSY:
		canvas_write(canvas, line.x, line.y, line.w,
			     "how long so many ranks computed at once", ROLE_MUTED);
		return;
	default: break;
	}
	chart_legend(canvas, line.x, line.y, line.w, utilisation_parts, parts);
	canvas_write(canvas, line.x + legend + 2, line.y, line.w - legend - 2,
		     p->wait_states ? "(waiting: wait states)" : "(waiting so far: communication)",
		     p->wait_states ? ROLE_MUTED : ROLE_WARNING);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct utilisation_panel *p = (const struct utilisation_panel *)panel;
	const int picture = picture_height(p, area);

	table_tabs_draw(panel, canvas, area);
	draw_caption(p, canvas, (struct rect){ area.x + MARGIN, area.y + 1, area.w - MARGIN, 1 });
	if (picture)
		draw_picture(p, canvas, (struct rect){ area.x, area.y + TOP, area.w, picture - 1 });
}

/* ---- acting ---- */

static unsigned enter(struct utilisation_panel *p)
{
	struct session *session = p->tabs.panel.session;
	const struct table_pane *pane = table_tabs_front(&p->tabs.panel);
	const struct row_thing thing = table_pane_thing(pane);

	if (pane->cursor == ROW_NONE || p->tabs.front == PANE_BUSY)
		return REACT_IGNORED;
	if (p->tabs.front == PANE_TIME) {
		const struct span cell = utilisation_table_cell(pane->table, pane->cursor);
		session_zoom(session, cell.t0, cell.t1);
		return REACT_REDRAW;
	}
	session_set_cursor(session, thing.id,
			   p->tabs.front == PANE_QUEUES
				   ? queues_table_peak(pane->table, pane->cursor)
				   : session->cursor.time,
			   EVENT_NONE);
	session->asked.goto_view = "timeline";
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	return action == ACTION_ENTER ? enter((struct utilisation_panel *)panel)
				      : table_tabs_act(panel, action, count);
}

static const struct table_tabs_info tabs = {
	.tabs = {
		[PANE_TIME] = { "Over time", "from_s" },
		[PANE_BUSY] = { "Busy at once", "busy", "concurrency", .fixed = true },
		[PANE_RANKS] = { "By rank", "rank", "utilisation-ranks" },
		[PANE_QUEUES] = { "Messages under way", "rank", "queues" },
	},
	.n = PANES,
	.make = make,
	.empty = empty,
	.area = table_area,
};

const struct panel_ops utilisation_panel_ops = {
	.actions = actions,
	.enter_hint = "show it",
	.size = sizeof(struct utilisation_panel),
	.close = close_panel,
	.requery = requery,
	.renew = renew,
	.draw = draw,
	.act = act,
	.land = table_tabs_land,
	.tabs = &tabs,
	.chosen = table_panel_chosen,
	TABLE_TABS_SLOTS,
};
