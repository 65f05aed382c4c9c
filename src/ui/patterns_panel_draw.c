/* The three trees side by side, where there is room for no more two of them, or one; what is chosen
 * below them. Pure. */
#include "ui/patterns_panel_impl.h"

#include <string.h>

#include "ui/analyses.h"

enum { THREE_FROM = 100, TWO_FROM = 60, DETAILS = 3, DETAILS_FROM = 10 };

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

/* A breadcrumb where a pane is missing. */
static int crumb_height(struct rect area)
{
	return area.w < THREE_FROM && area.h >= DETAILS_FROM;
}

/* Metrics need less than call paths. */
static int pane_width(int shown, int width, int nth)
{
	const int side = shown == 3 ? width * 3 / 10 : shown == 2 ? width / 2 : width;

	if (shown == 3)
		return nth == 0   ? width * 37 / 100
		       : nth == 1 ? width - width * 37 / 100 - side * 8 / 10
				  : side * 8 / 10;
	return nth == shown - 1 ? width - side * (shown - 1) : side;
}

struct rect patterns_area(const struct patterns_panel *p, struct rect area, enum pane pane)
{
	int first, x = area.x;
	const int n = panes_shown(p, area.w, &first), nth = (int)pane - first;
	const int top = 1 + crumb_height(area);

	if (nth < 0 || nth >= n)
		return (struct rect){ 0 };
	for (int i = 0; i < nth; i++)
		x += pane_width(n, area.w, i);
	return (struct rect){ x, area.y + top, pane_width(n, area.w, nth) - (nth < n - 1),
			      area.h - top - details_height(area) };
}

const char *patterns_mode_name(const struct patterns_panel *p)
{
	static const char *const names[VALUE_MODES] = {
		[VALUES_OWN] = "as they are",
		[VALUES_WHOLE] = "per cent of the whole",
		[VALUES_SELECTED] = "per cent of what is selected",
		[VALUES_OTHER] = "per cent of the other trace",
	};
	return names[p->mode];
}

/* "Late Sender > main > solve > MPI_Recv": what is not in sight. */
static void draw_crumb(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	struct str s = STR_INIT;
	const uint32_t path = patterns_path(p);

	if (patterns_metric(p) != CUBE_NONE)
		str_add(&s, cube_metric_info(patterns_metric(p))->title);
	if (path != UINT32_MAX && path != 0) {
		str_add(&s, " > ");
		trace_callpath_text(p->panel.session->trace, path, &s);
	}
	canvas_text(canvas, area.x + 1, area.y, area.w - 2, s.text, ROLE_MUTED, ROLE_DEFAULT, 0);
	str_fini(&s);
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
				  patterns_mode_name(p), ROLE_MUTED, ROLE_DEFAULT, 0);
}

static void draw_panes(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	for (int i = 0; i < PANES; i++) {
		const struct rect pane = patterns_area(p, area, (enum pane)i);
		if (pane.w == 0)
			continue;
		draw_header(p, canvas, pane, i);
		tree_pane_draw(&p->trees[i], canvas, pane, i == (int)p->front);
		for (int y = pane.y - 1; pane.x + pane.w < area.x + area.w && y < pane.y + pane.h;
		     y++)
			canvas_put(canvas, pane.x + pane.w, y,
				   theme_glyph(GLYPH_LINE_V, canvas->ascii), ROLE_FRAME,
				   ROLE_DEFAULT, 0);
	}
}

/* ---- details ---- */

static void metric_details(const struct patterns_panel *p, struct str *out)
{
	const struct cube_metric_info *info = cube_metric_info(patterns_metric(p));

	str_add_fmt(out, "%s (%s): %s", info->title, info->name, info->text);
}

static void place_details(const struct patterns_panel *p, struct str *out)
{
	const struct trace *trace = p->panel.session->trace;
	const struct tree_item *path = tree_pane_item(&p->trees[PANE_PATHS]);
	const struct tree_item *place = tree_pane_item(&p->trees[PANE_PLACES]);

	if (!path || !place)
		return;
	if (path->id == 0)
		str_add(out, "outside all regions");
	else
		trace_callpath_text(trace, path->id, out);
	str_add(out, "  ");
	patterns_source(trace, path->id, out);
	(void)place;
}

static void draw_details(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	struct str s = STR_INIT;

	for (int x = 0; x < area.w; x++)
		canvas_put(canvas, area.x + x, area.y, theme_glyph(GLYPH_LINE_H, canvas->ascii),
			   ROLE_FRAME, ROLE_DEFAULT, 0);
	if (patterns_metric(p) != CUBE_NONE)
		metric_details(p, &s);
	canvas_text(canvas, area.x + 1, area.y + 1, area.w - 2, s.text, ROLE_DEFAULT, ROLE_DEFAULT,
		    0);
	str_clear(&s);
	place_details(p, &s);
	canvas_text(canvas, area.x + 1, area.y + 2, area.w - 2, s.text, ROLE_DEFAULT, ROLE_DEFAULT,
		    0);
	str_fini(&s);
}

/* What there is while there are no values. */
static void draw_waiting(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	const struct analyses_state state = analyses_state(p->panel.session->analyses);
	struct str s = STR_INIT;

	if (!p->waiting)
		str_add(&s, p->problem);
	else
		str_add_fmt(&s, "%s in the whole run",
			    *state.what ? state.what : "looking for wait states");
	if (p->waiting && state.all)
		str_add_fmt(&s, ": %d %%", (int)(100 * (double)state.done / (double)state.all));
	canvas_text(canvas, area.x + 1, area.y + 1, area.w - 2, s.text,
		    p->waiting ? ROLE_PROGRESS : ROLE_MUTED, ROLE_DEFAULT, 0);
	str_fini(&s);
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
	if (crumb_height(area))
		draw_crumb(p, canvas, area);
	draw_panes(p, canvas, area);
	if (details)
		draw_details(p, canvas,
			     (struct rect){ area.x, area.y + area.h - details, area.w, details });
}
