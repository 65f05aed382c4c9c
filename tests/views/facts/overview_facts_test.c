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

/* Ranks with two streams each, in a window of 100 ticks. Those of rank 0 compute in 10 to 40 and in
 * 30 to 60, which are 50 ticks, and reduce in 50 to 70: 10 ticks alone. Of rank 1's one computes in
 * 0 to 20, the other has nothing: 80 idle. */
TEST(devices_are_busy_or_communicate_or_idle)
{
	enum { PROCESS = 1, ACCELERATOR = 2, RANKS = 2, STREAMS = 2 };
	const struct process own = { .type = PROCESS, .creator = UINT32_MAX };
	struct overview_facts f;
	struct notation n;

	notation_begin(&n, 1000000);
	notation_write(&n, "threads 6; region kernel paradigm 23; region reduce class collective\n"
			   "location 0: main@0 { } @100; location 1: main@0 { } @100\n"
			   "location 2: kernel@10-40 reduce@50-70; location 3: kernel@30-60\n"
			   "location 4: kernel@0-20; location 5: mark kernel @100");
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		const struct process context = { .type = ACCELERATOR,
						 .creator = builder_process(n.b, &own) };

		builder_location_owner(n.b, rank, context.creator, LOCATION_CPU, 0);
		for (uint32_t s = 0; s < STREAMS; s++)
			builder_location_owner(n.b, RANKS + rank * STREAMS + s,
					       builder_process(n.b, &context), LOCATION_ACCELERATOR,
					       s + 1);
	}
	OWNED_TRACE *t = notation_finish(&n);
	overview_facts_make(&f, &(struct query){ .trace = t, .t0 = INT64_MIN, .t1 = INT64_MAX });
	assert_int_equal(f.devices.programs, 2);
	assert_int_equal(f.devices.time, 200);
	assert_int_equal(f.devices.busy, 50 + 20);
	assert_int_equal(f.devices.communicating, 10);
	assert_int_equal(f.devices.idlest, 1);
	assert_int_equal(f.devices.idlest_time, 80);
	assert_string_equal(trace_region_name(t, f.devices.top), "kernel");
	assert_int_equal(f.devices.top_time, 30 + 30 + 20);
	assert_int_equal(f.devices.stream_time, 400);

	/* From 40 to 100 there are 20 ticks of work. */
	overview_facts_make(&f, &(struct query){ .trace = t, .t0 = 40, .t1 = 100 });
	assert_int_equal(f.devices.busy, 20);
	assert_int_equal(f.devices.time, 120);
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
