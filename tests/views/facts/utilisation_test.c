/* What ranks do with their time, and messages under way: one run worked out by hand, random ones
 * against a count at every tick. */
#include "views/facts/utilisation.h"

#include "harness/built.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "model/sums/shading.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"
#include "views/facts/under_way.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"
#include "views/tables/view_utilisation.h"

/*	      0    100   200  300  400 420  500   600   700   800  900  1000
 *	rank 0 [Init][busy      ][Recv..........][busy            ][Barrier.]
 *	rank 1 -----[Init][busy     ][S][busy   ][io  ][tool][busy    ][Barrier]
 *
 * Busy: rank 0 200 + 300 = 500, rank 1 200 + 80 + 200 = 480. Rank 0 waits for the message from 300
 * to 400, and for rank 1 at the barrier from 800 to 900. */
static struct trace *worked_out(void)
{
	return notation_trace("ticks 1000000\n"
			      "region MPI_Init class startend; region tool class overhead\n"
			      "region io class io; region MPI_Barrier class sync; ranks 2\n"
			      "rank 0: main@0 { MPI_Init@0-100 MPI_Recv@300-500 <-1 10B\n"
			      "  MPI_Barrier@800-1000 all } @1000\n"
			      "rank 1: main@100 { MPI_Init@100-200 MPI_Send@400-420 ->0 10B\n"
			      "  io@500-600 tool@600-700 MPI_Barrier@900-1000 all } @1000");
}

static char *text_of(struct table *table, enum export_format format)
{
	const struct export_options options = { .format = format };
	struct err err = ERR_INIT;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(table);
	assert_true(export_table(table, &options, stream, &err));
	fclose(stream);
	table_free(table);
	return text;
}

#define CELL_HEADER \
	"from_s,to_s,busy,transfer,waiting,management,filtered_out,idle,not_recorded,waiting_is\n"

/* Cells of 250 us. In the first, rank 0 is 100 us in MPI_Init and busy for 150; rank 1 is not
 * recorded for 100, 100 in MPI_Init and busy for 50: 200 / 250 = 0.8 busy. */
TEST(over_time)
{
	OWNED_TRACE *trace = worked_out();
	struct query query = sample_query(trace);
	struct err err = ERR_INIT;
	OWNED char *calls = text_of(utilisation_table_of(&query, NULL, 4, &err), EXPORT_CSV);

	assert_string_equal(calls, CELL_HEADER
			    "0.000000000,0.000250000,0.8,0,0,0.8,0,0,0.4,calls that communicate\n"
			    "0.000250000,0.000500000,1.12,0,0.88,0,0,0,0,calls that communicate\n"
			    "0.000500000,0.000750000,1.2,0.4,0,0.4,0,0,0,calls that communicate\n"
			    "0.000750000,0.001000000,0.8,0,1.2,0,0,0,0,calls that communicate\n");
}

/* Of 200 us in MPI_Recv and 20 in MPI_Send 100 are waiting; of 200 + 100 in MPI_Barrier 100. */
TEST(over_time_with_wait_states)
{
	OWNED_TRACE *trace = worked_out();
	struct query query = sample_query(trace);
	struct err err = ERR_INIT;
	query.analyses = analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
	assert_non_null(analyses_get(query.analyses, query.base, NULL, &err));
	OWNED char *waits = text_of(utilisation_table_of(&query, NULL, 4, &err), EXPORT_CSV);

	assert_string_equal(waits, CELL_HEADER
			    "0.000000000,0.000250000,0.8,0,0,0.8,0,0,0.4,wait states\n"
			    "0.000250000,0.000500000,1.12,0.48,0.4,0,0,0,0,wait states\n"
			    "0.000500000,0.000750000,1.2,0.4,0,0.4,0,0,0,wait states\n"
			    "0.000750000,0.001000000,0.8,0.8,0.4,0,0,0,0,wait states\n");
	analyses_free(query.analyses);
}

/* The export waits for the wait states. */
TEST(by_rank)
{
	OWNED_TRACE *trace = worked_out();
	struct query query = sample_query(trace);
	query.analyses = analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
	OWNED char *text = sample_export("utilisation-ranks", &query, EXPORT_TEXT, 0);
	OWNED char *csv = sample_export("utilisation-ranks", &query, EXPORT_CSV, 0);

	assert_string_equal(text, "rank    busy  transfer  waiting  management  not recorded\n"
				  "   0  50.0 %    20.0 %   20.0 %      10.0 %         0.0 %  "
				  "####################========........oooo\n"
				  "   1  48.0 %    22.0 %    0.0 %      20.0 %        10.0 %  "
				  "###################=========oooooooo\n");
	assert_string_equal(
		csv,
		"rank,thread,location,busy,transfer,waiting,management,filtered_out,idle,not_recorded,"
		"busy_s,transfer_s,waiting_s,management_s,filtered_out_s,idle_s,not_recorded_s,waiting_is\n"
		"0,0,rank 0,0.5,0.2,0.2,0.1,0,0,0,0.000500000,0.000200000,0.000200000,0.000100000,"
		"0.000000000,0.000000000,0.000000000,wait states\n"
		"1,0,rank 1,0.48,0.22,0,0.2,0,0,0.1,0.000480000,0.000220000,0.000000000,"
		"0.000200000,0.000000000,0.000000000,0.000100000,wait states\n");
	analyses_free(query.analyses);
}

/* None busy: [0, 100), [400, 420), [900, 1000); both: [200, 300), [700, 800). Rank 1 is not
 * recorded in [0, 100). */
TEST(busy_at_once)
{
	OWNED_TRACE *trace = worked_out();
	struct query query = sample_query(trace);
	OWNED char *text = sample_export("concurrency", &query, EXPORT_TEXT, 0);

	assert_string_equal(text, "busy at once           time    share  partly known\n"
				  "mean 0.98, most 2  1.000 ms  100.0 %        100 us\n"
				  "  0                  220 us   22.0 %        100 us  ########\n"
				  "  1                  580 us   58.0 %           0 s  "
				  "####################\n"
				  "  2                  200 us   20.0 %           0 s  #######\n");
	/* Of [250, 450): both until 300, none from 400 to 420. */
	query.t0 = 250;
	query.t1 = 450;
	OWNED char *part = sample_export("concurrency", &query, EXPORT_CSV, 0);
	assert_string_equal(part, "busy_from,busy_to,time_s,share,partly_known_s\n"
				  ",,0.000200000,1,0.000000000\n"
				  "0,0,0.000020000,0.1,0.000000000\n"
				  "1,1,0.000130000,0.65,0.000000000\n"
				  "2,2,0.000050000,0.25,0.000000000\n");
}

/* 130 ranks, of which rank r is busy from r to 130: r + 1 are busy in [r, r + 1). 64 rows hold
 * three numbers each at most. */
TEST(many_ranks_in_bins)
{
	struct notation n;
	notation_begin(&n, 1000000);
	notation_write(&n, "ranks 130");
	for (int r = 0; r < 130; r++)
		notation_write(&n, "rank %d: main@%d { } @130", r, r);
	OWNED_TRACE *trace = notation_finish(&n);
	struct query query = sample_query(trace);
	OWNED char *text = sample_export("concurrency", &query, EXPORT_CSV, 0);
	ENDED_BY(csv_free) struct csv csv = csv_parse(text);

	assert_int_equal(csv.n_rows, 1 + 1 + 1 + 44); /* header, all, none, 130 / 3 rounded up */
	assert_string_equal(csv.rows[2][2], "0.000000000");
	for (size_t i = 3; i < csv.n_rows; i++) {
		const long from = strtol(csv.rows[i][0], NULL, 10);
		const long to = strtol(csv.rows[i][1], NULL, 10);
		assert_int_equal(from, 3 * (i - 3) + 1);
		assert_int_equal(to, i + 1 < csv.n_rows ? from + 2 : 130);
		assert_true(strtod(csv.rows[i][2], NULL) * 1e6 > (double)(to - from) + 0.999);
		assert_true(strtod(csv.rows[i][2], NULL) * 1e6 < (double)(to - from) + 1.001);
	}
}

/* Taken: MPI_Recv of 200 us. Rank 1 alone: busy 480 of 1000. */
TEST(filter_and_choice)
{
	OWNED_TRACE *trace = worked_out();
	struct query query = sample_query(trace);
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile("region == MPI_Recv", trace, &err);
	query.filter = filter;
	OWNED char *csv = text_of(utilisation_table_of(&query, NULL, 1, &err), EXPORT_CSV);
	assert_string_equal(csv, CELL_HEADER "0.000000000,0.001000000,0,0,0.2,0,1.7,0,0.1,"
					     "calls that communicate\n");
	filter_free(filter);

	filter = filter_compile("rank == 1", trace, &err);
	query.filter = filter;
	OWNED char *one = text_of(utilisation_table_of(&query, NULL, 1, &err), EXPORT_CSV);
	assert_string_equal(one, CELL_HEADER "0.000000000,0.001000000,0.48,0.1,0.12,0.2,0,0,0.1,"
					     "calls that communicate\n");
	filter_free(filter);

	const uint32_t second[] = { 1 };
	query.filter = NULL;
	query.locations = second;
	query.n_locations = 1;
	OWNED char *chosen = text_of(utilisation_table_of(&query, NULL, 1, &err), EXPORT_CSV);
	assert_string_equal(chosen, one);
}

/* main from 0 to 100, recording off from 30 to 70: that time is neither busy nor waiting. */
TEST(recording_switched_off)
{
	static const struct timescale scale = { 1000000, 6 };
	struct builder *b = builder_new("off.trc", &scale, NULL);
	const uint32_t site = builder_site(b, builder_region(b, "main", CLASS_USER, 1), 0, 0, 1);
	const uint32_t l = built_rank(b, 0, 0);
	builder_enter(b, l, 0, site);
	builder_tracing(b, l, 30, site, false);
	builder_tracing(b, l, 70, site, true);
	builder_leave(b, l, 100, site);
	OWNED_TRACE *trace = built_end(b);
	struct query query = sample_query(trace);
	struct err err = ERR_INIT;
	OWNED char *csv = text_of(utilisation_table_of(&query, NULL, 1, &err), EXPORT_CSV);
	OWNED char *busy = sample_export("concurrency", &query, EXPORT_CSV, 0);

	assert_string_equal(csv, CELL_HEADER "0.000000000,0.000100000,0.6,0,0,0,0,0,0.4,"
					     "calls that communicate\n");
	assert_string_equal(busy, "busy_from,busy_to,time_s,share,partly_known_s\n"
				  ",,0.000100000,1,0.000040000\n"
				  "0,0,0.000040000,0.4,0.000040000\n"
				  "1,1,0.000060000,0.6,0.000000000\n");
}

/* A stream works from 10 to 40 and from 70 to 90, 50 of 100; between and around it is idle, which is
 * not user code, and known. */
TEST(a_stream_is_idle_outside_its_kernels)
{
	enum { PROCESS = 1, ACCELERATOR = 2 };
	const struct process own = { .type = PROCESS, .creator = UINT32_MAX };
	struct process context = { .type = ACCELERATOR };
	struct notation n;

	notation_begin(&n, 1000000);
	notation_write(&n, "ranks 2; rank 0: main@0 { } @100; rank 1: kernel@10-40 kernel@70-90");
	context.creator = builder_process(n.b, &own);
	builder_location_owner(n.b, 0, context.creator, LOCATION_CPU, 0);
	builder_location_owner(n.b, 1, builder_process(n.b, &context), LOCATION_ACCELERATOR, 1);
	OWNED_TRACE *trace = notation_finish(&n);
	struct query query = sample_query(trace);
	struct err err = ERR_INIT;
	OWNED char *csv = text_of(utilisation_table_of(&query, NULL, 2, &err), EXPORT_CSV);
	OWNED char *busy = sample_export("concurrency", &query, EXPORT_CSV, 0);
	uint64_t sums[SHADING_SLOTS];

	assert_string_equal(csv, CELL_HEADER "0.000000000,0.000050000,1.6,0,0,0,0,0.4,0,"
					     "calls that communicate\n"
					     "0.000050000,0.000100000,1.4,0,0,0,0,0.6,0,"
					     "calls that communicate\n");
	assert_string_equal(busy, "busy_from,busy_to,time_s,share,partly_known_s\n"
				  ",,0.000100000,1,0.000000000\n"
				  "0,0,0.000000000,0,0.000000000\n"
				  "1,1,0.000050000,0.5,0.000000000\n"
				  "2,2,0.000050000,0.5,0.000000000\n");
	shading_window(trace_class_shading(trace, BASE_MEASURED), 1, 20, 80, sums);
	assert_int_equal(sums[CLASS_USER], 30);
	assert_int_equal(sums[CLASS_OUTSIDE], 30);
}

/* ---- against every tick ---- */

/* Cells of one tick: each holds how many locations are busy then, and is counted. */
TEST(as_at_every_tick)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		OWNED_TRACE *trace = sample_random(seed, 5, 300);
		const struct query query = sample_query(trace);
		struct err err = ERR_INIT;
		struct utilisation u;
		struct concurrency c;
		uint64_t time[6] = { 0 }, partial[6] = { 0 };
		int64_t t0, t1;

		query_span(&query, &t0, &t1);
		const size_t ticks = (size_t)(t1 - t0);
		OWNED int64_t *edges = xcalloc(ticks + 1, sizeof *edges);
		OWNED uint64_t *sums = xcalloc(ticks * USE_KINDS + 1, sizeof *sums);
		assert_true(utilisation_begin(&u, &query, NULL, &err));
		assert_int_equal(utilisation_edges(t0, t1, ticks, edges), ticks);
		assert_true(utilisation_sum(&u, edges, ticks, sums));
		for (size_t i = 0; i < ticks; i++) {
			const uint64_t *at = sums + i * USE_KINDS;
			uint64_t all = 0;
			assert_int_equal(edges[i], t0 + (int64_t)i);
			for (int kind = 0; kind < USE_KINDS; kind++)
				all += at[kind];
			assert_int_equal(all, u.n);
			time[at[USE_BUSY]]++;
			partial[at[USE_BUSY]] += at[USE_UNRECORDED] > 0;
		}
		assert_true(concurrency_make(&c, &u, t0, t1));
		for (uint32_t k = 0; k <= u.n; k++) {
			assert_int_equal(c.time[k], time[k]);
			assert_int_equal(c.partial[k], partial[k]);
		}
		concurrency_fini(&c);
		utilisation_end(&u);
	}
}

/* ---- messages under way ---- */

/* To rank 1: 100 B from 10 to 40 us, 200 B from 20 to 50; one that arrives before it is sent never
 * is under way. So one in [10, 20), two in [20, 40), one in [40, 50): 60 us x messages, and 100 x 10
 * + 300 x 20 + 200 x 10 = 9000 us x B. To rank 2 nothing is ever received. */
static struct trace *queue(void)
{
	return notation_trace("ticks 1000000; ranks 3\n"
			      "rank 0: main@0 { ->1 100B @10 ->1 200B @20 ->1 50B @60 ->2 1B @70 }"
			      " @100\n"
			      "rank 1: main@0 { <-0 100B @40 <-0 200B @50 <-0 50B @55 } @100\n"
			      "rank 2: main@0 { } @100");
}

#define QUEUE_HEADER                                                                             \
	"rank,messages,most,most_at_s,mean,most_bytes,most_bytes_at_s,mean_bytes,no_receive,no_" \
	"send\n"

TEST(messages_under_way)
{
	OWNED_TRACE *trace = queue();
	struct query query = sample_query(trace);
	OWNED char *csv = sample_export("queues", &query, EXPORT_CSV, 0);

	assert_string_equal(csv, QUEUE_HEADER "0,0,0,,0,0,,0,0,0\n"
					      "1,2,2,0.000020000,0.6,300,0.000020000,90,0,0\n"
					      "2,0,0,,0,0,,0,1,0\n");
	/* [30, 45): both, then 200 B alone for 5 of 15 us. */
	query.t0 = 30;
	query.t1 = 45;
	OWNED char *part = sample_export("queues", &query, EXPORT_CSV, 0);
	assert_string_equal(part,
			    QUEUE_HEADER "0,0,0,,0,0,,0,0,0\n"
					 "1,2,2,0.000030000,1.66666667,300,0.000030000,266.666667,"
					 "0,0\n"
					 "2,0,0,,0,0,,0,0,0\n");
}

/* 50 cells of 2 us: of rank 1 the tenth to the 19th hold both messages. */
TEST(messages_under_way_over_time)
{
	OWNED_TRACE *trace = queue();
	struct query query = sample_query(trace);
	OWNED char *text = sample_export("queues-over-time", &query, EXPORT_CSV, 0);
	ENDED_BY(csv_free) struct csv csv = csv_parse(text);

	assert_int_equal(csv.n_rows, 1 + 3 * 50);
	for (int i = 0; i < 50; i++) {
		char **row = csv.rows[1 + 50 + i];
		const int at = 2 * i;
		const int n = at < 10 ? 0 : at < 20 ? 1 : at < 40 ? 2 : at < 50 ? 1 : 0;
		const int bytes = at < 10 ? 0 : at < 20 ? 100 : at < 40 ? 300 : at < 50 ? 200 : 0;
		assert_string_equal(row[0], "1");
		assert_int_equal(strtol(row[3], NULL, 10), n);
		assert_int_equal(strtol(row[5], NULL, 10), bytes);
		assert_true(strtod(row[4], NULL) == n && strtod(row[6], NULL) == bytes);
	}
}

TEST(under_way_as_at_every_tick)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		OWNED_TRACE *trace = sample_random(seed, 4, 300);
		const struct query query = sample_query(trace);
		struct under_way w;

		assert_true(under_way_make(&w, &query, 7));
		assert_int_equal(w.n, 4);
		for (uint32_t r = 0; r < w.n; r++) {
			uint64_t most = 0, sum = 0, sum_bytes = 0;
			for (int64_t t = w.edges[0]; t < w.edges[w.cells]; t++) {
				uint64_t n = 0;
				for (uint32_t i = 0; i < trace_message_count(trace); i++) {
					const struct message *m = trace_message(trace, i);
					if (!message_arrived(m) ||
					    message_destination(trace, m) != w.ranks[r].rank ||
					    trace_event_time(trace, query.base, m->send) > t ||
					    trace_event_time(trace, query.base, m->recv) <= t)
						continue;
					n++;
					sum_bytes += m->flags & MSG_NO_BYTES ? 0 : message_bytes(m);
				}
				most = n > most ? n : most;
				sum += n;
			}
			assert_int_equal(w.ranks[r].count.most, most);
			assert_true(w.ranks[r].count.sum == (double)sum);
			assert_true(w.ranks[r].bytes.sum == (double)sum_bytes);
		}
		under_way_fini(&w);
	}
}
