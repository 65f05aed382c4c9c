#include "ui/terminal/replies.h"

#include <stdlib.h>
#include <string.h>

/* An answer that comes later says nothing; one that has begun comes in one piece, or nearly. */
enum { PATIENCE_MS = 3000, PAUSE_MS = 250, TEXT_MOST = 256 };

void replies_ask(struct replies *a, unsigned what, int64_t now)
{
	a->asked |= what;
	a->until = now + PATIENCE_MS;
}

bool replies_is_short(const struct replies *a)
{
	return a->n == 0;
}

unsigned replies_numbers(const struct replies *a, int *numbers, unsigned most)
{
	const char *text = a->text + strspn(a->text, "?");
	unsigned n = 0;

	for (; n < most && *text >= '0' && *text <= '9'; n++) {
		char *end;
		const unsigned long value = strtoul(text, &end, 10);

		numbers[n] = value < 1 << 20 ? (int)value : 1 << 20;
		text = end + (*end == ';');
	}
	return n;
}

/* ---- what is said ---- */

/* One to four hexadecimal digits as a share of the brightest; below 0: there are none. */
static double channel(const char **text)
{
	const size_t n = strspn(*text, "0123456789abcdefABCDEF");
	const double most = (double)((1ul << 4 * (n < 4 ? n : 4)) - 1);
	char *end;
	const double value = (double)strtoul(*text, &end, 16);

	if (n < 1 || n > 4)
		return -1;
	*text = end + (*end == '/');
	return value / most;
}

/* "11;rgb:ffff/ff/f" */
static enum answer ground_of(const char *text)
{
	double r, g, b;

	if (strncmp(text, "11;rgb", 6) != 0)
		return ANSWER_OTHER;
	text += 6;
	text += *text == 'a';
	if (*text++ != ':')
		return ANSWER_OTHER;
	r = channel(&text);
	g = channel(&text);
	b = channel(&text);
	if (r < 0 || g < 0 || b < 0)
		return ANSWER_OTHER;
	/* ITU-R BT.601 */
	return 0.299 * r + 0.587 * g + 0.114 * b > 0.5 ? ANSWER_LIGHT : ANSWER_DARK;
}

static enum answer control_of(const char *text, uint32_t last)
{
	if (last == 'c' && text[0] == '?')
		return ANSWER_END;
	if (last == 't' && strncmp(text, "6;", 2) == 0)
		return ANSWER_CELL;
	if (last == 'S' && (strncmp(text, "?1;0;", 5) == 0 || strncmp(text, "?2;0;", 5) == 0))
		return ANSWER_LIMIT;
	return ANSWER_OTHER;
}

static enum answer end(struct replies *a, uint32_t last, int64_t now)
{
	const enum answer said = a->intro == ']'                    ? ground_of(a->text)
				 : a->intro == '['                  ? control_of(a->text, last)
				 : strcmp(a->text, "Gi=31;OK") == 0 ? ANSWER_KITTY
								    : ANSWER_OTHER;

	if (a->intro == ']')
		a->asked &= ~(unsigned)ASKED_GROUND;
	if (said == ANSWER_END)
		a->asked &= ~(unsigned)ASKED_PICTURES;
	a->intro = 0;
	return now < a->until ? said : ANSWER_OTHER;
}

/* ---- characters ---- */

void replies_escaped(struct replies *a, int64_t now)
{
	a->escaped = true;
	a->last = now;
}

static void begin(struct replies *a, uint32_t ch)
{
	const unsigned what = ch == ']'                ? ASKED_GROUND
			      : ch == '[' || ch == '_' ? ASKED_PICTURES
						       : 0;

	if (!(a->asked & what))
		return;
	a->intro = ch;
	a->n = 0;
	a->text[0] = '\0';
	a->escape = false;
}

/* May it be in an answer, as its n-th character? */
static bool belongs(const struct replies *a, uint32_t ch)
{
	if (ch < 32 || ch > 126 || a->n >= TEXT_MOST)
		return false;
	if (a->intro == '_')
		return a->n > 0 || ch == 'G';
	if (a->n == 0)
		return a->intro == ']' ? ch == '1' : ch == '?' || ch == '6';
	return strchr(a->intro == ']' ? "0123456789abcdefABCDEF/:;rg" : "0123456789;", (int)ch);
}

static bool ends(const struct replies *a, uint32_t ch)
{
	if (a->intro == '[')
		return a->n > 0 && ch >= 0x40 && ch <= 0x7e;
	/* BEL, ST as one byte, or ESC \ */
	return ch == 7 || ch == 0x9c || (a->escape && ch == '\\');
}

static enum answer go_on(struct replies *a, uint32_t ch, int64_t now)
{
	if (ends(a, ch))
		return end(a, ch, now);
	if (ch == 27 && !a->escape && a->intro != '[') {
		a->escape = true;
		return ANSWER_MORE;
	}
	if (a->escape || !belongs(a, ch)) {
		/* The Escape began another one. */
		const bool escaped = a->escape;
		a->intro = 0;
		if (escaped)
			begin(a, ch);
		return a->intro ? ANSWER_MORE : ANSWER_NONE;
	}
	if (a->n + 1 < sizeof a->text) {
		a->text[a->n] = (char)ch;
		a->text[a->n + 1] = '\0';
	}
	a->n++;
	return ANSWER_MORE;
}

enum answer replies_take(struct replies *a, uint32_t ch, int64_t now)
{
	const bool escaped = a->escaped, pause = now - a->last > PAUSE_MS;

	a->escaped = false;
	a->last = now;
	if (pause)
		a->intro = 0;
	if (a->intro)
		return go_on(a, ch, now);
	if (escaped && !pause)
		begin(a, ch);
	return a->intro ? ANSWER_MORE : ANSWER_NONE;
}
