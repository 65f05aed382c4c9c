#include "correct/clc/clc.h"

#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "correct/clc/clc_state.h"
#include "model/trace/base_write.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

#define SLOPE   0.01
#define SPACING 1e-9 /* seconds (A10) */

void clc_init(struct clc *clc, struct trace *trace, const struct logical *logical,
	      enum time_base from, const struct lmin *lmin, const struct clc_options *options)
{
	const double spacing = SPACING * (double)trace_scale(trace)->per_second;

	*clc = (struct clc){ .trace = trace, .logical = logical, .from = from, .lmin = lmin };
	clc->delta = spacing > 1 ? spacing : 1;
	clc->slope = options->slope > 0 ? options->slope : SLOPE;
	clc->max_slope = clc->slope;
	clc->gaps = options->gaps;
	clc->n_gaps = options->n_gaps;
	clc->nodes = bounds_nodes_new(trace);
	clc->places = xcalloc((size_t)trace_location_count(trace) + 1, sizeof *clc->places);
}

void clc_fini(struct clc *clc)
{
	bounds_nodes_free(clc->nodes);
	free(clc->places);
	vec_fini(&clc->jumps);
}

/* The control variable of a pass, from 1. */
static double gamma_of(const struct clc_options *options, int pass, double before)
{
	static const double table[] = { 0.99999, 0.9999, 0.999 };

	if (pass == 1 && options->gamma > 0 && options->gamma <= 1)
		return options->gamma;
	if (options->gamma <= 0 && pass <= (int)(sizeof table / sizeof *table))
		return table[pass - 1];
	return 0.9 * before;
}

static bool has_jumps(const struct clc *clc)
{
	return exchange_any(trace_exchange(clc->trace), clc->jumps.n > 0);
}

/* Forward passes until the remaining lead is small enough; false if dropped or with err. */
static bool go_forward(struct clc *clc, struct clc_report *report,
		       const struct clc_options *options)
{
	const int most = options->passes > 0 ? options->passes : 1;

	for (int pass = 1; pass <= most; pass++) {
		report->gamma = gamma_of(options, pass, report->gamma);
		if (!clc_forward(clc, report->gamma))
			return false;
		report->passes = pass;
		report->error_at_final = clc_error_at_final(clc);
		if (!has_jumps(clc) || report->error_at_final <= CLC_LEAD_MOST)
			break;
	}
	return true;
}

static bool has_moved(const struct clc *clc, uint32_t event)
{
	return trace_event_time(clc->trace, clc->from, event) !=
	       trace_event_time(clc->trace, BASE_CLC, event);
}

static uint64_t moved_messages(const struct clc *clc)
{
	const uint32_t n = trace_message_count(clc->trace);
	uint64_t moved = 0;

	for (uint32_t row = 0; row < n; row++) {
		const struct message *m = trace_message(clc->trace, row);
		if (!message_arrived(m) || trace_message_is_far(clc->trace, row))
			continue;
		moved += has_moved(clc, m->send) || has_moved(clc, m->recv);
	}
	return exchange_count(trace_exchange(clc->trace), moved);
}

static void report_forward(struct clc_report *report, const struct clc *clc)
{
	struct exchange *x = trace_exchange(clc->trace);

	for (int cls = 0; cls < LOGICAL_CLASSES; cls++) {
		report->violated[cls] = exchange_count(x, clc->violated[cls]);
		report->violated_all += report->violated[cls];
	}
	report->forced = exchange_count(x, clc->forced);
	report->max_error = exchange_most(x, clc->max_shift);
	for (uint32_t l = 0; l < report->n_locations; l++)
		report->corrected += clc->places[l].moved;
	report->corrected = exchange_count(x, report->corrected);
}

struct shared_location {
	uint64_t at;
	struct clc_location location;
};

/* Fills in the locations of other processes. */
static void share_locations(struct clc_report *report, const struct clc *clc)
{
	OWNED_VEC(struct shared_location) rows = VEC_INIT;
	struct shared_location *row;

	for (uint32_t l = 0; l < report->n_locations; l++)
		if (clc->places[l].begun)
			vec_push(&rows, ((struct shared_location){ l, report->locations[l] }));
	exchange_rows(trace_exchange(clc->trace), &rows);
	vec_each (row, &rows) {
		if (!trace_has_location(clc->trace, (uint32_t)row->at))
			row->location.max_event = EVENT_NONE;
		report->locations[row->at] = row->location;
	}
}

static void report_locations(struct clc_report *report, const struct clc *clc)
{
	report->locations = xcalloc((size_t)report->n_locations + 1, sizeof *report->locations);
	for (uint32_t l = 0; l < report->n_locations; l++) {
		const struct clc_place *place = &clc->places[l];
		report->locations[l] = (struct clc_location){
			.violated = place->violated,
			.corrected = place->moved,
			.max_move = place->max_move,
			.max_event = place->max_event,
			.lead = (int64_t)floor(place->shift + 0.5),
		};
	}
	share_locations(report, clc);
}

static void report_back(struct clc_report *report, const struct clc *clc)
{
	struct exchange *x = trace_exchange(clc->trace);

	report->done = true;
	report->max_slope = exchange_most(x, clc->max_slope);
	report->corrected_final = report->corrected + exchange_count(x, clc->moved_back);
	report->messages_moved = moved_messages(clc);
	report_locations(report, clc);
}

bool clc_run(struct clc_report *report, struct trace *trace, const struct logical *logical,
	     enum time_base from, const struct lmin *lmin, const struct clc_options *options,
	     const struct progress *progress, struct err *err)
{
	struct clc clc;
	bool ok, jumps;

	*report = (struct clc_report){ .from = from,
				       .events = trace_event_count(trace),
				       .n_locations = trace_location_count(trace) };
	if (!base_begin(trace, BASE_CLC, err))
		return false;
	clc_init(&clc, trace, logical, from, lmin, options);
	clc.progress = progress;
	clc.err = err;
	ok = go_forward(&clc, report, options);
	report_forward(report, &clc);
	jumps = has_jumps(&clc);
	if (ok && jumps)
		halo_times(trace, BASE_CLC); /* how far sends may go is asked of their receivers */
	if (ok && jumps && clc_backward(&clc)) {
		base_commit(trace, BASE_CLC);
		report_back(report, &clc);
	} else {
		ok = ok && !jumps;
		base_drop(trace, BASE_CLC);
	}
	clc_fini(&clc);
	return ok;
}

void clc_report_fini(struct clc_report *report)
{
	free(report->locations);
	*report = (struct clc_report){ 0 };
}
