/* Finds the stretches before jumps that are raised, and how far the sends in them may go: 4.1 of
 * the specification. All times are those of the forward pass, before any is raised. Memory and time
 * grow with the events that move. */
#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/clc/clc_state.h"
#include "model/trace/store.h"

/* A begin of a group whose limit is wanted. */
struct ask {
	uint32_t group, party; /* at its home */
};

struct asks {
	VEC(struct ask) rows;
	VEC(size_t) limits; /* index of each */
	VEC(uint32_t) to;   /* process that answers */
};

/* ---- ramps ---- */

/* Sorts jumps by location, stably. */
static void sort_jumps(struct clc_ramps *ramps, const struct clc *clc)
{
	const uint32_t n = trace_location_count(clc->trace);

	ramps->of = xcalloc((size_t)n + 2, sizeof *ramps->of);
	ramps->ramps = xcalloc(clc->jumps.n + 1, sizeof *ramps->ramps);
	for (size_t i = 0; i < clc->jumps.n; i++)
		ramps->of[clc->jumps.data[i].location + 2]++;
	for (uint32_t l = 0; l < n; l++)
		ramps->of[l + 2] += ramps->of[l + 1];
	for (size_t i = 0; i < clc->jumps.n; i++) {
		const struct clc_jump *jump = &clc->jumps.data[i];
		struct clc_ramp *ramp = &ramps->ramps[ramps->of[jump->location + 1]++];
		ramp->event = jump->event;
		ramp->jump = jump->jump;
	}
}

/* Sets where the ramps of a location begin: none before the location's first event. */
static void place_ramps(struct clc_ramps *ramps, const struct clc *clc, uint32_t location)
{
	const int64_t first = clc->places[location].first_out;
	int64_t low = INT64_MAX;

	for (size_t i = ramps->of[location + 1]; i-- > ramps->of[location];) {
		struct clc_ramp *ramp = &ramps->ramps[i];
		double room;
		ramp->nth = store_event_block(clc->trace, ramp->event)->nth;
		ramp->receive = store_event_time(clc->trace, BASE_CLC, ramp->event);
		room = (double)(first - ramp->receive);
		ramp->from = -ramp->jump - ramp->jump / clc->slope;
		if (ramp->from < room)
			ramp->from = room;
		if (ramp->receive + (int64_t)floor(ramp->from) < low)
			low = ramp->receive + (int64_t)floor(ramp->from);
		ramp->low = low;
	}
}

/* ---- limits ---- */

static int64_t limit_of_send(const struct clc *clc, uint32_t location, uint32_t row)
{
	int64_t limit = INT64_MAX;

	for (; row != UINT32_MAX; row = logical_next_of_send(clc->logical, row)) {
		const uint32_t recv = store_message(clc->trace, row)->recv;
		const uint32_t to = store_event_block(clc->trace, recv)->location;
		const int64_t at = store_event_time(clc->trace, BASE_CLC, recv) -
				   lmin_between(clc->lmin, location, to, LOGICAL_P2P);
		limit = at < limit ? at : limit;
	}
	return limit;
}

static void ask_for(struct asks *asks, const struct clc *clc, uint32_t row, uint32_t party,
		    size_t limit)
{
	const uint32_t groups = logical_group_count(clc->logical);
	const struct logical_far *far =
		row >= groups ? logical_far(clc->logical, row - groups) : NULL;

	vec_push(&asks->rows, ((struct ask){ far ? far->group : row, party }));
	vec_push(&asks->limits, limit);
	vec_push(&asks->to, far ? far->process : exchange_process(trace_exchange(clc->trace)));
}

static void note_sends(struct clc_ramps *ramps, struct asks *asks, const struct clc *clc,
		       uint32_t block, uint32_t from, uint32_t to)
{
	const struct block *b = store_block(clc->trace, block);

	for (uint32_t slot = from; slot < to; slot++) {
		struct clc_limit limit = { block * BLOCK_EVENTS + slot, INT64_MAX };
		uint32_t row, party;
		switch (logical_part_of(clc->logical, limit.event, b->what[slot], &row, &party)) {
		case PART_SEND: limit.limit = limit_of_send(clc, b->location, row); break;
		case PART_BEGIN: ask_for(asks, clc, row, party, ramps->limits.n); break;
		default: continue;
		}
		vec_push(&ramps->limits, limit);
	}
}

static int64_t last_time(const struct clc *clc, uint32_t block)
{
	return store_time(clc->trace, BASE_CLC, block, store_block(clc->trace, block)->n - 1u);
}

/* The first block of a location in nth .. stop that has an event after a time; stop if none has. */
static uint32_t first_block_behind(const struct clc *clc, uint32_t location, uint32_t nth,
				   uint32_t stop, int64_t time)
{
	const uint32_t *blocks = clc->trace->lists.data[location].data;

	BISECT(nth, stop, middle, last_time(clc, blocks[middle]) <= time);
	return nth;
}

/* The sends of the stretch between a ramp's receive and the one before it that lie in this or a
 * later ramp. */
static void note_stretch(struct clc_ramps *ramps, struct asks *asks, const struct clc *clc,
			 uint32_t location, size_t i)
{
	const struct clc_ramp *ramp = &ramps->ramps[i];
	const uint32_t *blocks = clc->trace->lists.data[location].data;
	uint32_t nth = 0, slot = 0;

	if (i > ramps->of[location]) {
		nth = ramp[-1].nth;
		slot = ramp[-1].event % BLOCK_EVENTS;
	}
	if (nth < ramp->nth && last_time(clc, blocks[nth]) <= ramp->low) {
		nth = first_block_behind(clc, location, nth + 1, ramp->nth, ramp->low);
		slot = 0;
	}
	for (; nth <= ramp->nth; nth++, slot = 0) {
		const uint32_t n = nth == ramp->nth ? ramp->event % BLOCK_EVENTS
						    : store_block(clc->trace, blocks[nth])->n;
		while (slot < n && store_time(clc->trace, BASE_CLC, blocks[nth], slot) <= ramp->low)
			slot++;
		if (slot < n)
			note_sends(ramps, asks, clc, blocks[nth], slot, n);
	}
}

/* An ask, and its place among those that are answered. */
struct asked {
	uint32_t group, party;
	size_t place;
};

ORDERING(by_group, struct asked, group, place)

/* The limits of one group's parties; INT64_MAX: none. */
static void answer(const struct clc *clc, const struct group *group, struct bounds_party *parties,
		   const struct asked *asked, size_t n, int64_t *limits)
{
	struct bounds bounds;

	bounds_start(&bounds, parties, group, clc->nodes, true);
	for (uint32_t i = 0; i < group->n; i++)
		if (group->parties[i].receives)
			parties[i].value =
				-store_event_time(clc->trace, BASE_CLC, group->parties[i].end);
	for (size_t i = 0; i < n; i++) {
		const int64_t limit =
			bounds_limit(&bounds, parties, group, clc->lmin, asked[i].party);
		if (limit != BOUND_NONE)
			limits[asked[i].place] = -limit;
	}
}

/* The limits of asks. */
static void *answer_all(void *context, const void *rows, size_t n)
{
	const struct clc *clc = context;
	const struct ask *asks = rows;
	OWNED struct asked *list = xmalloc((n + 1) * sizeof *list);
	int64_t *limits = xmalloc((n + 1) * sizeof *limits);
	struct group group = { 0 };
	struct bounds_party *parties = NULL;
	uint32_t cap = 0;

	for (size_t i = 0; i < n; i++) {
		list[i] = (struct asked){ asks[i].group, asks[i].party, i };
		limits[i] = INT64_MAX;
	}
	SORT(list, n, by_group);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && list[end].group == list[i].group;)
			end++;
		if (!logical_group(clc->logical, list[i].group, &group))
			continue;
		if (group.n > cap) {
			free(parties);
			parties = xcalloc(group.n, sizeof *parties);
			cap = group.n;
		}
		answer(clc, &group, parties, list + i, end - i, limits);
	}
	group_fini(&group);
	free(parties);
	return limits;
}

static void take_answers(struct clc_ramps *ramps, const struct asks *asks, struct clc *clc)
{
	struct exchange *x = trace_exchange(clc->trace);
	OWNED int64_t *limits =
		x ? exchange_ask(x, asks->rows.data, asks->rows.n, sizeof *asks->rows.data,
				 asks->to.data, answer_all, clc, sizeof *limits)
		  : answer_all(clc, asks->rows.data, asks->rows.n);

	for (size_t i = 0; i < asks->rows.n; i++)
		ramps->limits.data[asks->limits.data[i]].limit = limits[i];
}

bool clc_ramps_make(struct clc_ramps *ramps, struct clc *clc)
{
	const uint32_t n = trace_location_count(clc->trace);
	const struct progress whole = progress_whole(clc->progress);
	struct asks asks = { VEC_INIT, VEC_INIT, VEC_INIT };
	bool ok = true;

	*ramps = (struct clc_ramps){ 0 };
	sort_jumps(ramps, clc);
	ramps->limits_of = xcalloc((size_t)n + 1, sizeof *ramps->limits_of);
	for (uint32_t l = 0; l < n && ok; l++) {
		place_ramps(ramps, clc, l);
		for (size_t i = ramps->of[l]; i < ramps->of[l + 1]; i++)
			note_stretch(ramps, &asks, clc, l, i);
		ramps->limits_of[l + 1] = ramps->limits.n;
		ok = progress_step(&whole, "logical clock", l, n);
	}
	if (ok)
		take_answers(ramps, &asks, clc);
	vec_fini(&asks.rows);
	vec_fini(&asks.limits);
	vec_fini(&asks.to);
	return ok;
}

void clc_ramps_fini(struct clc_ramps *ramps)
{
	free_all(ramps->ramps, ramps->of, ramps->limits_of);
	vec_fini(&ramps->limits);
}
