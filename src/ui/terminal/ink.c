#include "ui/terminal/ink.h"

#include <stddef.h>
#include <string.h>

#include "ui/canvas/canvas.h"

enum { NO_BREAK_SPACE = 0xa0 };

/* The character that looks the same when its two colours are exchanged; 0 without. */
static uint32_t exchanged(uint32_t ch)
{
	static const uint32_t halves[][2] = { { 0x2580, 0x2584 }, { 0x258c, 0x2590 } };

	for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
		if (ch == halves[i][0])
			return halves[i][1];
		if (ch == halves[i][1])
			return halves[i][0];
	}
	return 0;
}

static bool is_blank(const struct ink *ink)
{
	/* On the terminal's own ground a blank of no colour is what erasing leaves. */
	return (ink->ch == ' ' || ink->ch == NO_BREAK_SPACE) && ink->bg >= 0 &&
	       !(ink->attr & (ATTR_UNDERLINE | ATTR_REVERSE));
}

/* Tries to draw `want` in the neighbour's colours and attributes. */
static bool take_from(const struct ink *want, const struct ink *neighbour, struct ink *out)
{
	if (!neighbour || !neighbour->ch)
		return false;
	if (is_blank(want)) {
		if (neighbour->bg != want->bg ||
		    (neighbour->attr & (ATTR_UNDERLINE | ATTR_REVERSE)))
			return false;
		*out = *neighbour;
		out->ch = want->ch;
		return true;
	}
	if (neighbour->pair == want->pair && neighbour->attr == want->attr)
		return true;
	if (want->attr || neighbour->attr || want->other < 0 || neighbour->pair != want->other ||
	    !exchanged(want->ch))
		return false;
	*out = *neighbour;
	out->ch = exchanged(want->ch);
	out->other = want->pair;
	return true;
}

void ink_ahead(const struct ink *row, int n, struct ink *ahead)
{
	for (int x = n - 1; x >= 0; x--) {
		const bool goes_on = x + 1 < n && is_blank(&row[x]) && ahead[x + 1].ch &&
				     ahead[x + 1].bg == row[x].bg;

		ahead[x] = goes_on ? ahead[x + 1] : row[x];
	}
}

struct ink ink_choose(const struct ink *want, const struct ink *left, const struct ink *right)
{
	struct ink ink = *want;
	const uint32_t half = want->attr || want->other < 0 ? 0 : exchanged(want->ch);

	if (take_from(want, left, &ink) || take_from(want, right, &ink))
		return ink;
	/* Neither pair will do: the ground that goes on to the right comes first, so that blanks
	 * after it need no other. */
	if (half && right && right->ch && right->bg == want->fg && right->bg != want->bg) {
		ink.ch = half;
		ink.fg = want->bg;
		ink.bg = want->fg;
		ink.pair = want->other;
		ink.other = want->pair;
	}
	return ink;
}

const struct cell *ink_anchor(const struct cell *cells, int w, const struct theme *theme,
			      enum colour_depth depth, struct cell *line)
{
	int last = w - 1;

	while (last >= 0 && cells[last].ch == ' ' &&
	       theme_cell(theme, cells[last].fg, cells[last].bg, depth).bg < 0)
		last--;
	if (depth == DEPTH_MONO || last < 0 || cells[last].ch != ' ')
		return cells;
	memcpy(line, cells, (size_t)w * sizeof *cells);
	line[last].ch = NO_BREAK_SPACE;
	return line;
}
