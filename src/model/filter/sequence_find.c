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
};

struct sequence_finder {
	const struct sequence *s;
	struct sequence_search search;
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

struct sequence_finder *sequence_finder_new(const struct sequence *sequence,
					    const struct sequence_search *search)
{
	struct sequence_finder *f = xcalloc(1, sizeof *f);
	int64_t begin;

	f->s = sequence;
	f->search = *search;
	f->asks = filter_by_visit(search->filter);
	f->verdicts = xcalloc(trace_callpath_count(sequence->trace), sizeof *f->verdicts);
	trace_span(sequence->trace, search->base, &begin, &f->run_end);
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
	v->never = !filter_callpath(f->search.filter, location, path) ||
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
	if (v->never || (v->ask && !filter_event(f->search.filter, f->search.base, c->id)))
		return false;
	*elements = v->holds;
	for (asks = v->asks; asks; asks &= asks - 1) {
		const unsigned e = (unsigned)__builtin_ctzll(asks);
		const struct sequence_test *test = &s->tests[e];
		if (filter_call(test->filter, f->search.base, c->id) != test->negate)
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
		vec_push(&f->found, ((struct match_begin){ c->id, f->nth, end - 1 }));
}

/* ---- the calls of a location ---- */

static int64_t leave_at(const struct sequence_finder *f, uint32_t depth)
{
	const size_t n = depth < f->leaves.n ? depth : f->leaves.n;

	return n ? f->leaves.data[n - 1] : f->run_end;
}

/* To the last event of the window, with the leaves of the calls that are open after it. */
static bool begin_at_end(struct sequence_finder *f, uint32_t location, struct cursor *c)
{
	const struct trace *trace = f->s->trace;
	const struct sequence_search *q = &f->search;
	OWNED_VEC(uint32_t) events = VEC_INIT;
	uint32_t depth;

	f->leaves.n = f->ends.n = f->found.n = f->nth = 0;
	memset(f->begins, 0, sizeof f->begins);
	if (q->t1 == INT64_MAX || !cursor_seek(c, trace, q->base, location, q->t1))
		return cursor_last(c, trace, q->base, location);
	depth = trace_callpath(trace, cursor_path_before(c))->depth;
	vec_reserve(&events, depth + 1);
	visit_walk_leaves(trace, *c, events.data, depth);
	/* A leave may close calls inside its own. */
	for (uint32_t i = 0; i < depth; i++)
		vec_push(&f->leaves, events.data[i] == EVENT_NONE
					     ? leave_at(f, i)
					     : trace_event_time(trace, q->base, events.data[i]));
	return cursor_prev(c);
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

bool sequence_find(struct sequence_finder *f, uint32_t location, sequence_matches *matches)
{
	enum { STEP = 4096 };
	struct cursor c;
	uint32_t seen = 0, after = UINT32_MAX;

	for (bool more = begin_at_end(f, location, &c); more; more = cursor_prev(&c)) {
		if (cursor_time(&c) < f->search.t0)
			break;
		if (++seen % STEP == 0 &&
		    !progress_step(f->search.progress, "searching", seen, seen))
			return false;
		see(f, &c);
	}
	for (size_t i = f->found.n; i-- > 0;) {
		const struct match_begin *m = &f->found.data[i];
		const struct match_end *end = &f->ends.data[m->end];
		if (m->nth >= after)
			continue;
		vec_push(matches, ((struct sequence_match){ location, m->enter, end->enter,
							    m->nth - end->nth + 1 }));
		after = end->nth;
	}
	return true;
}
