/* Definitions, lifetimes, side tables, odd nesting, requests and limits of hand-made traces. */
#include <string.h>

#include "harness/built.h"
#include "harness/notation.h"
#include "harness/patience.h"
#include "harness/test.h"
#include "model/sums/profile.h"
#include "model/sums/shading.h"

static uint32_t process(struct builder *b, int32_t rank, int32_t process, int32_t thread)
{
	return builder_location(b, &(struct location){
					   .rank = rank, .process = process, .thread = thread });
}

static uint32_t user_site(struct builder *b, const char *name)
{
	return built_site(b, name, CLASS_USER, 1);
}

TEST(definitions_have_one_id_each)
{
	struct builder *b = built_begin(0);
	const uint32_t text = builder_string(b, "abc", 3);
	const uint32_t region = builder_region(b, "f", CLASS_USER, 3);
	OWNED_TRACE *t;

	assert_int_equal(builder_string(b, "", 0), 0);
	assert_int_equal(builder_string(b, "abcd", 3), text);
	assert_int_not_equal(builder_string(b, "abcd", 4), text);
	assert_int_equal(builder_region(b, "f", CLASS_USER, 4), region);
	assert_int_not_equal(builder_region(b, "f", CLASS_IO, 4), region);
	builder_region_source(b, region, "f.c", 12);
	const uint32_t site = builder_site(b, region, text, 5, 3);
	assert_int_equal(builder_site(b, region, text, 5, 3), site);
	assert_int_not_equal(builder_site(b, region, text, 6, 3), site);
	assert_int_equal(process(b, 3, 7, 0), process(b, 3, 7, 0));
	assert_int_not_equal(process(b, 3, 7, 0), process(b, 3, 7, 1));
	t = built_end(b);
	assert_int_equal(trace_region(t, region)->picl, 3);
	assert_string_equal(trace_string(t, trace_region(t, region)->file), "f.c");
	assert_string_equal(trace_string(t, trace_location(t, 0)->name), "rank 3");
	assert_string_equal(trace_string(t, trace_location(t, 1)->name), "rank 3 thread 1");
}

TEST(the_world_has_no_host)
{
	struct builder *b = built_begin(0);
	OWNED_TRACE *t;

	built_rank(b, 5, 0);
	built_rank(b, RANK_HOST, 0);
	built_rank(b, 2, 1);
	built_rank(b, 2, 0);
	builder_property(b, "clock", "tsc");
	builder_property(b, "clock", "later");
	t = built_end(b);
	assert_int_equal(trace_comm_count(t), 1);
	assert_int_equal(trace_comm(t, 0)->size, 2);
	assert_int_equal(trace_comm(t, 0)->ranks[0], 2);
	assert_int_equal(trace_comm(t, 0)->ranks[1], 5);
	assert_int_equal(trace_location_of_rank(t, 2), 3); /* its thread 0 */
	assert_int_equal(trace_location_of_rank(t, 9), UINT32_MAX);
	assert_string_equal(trace_string(t, trace_location(t, 1)->name), "host");
	assert_string_equal(trace_property_value(t, "clock"), "tsc");
	assert_null(trace_property_value(t, "node"));
}

TEST(lifetimes_follow_tracing_records)
{
	struct builder *b = built_begin(2);
	const uint32_t site = user_site(b, "f"), tracing = user_site(b, "trace");
	uint64_t sums[SHADING_SLOTS];
	OWNED_TRACE *t;

	builder_enter(b, 0, 5, site);
	builder_leave(b, 0, 9, site);
	builder_tracing(b, 1, 10, tracing, true);
	builder_enter(b, 1, 20, site);
	builder_tracing(b, 1, 30, tracing, false);
	builder_tracing(b, 1, 70, tracing, true);
	builder_leave(b, 1, 80, site);
	builder_tracing(b, 1, 90, tracing, false);
	builder_mark(b, 1, 95, site); /* statistics may follow */
	t = built_end(b);
	assert_int_equal(trace_location(t, 0)->begin, 5);
	assert_int_equal(trace_location(t, 0)->end, 9);
	assert_true(trace_location(t, 0)->begin_inferred && trace_location(t, 0)->end_inferred);
	assert_int_equal(trace_location(t, 1)->begin, 10);
	assert_int_equal(trace_location(t, 1)->end, 90);
	assert_false(trace_location(t, 1)->begin_inferred || trace_location(t, 1)->end_inferred);
	shading_window(trace_class_shading(t, BASE_MEASURED), 1, 0, 100, sums);
	assert_int_equal(sums[CLASS_USER], 20 + 20); /* 10..30 and 70..90 */
	assert_int_equal(sums[CLASS_OUTSIDE], 60);
}

TEST(leaves_without_enters)
{
	OWNED_TRACE *t = notation_trace("ranks 2\n"
					/* The start was overwritten: f > g was open. */
					"rank 0: leave g @10 h@20-30 leave f @40\n"
					/* Not so here: h is a stray; g is not closed before f. */
					"rank 1: f@0 leave h @1 g@2 leave f @3 h@4");
	struct cursor c;

	cursor_first(&c, t, BASE_MEASURED, 0);
	assert_path(t, cursor_path_before(&c), "f > g");
	assert_path(t, trace_path_at(t, BASE_MEASURED, 0, 25), "f > h");
	assert_path(t, trace_path_at(t, BASE_MEASURED, 0, 39), "f");
	assert_path(t, trace_path_at(t, BASE_MEASURED, 0, 9), "");
	assert_int_equal(trace_event_partner(t, c.id), EVENT_NONE);
	assert_int_equal(found(t, "open-at-start"), 2);
	cursor_first(&c, t, BASE_MEASURED, 1);
	assert_int_equal(trace_event_partner(t, c.id), c.id + 3);
	cursor_next(&c);
	assert_int_equal(what_kind(cursor_what(&c)), EV_STRAY_LEAVE);
	cursor_next(&c);
	assert_int_equal(trace_event_partner(t, c.id), c.id + 1); /* ends with f */
	assert_int_equal(trace_event_partner(t, c.id + 1), c.id - 2);
	assert_int_equal(found(t, "stray-leave"), 1);
	assert_int_equal(found(t, "unclosed-enter"), 1);
	assert_int_equal(found(t, "cut-off"), 1);
	assert_true(trace_location(t, 1)->cut_off);
	assert_false(trace_location(t, 0)->cut_off);
}

TEST(texts_follow_their_events)
{
	struct builder *b = built_begin(2);
	const uint32_t f = user_site(b, "f");
	OWNED_TRACE *t;
	struct cursor c;

	builder_enter(b, 1, 30, f);
	builder_extra(b, 1, "1 2 7", 5);
	builder_enter(b, 0, 10, f);
	builder_leave(b, 1, 20, f); /* runs backwards: sorted to the front */
	builder_extra(b, 1, "leave", 5);
	builder_time_text(b, 1, "20.0000000001", 13);
	t = built_end(b);
	cursor_first(&c, t, BASE_MEASURED, 1);
	assert_int_equal(cursor_time(&c), 20);
	assert_string_equal(trace_event_extra(t, c.id), "leave");
	assert_string_equal(trace_event_time_text(t, c.id), "20.0000000001");
	cursor_next(&c);
	assert_string_equal(trace_event_extra(t, c.id), "1 2 7");
	assert_null(trace_event_time_text(t, c.id));
	cursor_first(&c, t, BASE_MEASURED, 0);
	assert_null(trace_event_extra(t, c.id));
	assert_int_equal(found(t, "unsorted-location"), 1);
}

/* Two receives are posted, the second completes first: messages go by the posts. */
TEST(posting_order_decides)
{
	OWNED_TRACE *t =
		notation_trace("rank 0: ->1 tag 3 0B @10 ->1 tag 3 0B @11\n"
			       "rank 1: post <-0 tag 3 0B req 100 @1 post <-0 tag 3 0B req 200 @2\n"
			       "  <-0 tag 3 0B req 200 @20 test 100 @21 <-0 tag 3 0B req 100 @25\n"
			       "  <-0 tag 3 0B req 100 @26" /* of a request that nobody began */);

	assert_int_equal(trace_message_count(t), 3);
	assert_int_equal(trace_event_time(t, BASE_MEASURED, trace_message(t, 0)->recv), 25);
	assert_int_equal(trace_event_time(t, BASE_MEASURED, trace_message(t, 1)->recv), 20);
	assert_int_equal(trace_message(t, 0)->flags, MSG_RECV_REQUEST);
	assert_true(trace_message(t, 2)->flags & MSG_NO_SEND);
	assert_int_equal(message_source(t, trace_message(t, 2)), 0);
	assert_int_equal(found(t, "unknown-request"), 1);
	assert_int_equal(found(t, "unmatched-receive"), 1);
}

TEST(a_send_to_all_leaves_out_sender_and_host)
{
	struct builder *b = built_begin(3);
	struct message_end end = { .rank = -1, .process = -1, .tag = 3 };
	OWNED_TRACE *t;

	built_rank(b, RANK_HOST, 0);
	builder_send(b, 1, 10, &end);
	end.rank = 1;
	builder_recv(b, 2, 15, &end);
	t = built_end(b);
	assert_int_equal(trace_message_count(t), 2);
	assert_int_equal(message_destination(t, trace_message(t, 0)), 0);
	assert_int_equal(trace_message(t, 0)->flags, MSG_BROADCAST | MSG_NO_RECV);
	assert_int_equal(message_destination(t, trace_message(t, 1)), 2);
	assert_int_equal(trace_message(t, 1)->flags, MSG_BROADCAST);
}

/* main calls f, f calls f: the outer visit of f counts once. */
TEST(profiles_by_hand)
{
	const uint32_t second = 1;
	ENDED_BY(profile_fini) struct profile p, part, paths;
	OWNED_TRACE *t =
		notation_trace("rank 0: main@0 { f@10 { f@20-50 } @90 } @100; rank 1: f@1000-1007");

	assert_true(profile_make(&p, t, BASE_MEASURED, PROFILE_REGION, NULL, 0, INT64_MIN,
				 INT64_MAX, NULL, NULL));
	assert_int_equal(p.rows[0].inclusive, 100);
	assert_int_equal(p.rows[0].exclusive, 20);
	assert_int_equal(p.rows[1].count, 3);
	assert_int_equal(p.rows[1].inclusive, 80 + 7);
	assert_int_equal(p.rows[1].exclusive, 80 + 7);
	assert_int_equal(p.rows[1].min, 7);
	assert_int_equal(p.rows[1].max, 80);
	assert_int_equal(p.rows[1].visit_sum, 80 + 30 + 7);
	assert_true(profile_make(&part, t, BASE_MEASURED, PROFILE_REGION, &second, 1, 1002, 1005,
				 NULL, NULL));
	assert_int_equal(part.rows[0].inclusive, 0);
	assert_int_equal(part.rows[1].count, 0); /* it began before */
	assert_int_equal(part.rows[1].inclusive, 3);
	assert_true(profile_make(&paths, t, BASE_MEASURED, PROFILE_CALLPATH, NULL, 0, INT64_MIN,
				 INT64_MAX, NULL, NULL));
	assert_int_equal(paths.n, 5); /* root, main, main > f, main > f > f, f */
	assert_int_equal(paths.rows[0].inclusive, 107);
	assert_int_equal(paths.rows[3].inclusive, 30);
}

TEST(times_that_cannot_be_true_are_cut)
{
	struct builder *b = built_begin(1);
	const uint32_t f = user_site(b, "f");
	uint64_t sums[SHADING_SLOTS];
	int64_t begin, end;
	OWNED_TRACE *t;

	builder_enter(b, 0, INT64_MIN, f);
	builder_leave(b, 0, INT64_MAX, f);
	t = built_end(b);
	trace_span(t, BASE_MEASURED, &begin, &end);
	assert_int_equal(end, INT64_MAX / 4);
	assert_int_equal(begin, -(INT64_MAX / 4));
	shading_window(trace_class_shading(t, BASE_MEASURED), 0, begin, end, sums);
	assert_int_equal(sums[CLASS_USER], end - begin);
	assert_int_equal(found(t, "time-out-of-range"), 2);
	assert_int_equal(trace_finding_sum(t, FINDING_DAMAGE), 2);
}

TEST(finishing_can_be_cancelled)
{
	atomic_int left = 0;
	const struct progress progress = patience(&left);
	struct builder *b = built_begin(1);
	struct err err = ERR_INIT;

	builder_enter(b, 0, 1, user_site(b, "f"));
	assert_null(builder_finish(b, NULL, &progress, &err));
	assert_false(err_is_set(&err));
}
