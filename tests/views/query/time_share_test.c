/* What 100 % is: two ranks of 100 us, each with a stream of a device. Rank 0's host waits for its
 * device from 5 until 90 us, rank 1's, too: 170 of the hosts' 200 us are 85 %. The stream of rank 0
 * enters the collective at 10, that of rank 1 at 70, and both leave at 90: 60 of the streams'
 * 200 us are waiting, 30 %, and 100 are in the kernel, 50 %. */
#include "views/query/time_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysed.h"
#include "harness/files.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "model/formats/load.h"
#include "views/facts/graph_text.h"
#include "views/query/view_common.h"
#include "views/report/report_trace.h"
#include "views/tables/graph_parts.h"

#define X(cat, name, pid, tid, ts, dur)                                                        \
	"{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":" tid \
	",\"ts\":" ts ",\"dur\":" dur ",\"args\":{}}"
#define FILE_OF(rank, ts, dur)                                                                 \
	"{\"distributedInfo\":{\"rank\":" rank ",\"world_size\":2},\"traceEvents\":[" X(       \
		"kernel", "ncclDevKernel_AllReduce_Sum", rank, "20", ts,                       \
		dur) "," X("cpu_op", "main", "100", "101", "0",                                \
			   "100") "," X("cuda_runtime", "cudaDeviceSynchronize", "100", "101", \
					"5", "95") "],\"baseTimeNanoseconds\":0}"

static const char *const texts[2] = { FILE_OF("0", "10", "80"), FILE_OF("1", "70", "20") };

static struct trace *read_run(void)
{
	char folder[FOLDER_NAME];
	struct str paths[2] = { STR_INIT, STR_INIT };
	struct err err = ERR_INIT;
	struct load_options options = { .jobs = 1, .n_files = 2 };
	struct trace *trace;

	folder_make(folder, "share");
	for (int i = 0; i < 2; i++) {
		str_add_fmt(&paths[i], "%s/rank%d.json", folder, i);
		file_write(paths[i].text, texts[i], strlen(texts[i]));
	}
	options.files = (const char *const[]){ paths[0].text, paths[1].text };
	trace = trace_load(paths[0].text, &options, NULL, &err);
	for (int i = 0; i < 2; i++)
		str_fini(&paths[i]);
	folder_remove(folder);
	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

TEST(of_what)
{
	const struct time_parts whole = { 10, 20 }, streams = { 0, 20 };
	const struct time_parts host = { 5, 0 }, stream = { 0, 5 }, both = { 5, 5 };

	assert_true(time_share(host, whole) == 0.5);
	assert_true(time_share(stream, whole) == 0.25);
	assert_true(time_share(both, whole) == 10.0 / 30);
	assert_true(time_share(whole, whole) == 1);
	assert_true(time_share((struct time_parts){ 0 }, whole) == 0);
	assert_string_equal(time_share_of(host, whole), "total time");
	assert_string_equal(time_share_of(stream, whole), "the streams' time");
	assert_string_equal(time_share_of(both, whole), "total time and the streams'");
	assert_string_equal(time_share_of(stream, streams), "total time");
}

TEST(report)
{
	ANALYSED a = analysed(read_run());
	const struct time_parts whole = query_time(&a.query);
	OWNED char *text = NULL;
	struct report report;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_true(whole.hosts == 200000 && whole.streams == 200000);
	report_init(&report);
	assert_true(report_trace(&report, &a.query, true, NULL));
	assert_true(report_write(&report, EXPORT_TEXT, 200, out, NULL));
	fclose(out);
	report_fini(&report);
	assert_non_null(strstr(text, "rank*.json: 2 files: 2 ranks and 2 device streams, 100 us"));
	assert_non_null(
		strstr(text, "Wait states (85.0 % of total time, 30.0 % of the streams' time)\n"));
	assert_non_null(strstr(text, "Wait for Device: 170 us (85.0 %) in 2 waits"));
	assert_non_null(
		strstr(text, "Wait at N x N: 60.0 us (30.0 % of the streams' time) in 1 wait"));
}

TEST(json)
{
	ANALYSED a = analysed(read_run());
	OWNED char *text = NULL;
	struct report report;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	report_init(&report);
	assert_true(report_trace(&report, &a.query, true, NULL));
	assert_true(report_write(&report, EXPORT_JSON, 80, out, NULL));
	fclose(out);
	report_fini(&report);
	assert_non_null(strstr(text, "    \"waiting\": 0.00017,\n    \"share\": 0.85,\n"
				     "    \"streams_waiting\": 6e-05,\n"
				     "    \"streams_share\": 0.3,\n"));
}

/* Whether the row that is called that has the share. */
static bool has_share(struct table *table, const char *names, const char *shares,
		      const char *region, double expected)
{
	const int name = table_column(table, names), share = table_column(table, shares);
	struct value v[TABLE_COLUMNS];

	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row)) {
		table_cells(table, row, v);
		if (strcmp(v[name].text, region) == 0)
			return fabs(v[share].real - expected) < 1e-12;
	}
	return false;
}

/* By rank a row has what is on the rank's host or stream: half as much of the same whole. */
TEST(profile)
{
	ANALYSED a = analysed(read_run());

	for (int by_rank = 0; by_rank < 2; by_rank++) {
		struct table *table;
		a.query.export.by_rank = by_rank;
		table = profile_table_new(&a.query, NULL);
		assert_non_null(table);
		assert_true(has_share(table, "region", "exclusive_share", "cudaDeviceSynchronize",
				      by_rank ? 0.475 : 0.95));
		assert_true(has_share(table, "region", "exclusive_share", "main",
				      by_rank ? 0.025 : 0.05));
		assert_true(has_share(table, "region", "exclusive_share",
				      "ncclDevKernel_AllReduce_Sum", by_rank ? 0.4 : 0.5));
		table_free(table);
	}
}

TEST(graph)
{
	ANALYSED a = analysed(read_run());
	struct table *table = graph_table_new(&a.query, NULL);

	assert_non_null(table);
	assert_true(has_share(table, "name", "share", "main", 1));
	assert_true(has_share(table, "name", "share", "cudaDeviceSynchronize", 0.95));
	assert_true(has_share(table, "name", "share", "ncclDevKernel_AllReduce_Sum", 0.5));
	table_free(table);
}

/* Of the run's 2 x 100 ticks half is in main: the rest was not recorded. */
TEST(graph_of_what_was_not_recorded)
{
	ANALYSED a = analysed(notation_trace("rank 0: main@0 { work@10-40 } @100\n"
					     "rank 1: tick@0-1\n"));
	struct table *table = graph_table_new(&a.query, NULL);

	assert_non_null(table);
	assert_true(has_share(table, "name", "share", "main", 0.5));
	assert_true(has_share(table, "name", "share", "work()", 0.15));
	table_free(table);
}

/* What hosts call is broken down by host, what streams run by stream. */
TEST(graph_by_location)
{
	ANALYSED a = analysed(read_run());
	FREED_BY(graph_free) struct graph *graph = query_graph(&a.query, NULL);
	const uint32_t all = trace_location_count(a.trace);

	for (uint32_t node = 1; node < graph_node_count(graph); node++) {
		const bool kernel = strncmp(graph_name(graph, node), "nccl", 4) == 0;
		struct table *parts = graph_parts_new(graph, a.trace, node, PARTS_BY_LOCATION,
						      (struct graph_chosen){ NULL, all }, 80);
		struct table_chart bars;
		assert_int_equal(parts->rows, 2);
		for (uint64_t row = table_first(parts); row != ROW_NONE;
		     row = table_next(parts, row))
			assert_int_equal(location_runs_code(
						 trace_location(a.trace,
								table_thing(parts, row).id)),
					 !kernel);
		table_free(parts);
		graph_words_histogram(graph, node, NULL, all, 12, &bars);
		assert_int_equal(bars.n, 2);
	}
}
