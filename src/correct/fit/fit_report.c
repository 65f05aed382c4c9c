/* What the fit did, clock by clock. */
#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_state.h"

/* ---- the edges of the fit ---- */

struct after {
	const struct clocks *clocks;
	const struct model *model;
	const double *x;
	uint64_t reversed;
};

static double slack_of(const struct after *after, const struct fit_edge *e)
{
	return e->recv - e->send + apply_correction(after->model, after->x, e->to, e->recv) -
	       apply_correction(after->model, after->x, e->from, e->send);
}

static void count_reversed(void *context, const struct fit_edge *edge)
{
	struct after *after = context;

	after->reversed += slack_of(after, edge) < 0;
}

/* Room of a clock in a window: how far it may go back, and forward. */
struct report_room {
	double back, forward;
};

enum { ROOM_WINDOWS = 16 };

static void look_at_edges(struct fit_report *report, const struct after *after,
			  const struct fit_edges *edges, struct report_room *rooms)
{
	const struct model *model = after->model;
	double least = INFINITY;

	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		const double u =
			(e->recv - model->first) / model->step * ROOM_WINDOWS / model->knots;
		const size_t window = u <= 0 ? 0 : u >= ROOM_WINDOWS ? ROOM_WINDOWS - 1 : (size_t)u;
		struct report_room *to = &rooms[(size_t)e->to * ROOM_WINDOWS + window];
		struct report_room *from = &rooms[(size_t)e->from * ROOM_WINDOWS + window];
		double slack;
		if (edges->flags[i] & EDGE_DROPPED)
			continue;
		slack = slack_of(after, e);
		least = fmin(least, slack);
		to->back = fmin(to->back, slack);
		from->forward = fmin(from->forward, slack);
	}
	report->min_slack = isinf(least) ? 0 : least / after->clocks->ns;
}

ORDERING_OF_NUMBERS(ascending, double)

/* The lower quartile over the windows: one that holds nothing but MPI_Init or MPI_Finalize has room
 * for all of it, and short runs have few others. */
static double uncertainty_of(const struct report_room *rooms)
{
	double half[ROOM_WINDOWS];
	size_t n = 0;

	for (int w = 0; w < ROOM_WINDOWS; w++)
		if (!isinf(rooms[w].back) && !isinf(rooms[w].forward))
			half[n++] = fabs(rooms[w].back + rooms[w].forward) / 2;
	if (n == 0)
		return -1;
	SORT(half, n, ascending);
	return half[n / 4];
}

bool report_edges(struct fit_report *report, struct clocks *clocks, const struct fit_edges *edges,
		  const struct model *model, const double *x, const struct logical *logical,
		  const struct progress *progress)
{
	const size_t n = (size_t)clocks->n * ROOM_WINDOWS;
	OWNED struct report_room *rooms = xcalloc(n + 1, sizeof *rooms);
	struct after after = { clocks, model, x, 0 };
	bool ok = true;

	for (size_t i = 0; i < n; i++)
		rooms[i] = (struct report_room){ INFINITY, INFINITY };
	look_at_edges(report, &after, edges, rooms);
	for (uint32_t c = 0; c < clocks->n; c++) {
		const double room = uncertainty_of(rooms + (size_t)c * ROOM_WINDOWS);
		report->clocks[c].uncertainty = c == 0 ? 0 : room < 0 ? -1 : room / clocks->ns;
	}
	if (edges->n == edges->seen) {
		for (size_t i = 0; i < edges->n; i++)
			count_reversed(&after, &edges->data[i]);
	} else {
		ok = edges_each(clocks, logical, progress, count_reversed, &after);
		after.reversed = exchange_count(trace_exchange(clocks->trace), after.reversed);
	}
	report->reversed_after = after.reversed;
	return ok;
}

/* ---- the clocks ---- */

static void state_of(struct fit_report *report, const struct fit_edges *edges)
{
	for (uint32_t c = 0; c < edges->clocks; c++) {
		struct fit_clock *clock = &report->clocks[c];
		clock->edges = edges->of_clock[c];
		clock->state = c == 0         ? CLOCK_REFERENCE
			       : clock->edges ? CLOCK_ONE_SIDED
					      : CLOCK_UNSEEN;
	}
	for (size_t i = 0; i < edges->n; i++) {
		if (!(edges->flags[i] & EDGE_TWO_SIDED))
			continue;
		if (edges->data[i].from)
			report->clocks[edges->data[i].from].state = CLOCK_TWO_SIDED;
		if (edges->data[i].to)
			report->clocks[edges->data[i].to].state = CLOCK_TWO_SIDED;
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
		   const struct fit_edges *edges)
{
	report->clocks = xcalloc((size_t)clocks->n + clocks->processes + 1, sizeof *report->clocks);
	report->n_clocks = clocks->n;
	for (uint32_t c = 0; c < clocks->n; c++) {
		report->clocks[c].location = clocks->location[c];
		report->clocks[c].locations = clocks->locations[c];
		report->clocks[c].uncertainty = -1;
	}
	state_of(report, edges);
	add_shared(report, clocks);
}

/* Offset and drift of a clock. */
struct clock_ends {
	uint64_t clock; /* in the report */
	double offset, drift;
};

/* Against the measured times, from its first and last event; false without. */
static bool ends_of(struct clock_ends *ends, const struct trace *trace, uint32_t location)
{
	struct cursor first, last;
	double begin, end;

	if (!cursor_first(&first, trace, BASE_MEASURED, location) ||
	    !cursor_last(&last, trace, BASE_MEASURED, location))
		return false;
	begin = (double)(trace_event_time(trace, BASE_FITTED, first.id) - cursor_time(&first));
	end = (double)(trace_event_time(trace, BASE_FITTED, last.id) - cursor_time(&last));
	ends->offset = begin;
	if (cursor_time(&last) > cursor_time(&first))
		ends->drift = (end - begin) / (double)(cursor_time(&last) - cursor_time(&first));
	return true;
}

static void set_ends(struct fit_report *report, const struct trace *trace)
{
	OWNED_VEC(struct clock_ends) all = VEC_INIT;
	const struct clock_ends *of;

	for (uint32_t c = 0; c < report->n_clocks; c++) {
		struct clock_ends ends = { .clock = c };
		if (ends_of(&ends, trace, report->clocks[c].location))
			vec_push(&all, ends);
	}
	exchange_rows(trace_exchange(trace), &all);
	vec_each (of, &all) {
		report->clocks[of->clock].offset = of->offset;
		report->clocks[of->clock].drift = of->drift;
	}
}

void report_fit(struct fit_report *report, const struct clocks *clocks, const struct model *model,
		const double *x)
{
	report->first = (double)clocks->origin + model->first / clocks->ns;
	report->step = model->step / clocks->ns;
	report->knots = model->knots;
	for (uint32_t c = 0; c < clocks->n; c++) {
		struct fit_clock *clock = &report->clocks[c];
		for (uint32_t k = 0; k < model->knots; k++) {
			const double d = x[(size_t)c * model->knots + k] / clocks->ns;
			clock->correction[k] = d;
			clock->shift = fmax(clock->shift, fabs(d));
		}
		report->max_shift = fmax(report->max_shift, clock->shift);
	}
	set_ends(report, clocks->trace);
}

void fit_report_fini(struct fit_report *report)
{
	free(report->clocks);
	*report = (struct fit_report){ 0 };
}
