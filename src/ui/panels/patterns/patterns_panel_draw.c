/* The three trees side by side, where there is room for no more two of them, or one; what is chosen
 * below them. Pure. */
#include "ui/panels/patterns/patterns_panel_state.h"

#include <string.h>

#include "base/text.h"
#include "views/query/analyses.h"

enum {
	THREE_FROM = 100,
	TWO_FROM = 60,
	DETAILS = 4,
	DETAILS_FROM = 12,
	METRICS_MOST = 60,
	PLACES_MOST = 48
};

static const char *const titles[PANES] = { "Metric", "Call path", "Location" };

/* Columns that the panes share, from which pane on; how many there are. */
static int panes_shown(const struct patterns_panel *p, int width, int *first)
{
	const int n = width >= THREE_FROM ? 3 : width >= TWO_FROM ? 2 : 1;
	const int front = (int)p->front;

	*first = n == 3 ? 0 : n == 2 ? (front == PANE_PLACES) : front;
	return n;
}

static int details_height(struct rect area)
{
	return area.h >= DETAILS_FROM ? DETAILS : 0;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Metrics and locations need so much; call paths take what is left. */
static int pane_width(int shown, int width, int nth)
{
	const int metrics = least(width * 38 / 100, METRICS_MOST);
	const int places = least(width * 27 / 100, PLACES_MOST);

	if (shown < 3)
		return nth == shown - 1 ? width - width / 2 * (shown - 1) : width / 2;
	return nth == 0 ? metrics : nth == 1 ? width - metrics - places : places;
}

struct rect patterns_pane(const struct patterns_panel *p, struct rect area, enum pane pane)
{
	int first, x = area.x;
	const int n = panes_shown(p, area.w, &first), nth = (int)pane - first;
	const int top = 1;

	if (nth < 0 || nth >= n)
		return (struct rect){ 0 };
	for (int i = 0; i < nth; i++)
		x += pane_width(n, area.w, i);
	return (struct rect){ x, area.y + top, pane_width(n, area.w, nth) - (nth < n - 1),
			      area.h - top - details_height(area) };
}

struct rect patterns_area(const struct patterns_panel *p, struct rect area, enum pane pane)
{
	struct rect rect = patterns_pane(p, area, pane);

	if (pane == PANE_PLACES)
		rect.h -= patterns_grid_height(p, rect);
	return rect;
}

const char *patterns_mode_name(const struct patterns_panel *p)
{
	static const char *const names[VALUE_MODES] = {
		[VALUES_OWN] = "absolute",
		[VALUES_WHOLE] = "per cent of all",
		[VALUES_SELECTED] = "per cent of the selection",
		[VALUES_OTHER] = "per cent of the other trace",
	};
	return names[p->mode];
}

static void draw_header(const struct patterns_panel *p, struct canvas *canvas, struct rect pane,
			int i)
{
	const bool active = i == (int)p->front;
	const int used = 1 + canvas_text(canvas, pane.x + 1, pane.y - 1, pane.w - 1, titles[i],
					 active ? ROLE_VALUE : ROLE_MUTED, ROLE_DEFAULT,
					 active ? ATTR_BOLD | ATTR_UNDERLINE : 0);

	if (i == PANE_METRICS && p->mode != VALUES_OWN)
		canvas_text_right(canvas, pane.x + used + 1, pane.y - 1, pane.w - used - 2,
				  patterns_mode_name(p), ROLE_MUTED, ROLE_DEFAULT);
}

static void draw_panes(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	for (int i = 0; i < PANES; i++) {
		const struct rect pane = patterns_area(p, area, (enum pane)i);
		if (pane.w == 0)
			continue;
		draw_header(p, canvas, pane, i);
		tree_pane_draw(&p->trees[i], canvas, pane, i == (int)p->front);
		if (i == PANE_PLACES &&
		    patterns_grid_height(p, patterns_pane(p, area, PANE_PLACES)))
			patterns_draw_grid(p, canvas, patterns_pane(p, area, PANE_PLACES));
		for (int y = pane.y - 1; pane.x + pane.w < area.x + area.w && y < pane.y + pane.h;
		     y++)
			canvas_glyph(canvas, pane.x + pane.w, y, GLYPH_LINE_V, ROLE_FRAME);
	}
}

/* ---- details ---- */

/* What is selected in a pane: "Late Sender (mpi_latesender): A receiver ...". */
static void selected_text(const struct patterns_panel *p, enum pane pane, struct str *out)
{
	const struct trace *trace = p->panel.session->trace;
	const struct tree_item *item = tree_pane_item(&p->trees[pane]);
	const struct cube_metric_info *info;

	if (pane == PANE_METRICS) {
		info = cube_metric_info((enum cube_metric)item->id);
		str_add_fmt(out, "%s (%s): %s", info->title, info->name, info->text);
	} else if (pane == PANE_PATHS && item->id) {
		trace_callpath_text(trace, item->id, out);
		str_add(out, "  ");
		patterns_source(trace, item->id, out);
	} else {
		p->trees[pane].ops->title(p, item, out);
	}
}

/* Whether the call path has nothing of a metric that others have: all its locations are at 0. */
static bool is_empty(const struct patterns_panel *p)
{
	const struct tree_item *path = tree_pane_item(&p->trees[PANE_PATHS]);

	return path && p->metric_value > 0 && path->value[0] <= 0;
}

/* In the tree, 100 % is all its root has, of ranks and streams; here, total time. With streams the
 * panel knows of metrics alone how much is on which. */
static void add_share(const struct patterns_panel *p, enum pane pane, double value, struct str *out)
{
	const bool both = p->whole.hosts > 0 && p->whole.streams > 0;
	const struct time_parts one = { .hosts = p->whole.hosts > 0 ? value : 0,
					.streams = p->whole.hosts > 0 ? 0 : value };
	const struct time_parts part = pane == PANE_METRICS ? p->metric_parts : one;

	if (!cube_metric_within(patterns_metric(p), CUBE_TIME) || value == 0 ||
	    (both && pane != PANE_METRICS))
		return;
	str_add(out, ", ");
	units_share(out, time_share(part, p->whole));
	if (pane == PANE_METRICS)
		str_add_fmt(out, " of %s", time_share_of(part, p->whole));
}

/* Its value, and of an open row what it has with all below it. */
static void exact_text(const struct patterns_panel *p, enum pane pane, struct str *out)
{
	const struct tree_item *item = tree_pane_item(&p->trees[pane]);

	if (pane == PANE_PATHS && is_empty(p)) {
		str_add(out, "none of it here");
		return;
	}
	if (item->open)
		str_add(out, "own ");
	patterns_values_text(p, patterns_metric(p), tree_pane_shown(item), out);
	if (item->open) {
		str_add(out, ", all ");
		patterns_values_text(p, patterns_metric(p), item->value, out);
	}
	if (p->sets == 1) /* a range has no room for more */
		add_share(p, pane, item->value[0], out);
}

/* Of a path that is too long its end is told. */
static void draw_path(struct canvas *canvas, int x, int y, int width, const char *text,
		      enum role ink, bool path)
{
	static const char before[] = "... > ", between[] = " > ";
	const char *rest = text, *next;

	while (path && text_width(rest) + (rest > text ? text_width(before) : 0) > width &&
	       (next = strstr(rest, between)) != NULL)
		rest = next + strlen(between);
	if (rest > text)
		canvas_text_fmt(canvas, x, y, width, ink, "%s%s", before, rest);
	else
		canvas_write(canvas, x, y, width, text, ink);
}

static void draw_details(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	OWNED_STR text = STR_INIT, value = STR_INIT;

	canvas_rule(canvas, area.x, area.y, area.w);
	for (int i = 0; i < PANES; i++) {
		const int y = area.y + 1 + i;
		const enum role ink = i == (int)p->front ? ROLE_DEFAULT : ROLE_MUTED;
		if (!tree_pane_item(&p->trees[i]))
			continue;
		str_clear(&text);
		str_clear(&value);
		selected_text(p, (enum pane)i, &text);
		exact_text(p, (enum pane)i, &value);
		const int taken = text_width(value.text);
		canvas_text_right(canvas, area.x + area.w - 1 - taken, y, taken, value.text,
				  ROLE_VALUE, ROLE_DEFAULT);
		draw_path(canvas, area.x + 1, y, area.w - 4 - taken, text.text, ink,
			  i == PANE_PATHS);
	}
}

/* What there is while there are no values. */
static void draw_waiting(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	const struct analyses_state state = analyses_state(p->panel.session->analyses);
	OWNED_STR s = STR_INIT;

	if (!p->waiting)
		str_add(&s, p->problem);
	else
		str_add_fmt(&s, "%s in the whole run",
			    *state.what ? state.what : "looking for wait states");
	if (p->waiting && state.all)
		str_add_fmt(&s, ": %d %%", (int)(100 * (double)state.done / (double)state.all));
	canvas_write(canvas, area.x + 1, area.y + 1, area.w - 2, s.text,
		     p->waiting ? ROLE_PROGRESS : ROLE_MUTED);
}

void patterns_draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct patterns_panel *p = (const struct patterns_panel *)panel;
	const int details = details_height(area);

	if (!p->ready) {
		draw_waiting(p, canvas, area);
		return;
	}
	if (p->down) {
		patterns_draw_waits(p, canvas, area);
		return;
	}
	draw_panes(p, canvas, area);
	if (details)
		draw_details(p, canvas,
			     (struct rect){ area.x, area.y + area.h - details, area.w, details });
}
