#define _GNU_SOURCE
#include "capture/lib/gaps.h"

#include <sys/mman.h>

#include "capture/lib/blanks.h"
#include "capture/lib/gap_tables.h"
#include "capture/lib/open.h"
#include "capture/lib/probes.h"

enum {
	KINDS_MOST = 3 << (KIND_BITS - 2), /* so that a free place is always near */
	GAPS_MOST = 256,                   /* of a thread */
	GAPS_OF_KIND = 64,
	GAPS_LEAST = 12, /* before it is asked whether the cost is known */
	RECORDS_LEAST = 8,
	IDLE_MOST = 256, /* segments without functions before only one in IDLE_STEP is looked at */
	IDLE_STEP = 16,
	LONG_US = 10000, /* no gap where segments are longer */
	LIMIT_US = 100,  /* a gap may take so long, or four times the longest */
	BUDGET_US = 250, /* all gaps, and making their records, may take so long, or a share */
	BUDGET_SHARE = 8,
	INTERRUPTED = 2, /* times a usual segment: what took longer has lost its core */
};

/* Relative standard error of the cost at which it is known well enough. */
static const double error_least = 0.03;

static void spread_add(struct tv_spread *s, double value)
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
static double error2_of(const struct tv_spread *s)
{
	return s->n > 1 ? s->squares / (s->n - 1) / s->n : 0;
}

static bool is_known(const struct tv_segment_kind *k)
{
	const struct tv_spread *without = k->blanks ? &k->blank : &k->gap;
	const double cost = k->on.mean - without->mean;
	const double least = error_least * cost;

	if (k->gaps >= GAPS_OF_KIND || k->blanks >= TV_BLANKS_OF_KIND)
		return true;
	return k->gaps >= GAPS_LEAST && cost > 0 &&
	       error2_of(&k->on) + error2_of(without) <= least * least;
}

/* ---- kinds ---- */

static bool make_tables(struct tv_gaps *gaps)
{
	void *tables;

	if (gaps->tables)
		return true;
	tables = mmap(NULL, sizeof *gaps->tables, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* most is never used */
	if (tables == MAP_FAILED)
		return false;
	gaps->tables = tables;
	gaps->brief = gaps->tables->brief;
	return true;
}

void tv_gaps_fini(struct tv_gaps *gaps)
{
	if (gaps->tables)
		munmap(gaps->tables, sizeof *gaps->tables);
	*gaps = (struct tv_gaps){ 0 };
}

/* NULL: no room. */
static struct tv_segment_kind *kind_of(struct tv_gaps *gaps, uint64_t place, uint32_t depth)
{
	uint32_t at = tv_gap_hash(place ^ (uint64_t)depth << 32, KIND_BITS);
	struct tv_segment_kind *k;

	if (!place || !make_tables(gaps))
		return NULL;
	for (;; at = (at + 1) % (1 << KIND_BITS)) {
		k = &gaps->tables->kind[at];
		if (k->place == place && k->depth == depth)
			return k;
		if (!k->place)
			break;
	}
	if (gaps->kinds == KINDS_MOST)
		return NULL;
	gaps->kinds++;
	k->place = place;
	k->depth = depth;
	return k;
}

/* ---- drawing ---- */

/* For the leave of the call before the gap, whose time is known: a full buffer would end the gap
 * with records of later times before it. */
static bool has_room(const struct tv_thread *t)
{
	return t->chunk->used + TV_WORDS_MOST <= TV_CHUNK_SIZE - TV_TAIL;
}

static bool may_be_gap(const struct tv_thread *t, const struct tv_segment_kind *k, uint64_t time)
{
	const uint64_t share = (time - t->gaps.begin) / BUDGET_SHARE;
	const uint64_t least = BUDGET_US * tv.microsecond;

	return !k->done && tv_sites_modules() < 2 && has_room(t) && k->records >= RECORDS_LEAST &&
	       k->records < NOTES * 3 / 4 && t->gaps.n < GAPS_MOST &&
	       k->duration <= LONG_US * tv.microsecond &&
	       t->gaps.spent + k->duration <= (share > least ? share : least);
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

static void begin_gap(struct tv_thread *t, uint64_t time, uint64_t limit)
{
	struct tv_segment *s = &t->segment;

	s->begin = s->read = time;
	s->limit = limit;
	s->note = t->gaps.tables->note;
	s->blind = TV_BLIND;
	s->readings = 0;
	s->depth = t->rows.depth;
	s->at = s->depth ? tv_top(&t->rows)->at : NULL;
	t->gaps.tables->counts = 0;
	t->mode = TV_GAP;
}

/* The first gap of each block of gaps takes notes. */
static void begin_drawn(struct tv_thread *t, struct tv_segment_kind *k, uint64_t time)
{
	const uint64_t limit = LIMIT_US * tv.microsecond;

	k->pattern.from = t->frame;
	if (k->gaps % TV_BLOCK && tv_blank_may_begin(t, k))
		tv_blank_begin(t, time);
	else
		begin_gap(t, time, limit > 4 * k->longest ? limit : 4 * k->longest);
}

void tv_segment_begin(struct tv_thread *t, uint64_t time)
{
	struct tv_segment *s = &t->segment;
	struct tv_segment_kind *k;

	if (__atomic_load_n(&tv.normal, __ATOMIC_RELAXED) > TV_GAP) {
		t->mode = TV_PAUSED;
		return;
	}
	/* Of many calls without functions between them only some are worth a look. */
	if (t->gaps.idle >= IDLE_MOST)
		t->gaps.skip = draw(t) % (2 * IDLE_STEP - 1);
	k = s->kind = kind_of(&t->gaps, t->place, t->rows.depth);
	if (!k)
		return;
	if (!t->gaps.begin)
		t->gaps.begin = time;
	s->begin = s->read = time;
	s->serial = t->serial;
	s->used = t->chunk->used - t->wording.besides;
	s->site = 0;
	s->taught = 0;
	if (k->recorded < TV_LEARNED)
		t->mode = TV_LEARN;
	else if (is_drawn(t, k, time))
		begin_drawn(t, k, time);
}

bool tv_gap_try(struct tv_thread *t, bool learn)
{
	if (!make_tables(&t->gaps))
		return false;
	begin_gap(t, tv_now(), UINT64_MAX);
	if (learn)
		t->mode = TV_LEARN;
	return true;
}

/* ---- the end of a gap ---- */

static uint32_t notes_of(const struct tv_thread *t)
{
	return (uint32_t)(t->segment.note - t->gaps.tables->note) - t->segment.readings;
}

/* A gap, or making its records, took so long. */
static void spend(struct tv_thread *t, const struct tv_segment_kind *k, uint64_t took)
{
	const uint64_t most = k ? INTERRUPTED * k->duration : took;

	t->gaps.time += took;
	t->gaps.spent += took < most ? took : most;
}

static void close_gap(struct tv_thread *t, const struct tv_segment_kind *k, uint64_t time,
		      bool blank)
{
	const uint32_t notes = notes_of(t);

	tv_gap_record(t, time);
	if (t->visits)
		tv_write(t, time, TV_SEGMENT, blank ? TV_SEGMENT_BLANK : 0,
			 blank ? 0 : t->segment.readings, notes);
	if (blank)
		tv_blank_mark(t);
	tv_visits_follow(t);
	spend(t, k, time - t->segment.begin);
	t->gaps.n++;
}

void tv_gap_stop(struct tv_thread *t)
{
	struct tv_segment_kind *k = t->segment.kind;
	const uint64_t now = tv_now();

	if (t->mode == TV_BLANK) {
		tv_blank_give_up(t);
	} else {
		close_gap(t, k, now, false);
		spend(t, k, tv_write_own(t, CALL_gap, now) - now);
	}
	if (k)
		k->position = 0;
	t->segment.kind = NULL;
}

void tv_gap_read(struct tv_thread *t)
{
	struct tv_segment *s = &t->segment;
	const uint64_t now = tv_now();

	*s->note++ = (struct tv_note){ .what = TV_SEGMENT, .with = now };
	s->readings++;
	s->blind = TV_BLIND;
	if (now - s->begin > s->limit || s->note + 2 * TV_BLIND > t->gaps.tables->note + NOTES)
		tv_gap_stop(t);
}

/* ---- what a segment says of its kind ---- */

static uint64_t mean_of(uint64_t mean, uint64_t value, uint32_t n)
{
	return n ? mean + value / 8 - mean / 8 : value;
}

/* `records` of functions; 0: not known. */
static void learn_recorded(struct tv_segment_kind *k, uint64_t took, uint64_t records)
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

static void learn_gap(struct tv_segment_kind *k, uint64_t took, uint64_t records, bool blank)
{
	k->gaps++;
	k->blanks += blank;
	if (records)
		spread_add(blank ? &k->blank : &k->gap, (double)took / (double)records);
	if (k->gaps % TV_BLOCK == 0)
		k->done = is_known(k);
}

/* Records of functions in a segment without a gap, while the enter of the call after it is being
 * written. False: unknown, because the segment began in another chunk. */
static bool records_of(const struct tv_thread *t, uint64_t *records)
{
	/* The call's leave, and the enter. */
	const uint64_t from = t->segment.used + 2 * sizeof(uint64_t);
	const uint64_t used = t->chunk->used - t->wording.besides;
	const bool known = t->keep && t->serial == t->segment.serial && used >= from;

	*records = known ? (used - from) / sizeof(uint64_t) : 0;
	return known;
}

void tv_gap_end(struct tv_thread *t)
{
	const struct tv_segment_kind *k = t->segment.kind;
	const uint64_t now = tv_now();

	tv_segment_end(t, now);
	spend(t, k, tv_write_own(t, CALL_gap, now) - now);
}

void tv_segment_end(struct tv_thread *t, uint64_t time)
{
	struct tv_segment *s = &t->segment;
	struct tv_segment_kind *k = s->kind;
	const uint64_t took = time - s->begin;

	s->kind = NULL;
	if (t->mode == TV_BLANK) {
		if (tv_blank_end(t, k, time)) {
			learn_gap(k, took, notes_of(t), true);
			close_gap(t, k, time, true);
		}
	} else if (t->mode == TV_GAP) {
		tv_blank_keep(t, k, time);
		learn_gap(k, took, notes_of(t), false);
		close_gap(t, k, time, false);
	} else {
		if (t->mode == TV_LEARN)
			tv_gap_learn(t, 0, time - s->read);
		uint64_t records;
		if (records_of(t, &records))
			tv_blank_learn(k, records);
		t->gaps.idle = records ? 0 : t->gaps.idle + 1;
		learn_recorded(k, took, records);
		t->mode = tv.normal;
	}
	k->position -= k->position ? 1 : 0;
}
