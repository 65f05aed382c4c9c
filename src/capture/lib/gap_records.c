#include "capture/lib/gaps.h"

#include "capture/lib/gap_tables.h"
#include "capture/lib/open.h"
#include "capture/lib/probes.h"

enum { TEACHING = 4096 }; /* probes of a segment that teach at most */

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

void tv_gap_learn(struct tv_thread *t, uint64_t site, uint64_t took)
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
	const uint64_t now = tv_now(), took = now - t->segment.read;

	tv_gap_learn(t, site, took > tv.delay ? took - tv.delay : 0); /* gaps have no delays */
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

void tv_gap_record(struct tv_thread *t, uint64_t time)
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
