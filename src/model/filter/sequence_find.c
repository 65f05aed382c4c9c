/* Finds the matches of a sequence, from the last call to the first (sequence.h). The best end from
 * a place on, where this call is the next one, follows from the best ends after that place, which
 * were found at the call after this one. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/filter/sequence_state.h"
#include "model/trace/visit_walk.h"

/* Of two ends the better one is the larger number; 0: none. */
enum wish { LONGEST, SHORTEST, WISHES };

/* What a call may be, by call path of a location. */
struct verdicts {
	uint32_t stamp;       /* location + 1 for which it holds */
	bool never, ask;      /* it does not count; whether it does depends on the call */
	uint64_t holds, asks; /* elements, as bits: it is one; depends on the call */
};

/* A call with which a match may end, and one with which it may begin. */
struct match_end {
	uint32_t enter, nth; /* from the last call on */
	int64_t time;
};
struct match_begin {
	uint32_t enter, nth, end;
	int64_t time;
};

struct sequence_finder {
	const struct sequence *s;
	enum time_base base;
	const struct filter *filter;
	struct cursor at; /* on the next event, of the location that is searched */
	bool more;
	int64_t run_end;
	bool asks; /* whether the search's filter has to be asked of calls */
	struct verdicts *verdicts;
	/* By place, with the next call as the first one: the best end from it on; from after it. */
	uint32_t begins[WISHES][SEQUENCE_PLACES_MAX];
	uint32_t goes_on[WISHES][SEQUENCE_PLACES_MAX];
	bool clean; /* nothing begins anywhere */
	VEC(struct match_end) ends;
	VEC(struct match_begin) found;
	VEC(int64_t) leaves; /* of the calls around the event, by depth */
	uint32_t nth;
};

struct sequence_finder *sequence_finder_new(const struct sequence *sequence, enum time_base base,
					    const struct filter *filter)
{
	struct sequence_finder *f = xcalloc(1, sizeof *f);
	int64_t begin;

	f->s = sequence;
	f->base = base;
	f->filter = filter;
	f->asks = filter_by_visit(filter);
	f->verdicts = xcalloc(trace_callpath_count(sequence->trace), sizeof *f->verdicts);
	trace_span(sequence->trace, base, &begin, &f->run_end);
	return f;
}

void sequence_finder_free(struct sequence_finder *f)
{
	if (!f)
		return;
	vec_fini(&f->ends);
	vec_fini(&f->found);
	vec_fini(&f->leaves);
	free_all(f->verdicts, f);
}

/* ---- what a call is ---- */

static void judge(const struct sequence_finder *f, uint32_t location, uint32_t path,
		  struct verdicts *v)
{
	const struct sequence *s = f->s;

	*v = (struct verdicts){ .stamp = location + 1 };
	v->never = !filter_callpath(f->filter, location, path) ||
		   (s->skips_user && trace_callpath_class(s->trace, path) == CLASS_USER);
	v->ask = f->asks;
	for (unsigned e = 0; e < s->n_tests; e++) {
		const struct sequence_test *test = &s->tests[e];
		const bool could = filter_callpath(test->filter, location, path);
		if (could && test->by_call)
			v->asks |= (uint64_t)1 << e;
		else if (could != test->negate)
			v->holds |= (uint64_t)1 << e;
	}
}

/* Its elements, as bits; false: it does not count. */
static bool call_is(struct sequence_finder *f, const struct cursor *c, uint64_t *elements)
{
	const struct sequence *s = f->s;
	const uint32_t path = what_id(cursor_what(c));
	struct verdicts *v = &f->verdicts[path];
	uint64_t asks;

	if (v->stamp != c->location + 1)
		judge(f, c->location, path, v);
	if (v->never || (v->ask && !filter_event(f->filter, f->base, c->id)))
		return false;
	*elements = v->holds;
	for (asks = v->asks; asks; asks &= asks - 1) {
		const unsigned e = (unsigned)__builtin_ctzll(asks);
		const struct sequence_test *test = &s->tests[e];
		if (filter_call(test->filter, f->base, c->id) != test->negate)
			*elements |= (uint64_t)1 << e;
	}
	return s->among == SEQUENCE_NONE || *elements >> s->among & 1;
}

/* ---- the pattern ---- */

static uint32_t better(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The ends from after each place, where a match that ends with the call has `end`; `begins` is of
 * the call after it. */
static void go_on(const struct sequence *s, const uint32_t *begins, uint32_t *goes_on, uint32_t end)
{
	goes_on[s->n_places - 1] = end;
	for (uint32_t i = s->n_places; i-- > 0;) {
		const struct sequence_place *p = &s->places[i];
		const uint32_t then = goes_on[i];
		switch (p->type) {
		case SEQUENCE_ELEMENT: break;
		case SEQUENCE_GAP: goes_on[i] = better(then, begins[i]); break;
		case SEQUENCE_CHAIN:
			goes_on[p->left] = better(begins[p->right],
						  s->places[p->right].may_be_empty ? then : 0);
			goes_on[p->right] = then;
			break;
		case SEQUENCE_EITHER: goes_on[p->left] = goes_on[p->right] = then; break;
		case SEQUENCE_MANY: goes_on[p->left] = better(then, begins[p->left]); break;
		case SEQUENCE_MAYBE: goes_on[p->left] = then; break;
		}
	}
}

/* The ends from each place on, where the call is these elements. */
static void begin_with(const struct sequence *s, const uint32_t *goes_on, uint32_t *begins,
		       uint64_t elements)
{
	for (uint32_t i = 0; i < s->n_places; i++) {
		const struct sequence_place *p = &s->places[i];
		switch (p->type) {
		case SEQUENCE_ELEMENT: begins[i] = elements >> p->left & 1 ? goes_on[i] : 0; break;
		case SEQUENCE_GAP: begins[i] = elements & p->stops ? 0 : goes_on[i]; break;
		case SEQUENCE_CHAIN:
			begins[i] = better(begins[p->left],
					   s->places[p->left].may_be_empty ? begins[p->right] : 0);
			break;
		case SEQUENCE_EITHER: begins[i] = better(begins[p->left], begins[p->right]); break;
		case SEQUENCE_MANY:
		case SEQUENCE_MAYBE: begins[i] = begins[p->left]; break;
		}
	}
}

/* The best end of a match that begins with the call; an index of ends + 1, 0 none. */
static uint32_t best_end(struct sequence_finder *f, enum wish wish, uint64_t elements, bool ends)
{
	const uint32_t n = (uint32_t)f->ends.n; /* this one is the last of them */
	const uint32_t end = !ends ? 0 : wish == LONGEST ? UINT32_MAX - n : n;
	uint32_t best;

	go_on(f->s, f->begins[wish], f->goes_on[wish], end);
	begin_with(f->s, f->goes_on[wish], f->begins[wish], elements);
	best = f->begins[wish][f->s->n_places - 1];
	return best && wish == LONGEST ? UINT32_MAX - best : best;
}

static bool in_time(const struct sequence_finder *f, uint32_t end, int64_t begin)
{
	int64_t took;

	return !__builtin_sub_overflow(f->ends.data[end - 1].time, begin, &took) &&
	       took <= f->s->within;
}

static void add_call(struct sequence_finder *f, const struct cursor *c, uint64_t elements,
		     int64_t leave)
{
	const bool ends = elements & f->s->last;
	const int64_t begin = cursor_time(c);
	uint32_t end;

	f->nth++;
	if (!elements && !f->s->has_gap) {
		if (!f->clean)
			memset(f->begins, 0, sizeof f->begins);
		f->clean = true;
		return;
	}
	f->clean = false;
	if (ends)
		vec_push(&f->ends, ((struct match_end){ c->id, f->nth, leave }));
	end = best_end(f, LONGEST, elements, ends);
	if (f->s->within != INT64_MAX) {
		const uint32_t shortest = best_end(f, SHORTEST, elements, ends);
		if (end && !in_time(f, end, begin))
			end = in_time(f, shortest, begin) ? shortest : 0;
	}
	if (end)
		vec_push(&f->found, ((struct match_begin){ c->id, f->nth, end - 1, begin }));
}

/* ---- the calls of a location ---- */

static int64_t leave_at(const struct sequence_finder *f, uint32_t depth)
{
	const size_t n = depth < f->leaves.n ? depth : f->leaves.n;

	return n ? f->leaves.data[n - 1] : f->run_end;
}

static void see(struct sequence_finder *f, const struct cursor *c)
{
	const uint32_t what = cursor_what(c);
	const uint32_t depth =
		what_kind(what) <= EV_LEAVE ? trace_callpath(f->s->trace, what_id(what))->depth : 0;
	uint64_t elements;

	if (what_kind(what) == EV_LEAVE && depth) {
		const int64_t around = leave_at(f, depth);
		while (f->leaves.n < depth)
			vec_push(&f->leaves, around);
		f->leaves.n = depth;
		f->leaves.data[depth - 1] = cursor_time(c);
	} else if (what_kind(what) == EV_ENTER) {
		const int64_t leave = leave_at(f, depth);
		f->leaves.n = f->leaves.n < depth ? f->leaves.n : depth - 1;
		if (call_is(f, c, &elements))
			add_call(f, c, elements, leave);
	}
}

void sequence_find_begin(struct sequence_finder *f, uint32_t location)
{
	f->leaves.n = f->ends.n = f->found.n = f->nth = 0;
	memset(f->begins, 0, sizeof f->begins);
	f->more = cursor_last(&f->at, f->s->trace, f->base, location);
}

static void take(const struct sequence_finder *f, sequence_matches *matches)
{
	uint32_t after = UINT32_MAX;

	for (size_t i = f->found.n; i-- > 0;) {
		const struct match_begin *m = &f->found.data[i];
		const struct match_end *end = &f->ends.data[m->end];
		if (m->nth >= after)
			continue;
		vec_push(matches, ((struct sequence_match){ .begin = m->time,
							    .end = end->time,
							    .location = f->at.location,
							    .first = m->enter,
							    .last = end->enter,
							    .calls = m->nth - end->nth + 1 }));
		after = end->nth;
	}
}

bool sequence_find_more(struct sequence_finder *f, uint32_t events, sequence_matches *matches)
{
	for (uint32_t i = 0; f->more && i < events; i++) {
		see(f, &f->at);
		f->more = cursor_prev(&f->at);
	}
	if (!f->more)
		take(f, matches);
	return f->more;
}
