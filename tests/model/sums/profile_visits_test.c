/* Profiles of the visits that a filter lets pass: a trace whose every number is worked out by hand,
 * and random ones against sums over a plain list of visits. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/built.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/sums/profile.h"

enum { REGIONS = 4, RANKS = 3, MOST = 200 };

static const struct timescale microseconds = { 1000000, 6 };
static const char *const names[REGIONS] = { "a", "b", "c", "d" };

static void define(struct builder *b, uint32_t *sites)
{
	for (uint32_t r = 0; r < REGIONS; r++)
		sites[r] = built_site(b, names[r], CLASS_USER, (int32_t)r);
}

static struct filter *compiled(const struct trace *trace, const char *text)
{
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile(text, trace, &err);

	if (!filter)
		fail_msg("%s", err.text);
	return filter;
}

/* ---- by hand ---- */

/*	0   10  20   30 35   50    60  70  90  100
 *	a...[b..[a...[b.]....].....]....[c..]..]	c never ends on rank 1, where the trace
 *							stops at 90 */
static struct trace *by_hand(void)
{
	struct notation n;

	notation_begin(&n, 1000000);
	notation_write(&n, "region a picl 0; region b picl 1; region c picl 2; region d picl 3");
	for (int rank = 0; rank < 2; rank++)
		notation_write(
			&n,
			"rank %d: a@0 b@10 a@20 b@30-35 leave a @50 leave b @60 c@70 mark d @90 %s",
			rank, rank == 0 ? "leave c @90 leave a @100" : "");
	return notation_finish(&n);
}

struct expected {
	const char *filter;
	int64_t t0, t1;
	struct profile_row rows[REGIONS]; /* count, inclusive, exclusive, min, max, sum */
};

static void same_rows(const struct profile_row *got, const struct profile_row *want,
		      const char *filter, uint32_t row)
{
	if (got->count != want->count || got->inclusive != want->inclusive ||
	    got->exclusive != want->exclusive || got->min != want->min || got->max != want->max ||
	    got->visit_sum != want->visit_sum)
		fail_msg("'%s', row %u: %d %d %d %d %d %d, not %d %d %d %d %d %d", filter, row,
			 (int)got->count, (int)got->inclusive, (int)got->exclusive, (int)got->min,
			 (int)got->max, (int)got->visit_sum, (int)want->count, (int)want->inclusive,
			 (int)want->exclusive, (int)want->min, (int)want->max,
			 (int)want->visit_sum);
}

TEST(worked_out)
{
	static const struct expected cases[] = {
		/* Rank 0 alone knows how long the outer a (100) and c (20) take; the inner a takes
		 * 30, b 50 and 5 on both. The outer a has 10 + 10 + 10 by itself, the outer b 20,
		 * the inner a 10 before and 15 behind the inner b. */
		{ "dur > 5us",
		  INT64_MIN,
		  INT64_MAX,
		  { { 3, 130, 80, 30, 100, 160, { 0 } },
		    { 2, 100, 40, 50, 50, 100, { 0 } },
		    { 1, 20, 20, 20, 20, 20, { 0 } } } },
		/* Of b the inner ones, which are the outermost that match. */
		{ "dur <= 5us", INT64_MIN, INT64_MAX, { { 0 }, { 2, 10, 10, 5, 5, 10, { 0 } } } },
		/* What begins later; the marks are of that time too. On rank 1 c lasts to the end,
		 * 90. */
		{ "time >= 30us",
		  INT64_MIN,
		  INT64_MAX,
		  { { 0 },
		    { 2, 10, 10, 5, 5, 10, { 0 } },
		    { 2, 40, 40, 20, 20, 40, { 0 } },
		    { 2, 0, 0, 0, 0, 0, { 0 } } } },
		/* What lies in [40, 80) of the outer a (100) and the outer b (50), which began
		 * before: by itself a has 60 to 70, b has 50 to 60. */
		{ "dur > 30us && rank == 0",
		  40,
		  80,
		  { { 0, 40, 10, 0, 0, 0, { 0 } }, { 0, 20, 10, 0, 0, 0, { 0 } } } },
		/* Visits have no tag, and none is a send. */
		{ "tag == 7 || kind == send", INT64_MIN, INT64_MAX, { { 0 } } },
	};
	OWNED_TRACE *trace = by_hand();

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		FREED_BY(filter_free) struct filter *filter = compiled(trace, cases[i].filter);
		ENDED_BY(profile_fini) struct profile profile;
		assert_true(profile_make_visits(&profile, trace, BASE_MEASURED, PROFILE_REGION,
						NULL, 0, cases[i].t0, cases[i].t1, filter, NULL));
		assert_int_equal(profile.n, REGIONS);
		for (uint32_t r = 0; r < REGIONS; r++)
			same_rows(&profile.rows[r], &cases[i].rows[r], cases[i].filter, r);
	}
}

TEST(which_filters_ask_visits)
{
	static const char *const visits[] = { "dur > 1s",    "region == a && !(time > 1)",
					      "kind==enter", "rank == 0 || tag == 7",
					      "bytes > 1k",  "root == 0" };
	static const char *const definitions[] = { "", "region == a && rank in 0..3",
						   "depth > 1 || !(callpath =~ /a/)",
						   "class == user && line != 7" };
	OWNED_TRACE *trace = by_hand();

	assert_false(filter_by_visit(NULL));
	for (size_t i = 0; i < sizeof visits / sizeof *visits; i++) {
		FREED_BY(filter_free) struct filter *filter = compiled(trace, visits[i]);
		assert_true(filter_by_visit(filter));
	}
	for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++) {
		FREED_BY(filter_free) struct filter *filter = compiled(trace, definitions[i]);
		assert_false(filter_by_visit(filter));
	}
}

/* ---- random traces ---- */

/* Any leave anywhere: strays, levels that end with an outer one, and, where a location starts with
 * leaves, visits that were open before. */
static struct trace *random_trace(struct rng *rng)
{
	struct builder *b = builder_new("random.trc", &microseconds, NULL);
	uint32_t sites[REGIONS];

	define(b, sites);
	for (int32_t rank = 0; rank < RANKS; rank++) {
		const uint32_t l = built_rank(b, rank, 0), n = rng_below(rng, MOST);
		int64_t t = rng_below(rng, 20);
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t site = sites[rng_below(rng, REGIONS)];
			t += rng_below(rng, 4);
			switch (rng_below(rng, 12)) {
			case 0:
			case 1:
			case 2:
			case 3:
			case 4: builder_enter(b, l, t, site); break;
			case 5: builder_mark(b, l, t, site); break;
			case 6: builder_tracing(b, l, t, site, rng_below(rng, 2)); break;
			default: builder_leave(b, l, t, site);
			}
		}
	}
	return built_end(b);
}

/* What a filter is asked about. */
struct plain {
	uint32_t region, depth;
	int64_t time, dur; /* dur: -1 unknown */
};

static bool is_long(const struct plain *p)
{
	return p->dur > 12;
}

static bool is_not_long(const struct plain *p)
{
	return !(p->dur > 12);
}

static bool is_short_and_not_b(const struct plain *p)
{
	return p->dur >= 0 && p->dur < 9 && p->region != 1;
}

static bool is_between(const struct plain *p)
{
	return p->time >= 60 && p->time < 180;
}

static bool is_deep_and_long_or_c(const struct plain *p)
{
	return (p->dur >= 3 && p->depth > 2) || p->region == 2;
}

static const struct predicate {
	const char *text;
	bool (*holds)(const struct plain *p);
} predicates[] = {
	{ "dur > 12us", is_long },
	{ "!(dur > 12us)", is_not_long },
	{ "dur < 9us && region != b", is_short_and_not_b },
	{ "time >= 60us && time < 180us", is_between },
	{ "dur >= 3us && depth > 2 || region == c", is_deep_and_long_or_c },
};

struct visit {
	uint32_t path;
	uint32_t first, last; /* open behind events [first, last); before the first of all: 0 */
	int64_t t0, t1;
	bool matches;
};

struct naive {
	const struct trace *trace;
	uint32_t n, n_visits;
	int64_t time[MOST];
	uint32_t what[MOST];
	struct visit visits[2 * MOST];
	bool traced;      /* before the first event */
	uint32_t orphans; /* visits with neither enter nor leave */
};

static void add_visit(struct naive *naive, const struct predicate *predicate, uint32_t path,
		      bool entered, uint32_t first)
{
	const uint32_t depth = trace_callpath(naive->trace, path)->depth;
	struct plain plain = { trace_callpath_region(naive->trace, path), depth, 0, -1 };
	struct visit *v = &naive->visits[naive->n_visits++];
	uint32_t i = first;

	while (i < naive->n &&
	       (what_kind(naive->what[i]) != EV_LEAVE ||
		trace_callpath(naive->trace, what_id(naive->what[i]))->depth > depth))
		i++;
	*v = (struct visit){ path,
			     first,
			     i,
			     naive->time[entered ? first - 1 : 0],
			     naive->time[i < naive->n ? i : naive->n - 1],
			     false };
	plain.time = entered ? v->t0 : v->t1;
	if (entered && i < naive->n)
		plain.dur = v->t1 - v->t0;
	/* The first event that ends it may be the leave of an outer visit. */
	const bool orphan = !entered && (i == naive->n || what_id(naive->what[i]) != path);
	v->matches = !orphan && predicate->holds(&plain);
	naive->orphans += orphan;
}

static void look(struct naive *naive, const struct trace *trace, uint32_t location,
		 const struct predicate *predicate)
{
	struct cursor c;

	*naive = (struct naive){ .trace = trace, .traced = true };
	if (!cursor_first(&c, trace, BASE_MEASURED, location))
		return;
	const uint32_t start = cursor_path_before(&c);
	do {
		naive->time[naive->n] = cursor_time(&c);
		naive->what[naive->n++] = cursor_what(&c);
	} while (cursor_next(&c));
	for (uint32_t i = naive->n; i-- > 0;)
		if (what_kind(naive->what[i]) == EV_TRACING_ON ||
		    what_kind(naive->what[i]) == EV_TRACING_OFF)
			naive->traced = what_kind(naive->what[i]) == EV_TRACING_OFF;
	for (uint32_t p = start; p; p = trace_callpath(trace, p)->parent)
		add_visit(naive, predicate, p, false, 0);
	for (uint32_t i = 0; i < naive->n; i++)
		if (what_kind(naive->what[i]) == EV_ENTER)
			add_visit(naive, predicate, what_id(naive->what[i]), true, i + 1);
}

static uint32_t row_of(const struct trace *trace, enum profile_key key, uint32_t path)
{
	return key == PROFILE_REGION ? trace_callpath_region(trace, path)
				     : trace_callpath(trace, path)->canon;
}

static int64_t inside(int64_t from, int64_t to, int64_t t0, int64_t t1)
{
	from = from < t0 ? t0 : from > t1 ? t1 : from;
	to = to < t0 ? t0 : to > t1 ? t1 : to;
	return to - from;
}

static void count(struct profile_row *row, int64_t length)
{
	row->min = row->count == 0 || length < row->min ? length : row->min;
	row->max = row->count == 0 || length > row->max ? length : row->max;
	row->count++;
	row->visit_sum += length;
}

static void sum_visit(const struct naive *naive, const struct visit *v, enum profile_key key,
		      int64_t t0, int64_t t1, struct profile_row *rows)
{
	const uint32_t depth = trace_callpath(naive->trace, v->path)->depth;
	const uint32_t row = row_of(naive->trace, key, v->path);
	bool outermost = true;

	for (uint32_t i = 0; i < naive->n_visits; i++) {
		const struct visit *u = &naive->visits[i];
		if (u->matches && trace_callpath(naive->trace, u->path)->depth < depth &&
		    u->first <= v->first && u->last >= v->last &&
		    row_of(naive->trace, key, u->path) == row)
			outermost = false;
	}
	if (outermost)
		rows[row].inclusive += inside(v->t0, v->t1, t0, t1);
	if (v->t0 >= t0 && v->t0 < t1)
		count(&rows[row], v->t1 - v->t0);
}

/* The innermost visit that is open behind event i, or NULL. */
static const struct visit *innermost(const struct naive *naive, uint32_t i)
{
	const struct visit *best = NULL;

	for (uint32_t k = 0; k < naive->n_visits; k++) {
		const struct visit *v = &naive->visits[k];
		if (v->first <= i + 1 && v->last > i &&
		    (!best || trace_callpath(naive->trace, v->path)->depth >
				      trace_callpath(naive->trace, best->path)->depth))
			best = v;
	}
	return best;
}

static void sum_location(const struct naive *naive, const struct predicate *predicate,
			 enum profile_key key, int64_t t0, int64_t t1, struct profile_row *rows)
{
	bool traced = naive->traced;

	for (uint32_t k = 0; k < naive->n_visits; k++)
		if (naive->visits[k].matches)
			sum_visit(naive, &naive->visits[k], key, t0, t1, rows);
	for (uint32_t i = 0; i < naive->n; i++) {
		const enum event_kind kind = what_kind(naive->what[i]);
		const struct visit *v = innermost(naive, i);
		const int64_t t = naive->time[i];
		if (kind == EV_TRACING_ON || kind == EV_TRACING_OFF)
			traced = kind == EV_TRACING_ON;
		if (v && v->matches && traced && i + 1 < naive->n)
			rows[row_of(naive->trace, key, v->path)].exclusive +=
				inside(t, naive->time[i + 1], t0, t1);
		if (kind == EV_MARK && key == PROFILE_REGION && t >= t0 && t < t1) {
			const uint32_t id = what_id(naive->what[i]);
			const uint32_t region = trace_site(naive->trace, id)->region;
			const uint32_t depth = v ? trace_callpath(naive->trace, v->path)->depth : 0;
			if (predicate->holds(&(struct plain){ region, depth, t, -1 }))
				count(&rows[region], 0);
		}
	}
}

static void compare(const struct trace *trace, const struct predicate *predicate,
		    enum profile_key key, int64_t t0, int64_t t1)
{
	const uint32_t n =
		key == PROFILE_REGION ? trace_region_count(trace) : trace_callpath_count(trace);
	OWNED struct profile_row *rows = calloc(n, sizeof *rows);
	OWNED struct naive *naive = malloc(sizeof *naive);
	FREED_BY(filter_free) struct filter *filter = compiled(trace, predicate->text);
	ENDED_BY(profile_fini) struct profile profile;

	assert_non_null(rows);
	assert_non_null(naive);
	assert_true(profile_make_visits(&profile, trace, BASE_MEASURED, key, NULL, 0, t0, t1,
					filter, NULL));
	assert_int_equal(profile.n, n);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		look(naive, trace, l, predicate);
		sum_location(naive, predicate, key, t0, t1, rows);
	}
	for (uint32_t r = 0; r < n; r++)
		same_rows(&profile.rows[r], &rows[r], predicate->text, r);
}

static bool has_orphans(const struct trace *trace)
{
	struct naive *naive = malloc(sizeof *naive);
	uint32_t orphans = 0;

	assert_non_null(naive);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		look(naive, trace, l, &predicates[0]);
		orphans += naive->orphans;
	}
	free(naive);
	return orphans > 0;
}

/* Every other visit has a time: a filter that asks for any gives the whole profile. */
static void same_as_whole(const struct trace *trace, enum profile_key key, int64_t t0, int64_t t1)
{
	FREED_BY(filter_free) struct filter *filter = compiled(trace, "time > -1");
	ENDED_BY(profile_fini) struct profile whole, visits;

	assert_true(profile_make(&whole, trace, BASE_MEASURED, key, NULL, 0, t0, t1, NULL, NULL));
	assert_true(profile_make_visits(&visits, trace, BASE_MEASURED, key, NULL, 0, t0, t1, filter,
					NULL));
	for (uint32_t r = key == PROFILE_CALLPATH; r < whole.n; r++)
		same_rows(&visits.rows[r], &whole.rows[r], "time > -1", r);
}

TEST(as_a_plain_sum)
{
	int whole = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct rng rng = { seed * 77 };
		OWNED_TRACE *trace = random_trace(&rng);
		const bool orphans = has_orphans(trace);
		whole += !orphans;
		for (int window = 0; window < 4; window++) {
			const int64_t from = rng_below(&rng, 300);
			const int64_t t0 = window ? from : INT64_MIN;
			const int64_t t1 = window ? from + rng_below(&rng, 100) : INT64_MAX;
			for (int key = PROFILE_REGION; key <= PROFILE_CALLPATH; key++) {
				const enum profile_key k = (enum profile_key)key;
				if (!orphans)
					same_as_whole(trace, k, t0, t1);
				for (size_t i = 0; i < sizeof predicates / sizeof *predicates; i++)
					compare(trace, &predicates[i], k, t0, t1);
			}
		}
	}
	assert_true(whole >= 20);
}
