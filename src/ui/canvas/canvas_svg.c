#include "ui/canvas/canvas_svg.h"

#include <utf8proc.h>

enum { CELL_W = 9, CELL_H = 18, SIZE = 15, BASELINE = 14 };

struct paints {
	int ink, ground; /* 0xRRGGBB */
	unsigned attr;
};

/* The colours of a cell: where the theme has none, those of a terminal with its ground. */
static struct paints paints_of(const struct theme *theme, const struct cell *cell)
{
	const bool dark = theme == theme_find("dark");
	const struct cell_look look =
		theme_cell(theme, (enum role)cell->fg, (enum role)cell->bg, DEPTH_RGB);
	struct paints p = { look.fg < 0 ? (dark ? 0xd4d4d4 : 0x1e1e1e) : look.fg & 0xffffff,
			    look.bg < 0 ? (dark ? 0x1e1e1e : 0xffffff) : look.bg & 0xffffff,
			    look.attr | cell->attr };

	if (p.attr & ATTR_REVERSE)
		p = (struct paints){ p.ground, p.ink, p.attr };
	return p;
}

static bool same_paints(struct paints a, struct paints b)
{
	return a.ink == b.ink && a.ground == b.ground && a.attr == b.attr;
}

static void add_rect(struct str *out, double x, double y, double w, double h, int colour,
		     double opacity)
{
	str_add_fmt(out, "<rect x='%g' y='%g' width='%g' height='%g' fill='#%06x'", x, y, w, h,
		    (unsigned)colour);
	if (opacity < 1)
		str_add_fmt(out, " fill-opacity='%g'", opacity);
	str_add(out, "/>\n");
}

/* What is drawn: block elements, and Braille, which many fonts do not have. */
static bool is_drawn(uint32_t ch)
{
	return (ch >= 0x2580 && ch <= 0x2593) || (ch >= 0x2800 && ch <= 0x28ff);
}

static void add_dots(struct str *out, uint32_t ch, int x, int y, int ink)
{
	enum { DOTS = 8 };
	const double dot = 1.5;
	/* Of Unicode's bits: the last row was added when the others had theirs. */
	static const struct {
		uint8_t x, y;
	} dots[DOTS] = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 1, 0 },
			 { 1, 1 }, { 1, 2 }, { 0, 3 }, { 1, 3 } };

	for (int i = 0; i < DOTS; i++)
		if (ch >> i & 1)
			add_rect(out, x + CELL_W * (2 * dots[i].x + 1) / 4.0 - dot / 2,
				 y + CELL_H * (2 * dots[i].y + 1) / 8.0 - dot / 2, dot, dot, ink,
				 1);
}

static void add_block(struct str *out, uint32_t ch, int x, int y, int ink)
{
	const uint32_t n = ch - 0x2580;

	if (ch >= 0x2800)
		add_dots(out, ch, x, y, ink);
	else if (n == 0)
		add_rect(out, x, y, CELL_W, CELL_H / 2.0, ink, 1);
	else if (n <= 8) /* lower eighths */
		add_rect(out, x, y + CELL_H * (8 - n) / 8.0, CELL_W, CELL_H * n / 8.0, ink, 1);
	else if (n < 16) /* left eighths, the most first */
		add_rect(out, x, y, CELL_W * (16 - n) / 8.0, CELL_H, ink, 1);
	else if (n == 16)
		add_rect(out, x + CELL_W / 2.0, y, CELL_W / 2.0, CELL_H, ink, 1);
	else /* shades */
		add_rect(out, x, y, CELL_W, CELL_H, ink, (n - 16) / 4.0);
}

static void add_character(struct str *out, uint32_t ch)
{
	utf8proc_uint8_t bytes[4];

	switch (ch) {
	case 0: break; /* the second half of a wide one */
	case '&': str_add(out, "&amp;"); break;
	case '<': str_add(out, "&lt;"); break;
	default:
		str_add_n(out, (const char *)bytes,
			  (size_t)utf8proc_encode_char((utf8proc_int32_t)ch, bytes));
	}
}

static void add_text(struct str *out, const struct cell *cells, int n, int x, int y,
		     struct paints paints)
{
	str_add_fmt(out, "<text x='%d' y='%d' textLength='%d' fill='#%06x'%s%s%s>", x * CELL_W,
		    y * CELL_H + BASELINE, n * CELL_W, (unsigned)paints.ink,
		    paints.attr & ATTR_BOLD ? " font-weight='bold'" : "",
		    paints.attr & ATTR_DIM ? " fill-opacity='0.6'" : "",
		    paints.attr & ATTR_UNDERLINE ? " text-decoration='underline'" : "");
	for (int i = 0; i < n; i++)
		add_character(out, cells[i].ch);
	str_add(out, "</text>\n");
}

/* A word: cells of one look without a blank. */
static int word_of(const struct theme *theme, const struct cell *cells, int most,
		   struct paints paints)
{
	int n = 0;

	while (n < most && cells[n].ch != ' ' && !is_drawn(cells[n].ch) &&
	       same_paints(paints_of(theme, &cells[n]), paints))
		n++;
	return n;
}

static void add_row(const struct canvas *canvas, const struct theme *theme, int y, struct str *out)
{
	const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->w];
	int n;

	for (int x = 0; x < canvas->w; x += n) {
		const int ground = paints_of(theme, &row[x]).ground;

		for (n = 1; x + n < canvas->w && paints_of(theme, &row[x + n]).ground == ground;)
			n++;
		add_rect(out, x * CELL_W, y * CELL_H, n * CELL_W, CELL_H, ground, 1);
	}
	for (int x = 0; x < canvas->w; x += n) {
		const struct paints paints = paints_of(theme, &row[x]);

		n = word_of(theme, &row[x], canvas->w - x, paints);
		if (n)
			add_text(out, &row[x], n, x, y, paints);
		else if (row[x].ch != ' ')
			add_block(out, row[x].ch, x * CELL_W, y * CELL_H, paints.ink);
		n = n ? n : 1;
	}
}

void canvas_to_svg(const struct canvas *canvas, const struct theme *theme, struct str *out)
{
	str_add_fmt(out,
		    "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
		    "font-family='monospace' font-size='%d' shape-rendering='crispEdges'>\n",
		    canvas->w * CELL_W, canvas->h * CELL_H, SIZE);
	for (int y = 0; y < canvas->h; y++)
		add_row(canvas, theme, y, out);
	str_add(out, "</svg>\n");
}
