/* What is taken out of the measured time around records and calls. */
#include <math.h>

#include "correct/overhead/overhead_paper.h"
#include "correct/overhead/overhead_replay.h"
#include "model/trace/region_meaning.h"
#include "model/trace/store.h"

/* ---- costs in force on a location ---- */

static double of_way(const struct cost_range *range, int way)
{
	return way == BEST ? range->best : way == LOWER ? range->high : range->low;
}

/* The clock was read for a share of a gap's records only, the others were noted or not. */
static double factor_of(const struct overhead_replay *r, int way, const struct record_cost *class,
			struct gap_shares shares)
{
	const struct way_cost *c = &r->ways[way];
	const struct cost_range *beside = &r->cost->blank;
	double cost, share, delay;

	if (!class || !(r->cost->function > 0))
		return c->factor;
	share = shares.read;
	delay = shares.delayed ? 0 : fmin(r->cost->delay, class->cost) * share;
	if (class->note > 0)
		share += (shares.noted - shares.read) * class->note / class->cost;
	if (shares.noted > 0)
		beside = &class->beside;
	cost = (c->of_cost * class->cost + c->of_error * class->error) * share - delay +
	       of_way(beside, way);
	return cost > 0 ? cost / r->cost->function : 0;
}

void take_class(const struct overhead_replay *r, struct overhead_place *place,
		const struct record_cost *class, struct gap_shares shares)
{
	place->class = class;
	place->shares = shares;
	for (int way = 0; way < WAYS; way++) {
		const double factor = factor_of(r, way, class, shares);
		for (int i = 0; i < COST_KINDS; i++)
			for (int j = 0; j < COST_KINDS; j++) {
				double *cost = &place->cost[way][i][j];
				*cost = cost_between(r->cost, (enum cost_kind)i, (enum cost_kind)j,
						     r->paper ? 1 : factor);
				if (i >= COST_MPI_ENTER && j >= COST_MPI_ENTER)
					*cost *= r->ways[way].calls;
				*cost *= r->ways[way].crowd;
			}
		if (r->paper) /* it charges every record, whatever was before it */
			for (int j = 0; j < COST_KINDS; j++)
				place->cost[way][NO_RECORD][j] = r->cost->record;
	}
}

/* What follows the leave of a call. */
struct ahead {
	uint32_t site; /* call site at which the segment ends; UINT32_MAX: it does not */
	bool skipped;  /* it begins with a stretch without probes */
	struct gap_shares shares;
	uint32_t records; /* of functions; of a gap: up to `end` */
	uint32_t end;     /* event */
	bool spoiled;     /* with regions of the tool before that */
};

static struct ahead look_ahead(const struct overhead_replay *r, uint32_t event)
{
	const struct overhead_path *paths = r->paths->list;
	const struct block *first = store_event_block(r->trace, event);
	const struct block_ids *list = &r->trace->lists.data[first->location];
	uint32_t nth = first->nth, slot = event % BLOCK_EVENTS + 1;
	struct ahead ahead = { .site = UINT32_MAX, .shares = { 1, 1, true }, .end = EVENT_NONE };
	struct gap_counts gap = { 0 };
	bool entered = false;

	for (; nth < list->n; nth++, slot = 0) {
		const struct block *block = store_block(r->trace, list->data[nth]);
		for (; slot < block->n; slot++) {
			const uint32_t what = block->what[slot];
			const uint32_t id = list->data[nth] * BLOCK_EVENTS + slot;
			uint8_t role;
			if (gap_of_event(r->trace, what, &gap)) {
				ahead.shares = (struct gap_shares){
					(double)gap.read / (double)gap.records,
					(double)gap.noted / (double)gap.records, false
				};
				ahead.end = id;
				ahead.records = gap.records;
			}
			if (what_kind(what) != EV_ENTER && what_kind(what) != EV_LEAVE)
				continue;
			role = paths[what_id(what)].role;
			if (ahead.end == EVENT_NONE) {
				ahead.records += role == PATH_FUNCTION;
				ahead.spoiled |= role == PATH_MEASURING;
			}
			if (what_kind(what) == EV_LEAVE)
				continue;
			if (role == PATH_CALL) {
				ahead.site = paths[what_id(what)].site;
				if (ahead.end == EVENT_NONE)
					ahead.end = id;
				return ahead;
			}
			ahead.skipped |= !entered && role == PATH_UNRECORDED;
			entered = true;
		}
	}
	return ahead;
}

/* What an outlier's probes may have met. Only the lower time leaves it out: what lengthened the
 * segment may be the program. It does so from the segment's begin on, so that no time of it is
 * later than it may be. */
static void take_outlier(const struct overhead_replay *r, struct overhead_place *place,
			 const struct ahead *ahead)
{
	const struct record_cost *class = place->class;
	const double records = ahead->records;
	double took, usual;

	if (!class || !(class->outliers.limit > 0) || !ahead->records || ahead->spoiled)
		return;
	took = (double)(store_event_time(r->trace, r->from, ahead->end) - place->segment_begin) /
	       records;
	usual = class->outliers.usual - (1 - ahead->shares.read) * class->cost;
	if (!ahead->shares.delayed)
		usual -= fmin(r->cost->delay, class->cost) * ahead->shares.read;
	if (took - usual > class->outliers.limit - class->outliers.usual)
		place->gone[LOWER] += class->outliers.share * (took - usual) * records;
}

/* A segment begins after the leave of a call: what do its records cost? */
void take_segment(const struct overhead_replay *r, struct overhead_place *place, uint32_t path,
		  uint32_t event)
{
	const struct overhead_classes *classes = &r->survey->classes;
	const struct record_cost *class;
	struct ahead ahead;

	place->segment_begin = place->last;
	place->gap_ended = false;
	if (!r->paths->sampled)
		return;
	ahead = look_ahead(r, event);
	place->skipped = ahead.skipped;
	if (!classes->sampled || r->one_cost || r->paper)
		return;
	class = classes_cost(classes, store_event_block(r->trace, event)->location,
			     r->paths->list[path].site, ahead.site);
	if (class != place->class || ahead.shares.delayed != place->shares.delayed ||
	    ahead.shares.read < place->shares.read || ahead.shares.read > place->shares.read ||
	    ahead.shares.noted < place->shares.noted || ahead.shares.noted > place->shares.noted)
		take_class(r, place, class, ahead.shares);
	take_outlier(r, place, &ahead);
}

/* ---- records and calls ---- */

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
		cost += timed - (place->shares.delayed ? r->cost->delay : 0);
	if (kind == COST_MPI_ENTER && place->before < COST_MPI_ENTER)
		cost -= half;
	if (place->before == COST_MPI_LEAVE && place->after >= 0) {
		/* A part is not timed, but as a loop measured it. */
		after = (double)place->after;
		after += (r->ways[way].calls - 1) * fmin(after, between + again);
		if (kind < COST_MPI_ENTER)
			cost += after - half;
		else
			cost = fmin(after, distance);
	}
	return fmax(0, cost);
}

/* What was timed before an event of a stretch, which is a function's record or not. */
static double timed_before(struct timed_stretch *s, int way, double distance, bool record)
{
	double *left = way == BEST ? &s->rest : way == LOWER ? &s->early : &s->late;
	double *room = way == BEST ? &s->room : &s->free, timed;

	if (record && (way == BEST || s->even))
		return fmin(s->each, distance);
	if (way == LOWER) {
		timed = fmin(distance, *left);
	} else {
		*room = fmax(0, *room - distance);
		timed = fmax(0, *left - *room);
	}
	*left -= timed;
	return timed;
}

/* What the recorder does for the messages of a call is in the call; it is taken out after it. */
static double messages_cost(const struct overhead_replay *r, const struct overhead_place *place,
			    int way)
{
	if (r->paper || r->one_cost || r->timed->set != UINT32_MAX ||
	    place->before != COST_MPI_LEAVE)
		return 0;
	return place->messages * of_way(&r->cost->message, way) * r->ways[way].crowd;
}

/* Removes the cost of a record; an independent event's total goes to place->gone. True if an
 * interval was clamped. */
bool take_out_record(const struct overhead_replay *r, struct overhead_place *place, unsigned kind,
		     int64_t distance)
{
	unsigned long long clamped = 0;

	for (int way = 0; way < WAYS; way++) {
		const double timed =
			kind < COST_MPI_ENTER && place->stretch.known
				? timed_before(&place->stretch, way, (double)distance, true)
				: 0;
		const double cost = record_cost(r, place, way, kind, (double)distance, timed);
		if (!r->paper) {
			place->gone[way] += cost + messages_cost(r, place, way);
			continue;
		}
		place->gone[way] = place->held[way] + (double)distance -
				   paper_independent((double)distance, cost, &clamped);
	}
	if (place->before == COST_MPI_LEAVE)
		place->messages = 0;
	return clamped > 0 && distance > 0;
}

/* Ticks before an event that are not recording of the call before. */
static double room_before(const struct overhead_place *place, int64_t m)
{
	const double distance = (double)(m - place->last);

	return place->before == COST_MPI_LEAVE && place->after > 0
		       ? fmax(0, distance - (double)place->after)
		       : distance;
}

/* What was timed inside a call before it went on into MPI is before its first event there; between
 * calls, what records have no time for is before regions of the tool and the next call. */
void take_out_timed(const struct overhead_replay *r, struct overhead_place *place, uint32_t what,
		    int64_t m, uint32_t event)
{
	struct timed_stretch *s = &place->stretch;

	if (place->call && m >= place->call_begin + place->inside) {
		for (int way = 0; way < WAYS; way++)
			place->gone[way] += (double)place->rest;
		place->rest = 0;
	}
	if (!s->known || (place->call && !path_is_construct(r->paths, place->call)))
		return;
	if (event == s->end) {
		place->gone[BEST] += s->rest;
		place->gone[LOWER] += s->even ? s->rest : s->early;
		place->gone[UPPER] += s->even ? s->rest : s->late;
		s->known = false;
	} else if (what_kind(what) == EV_ENTER && !path_is_delayed(r->paths, what_id(what))) {
		const double room = room_before(place, m),
			     rest = timed_before(s, BEST, room, false);
		place->gone[BEST] += rest;
		place->gone[LOWER] += s->even ? rest : timed_before(s, LOWER, room, false);
		place->gone[UPPER] += s->even ? rest : timed_before(s, UPPER, room, false);
	}
}

/* Whether the trace has events of those for whom the open call waits: all wait in MPI_Init and
 * MPI_Finalize until their leave. */
static bool asks_partners(const struct overhead_replay *r, const struct overhead_place *place)
{
	const uint32_t region = r->paths->list[place->call].region;
	const enum collective_kind kind = region_meaning(r->trace, region).collective;

	return place->asked || kind == COLLECTIVE_INIT || kind == COLLECTIVE_FINALIZE;
}

/* What a location has lost by `left`, as it knew it: BEST is within that. */
static void take_kept(const struct overhead_replay *r, struct overhead_place *place,
		      const struct virtual_call *kept)
{
	const double left = (double)kept->left - r->zero;

	place->gone[LOWER] = left + (double)kept->error;
	place->gone[UPPER] = left - (double)kept->error;
	place->gone[BEST] = fmax(place->gone[UPPER], fmin(place->gone[BEST], place->gone[LOWER]));
}

/* At the end of a call for whose partners the trace has no event (MPI_Comm_split, a send that
 * waits): the rank knew how much of its waiting recording made, or might have made. A call that
 * waited for none is as any. */
void take_out_waiting(const struct overhead_replay *r, struct overhead_place *place, uint32_t what,
		      int64_t m)
{
	const double own = place->gone[BEST] - place->call_gone[BEST];
	const double records = r->cost->pair[COST_MPI_ENTER][COST_MPI_LEAVE] +
			       r->cost->pair[COST_MPI_LEAVE][COST_MPI_ENTER];
	struct virtual_call kept;
	double taken;
	bool bounded, grows;

	if (!place->call || !place->keeps || asks_partners(r, place) ||
	    !virtual_values(r->trace, r->timed->set, what, &kept))
		return;
	taken = (double)(kept.left - kept.before);
	bounded = kept.error >= 0 && kept.unsure >= 0;
	grows = bounded && (double)(kept.error - kept.unsure) > records;
	if (fabs(taken - own) <= records && !grows)
		return;
	for (int way = 0; way < WAYS; way++)
		place->gone[way] = place->call_gone[way] + taken;
	if (bounded) {
		take_kept(r, place, &kept);
	} else { /* not before it began, and not later than it was */
		place->gone[LOWER] = place->call_gone[LOWER] + (double)(m - place->call_begin);
		place->gone[UPPER] = fmin(0, place->gone[UPPER]);
	}
}

/* A thread that the program made is born, or joined: no event shows the other one, but the thread
 * knew what recording had cost it. */
void take_out_unshown(const struct overhead_replay *r, struct overhead_place *place, uint32_t what)
{
	struct virtual_call kept;

	if (place->call || !virtual_values(r->trace, r->timed->set, what, &kept) || !kept.unshown)
		return;
	for (int way = 0; way < WAYS; way++)
		place->gone[way] += (double)(kept.left - kept.before);
	if (kept.error >= 0)
		take_kept(r, place, &kept);
}
