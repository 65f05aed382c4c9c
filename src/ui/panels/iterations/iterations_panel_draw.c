/* Draws iterations: sentences, ruler, heat map, scale, and what is under the cursor. */
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/text.h"
#include "ui/panels/iterations/iterations_panel_state.h"
#include "ui/timeline/drawing/timeline_draw.h"
#include "views/facts/place_words.h"

enum { WIDEST_LABEL = 20, TALLEST = 3, DETAILS = 2, GAP = 3, MEDIANS_MOST = 1 << 16 };

static const char *const names[ITERATION_QUANTITIES] = {
	[ITERATION_WORK] = "Work",         [ITERATION_WAITING] = "Waiting",
	[ITERATION_CAUSED] = "Caused",     [ITERATION_DURATION] = "Duration",
	[ITERATION_MESSAGES] = "Messages", [ITERATION_BYTES] = "Bytes",
};
static const char *const words[ITERATION_QUANTITIES] = {
	[ITERATION_WORK] = "work",         [ITERATION_WAITING] = "waiting",
	[ITERATION_CAUSED] = "caused",     [ITERATION_DURATION] = "duration",
	[ITERATION_MESSAGES] = "messages", [ITERATION_BYTES] = "bytes",
};

/* ---- layout ---- */

/* After the row of `width` columns that a text begins with. */
static const char *next_row(const char *text, int width)
{
	text += canvas_row_of(text, width);
	return text + strspn(text, " ");
}

/* Rows of the screen that the sentences take, in `width` columns. */
static int lines_of(const struct iterations_panel *p, int width)
{
	int n = 0;

	for (unsigned i = 0; i < p->n_lines && width > 0; i++)
		for (const char *text = p->lines[i]; *text; text = next_row(text, width))
			n++;
	return n;
}

static int label_width(const struct iterations_panel *p, int limit)
{
	OWNED_STR text = STR_INIT;
	int widest = 4;

	for (size_t i = 0; i < p->rows.list.n && widest < limit; i++) {
		str_clear(&text);
		timeline_row_text(&p->rows, &p->rows.list.data[i], false, &text);
		if (text_width(text.text) > widest)
			widest = text_width(text.text);
	}
	return widest < limit ? widest : limit;
}

struct iterations_layout iterations_layout(const struct iterations_panel *p, struct rect area)
{
	const int limit = area.w / 4 < WIDEST_LABEL ? area.w / 4 : WIDEST_LABEL;
	const int labels = label_width(p, limit > 4 ? limit : 4);
	const int x = area.x + labels + 2, w = area.w - labels - 3 > 1 ? area.w - labels - 3 : 1;
	const int details = area.h >= 7 ? DETAILS : area.h >= 5;
	const int lines = lines_of(p, area.w - 2), room = area.h - details - 5;
	struct iterations_layout l = { .tall = 1 };
	int y = area.y;

	l.names = (struct rect){ area.x, y++, area.w, 1 };
	/* The rows come first, then the sentences. */
	l.lines = (struct rect){ area.x + 1, y, area.w - 2, 0 };
	if (room > 0)
		l.lines.h = lines < (room + 1) / 2 ? lines : (room + 1) / 2;
	y += l.lines.h;
	l.ruler = (struct rect){ x, y, w, area.h >= 4 };
	y += l.ruler.h;
	l.details = (struct rect){ area.x + 1, area.y + area.h - details, area.w - 2, details };
	l.legend = (struct rect){ x, l.details.y - 1, w, area.h >= 8 };
	l.body = (struct rect){ x, y, w, l.details.y - l.legend.h - y };
	if (l.body.h < 1)
		l.body.h = 1;
	l.labels = (struct rect){ area.x + 1, y, labels, l.body.h };
	while (l.tall < TALLEST && (int)p->rows.list.n * (l.tall + 1) <= l.body.h)
		l.tall++;
	return l;
}

/* ---- parts ---- */

static void draw_names(const struct iterations_panel *p, struct canvas *canvas, struct rect r)
{
	int x = r.x + 1;

	for (int i = 0; i < ITERATION_QUANTITIES; i++) {
		const bool front = i == (int)p->quantity;
		x += canvas_text(canvas, x, r.y, r.x + r.w - x, names[i],
				 front ? ROLE_VALUE : ROLE_MUTED, ROLE_DEFAULT,
				 front ? ATTR_BOLD | ATTR_UNDERLINE : 0) +
		     GAP;
	}
}

static void draw_lines(const struct iterations_panel *p, struct canvas *canvas, struct rect r)
{
	int y = 0;

	for (unsigned i = 0; i < p->n_lines; i++) {
		/* The second one names who differs. */
		const enum role role =
			i == 1 && p->findings.of.kind != OUTLIERS_NONE ? ROLE_VALUE : ROLE_MUTED;
		for (const char *text = p->lines[i]; *text && y < r.h; y++) {
			OWNED_STR line = STR_INIT;
			str_add_n(&line, text, canvas_row_of(text, r.w));
			canvas_write(canvas, r.x, r.y + y, r.w, line.text, role);
			text = next_row(text, r.w);
		}
	}
}

/* The largest step of 1, 2, 5, 10 ... iterations whose labels do not touch. */
static uint32_t ruler_step(const struct iteration_grid *g, int width)
{
	static const uint32_t steps[] = { 1, 2, 5 };
	const double each = (double)(g->columns * g->width) / (g->end - g->first);

	for (uint32_t power = 1; power < UINT32_MAX / 100; power *= 10)
		for (int i = 0; i < 3; i++)
			if (steps[i] * power * each >= width)
				return steps[i] * power;
	return UINT32_MAX;
}

/* Numbers begin at 1; multiples of the step have labels, and the first has. */
static void draw_ruler(const struct iterations_panel *p, struct canvas *canvas, struct rect r)
{
	const struct iteration_grid *g = &p->grid;
	OWNED_STR last = STR_INIT;
	uint32_t step;
	int from = 0;

	str_add_fmt(&last, "%u", g->end);
	step = ruler_step(g, (int)last.n + 2);
	for (uint32_t k = g->first; k < g->end; k++) {
		const uint32_t number = k + 1;
		const int x = iteration_grid_column(g, k) * g->width;
		char label[16];
		int n;
		if (number % step != 0 && k != g->first)
			continue;
		n = snprintf(label, sizeof label, "%u", number);
		if (x < from || x + n + 1 > r.w)
			continue;
		canvas_glyph(canvas, r.x + x, r.y, GLYPH_LINE_V, ROLE_FRAME);
		canvas_write(canvas, r.x + x + 1, r.y, n, label, ROLE_HEADER);
		from = x + n + 2;
	}
}

static enum glyph less_glyph(int step)
{
	return step < GRID_STEPS / 3       ? GLYPH_LIGHT_SHADE
	       : step < 2 * GRID_STEPS / 3 ? GLYPH_MEDIUM_SHADE
					   : GLYPH_DARK_SHADE;
}

static void draw_cell(const struct iterations_panel *p, struct canvas *canvas, struct rect r,
		      const struct iteration_cell *cell)
{
	const int step = cell->there ? iteration_grid_step(&p->grid, cell->value) : -1;

	/* Less than before is shaded, or has a sign where there are no colours. */
	if (step >= 0 && cell->value < 0)
		canvas_fill(canvas, r,
			    canvas->mono ? '-' : theme_glyph(less_glyph(step), canvas->ascii),
			    ROLE_GOOD, ROLE_DEFAULT);
	else if (step >= 0)
		canvas_heat(canvas, r, step);
	else if (cell->there)
		canvas_glyph(canvas, r.x + r.w / 2, r.y + r.h / 2, GLYPH_DOT, ROLE_FRAME);
}

static void draw_label(const struct iterations_panel *p, struct canvas *canvas, struct rect r,
		       uint32_t row)
{
	const struct timeline_row *of = &p->rows.list.data[row];
	const bool here = row == p->row;
	const enum role fg = here ? ROLE_CURSOR : ROLE_LABEL;
	const enum role bg = here ? ROLE_CURSOR : ROLE_DEFAULT;
	OWNED_STR text = STR_INIT;

	timeline_row_text(&p->rows, of, false, &text);
	if (here)
		canvas_fill(canvas, (struct rect){ r.x - 1, r.y, r.w + 2, 1 }, ' ', ROLE_CURSOR,
			    ROLE_CURSOR);
	canvas_text(canvas, r.x, r.y, r.w, text.text, fg, bg, 0);
	if (of->kind == ROW_GROUP)
		canvas_put(canvas, r.x, r.y,
			   theme_glyph(of->open ? GLYPH_TREE_OPEN : GLYPH_TREE_CLOSED,
				       canvas->ascii),
			   here ? ROLE_CURSOR : ROLE_MUTED, bg, 0);
}

static void draw_body(const struct iterations_panel *p, struct canvas *canvas,
		      const struct iterations_layout *l)
{
	const struct iteration_grid *g = &p->grid;

	for (uint32_t row = 0; row < g->rows; row++) {
		const int y = l->body.y + (int)row * l->tall;
		if (y + l->tall > l->body.y + l->body.h)
			break;
		draw_label(p, canvas,
			   (struct rect){ l->labels.x, y + (l->tall - 1) / 2, l->labels.w, 1 },
			   p->top + row);
		for (int c = 0; c < g->columns; c++)
			draw_cell(p, canvas,
				  (struct rect){ l->body.x + c * g->width, y, g->width, l->tall },
				  iteration_cell(g, row, c));
	}
}

static void draw_cursor(const struct iterations_panel *p, struct canvas *canvas,
			const struct iterations_layout *l)
{
	const struct iteration_grid *g = &p->grid;
	const int x = l->body.x + iteration_grid_column(g, p->iteration) * g->width;
	const int y = l->body.y + (int)(p->row - p->top) * l->tall + (l->tall - 1) / 2;

	canvas_paint(canvas, (struct rect){ x, l->ruler.y, g->width, l->ruler.h }, ROLE_VALUE,
		     ROLE_DEFAULT, ATTR_REVERSE);
	if (p->row < p->top || y >= l->body.y + l->body.h)
		return;
	if (g->width == 1) {
		canvas_put(canvas, x, y, theme_glyph(GLYPH_LINE_V, canvas->ascii), ROLE_VALUE,
			   ROLE_DEFAULT, ATTR_REVERSE);
		return;
	}
	canvas_put(canvas, x, y, '[', ROLE_DEFAULT, ROLE_KEEP, ATTR_BOLD);
	canvas_put(canvas, x + g->width - 1, y, ']', ROLE_DEFAULT, ROLE_KEEP, ATTR_BOLD);
}

static void draw_legend(const struct iterations_panel *p, struct canvas *canvas, struct rect r)
{
	const struct iteration_grid *g = &p->grid;
	const struct timescale *scale = trace_scale(p->panel.session->trace);
	OWNED_STR low = STR_INIT, high = STR_INIT;
	int x = r.x;

	if (!r.h)
		return;
	if (g->high <= 0) {
		canvas_text_fmt(canvas, x, r.y, r.w, ROLE_MUTED,
				iterations_compare(p) ? "no difference of %s in these iterations"
						      : "no %s in these iterations",
				words[p->quantity]);
		return;
	}
	iteration_value_text(p->quantity, g->low, iterations_compare(p), scale, &low);
	str_add(&low, g->lower ? " or less" : "");
	iteration_value_text(p->quantity, g->high, iterations_compare(p), scale, &high);
	x += canvas_write(canvas, x, r.y, r.w, low.text, ROLE_MUTED) + 1;
	for (int step = 0; step < GRID_STEPS; step++, x += 2)
		canvas_heat(canvas, (struct rect){ x, r.y, 2, 1 }, step);
	x += canvas_write(canvas, x + 1, r.y, r.x + r.w - x - 1, high.text, ROLE_MUTED) + 3;
	if (iterations_compare(p))
		canvas_text_fmt(canvas, x, r.y, r.x + r.w - x, ROLE_MUTED,
				"more than in the old run (%s less)",
				canvas->mono    ? "-"
				: canvas->ascii ? "shaded:"
						: "\u2592");
	else if (g->width == 1 && (uint32_t)g->columns < g->end - g->first)
		canvas_write(canvas, x, r.y, r.x + r.w - x, "a cell shows its largest iteration",
			     ROLE_MUTED);
}

/* ---- what is under the cursor ---- */

static void add_value(const struct iterations_panel *p, const struct iteration_sum *sum,
		      enum iteration_quantity quantity, struct str *out)
{
	iteration_value_text(quantity, iteration_value(sum, quantity), false,
			     trace_scale(p->panel.session->trace), out);
}

/* Of all rows in the cursor's iteration; of very many, of some. */
static double median_of_ranks(const struct iterations_panel *p)
{
	const uint32_t n = p->findings.n;
	const uint32_t each = n / MEDIANS_MOST + 1;
	OWNED double *values = xmalloc(((size_t)n + 1) * sizeof *values);
	uint32_t m = 0;

	for (uint32_t i = 0; i < n; i += each)
		values[m++] = iteration_value(&p->sums->of[p->findings.locations[i]][p->iteration],
					      p->quantity);
	return median_of(values, m);
}

/* " (+4.00 ms; the rank's work is more)". */
static void add_change(const struct iterations_panel *p, struct str *out)
{
	static const char *const changes[] = { "is less", "differs by noise", "is more" };
	double value;

	if (!iterations_value(p, p->location, p->iteration, &value)) {
		str_add(out, " (only in the new run)");
		return;
	}
	str_add(out, " (");
	iteration_value_text(p->quantity, value, true, trace_scale(p->panel.session->trace), out);
	str_add_fmt(out, "; the rank's %s %s)", words[p->quantity],
		    changes[iteration_pairs_change(&p->pairs, p->location, p->quantity) + 1]);
}

void iterations_describe(const struct iterations_panel *p, struct str *out)
{
	const struct trace *trace = p->panel.session->trace;
	const struct iteration_sum *of =
		p->sums && p->location < p->sums->locations ? p->sums->of[p->location] : NULL;

	words_location(trace, p->location, false, out);
	if (!of) {
		str_add(out, " has no iterations");
		return;
	}
	str_add_fmt(out, ", iteration %u of %u: %s ", p->iteration + 1, p->sums->n,
		    words[p->quantity]);
	add_value(p, &of[p->iteration], p->quantity, out);
	if (iterations_compare(p)) {
		add_change(p, out);
	} else if (p->findings.n > 1) {
		str_add(out, " (median rank ");
		iteration_value_text(p->quantity, median_of_ranks(p), false, trace_scale(trace),
				     out);
		str_add_char(out, ')');
	}
}

static void draw_details(const struct iterations_panel *p, struct canvas *canvas, struct rect r)
{
	const struct timescale *scale = trace_scale(p->panel.session->trace);
	const struct iteration_sum *sum;
	OWNED_STR text = STR_INIT;

	if (r.h < 1)
		return;
	iterations_describe(p, &text);
	canvas_write(canvas, r.x, r.y, r.w, text.text, ROLE_VALUE);
	if (r.h < 2 || !p->sums->of[p->location])
		return;
	sum = &p->sums->of[p->location][p->iteration];
	str_clear(&text);
	units_span(&text, sum->begin, sum->end, scale, 4);
	for (int i = 0; i < ITERATION_QUANTITIES; i++) {
		if (i == (int)p->quantity)
			continue;
		str_add_fmt(&text, ", %s ", words[i]);
		add_value(p, sum, (enum iteration_quantity)i, &text);
	}
	canvas_write(canvas, r.x, r.y + 1, r.w, text.text, ROLE_MUTED);
}

/* ---- all ---- */

/* Why there is no picture; NULL: there is one. */
static const char *why_empty(const struct iterations_panel *p)
{
	if (p->trouble[0])
		return p->trouble;
	if (!p->sums || (p->sums->n && !p->grid.columns && p->rows.list.n))
		return p->searching ? "searching for wait states and their causes"
				    : "not computed: redraw the screen to try again";
	if (p->rows.list.n == 0)
		return "The filter excludes all ranks.";
	return NULL;
}

void iterations_draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct iterations_panel *p = (const struct iterations_panel *)panel;
	const struct iterations_layout l = iterations_layout(p, area);
	const char *why = why_empty(p);

	if (why) {
		canvas_write(canvas, area.x + 1, area.y, area.w - 1, why,
			     p->trouble[0] ? ROLE_ERROR : ROLE_MUTED);
		return;
	}
	if (!p->sums->n) {
		draw_lines(p, canvas, (struct rect){ area.x + 1, area.y, area.w - 2, area.h });
		return;
	}
	draw_names(p, canvas, l.names);
	draw_lines(p, canvas, l.lines);
	if (l.ruler.h)
		draw_ruler(p, canvas, l.ruler);
	draw_body(p, canvas, &l);
	draw_cursor(p, canvas, &l);
	draw_legend(p, canvas, l.legend);
	draw_details(p, canvas, l.details);
}
