#include "ui/terminal/screen_sixel.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void screen_sixel_fini(struct screen_sixel *s)
{
	pixels_fini(&s->had);
	pixels_fini(&s->next);
	free(s->at);
	s->at = NULL;
	s->shown = false;
}

/* ---- what changes ---- */

static int cell_w(const struct pixels *p)
{
	return p->w / p->at.w;
}

static int cell_h(const struct pixels *p)
{
	return p->h / p->at.h;
}

static void clear_below_text(struct pixels *p, const struct canvas *canvas)
{
	const int w = cell_w(p), h = cell_h(p);

	for (int y = 0; y < p->at.h; y++) {
		const struct cell *row =
			&canvas->cells[(size_t)(p->at.y + y) * (size_t)canvas->w + (size_t)p->at.x];

		for (int x = 0; x < p->at.w; x++)
			if (row[x].ch != ' ' || row[x].attr & ATTR_REVERSE)
				pixels_fill(p, (struct rect){ x * w, y * h, w, h },
					    (enum role)PIXEL_CLEAR);
	}
}

/* Where a row of cells has other pixels than the terminal. */
static struct sixel_span difference(const struct screen_sixel *s, int y)
{
	const int w = s->next.w, cw = cell_w(&s->next), ch = cell_h(&s->next);
	int from = w, to = 0;

	for (int i = y * ch; i < (y + 1) * ch; i++) {
		const uint8_t *a = s->had.roles + (size_t)i * (size_t)w;
		const uint8_t *b = s->next.roles + (size_t)i * (size_t)w;
		int x = 0, end = w;

		if (memcmp(a, b, (size_t)w) == 0)
			continue;
		while (a[x] == b[x])
			x++;
		while (a[end - 1] == b[end - 1])
			end--;
		from = x < from ? x : from;
		to = end > to ? end : to;
	}
	return from < to ? (struct sixel_span){ from / cw, (to - 1) / cw + 1 }
			 : (struct sixel_span){ 0, 0 };
}

/* Inside the canvas, but for its last row, where terminals would scroll after a picture. */
static bool fits(const struct pixels *p, const struct canvas *canvas)
{
	return p->at.w > 0 && p->at.h > 0 && p->at.x >= 0 && p->at.y >= 0 &&
	       p->at.x + p->at.w <= canvas->w && p->at.y + p->at.h < canvas->h &&
	       p->w % p->at.w == 0 && p->h % p->at.h == 0;
}

bool screen_sixel_begin(struct screen_sixel *s, const struct canvas *canvas, bool all)
{
	const struct pixels *p =
		canvas->pixels && fits(canvas->pixels, canvas) ? canvas->pixels : NULL;
	const bool other = s->shown && (!p || memcmp(&p->at, &s->had.at, sizeof p->at) != 0 ||
					p->w != s->had.w || p->h != s->had.h);

	pixels_fini(&s->next);
	if (other || all) {
		s->shown = false;
		s->palette.n = 0;
		memset(s->palette.of, 0, sizeof s->palette.of);
	}
	if (!p)
		return other;
	s->next = *p;
	s->next.roles = xmalloc((size_t)p->w * (size_t)p->h);
	memcpy(s->next.roles, p->roles, (size_t)p->w * (size_t)p->h);
	clear_below_text(&s->next, canvas);
	s->at = xrealloc(s->at, (size_t)p->at.h * sizeof *s->at);
	for (int y = 0; y < p->at.h; y++)
		s->at[y] = s->shown ? difference(s, y) : (struct sixel_span){ 0, p->at.w };
	return other;
}

static bool has_row(const struct screen_sixel *s, int y)
{
	return s->next.roles && y >= s->next.at.y && y < s->next.at.y + s->next.at.h;
}

bool screen_sixel_span(const struct screen_sixel *s, int y, int *x0, int *x1)
{
	if (!s->shown || !has_row(s, y))
		return false;
	*x0 = s->next.at.x + s->at[y - s->next.at.y].from;
	*x1 = s->next.at.x + s->at[y - s->next.at.y].to;
	return *x0 < *x1;
}

void screen_sixel_wrote(struct screen_sixel *s, int y, int x0, int x1)
{
	struct sixel_span *span;

	if (!has_row(s, y))
		return;
	span = &s->at[y - s->next.at.y];
	x0 = x0 > s->next.at.x ? x0 - s->next.at.x : 0;
	x1 = x1 < s->next.at.x + s->next.at.w ? x1 - s->next.at.x : s->next.at.w;
	if (x0 >= x1)
		return;
	if (span->from == span->to)
		*span = (struct sixel_span){ x0, x1 };
	span->from = x0 < span->from ? x0 : span->from;
	span->to = x1 > span->to ? x1 : span->to;
}

/* ---- what is sent ---- */

/* Cells of the picture, in pieces as large as the terminal can. */
static void add_cells(struct screen_sixel *s, struct rect cells, struct str *out)
{
	const struct pixels *p = &s->next;
	const int w = cell_w(p), h = cell_h(p);
	const int step_x = s->most_w >= w ? s->most_w / w : cells.w;
	const int step_y = s->most_h >= h ? s->most_h / h : cells.h;

	for (int y = cells.y; y < cells.y + cells.h; y += step_y)
		for (int x = cells.x; x < cells.x + cells.w; x += step_x) {
			const int right =
				x + step_x < cells.x + cells.w ? x + step_x : cells.x + cells.w;
			const int end =
				y + step_y < cells.y + cells.h ? y + step_y : cells.y + cells.h;

			str_add_fmt(out, "\033[%d;%dH", p->at.y + y + 1, p->at.x + x + 1);
			sixel_add(out, p,
				  (struct rect){ x * w, y * h, (right - x) * w, (end - y) * h },
				  &s->palette);
		}
}

/* Rows that follow each other are one piece, or all where one would be lost. */
void screen_sixel_add(struct screen_sixel *s, struct str *out)
{
	const int h = s->next.at.h;

	if (!s->next.roles)
		return;
	for (int y = 0, end; y < h; y = end + 1) {
		struct rect piece = { s->at[y].from, y, 0, 0 };
		int to = s->at[y].to;

		for (end = y; end < h && s->at[end].from < s->at[end].to; end++) {
			piece.x = s->at[end].from < piece.x ? s->at[end].from : piece.x;
			to = s->at[end].to > to ? s->at[end].to : to;
		}
		if (end == y)
			continue;
		if (s->whole)
			piece = (struct rect){ 0, 0, to = s->next.at.w, end = h };
		piece.w = to - piece.x;
		piece.h = end - piece.y;
		add_cells(s, piece, out);
	}
	pixels_fini(&s->had);
	s->had = s->next;
	s->next = (struct pixels){ 0 };
	s->shown = true;
}
