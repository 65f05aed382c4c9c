/* Histograms of messages: one worked out by hand, random ones against the list of messages. */
#include <stdlib.h>
#include <string.h>

#include "harness/notation.h"
#include "harness/sample.h"
#include "harness/test.h"

/* Sizes 0, 5, 7, 1000; latencies -3, 20, 40, 49 us: the smaller middle ones are 5 and 20. */
TEST(worked_out)
{
	OWNED_TRACE *trace =
		notation_trace("ticks 1000000\n"
			       "rank 0: ->1 1000B @10 ->1 0B @100 ->1 5B @200 ->1 7B @300\n"
			       "rank 1: <-0 1000B @7 <-0 0B @140 <-0 5B @220 <-0 7B @349");
	struct query query;
	OWNED char *text;

	query = sample_query(trace);
	text = sample_export("histograms", &query, EXPORT_TEXT, 0);
	assert_string_equal(text,
			    "of       from to below            messages    share\n"
			    "size     median 5 B, max 1,000 B         4  100.0 %\n"
			    "size       0 B .. 1 B                    1   25.0 %  ##########\n"
			    "size       1 B .. 2 B                    0    0.0 %\n"
			    "size       2 B .. 4 B                    0    0.0 %\n"
			    "size       4 B .. 8 B                    2   50.0 %  "
			    "####################\n"
			    "size       8 B .. 16 B                   0    0.0 %\n"
			    "size       16 B .. 32 B                  0    0.0 %\n"
			    "size       32 B .. 64 B                  0    0.0 %\n"
			    "size       64 B .. 128 B                 0    0.0 %\n"
			    "size       128 B .. 256 B                0    0.0 %\n"
			    "size       256 B .. 512 B                0    0.0 %\n"
			    "size       512 B .. 1,024 B              1   25.0 %  ##########\n"
			    "latency  median 20 us, max 49 us         4  100.0 %\n"
			    "latency    below zero                    1   25.0 %  #######\n"
			    "latency    0 s .. 1 us                   0    0.0 %\n"
			    "latency    1 us .. 2 us                  0    0.0 %\n"
			    "latency    2 us .. 5 us                  0    0.0 %\n"
			    "latency    5 us .. 10 us                 0    0.0 %\n"
			    "latency    10 us .. 20 us                0    0.0 %\n"
			    "latency    20 us .. 50 us                3   75.0 %  "
			    "####################\n");
}

/* Messages whose number in a column lies in [from, to); an empty limit is none. */
static uint64_t messages_between(const struct csv *messages, size_t column, const char *from,
				 const char *to)
{
	uint64_t n = 0;

	for (size_t r = 1; r < messages->n_rows; r++) {
		const char *cell = messages->rows[r][column];
		const double value = strtod(cell, NULL);
		n += *cell && (!*from || value >= strtod(from, NULL)) &&
		     (!*to || value < strtod(to, NULL));
	}
	return n;
}

TEST(as_the_list_of_messages)
{
	enum { BYTES = 5, LATENCY = 9 }; /* columns of the messages */

	for (uint64_t seed = 1; seed <= 20; seed++) {
		OWNED_TRACE *trace = sample_random(seed, 4, 400);
		const struct query query = sample_query(trace);
		OWNED char *list = sample_export("messages", &query, EXPORT_CSV, 0);
		OWNED char *text = sample_export("histograms", &query, EXPORT_CSV, 0);
		ENDED_BY(csv_free) struct csv messages = csv_parse(list);
		ENDED_BY(csv_free) struct csv csv = csv_parse(text);
		uint64_t total = 0, sum = 0;
		assert_string_equal(messages.rows[0][BYTES], "bytes");
		assert_string_equal(messages.rows[0][LATENCY], "latency_s");
		for (size_t r = 1; r < csv.n_rows; r++) {
			char **row = csv.rows[r];
			const bool size = strcmp(row[0], "size") == 0;
			const char *from = row[size ? 1 : 3], *to = row[size ? 2 : 4];
			const uint64_t n = strtoull(row[5], NULL, 10);
			assert_int_equal(n, messages_between(&messages, size ? BYTES : LATENCY,
							     from, to));
			*(*from || *to ? &sum : &total) += n;
		}
		assert_int_equal(sum, total);
	}
}
