/* The program on a terminal of 200x50: start to first screen, key to last byte, bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/pty.h"
#include "harness/rest.h"

enum { WINDOWS = 1000, STARTS = 5, STEPS = 100, WAIT = 300 };

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 20) % limit;
}

/* ---- start ---- */

struct start {
	double picture, whole; /* wall, seconds from the start: first picture, last byte */
	double cpu;
};

static bool start(const struct bench *bench, const char *path, const char *home, const char *view,
		  const char *option, struct start *start)
{
	char tview[PATH];
	const char *const argv[] = { tview, "--view", view, path, option, NULL };
	struct pty pty;
	bool fine;

	bench_program(bench, "tview", tview);
	fine = pty_open(&pty, argv, home) && pty_settle(&pty, WAIT);
	start->picture = pty.picture - pty.started;
	start->whole = pty.last_byte - pty.started;
	start->cpu = fine ? rest_cpu(pty.pid) : 0;
	pty_close(&pty);
	return fine;
}

/* Starts of a view of which the cache is there. */
static void cached_start(const struct bench *bench, const char *path, const char *home,
			 const char *view)
{
	double picture[STARTS], whole[STARTS], cpu[STARTS];
	struct start s;

	for (int i = 0; i < STARTS; i++) {
		if (!start(bench, path, home, view, NULL, &s)) {
			row("", "", "%s: tview did not come to rest", view);
			return;
		}
		picture[i] = s.picture;
		whole[i] = s.whole;
		cpu[i] = s.cpu;
	}
	row("", "<= 20 ms (10)",
	    "%s, cache: first picture %.1f ms, last byte %.1f ms wall, %.1f ms CPU", view,
	    1e3 * quantile(picture, STARTS, 0.5), 1e3 * quantile(whole, STARTS, 0.5),
	    1e3 * quantile(cpu, STARTS, 0.5));
}

static void first_screen(const struct bench *bench, const char *events, const char *locations,
			 bool otf2, const char *home)
{
	char path[PATH], name[64];
	struct start s;

	if (!bench_trace(bench, events, locations, otf2, path))
		return;
	snprintf(name, sizeof name, "%s, %s events, %s locations", otf2 ? "OTF2" : "PICL", events,
		 locations);
	if (!start(bench, path, home, "overview", "--no-cache", &s)) {
		row(name, "", "tview --no-cache did not come to rest");
		return;
	}
	row(name, "first picture <= 200 ms",
	    "no cache: first picture %.0f ms, loaded %.0f ms wall, %.0f ms CPU", 1e3 * s.picture,
	    1e3 * s.whole, 1e3 * s.cpu);
	/* Once to write the cache; it is there when the program has come to rest. */
	if (!start(bench, path, home, "overview", NULL, &s))
		return;
	cached_start(bench, path, home, "overview");
	cached_start(bench, path, home, "timeline");
}

/* ---- keys ---- */

/* The run's length in ns, as the generator says it. */
static double run_length(const struct bench *bench, const char *path)
{
	char tview[PATH];
	const char *const argv[] = { tview, "check", path, NULL };
	static struct run run;
	const char *in;
	char *unit;
	double x;

	bench_program(bench, "tview", tview);
	if (!process_run(&run, argv) || !(in = strstr(run.output, " in ")))
		return 0;
	x = strtod(in + 4, &unit);
	return strncmp(unit, " ms", 3) == 0   ? x * 1e6
	       : strncmp(unit, " us", 3) == 0 ? x * 1e3
					      : x * 1e9;
}

/* Goes to a random window: any place, and any width from the whole run down to 2 us. */
static bool go_somewhere(struct pty *pty, double length, uint64_t *seed)
{
	char command[96];
	double width = length, at;

	for (uint32_t halvings = random_below(seed, 24); halvings > 0 && width > 4000; halvings--)
		width /= 2;
	at = (length - width) * random_below(seed, 1 << 20) / (1 << 20);
	snprintf(command, sizeof command, ":zoom %.0fns %.0fns\r", at, at + width);
	return pty_keys(pty, command) >= 0;
}

static void print_keys(const char *name, double *cpu, double *pan_bytes, int pans, int n)
{
	char bytes[64];

	snprintf(bytes, sizeof bytes, "%.1f KB", 1e-3 * quantile(pan_bytes, pans, 0.95));
	row(name, "95 % <= 5 ms (3); pan <= 20 KB",
	    "zoom, pan: median %.2f ms, 95 %% %.2f ms, worst %.1f ms; pan 95 %% %s",
	    1e3 * quantile(cpu, n, 0.5), 1e3 * quantile(cpu, n, 0.95), 1e3 * quantile(cpu, n, 1),
	    bytes);
}

/* Bytes of a step of the cursor and of a key that changes nothing. */
static void small_steps(struct pty *pty)
{
	double cursor[STEPS], nothing[STEPS];
	int n = 0;

	if (pty_keys(pty, "0") < 0 || pty_keys(pty, "www") < 0)
		return;
	for (int i = 0; i < STEPS; i++) {
		if (pty_keys(pty, i % 4 == 3 ? (i % 8 == 3 ? "j" : "k") : "l") < 0)
			return;
		cursor[n++] = (double)pty->bytes;
	}
	if (pty_keys(pty, "0") < 0)
		return;
	for (int i = 0; i < STEPS; i++) {
		if (pty_keys(pty, "0") < 0)
			return;
		nothing[i] = (double)pty->bytes;
	}
	row("", "<= 500 B, <= 64 B", "cursor step: median %.0f B, 95 %% %.0f B; nothing: %.0f B",
	    quantile(cursor, STEPS, 0.5), quantile(cursor, STEPS, 0.95),
	    quantile(nothing, STEPS, 0.95));
}

static void search(struct pty *pty)
{
	double first, nothing, next[STEPS];
	int n = 0;

	if (pty_keys(pty, "0g") < 0)
		return;
	first = pty_keys(pty, "/MPI_Gather\r");
	for (; n < 20; n++)
		if ((next[n] = pty_keys(pty, "n")) < 0)
			return;
	nothing = pty_keys(pty, "/no_such_thing\r");
	row("", "", "search: first match %.1f ms, next %.1f ms, what is nowhere %.1f ms",
	    1e3 * first, 1e3 * quantile(next, n, 0.5), 1e3 * nothing);
}

static void keys(const struct bench *bench, const char *events, const char *locations,
		 const char *home)
{
	static const char *const moves[] = { "w", "s", "a", "d" };
	char path[PATH], tview[PATH], name[64];
	const char *const argv[] = { tview, "--view", "timeline", path, NULL };
	static double cpu[WINDOWS], pan_bytes[WINDOWS];
	uint64_t seed = 88172645463325252u;
	int n = 0, pans = 0;
	struct pty pty;
	double length;

	bench_program(bench, "tview", tview);
	if (!bench_trace(bench, events, locations, false, path))
		return;
	length = run_length(bench, path);
	snprintf(name, sizeof name, "%s events, %s locations", events, locations);
	if (!pty_open(&pty, argv, home) || !pty_settle(&pty, WAIT)) {
		row(name, "", "tview did not come to rest");
		pty_close(&pty);
		return;
	}
	for (; n < WINDOWS && length > 0; n++) {
		const uint32_t move = random_below(&seed, 4);
		if (!go_somewhere(&pty, length, &seed) ||
		    (cpu[n] = pty_keys(&pty, moves[move])) < 0)
			break;
		if (move >= 2)
			pan_bytes[pans++] = (double)pty.bytes;
	}
	if (n < WINDOWS) {
		row(name, "", "ended after %d windows", n);
	} else {
		print_keys(name, cpu, pan_bytes, pans, n);
		small_steps(&pty);
		search(&pty);
	}
	pty_close(&pty);
}

void bench_screen(const struct bench *bench)
{
	char home[] = "/tmp/tview-bench-XXXXXX", command[64];

	if (!mkdtemp(home)) {
		row("the screen", "", "no folder for state and cache can be made in /tmp");
		return;
	}
	row_heading("Start to first screen, 200x50");
	first_screen(bench, "10M", "16", false, home);
	first_screen(bench, "10M", "16", true, home);
	first_screen(bench, "5M", "10000", false, home);
	if (bench->full) {
		first_screen(bench, "50M", "16", false, home);
		first_screen(bench, "50M", "16", true, home);
	}
	row_heading(
		"Keys in the timeline, 200x50: CPU time from the key to the last byte, 1000 random windows");
	keys(bench, "1M", "16", home);
	keys(bench, "10M", "16", home);
	keys(bench, "10M", "1000", home);
	keys(bench, "5M", "10000", home);
	if (bench->full)
		keys(bench, "50M", "16", home);
	snprintf(command, sizeof command, "rm -rf %s", home);
	if (system(command) != 0)
		printf("%s is left over\n", home);
}
