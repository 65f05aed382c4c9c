/* Calls: one by hand, and lists of random traces in random windows against all that a stack finds. */
#include <string.h>

#include "base/order.h"
#include "harness/notation.h"
#include "harness/random.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "model/filter/filter.h"
#include "views/facts/calls_choose.h"

static int slices; /* that did not end the work */

static struct query query_of(struct trace *trace, int64_t t0, int64_t t1)
{
	return (struct query){ .trace = trace, .base = BASE_MEASURED, .t0 = t0, .t1 = t1 };
}

/* In slices as short as they can be; each time what has been seen is taken, too. */
static void choose(struct calls *calls, const struct call_source *source, const struct query *query,
		   const struct calls_wish *wish)
{
	struct calls_choice *choice = calls_choice_new(source, query, wish);
	uint64_t matching = 0;

	*calls = (struct calls){ .matching = 0 };
	while (calls_choice_work(choice, 0)) {
		calls_choice_take(choice, calls);
		assert_true(calls->matching >= matching);
		assert_int_equal(calls->chosen.n,
				 calls->matching < wish->most ? calls->matching : wish->most);
		matching = calls->matching;
		slices++;
	}
	calls_choice_take(choice, calls);
	calls_choice_free(choice);
}

/* ---- by hand ---- */

#define RUN                                                                                   \
	"rank 0: main@0 { work@10 { inner@15-25 } @40 MPI_Send@40-50 ->1 tag 1 100B } @100\n" \
	"rank 1: main@3\n"                                                                    \
	"rank 1: MPI_Recv@5-45 <-0 tag 1 @44\n"                                               \
	"rank 1: MPI_Barrier@60 all @60"

/* Calls of RUN, the longest first, as "rank region from-to own". */
static void say(const struct trace *trace, const struct calls *calls, struct str *out)
{
	const struct call *c;

	vec_each (c, &calls->chosen)
		str_add_fmt(out, "%d %s %d-%d%s %d\n", trace_location(trace, c->location)->rank,
			    trace_region_name(trace, trace_callpath_region(trace, c->path)),
			    (int)c->begin, (int)c->end, c->leave == EVENT_NONE ? "..." : "",
			    (int)c->exclusive);
}

static void assert_calls(int64_t t0, int64_t t1, struct calls_wish wish, const char *expected)
{
	OWNED_TRACE *trace = notation_trace(RUN);
	const struct query query = query_of(trace, t0, t1);
	struct call_source source;
	struct calls calls;
	OWNED_STR text = STR_INIT;

	wish.longest = INT64_MAX;
	wish.region = UINT32_MAX;
	call_source_init(&source, &query);
	choose(&calls, &source, &query, &wish);
	say(trace, &calls, &text);
	assert_string_equal(text.text, expected);
	calls_fini(&calls);
	call_source_fini(&source);
}

TEST(test_by_hand)
{
	assert_calls(INT64_MIN, INT64_MAX,
		     (struct calls_wish){ CALLS_DURATION, .descending = true, .most = 100 },
		     "0 main 0-100 60\n"
		     "1 main 3-100... 17\n"
		     "1 MPI_Recv 5-45 40\n"
		     "1 MPI_Barrier 60-100... 40\n"
		     "0 work 10-40 20\n"
		     "0 inner 15-25 10\n"
		     "0 MPI_Send 40-50 10\n");
}

TEST(test_the_first_two_by_own_time)
{
	assert_calls(INT64_MIN, INT64_MAX,
		     (struct calls_wish){ CALLS_EXCLUSIVE, .descending = true, .most = 2 },
		     "0 main 0-100 60\n"
		     "1 MPI_Recv 5-45 40\n");
}

/* All that reach into it, also where a location has no event after its begin. */
TEST(test_window)
{
	assert_calls(70, 90, (struct calls_wish){ CALLS_BEGIN, .most = 100 },
		     "0 main 0-100 60\n"
		     "1 main 3-100... 17\n"
		     "1 MPI_Barrier 60-100... 40\n");
	assert_calls(20, 24, (struct calls_wish){ CALLS_DURATION, .most = 3 },
		     "0 inner 15-25 10\n"
		     "0 work 10-40 20\n"
		     "1 MPI_Recv 5-45 40\n");
}

TEST(test_traffic)
{
	OWNED_TRACE *trace = notation_trace(
		"rank 0: MPI_Send@0-10 ->1 tag 1 100B\nrank 0: MPI_Send@10-20 ->1 tag 1 20B\n"
		"rank 1: MPI_Irecv@0-1 post <-0 tag 1 100B req 1\nrank 1: MPI_Wait@2-12 <-0 tag 1 100B req 1 "
		"@11\n"
		"rank 1: work@12 { MPI_Recv@13-22 <-0 tag 1 20B @21 } @30\n"
		"rank 2: MPI_Bcast@0-9 all root 0 8B/16B");
	const struct query query = query_of(trace, INT64_MIN, INT64_MAX);
	struct call_source source;
	struct cursor c;
	static const struct {
		uint32_t location;
		const char *region;
		uint64_t bytes;
		int32_t partner;
	} expected[] = { { 0, "MPI_Send", 100, 1 },
			 { 0, "MPI_Send", 20, 1 },
			 { 1, "MPI_Irecv", 100, 0 },
			 { 1, "MPI_Wait", 100, 0 },
			 { 1, "work", UINT64_MAX, RANK_UNKNOWN },
			 { 1, "MPI_Recv", 20, 0 },
			 { 2, "MPI_Bcast", 24, RANK_UNKNOWN } };
	size_t i = 0;

	call_source_init(&source, &query);
	for (uint32_t l = 0; l < 3; l++)
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			struct call call;
			struct call_traffic t;
			if (what_kind(cursor_what(&c)) != EV_ENTER)
				continue;
			call = call_of(&source, c.id);
			t = call_traffic(&source, &call);
			assert_int_equal(l, expected[i].location);
			assert_string_equal(trace_region_name(trace,
							      trace_callpath_region(trace,
										    call.path)),
					    expected[i].region);
			assert_int_equal(t.bytes, expected[i].bytes);
			assert_int_equal(t.partner, expected[i].partner);
			i++;
		}
	assert_int_equal(i, sizeof expected / sizeof *expected);
	call_source_fini(&source);
}

/* ---- against a stack ---- */

struct calls_list {
	VEC(struct call) list;
};

static void end_call(struct calls_list *all, struct calls_list *open, uint32_t leave, int64_t t)
{
	struct call call = vec_pop(&open->list);

	call.leave = leave;
	call.end = t;
	call.exclusive += t - call.begin;
	if (open->list.n)
		vec_last(&open->list)->exclusive -= t - call.begin;
	if (call.enter != EVENT_NONE)
		vec_push(&all->list, call);
}

/* All calls of a location; `exclusive` is what is in no other, before the end is known. */
static void all_calls(const struct trace *trace, uint32_t location, struct calls_list *all)
{
	struct calls_list open = { VEC_INIT };
	int64_t run_begin, run_end;
	struct cursor c;
	bool first = true;

	trace_span(trace, BASE_MEASURED, &run_begin, &run_end);
	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		/* What is open before has no event. */
		for (uint32_t d = first ? trace_callpath(trace, cursor_path_before(&c))->depth : 0;
		     d > 0; d--)
			vec_push(&open.list, ((struct call){ .enter = EVENT_NONE }));
		first = false;
		if (what_kind(what) == EV_ENTER)
			vec_push(&open.list,
				 ((struct call){ c.id, EVENT_NONE, location, what_id(what),
						 cursor_time(&c), 0, 0 }));
		else if (what_kind(what) == EV_LEAVE)
			while (open.list.n >= trace_callpath(trace, what_id(what))->depth)
				end_call(all, &open, c.id, cursor_time(&c));
	}
	while (open.list.n)
		end_call(all, &open, EVENT_NONE, run_end);
	vec_fini(&open.list);
}

static enum calls_order sorting_by; /* of the comparison below */
static bool descending;

static int compare(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	const int64_t of_x = sorting_by == CALLS_DURATION    ? x->end - x->begin
			     : sorting_by == CALLS_EXCLUSIVE ? x->exclusive
							     : x->begin;
	const int64_t of_y = sorting_by == CALLS_DURATION    ? y->end - y->begin
			     : sorting_by == CALLS_EXCLUSIVE ? y->exclusive
							     : y->begin;

	if (of_x != of_y)
		return (of_x < of_y) != descending ? -1 : 1;
	ORDER_BY(x->begin, y->begin);
	ORDER_BY(x->location, y->location);
	return ORDER(x->enter, y->enter);
}

static void assert_same(const struct call *a, const struct call *b)
{
	assert_int_equal(a->enter, b->enter);
	assert_int_equal(a->leave, b->leave);
	assert_int_equal(a->location, b->location);
	assert_int_equal(a->path, b->path);
	assert_int_equal(a->begin, b->begin);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->exclusive, b->exclusive);
}

/* An open end is in every window after the begin. */
static bool reaches(const struct call *call, int64_t t0, int64_t t1)
{
	return call->begin < t1 &&
	       (call->begin >= t0 || call->leave == EVENT_NONE || call->end >= t0);
}

static void assert_chosen(const struct query *query, const struct call_source *source,
			  const struct calls_list *all, const struct calls_wish *wish)
{
	struct calls_list expected = { VEC_INIT };
	uint64_t of_bins = 0, reaching = 0, matching;
	const struct call *call;
	struct calls calls;

	vec_each (call, &all->list) {
		const int64_t d = call->end - call->begin;
		if (!reaches(call, query->t0, query->t1) ||
		    !filter_event(query->filter, BASE_MEASURED, call->enter))
			continue;
		reaching++;
		if (d >= wish->shortest && d <= wish->longest)
			vec_push(&expected.list, *call);
	}
	matching = expected.list.n;
	sorting_by = wish->order;
	descending = wish->descending;
	vec_sort(&expected.list, compare);
	choose(&calls, source, query, wish);
	assert_int_equal(calls.matching, matching);
	assert_int_equal(calls.chosen.n, matching < wish->most ? matching : wish->most);
	for (size_t i = 0; i < calls.chosen.n; i++)
		assert_same(&calls.chosen.data[i], &expected.list.data[i]);
	for (unsigned i = 0; i < CALLS_BINS; i++)
		of_bins += calls.bins[i];
	assert_int_equal(of_bins, reaching);
	calls_fini(&calls);
	vec_fini(&expected.list);
}

TEST(test_random_traces)
{
	static const char *const filters[] = { NULL, "region =~ /e/", "dur > 5ns", "rank != 1" };
	static const enum calls_order orders[] = { CALLS_BEGIN, CALLS_DURATION, CALLS_EXCLUSIVE };
	static const size_t mosts[] = { 0, 1, 7, 1000000 };
	struct rng rng = { 77 };

	for (int i = 0; i < 60; i++) {
		OWNED_TRACE *trace =
			random_trace((uint64_t)i + 1, i == 7 ? 9000 : 20 + rng_below(&rng, 300),
				     1000000000);
		struct calls_list all = { VEC_INIT };
		struct call_source source;
		int64_t begin, end;
		struct query query = query_of(trace, INT64_MIN, INT64_MAX);

		trace_span(trace, BASE_MEASURED, &begin, &end);
		for (uint32_t l = 0; l < trace_location_count(trace); l++)
			all_calls(trace, l, &all);
		call_source_init(&source, &query);
		for (int k = 0; k < 20; k++) {
			const int64_t length = end - begin + 1;
			struct err err = ERR_INIT;
			struct filter *filter =
				filter_compile(filters[rng_below(&rng, 4)] ?: "", trace, &err);
			struct calls_wish wish = {
				.order = orders[rng_below(&rng, 3)],
				.descending = rng_below(&rng, 2),
				.most = mosts[rng_below(&rng, 4)],
				.region = UINT32_MAX,
				.shortest = k % 3 ? INT64_MIN : rng_below(&rng, 20),
				.longest = k % 2 ? INT64_MAX : 20 + rng_below(&rng, 200),
			};
			if (k % 4) {
				query.t0 = begin + (int64_t)(rng_next(&rng) % (uint64_t)length);
				query.t1 =
					query.t0 + 1 + (int64_t)(rng_next(&rng) % (uint64_t)length);
			}
			query.filter = filter;
			assert_chosen(&query, &source, &all, &wish);
			filter_free(filter);
		}
		call_source_fini(&source);
		vec_fini(&all.list);
	}
	assert_true(slices > 20);
}

/* 1, 2, 5, 10, ... ns, in ticks of 10 ns: what a tick cannot tell apart is in the last of them. */
TEST(test_bins)
{
	OWNED_TRACE *trace = notation_trace("ticks 100000000\nrank 0: main@0-7");

	assert_int_equal(calls_bin_from(trace, 3), 1);                   /* 10 ns */
	assert_int_equal(calls_bin_from(trace, 4), 2);                   /* 20 ns */
	assert_int_equal(calls_bin_from(trace, 11), 500);                /* 5 us */
	assert_int_equal(calls_bin_from(trace, 27), INT64_C(100000000)); /* 1 s */
}
