/* libFuzzer target: a theme that a user wrote, any bytes. There is a theme whatever is in it, lines
 * that are wrong are named, and what is painted is a colour that a terminal has. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "harness/fuzz.h"
#include "harness/mutate.h"
#include "ui/canvas/theme_file.h"

/* Each line names the file, its own number, and something. */
static void check_lines(const char *text)
{
	for (; *text; text = strchr(text, '\n') + 1) {
		char *end;
		must(strncmp(text, "mine:", 5) == 0, "a line names its file");
		must(strtoul(text + 5, &end, 10) > 0 && end[0] == ':' && end[1] == ' ' && end[2],
		     "its number, and what is wrong");
		must(strchr(end, '\n'), "it ends");
		must(!memchr(text, '\033', strcspn(text, "\n")), "it has no escape sequence");
	}
}

static bool has(enum colour_depth depth, int colour)
{
	static const int most[] = { -1, 7, 15, 255, 255 };

	return (colour >= -1 && colour <= most[depth]) ||
	       (depth == DEPTH_RGB && colour >= 0x1000000 && colour <= 0x1ffffff);
}

static void check_colours(const struct theme *theme)
{
	for (int depth = DEPTH_MONO; depth <= DEPTH_RGB; depth++)
		for (int role = 0; role < ROLE_COUNT; role++) {
			const enum colour_depth d = (enum colour_depth)depth;
			const struct cell_look cell =
				theme_cell(theme, ROLE_DEFAULT, (enum role)role, d);
			must(has(d, theme_foreground(theme, (enum role)role, d).colour) &&
				     has(d, theme_background(theme, (enum role)role, d).colour) &&
				     has(d, cell.fg) && has(d, cell.bg),
			     "a terminal has the colour");
		}
}

static const char *const words[] = {
	"base",    "title",  "tab",        "tab-active",  "header",        "frame",      "label",
	"muted",   "cursor", "match",      "user",        "p2p",           "collective", "heat-1",
	"heat-8",  "move-3", "function-1", "wait-sender", "critical-path", "message",    "=",
	"on",      "#",      "light",      "dark",        "default",       "#000000",    "#ffffff",
	"#12ab9F", "0",      "16",         "255",         "256",           "-1",         "\n",
	"\r\n",    NULL
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_words(data, size, most, seed, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	OWNED_STR wrong = STR_INIT, poor = STR_INIT;
	const struct theme *theme = theme_parse("mine", (const char *)data, size, &wrong, &poor);

	must(theme, "there is a theme");
	check_lines(wrong.n ? wrong.text : "");
	check_lines(poor.n ? poor.text : "");
	check_colours(theme);
	theme_free(theme);
	return 0;
}
