/* Control of receives from any source: what a recorder would do that knows the state of all ranks
 * (capture/lib/virtual_order.h). */
#include "capture/lib/virtual_order.h"

#include <math.h>

#include "base/mem.h"
#include "engine_impl.h"

/* Looks are not nearer to each other than this, or a probe that is under way would ask for many. */
#define LEAST_LOOK (PICO / 1000000000)

void hold_add(struct engine *e, uint32_t id)
{
	if (e->settings->control)
		vec_push(&e->actors[e->letters.data[id].dest].under_way, id);
}

void hold_remove(struct engine *e, uint32_t id)
{
	struct actor *a = &e->actors[e->letters.data[id].dest];
	size_t kept = 0;

	for (size_t i = 0; i < a->under_way.n; i++)
		if (a->under_way.data[i] != id)
			a->under_way.data[kept++] = a->under_way.data[i];
	a->under_way.n = kept;
}

static int64_t arrival_of(const struct letter *letter)
{
	return letter->arrival - letter->intrusion;
}

/* Receives posted before that take letters like this one, whatever the others are. */
static size_t taken_by_others(const struct actor *a, const struct letter *letter)
{
	size_t n = 0;

	for (size_t i = 0; i < a->wanted.n; i++) {
		const struct wanted *w = &a->wanted.data[i];
		n += !w->done && !w->is_send && w->tag == letter->tag &&
		     w->source == letter->source;
	}
	return n;
}

/* The source that the receive asks for; of one that was let in, its choice. */
static int32_t source_of(const struct actor *a)
{
	return a->waits ? vec_last(&a->wanted)->source : a->op.peer;
}

/* The letter under way that comes first in virtual time of those that the receive in the call may
 * take: of each source the oldest. */
static const struct letter *candidate_of(const struct engine *e, const struct actor *a)
{
	const int32_t source = source_of(a);
	const struct letter *best = NULL;

	for (size_t i = 0; i < a->under_way.n; i++) {
		const struct letter *letter = &e->letters.data[a->under_way.data[i]];
		size_t before = 0;
		if (letter->tag != a->op.tag || (source != ANY && letter->source != source))
			continue;
		for (size_t k = 0; k < i; k++) {
			const struct letter *older = &e->letters.data[a->under_way.data[k]];
			before += older->source == letter->source && older->tag == letter->tag;
		}
		if (before != (source == ANY ? taken_by_others(a, letter) : 0))
			continue;
		if (!best || arrival_of(letter) < arrival_of(best))
			best = letter;
	}
	return best;
}

/* ---- states ---- */

/* Virtual time of a rank on its way to its next call. */
static int64_t on_its_way(const struct engine *e, const struct actor *a)
{
	const struct stretch *way = a->way.data;
	size_t i = a->way.n;

	while (i > 1 && way[i - 1].real > e->now)
		i--;
	if (e->now <= way[i - 1].real)
		return way[i - 1].moved;
	const int64_t moved = way[i - 1].moved + (e->now - way[i - 1].real);
	return i < a->way.n && way[i].moved < moved ? way[i].moved : moved;
}

static bool is_between(const struct engine *e, const struct actor *a)
{
	return a->way.n && vec_last(&a->way)->real > e->now;
}

/* Whether a collective holds the rank until that one comes. */
static bool misses(const struct actor *a, const struct actor *other)
{
	return !(other->meets && other->meetings == a->meetings) && other->meetings <= a->meetings;
}

/* Of the receives that a wait is for: the last message under way arrives then; false where there is
 * one whose message is not sent yet, by `from` (ANY: whoever that is). */
static bool all_sent(const struct engine *e, const struct actor *a, int32_t from, int64_t *arrival)
{
	for (size_t i = 0; i < a->wanted.n; i++) {
		const struct wanted *w = &a->wanted.data[i];
		size_t before = 0, k = 0;
		if (w->done || w->is_send || (from != ANY && w->source != from))
			continue;
		for (size_t other = 0; other < i; other++)
			before += !a->wanted.data[other].done && !a->wanted.data[other].is_send &&
				  a->wanted.data[other].source == w->source &&
				  a->wanted.data[other].tag == w->tag;
		for (; k < a->under_way.n; k++) {
			const struct letter *letter = &e->letters.data[a->under_way.data[k]];
			if (letter->source != w->source || letter->tag != w->tag || before--)
				continue;
			*arrival = order_later(*arrival, arrival_of(letter));
			break;
		}
		if (k == a->under_way.n)
			return false;
	}
	return true;
}

static bool waits(const void *of, size_t waiting, size_t other)
{
	const struct engine *e = of;
	const struct actor *a = &e->actors[waiting];

	if (a->meets)
		return misses(a, &e->actors[other]);
	if (a->rendezvous)
		return (size_t)a->op.peer == other;
	if (a->op.kind == OP_RECV)
		return source_of(a) == ANY || (size_t)source_of(a) == other;
	return !all_sent(e, a, (int32_t)other, &(int64_t){ 0 });
}

static int64_t latency(const void *of, size_t from, size_t to)
{
	return letter_latency(of, (uint32_t)from, (uint32_t)to);
}

static struct order_rank blocked_in(const struct engine *e, const struct actor *a)
{
	struct order_rank r = { .state = ORDER_FIRST,
				.bound = a->now - a->intrusion,
				.ready = ORDER_NEVER,
				.sends = true };

	if (a->held)
		r.bound = a->held_since - a->intrusion;
	if (a->meets) {
		const enum part part = region_info[a->op.region].part;
		/* With a root, or upwards, fewer hold it up than all: the first is a bound. */
		r.state = part == PART_ALL || part == PART_NONE ? ORDER_EVERY : ORDER_FIRST;
	} else if (a->op.kind == OP_RECV) {
		const struct letter *next = candidate_of(e, a);
		if (next)
			r.ready = arrival_of(next);
	} else if (a->op.kind == OP_WAITALL) {
		const bool all = all_sent(e, a, ANY, &r.bound);
		r.state = all ? ORDER_FIRST : ORDER_EVERY;
		r.ready = r.bound;
	}
	return r;
}

static void look_at_ranks(const struct engine *e, struct order_rank *ranks)
{
	for (uint32_t q = 0; q < e->settings->ranks; q++) {
		const struct actor *a = &e->actors[q];
		const bool between = is_between(e, a);
		if (between || !(a->waits || a->held || a->meets || a->rendezvous))
			ranks[q] = (struct order_rank){ .state = a->ended && !between ? ORDER_DONE
										      : ORDER_RUNS,
							.bound = on_its_way(e, a),
							.sends = true };
		else
			ranks[q] = blocked_in(e, a);
	}
}

/* ---- holding ---- */

static void let_in(struct engine *e, uint32_t rank, int32_t source)
{
	struct actor *a = &e->actors[rank];

	a->held = false;
	e->n_held--;
	e->run->held += e->now > a->held_since;
	e->run->held_for += e->now - a->held_since;
	a->intrusion += e->now - a->held_since;
	a->now = e->now;
	keep_held(e, rank);
	letter_receive_from(e, rank, source);
}

static bool try(struct engine *e, uint32_t rank, struct order_rank *ranks)
{
	struct actor *a = &e->actors[rank];
	const struct order_view view = { .of = e,
					 .waits = waits,
					 .latency = latency,
					 .least_latency = pico(fmin(e->settings->latency_intra,
								    e->settings->latency)) };
	const struct letter *best = candidate_of(e, a);
	struct order_answer answer;
	int64_t again;

	if (!best)
		return false;
	look_at_ranks(e, ranks);
	answer = order_safe(&view, ranks, e->settings->ranks, rank, arrival_of(best));
	if (answer.safe) {
		let_in(e, rank, best->source);
		return true;
	}
	again = e->now + (answer.lacks > LEAST_LOOK ? answer.lacks : LEAST_LOOK);
	if (answer.live && (a->looks_at <= e->now || again < a->looks_at)) {
		a->looks_at = again;
		queue_push(&e->queue, again, rank, NO_CALL);
	}
	return false;
}

void hold_receive(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];

	a->held = true;
	a->held_since = e->now;
	e->run->from_any++;
	e->n_held++;
}

void hold_look(struct engine *e)
{
	struct order_rank *ranks;
	bool more = e->n_held > 0;

	if (!more)
		return;
	ranks = xcalloc(e->settings->ranks, sizeof *ranks);
	while (more) {
		more = false;
		for (uint32_t r = 0; r < e->settings->ranks; r++)
			if (e->actors[r].held)
				more = try(e, r, ranks) || more;
	}
	free(ranks);
}
