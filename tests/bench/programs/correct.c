/* Loads a trace with one thread, gives its clocks errors of their own, and says what taking them
 * out costs: CPU time of loading, of finding the logical messages, of the logical clock forward and
 * backward.
 *
 *	correct FILE OFFSET DRIFT JITTER	seconds, 1, seconds
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/programs/cost.h"
#include "correct/clc/clc_state.h"
#include "model/formats/load.h"
#include "model/trace/base_write.h"
#include "model/trace/store.h"

static double part(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* Each location's clock is off and drifts, and wanders every 64 events: written as another base. */
static bool disturb(struct trace *trace, double offset, double drift, double jitter,
		    struct err *err)
{
	const double second = (double)trace_scale(trace)->per_second;
	uint64_t state = 88172645463325252u;

	if (!base_begin(trace, BASE_FITTED, err))
		return false;
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct block_ids *list = &trace->lists.data[l];
		const double by = offset * second * part(&state), fast = drift * part(&state);
		int64_t before = INT64_MIN;
		for (size_t i = 0; i < list->n; i++) {
			const double late = jitter * second * part(&state);
			int64_t t[BLOCK_EVENTS];
			for (uint32_t slot = 0; slot < store_block(trace, list->data[i])->n;
			     slot++) {
				const int64_t in =
					store_time(trace, BASE_MEASURED, list->data[i], slot);
				t[slot] = in + (int64_t)floor(by + fast * (double)in + late);
				t[slot] = t[slot] < before ? before : t[slot];
				before = t[slot];
			}
			if (!base_put(trace, BASE_FITTED, list->data[i], t, err))
				return false;
		}
	}
	base_commit(trace, BASE_FITTED);
	return true;
}

static bool measure(struct trace *trace, struct err *err)
{
	static const struct clc_options options;
	static const struct lmin_options latencies = LMIN_DEFAULTS;
	const double before = cpu_ms();
	struct logical *logical = logical_new(trace, NULL, err);
	const double found = cpu_ms();
	const struct lmin lmin = lmin_make(logical, BASE_FITTED, &latencies);
	struct clc_report report;
	double ready, done;

	ready = cpu_ms();
	if (!clc_run(&report, trace, logical, BASE_FITTED, &lmin, &options, NULL, err))
		return false;
	done = cpu_ms();
	printf("logical_ms %.1f\nlmin_ms %.1f\nclc_ms %.1f\nviolated %llu\ncorrected "
	       "%llu\nfinal %llu\nmessages_moved %llu\nmax_error_us %.3f\n",
	       found - before, ready - found, done - ready, (unsigned long long)report.violated_all,
	       (unsigned long long)report.corrected, (unsigned long long)report.corrected_final,
	       (unsigned long long)report.messages_moved,
	       1e6 * report.max_error / (double)trace_scale(trace)->per_second);
	clc_report_fini(&report);
	logical_free(logical);
	return true;
}

int main(int argc, char **argv)
{
	const struct load_options options = { .no_cache = true, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace;
	double before, loaded;

	if (argc < 5) {
		fputs("usage: correct FILE OFFSET DRIFT JITTER\n", stderr);
		return 2;
	}
	before = cpu_ms();
	trace = trace_load(argv[1], &options, NULL, &err);
	loaded = cpu_ms();
	if (!trace || !disturb(trace, atof(argv[2]), atof(argv[3]), atof(argv[4]), &err)) {
		fprintf(stderr, "correct: %s\n", err.text);
		return 1;
	}
	printf("events %llu\nload_ms %.1f\n", (unsigned long long)trace_event_count(trace),
	       loaded - before);
	if (!measure(trace, &err)) {
		fprintf(stderr, "correct: %s\n", err.text);
		return 1;
	}
	trace_free(trace);
	return 0;
}
