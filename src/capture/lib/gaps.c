#define _GNU_SOURCE
#include "capture/lib/gaps.h"

#include <sys/mman.h>

#include "capture/lib/blanks.h"
#include "capture/lib/gap_tables.h"
#include "capture/lib/open.h"
#include "capture/lib/probes.h"

enum {
	KINDS_MOST = 3 << (KIND_BITS - 2), /* so that a free place is always near */
	TEACHING = 4096,                   /* probes of a segment that teach at most */
	GAPS_MOST = 256,                   /* of a thread */
	GAPS_OF_KIND = 64,
	GAPS_LEAST = 12, /* before it is asked whether the cost is known */
	RECORDS_LEAST = 8,
	IDLE_MOST = 256, /* segments without functions before only one in IDLE_STEP is looked at */
	IDLE_STEP = 16,
	LONG_US = 10000, /* no gap where segments are longer */
	LIMIT_US = 100,  /* a gap may take so long, or four times the longest */
	BUDGET_US = 250, /* all gaps may take so long, or a share of the time */
	BUDGET_SHARE = 20,
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
	       k->longest <= LONG_US * tv.microsecond &&
	       t->gaps.time + k->duration <= (share > least ? share : least);
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

/* ---- how long functions take ---- */

static struct usual *usual_of(const struct tv_thread *t, uint64_t site)
{
	return &t->gaps.tables->usual[tv_gap_hash(site, USUAL_BITS)];
}

/* Little time passes at a site where no more than an eighth of the intervals is long: page faults
 * and interrupts are everywhere. */
static void learn_site(struct tv_gap_tables *tables, uint64_t site, bool slow)
{
	const uint32_t at = tv_gap_hash(site, TV_BRIEF_BITS);
	struct passed *p = &tables->passed[at];

	if (p->seen == UINT16_MAX) {
		p->seen /= 2;
		p->slow /= 2;
	}
	p->seen++;
	p->slow = (uint16_t)(p->slow + slow);
	tables->brief[at] = p->seen >= TV_LEARNED && p->slow <= p->seen / 8;
}

/* One more interval between two probes, the latter at `site`, or up to a call of MPI. */
static void learn(struct tv_thread *t, uint64_t site, uint64_t took)
{
	const uint64_t inside = t->rows.depth ? tv_top(&t->rows)->site : 0;
	const bool slow = took >= tv.microsecond;
	struct usual *u = usual_of(t, inside);

	learn_site(t->gaps.tables, t->segment.site, slow);
	learn_site(t->gaps.tables, site, slow);
	took *= 16;
	if (u->site != inside || !u->time)
		*u = (struct usual){ inside, took };
	else
		u->time += took / 8 - u->time / 8;
}

uint64_t tv_learn_time(struct tv_thread *t, uint64_t site)
{
	const uint64_t now = tv_now();

	learn(t, site, now - t->segment.read);
	t->segment.read = now;
	t->segment.site = site;
	/* The rest of a long segment is recorded at the usual cost. */
	if (++t->segment.taught == TEACHING)
		tv_set_mode(t, (enum tv_mode)tv.normal);
	return now;
}

/* ---- from notes to records ---- */

/* The functions that are open while notes are read: those on the stack, and what they entered. */
struct around {
	const struct tv_rows *rows;
	uint32_t depth;
	uint32_t n;
	uint64_t site[TV_BLIND];
};

static uint64_t innermost(const struct around *a)
{
	if (a->n)
		return a->site[a->n - 1];
	return a->depth ? a->rows->stack[a->depth - 1].site : 0;
}

static bool is_enter(const struct tv_note *note)
{
	const unsigned kind = note->what & 0xff;

	return kind == TV_FUNCTION_ENTER || kind == TV_SITE_ENTER;
}

static void follow(struct around *a, const struct tv_note *note)
{
	if (is_enter(note))
		a->site[a->n++] = tv_function_address(note->what);
	else if (a->n)
		a->n--;
	else
		a->depth -= a->depth > 0;
}

/* What the functions between two readings usually take: before each of `n` notes, and after them
 * (up to TV_BLIND + 1 values). The function that is not known takes what the others leave. */
static uint64_t usual_times(const struct tv_thread *t, const struct tv_note *note, uint32_t n,
			    uint64_t took, uint64_t *times)
{
	struct around a = { .rows = &t->rows, .depth = t->rows.depth };
	uint64_t sum = 0, unknown = 0;

	for (uint32_t i = 0; i <= n; i++) {
		const uint64_t site = innermost(&a);
		const struct usual *u = usual_of(t, site);
		times[i] = u->site == site ? u->time : 0;
		unknown += times[i] == 0;
		sum += times[i];
		if (i < n)
			follow(&a, &note[i]);
	}
	if (unknown) {
		const uint64_t left = took * 16 > sum ? (took * 16 - sum) / unknown : 0;
		for (uint32_t i = 0; i <= n; i++) {
			sum += times[i] ? 0 : left + 1;
			times[i] = times[i] ? times[i] : left + 1;
		}
	}
	return sum;
}

/* Makes records of the notes from one reading to the next, or to the end of the gap at `time`.
 * `whole`: the last note is that of the reading, nothing is after it. */
static void record_notes(struct tv_thread *t, const struct tv_note *note, uint32_t n, uint64_t time,
			 bool whole)
{
	const uint64_t from = t->segment.read, took = time - from;
	uint64_t times[TV_BLIND + 1], sum = usual_times(t, note, n, took, times), so_far = 0;

	sum -= whole ? times[n] : 0;
	for (uint32_t i = 0; i < n; i++) {
		so_far += times[i];
		t->given = from + (uint64_t)((double)took * (double)so_far / (double)sum);
		t->mode = TV_GIVEN; /* the buffer may have become full */
		tv_record_note(t, &note[i]);
	}
	t->segment.read = time;
}

static void record_all(struct tv_thread *t, uint64_t time)
{
	const struct tv_note *note = t->gaps.tables->note, *end = t->segment.note, *next;
	const struct tv_site *statement = t->statement, **at = t->segment.at;
	const struct tv_site *call = at ? *at : NULL;

	t->mode = TV_GIVEN;
	t->segment.read = t->segment.begin;
	while (note < end) {
		bool reading;
		/* A signal handler's notes may make them too many. */
		for (next = note; next < end && next->what != TV_SEGMENT && next < note + TV_BLIND;)
			next++;
		reading = next < end && next->what == TV_SEGMENT;
		record_notes(t, note, (uint32_t)(next - note),
			     reading       ? next->with
			     : next == end ? time
					   : t->segment.read,
			     reading);
		note = reading ? next + 1 : next;
	}
	t->mode = tv.normal;
	/* These are of now. */
	t->statement = statement;
	if (at)
		*at = call;
}

static uint32_t notes_of(const struct tv_thread *t)
{
	return (uint32_t)(t->segment.note - t->gaps.tables->note) - t->segment.readings;
}

static void close_gap(struct tv_thread *t, uint64_t time, bool blank)
{
	const uint32_t notes = notes_of(t);

	record_all(t, time);
	if (t->visits)
		tv_write(t, time, TV_SEGMENT, blank ? TV_SEGMENT_BLANK : 0,
			 blank ? 0 : t->segment.readings, notes);
	if (blank)
		tv_blank_mark(t);
	tv_visits_follow(t);
	t->gaps.time += time - t->segment.begin;
	t->gaps.n++;
}

void tv_gap_stop(struct tv_thread *t)
{
	const uint64_t now = tv_now();

	if (t->mode == TV_BLANK) {
		tv_blank_give_up(t);
	} else {
		close_gap(t, now, false);
		t->gaps.time += tv_write_own(t, CALL_gap, now) - now;
	}
	if (t->segment.kind)
		t->segment.kind->position = 0;
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

void tv_segment_end(struct tv_thread *t, uint64_t time)
{
	struct tv_segment *s = &t->segment;
	struct tv_segment_kind *k = s->kind;
	const uint64_t took = time - s->begin;

	s->kind = NULL;
	if (t->mode == TV_BLANK) {
		if (tv_blank_end(t, k, time)) {
			learn_gap(k, took, notes_of(t), true);
			close_gap(t, time, true);
		}
	} else if (t->mode == TV_GAP) {
		tv_blank_keep(t, k, time);
		learn_gap(k, took, notes_of(t), false);
		close_gap(t, time, false);
	} else {
		if (t->mode == TV_LEARN)
			learn(t, 0, time - s->read);
		uint64_t records;
		if (records_of(t, &records))
			tv_blank_learn(k, records);
		t->gaps.idle = records ? 0 : t->gaps.idle + 1;
		learn_recorded(k, took, records);
		t->mode = tv.normal;
	}
	k->position -= k->position ? 1 : 0;
}
