/* Clocks by messages and by offset records, together and alone, against simulated runs whose true
 * times are known: together never worse than the worse of the two, and but for one run in twenty
 * not worse than records alone. TVIEW_FIT_TABLE=1 prints the medians (doc/measured/accuracy.md), and
 * TVIEW_FIT_SEED=N takes the seeds from N on: other ones than the method was chosen with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/order.h"
#include "correct/clock_cases.h"
#include "correct/correct.h"
#include "correct/truth.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "simulate/write.h"

enum { SEEDS = 20 };

/* us, rms. */
struct level_errors {
	double records, messages, both;
};

static double error_of(const struct run *run, struct settings s, enum time_base base)
{
	struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;
	struct corrections *corrections;
	struct trace *trace = write_trace(run, &s, false, "simulated", &err);
	double error;

	assert_non_null(trace);
	options.want = base == BASE_LINEAR ? BASE_LINEAR : BASE_CLC;
	corrections = correct_run(trace, &options, NULL, &err);
	assert_non_null(corrections);
	error = truth_rms(trace, run, trace_default_base(trace));
	corrections_free(corrections);
	trace_free(trace);
	return error;
}

static struct level_errors errors_of(const struct clock_case *c, uint64_t seed)
{
	struct settings s = clock_case_settings(c, seed);
	struct level_errors errors;
	struct run run;

	assert_true(engine_run(&run, &s, true, NULL));
	errors.records = error_of(&run, s, BASE_LINEAR);
	errors.both = error_of(&run, s, BASE_CLC);
	s.offset_count = 0;
	errors.messages = error_of(&run, s, BASE_CLC);
	run_fini(&run);
	return errors;
}

ORDERING_OF_NUMBERS(ascending, double)

static double median(double *values, size_t n)
{
	SORT(values, n, ascending);
	return (values[n / 2] + values[(n - 1) / 2]) / 2;
}

TEST(together_they_are_never_worse)
{
	const bool table = getenv("TVIEW_FIT_TABLE") != NULL;
	const char *given = getenv("TVIEW_FIT_SEED");
	const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
	const size_t n = rounds(SEEDS);

	for (size_t i = 0; i < clock_cases_n; i++) {
		const struct clock_case *c = &clock_cases[i];
		double records[SEEDS], messages[SEEDS], both[SEEDS], most;
		int worse = 0;
		for (size_t seed = 0; seed < n; seed++) {
			const struct level_errors e = errors_of(c, first + seed);
			const bool fine = e.both <= 1.05 * e.records + 0.3;
			records[seed] = e.records;
			messages[seed] = e.messages;
			both[seed] = e.both;
			if (!fine)
				print_message("# %s, seed %d: records %.2f us, messages %.2f us, "
					      "both %.2f us\n",
					      c->name, (int)(first + seed), e.records, e.messages,
					      e.both);
			worse += !fine;
			/* With some room: a repair may add a little. */
			assert_true(e.both <= 1.05 * fmax(e.records, e.messages) + 0.3);
		}
		if (table)
			printf("| %s | %.2f | %.2f | %.2f |\n", c->name, median(records, n),
			       median(messages, n), median(both, n));
		most = c->share > 0 ? c->share * median(records, n) : c->most;
		if (median(both, n) > most)
			print_message("# %s: %.2f us, at most %.2f\n", c->name, median(both, n),
				      most);
		assert_true(median(both, n) <= most);
		/* It is a bet that a single run may lose. */
		assert_true(worse <= SEEDS / 20);
	}
}

/* In runs of these seeds a few of 2,460 messages are late where clocks are straight, and MPI_Init and
 * MPI_Finalize are ten minutes away: clocks that bend by 16 us in 20 s predicted these few better,
 * and were wrong by 613 and 248 us. */
TEST(luck_does_not_bend_clocks)
{
	static const uint64_t seeds[] = { 8000053, 5000025 };
	const struct clock_case far = { .cristian = true, .far = true };

	for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
		const struct level_errors e = errors_of(&far, seeds[i]);
		assert_true(e.both <= e.records / 2);
	}
}

/* Clocks that bend by 100 us and more while messages go one way at a time, or much longer one way:
 * the middle of what they leave was up to four times as far off as interpolation, whose records are good.
 * What is shown then is the least change of that, which is never farther off but for rounding. */
TEST(messages_that_cannot_tell_do_no_harm)
{
	static const struct clock_case cases[] = {
		{ .name = "sweep, 1 ms one way",
		  .program = "sweep",
		  .down = 1e-3,
		  .sine = 2e-4,
		  .noise = 5e-6,
		  .rtt = 70e-6 },
		{ .name = "sweep, a rank receives 1 ms late",
		  .program = "sweep",
		  .late = 1e-3,
		  .sine = 2e-4,
		  .noise = 5e-6,
		  .rtt = 70e-6 },
		{ .name = "one way, bent",
		  .program = "chain",
		  .sine = 1e-4,
		  .noise = 5e-6,
		  .rtt = 70e-6 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (uint64_t seed = 1; seed <= rounds(8); seed++) {
			const struct level_errors e = errors_of(&cases[i], seed);
			if (e.both > 1.05 * e.records + 0.3)
				print_message("# %s, seed %d: %.2f us -> %.2f\n", cases[i].name,
					      (int)seed, e.records, e.both);
			assert_true(e.both <= 1.05 * e.records + 0.3);
		}
}

/* With records that are wrong by 20 us the least change is farther off as well. What is near it is a
 * better bet than the middle, which was worse than interpolation in 6 of these runs. */
TEST(bent_clocks_stay_near_the_least_change)
{
	const struct clock_case late = {
		.program = "sweep", .late = 1e-3, .sine = 2e-4, .noise = 20e-6, .rtt = 70e-6
	};
	double records = 0, both = 0;
	int worse = 0;

	for (uint64_t seed = 1; seed <= rounds(16); seed++) {
		const struct level_errors e = errors_of(&late, seed);
		worse += e.both > 1.05 * e.records + 0.3;
		records += e.records;
		both += e.both;
	}
	assert_true(worse <= 1);
	assert_true(both < 0.75 * records);
}

/* What decides is said, if it is not usual. */
TEST(the_reason_is_told)
{
	static const struct {
		struct clock_case of;
		uint32_t ranks, offsets;
		const char *note; /* NULL: nothing of it */
	} told[] = {
		{ { .name = "usual" }, 6, 2, NULL },
		{ { .name = "far", .cristian = true, .far = true }, 6, 2, NULL },
		{ { .name = "one-sided", .latency = 5e-6, .down = 200e-6, .jitter = 5e-6 },
		  6,
		  2,
		  "Messages take longer one way than the other" },
		{ { .name = "bad records", .noise = 200e-6 },
		  6,
		  2,
		  "Offset records are wrong by about " },
		{ { .name = "one pair", .program = "pi" },
		  2,
		  0,
		  "equally long both ways cannot be seen" },
	};

	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		struct settings s = clock_case_settings(&told[i].of, 1);
		struct correct_options options = CORRECT_DEFAULTS;
		struct err err = ERR_INIT;
		struct corrections *c;
		struct trace *trace;
		struct run run;
		bool found = false, any = false;
		s.ranks = told[i].ranks;
		s.offset_count = told[i].offsets;
		assert_true(engine_run(&run, &s, true, NULL));
		trace = write_trace(&run, &s, false, "simulated", &err);
		assert_non_null(trace);
		c = correct_run(trace, &options, NULL, &err);
		assert_non_null(c);
		for (int n = 0; n < CORRECT_NOTES && c->notes[n][0]; n++) {
			found = found || (told[i].note && strstr(c->notes[n], told[i].note));
			any = any || strstr(c->notes[n], "Messages take ") ||
			      strstr(c->notes[n], "Offset records are wrong") ||
			      strstr(c->notes[n], "cannot be seen");
		}
		assert_int_equal(found, told[i].note != NULL);
		assert_int_equal(any, told[i].note != NULL);
		corrections_free(c);
		trace_free(trace);
		run_fini(&run);
	}
}
