/* Loading against a yardstick, and what it leaves in memory. */
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

enum { ROUNDS = 5, ROUNDS_LARGE = 3 };

static const char *const yardsticks[] = { "tests/bench/programs/byte_loop",
					  "tests/bench/programs/otf2_count" };
static const char *const formats[] = { "PICL", "OTF2" };

struct pair {
	double yard_cpu[ROUNDS], yard_wall[ROUNDS];
	double load_cpu[ROUNDS], load_wall[ROUNDS];
	int rounds;
	struct run last;
};

/* Runs yardstick and loader in turn, each with `threads`. */
static bool measure(const struct bench *bench, struct pair *pair, const char *path, bool otf2,
		    const char *threads, int rounds)
{
	char looper[PATH], loader[PATH];
	const char *const loop[] = { looper, path, threads, NULL };
	const char *const load[] = { loader, path, threads, NULL };
	static struct run run;

	bench_program(bench, yardsticks[otf2], looper);
	bench_program(bench, "tests/bench/programs/load", loader);
	pair->rounds = rounds;
	for (int i = 0; i < rounds; i++) {
		if (!process_run(&run, loop) || !process_run(&pair->last, load)) {
			row(path, "", "the yardstick or the loader failed");
			return false;
		}
		pair->yard_cpu[i] = run.cpu;
		pair->yard_wall[i] = run.wall;
		pair->load_cpu[i] = pair->last.cpu;
		pair->load_wall[i] = pair->last.wall;
	}
	return true;
}

/* MiB of the process with next to nothing loaded. */
static double empty_mib(const struct bench *bench, bool otf2)
{
	char path[PATH], loader[PATH];
	const char *const load[] = { loader, path, "1", NULL };
	static struct run run;

	bench_program(bench, "tests/bench/programs/load", loader);
	if (!bench_trace(bench, "100", "1", otf2, path) || !process_run(&run, load))
		return 0;
	return run.mib;
}

/* Memory beyond what messages, members and locations may take, by event. */
static void memory_row(const struct run *run, double empty)
{
	const double events = run_value(run, "events "), messages = run_value(run, "messages "),
		     members = run_value(run, "members "), locations = run_value(run, "locations "),
		     rows = 32 * messages + 24 * members + 1024 * locations,
		     peak = (run->mib - empty) * 1048576,
		     kept = run_value(run, "resident_kib ") * 1024 - empty * 1048576;

	row("  its memory", "<= 12 B/event + 32 MB (9), rows 32 and 24 B, 1 KB a location",
	    "peak %.0f MiB, kept %.0f; without rows (%.0f MiB): %.1f B/event of %.1f",
	    peak / 1048576, kept / 1048576, rows / 1048576, (peak - rows) / events,
	    12 + 32e6 / events);
}

static void load_row(const struct bench *bench, const char *events, const char *locations,
		     bool otf2, double *ns)
{
	char path[PATH], name[64];
	static struct pair pair;
	double n, yard, load;

	*ns = 0;
	if (!bench_trace(bench, events, locations, otf2, path) ||
	    !measure(bench, &pair, path, otf2, "1",
		     strcmp(events, "50M") == 0 ? ROUNDS_LARGE : ROUNDS))
		return;
	n = run_value(&pair.last, "events ");
	yard = quantile(pair.yard_cpu, pair.rounds, 0.5);
	load = quantile(pair.load_cpu, pair.rounds, 0.5);
	*ns = 1e9 * load / n;
	snprintf(name, sizeof name, "%s, %s events, %s locations", formats[otf2], events,
		 locations);
	row(name, "<= 3x (2x)", "%s %.0f, load %.0f ns/event: %.2fx",
	    otf2 ? "counting loop" : "byte loop", 1e9 * yard / n, *ns, load / yard);
	memory_row(&pair.last, empty_mib(bench, otf2));
}

static void thread_row(const struct bench *bench, bool otf2)
{
	static struct pair one, two;
	char path[PATH], name[64];

	if (!bench_trace(bench, "10M", "16", otf2, path) ||
	    !measure(bench, &one, path, otf2, "1", ROUNDS_LARGE) ||
	    !measure(bench, &two, path, otf2, "2", ROUNDS_LARGE))
		return;
	snprintf(name, sizeof name, "%s, 10M events, two threads", formats[otf2]);
	row(name, ">= 1.6x where the yardstick has 1.8x",
	    "wall: yardstick %.2fx, load %.2fx as fast (%.2f s, %.2f s)",
	    quantile(one.yard_wall, one.rounds, 0.5) / quantile(two.yard_wall, two.rounds, 0.5),
	    quantile(one.load_wall, one.rounds, 0.5) / quantile(two.load_wall, two.rounds, 0.5),
	    quantile(one.load_wall, one.rounds, 0.5), quantile(two.load_wall, two.rounds, 0.5));
}

void bench_load(const struct bench *bench)
{
	static const char *const sizes[] = { "1M", "10M", "50M" };
	const int n = bench->full ? 3 : 2;

	for (int otf2 = 0; otf2 < 2; otf2++) {
		double ns[3] = { 0 }, many;
		char heading[64];
		snprintf(heading, sizeof heading, "Loading %s, one thread", formats[otf2]);
		row_heading(heading);
		for (int i = 0; i < n; i++)
			load_row(bench, sizes[i], "16", otf2, &ns[i]);
		load_row(bench, "5M", "10000", otf2, &many);
		if (ns[0] > 0)
			row("growth", "linear",
			    "ns/event at 10M and 50M events as shares of those at 1M: %.2f %.2f",
			    ns[1] / ns[0], ns[2] / ns[0]);
	}
	row_heading("Loading with two threads: wall time");
	for (int otf2 = 0; otf2 < 2; otf2++)
		thread_row(bench, otf2);
}

void bench_queries(const struct bench *bench)
{
	static const char *const traces[][2] = { { "1M", "16" },
						 { "5M", "10000" },
						 { "50M", "16" } };
	static const char *const views[] = { "overview", "timeline", "profile", "messages",
					     "events" };
	char loader[PATH], path[PATH], name[64];
	const char *const argv[] = { loader, path, "1", "ask", NULL };
	static struct run run;

	row_heading(
		"Exports to /dev/null, without loading: CSV, the timeline as 200 columns of text");
	bench_program(bench, "tests/bench/programs/load", loader);
	for (int i = 0; i < (bench->full ? 3 : 2); i++) {
		char text[256] = "";
		size_t at = 0;
		if (!bench_trace(bench, traces[i][0], traces[i][1], false, path))
			continue;
		if (!process_run(&run, argv)) {
			row(path, "", "the loader failed");
			continue;
		}
		for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
			char key[32];
			snprintf(key, sizeof key, "%s_ms ", views[v]);
			at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %.0f",
					       v ? ", " : "", views[v], run_value(&run, key));
		}
		snprintf(name, sizeof name, "%s events, %s locations", traces[i][0], traces[i][1]);
		row(name, "", "ms: %s", text);
	}
}
