/* What the fit did, clock by clock. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "correct/fit/fit_state.h"

/* Rows of the own clocks become those of all. */
static void gather_clocks(struct fit_report *report, const struct fit_share *share)
{
	struct exchange_parts all;

	if (!share->job)
		return;
	share->job->gather(share->job, report->clocks + share_begin(share),
			   share->own * sizeof *report->clocks, &all);
	memcpy(report->clocks, all.data, all.first[share->job->processes]);
	exchange_parts_fini(&all);
}

/* ---- the edges of the fit ---- */

struct after {
	const struct fit_found *found;
	uint64_t reversed;
};

static double slack_of(const struct fit_found *found, const struct fit_edge *e)
{
	return e->recv - e->send + found_correction(found, e->to, e->recv) -
	       found_correction(found, e->from, e->send);
}

static void count_reversed(void *context, const struct fit_edge *edge)
{
	struct after *after = context;

	after->reversed += slack_of(after->found, edge) < 0;
}

/* The smallest slack; found: by slot. */
static double least_slack(const struct fit_found *found, const struct fit_edges *edges)
{
	double least = INFINITY;

	for (size_t i = 0; i < edges->n; i++)
		if (!(edges->flags[i] & EDGE_DROPPED))
			least = fmin(least, slack_of(found, &edges->data[i]));
	return least;
}

bool report_edges(struct fit_report *report, struct clocks *clocks, const struct fit_edges *edges,
		  const struct fit_share *share, const struct fit_found *found, const double *x,
		  const struct logical *logical, const struct progress *progress)
{
	const struct fit_found of_slots = { .model = found->model, .x = x };
	struct after after = { found, 0 };
	double least;
	bool ok = true;

	least = exchange_fewest(share->job, least_slack(&of_slots, edges));
	report->min_slack = isinf(least) ? 0 : least / clocks->ns;
	if (edges->kept == edges->seen) {
		after.found = &of_slots;
		for (size_t i = 0; i < edges->n; i++)
			if (edges_counts(share, &edges->data[i]))
				count_reversed(&after, &edges->data[i]);
	} else {
		ok = edges_each(clocks, logical, progress, count_reversed, &after);
	}
	report->reversed_after = exchange_count(share->job, after.reversed);
	return ok;
}

/* ---- the clocks ---- */

static void set_states(struct fit_report *report, const struct fit_edges *edges,
		       const struct fit_share *share)
{
	struct fit_clock *own = report->clocks + share_begin(share);

	for (uint32_t slot = 0; slot < share->own; slot++) {
		own[slot].edges = edges->of_clock[slot];
		own[slot].state = share_clock(share, slot) == 0 ? CLOCK_REFERENCE
				  : own[slot].edges             ? CLOCK_ONE_SIDED
								: CLOCK_UNSEEN;
	}
	for (size_t i = 0; i < edges->n; i++) {
		const uint32_t ends[2] = { edges->data[i].from, edges->data[i].to };
		if (!(edges->flags[i] & EDGE_TWO_SIDED))
			continue;
		for (int end = 0; end < 2; end++)
			if (ends[end] < share->own && share_clock(share, ends[end]) != 0)
				own[ends[end]].state = CLOCK_TWO_SIDED;
	}
}

/* Processes that share the reference's clock come after the clocks, one row each. */
static void add_shared(struct fit_report *report, const struct clocks *clocks)
{
	const uint32_t locations = trace_location_count(clocks->trace);

	for (uint32_t l = 0; l < locations; l++) {
		const int32_t rank = trace_location(clocks->trace, l)->rank;
		if (clocks->of[l] != 0 || l == clocks->location[0] || rank == RANK_UNKNOWN)
			continue;
		if (trace_location_of_rank(clocks->trace, rank) == l)
			report->clocks[report->n_clocks++] = (struct fit_clock){
				.location = l, .locations = 1, .state = CLOCK_SHARED
			};
	}
}

void report_clocks(struct fit_report *report, const struct clocks *clocks,
		   const struct fit_edges *edges, const struct fit_share *share)
{
	report->clocks = xcalloc((size_t)clocks->n + clocks->processes + 1, sizeof *report->clocks);
	report->n_clocks = clocks->n;
	for (uint32_t c = 0; c < clocks->n; c++) {
		report->clocks[c].location = clocks->location[c];
		report->clocks[c].locations = clocks->locations[c];
	}
	clocks_map(&report->map, clocks);
	set_states(report, edges, share);
	gather_clocks(report, share);
	add_shared(report, clocks);
}

/* Offset and drift of a clock. */
struct clock_ends {
	uint64_t clock; /* in the report */
	double offset, drift;
};

/* Against the measured times without steps, from its first and last event; false without. */
static bool ends_of(struct clock_ends *ends, const struct trace *trace, uint32_t location,
		    double steps)
{
	struct cursor first, last;
	double begin, end;

	if (!cursor_first(&first, trace, BASE_MEASURED, location) ||
	    !cursor_last(&last, trace, BASE_MEASURED, location))
		return false;
	begin = (double)(trace_event_time(trace, BASE_FITTED, first.id) - cursor_time(&first));
	end = (double)(trace_event_time(trace, BASE_FITTED, last.id) - cursor_time(&last)) + steps;
	ends->offset = begin;
	if (cursor_time(&last) > cursor_time(&first))
		ends->drift = (end - begin) / (double)(cursor_time(&last) - cursor_time(&first));
	return true;
}

/* What steps have added to a clock in all. */
static double steps_of(const struct fit_report *report, uint32_t location)
{
	double sum = 0;

	for (uint32_t i = 0; i < report->n_steps; i++)
		if (report->steps[i].location == location)
			sum += (double)report->steps[i].size;
	return sum;
}

static void set_ends(struct fit_report *report, const struct trace *trace)
{
	OWNED_VEC(struct clock_ends) all = VEC_INIT;
	const struct clock_ends *of;

	for (uint32_t c = 0; c < report->n_clocks; c++) {
		struct clock_ends ends = { .clock = c };
		const uint32_t location = report->clocks[c].location;
		if (ends_of(&ends, trace, location, steps_of(report, location)))
			vec_push(&all, ends);
	}
	exchange_rows(trace_exchange(trace), &all);
	vec_each (of, &all) {
		report->clocks[of->clock].offset = of->offset;
		report->clocks[of->clock].drift = of->drift;
	}
}

void report_fit(struct fit_report *report, const struct clocks *clocks,
		const struct fit_share *share, const struct model *model, const double *x)
{
	report->first = (double)clocks->origin + model->first / clocks->ns;
	report->step = model->step / clocks->ns;
	report->knots = model->knots;
	for (uint32_t slot = 0; slot < share->own; slot++) {
		struct fit_clock *clock = &report->clocks[share_clock(share, slot)];
		for (uint32_t k = 0; k < model->knots; k++) {
			const size_t at = (size_t)slot * model->knots + k;
			const double base = at < model->base.n ? model->base.data[at] : 0;
			clock->shift = fmax(clock->shift, fabs((x[at] - base) / clocks->ns));
		}
	}
	gather_clocks(report, share);
	for (uint32_t c = 0; c < clocks->n; c++)
		report->max_shift = fmax(report->max_shift, report->clocks[c].shift);
	set_ends(report, clocks->trace);
}

void fit_report_fini(struct fit_report *report)
{
	free_all(report->clocks, report->steps);
	clock_map_fini(&report->map);
	*report = (struct fit_report){ 0 };
}
