/* What is taken out of the measured time around records and calls. */
#include <math.h>

#include "correct/overhead/overhead_paper.h"
#include "correct/overhead/overhead_replay.h"
#include "model/trace/region_meaning.h"

/* What is taken out before a record, `distance` after the one before. Around calls that were timed
 * the table has too much: it divides the cost of two kinds in halves, and recording a call takes
 * most of its time after it. */
static double record_cost(const struct overhead_replay *r, const struct overhead_place *place,
			  int way, unsigned kind, double distance, double timed)
{
	const double between = r->cost->pair[COST_MPI_ENTER][COST_MPI_LEAVE],
		     again = r->cost->pair[COST_MPI_LEAVE][COST_MPI_ENTER];
	const double half = (between + again) / 4; /* of a call's cost, beside a function's */
	double cost = place->cost[way][place->before][kind], after;

	if (r->timed->set == UINT32_MAX || r->one_cost)
		return cost;
	if (kind < COST_MPI_ENTER && place->stretch.known)
		cost += timed - r->cost->delay;
	if (kind == COST_MPI_ENTER && place->before < COST_MPI_ENTER)
		cost += between / 2 - half;
	if (place->before == COST_MPI_LEAVE && place->after >= 0) {
		/* A part is not timed, but as a loop measured it. */
		after = (double)place->after;
		after += (r->ways[way].calls - 1) * fmin(after, between + again);
		if (kind < COST_MPI_ENTER)
			cost += after - between / 2 - half;
		else
			cost = fmin(after, distance);
	}
	return fmax(0, cost);
}

/* What was timed before a function's record: the same for each, as early as can be, as late. */
static double timed_before(struct timed_stretch *s, int way, double distance)
{
	const double late = fmax(0, distance - s->free), early = fmin(distance, s->sum);

	if (way == BEST || s->even)
		return fmin(s->each, distance);
	if (way == LOWER)
		s->sum -= early;
	else
		s->free = fmax(0, s->free - distance);
	return way == LOWER ? early : late;
}

/* Removes the cost of a record; an independent event's total goes to place->gone. True if an
 * interval was clamped. */
bool take_out_record(const struct overhead_replay *r, struct overhead_place *place, unsigned kind,
		     int64_t distance)
{
	unsigned long long clamped = 0;

	for (int way = 0; way < WAYS; way++) {
		const double timed = kind < COST_MPI_ENTER && place->stretch.known
					     ? timed_before(&place->stretch, way, (double)distance)
					     : 0;
		const double cost = record_cost(r, place, way, kind, (double)distance, timed);
		if (!r->paper) {
			place->gone[way] += cost;
			continue;
		}
		place->gone[way] = place->held[way] + (double)distance -
				   paper_independent((double)distance, cost, &clamped);
	}
	return clamped > 0 && distance > 0;
}

/* What was timed inside a call before it went on into MPI is before its first event there; and
 * before the call, what records between two calls have no room for. */
void take_out_timed(const struct overhead_replay *r, struct overhead_place *place, uint32_t what,
		    int64_t m)
{
	double timed = 0;

	if (place->call && m >= place->call_begin + place->inside) {
		timed = (double)place->rest;
		place->rest = 0;
	} else if (!place->call && place->stretch.known && what_kind(what) == EV_ENTER &&
		   r->paths->list[what_id(what)].role == PATH_CALL) {
		timed = place->stretch.rest;
	}
	for (int way = 0; way < WAYS; way++)
		place->gone[way] += timed;
}

/* Whether the trace has events of those for whom the open call waits: all wait in MPI_Init and
 * MPI_Finalize until their leave. */
static bool asks_partners(const struct overhead_replay *r, const struct overhead_place *place)
{
	const uint32_t region = r->paths->list[place->call].region;
	const enum collective_kind kind = region_meaning(r->trace, region).collective;

	return place->asked || kind == COLLECTIVE_INIT || kind == COLLECTIVE_FINALIZE;
}

/* At the end of a call for whose partners the trace has no event (MPI_Comm_split, a send that
 * waits): the rank knew how much of its waiting recording made. A call that waited for none is as
 * any. */
void take_out_waiting(const struct overhead_replay *r, struct overhead_place *place, uint32_t what)
{
	const struct virtual_call *kept = &place->kept;
	const double taken = (double)(kept->left - kept->before);
	const double own = place->gone[BEST] - place->call_gone[BEST];
	const double records = r->cost->pair[COST_MPI_ENTER][COST_MPI_LEAVE] +
			       r->cost->pair[COST_MPI_LEAVE][COST_MPI_ENTER];
	struct virtual_call here;

	if (!place->call || !place->keeps || asks_partners(r, place) ||
	    !virtual_values(r->trace, r->timed->set, what, &here) || fabs(taken - own) <= records)
		return;
	for (int way = 0; way < WAYS; way++)
		place->gone[way] = place->call_gone[way] + taken;
	if (kept->error > kept->unsure && kept->unsure >= 0) {
		place->gone[LOWER] += (double)(kept->error - kept->unsure);
		place->gone[UPPER] -= (double)(kept->error - kept->unsure);
	}
}
