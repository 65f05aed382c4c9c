#include "model/sums/turns.h"

#include <string.h>

#include "base/mem.h"
#include "base/radix.h"
#include "model/sums/shade.h"

/* A turn is a time since t0 above two slots. */
enum {
	SLOT_BITS = 5,
	TURN_BITS = 2 * SLOT_BITS,
	MOST_SLOTS = (1 << SLOT_BITS) - 1,
	NOWHERE = MOST_SLOTS, /* before and after an interval */
	SORTED_BIT = 8,       /* of equal times any may be first */
	TURNS = 64            /* between two marks */
};
#define TURN_TIMES (UINT64_C(1) << (64 - TURN_BITS))

struct turns {
	const struct shading *shading;
	unsigned slots, others; /* of the shading; beside them */
	int64_t t0;
	bool bad; /* a time that is not from t0 on, or too late */
	VEC(uint64_t) list;
	uint64_t locations;
	/* At every 64th turn, [mark][slots + others]. Until the next turn the time spent in a slot
	 * is since + in * time, times from t0 on, modulo 2^64. */
	uint64_t *since;
	uint32_t *in;
};

struct turns *turns_new(const struct shading *shading, unsigned others, int64_t t0)
{
	struct turns *t;

	if (shading->slots + others > MOST_SLOTS)
		return NULL;
	t = xcalloc(1, sizeof *t);
	t->shading = shading;
	t->slots = shading->slots;
	t->others = others;
	t->t0 = t0;
	return t;
}

void turns_free(struct turns *t)
{
	if (!t)
		return;
	vec_fini(&t->list);
	free_all(t->since, t->in, t);
}

size_t turns_count(const struct turns *t)
{
	return t->list.n;
}

/* ---- making ---- */

static unsigned from_of(uint64_t turn)
{
	return turn >> SLOT_BITS & MOST_SLOTS;
}

static unsigned to_of(uint64_t turn)
{
	return turn & MOST_SLOTS;
}

static uint64_t time_of(uint64_t turn)
{
	return turn >> TURN_BITS;
}

static void add(struct turns *t, int64_t time, unsigned from, unsigned to)
{
	const uint64_t since = (uint64_t)time - (uint64_t)t->t0;

	t->bad = t->bad || time < t->t0 || since >= TURN_TIMES;
	vec_push(&t->list, since << TURN_BITS | from << SLOT_BITS | to);
}

struct turns_walk {
	struct turns *turns;
	uint8_t slot;
};

static inline void turn(void *context, int64_t time, uint8_t slot)
{
	struct turns_walk *w = context;

	if (slot == w->slot)
		return;
	add(w->turns, time, w->slot, slot);
	w->slot = slot;
}

void turns_add(struct turns *t, uint32_t location)
{
	struct turns_walk w = { t, t->shading->outside };

	t->locations++;
	sweep_turns(t->shading, &t->shading->trace->lists.data[location], 0, INT64_MAX, turn, &w);
}

void turns_add_interval(struct turns *t, int64_t t0, int64_t t1, unsigned other)
{
	add(t, t0, NOWHERE, t->slots + other);
	add(t, t1, t->slots + other, NOWHERE);
}

/* The sums after a turn. */
static inline void take(uint64_t turn, uint64_t *since, uint32_t *in)
{
	const unsigned from = from_of(turn), to = to_of(turn);

	in[from]--;
	since[from] += time_of(turn);
	in[to]++;
	since[to] -= time_of(turn);
}

bool turns_ready(struct turns *t)
{
	const size_t slots = t->slots + t->others, marks = t->list.n / TURNS + 1;
	uint64_t since[MOST_SLOTS + 1] = { 0 };
	uint32_t in[MOST_SLOTS + 1] = { 0 };

	if (t->bad)
		return false;
	if (t->list.n) {
		radix_sort(t->list.data, t->list.n, SORTED_BIT);
		t->list.data = xrealloc(t->list.data, t->list.n * sizeof *t->list.data);
		t->list.cap = t->list.n;
	}
	in[t->shading->outside] = (uint32_t)t->locations;
	t->since = xcalloc(marks * slots, sizeof *t->since);
	t->in = xcalloc(marks * slots, sizeof *t->in);
	for (size_t i = 0; i <= t->list.n; i++) {
		if (i % TURNS == 0) {
			memcpy(t->since + i / TURNS * slots, since, slots * sizeof *since);
			memcpy(t->in + i / TURNS * slots, in, slots * sizeof *in);
		}
		if (i < t->list.n)
			take(t->list.data[i], since, in);
	}
	return true;
}

size_t turns_bytes(const struct turns *t)
{
	const size_t marks = t->list.n / TURNS + 1;

	return sizeof *t + t->list.n * sizeof *t->list.data +
	       marks * (t->slots + t->others) * (sizeof *t->since + sizeof *t->in);
}

/* ---- asking ---- */

/* A place in the list, and what is under way there. */
struct turns_place {
	size_t next;
	uint64_t since[MOST_SLOTS + 1];
	uint32_t in[MOST_SLOTS + 1];
};

static void go_to_mark(const struct turns *t, struct turns_place *p, size_t mark)
{
	const size_t slots = t->slots + t->others;

	p->next = mark * TURNS;
	memcpy(p->since, t->since + mark * slots, slots * sizeof *p->since);
	memcpy(p->in, t->in + mark * slots, slots * sizeof *p->in);
}

/* The last mark at or before a time, at or after `from`. */
static size_t mark_before(const struct turns *t, size_t from, uint64_t time)
{
	size_t low = from, high = t->list.n / TURNS + 1;

	/* What is near is found soon. */
	for (size_t step = 1; low + step < high; step *= 2) {
		const size_t at = (low + step) * TURNS;

		if (at < t->list.n && time_of(t->list.data[at]) < time) {
			low += step;
		} else {
			high = low + step;
			break;
		}
	}
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2, at = middle * TURNS;

		if (at < t->list.n && time_of(t->list.data[at]) < time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Goes on to a time, and takes the sums up to it. */
static void go_on(const struct turns *t, struct turns_place *p, int64_t edge, uint64_t *upto)
{
	/* Sums before t0 are modulo 2^64, too. */
	const uint64_t time = (uint64_t)edge - (uint64_t)t->t0;
	const size_t mark = edge <= t->t0 ? 0 : mark_before(t, p->next / TURNS, time);

	if (mark * TURNS > p->next)
		go_to_mark(t, p, mark);
	if (edge > t->t0)
		for (; p->next < t->list.n && time_of(t->list.data[p->next]) < time; p->next++)
			take(t->list.data[p->next], p->since, p->in);
	for (unsigned k = 0; k < t->slots + t->others; k++)
		upto[k] = p->since[k] + p->in[k] * time;
}

void turns_sums(const struct turns *t, const int64_t *edges, size_t cells, uint64_t *sums,
		uint64_t *others)
{
	uint64_t upto[2][MOST_SLOTS];
	struct turns_place place = { .next = 0 };

	go_to_mark(t, &place, 0);
	go_on(t, &place, edges[0], upto[0]);
	memset(sums, 0, cells * SHADING_SLOTS * sizeof *sums);
	for (size_t i = 0; i < cells; i++) {
		const uint64_t *before = upto[i % 2], *behind = upto[(i + 1) % 2];

		go_on(t, &place, edges[i + 1], upto[(i + 1) % 2]);
		for (unsigned k = 0; k < t->slots; k++)
			sums[i * SHADING_SLOTS + k] = behind[k] - before[k];
		for (unsigned k = 0; k < t->others; k++)
			others[i * t->others + k] = behind[t->slots + k] - before[t->slots + k];
	}
}
