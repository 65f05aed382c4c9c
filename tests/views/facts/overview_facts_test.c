#include "views/facts/overview_facts.h"

#include "harness/notation.h"
#include "harness/test.h"
#include "views/facts/phrases.h"
#include "views/facts/timeline_shade.h"
#include "views/query/time_share.h"

/* A host waits 88 of 100 ticks for its device; a stream runs a kernel; two locations carry
 * metrics. */
TEST(only_hosts_count)
{
	static const uint8_t types[] = { LOCATION_CPU, LOCATION_ACCELERATOR, LOCATION_METRICS,
					 LOCATION_METRICS };
	struct overview_facts f;
	struct notation n;

	notation_begin(&n, 1000000);
	notation_write(&n, "threads 4; region main paradigm 2\n"
			   "region hipEventSynchronize paradigm 23; region kernel paradigm 23\n"
			   "location 0: main@0 { hipEventSynchronize@10-98 } @100\n"
			   "location 1: kernel@20-90\n"
			   "location 2: mark main @50; location 3: mark main @50");
	for (uint32_t l = 0; l < sizeof types; l++)
		builder_location_owner(n.b, l, UINT32_MAX, types[l], 0);
	OWNED_TRACE *t = notation_finish(&n);
	overview_facts_make(&f, &(struct query){ .trace = t, .t0 = INT64_MIN, .t1 = INT64_MAX });
	assert_int_equal(f.locations, 1);
	assert_int_equal(f.whole, 100);
	assert_int_equal(f.by_class[CLASS_DEVICE], 88);
	assert_int_equal(f.by_class[CLASS_USER], 12);
	assert_int_equal(f.by_class[CLASS_OUTSIDE], 0);
	assert_int_equal(f.events, 8);

	/* Rows of states are those of host and stream: 2 x 100. */
	const struct query all = { .trace = t, .t0 = INT64_MIN, .t1 = INT64_MAX };
	ENDED_BY(phrases_fini) struct phrases p = { .trace = t };

	assert_int_equal(trace_state_locations(t), 2);
	assert_true(query_time(&all).hosts == 100 && query_time(&all).streams == 100);
	assert_string_equal(phrase_members(&p, NULL, 4),
			    "2 locations (2 more with counters alone)");
	assert_string_equal(phrase_members(&p, NULL, 1), "1 location and 1 device stream");
}

/* Rank 0 posts two receives and cancels one: one message of 100 bytes. */
TEST(a_cancelled_receive_is_not_a_message)
{
	struct overview_facts f;
	struct notation n;

	notation_begin(&n, 1000000);
	notation_write(&n,
		       "ranks 2\n"
		       "rank 0: main@0 { MPI_Irecv@10-12 post <-1 tag 1 100B req 1,"
		       " MPI_Irecv@13-15 post <-1 tag 2 100B req 2,"
		       " MPI_Cancel@16-17 cancel 2, MPI_Wait@20-30 <-1 tag 1 100B req 1 } @100\n"
		       "rank 1: main@0 { MPI_Send@20-25 ->0 tag 1 100B } @100");
	OWNED_TRACE *t = notation_finish(&n);
	overview_facts_make(&f, &(struct query){ .trace = t, .t0 = INT64_MIN, .t1 = INT64_MAX });
	assert_int_equal(trace_message_count(t), 2);
	assert_int_equal(f.messages, 1);
	assert_int_equal(f.bytes, 100);
	assert_int_equal(f.unmatched, 0);
}

/* Timeline and legend name a class as the report does. */
TEST(a_class_has_one_title)
{
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		assert_string_equal(timeline_state_title(c),
				    region_class_title((enum region_class)c));
}
