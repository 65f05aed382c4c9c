/* A monkey at the keyboard: several keys in one write, the mouse, pasted text, halves of escape
 * sequences, other sizes of the terminal, from the first screen on or while the trace is loaded;
 * on traces with events, with statistics alone, and with two traces. The program must not end
 * before it is told to, whatever was typed.
 *
 *	monkey_test			a fixed number of bursts, always the same
 *	MONKEY_SECONDS=600 monkey_test	as long as that, with other seeds each time (make monkey)
 *	MONKEY_SEED=17 monkey_test	that seed alone
 *	MONKEY_TRACES='A B:C' ...	these instead: two with a blank are one command
 *
 * A failure prints the seed, the command and the last bursts. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "harness/random.h"
#include "harness/terminal.h"
#include "harness/test.h"
#include "ui/app/views.h"
#include "ui/options/action.h"

enum { SEEDS = 24, BURSTS = 60, KEYS_A_BURST = 8, KEPT = 12, LIMIT_MS = 20000 };

static const char *const commands[] = {
	"traces/stencil.trc", "tests/ui/statistics.trc", "traces/stencil.trc traces/stencil.trc",
	"traces/sweep.trc",   "traces/collectives.trc",  "traces/picl-1992-table20.trc",
	"traces/otf2/comd-4", "traces/chain.trc",        "traces/ring.trc traces/pi.trc",
	"traces/farm.trc",    "traces/mpicl.trc",        "traces/otf2/mg.S-4",
};

/* What a person types as a whole. */
static const char *const lines[] = {
	"/MPI\r",
	"/a\r",
	"/zzz\r",
	"*",
	"fregion == x\r",
	"frank == 0\r",
	"f\r",
	"f\025\r",
	":zoom 0.1ms 2ms\r",
	":goto 1ms\r",
	":base linear\r",
	":base measured\r",
	":group node\r",
	":group none\r",
	":counter none\r",
	":view source\r",
	"ma",
	"'a",
	"'\033[B\r",
	"\017",
	"\\u",
	"5\r\r",
	"6\r\r",
	"8\t\r",
	"9\t\t\r",
	"4\r\r",
	"Eout.csv\r",
	"\033[A",
	"\033[B",
	"\033[5~",
	"\033[6~",
	":tutor\r",
	":iteration\r",
	":play 1ms\r",
	":set theme light\r",
	":set theme dark\r",
	":columns +\r",
	":bind F5 zoom-in\r",
	":map\r",
	":view \t\t\r",
	"en",
	"nnn",
	/* Beginnings and other halves of sequences. */
	"\033[",
	"\033[<0;1",
	"\033O",
	"\033]11;rgb:ffff/",
	"\033[200~",
	"\033[201~",
	"\033[1;5C",
	"\303",
	"\342\226",
	"\377\376",
	/* Pasted. */
	"\033[200~region =~ /^MPI_(Send|Recv)/ && dur > 10us\033[201~",
	"\033[200~line one\rline two\r\033[201~",
	"f\033[200~rank == 1\033[201~\r",
	"tview export profile run.trc --format csv\n",
};

struct monkey {
	struct rng rng;
	uint64_t seed;
	char home[64], command[1024];
	struct str bursts[KEPT];
	unsigned n;
};

static void add_key(struct str *out, const char *name)
{
	if (strcmp(name, "Enter") == 0)
		str_add_char(out, '\r');
	else if (strcmp(name, "Tab") == 0)
		str_add_char(out, '\t');
	else if (strcmp(name, "Space") == 0)
		str_add_char(out, ' ');
	else if (strcmp(name, "Backspace") == 0)
		str_add_char(out, '\177');
	else if (strcmp(name, "Escape") == 0)
		str_add_char(out, '\033');
	else if (strncmp(name, "Ctrl-", 5) == 0 && strlen(name) == 6)
		str_add_char(out, name[5] & 31);
	else if (strlen(name) == 1)
		str_add(out, name);
}

/* Leaving and stopping are for the end. */
static bool is_for_the_end(enum action action)
{
	return action == ACTION_QUIT || action == ACTION_QUIT_ALL || action == ACTION_SUSPEND;
}

static void add_mouse(struct monkey *m, struct str *out, unsigned button, char end)
{
	str_add_fmt(out, "\033[<%u;%u;%u%c", button, 1 + rng_below(&m->rng, 130),
		    1 + rng_below(&m->rng, 45), end);
}

/* A click, a drag, the wheel, with or without Ctrl; some of them beyond the screen. */
static void use_mouse(struct monkey *m, struct str *out)
{
	enum { RIGHT = 2, CTRL = 16, MOVED = 32, WHEEL = 64 };
	const unsigned ctrl = rng_below(&m->rng, 4) ? 0 : CTRL;

	switch (rng_below(&m->rng, 4)) {
	case 0: add_mouse(m, out, WHEEL + ctrl + rng_below(&m->rng, 2), 'M'); return;
	case 1: add_mouse(m, out, RIGHT, 'M'); return;
	case 2:
		add_mouse(m, out, ctrl, 'M');
		for (uint32_t i = rng_below(&m->rng, 5); i > 0; i--)
			add_mouse(m, out, MOVED + ctrl, 'M');
		break;
	default: add_mouse(m, out, ctrl, 'M'); break;
	}
	add_mouse(m, out, ctrl, 'm');
}

static void type_one(struct monkey *m, struct str *out)
{
	const uint32_t what = rng_below(&m->rng, 12);

	if (what >= 10) {
		use_mouse(m, out);
	} else if (what < 2) {
		const char *key = all_views.views[rng_below(&m->rng, all_views.n)].key;
		str_add(out, key ? key : "2");
	} else if (what < 4) {
		str_add(out, lines[rng_below(&m->rng, sizeof lines / sizeof *lines)]);
	} else {
		const enum action action = (enum action)(1 + rng_below(&m->rng, ACTION_COUNT - 1));
		char key[32];
		const char *keys = action_info(action)->keys;
		snprintf(key, sizeof key, "%.*s", (int)strcspn(keys, " "), keys);
		if (!is_for_the_end(action))
			add_key(out, key);
	}
}

static void print_bytes(const struct str *burst)
{
	for (size_t i = 0; i < burst->n; i++) {
		const unsigned char c = (unsigned char)burst->text[i];
		fprintf(stderr, c < 32 || c > 126 || c == '"' ? "\\%03o" : "%c", c);
	}
}

static void report(struct monkey *m, struct terminal *t, const char *what, int status)
{
	char path[128], line[512];
	char *screen = terminal_text(t);
	FILE *log;

	fprintf(stderr, "MONKEY_SEED=%llu: %s (status %d): %s\n", (unsigned long long)m->seed, what,
		status, m->command);
	for (unsigned i = m->n > KEPT ? m->n - KEPT : 0; i < m->n; i++) {
		fprintf(stderr, "  \"");
		print_bytes(&m->bursts[i % KEPT]);
		fprintf(stderr, "\"\n");
	}
	fprintf(stderr, "%s\n", screen);
	free(screen);
	snprintf(path, sizeof path, "%s/log", m->home);
	log = fopen(path, "r");
	for (int i = 0; log && i < 40 && fgets(line, sizeof line, log); i++)
		fputs(line, stderr);
	if (log)
		fclose(log);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *ftw)
{
	(void)info, (void)kind, (void)ftw;
	return remove(path);
}

static bool leave(struct monkey *m, struct terminal *t)
{
	int status = -1;

	/* Half of a report of the mouse: curses reads on to its end, whatever comes. A pasted text
	 * without an end: the first Control-C ends it. */
	terminal_input(t, "M");
	for (int i = 0; i < 50 && !terminal_ended(t, &status); i++) {
		terminal_input(t, "\033");
		terminal_settle(t, 20, 300);
		terminal_input(t, "\003");
		/* Quiet is not enough: looking for leaks takes a second, without a byte. */
		terminal_wait_end(t, &status, i < 10 ? 100 : 1000);
	}
	if (!terminal_ended(t, &status))
		report(m, t, "does not end", status);
	/* Control-C is a signal once the terminal is as it was. */
	return status == 0 || status == 130;
}

/* Types the bursts of the list, or so many made-up ones. */
static bool play(struct monkey *m, const char *const *list, unsigned bursts)
{
	const char *const env[] = { "VISUAL=true", "TVIEW_CACHE_MIN=1000000", NULL };
	const struct terminal_options options = { .rows = 10 + (int)rng_below(&m->rng, 40),
						  .cols = 40 + (int)rng_below(&m->rng, 120),
						  .env = env };
	struct terminal *t = terminal_open(m->command, &options, m->home);
	int status = 0;
	bool ok;

	assert_non_null(t);
	/* One in three types while the trace is loaded. */
	if (list || rng_below(&m->rng, 3))
		terminal_settle(t, 100, LIMIT_MS);
	for (m->n = 0; list ? list[m->n] != NULL : m->n < bursts;) {
		struct str *burst = &m->bursts[m->n % KEPT];
		str_clear(burst);
		if (list)
			str_add(burst, list[m->n]);
		for (uint32_t k = list ? 0 : 1 + rng_below(&m->rng, KEYS_A_BURST); k > 0; k--)
			type_one(m, burst);
		m->n++;
		if (!list && rng_below(&m->rng, 10) == 0)
			terminal_resize(t, 1 + (int)rng_below(&m->rng, 60),
					1 + (int)rng_below(&m->rng, 200));
		terminal_input(t, burst->text);
		terminal_settle(t, list ? 100 : (int)rng_below(&m->rng, 12), LIMIT_MS);
		if (terminal_ended(t, &status))
			break;
	}
	/* A q in what is typed may have ended it. */
	ok = terminal_ended(t, &status) ? status == 0 : leave(m, t);
	if (!ok && terminal_ended(t, &status))
		report(m, t, "ended", status);
	terminal_close(t);
	return ok;
}

/* What `seed` is played on, of a list with ':' between. */
static const char *listed(const char *list, uint64_t seed, struct str *out)
{
	uint64_t n = 1;

	for (const char *p = list; *p; p++)
		n += *p == ':';
	for (uint64_t skip = seed % n; skip > 0; skip--)
		list += strcspn(list, ":") + 1;
	str_add_n(out, list, strcspn(list, ":"));
	return out->text;
}

static void begin(struct monkey *m, const char *files)
{
	char cwd[256];
	struct str paths = STR_INIT;

	snprintf(m->home, sizeof m->home, "/tmp/monkey.XXXXXX");
	assert_non_null(mkdtemp(m->home));
	assert_non_null(getcwd(cwd, sizeof cwd));
	for (const char *p = files; *p; p += strcspn(p, " ") + (p[strcspn(p, " ")] == ' '))
		str_add_fmt(&paths, " %s%s%.*s", *p == '/' ? "" : cwd, *p == '/' ? "" : "/",
			    (int)strcspn(p, " "), p);
	/* What it exports goes into a folder of its own. */
	snprintf(m->command, sizeof m->command, "env -C %s %s/%s/tview --no-cache%s 2>%s/log",
		 m->home, cwd, TEST_BUILD, paths.text, m->home);
	str_fini(&paths);
	for (int i = 0; i < KEPT; i++)
		str_init(&m->bursts[i]);
}

static void end(struct monkey *m)
{
	for (int i = 0; i < KEPT; i++)
		str_fini(&m->bursts[i]);
	nftw(m->home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool plays_well(uint64_t seed)
{
	struct monkey m = { .rng = { seed * 0x9e3779b97f4a7c15u + 1 }, .seed = seed };
	const char *traces = getenv("MONKEY_TRACES");
	struct str command = STR_INIT;
	bool ok;

	begin(&m, traces ? listed(traces, seed, &command)
			 : commands[seed % (sizeof commands / sizeof *commands)]);
	ok = play(&m, NULL, BURSTS);
	end(&m);
	str_fini(&command);
	return ok;
}

/* Keys that arrive together, each of which once met a panel that had not been computed anew. */
TEST(known_bursts)
{
	static const char *const bursts[][6] = {
		{ "4\r", NULL },
		{ "5", "/MPI\r", "i", "w", "5n", NULL },
		{ "6", "fregion == x\r", "\t\tH", NULL },
		{ "D", "\tR", "RR\t", "R", NULL },
	};

	for (size_t i = 0; i < sizeof bursts / sizeof *bursts; i++)
		for (size_t k = 0; k < 3; k++) {
			struct monkey m = { .rng = { 1 } };
			begin(&m, commands[k]);
			assert_true(play(&m, bursts[i], 0));
			end(&m);
		}
}

TEST(no_keys_end_the_program)
{
	const char *seed = getenv("MONKEY_SEED"), *seconds = getenv("MONKEY_SECONDS");
	const time_t begin = time(NULL);
	unsigned failed = 0, played = 0;

	if (seed) {
		assert_true(plays_well(strtoull(seed, NULL, 10)));
		return;
	}
	for (uint64_t i = 0; !seconds && i < SEEDS; i++)
		failed += !plays_well(i);
	for (uint64_t i = (uint64_t)begin; seconds && time(NULL) - begin < atol(seconds); i++) {
		failed += !plays_well(i);
		played++;
	}
	if (seconds)
		print_message("%u plays of %d bursts\n", played, BURSTS);
	assert_int_equal(failed, 0);
}
