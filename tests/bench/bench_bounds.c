/* Whether bounds of clocks hold the true times, and how wide they are beside the errors: simulated
 * runs with clocks, links and offset records of many kinds. */
#include <stdio.h>

#include "bench/study.h"

enum { SEEDS = 10 };

/* Six ranks on a ring, 20 us and 10 us more on average each way, records wrong by 20 us whose round
 * trip is said to be 100 us. */
static const char usual[] =
	"--program halo --ranks 6 --steps 200 --work 2e-3 --noise 0.3 --calls 1 --latency 2e-5 "
	"--latency-intra 2e-5 --latency-spread 0 --jitter 1e-5 --offset-noise 2e-5 "
	"--offset-rtt 1e-4 --clock-offset 1e-3 --clock-drift 2e-5";

static const struct {
	const char *name, *options;
} cases[] = {
	{ "both ways", "" },
	{ "without records", "--offset-count 0" },
	{ "records wrong by 200 us", "--offset-noise 2e-4" },
	{ "good records", "--offset-noise 5e-7 --offset-rtt 3e-6" },
	{ "100 us, nothing reversed", "--latency 1e-4" },
	{ "5 us up, 200 us down", "--latency 5e-6 --latency-down 2e-4" },
	{ "5 us up, 200 down, no records", "--latency 5e-6 --latency-down 2e-4 --offset-count 0" },
	{ "open chain, one way", "--program chain" },
	{ "a rank receives 100 us late", "--late 3:1e-4" },
	{ "2 us in pairs, 3 ms between",
	  "--latency 3e-3 --latency-intra 2e-6 --jitter 2e-6 --ranks-per-node 2" },
	{ "heavy tail", "--latency 5e-6 --jitter 1e-7 --tail 1e-5" },
	{ "two islands", "--islands 2" },
	{ "two islands, no records", "--islands 2 --offset-count 0" },
	{ "three exchanges", "--every 30" },
	{ "sweep", "--program sweep" },
	{ "collectives", "--program collectives --steps 25" },
	{ "slews of 500 ppm", "--clock-slew 5e-4:0.1" },
	{ "sine 200 us, 0.4 s", "--clock-sine 2e-4:0.4" },
	{ "records over the links", "--offset-noise 0 --offset-rtt 0 --offset-links" },
	{ "the same, 5 us up, 200 us down",
	  "--latency 5e-6 --latency-down 2e-4 --offset-noise 0 --offset-rtt 0 --offset-links" },
	{ "random walk of rates", "--clock-walk 3e-6:0.01" },
	{ "20 minutes, drifts as measured",
	  "--sleep 600:600 --clock-drift 1.56e-4 --clock-walk 1.7e-8:1 --offset-noise 0 "
	  "--offset-rtt 0 --offset-links" },
	{ "step of 500 us", "--clock-step 2:0.1:5e-4" },
	{ "step of -500 us", "--clock-step 2:0.1:-5e-4" },
	{ "step of 60 us", "--clock-step 2:0.1:6e-5" },
	{ "step of 1 s", "--clock-step 2:0.1:1" },
	{ "step of a node", "--ranks-per-node 2 --clock-of-node --clock-step 2:0.1:5e-4" },
	{ "the same, not known to be one",
	  "--ranks-per-node 2 --clock-step 2:0.1:5e-4 --clock-step-node" },
	{ "step of the reference", "--clock-step 0:0.1:5e-4" },
	{ "64 ranks, collectives", "--program collectives --ranks 64 --steps 25" },
};
enum { CASES = sizeof cases / sizeof *cases };

struct bounds_sum {
	int runs;
	double rms, inside, least, half, unknown; /* sums, but for the least */
};

/* The base that is shown by default. */
static const char *best_of(const struct study *study)
{
	static const char *const best[] = { "clc", "fitted", "linear" };

	for (size_t i = 0; i < sizeof best / sizeof *best; i++)
		if (study_value(study, best[i], "inside", "") >= 0)
			return best[i];
	return "measured";
}

static void add(struct bounds_sum *sum, const struct study *study)
{
	const char *base = best_of(study);
	const double inside = study_value(study, base, "inside", "");

	sum->least = sum->runs++ == 0 || inside < sum->least ? inside : sum->least;
	sum->inside += inside;
	sum->rms += study_value(study, base, "abs", "rms");
	sum->half += study_value(study, base, "half", "");
	sum->unknown += study_value(study, base, "unknown", "");
}

static void bounds_row(struct study *study, const char *name, const char *options, const char *how,
		       double aim)
{
	struct bounds_sum sum = { 0 };
	char all[768], aim_text[64];

	for (int seed = 1; seed <= SEEDS; seed++) {
		/* A later option replaces an earlier one. */
		snprintf(all, sizeof all, "%s %s --seed %d", usual, options, seed);
		if (study_simulate(study, name, all, how))
			add(&sum, study);
	}
	if (sum.runs == 0)
		return;
	snprintf(aim_text, sizeof aim_text, ">= %.2f inside%s", aim,
		 study_aim(study, sum.inside / sum.runs >= aim));
	row(name, aim_text, "%8.4f %8.4f | %9.3g %9.3g | %7.4f", sum.inside / sum.runs, sum.least,
	    sum.half / sum.runs, sum.rms / sum.runs, sum.unknown / sum.runs);
}

static void bounds_heading(const char *text)
{
	row_heading(text);
	row("clocks, links, records", "aim", "%8s %8s | %9s %9s | %7s", "inside", "lowest",
	    "half, us", "error, us", "unknown");
}

void bench_bounds(const struct bench *bench)
{
	struct study study;

	study_begin(&study, bench, "bounds");
	bounds_heading("bounds of clocks: share of true times inside, half width beside rms error");
	for (int i = 0; i < CASES; i++)
		bounds_row(&study, cases[i].name, cases[i].options, "", 0.99);
	bounds_heading("the same of interpolated offsets (--presync offsets)");
	for (int i = 0; i < CASES; i++)
		bounds_row(&study, cases[i].name, cases[i].options, "--offsets", 0.95);
	study_end(&study);
}
