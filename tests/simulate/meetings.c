#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine_impl.h"

enum { ROUNDS = 17 /* of an offset measurement; the first only wakes the other one */ };

static uint32_t levels(uint32_t n)
{
	uint32_t depth = 0;

	while (n > 1u << depth)
		depth++;
	return depth;
}

/* From one rank to another along the tree: so many hops of the largest latency. */
static int64_t along(const struct engine *e, uint64_t meeting, uint32_t rank, uint32_t hops,
		     uint32_t bytes)
{
	const struct settings *s = e->settings;
	const double hop = s->ranks > s->node_ranks ? s->latency : s->latency_intra;

	return (int64_t)hops * pico(hop + bytes / s->bandwidth) +
	       letter_delay(e, CHANCE_COLLECTIVE, rank, meeting);
}

/* Whom a rank needs: the last one to enter; the root; of the root all, of a prefix those below. */
static void note_blocked(struct engine *e, uint32_t rank, const struct meeting *m)
{
	const uint32_t n = e->settings->ranks, root = (uint32_t)e->actors[rank].op.peer;
	uint32_t first = 0, end = n, late = rank;

	switch (region_info[e->actors[rank].op.region].part) {
	case PART_FROM_ROOT:
		first = root;
		end = root + 1;
		break;
	case PART_TO_ROOT: end = rank == root ? n : 0; break;
	case PART_UPWARDS: end = rank; break;
	default: break;
	}
	for (uint32_t r = first; r < end; r++)
		if (m->entered[r] > m->entered[late])
			late = r;
	if (late != rank)
		engine_note_blocked(e, rank, late, m->entered[late]);
}

static const enum virtual_rule rules[] = { [PART_ALL] = VIRTUAL_ALL,
					   [PART_FROM_ROOT] = VIRTUAL_FROM_ROOT,
					   [PART_TO_ROOT] = VIRTUAL_TO_ROOT,
					   [PART_UPWARDS] = VIRTUAL_BELOW };

/* What it takes a rank from another one's coming, as below; from its own a copy. */
static int64_t lag_of(const struct engine *e, uint64_t which, enum part part, uint32_t rank,
		      uint32_t other)
{
	const uint32_t n = e->settings->ranks, root = (uint32_t)e->actors[rank].op.peer;
	const uint32_t bytes = e->actors[rank].op.bytes;

	if (part == PART_ALL)
		return 0;
	if (other == rank)
		return letter_copying(e, bytes);
	if (part == PART_FROM_ROOT)
		return along(e, which, rank, levels((rank + n - root) % n + 1), bytes);
	if (part == PART_TO_ROOT)
		return along(e, which, other, levels((other + n - root) % n + 1), bytes);
	return along(e, which, rank, levels(rank + 1), bytes);
}

static void settle(struct engine *e, uint32_t rank, const struct meeting *m)
{
	const struct actor *a = &e->actors[rank];
	const enum part part = region_info[a->op.region].part;
	struct virtual_sum sum;

	virtual_begin(&sum,
		      (struct virtual_entry){ m->at[rank], m->intrusion[rank],
					      lag_of(e, a->meetings, part, rank, rank), 0 },
		      a->now);
	for (uint32_t r = 0; r < e->settings->ranks; r++)
		if (virtual_depends(rules[part], a->op.peer, (int)rank, (int)r))
			engine_depend(&sum, (struct virtual_entry){
						    m->at[r], m->intrusion[r],
						    lag_of(e, a->meetings, part, rank, r), 0 });
	engine_settle(e, rank, &sum, rules[part]);
	keep_meeting(e, rank, m, rules[part]);
}

static void leave_meeting(struct engine *e, uint32_t rank, struct meeting *m, int64_t time)
{
	struct actor *a = &e->actors[rank];

	if (time > a->now)
		a->now = time;
	a->meets = false;
	note_blocked(e, rank, m);
	settle(e, rank, m);
	m->left++;
	a->meetings++;
	engine_leave_call(e, rank);
}

/* Offsets are measured behind MPI_Init and inside MPI_Finalize, which then comes itself. */
static void end_measuring(struct engine *e, uint32_t rank, int64_t time)
{
	struct actor *a = &e->actors[rank];

	a->meets = false;
	engine_intrude(e, rank, time - a->now);
	engine_note(e, rank, HAPPEN_LEAVE, REGION_OFFSETS, time);
	if (a->op.kind == OP_FINALIZE)
		queue_push(&e->queue, a->now, rank, NO_MESSAGE);
	else
		engine_go_on(e, rank);
}

static void all_leave(struct engine *e, uint64_t which, struct meeting *m)
{
	const uint32_t n = e->settings->ranks, hops = levels(n);

	for (uint32_t r = 0; r < n; r++)
		leave_meeting(e, r, m, m->latest + along(e, which, r, hops, e->actors[r].op.bytes));
}

/* Who waits for the root, when it has come; the root itself waits for nobody. */
static void from_root(struct engine *e, uint64_t which, struct meeting *m, uint32_t rank)
{
	const uint32_t n = e->settings->ranks, root = (uint32_t)e->actors[rank].op.peer;
	const uint32_t bytes = e->actors[rank].op.bytes;
	const bool all = rank == root;

	if (m->at[root] < 0)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t r = all ? (root + i) % n : rank;
		const uint32_t distance = (r + n - root) % n;
		const int64_t ready = m->at[r] + letter_copying(e, bytes);
		if (m->at[r] >= 0) {
			const int64_t there =
				r == root ? ready
					  : m->at[root] +
						    along(e, which, r, levels(distance + 1), bytes);
			leave_meeting(e, r, m, there > ready ? there : ready);
		}
		if (!all)
			break;
	}
}

static void to_root(struct engine *e, uint64_t which, struct meeting *m, uint32_t rank)
{
	const uint32_t n = e->settings->ranks, root = (uint32_t)e->actors[rank].op.peer;
	const uint32_t bytes = e->actors[rank].op.bytes;
	int64_t time;

	if (rank != root)
		leave_meeting(e, rank, m, m->at[rank] + letter_copying(e, bytes));
	if (m->came < n || m->at[root] < 0)
		return;
	time = m->at[root] + letter_copying(e, bytes);
	for (uint32_t r = 0; r < n; r++) {
		const int64_t there =
			m->at[r] + along(e, which, r, levels((r + n - root) % n + 1), bytes);
		if (r != root && there > time)
			time = there;
	}
	leave_meeting(e, root, m, time);
}

static void upwards(struct engine *e, uint64_t which, struct meeting *m)
{
	const uint32_t n = e->settings->ranks;

	while (m->upward < n && m->at[m->upward] >= 0) {
		const uint32_t r = m->upward++;
		const int64_t at = m->at[r];
		/* The latest of the ranks below, and itself, which costs a copy. */
		const int64_t ready = at + letter_copying(e, e->actors[r].op.bytes);
		const int64_t there =
			r ? m->latest + along(e, which, r, levels(r + 1), e->actors[r].op.bytes)
			  : 0;
		if (at > m->latest)
			m->latest = at;
		leave_meeting(e, r, m, there > ready ? there : ready);
	}
}

/* Rank 0 takes one rank after the other; of its round trips the shortest counts. */
static struct round_trip measure_offset(const struct engine *e, uint32_t rank, bool at_end,
					int64_t *t)
{
	const struct settings *s = e->settings;
	const double noise = s->offset_noise * M_SQRT2 * (double)PICO;
	const int64_t way = s->offset_links ? letter_way(e, 0, rank) : letter_latency(e, 0, rank);
	const int64_t return_way = s->offset_links ? letter_way(e, rank, 0) : way;
	/* What all rounds have in common: a busy machine. Two exponential delays of this mean
	 * differ by twice the noise (rms), and half of that is the error. */
	const int64_t there =
		(int64_t)(noise * chance_delay(s->seed, CHANCE_OFFSET, rank, 2 * (uint64_t)at_end));
	const int64_t back = (int64_t)(noise * chance_delay(s->seed, CHANCE_OFFSET, rank,
							    1 + 2 * (uint64_t)at_end));
	struct round_trip best = { .came = INT64_MAX };

	for (uint64_t i = 0; i < ROUNDS; i++) {
		const uint64_t nth = (uint64_t)at_end << 16 | i << 1;
		struct round_trip trip = { .rank = rank, .at_end = at_end, .sent = *t };
		trip.there =
			*t + way + there + letter_delay(e, CHANCE_OFFSET, rank + s->ranks, nth);
		trip.came = trip.there + return_way + back +
			    letter_delay(e, CHANCE_OFFSET, rank + s->ranks, nth | 1);
		*t = trip.came;
		if (i && trip.came - trip.sent < best.came - best.sent)
			best = trip;
	}
	return best;
}

static void measure_offsets(struct engine *e, int64_t t)
{
	const uint32_t n = e->settings->ranks;
	const bool at_end = e->actors[0].op.kind == OP_FINALIZE;

	for (uint32_t r = 1; r < n; r++) {
		const struct round_trip best = measure_offset(e, r, at_end, &t);
		vec_push(&e->run->round_trips, best);
		end_measuring(e, r, t);
	}
	end_measuring(e, 0, t);
}

/* Takes no time where nothing is measured. */
void meeting_measure(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];
	struct meeting *m = &e->offsets;

	a->measured_end = a->op.kind == OP_FINALIZE;
	engine_note(e, rank, HAPPEN_ENTER, REGION_OFFSETS, a->now);
	if (!e->measured) {
		end_measuring(e, rank, a->now);
		return;
	}
	a->meets = true;
	m->latest = m->came++ && m->latest > a->now ? m->latest : a->now;
	if (m->came == e->settings->ranks) {
		m->came = 0;
		measure_offsets(e, m->latest);
	}
}

static struct meeting *meeting_of(struct engine *e, uint64_t which)
{
	const uint32_t n = e->settings->ranks;

	while (e->first_meeting + e->meetings.n <= which) {
		struct meeting *m = vec_add(&e->meetings);
		m->latest = INT64_MIN;
		m->at = xmalloc(n * sizeof *m->at);
		m->entered = xmalloc(n * sizeof *m->entered);
		m->intrusion = xmalloc(n * sizeof *m->intrusion);
		m->kept = xmalloc(n * sizeof *m->kept);
		for (uint32_t r = 0; r < n; r++)
			m->at[r] = -1;
	}
	return &e->meetings.data[which - e->first_meeting];
}

/* Those that are over at the start go together. */
static void forget_meetings(struct engine *e)
{
	enum { MANY = 64 };
	size_t over = 0;

	if (e->meetings.n < MANY)
		return;
	while (over < e->meetings.n && !e->meetings.data[over].at)
		over++;
	e->meetings.n -= over;
	memmove(e->meetings.data, e->meetings.data + over,
		e->meetings.n * sizeof *e->meetings.data);
	e->first_meeting += over;
}

/* Nobody who leaves comes to another one before this is done: engine_go_on() only plans. */
void meeting_come(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];
	const uint64_t which = a->meetings;
	struct meeting *m = meeting_of(e, which);
	const enum part part = region_info[a->op.region].part;

	m->at[rank] = a->now;
	m->entered[rank] = a->entered;
	m->intrusion[rank] = a->intrusion;
	m->kept[rank] = a->keeper.own;
	a->meets = true;
	m->came++;
	if (part != PART_UPWARDS && a->now > m->latest)
		m->latest = a->now;
	if (part == PART_FROM_ROOT)
		from_root(e, which, m, rank);
	else if (part == PART_TO_ROOT)
		to_root(e, which, m, rank);
	else if (part == PART_UPWARDS)
		upwards(e, which, m);
	else if (m->came == e->settings->ranks)
		all_leave(e, which, m);
	if (m->left == e->settings->ranks) {
		free_all(m->at, m->entered, m->intrusion, m->kept);
		m->at = NULL;
		forget_meetings(e);
	}
}
