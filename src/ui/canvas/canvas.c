#include "ui/canvas/canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/mem.h"
#include "base/name_text.h"
#include "base/text.h"
#include "ui/canvas/pixels.h"

void canvas_init(struct canvas *canvas, int w, int h, bool ascii)
{
	*canvas = (struct canvas){ .ascii = ascii };
	canvas_resize(canvas, w, h);
}

void canvas_resize(struct canvas *canvas, int w, int h)
{
	canvas->w = w > 0 ? w : 0;
	canvas->h = h > 0 ? h : 0;
	const size_t n = (size_t)canvas->w * (size_t)canvas->h;
	canvas->cells = xrealloc(canvas->cells, (n ? n : 1) * sizeof *canvas->cells);
	canvas_clear(canvas);
}

void canvas_fini(struct canvas *canvas)
{
	canvas_drop_pixels(canvas);
	free(canvas->cells);
	*canvas = (struct canvas){ 0 };
}

void canvas_drop_pixels(struct canvas *canvas)
{
	if (canvas->pixels)
		pixels_fini(canvas->pixels);
	free(canvas->pixels);
	canvas->pixels = NULL;
}

void canvas_clear(struct canvas *canvas)
{
	canvas_drop_pixels(canvas);

	const size_t n = (size_t)canvas->w * (size_t)canvas->h;
	for (size_t i = 0; i < n; i++)
		canvas->cells[i] = (struct cell){ ' ', ROLE_DEFAULT, ROLE_DEFAULT, 0 };
}

static struct cell *cell_at(struct canvas *canvas, int x, int y)
{
	return &canvas->cells[(size_t)y * (size_t)canvas->w + (size_t)x];
}

static bool inside(const struct canvas *canvas, int x, int y)
{
	return x >= 0 && y >= 0 && x < canvas->w && y < canvas->h;
}

/* Half of a wide character must not stay alone: its other half becomes a blank. */
static void part_wide(struct canvas *canvas, int x, int y)
{
	if (cell_at(canvas, x, y)->ch == 0 && x > 0)
		cell_at(canvas, x - 1, y)->ch = ' ';
	if (x + 1 < canvas->w && cell_at(canvas, x + 1, y)->ch == 0)
		cell_at(canvas, x + 1, y)->ch = ' ';
}

static void set_roles(struct cell *cell, enum role fg, enum role bg)
{
	if (fg != ROLE_KEEP)
		cell->fg = (uint8_t)fg;
	if (bg != ROLE_KEEP)
		cell->bg = (uint8_t)bg;
}

void canvas_put(struct canvas *canvas, int x, int y, uint32_t ch, enum role fg, enum role bg,
		unsigned attr)
{
	if (!inside(canvas, x, y))
		return;
	part_wide(canvas, x, y);
	struct cell *cell = cell_at(canvas, x, y);
	cell->ch = ch;
	cell->attr = (uint8_t)attr;
	set_roles(cell, fg, bg);
}

void canvas_glyph(struct canvas *canvas, int x, int y, enum glyph glyph, enum role role)
{
	canvas_put(canvas, x, y, theme_glyph(glyph, canvas->ascii), role, ROLE_DEFAULT, 0);
}

/* The part of a rectangle that is on the canvas. */
static struct rect clip(const struct canvas *canvas, struct rect r)
{
	const int x1 = r.x + r.w < canvas->w ? r.x + r.w : canvas->w;
	const int y1 = r.y + r.h < canvas->h ? r.y + r.h : canvas->h;
	const int x = r.x > 0 ? r.x : 0;
	const int y = r.y > 0 ? r.y : 0;
	return (struct rect){ x, y, x1 > x ? x1 - x : 0, y1 > y ? y1 - y : 0 };
}

void canvas_fill(struct canvas *canvas, struct rect r, uint32_t ch, enum role fg, enum role bg)
{
	r = clip(canvas, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			canvas_put(canvas, x, y, ch, fg, bg, 0);
}

void canvas_heat(struct canvas *canvas, struct rect r, int step)
{
	static const enum glyph shades[HEAT_STEPS] = { GLYPH_DOT,          GLYPH_DOT,
						       GLYPH_LIGHT_SHADE,  GLYPH_LIGHT_SHADE,
						       GLYPH_MEDIUM_SHADE, GLYPH_MEDIUM_SHADE,
						       GLYPH_DARK_SHADE,   GLYPH_FULL };
	if (canvas->mono)
		canvas_fill(canvas, r, theme_glyph(shades[step], canvas->ascii), ROLE_DEFAULT,
			    ROLE_DEFAULT);
	else
		canvas_fill(canvas, r, ' ', ROLE_DEFAULT, (enum role)(ROLE_HEAT_FIRST + step));
}

void canvas_rule(struct canvas *canvas, int x, int y, int w)
{
	canvas_fill(canvas, (struct rect){ x, y, w, 1 }, theme_glyph(GLYPH_LINE_H, canvas->ascii),
		    ROLE_FRAME, ROLE_DEFAULT);
}

void canvas_paint(struct canvas *canvas, struct rect r, enum role fg, enum role bg, unsigned attr)
{
	r = clip(canvas, r);
	for (int y = r.y; y < r.y + r.h; y++) {
		for (int x = r.x; x < r.x + r.w; x++) {
			struct cell *cell = cell_at(canvas, x, y);
			set_roles(cell, fg, bg);
			cell->attr |= (uint8_t)attr;
		}
	}
}

int canvas_text(struct canvas *canvas, int x, int y, int width, const char *text, enum role fg,
		enum role bg, unsigned attr)
{
	if (width <= 0)
		return 0;
	const bool cut = text_fit(text, width) < strlen(text) && text_width(text) > width;
	const int room = cut ? width - 1 : width;
	int used = 0, w;
	for (uint32_t ch; (ch = text_next(&text, &w)) && used + w <= room; used += w) {
		if (canvas->ascii && ch > 126) {
			for (int i = 0; i < w; i++)
				canvas_put(canvas, x + used + i, y, '?', fg, bg, attr);
			continue;
		}
		/* A wide character that hangs over the edge would tear the row apart. */
		const bool whole = w == 1 || x + used + 1 < canvas->w;
		canvas_put(canvas, x + used, y, whole ? ch : ' ', fg, bg, attr);
		if (w == 2 && whole)
			canvas_put(canvas, x + used + 1, y, 0, fg, bg, attr);
	}
	if (cut)
		canvas_put(canvas, x + used++, y, theme_glyph(GLYPH_ELLIPSIS, canvas->ascii), fg,
			   bg, attr);
	return used;
}

int canvas_write(struct canvas *canvas, int x, int y, int width, const char *text, enum role role)
{
	return canvas_text(canvas, x, y, width, text, role, ROLE_DEFAULT, 0);
}

/* Bytes before the last three blanks; 0: there are none. */
static size_t last_part(const char *text)
{
	static const char between[] = "   ";
	size_t at = 0;

	for (const char *p = text; (p = strstr(p, between)); p += strspn(p, " "))
		at = (size_t)(p - text);
	return at;
}

int canvas_write_parts(struct canvas *canvas, int x, int y, int width, const char *text,
		       enum role role)
{
	OWNED_STR shown = STR_INIT;
	size_t at;

	str_add(&shown, text);
	while (text_width(shown.text) > width && (at = last_part(shown.text))) {
		shown.text[at] = '\0';
		shown.n = at;
	}
	return canvas_write(canvas, x, y, width, shown.text, role);
}

static void add_ellipsis(const struct canvas *canvas, char bytes[5])
{
	utf8proc_encode_char((utf8proc_int32_t)theme_glyph(GLYPH_ELLIPSIS, canvas->ascii),
			     (utf8proc_uint8_t *)bytes);
}

void canvas_fit_name(const struct canvas *canvas, struct str *name, int width)
{
	char ellipsis[5] = { 0 };

	add_ellipsis(canvas, ellipsis);
	name_text_fit(name, width, ellipsis);
}

void canvas_fit_title(const struct canvas *canvas, struct str *title, int width)
{
	char ellipsis[5] = { 0 };

	add_ellipsis(canvas, ellipsis);
	name_text_fit_title(title, width, ellipsis);
}

size_t canvas_row_of(const char *text, int width)
{
	const size_t fit = text_fit(text, width);
	size_t n = fit;

	if (text[fit] == '\0')
		return fit;
	while (n > 0 && text[n] != ' ')
		n--;
	return n > 0 ? n : fit > 0 ? fit : strlen(text);
}

int canvas_text_fmt(struct canvas *canvas, int x, int y, int width, enum role fg, const char *fmt,
		    ...)
{
	OWNED_STR s = STR_INIT;
	va_list args;
	va_start(args, fmt);
	str_add_fmt_v(&s, fmt, args);
	va_end(args);
	return canvas_text(canvas, x, y, width, s.text, fg, ROLE_KEEP, 0);
}

int canvas_text_right(struct canvas *canvas, int x, int y, int width, const char *text,
		      enum role fg, enum role bg)
{
	const int taken = text_width(text);
	const int skip = taken < width ? width - taken : 0;
	return canvas_text(canvas, x + skip, y, width - skip, text, fg, bg, 0);
}

void canvas_to_text(const struct canvas *canvas, struct str *out)
{
	for (int y = 0; y < canvas->h; y++) {
		const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->w];
		int end = canvas->w;
		while (end > 0 && row[end - 1].ch == ' ')
			end--;
		for (int x = 0; x < end; x++) {
			utf8proc_uint8_t bytes[4] = { 0 };
			const utf8proc_ssize_t n =
				utf8proc_encode_char((utf8proc_int32_t)row[x].ch, bytes);
			if (row[x].ch)
				str_add_n(out, (const char *)bytes, (size_t)n);
		}
		str_add_char(out, '\n');
	}
}

bool cell_same(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->fg == b->fg && a->bg == b->bg && a->attr == b->attr;
}

int canvas_row_changes(const struct cell *new, const struct cell *old, int w, bool all,
		       bool *changed)
{
	int n = 0;
	for (int x = 0; x < w; x++)
		changed[x] = all || !cell_same(&new[x], &old[x]);
	for (int x = 1; x < w; x++)
		changed[x] |= changed[x - 1] && (new[x].ch == 0 || old[x].ch == 0);
	for (int x = w - 1; x > 0; x--)
		changed[x - 1] |= changed[x] && (new[x].ch == 0 || old[x].ch == 0);
	for (int x = 0; x < w; x++)
		n += changed[x];
	return n;
}
