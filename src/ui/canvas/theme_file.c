#include "ui/canvas/theme_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ui/canvas/theme_paint.h"

enum { LINE_MOST = 256, LINES_MOST = 500, BLACK = 16, NEAR_WHITE = 255 };

#define TEXT_LEAST 4.5
#define MARK_LEAST 3.0

/* ---- names ---- */

/* Roles one after the other that share a name: heat-1, heat-2 ... */
static const struct {
	const char *name;
	enum role first;
	unsigned n;   /* 0: the name alone */
	bool is_mark; /* not text */
} groups[] = {
	{ "title", ROLE_TITLE, 0, false },
	{ "tab", ROLE_TAB, 0, false },
	{ "tab-active", ROLE_TAB_ACTIVE, 0, false },
	{ "header", ROLE_HEADER, 0, false },
	{ "frame", ROLE_FRAME, 0, true },
	{ "label", ROLE_LABEL, 0, false },
	{ "muted", ROLE_MUTED, 0, false },
	{ "value", ROLE_VALUE, 0, false },
	{ "cursor", ROLE_CURSOR, 0, false },
	{ "selection", ROLE_SELECTION, 0, false },
	{ "match", ROLE_MATCH, 0, false },
	{ "hint-key", ROLE_HINT_KEY, 0, false },
	{ "hint", ROLE_HINT, 0, false },
	{ "prompt", ROLE_PROMPT, 0, false },
	{ "error", ROLE_ERROR, 0, false },
	{ "warning", ROLE_WARNING, 0, false },
	{ "good", ROLE_GOOD, 0, false },
	{ "progress", ROLE_PROGRESS, 0, true },
	{ "message", ROLE_MESSAGE, 0, true },
	{ "message-selected", ROLE_MESSAGE_SELECTED, 0, true },
	{ "collective-line", ROLE_COLLECTIVE_LINE, 0, true },
	{ "critical-path", ROLE_CRITICAL, 0, true },
	{ "wait-sender", ROLE_WAIT, 0, true },
	{ "wait-receiver", ROLE_WAIT + 1, 0, true },
	{ "wait-members", ROLE_WAIT + 2, 0, true },
	{ "wait-other", ROLE_WAIT + 3, 0, true },
	{ "user-nested", ROLE_USER_NESTED, 0, true },
	{ "function-others", ROLE_FUNCTION_OTHERS, 0, true },
	{ "function", ROLE_FUNCTION_FIRST, 8, true },
	{ "heat", ROLE_HEAT_FIRST, 8, true },
	{ "move", ROLE_MOVE_FIRST, 8, true },
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* The name of a role; false: users do not change it. */
static bool role_name(enum role role, char name[32], bool *is_mark)
{
	*is_mark = true;
	if (role >= ROLE_CLASS_FIRST && role <= ROLE_CLASS_LAST) {
		const enum region_class cls = (enum region_class)(role - ROLE_CLASS_FIRST);
		snprintf(name, 32, "%s", region_class_name(cls));
		return true;
	}
	for (size_t i = 0; i < GROUPS; i++) {
		const unsigned nth = role - groups[i].first;
		if (role < groups[i].first || nth >= (groups[i].n ? groups[i].n : 1))
			continue;
		*is_mark = groups[i].is_mark;
		if (groups[i].n)
			snprintf(name, 32, "%s-%u", groups[i].name, nth + 1);
		else
			snprintf(name, 32, "%s", groups[i].name);
		return true;
	}
	return false;
}

static enum role role_find(const char *wanted, bool *is_mark)
{
	char name[32];

	for (enum role role = 0; role < ROLE_COUNT; role++)
		if (role_name(role, name, is_mark) && strcmp(name, wanted) == 0)
			return role;
	return ROLE_COUNT;
}

/* Adds the name that may have been meant, or where all names are found. */
static void add_names(const char *wanted, struct str *out)
{
	const char *names[ROLE_COUNT + 1] = { NULL }, *near;
	OWNED char(*texts)[32] = xcalloc(ROLE_COUNT, sizeof *texts);
	bool is_mark;
	size_t n = 0;

	for (enum role role = 0; role < ROLE_COUNT; role++)
		if (role_name(role, texts[n], &is_mark)) {
			names[n] = texts[n];
			n++;
		}
	near = nearest_word(wanted, names);
	if (near)
		str_add_fmt(out, "did you mean '%s'?", near);
	else
		str_add(out, "tview-keys(7) has the names");
}

void theme_add_roles(struct str *out)
{
	char name[32];
	bool is_mark;

	for (enum role role = 0; role < ROLE_COUNT; role++)
		if (role_name(role, name, &is_mark))
			str_add_fmt(out, "%s%s", out->n ? " " : "", name);
}

/* ---- colours ---- */

static int hex_of(int colour)
{
	return theme_rgb(colour) & 0xffffff;
}

/* Of the 240 that look the same everywhere, the nearest by its parts. */
static int nearest(int rgb)
{
	int best = BLACK, least = 1 << 30;

	for (int colour = 16; colour < 256; colour++) {
		const int hex = hex_of(colour);
		const int r = (hex >> 16) - (rgb >> 16 & 255);
		const int g = (hex >> 8 & 255) - (rgb >> 8 & 255), b = (hex & 255) - (rgb & 255);
		const int far = r * r + g * g + b * b;
		if (far < least) {
			least = far;
			best = colour;
		}
	}
	return best;
}

static double linear(int byte)
{
	const double c = byte / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* WCAG 2.1: relative luminance, contrast. */
static double luminance(int hex)
{
	return 0.2126 * linear(hex >> 16 & 255) + 0.7152 * linear(hex >> 8 & 255) +
	       0.0722 * linear(hex & 255);
}

static double contrast(int a, int b)
{
	const double x = luminance(a), y = luminance(b);

	return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* A colour as it is written. */
struct written {
	int number; /* of the 256, -1: the terminal's */
	int rgb;    /* exact, 0: that of the number */
};

static bool take_colour(const char *text, struct written *colour)
{
	char *end;
	unsigned long value;

	if (strcmp(text, "default") == 0) {
		*colour = (struct written){ -1, 0 };
		return true;
	}
	if (text[0] == '#') {
		value = strtoul(text + 1, &end, 16);
		if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
			return false;
		*colour = (struct written){ nearest((int)value), (int)value };
		return true;
	}
	value = strtoul(text, &end, 10);
	*colour = (struct written){ (int)value, 0 };
	return *text >= '0' && *text <= '9' && !*end && value < 256;
}

/* ---- lines ---- */

struct parsing {
	const char *name;
	unsigned line;
	struct theme *theme;
	bool begun; /* a colour was set */
	struct str *wrong, *poor;
};

__attribute__((format(printf, 3, 4))) static void say(const struct parsing *p, struct str *out,
						      const char *fmt, ...)
{
	va_list list;

	str_add_clean_text(out, p->name);
	str_add_fmt(out, ":%u: ", p->line);
	va_start(list, fmt);
	str_add_fmt_v(out, fmt, list);
	va_end(list);
	str_add_char(out, '\n');
}

/* Of a colour that every terminal shows alike; -1: it is the user's own. */
static int known_hex(const struct written *colour)
{
	return colour->number < 16 ? -1 : colour->rgb ? colour->rgb : hex_of(colour->number);
}

static void check_contrast(const struct parsing *p, const char *name, bool is_mark,
			   const struct written *ink, const struct written *fill)
{
	const double least = is_mark ? MARK_LEAST : TEXT_LEAST;
	const bool on_fill = fill->number >= 0, light = theme_is_light(p->theme);
	const int hex = known_hex(ink), ground = on_fill ? known_hex(fill) : light ? 0xffffff : 0;

	if (hex < 0 || ground < 0)
		return;
	const double is = contrast(hex, ground);
	if (is < least)
		say(p, p->poor,
		    "warning: %s has a contrast of %.2f on %s; from %g on it can be read", name, is,
		    on_fill ? "its fill"
		    : light ? "white"
			    : "black",
		    least);
}

/* Text in bars is black or white, whichever is seen better. */
static int ink_on(int fill)
{
	return contrast(0, hex_of(fill)) >= contrast(0xeeeeee, hex_of(fill)) ? BLACK : NEAR_WHITE;
}

static void paint(struct parsing *p, const char *name, enum role role, bool is_mark,
		  const struct written *front, const struct written *fill)
{
	struct paint *paint = theme_own_paint(p->theme, role);
	const bool is_bar = paint->fg == paint->bg && paint->bg >= 0;

	paint->fg = front->number;
	paint->rgb = front->rgb;
	paint->rgb_fill = 0;
	if (fill) {
		paint->bg = fill->number;
		paint->rgb_fill = fill->rgb;
		paint->ink = front->number;
		check_contrast(p, name, is_mark, front, fill);
	} else if (is_bar) {
		paint->bg = front->number;
		paint->rgb_fill = front->rgb;
		paint->ink = front->number < 0 ? -1 : ink_on(front->number);
	} else {
		const struct written ground = { paint->bg, 0 };
		check_contrast(p, name, is_mark, front, &ground);
	}
}

static void take_base(struct parsing *p, const char *value)
{
	const bool light = strcmp(value, "light") == 0;

	if (!light && strcmp(value, "dark") != 0)
		say(p, p->wrong, "base is dark or light, not '%s'", value);
	else if (p->begun)
		say(p, p->wrong, "base comes before all colours");
	else
		theme_begin(p->theme, light);
}

static void take_colours(struct parsing *p, const char *name, char *value)
{
	struct written front, fill;
	bool is_mark;
	const enum role role = role_find(name, &is_mark);
	char *on = strstr(value, " on ");
	OWNED_STR meant = STR_INIT;

	if (role == ROLE_COUNT) {
		add_names(name, &meant);
		say(p, p->wrong, "there is no colour '%s'; %s", name, meant.text);
		return;
	}
	if (on) {
		*on = '\0';
		on += 4;
		on += strspn(on, " ");
		value[strcspn(value, " ")] = '\0';
	}
	if (!take_colour(value, &front) || (on && !take_colour(on, &fill))) {
		say(p, p->wrong,
		    "'%s' is not a colour: write #rrggbb, a number from 0 to 255, or default",
		    on && take_colour(value, &front) ? on : value);
		return;
	}
	p->begun = true;
	paint(p, name, role, is_mark, &front, on ? &fill : NULL);
}

/* A # between blanks begins a comment, as one at the begin of a line. */
static void parse_line(struct parsing *p, const char *text, size_t n)
{
	char line[LINE_MOST], name[64];
	char *value, *comment;
	size_t at;

	if (n >= sizeof line) {
		say(p, p->wrong, "the line is longer than %d bytes", LINE_MOST - 1);
		return;
	}
	str_clean(line, sizeof line, text, n);
	at = strspn(line, " \t");
	if (!line[at] || line[at] == '#')
		return;
	value = strchr(line, '=');
	if (!value) {
		say(p, p->wrong, "write NAME = COLOUR, or a comment, which begins with #");
		return;
	}
	snprintf(name, sizeof name, "%.*s", (int)(value - line - (long)at), line + at);
	name[strcspn(name, " \t")] = '\0';
	value++;
	value += strspn(value, " \t");
	comment = strstr(value, " # ");
	if (comment)
		*comment = '\0';
	for (size_t end = strlen(value); end > 0 && value[end - 1] == ' '; end--)
		value[end - 1] = '\0';
	if (strcmp(name, "base") == 0)
		take_base(p, value);
	else
		take_colours(p, name, value);
}

const struct theme *theme_parse(const char *name, const char *text, size_t n, struct str *wrong,
				struct str *poor)
{
	struct parsing p = { .name = name, .theme = theme_new(name), .wrong = wrong, .poor = poor };

	for (size_t at = 0; at < n;) {
		const char *end = memchr(text + at, '\n', n - at);
		const size_t length = end ? (size_t)(end - text) - at : n - at;

		/* A file of something else has no end of wrong lines. */
		if (++p.line > LINES_MOST) {
			say(&p, wrong, "no theme has more than %d lines", LINES_MOST);
			break;
		}
		parse_line(&p, text + at, length - (length && text[at + length - 1] == '\r'));
		at += length + 1;
	}
	return p.theme;
}
