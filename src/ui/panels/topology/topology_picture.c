#include "ui/panels/topology/topology_picture.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	GAP_W = 2, /* between planes */
	GAP_H = 1
};

static const uint64_t most_planes = UINT64_C(1) << 32;

/* ---- layout ---- */

static const struct {
	int w, h;
} sizes[TOPOLOGY_SIZES] = { { 0, 0 }, { 1, 1 }, { 2, 1 }, { 4, 1 },  { 5, 1 },
			    { 4, 2 }, { 6, 2 }, { 8, 3 }, { 10, 4 }, { 14, 5 } };

/* The turn-th pair of dimensions comes first; of two, the other way round. */
static void turn_dims(struct topology_layout *l, unsigned turn)
{
	unsigned first = 0, second = 1, order[GRID_DIMS], n = 2;

	if (l->n_dims < 2)
		return;
	turn %= l->n_dims == 2 ? 2 : l->n_dims * (l->n_dims - 1) / 2;
	if (l->n_dims == 2 && turn) {
		first = 1;
		second = 0;
	}
	for (; l->n_dims > 2 && turn > 0; turn--)
		if (++second == l->n_dims) {
			first++;
			second = first + 1;
		}
	order[0] = l->dims[first];
	order[1] = l->dims[second];
	for (unsigned d = 0; d < l->n_dims; d++)
		if (d != first && d != second)
			order[n++] = l->dims[d];
	memcpy(l->dims, order, l->n_dims * sizeof *order);
}

static int digits(uint64_t n)
{
	int count = 1;

	for (; n >= 10; n /= 10)
		count++;
	return count;
}

static uint32_t columns(const struct topology_layout *l)
{
	return l->wrapped ? l->wrapped : l->across;
}

static uint32_t lines(const struct topology_layout *l)
{
	return l->wrapped ? (l->across - 1) / l->wrapped + 1 : l->up;
}

static int64_t plane_w(const struct topology_layout *l)
{
	return l->label + (int64_t)columns(l) * l->cell_w;
}

static int64_t plane_h(const struct topology_layout *l)
{
	return l->head + (int64_t)lines(l) * l->cell_h;
}

int64_t topology_width(const struct topology_layout *l)
{
	return (int64_t)l->planes_a_line * (plane_w(l) + GAP_W) - GAP_W;
}

int64_t topology_height(const struct topology_layout *l)
{
	const uint64_t rows = (l->planes - 1) / l->planes_a_line + 1;

	return (int64_t)rows * (plane_h(l) + GAP_H) - GAP_H;
}

static void set_size(struct topology_layout *l, unsigned size)
{
	const int room = l->area.w - l->label;
	const uint32_t fit = room > sizes[size].w ? (uint32_t)(room / sizes[size].w) : 1;
	int64_t beside;

	l->cell_w = sizes[size].w;
	l->cell_h = sizes[size].h;
	l->wrapped = 0;
	/* A row of ranks goes on below, a power of two in each line. */
	if (l->n_dims < 2 && l->across > fit)
		for (l->wrapped = 1; 2 * l->wrapped <= fit;)
			l->wrapped *= 2;
	beside = (l->area.w + GAP_W) / (plane_w(l) + GAP_W);
	l->planes_a_line = beside < 1                     ? 1
			   : (uint64_t)beside > l->planes ? l->planes
							  : (uint64_t)beside;
}

static void find_size(struct topology_layout *l)
{
	for (unsigned size = TOPOLOGY_SIZES - 1; size > 0; size--) {
		set_size(l, size);
		if (topology_width(l) <= l->area.w && topology_height(l) <= l->area.h)
			return;
	}
	set_size(l, 2);
}

/* ---- places ---- */

/* A place as it is seen. */
struct seen {
	uint64_t plane; /* position among them */
	int64_t column, line;
};

static struct seen see(const struct topology_layout *l, const int32_t *coords)
{
	const int32_t x = coords[l->dims[0]];
	struct seen s = { 0, x, 0 };
	uint64_t stride = 1;

	if (l->wrapped) {
		s.column = x % (int32_t)l->wrapped;
		s.line = x / (int32_t)l->wrapped;
	} else if (l->n_dims > 1) {
		const int32_t y = coords[l->dims[1]];
		s.line = l->down ? y : (int64_t)l->up - 1 - y;
	}
	for (unsigned d = 2; d < l->n_dims; d++) {
		s.plane += stride * (uint64_t)coords[l->dims[d]];
		stride *= l->grid->size[l->dims[d]];
	}
	if (l->reversed)
		s.plane = l->planes - 1 - s.plane;
	return s;
}

/* False: no such place (after the end of a wrapped row). */
static bool unsee(const struct topology_layout *l, struct seen s, int32_t *coords)
{
	uint64_t plane = l->reversed ? l->planes - 1 - s.plane : s.plane;

	for (uint32_t d = 0; d < l->grid->dims; d++)
		coords[d] = 0;
	if (l->wrapped) {
		const int64_t x = s.line * l->wrapped + s.column;
		coords[l->dims[0]] = (int32_t)x;
		return x < l->across;
	}
	coords[l->dims[0]] = (int32_t)s.column;
	if (l->n_dims > 1)
		coords[l->dims[1]] = (int32_t)(l->down ? s.line : (int64_t)l->up - 1 - s.line);
	for (unsigned d = 2; d < l->n_dims; d++) {
		const uint32_t size = l->grid->size[l->dims[d]];
		coords[l->dims[d]] = (int32_t)(plane % size);
		plane /= size;
	}
	return true;
}

/* Scrolls so that a span of the content stays in the middle of the page. */
static int64_t scroll(int64_t content, int64_t room, int64_t at)
{
	const int64_t wanted = at - room / 2;

	if (content <= room || wanted < 0)
		return 0;
	return wanted > content - room ? content - room : wanted;
}

static void keep_in_sight(struct topology_layout *l, const int32_t *cursor)
{
	const struct seen s = see(l, cursor);
	const int64_t beside = (int64_t)(s.plane % l->planes_a_line);
	const int64_t below = (int64_t)(s.plane / l->planes_a_line);

	l->left = scroll(topology_width(l), l->area.w,
			 beside * (plane_w(l) + GAP_W) + l->label + s.column * l->cell_w);
	l->top = scroll(topology_height(l), l->area.h,
			below * (plane_h(l) + GAP_H) + l->head + s.line * l->cell_h);
}

struct topology_layout topology_layout(const struct grid *grid, const struct topology_look *look,
				       struct rect area, const int32_t *cursor)
{
	struct topology_layout l = { .grid = grid,
				     .area = area,
				     .reversed = look->reversed,
				     .up = 1,
				     .planes = 1,
				     .down = topology_is_nodes(grid) };
	uint64_t rows;

	l.n_dims = grid_live(grid, l.dims);
	turn_dims(&l, look->turn);
	l.across = l.n_dims ? grid->size[l.dims[0]] : 1;
	if (l.n_dims > 1)
		l.up = grid->size[l.dims[1]];
	for (unsigned d = 2; d < l.n_dims; d++) {
		l.planes *= grid->size[l.dims[d]];
		/* Limit: keeps cell counts within 64 bits; no screen shows more. */
		if (l.planes > most_planes)
			l.planes = most_planes;
	}
	rows = l.n_dims > 1 ? l.up : l.across;
	l.label = (digits(rows) < 3 ? 3 : digits(rows)) + 1;
	l.head = l.planes > 1 ? 2 : 1;
	if (look->size)
		set_size(&l, look->size);
	else
		find_size(&l);
	if (cursor)
		keep_in_sight(&l, cursor);
	return l;
}

/* ---- drawing ---- */

struct drawing {
	const struct topology_layout *l;
	const struct topology_values *values;
	const struct topology_range *range;
	struct canvas *canvas;
	struct rect clip;
	int widest; /* columns of the highest rank */
};

/* What differs by less than one can read in the figures is all of one colour. */
static int step_of(const struct topology_range *range, double value)
{
	const double apart = range->max - range->min;
	const double width = apart > 0.01 * fabs(range->max) ? apart : 0;
	const int step = width > 0 ? (int)((value - range->min) / width * HEAT_STEPS) : 0;

	return step < 0 ? 0 : step > HEAT_STEPS - 1 ? HEAT_STEPS - 1 : step;
}

static struct rect meet(struct rect a, struct rect b)
{
	const int x = a.x > b.x ? a.x : b.x, y = a.y > b.y ? a.y : b.y;
	const int right = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
	const int bottom = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;

	return (struct rect){ x, y, right > x ? right - x : 0, bottom > y ? bottom - y : 0 };
}

/* Text on a cell, where it has room with a column beside it; where there are no colours a blank
 * sets it off. */
static void put_text(struct canvas *canvas, struct rect cell, int line, const char *text)
{
	const int w = text_width(text);

	if (w + 1 > cell.w || line >= cell.h)
		return;
	canvas_text(canvas, cell.x + 1, cell.y + line, w, text, ROLE_DEFAULT, ROLE_KEEP, 0);
	if (canvas->mono) {
		canvas_put(canvas, cell.x, cell.y + line, ' ', ROLE_DEFAULT, ROLE_KEEP, 0);
		if (w + 2 <= cell.w)
			canvas_put(canvas, cell.x + 1 + w, cell.y + line, ' ', ROLE_DEFAULT,
				   ROLE_KEEP, 0);
	}
}

static void write_cell(const struct drawing *d, struct rect cell, const int32_t *coords,
		       double value)
{
	const uint32_t location = grid_location(d->l->grid, coords);
	const struct trace *trace = d->values->trace;
	const int32_t rank = trace_location(trace, location)->rank;
	OWNED_STR text = STR_INIT;

	/* One line is all that shows the shade where there are no colours. */
	if (cell.w < 3 || (d->canvas->mono && cell.h < 2))
		return;
	if (rank >= 0 && rank != RANK_HOST)
		str_add_fmt(&text, "%d", rank);
	else if (rank == RANK_HOST)
		str_add_char(&text, 'h');
	else {
		str_add_clean_text(&text,
				   trace_string(trace, trace_location(trace, location)->name));
		canvas_fit_name(d->canvas, &text, cell.w - 1);
	}
	/* All have their numbers, or none. */
	if (d->widest < cell.w)
		put_text(d->canvas, cell, 0, text.text);
	str_clear(&text);
	topology_show_short(d->values, value, d->range->max, &text);
	put_text(d->canvas, cell, 1, text.text);
}

static void mark_cell(struct canvas *canvas, struct rect cell)
{
	const int y = cell.y + cell.h / 2;
	const unsigned attr = ATTR_BOLD | ATTR_REVERSE;

	if (cell.w < 2) {
		canvas_put(canvas, cell.x, y, '+', ROLE_DEFAULT, ROLE_DEFAULT, attr);
		return;
	}
	for (int line = 0; line < cell.h; line++) {
		canvas_put(canvas, cell.x, cell.y + line, '[', ROLE_DEFAULT, ROLE_DEFAULT, attr);
		canvas_put(canvas, cell.x + cell.w - 1, cell.y + line, ']', ROLE_DEFAULT,
			   ROLE_DEFAULT, attr);
	}
}

static void draw_cell(const struct drawing *d, struct rect cell, const int32_t *coords,
		      bool is_cursor)
{
	struct rect seen;
	double value;

	/* A line of the ground between cells that are large enough. */
	cell.w -= cell.w >= 4;
	cell.h -= cell.h >= 3;
	seen = meet(cell, d->clip);
	if (seen.w == 0 || seen.h == 0)
		return;
	if (topology_value_at(d->values, d->l->grid, coords, &value)) {
		canvas_heat(d->canvas, seen, step_of(d->range, value));
		if (seen.w == cell.w && seen.h == cell.h)
			write_cell(d, cell, coords, value);
	} else {
		/* No location here, or all of them are hidden. */
		const bool hidden = grid_location(d->l->grid, coords) != UINT32_MAX;
		canvas_put(d->canvas, seen.x + seen.w / 2, seen.y + seen.h / 2,
			   hidden ? '-' : theme_glyph(GLYPH_DOT, d->canvas->ascii), ROLE_FRAME,
			   ROLE_DEFAULT, 0);
	}
	if (is_cursor)
		mark_cell(d->canvas, seen);
}

static char letter(const struct topology_layout *l, unsigned dim)
{
	if (!topology_is_nodes(l->grid))
		return "xyzuvwst"[l->dims[dim]];
	return l->dims[dim] ? 'n' : l->grid->others ? 'a' : 'r';
}

/* Which plane it is, and the columns' numbers as far as they have room. */
static void draw_head(const struct drawing *d, struct rect plane, uint64_t nth)
{
	const struct topology_layout *l = d->l;
	int32_t coords[GRID_DIMS];
	char text[96];
	int n = 0, free_from = 0, y = plane.y;

	unsee(l, (struct seen){ nth, 0, 0 }, coords);
	if (l->planes > 1) {
		for (unsigned k = 2; k < l->n_dims; k++)
			n += snprintf(text + n, sizeof text - (size_t)n, "%s%c %d",
				      k > 2 ? "  " : "", letter(l, k), coords[l->dims[k]]);
		canvas_write(d->canvas, plane.x, y++, d->clip.x + d->clip.w - plane.x, text,
			     ROLE_HEADER);
	}
	if (l->n_dims == 1 && topology_is_nodes(l->grid))
		snprintf(text, sizeof text, "%s",
			 l->dims[0]        ? "node"
			 : l->grid->others ? "at"
					   : "rank");
	else
		snprintf(text, sizeof text, l->n_dims > 1 ? "%c/%c" : "%c",
			 letter(l, l->n_dims > 1), letter(l, 0));
	if (l->n_dims > 0)
		canvas_write(d->canvas, plane.x, y, l->label, text, ROLE_MUTED);
	for (uint32_t c = 0; c < columns(l); c++) {
		const int x = plane.x + l->label + (int)((int64_t)c * l->cell_w) - (int)l->left;
		const int w = snprintf(text, sizeof text, "%u", c);
		const int at = x + (l->cell_w >= 4);
		if (x >= d->clip.x + d->clip.w)
			break;
		if (x < plane.x + l->label || at < free_from || at + w > d->clip.x + d->clip.w)
			continue;
		canvas_write(d->canvas, at, y, w, text, ROLE_LABEL);
		free_from = at + w + 1;
	}
}

static void draw_row_label(const struct drawing *d, int x, int y, int64_t line)
{
	const struct topology_layout *l = d->l;
	int32_t coords[GRID_DIMS];
	char text[16];

	if (l->n_dims < 2 && !l->wrapped)
		return;
	unsee(l, (struct seen){ 0, 0, line }, coords);
	snprintf(text, sizeof text, "%d", coords[l->dims[l->wrapped ? 0 : 1]]);
	canvas_text_right(d->canvas, x, y, l->label - 1, text, ROLE_LABEL, ROLE_DEFAULT);
}

/* `plane` is its place on the canvas but for what is scrolled out to the left. */
static void draw_plane(struct drawing *d, struct rect plane, int64_t hidden_lines, uint64_t nth,
		       const struct seen *cursor)
{
	const struct topology_layout *l = d->l;
	const struct rect area = l->area;
	const int cells_y = plane.y + l->head;
	const int64_t first_line = hidden_lines / l->cell_h;
	const int64_t first_column = l->left / l->cell_w;

	d->clip = meet((struct rect){ plane.x + l->label, cells_y, area.w, area.h }, area);
	for (int64_t line = first_line; line < lines(l); line++) {
		const int y = cells_y + (int)(line * l->cell_h - hidden_lines);
		if (y >= area.y + area.h)
			break;
		if (y + (l->cell_h - 1) / 2 >= cells_y && y + (l->cell_h - 1) / 2 < area.y + area.h)
			draw_row_label(d, plane.x, y + (l->cell_h >= 3 ? (l->cell_h - 1) / 2 : 0),
				       line);
		for (int64_t column = first_column; column < columns(l); column++) {
			const int x = plane.x + l->label + (int)(column * l->cell_w - l->left);
			int32_t coords[GRID_DIMS];
			if (x >= area.x + area.w)
				break;
			if (unsee(l, (struct seen){ nth, column, line }, coords))
				draw_cell(d, (struct rect){ x, y, l->cell_w, l->cell_h }, coords,
					  cursor && cursor->plane == nth &&
						  cursor->column == column && cursor->line == line);
		}
	}
	d->clip = area;
	if (plane.y >= area.y && plane.y + l->head <= area.y + area.h)
		draw_head(d, plane, nth);
}

static int widest_rank(const struct grid *grid, const struct trace *trace)
{
	int32_t most = 0;

	for (uint32_t i = 0; i < grid->places; i++) {
		const int32_t rank = trace_location(trace, grid->order[i])->rank;
		if (rank != RANK_HOST && rank > most)
			most = rank;
	}
	return digits((uint64_t)most);
}

void topology_draw(const struct topology_layout *l, const struct topology_values *values,
		   const struct topology_range *range, const int32_t *cursor, struct canvas *canvas)
{
	struct drawing d = {
		l, values, range, canvas, l->area, widest_rank(l->grid, values->trace)
	};
	const int64_t tall = plane_h(l) + GAP_H, wide = plane_w(l) + GAP_W;
	struct seen at = { 0 };

	if (cursor)
		at = see(l, cursor);
	for (uint64_t line = (uint64_t)(l->top / tall); line * l->planes_a_line < l->planes;
	     line++) {
		const int64_t y = (int64_t)line * tall - l->top;
		/* A plane that begins above shows its head all the same. */
		const int64_t hidden = y < 0 ? -y : 0;
		if (y >= l->area.h)
			break;
		for (uint64_t k = 0; k < l->planes_a_line; k++) {
			const uint64_t nth = line * l->planes_a_line + k;
			const struct rect plane = { l->area.x + (int)((int64_t)k * wide),
						    l->area.y + (int)(y < 0 ? 0 : y), 0, 0 };
			if (nth < l->planes)
				draw_plane(&d, plane, hidden, nth, cursor ? &at : NULL);
		}
	}
}

void topology_legend(const struct topology_values *values, const struct topology_range *range,
		     struct canvas *canvas, struct rect row)
{
	const int wide = row.w >= 60 ? 3 : 1;
	OWNED_STR text = STR_INIT;
	int x = row.x;

	if (!range->places)
		return;
	str_add(&text, "least ");
	topology_show(values, range->min, &text);
	x += canvas_write(canvas, x, row.y, row.w, text.text, ROLE_DEFAULT) + 1;
	for (int step = 0; step < HEAT_STEPS && x + wide <= row.x + row.w; step++, x += wide)
		canvas_heat(canvas, (struct rect){ x, row.y, wide, 1 }, step);
	str_clear(&text);
	topology_show(values, range->max, &text);
	str_add(&text, " most   mean ");
	topology_show(values, range->sum / range->places, &text);
	str_add(&text, "   sum ");
	topology_show(values, range->sum, &text);
	canvas_write_parts(canvas, x + 1, row.y, row.x + row.w - x - 1, text.text, ROLE_DEFAULT);
}

/* ---- moving ---- */

void topology_move(const struct topology_layout *l, int32_t *coords, int64_t right, int64_t down,
		   int64_t planes)
{
	const int64_t last = (int64_t)l->planes - 1;
	struct seen s = see(l, coords);
	int64_t plane = (int64_t)s.plane + planes;
	int32_t moved[GRID_DIMS];

	s.column += right;
	s.line += down;
	/* Beyond the edge is the plane beside or below. */
	if (s.column >= columns(l) && plane < last) {
		plane++;
		s.column = 0;
	} else if (s.column < 0 && plane > 0) {
		plane--;
		s.column = (int64_t)columns(l) - 1;
	}
	if (s.line >= lines(l) && plane + (int64_t)l->planes_a_line <= last) {
		plane += (int64_t)l->planes_a_line;
		s.line = 0;
	} else if (s.line < 0 && plane >= (int64_t)l->planes_a_line) {
		plane -= (int64_t)l->planes_a_line;
		s.line = (int64_t)lines(l) - 1;
	}
	s.plane = (uint64_t)(plane < 0 ? 0 : plane > last ? last : plane);
	s.column = s.column < 0 ? 0 : s.column >= columns(l) ? (int64_t)columns(l) - 1 : s.column;
	s.line = s.line < 0 ? 0 : s.line >= lines(l) ? (int64_t)lines(l) - 1 : s.line;
	if (!unsee(l, s, moved))
		moved[l->dims[0]] = (int32_t)l->across - 1;
	memcpy(coords, moved, l->grid->dims * sizeof *moved);
}

void topology_move_end(const struct topology_layout *l, int32_t *coords, bool last)
{
	const struct seen first = { 0, 0, 0 },
			  end = { l->planes - 1, (int64_t)columns(l) - 1, (int64_t)lines(l) - 1 };

	if (!unsee(l, last ? end : first, coords))
		coords[l->dims[0]] = (int32_t)l->across - 1;
}

bool topology_hit(const struct topology_layout *l, int x, int y, int32_t *coords)
{
	const int64_t wide = plane_w(l) + GAP_W, tall = plane_h(l) + GAP_H;
	const int64_t cx = x - l->area.x + l->left, cy = y - l->area.y + l->top;
	const int64_t beside = cx / wide, below = cy / tall;
	const int64_t in_x = cx - beside * wide - l->label, in_y = cy - below * tall - l->head;
	const uint64_t plane = (uint64_t)below * l->planes_a_line + (uint64_t)beside;

	if (cx < 0 || cy < 0 || in_x < 0 || in_y < 0 || beside >= (int64_t)l->planes_a_line ||
	    plane >= l->planes || in_x / l->cell_w >= columns(l) || in_y / l->cell_h >= lines(l))
		return false;
	return unsee(l, (struct seen){ plane, in_x / l->cell_w, in_y / l->cell_h }, coords);
}
