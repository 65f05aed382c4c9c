/* The notation of runs: what a text makes, and what is said of mistakes. */
#include <string.h>

#include "harness/notation.h"
#include "harness/test.h"
#include "model/trace/message.h"

static int64_t time_of(const struct trace *t, uint32_t location, uint32_t nth)
{
	struct cursor c;

	assert_true(cursor_first(&c, t, BASE_MEASURED, location));
	while (nth-- > 0)
		assert_true(cursor_next(&c));
	return cursor_time(&c);
}

TEST(lines_of_ranks)
{
	OWNED_TRACE *t =
		notation_trace("rank 0: main@0 { MPI_Send:12@10-12 ->1 tag 7 100B } @100 # sends\n"
			       "rank 1: main@0 {\n"
			       "  MPI_Recv@5-13 <-0 tag 7\n"
			       "} @100");

	assert_int_equal(trace_location_count(t), 2);
	assert_int_equal(trace_event_count(t), 10);
	assert_int_equal(trace_message_count(t), 1);
	assert_int_equal(message_bytes(trace_message(t, 0)), 100);
	assert_int_equal(trace_message(t, 0)->tag, 7);
	assert_int_equal(time_of(t, 0, 2), 10); /* the send, at its enter */
	assert_int_equal(time_of(t, 1, 2), 13); /* the receive, at its leave */
}

TEST(times_can_be_relative_and_skewed)
{
	OWNED_TRACE *t =
		notation_trace("ticks 1000000; ranks 2\n"
			       "clock 1 500 1000\n"
			       "inset 2\n"
			       "rank 0: a@10-+5, mark b@+5; rank 1: MPI_Send@1000-1010 ->0,\n"
			       "  leave c@+10");

	assert_int_equal(trace_scale(t)->per_second, 1000000);
	assert_int_equal(time_of(t, 0, 1), 15);
	assert_int_equal(time_of(t, 0, 2), 20);
	assert_int_equal(time_of(t, 1, 0), 1000 + 500 + 1);
	assert_int_equal(time_of(t, 1, 1), 1002 + 500 + 1);
}

TEST(collectives_requests_and_communicators)
{
	OWNED_TRACE *t = notation_trace(
		"ranks 3; comm pair 2 0; mpi collective; region MPI_Barrier class sync\n"
		"rank 0: MPI_Bcast@1-9 all comm pair root 2 8B; rank 2: MPI_Bcast@2-8 all comm pair root 2 8B\n"
		"rank 0: MPI_Irecv@10-11 post <-? req 4  MPI_Wait@12-20 <-1 req 4\n"
		"rank 1: MPI_Isend@10-11 ->0 req 5 ?B  MPI_Wait@15-16 sent 5\n"
		"rank 0: MPI_Barrier@30 all@30; rank 1: MPI_Barrier@30 all@30 end@40");

	assert_int_equal(trace_comm_count(t), 2);
	assert_int_equal(trace_collective_count(t), 2);
	assert_int_equal(trace_message_count(t), 1);
	assert_int_equal(trace_region_count(t), 5);
}

TEST(mistakes_have_places)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "rank 0: main@0\nrnk 1: a@1", "line 2, column 1: a line begins with a place or a "
						"setting: 'rnk 1: a@1'" },
		{ "rank 0: main", "line 1, column 13: @ is missing: 'rank 0: main'" },
		{ "rank 0: a@1 {\n b@2-3\n", "line 3, column 1: } is missing: ''" },
		{ "rank 0: a@1-2 all comm x",
		  "line 1, column 25: this name is not known before here: 'rank 0: a@1-2 all comm x'" },
		{ "rank 0: [rma-putt 1]",
		  "line 1, column 10: no detail has this name: 'rank 0: [rma-putt 1]'" },
		{ "rank 0: a@1 7", "line 1, column 13: this is not understood: 'rank 0: a@1 7'" },
		{ "mpi p3p", "line 1, column 8: no class has this name: 'mpi p3p'" },
		{ "location 3: a@1",
		  "line 1, column 11: there is no such location: 'location 3: a@1'" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct notation n;
		struct err err = ERR_INIT;
		notation_begin(&n, 1000000000);
		assert_false(notation_read(&n, cases[i].text, &err));
		assert_string_equal(err.text, cases[i].error);
		notation_fini(&n);
	}
}
