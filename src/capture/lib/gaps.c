#define _GNU_SOURCE
#include "capture/lib/gaps.h"

#include <sys/mman.h>

#include "capture/lib/open.h"

enum {
	KIND_BITS = 10,
	KINDS_MOST = 3 << (KIND_BITS - 2), /* of the table, so that a free place is always near */
	GAPS_MOST = 256,                   /* of a thread */
	GAPS_OF_KIND = 64,
	GAPS_LEAST = 12, /* before it is asked whether the cost is known */
	RECORDS_LEAST = 8,
	LONG_NS = 10 * 1000 * 1000, /* no gap where segments are longer */
	LIMIT_NS = 100 * 1000,      /* a gap may take so long, or four times the longest */
	BUDGET_NS = 250 * 1000,     /* all gaps may take so long, or a share of the time */
	BUDGET_SHARE = 20,
	SHORT_NS = 1000, /* between two records of a short function */
	/* What the records up to the next reading and those of a jump out of them may take. */
	ROOM = 4 * TV_BLIND * (int)sizeof(struct tv_function),
	RECORD_BYTES = sizeof(struct tv_function),
	ENTER_BYTES = sizeof(struct tv_enter),
};

/* The standard error of the cost at which it is known well enough, as a share of it. */
static const double error_least = 0.03;

/* Ticks a record of many segments (Welford). */
struct spread {
	double n, mean, squares;
};

struct tv_segment_kind {
	uint64_t place; /* of the call before; 0: free */
	uint32_t depth;
	uint32_t recorded, gaps;
	uint32_t position, drawn; /* in the block, from its end */
	bool done;
	uint64_t longest, duration; /* ticks; mean */
	uint64_t records;           /* mean */
	struct spread on, gap;      /* of segments of blocks */
};

static void spread_add(struct spread *s, double value)
{
	const double off = value - s->mean;

	/* A segment that was interrupted says nothing of records. */
	if (s->n > TV_LEARNED && value > 4 * s->mean)
		return;
	s->n++;
	s->mean += off / s->n;
	s->squares += off * (value - s->mean);
}

/* Square of the standard error of the mean. */
static double error2_of(const struct spread *s)
{
	return s->n > 1 ? s->squares / (s->n - 1) / s->n : 0;
}

static bool is_known(const struct tv_segment_kind *k)
{
	const double cost = k->on.mean - k->gap.mean;
	const double least = error_least * cost;

	if (k->gaps >= GAPS_OF_KIND)
		return true;
	return k->gaps >= GAPS_LEAST && cost > 0 &&
	       error2_of(&k->on) + error2_of(&k->gap) <= least * least;
}

/* ---- kinds ---- */

/* NULL: no room. */
static struct tv_segment_kind *kind_of(struct tv_thread *t, uint64_t place, uint32_t depth)
{
	const uint64_t mixed = (place ^ (uint64_t)depth << 32) * UINT64_C(0x9e3779b97f4a7c15);
	struct tv_kinds *kinds = &t->kinds;
	const size_t bytes = sizeof *kinds->table << KIND_BITS;
	struct tv_segment_kind *k;

	if (!kinds->table) {
		void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
		if (table == MAP_FAILED)
			return NULL;
		kinds->table = table;
	}
	for (uint32_t i = (uint32_t)(mixed >> (64 - KIND_BITS));; i = (i + 1) % (1 << KIND_BITS)) {
		k = &kinds->table[i];
		if (k->place == place && k->depth == depth)
			return k;
		if (!k->place)
			break;
	}
	if (!place || kinds->used == KINDS_MOST)
		return NULL;
	kinds->used++;
	k->place = place;
	k->depth = depth;
	return k;
}

void tv_kinds_fini(struct tv_kinds *kinds)
{
	if (kinds->table)
		munmap(kinds->table, sizeof *kinds->table << KIND_BITS);
	*kinds = (struct tv_kinds){ 0 };
}

/* ---- drawing ---- */

static bool has_room(const struct tv_thread *t, uint64_t bytes)
{
	return t->chunk->used + bytes + ROOM < TV_CHUNK_SIZE - TV_TAIL;
}

static bool may_be_gap(const struct tv_thread *t, const struct tv_segment_kind *k, uint64_t time)
{
	const uint64_t share = (time - t->kinds.begin) / BUDGET_SHARE;
	const uint64_t least = BUDGET_NS * tv.microsecond / 1000;

	return !k->done && k->records >= RECORDS_LEAST && t->kinds.gaps < GAPS_MOST &&
	       k->longest <= LONG_NS / 1000 * tv.microsecond &&
	       t->kinds.blind + k->duration <= (share > least ? share : least) &&
	       has_room(t, 2 * k->records * RECORD_BYTES);
}

/* xorshift (Marsaglia 2003), so that it never falls into step with the program. */
static uint32_t draw(struct tv_thread *t)
{
	uint32_t x = t->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	t->random = x;
	return x;
}

/* Whether the segment that begins is the one of its block that is drawn. */
static bool is_drawn(struct tv_thread *t, struct tv_segment_kind *k, uint64_t time)
{
	if (k->position == 0 && may_be_gap(t, k, time)) {
		k->position = TV_BLOCK;
		k->drawn = 1 + draw(t) % TV_BLOCK;
	}
	return k->position && k->position == k->drawn && may_be_gap(t, k, time);
}

bool tv_segment_begin(struct tv_thread *t, uint64_t time)
{
	const uint32_t pace = t->segment.pace ? t->segment.pace : TV_PACE_ONE;
	struct tv_segment_kind *k = kind_of(t, t->place, t->rows.depth);
	uint64_t limit = LIMIT_NS / 1000 * tv.microsecond;
	bool gap;

	if (!k)
		return false;
	if (!t->kinds.begin)
		t->kinds.begin = time;
	gap = k->recorded >= TV_LEARNED && is_drawn(t, k, time);
	if (limit < 4 * k->longest)
		limit = 4 * k->longest;
	t->segment = (struct tv_segment){
		.kind = k,
		.begin = time,
		.read = time,
		.model = time,
		.limit = limit,
		.chunk = t->chunk,
		.used = t->chunk->used + sizeof(struct tv_head), /* the call's leave */
		.blind = TV_BLIND,
		.pace = pace,
	};
	if (gap)
		t->mode = TV_GAP;
	else if (k->recorded < TV_LEARNED)
		t->mode = TV_LEARN;
	return gap;
}

/* ---- what a segment says of its kind ---- */

/* Function records since it began; 0: not known. */
static uint64_t records_of(const struct tv_thread *t)
{
	const struct tv_segment *s = &t->segment;
	const uint64_t other = ENTER_BYTES + (uint64_t)s->readings * RECORD_BYTES;

	if (!t->keep || t->chunk != s->chunk || t->chunk->used < s->used + other)
		return 0;
	return (t->chunk->used - s->used - other) / RECORD_BYTES;
}

static uint64_t mean_of(uint64_t mean, uint64_t value, uint32_t n)
{
	return n ? mean + value / 8 - mean / 8 : value;
}

static void note_recorded(struct tv_segment_kind *k, uint64_t took, uint64_t records)
{
	if (k->position && records)
		spread_add(&k->on, (double)took / (double)records);
	if (took > k->longest)
		k->longest = took;
	if (records) {
		k->duration = mean_of(k->duration, took, k->recorded);
		k->records = mean_of(k->records, records, k->recorded);
		k->recorded += k->recorded < UINT32_MAX;
	}
}

static void note_gap(struct tv_segment_kind *k, uint64_t took, uint64_t records)
{
	k->gaps++;
	if (records)
		spread_add(&k->gap, (double)took / (double)records);
	if (k->gaps % TV_BLOCK == 0)
		k->done = is_known(k);
}

/* ---- the model ---- */

/* One more time between two records of a function; slices are sixteenths of a tick. */
static void learn(struct tv_entry *inside, uint64_t took)
{
	const int64_t value = took < UINT32_MAX / 16 ? (int64_t)took * 16 : UINT32_MAX;

	inside->seen += inside->seen < TV_LEARNED;
	inside->slice = (uint32_t)((int64_t)inside->slice +
				   (value - (int64_t)inside->slice) / (int64_t)inside->seen);
}

static bool is_short(const struct tv_entry *e)
{
	return e->seen >= TV_LEARNED && e->slice < SHORT_NS / 1000 * 16 * tv.microsecond;
}

/* What was opened since the clock was read cannot have begun after now. */
static void hold_starts(struct tv_rows *rows, uint64_t now)
{
	for (uint32_t depth = rows->depth; depth > 0; depth--) {
		if (rows->stack[depth - 1].start <= now)
			break;
		rows->stack[depth - 1].start = now;
	}
}

/* The model has run from the latest reading to `now`. */
static void correct(struct tv_thread *t, uint64_t now, uint32_t flags)
{
	struct tv_segment *s = &t->segment;
	const uint64_t model = s->model - s->read, took = now - s->read;

	tv_write(t, now, TV_SEGMENT, flags, 0, model < UINT32_MAX ? (uint32_t)model : UINT32_MAX);
	s->readings++;
	if (s->blind == 0 && model) {
		const uint64_t right = took * s->pace / model;
		s->pace = (uint32_t)((3 * (uint64_t)s->pace +
				      (right > 4 * TV_PACE_ONE ? 4 * TV_PACE_ONE : right)) /
				     4);
		s->pace += s->pace < TV_PACE_ONE / 16 ? TV_PACE_ONE / 16 : 0;
	}
	hold_starts(&t->rows, now);
	s->read = s->model = now;
	s->blind = TV_BLIND;
}

static void gap_close(struct tv_thread *t, uint64_t time)
{
	correct(t, time, 0);
	t->kinds.blind += time - t->segment.begin;
	t->kinds.gaps++;
	t->mode = tv.normal;
}

void tv_gap_end(struct tv_thread *t, uint64_t time)
{
	gap_close(t, time);
	t->segment.kind->position = 0;
	t->segment.kind = NULL;
}

void tv_segment_end(struct tv_thread *t, uint64_t time)
{
	struct tv_segment_kind *k = t->segment.kind;
	const uint64_t records = records_of(t), took = time - t->segment.begin;
	const bool gap = t->mode == TV_GAP;

	if (gap)
		gap_close(t, time);
	t->segment.kind = NULL;
	t->mode = tv.normal;
	if (gap)
		note_gap(k, took, records);
	else
		note_recorded(k, took, records);
	k->position -= k->position > 0;
}

static __attribute__((noinline)) uint64_t read_clock(struct tv_thread *t, struct tv_entry *inside)
{
	struct tv_segment *s = &t->segment;
	const uint64_t now = tv_now();

	if (s->blind == TV_BLIND)
		learn(inside, now - s->read);
	if (now - s->begin <= s->limit && has_room(t, 0))
		correct(t, now, TV_RECKONED);
	else
		tv_gap_end(t, now);
	return now;
}

uint64_t tv_reckon(struct tv_thread *t, struct tv_entry *next)
{
	struct tv_segment *s = &t->segment;
	struct tv_entry *inside = t->rows.depth ? tv_top(&t->rows)->entry : t->rows.spare;

	if (t->mode == TV_LEARN) {
		const uint64_t now = tv_now();
		learn(inside, now - s->read);
		s->read = now;
		return now;
	}
	if (t->mode != TV_GAP)
		return 0;
	s->model += (uint64_t)inside->slice * s->pace / (16 * TV_PACE_ONE);
	if (TV_LIKELY(is_short(inside) && is_short(next) && --s->blind))
		return s->model;
	return read_clock(t, inside);
}

uint64_t tv_time(const struct tv_thread *t)
{
	return t->mode == TV_GAP ? t->segment.model : tv_now();
}
