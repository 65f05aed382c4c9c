/* What a job did in its last seconds: sums and sentences, by hand. */
#include "views/facts/recent_facts.h"

#include "harness/built.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/trace/program.h"
#include "views/query/analyses.h"

enum { SECOND = 1000000000 };

static void said(const struct recent_facts *now, const struct recent_facts *then, const char *want)
{
	OWNED_STR out = STR_INIT;

	str_add(&out, "");
	recent_facts_text(now, then, SECOND, &out);
	assert_string_equal(out.text, want);
}

/* Statistics grow: 1,000 calls, 5,000 bytes, 24 of 40 s of all ranks in 10 s. */
TEST(test_statistics_alone)
{
	const struct recent_facts then = { .end = 10LL * SECOND,
					   .alone = true,
					   .calls = 500,
					   .sent = 100,
					   .all_waits = 20e9,
					   .whole = 40e9 };
	struct recent_facts now = { .end = 20LL * SECOND,
				    .alone = true,
				    .calls = 1500,
				    .sent = 5100,
				    .all_waits = 44e9,
				    .whole = 80e9 };

	said(&now, &then, "last 10 s: 100 calls/s, 500 B/s, waiting 60.0 % (run 55.0 %)");
	said(&now, NULL, "");
	/* A call that was under way had not waited. */
	now.all_waits = 18e9;
	said(&now, &then, "last 10 s: 100 calls/s, 500 B/s, waiting 0.0 % (run 22.5 %)");
	/* Another job. */
	now.calls = 499;
	said(&now, &then, "");
}

/* Rank 1 ends after 10 of 20 s: of the 10 s after an earlier look only rank 0's can be waited in, 5 of
 * which it does; of 30 s in all 10. */
TEST(test_ranks_that_have_ended)
{
	const struct recent_facts then = {
		.end = 10000, .alone = true, .all_waits = 5000, .whole = 20000
	};
	struct notation n;
	struct recent_facts now;
	struct recent_rates rates;
	struct query query;
	uint32_t statement;
	OWNED_TRACE *trace = NULL;

	notation_begin(&n, 1000);
	notation_write(&n,
		       "ranks 2\nrank 0: mark a@0, mark b@20000\nrank 1: mark a@0, mark b@10000");
	statement =
		builder_statement(n.b,
				  &(struct statement){ .kind = STATEMENT_COMMUNICATION,
						       .parent = NO_STATEMENT,
						       .callee = NO_STATEMENT,
						       .name = builder_string(n.b, "MPI_Recv", 8),
						       .region = UINT32_MAX });
	for (size_t i = 0; i < 2; i++)
		builder_statement_record(n.b, &(struct statement_record){
						      .statement = statement,
						      .location = n.places.data[i].location,
						      .from = NO_STATEMENT,
						      .partner = RANK_UNKNOWN,
						      .comm = UINT32_MAX,
						      .count = 1,
						      .time = 6000,
						      .sync = 5000 });
	trace = notation_finish(&n);
	query = sample_query(trace);
	recent_facts_make(&now, &query, RECENT_SECONDS);
	assert_true(now.alone);
	assert_true(recent_facts_rates(&now, &then, 1000, &rates));
	assert_float_equal(rates.recent, 0.5, 1e-6);
	assert_float_equal(rates.all, 10. / 30, 1e-6);
}

TEST(test_events)
{
	struct recent_facts now = { .end = 4LL * SECOND,
				    .seconds = 2,
				    .messages = 30,
				    .bytes = 600,
				    .waits = 1e9,
				    .all = 4e9,
				    .all_waits = 4e9,
				    .whole = 8e9 };

	said(&now, NULL, "last 2 s: 15 messages/s, 300 B/s, communication 25.0 % (run 50.0 %)");
	now.cut = true;
	said(&now, &now, "last 2 s: 15 messages/s, 300 B/s, communication 25.0 % (look 50.0 %)");
	now.all = 0;
	said(&now, NULL, "");
}

/*	       0     2    4  5       9 10   11.5 12      16     20 s
 *	rank 0 -----[Recv.....]-----------|--[S]---------[Recv....
 *	rank 1 -----------[S]--------[Recv|.......]---------------
 *
 * Rank 0 waits from 2 to 4 s and from 16 s on, rank 1 from 9 to 11.5 s: 8.5 s of 40, of which 1.5 + 4 s
 * of 20 are in the last 10 s. Beside them are 1 + 0.1 + 0.5 + 0.1 s of communication, 0.6 s then. */
TEST(test_waits_by_hand)
{
	OWNED_TRACE *trace = notation_trace(
		"ticks 1000\nranks 2\n"
		"rank 0: main@0 { MPI_Recv@2000-5000 <-1 10B MPI_Send@11500-11600 ->1 50B\n"
		"  MPI_Recv@16000 { mark now@20000 } }\n"
		"rank 1: main@0 { MPI_Send@4000-4100 ->0 10B MPI_Recv@9000-12000 <-0 50B } @20000");
	struct query query = sample_query(trace);
	struct recent_facts facts;
	struct recent_rates rates;
	struct err err = ERR_INIT;

	recent_facts_make(&facts, &query, RECENT_SECONDS);
	assert_false(recent_facts_add_waits(&facts, &query));
	assert_true(recent_facts_rates(&facts, NULL, 1000, &rates));
	assert_string_equal(rates.what, "communication");
	assert_float_equal(rates.recent, (1.5 + 4 + 0.6) / 20, 1e-6);
	assert_float_equal(rates.all, (8.5 + 1.7) / 40, 1e-6);
	query.analyses = analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
	assert_non_null(analyses_get(query.analyses, query.base, NULL, &err));
	assert_true(recent_facts_add_waits(&facts, &query));
	/* Once is enough. */
	assert_true(recent_facts_add_waits(&facts, &query));
	assert_true(recent_facts_rates(&facts, NULL, 1000, &rates));
	assert_string_equal(rates.what, "waiting");
	assert_float_equal(rates.seconds, 10, 1e-6);
	assert_float_equal(rates.units, 0.1, 1e-6);
	assert_float_equal(rates.bytes, 5, 1e-6);
	assert_float_equal(rates.recent, 5.5 / 20, 1e-6);
	assert_float_equal(rates.all, 8.5 / 40, 1e-6);
	analyses_free(query.analyses);
}
