/* The format: VT330/VT340 Programmer Reference Manual, volume 2, chapter 14 (DEC 1988). */
#include "ui/terminal/sixel.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BAND = 6, EMPTY = '?' /* a sixel without pixels */, SHORTEST_RUN = 4 };

/* ---- colours ---- */

static int distance(uint32_t a, uint32_t b)
{
	int sum = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		const int d = (int)(a >> shift & 255) - (int)(b >> shift & 255);
		sum += d * d;
	}
	return sum;
}

static unsigned nearest(const struct sixel_palette *p, uint32_t rgb)
{
	unsigned best = 0;

	for (unsigned i = 1; i < p->n; i++)
		if (distance(p->rgb[p->owner[i]], rgb) < distance(p->rgb[p->owner[best]], rgb))
			best = i;
	return best;
}

static unsigned register_of(struct sixel_palette *p, int role)
{
	if (!p->of[role] && p->n < p->most) {
		p->owner[p->n] = (uint8_t)role;
		p->of[role] = (uint8_t)++p->n;
	} else if (!p->of[role]) {
		p->of[role] = (uint8_t)(1 + nearest(p, p->rgb[role]));
	}
	return p->of[role] - 1u;
}

static int percent(uint32_t rgb, int shift)
{
	return (int)((rgb >> shift & 255) * 100 + 127) / 255;
}

/* The colours of the roles that are there. */
static void define(struct str *out, const struct pixels *pixels, struct rect r,
		   struct sixel_palette *p)
{
	bool used[256] = { false }, defined[ROLE_COUNT] = { false };

	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			used[pixels->roles[(size_t)y * (size_t)pixels->w + (size_t)x]] = true;
	used[PIXEL_CLEAR] = false;
	for (int role = 0; role < ROLE_COUNT; role++) {
		const unsigned reg = used[role] ? register_of(p, role) : 0;
		const uint32_t rgb = p->rgb[p->owner[reg]];

		if (!used[role] || defined[reg])
			continue;
		defined[reg] = true;
		str_add_fmt(out, "#%u;2;%d;%d;%d", reg, percent(rgb, 16), percent(rgb, 8),
			    percent(rgb, 0));
	}
}

/* ---- bands ---- */

/* The sixels of each register in one band, and where they begin and end. */
struct band {
	char *rows; /* [n][w] bits of a sixel */
	int w, n;
	int from[256], to[256]; /* half-open; from == to: none */
};

static void fill(struct band *b, const struct pixels *pixels, struct rect r,
		 const struct sixel_palette *p)
{
	for (int i = 0; i < b->n; i++) {
		if (b->from[i] < b->to[i])
			memset(b->rows + (size_t)i * (size_t)b->w, 0, (size_t)b->w);
		b->from[i] = b->to[i] = 0;
	}
	for (int y = 0; y < r.h; y++) {
		const uint8_t *in =
			pixels->roles + (size_t)(r.y + y) * (size_t)pixels->w + (size_t)r.x;

		for (int x = 0; x < r.w; x++) {
			const unsigned reg = in[x] == PIXEL_CLEAR ? 0 : p->of[in[x]];

			if (reg == 0)
				continue;
			b->rows[(size_t)(reg - 1) * (size_t)b->w + (size_t)x] |= (char)(1 << y);
			if (b->from[reg - 1] == b->to[reg - 1] || x < b->from[reg - 1])
				b->from[reg - 1] = x;
			if (x >= b->to[reg - 1])
				b->to[reg - 1] = x + 1;
		}
	}
}

static void add_run(struct str *out, char sixel, int n)
{
	if (n >= SHORTEST_RUN)
		str_add_fmt(out, "!%d%c", n, sixel);
	else
		for (; n > 0; n--)
			str_add_char(out, sixel);
}

static void add_band(struct str *out, const struct band *b)
{
	bool first = true;

	for (int i = 0; i < b->n; i++) {
		const char *row = b->rows + (size_t)i * (size_t)b->w;

		if (b->from[i] == b->to[i])
			continue;
		str_add_fmt(out, "%s#%d", first ? "" : "$", i);
		first = false;
		add_run(out, EMPTY, b->from[i]);
		for (int x = b->from[i], end; x < b->to[i]; x = end) {
			for (end = x + 1; end < b->to[i] && row[end] == row[x]; end++)
				;
			add_run(out, (char)(EMPTY + row[x]), end - x);
		}
	}
}

void sixel_add(struct str *out, const struct pixels *pixels, struct rect r, struct sixel_palette *p)
{
	struct band band = { .w = r.w };

	/* Square pixels, said in two ways; those that are not drawn stay as they are. */
	str_add_fmt(out, "\033P7;1;0q\"1;1;%d;%d", r.w, r.h);
	define(out, pixels, r, p);
	band.n = (int)p->n;
	band.rows = xcalloc((size_t)p->n + 1, (size_t)r.w);
	for (int y = 0; y < r.h; y += BAND) {
		fill(&band, pixels,
		     (struct rect){ r.x, r.y + y, r.w, r.h - y < BAND ? r.h - y : BAND }, p);
		if (y)
			str_add_char(out, '-');
		add_band(out, &band);
	}
	str_add(out, "\033\\");
	free(band.rows);
}
