#include "ui/terminal/ground.h"

#include <stdlib.h>
#include <string.h>

/* A terminal that is further away than that answers too late. */
enum { PATIENCE_MS = 3000 };

void ground_ask(struct ground *g, int64_t now)
{
	*g = (struct ground){ .until = now + PATIENCE_MS };
}

bool ground_is_open(const struct ground *g, int64_t now)
{
	return now < g->until;
}

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

enum ground_step ground_read(const char *text)
{
	double r, g, b;

	if (strncmp(text, "11;rgb", 6) != 0)
		return GROUND_UNKNOWN;
	text += 6;
	text += *text == 'a';
	if (*text++ != ':')
		return GROUND_UNKNOWN;
	r = channel(&text);
	g = channel(&text);
	b = channel(&text);
	if (r < 0 || g < 0 || b < 0)
		return GROUND_UNKNOWN;
	/* ITU-R BT.601 */
	return 0.299 * r + 0.587 * g + 0.114 * b > 0.5 ? GROUND_LIGHT : GROUND_DARK;
}

enum ground_step ground_take(struct ground *g, uint32_t ch)
{
	static const char of_answers[] = "0123456789abcdefABCDEF/:;rg";

	if (!g->within) {
		g->within = ch == ']';
		g->n = 0;
		g->escape = false;
		return g->within ? GROUND_MORE : GROUND_OTHER;
	}
	/* BEL, ST as one byte, or ESC \ */
	if (ch == 7 || ch == 0x9c || ch == '\\') {
		g->within = false;
		g->until = 0;
		return ground_read(g->text);
	}
	if (ch == 27 && !g->escape) {
		g->escape = true;
		return GROUND_MORE;
	}
	if (!g->escape && ch < 128 && strchr(of_answers, (int)ch) && ch &&
	    g->n + 1 < sizeof g->text) {
		g->text[g->n++] = (char)ch;
		g->text[g->n] = '\0';
		return GROUND_MORE;
	}
	g->within = false;
	return GROUND_OTHER;
}
