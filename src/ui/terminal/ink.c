#include "ui/terminal/ink.h"

#include <stddef.h>

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
	return ink->ch == ' ' && ink->bg >= 0 && !(ink->attr & (ATTR_UNDERLINE | ATTR_REVERSE));
}

/* Whether the two colours may be exchanged: no ink is the terminal's own ground. */
static bool can_exchange(const struct ink *ink)
{
	return !ink->attr && ink->fg >= 0 && ink->bg >= 0;
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
	if (neighbour->fg == want->fg && neighbour->bg == want->bg && neighbour->attr == want->attr)
		return true;
	if (!can_exchange(want) || neighbour->attr || neighbour->fg != want->bg ||
	    neighbour->bg != want->fg || !exchanged(want->ch))
		return false;
	*out = *neighbour;
	out->ch = exchanged(want->ch);
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
	const uint32_t half = can_exchange(want) ? exchanged(want->ch) : 0;

	if (take_from(want, left, &ink) || take_from(want, right, &ink))
		return ink;
	/* Neither pair will do: the ground that goes on to the right comes first, so that blanks
	 * after it need no other. */
	if (half && right && right->ch && right->bg == want->fg && right->bg != want->bg) {
		ink.ch = half;
		ink.fg = want->bg;
		ink.bg = want->fg;
	}
	return ink;
}
