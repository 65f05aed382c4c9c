/* The command line that y copies shows the same screen in another session, wherever one has gone: the
 * keys are random. Compared is all but the line of notices. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "harness/random.h"
#include "harness/terminal.h"
#include "harness/test.h"

enum { ROUNDS = 24, KEYS = 14, QUIET_MS = 150, LIMIT_MS = 20000 };

static const char *const starts[] = {
	"tview --no-cache --view profile traces/stencil.trc",
	"tview --no-cache --view timeline traces/chain.trc",
	"tview --no-cache --theme light --ascii --view timeline traces/collectives.trc",
	"tview --no-cache --ranks 0-2 --view messages traces/stencil.trc",
	"tview --no-cache --view calls traces/farm.trc",
	"tview --no-cache --view patterns traces/sweep.trc",
	"tview --no-cache --view source traces/stencil.trc",
};

/* What a session can say: places, windows, rows, filters, tables, overlays. */
static const char *const keys[] = {
	"2",     "3",    "4",    "8", "j",      "j",         "k",     "w",     "w", "a",
	"d",     "s",    "0",    "l", "}",      "{",         ".",     ",",     "z", "x",
	"X",     "p",    "b",    "|", "R",      "S",         ")",     "(",     "]", "[",
	"C",     "PgDn", "G",    "g", "1",      "5",         "6",     "7",     "9", "L",
	"I",     "i",    "V",    "#", "Tab",    "Shift-Tab", "Enter", "Space", "%", "H",
	"Right", "Left", "PgUp", "t", "Escape", "v",
};

static int remove_one(const char *path, const struct stat *sb, int type, struct FTW *ftw)
{
	(void)sb, (void)type, (void)ftw;
	return remove(path);
}

static struct terminal *open_it(const char *command, const char *home)
{
	const struct terminal_options options = { .path_prefix = TEST_BUILD };
	struct terminal *t = terminal_open(command, &options, home);

	assert_non_null(t);
	assert_true(terminal_wait_text(t, "help", LIMIT_MS));
	terminal_settle(t, QUIET_MS, LIMIT_MS);
	return t;
}

/* All rows but the last but one, which has notices and counts. */
static char *screen_of(struct terminal *t)
{
	char *text = terminal_text(t), *rest = text, *line;
	struct str s = STR_INIT;
	int row = 0;

	terminal_settle(t, QUIET_MS, LIMIT_MS);
	while ((line = strsep(&rest, "\n")))
		if (++row != 23)
			str_add_fmt(&s, "%s\n", line);
	free(text);
	return str_take(&s);
}

static bool is_at_end(struct terminal *t)
{
	int status;

	return terminal_ended(t, &status);
}

static bool has_copied(struct terminal *t, void *context)
{
	(void)context;
	return *terminal_copied(t) != '\0';
}

static bool shows(struct terminal *t, void *want)
{
	char *now = screen_of(t);
	const bool same = strcmp(now, want) == 0;

	free(now);
	return same;
}

static void print_difference(char *got, char *want)
{
	const char *a, *b;

	while ((a = strsep(&got, "\n")) && (b = strsep(&want, "\n")))
		if (strcmp(a, b) != 0)
			print_message("got:  %s\nwant: %s\n", a, b);
}

/* One walk; true if the copied line shows the same. */
static bool walk(uint64_t seed, const char *start)
{
	char home[] = "/tmp/tview-reproduce-XXXXXX", other[] = "/tmp/tview-reproduce-XXXXXX";
	struct rng rng = { seed * 7919 };
	struct str typed = STR_INIT;
	struct terminal *t, *again;
	char *want, *got;
	bool same;

	assert_non_null(mkdtemp(home));
	assert_non_null(mkdtemp(other));
	t = open_it(start, home);
	for (int i = 0; i < KEYS; i++) {
		const char *key = keys[rng_below(&rng, sizeof keys / sizeof *keys)];
		terminal_key(t, key);
		str_add_fmt(&typed, "%s ", key);
		terminal_settle(t, 40, LIMIT_MS);
	}
	assert_false(is_at_end(t));
	terminal_key(t, "y");
	if (!terminal_wait(t, has_copied, NULL, LIMIT_MS)) {
		want = terminal_text(t);
		print_message("seed %llu: %s: keys %s: nothing copied\n", (unsigned long long)seed,
			      start, typed.text);
		printf("%s\n", want);
		fail();
	}
	want = screen_of(t);
	again = open_it(terminal_copied(t), other);
	same = terminal_wait(again, shows, want, 5000);
	got = screen_of(again);
	if (!same) {
		print_message("seed %llu: %s: keys %s\n%s\n", (unsigned long long)seed, start,
			      typed.text, terminal_copied(t));
		print_difference(got, want);
	}
	terminal_close(again);
	terminal_close(t);
	free(want);
	free(got);
	str_fini(&typed);
	nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	nftw(other, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return same;
}

TEST(test_the_copied_line_shows_the_same)
{
	const char *from = getenv("REPRODUCE_SEED");
	const uint64_t first = from ? strtoull(from, NULL, 10) : 1, n = from ? 1 : ROUNDS;
	unsigned wrong = 0;

	for (uint64_t seed = first; seed < first + n; seed++)
		wrong += !walk(seed, starts[seed % (sizeof starts / sizeof *starts)]);
	assert_int_equal(wrong, 0);
}
