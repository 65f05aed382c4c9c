#include "ui/widgets/table_pane.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/canvas/chart.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table_layout.h"

static int body_height(struct rect area)
{
	return area.h > 1 ? area.h - 1 : 0;
}

static uint64_t next_row(const struct table_pane *pane, uint64_t row)
{
	return pane->table->ops->next(pane->table, row);
}

static uint64_t prev_row(const struct table_pane *pane, uint64_t row)
{
	return pane->table->ops->prev(pane->table, row);
}

/* ---- the table ---- */

/* In a longer one the thing of the cursor's row is not looked for. */
enum { FOLLOWED_ROWS = 1 << 16 };

static uint64_t position_of(const struct table_pane *pane, uint64_t row)
{
	return pane->table->ops->position ? pane->table->ops->position(pane->table, row) : row;
}

void table_pane_take(struct table_pane *pane, struct table *table)
{
	struct table *old = pane->table;
	uint64_t nth = 0;
	if (old && pane->cursor != ROW_NONE && !old->ops->position)
		nth = pane->cursor;
	const bool ordered =
		old && table && old->n_columns == table->n_columns && table->ops->sort &&
		(old->sorted_by != table->sorted_by || old->descending != table->descending);
	if (ordered)
		table->ops->sort(table, old->sorted_by, old->descending);
	const struct row_thing thing = old && table ? table_thing(old, pane->cursor)
						    : (struct row_thing){ THING_NONE, 0, 0 };
	table_free(old);
	pane->table = table;
	pane->n_chosen = 0;
	pane->cursor = table ? table_first(table) : ROW_NONE;
	/* Handles that are row numbers keep their place. */
	if (table && !table->ops->position && pane->cursor != ROW_NONE && nth < table->rows)
		pane->cursor = nth;
	if (thing.kind != THING_NONE && !table->ops->position && table->rows <= FOLLOWED_ROWS) {
		const uint64_t row = table_pane_find(pane, thing);
		pane->cursor = row == ROW_NONE ? pane->cursor : row;
	}
	if (pane->cursor == ROW_NONE || pane->cursor_y < 0)
		pane->cursor_y = 0;
	pane->search.seek = ROW_NONE;
	pane->search.ordinal = pane->search.hits = 0;
	pane->search.count_at = pane->search.matcher && table ? table_first(table) : ROW_NONE;
	table_layout_begin(pane);
}

void table_pane_say(struct table_pane *pane, const char *text)
{
	free(pane->empty);
	pane->empty = xstrdup(text);
}

void table_pane_fini(struct table_pane *pane)
{
	table_free(pane->table);
	matcher_free(pane->search.matcher);
	free(pane->empty);
	free(pane->widest);
	*pane = (struct table_pane){ 0 };
}

/* ---- drawing ---- */

static void draw_header(const struct table_pane *pane, const struct table_layout *layout,
			struct canvas *canvas, struct rect area)
{
	const struct table *table = pane->table;
	for (unsigned i = 0; i < layout->n; i++) {
		const unsigned c = layout->at[i].column;
		const int x = area.x + layout->at[i].x, w = layout->at[i].w;
		const char *title = table->columns[c].title;
		const bool ordered = table->ops->sort && table->sorted_by == c;
		const int room = ordered ? w - 1 : w;
		const int taken = text_width(title) < room ? text_width(title) : room;
		const int at = column_is_number(&table->columns[c]) ? x + room - taken : x;
		canvas_write(canvas, at, area.y, taken, title, ROLE_HEADER);
		if (ordered)
			canvas_glyph(canvas, at + taken, area.y,
				     table->descending ? GLYPH_SORT_DOWN : GLYPH_SORT_UP,
				     ROLE_HEADER);
	}
	if (layout->before)
		canvas_glyph(canvas, area.x, area.y, GLYPH_ARROW_LEFT, ROLE_VALUE);
	if (layout->more)
		canvas_glyph(canvas, area.x + area.w - 1, area.y, GLYPH_ARROW_RIGHT, ROLE_VALUE);
}

static enum role ink_of(const struct table *table, uint64_t row, unsigned column)
{
	return table->ops->role ? theme_ink(table->ops->role(table, row, column)) : ROLE_DEFAULT;
}

static void draw_row(const struct table_pane *pane, const struct table_layout *layout,
		     struct canvas *canvas, struct rect line, uint64_t row, struct str *text)
{
	struct value values[TABLE_COLUMNS];
	struct table_chart chart;
	const bool chosen = row == pane->cursor && pane->cursor_role != ROLE_KEEP;
	const enum role bar = pane->cursor_role ? (enum role)pane->cursor_role : ROLE_CURSOR;
	if (chosen)
		canvas_fill(canvas, line, ' ', bar, bar);
	table_cells(pane->table, row, values);
	for (unsigned i = 0; i < layout->n; i++) {
		const unsigned c = layout->at[i].column;
		const int w = layout->at[i].w;
		const struct column *column = &pane->table->columns[c];
		str_clear(text);
		table_show(pane->table, c, &values[c], text);
		if (column->type == COLUMN_NAME)
			canvas_fit_name(canvas, text, w);
		const int taken = text_width(text->text) < w ? text_width(text->text) : w;
		const int x = line.x + layout->at[i].x + (column_is_number(column) ? w - taken : 0);
		const enum role ink = chosen             ? bar
				      : !values[c].known ? ROLE_MUTED
							 : ink_of(pane->table, row, c);
		if (pane->table->ops->chart &&
		    pane->table->ops->chart(pane->table, row, c, w, &chart)) {
			chart_draw(canvas, line.x + layout->at[i].x, line.y, w, &chart,
				   chosen ? ROLE_CURSOR : ROLE_DEFAULT);
			continue;
		}
		canvas_text(canvas, x, line.y, w, text->text, ink, ROLE_KEEP, 0);
		const struct rect cell = { x, line.y, w, 1 };
		for (size_t at = 0;
		     (at = matcher_paint(pane->search.matcher, canvas, cell, x, text, at)) != 0;)
			;
	}
}

/* The rows on the screen. */
static void rows_in(const struct table_pane *pane, struct rect area, struct table_rows *rows)
{
	const int h = body_height(area) < TABLE_ROWS_MOST ? body_height(area) : TABLE_ROWS_MOST;
	uint64_t row = pane->cursor;
	int above = pane->cursor_y < h - 1 ? pane->cursor_y : h - 1;

	for (uint64_t up; above > 0 && (up = prev_row(pane, row)) != ROW_NONE; above--)
		row = up;
	for (rows->n = 0; rows->n < h && row != ROW_NONE; row = next_row(pane, row))
		rows->at[rows->n++] = row;
}

void table_pane_draw(const struct table_pane *pane, struct canvas *canvas, struct rect area)
{
	if (!pane->table || pane->cursor == ROW_NONE || area.w <= 0 || area.h <= 0) {
		canvas_write(canvas, area.x + TABLE_MARGIN, area.y + (area.h > 2),
			     area.w - TABLE_MARGIN, pane->empty ? pane->empty : "no rows",
			     ROLE_MUTED);
		return;
	}
	struct table_rows rows;
	rows_in(pane, area, &rows);
	const struct table_layout layout = table_layout_of(pane, area.w, &rows);
	draw_header(pane, &layout, canvas, area);
	OWNED_STR text = STR_INIT;
	for (int y = 0; y < rows.n; y++)
		draw_row(pane, &layout, canvas, (struct rect){ area.x, area.y + 1 + y, area.w, 1 },
			 rows.at[y], &text);
}

/* ---- moving ---- */

/* Actual line of the cursor: with few rows above it is higher than cursor_y. */
static int line_of_cursor(const struct table_pane *pane, int h)
{
	int y = 0;
	uint64_t row = pane->cursor;
	while (y < pane->cursor_y && y < h - 1 && (row = prev_row(pane, row)) != ROW_NONE)
		y++;
	return y;
}

static unsigned move_by(struct table_pane *pane, int by, bool with_screen, struct rect area)
{
	const int h = body_height(area);
	int y = line_of_cursor(pane, h);
	for (; by > 0; by--) {
		const uint64_t row = next_row(pane, pane->cursor);
		if (row == ROW_NONE)
			break;
		pane->cursor = row;
		y += !with_screen;
	}
	for (; by < 0; by++) {
		const uint64_t row = prev_row(pane, pane->cursor);
		if (row == ROW_NONE)
			break;
		pane->cursor = row;
		y -= !with_screen;
	}
	pane->cursor_y = y < 0 ? 0 : y >= h ? (h > 0 ? h - 1 : 0) : y;
	pane->search.ordinal = 0;
	return REACT_REDRAW;
}

void table_pane_go(struct table_pane *pane, uint64_t row, struct rect area)
{
	if (row == ROW_NONE || row == pane->cursor)
		return;
	/* A near row moves the cursor, a far one comes into the middle. */
	const int h = body_height(area);
	int y = line_of_cursor(pane, h);
	uint64_t down = pane->cursor, up = pane->cursor;
	for (int i = 1; i < h; i++) {
		down = down == ROW_NONE ? ROW_NONE : next_row(pane, down);
		up = up == ROW_NONE ? ROW_NONE : prev_row(pane, up);
		if (down == row || up == row) {
			y += down == row ? i : -i;
			break;
		}
		if (i == h - 1)
			y = h / 2;
	}
	pane->cursor = row;
	pane->cursor_y = y >= 0 && y < h ? y : h / 2;
}

static unsigned put_cursor(struct table_pane *pane, uint64_t row, int y)
{
	pane->cursor = row;
	pane->cursor_y = y;
	pane->search.ordinal = 0;
	return REACT_REDRAW;
}

static unsigned sort_by(struct table_pane *pane, unsigned column, bool descending)
{
	struct table *table = pane->table;
	if (!table->ops->sort || !table->ops->sort(table, column, descending))
		return REACT_IGNORED;
	return put_cursor(pane, table_first(table), 0);
}

static unsigned sort_next(struct table_pane *pane)
{
	unsigned shown[TABLE_COLUMNS];
	const unsigned n = table_layout_shown(pane, shown);
	unsigned i = 0;
	while (i < n && shown[i] != pane->table->sorted_by)
		i++;
	if (n == 0)
		return REACT_IGNORED;
	const unsigned next = shown[i < n ? (i + 1) % n : 0];
	/* Numbers are sorted with the largest first. */
	return sort_by(pane, next, column_is_number(&pane->table->columns[next]));
}

static unsigned reverse(struct table_pane *pane)
{
	return sort_by(pane, pane->table->sorted_by, !pane->table->descending);
}

static struct table_layout layout_in(const struct table_pane *pane, struct rect area)
{
	struct table_rows rows;

	rows_in(pane, area, &rows);
	return table_layout_of(pane, area.w, &rows);
}

static unsigned sideways(struct table_pane *pane, int by, struct rect area)
{
	if (by > 0 && layout_in(pane, area).more)
		pane->first_column++;
	else if (by < 0 && pane->first_column > 0)
		pane->first_column--;
	return REACT_REDRAW;
}

unsigned table_pane_act(struct table_pane *pane, enum action action, int count, struct rect area)
{
	if (!pane->table || pane->cursor == ROW_NONE)
		return REACT_IGNORED;
	const int page = body_height(area) > 1 ? body_height(area) - 1 : 1;
	switch (action) {
	case ACTION_DOWN: return move_by(pane, count, false, area);
	case ACTION_UP: return move_by(pane, -count, false, area);
	case ACTION_PAGE_DOWN: return move_by(pane, page * count, true, area);
	case ACTION_PAGE_UP: return move_by(pane, -page * count, true, area);
	case ACTION_FIRST: return put_cursor(pane, table_first(pane->table), 0);
	case ACTION_LAST:
		return put_cursor(pane, pane->table->ops->last(pane->table), body_height(area) - 1);
	case ACTION_LEFT: return sideways(pane, -1, area);
	case ACTION_RIGHT: return sideways(pane, 1, area);
	case ACTION_SORT: return sort_next(pane);
	case ACTION_REVERSE: return reverse(pane);
	default: return REACT_IGNORED;
	}
}

static unsigned click_header(struct table_pane *pane, int x, struct rect area)
{
	const struct table_layout layout = layout_in(pane, area);
	for (unsigned i = 0; i < layout.n; i++) {
		const unsigned c = layout.at[i].column;
		if (x < area.x + layout.at[i].x || x >= area.x + layout.at[i].x + layout.at[i].w)
			continue;
		const bool again = pane->table->sorted_by == c;
		return sort_by(pane, c,
			       again ? !pane->table->descending
				     : column_is_number(&pane->table->columns[c]));
	}
	return REACT_NONE;
}

unsigned table_pane_click(struct table_pane *pane, int x, int y, struct rect area)
{
	if (!pane->table || pane->cursor == ROW_NONE)
		return REACT_NONE;
	if (y == area.y)
		return click_header(pane, x, area);
	return move_by(pane, y - area.y - 1 - line_of_cursor(pane, body_height(area)), false, area);
}

void table_pane_status(const struct table_pane *pane, struct str *out)
{
	if (!pane->table || pane->cursor == ROW_NONE)
		return;
	const struct table_search *search = &pane->search;
	if (search->matcher) {
		if (search->seek != ROW_NONE)
			str_add(out, "searching ");
		if (search->ordinal)
			str_add_fmt(out, "hit %llu/", (unsigned long long)search->ordinal);
		units_count(out, search->hits);
		str_add(out, search->count_at != ROW_NONE ? "+" : "");
		str_add(out, search->ordinal ? "  " : search->hits == 1 ? " hit  " : " hits  ");
	}
	str_add(out, "row ");
	units_count(out, position_of(pane, pane->cursor) + 1);
	str_add(out, "/");
	units_count(out, pane->table->rows);
}

static void row_text(const struct table_pane *pane, uint64_t row, struct str *out)
{
	struct value values[TABLE_COLUMNS];
	table_cells(pane->table, row, values);
	for (unsigned c = 0; c < pane->table->n_columns; c++) {
		if (!pane->table->columns[c].on_screen)
			continue;
		if (out->n)
			str_add(out, "  ");
		table_show(pane->table, c, &values[c], out);
	}
}

void table_pane_describe(const struct table_pane *pane, struct str *out)
{
	if (pane->table && pane->cursor != ROW_NONE)
		row_text(pane, pane->cursor, out);
}

struct row_thing table_pane_thing(const struct table_pane *pane)
{
	return pane->table ? table_thing(pane->table, pane->cursor) : (struct row_thing){ 0 };
}

uint64_t table_pane_find(const struct table_pane *pane, struct row_thing thing)
{
	uint64_t row = pane->table ? table_first(pane->table) : ROW_NONE;

	for (; row != ROW_NONE; row = next_row(pane, row)) {
		const struct row_thing is = table_thing(pane->table, row);
		if (is.kind == thing.kind && is.id == thing.id && is.of == thing.of)
			break;
	}
	return row;
}

bool table_pane_land(struct table_pane *pane, const struct selection *selection,
		     const struct trace *trace, struct rect area)
{
	/* All rows that have a thing have one of the same kind. */
	const enum thing_kind kind = table_pane_thing(pane).kind;
	const struct row_thing thing = selection_thing(selection, trace, kind);
	const uint64_t row = thing.kind == THING_NONE ? ROW_NONE : table_pane_find(pane, thing);

	table_pane_go(pane, row, area);
	return row != ROW_NONE;
}

void table_pane_word(const struct table_pane *pane, const char *column, struct str *out)
{
	const int c = pane->table ? table_column(pane->table, column) : -1;
	struct value values[TABLE_COLUMNS];
	if (c < 0 || pane->cursor == ROW_NONE)
		return;
	table_cells(pane->table, pane->cursor, values);
	if (values[c].known)
		table_show(pane->table, (unsigned)c, &values[c], out);
}
