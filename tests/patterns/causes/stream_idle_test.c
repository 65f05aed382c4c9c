/* What a stream of a device comes late for: kernels of other streams, and the thread that launches;
 * two ranks by hand, of which the first is late to the second of two collectives. */
#include "patterns/causes/stream_idle.h"

#include <string.h>

#include "harness/files.h"
#include "harness/test.h"
#include "model/chrome/chrome.h"
#include "patterns/causes/causes_state.h"
#include "patterns/patterns.h"

#define X(cat, name, pid, tid, ts, dur, args)                                                  \
	"{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":" tid \
	",\"ts\":" ts ",\"dur\":" dur ",\"args\":{" args "}}"
#define ALL_REDUCE(pid, ts, dur) X("kernel", "ncclDevKernel_AllReduce_Sum", pid, "20", ts, dur, "")
#define FILE_OF(rank, events)                                                                \
	"{\"distributedInfo\":{\"rank\":" rank ",\"world_size\":2},\"traceEvents\":[" events \
	"],\"baseTimeNanoseconds\":0}"

/* Streams 7 and 8 work until 45 us; thread 102 launches at 48 us, thread 101 long before. */
static const char late_rank[] =
	FILE_OF("0", ALL_REDUCE("0", "0", "10") "," ALL_REDUCE("0", "50", "10") "," //
		X("kernel", "multiply", "0", "7", "5", "35", "") ","                //
		X("kernel", "add", "0", "8", "30", "15", "") ","                    //
		X("cpu_op", "main", "100", "101", "0", "100", "") ","               //
		X("cuda_runtime", "cudaLaunchKernel", "100", "101", "1", "2",
		  "") "," X("cpu_op", "backward", "100", "102", "46", "20",
			    "") "," X("cuda_runtime", "cudaLaunchKernel", "100", "102", "48", "1",
				      ""));
static const char other_rank[] = FILE_OF("1", ALL_REDUCE("1", "0", "10") "," //
					 ALL_REDUCE("1", "20", "40") ","     //
					 X("cpu_op", "main", "100", "101", "0", "100", ""));

struct late_run {
	struct trace *trace;
	struct analysis *analysis;
	const struct causes *causes;
	uint32_t stream; /* of rank 0, with the collectives */
};

static struct trace *read_run(void)
{
	static const struct load_options options = { .jobs = 1 };
	char folder[FOLDER_NAME];
	struct str paths[2] = { STR_INIT, STR_INIT };
	struct err err = ERR_INIT;
	struct trace *trace;

	folder_make(folder, "idle");
	for (int i = 0; i < 2; i++) {
		const char *text = i ? other_rank : late_rank;
		str_add_fmt(&paths[i], "%s/%d.json", folder, i);
		file_write(paths[i].text, text, strlen(text));
	}
	trace = chrome_read_files((const char *[]){ paths[0].text, paths[1].text }, 2, &options,
				  NULL, &err);
	for (int i = 0; i < 2; i++)
		str_fini(&paths[i]);
	folder_remove(folder);
	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

static uint32_t location_named(const struct trace *trace, const char *name)
{
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (strcmp(trace_string(trace, trace_location(trace, l)->name), name) == 0)
			return l;
	fail_msg("there is no location '%s'", name);
	return 0;
}

static struct late_run begin(void)
{
	struct late_run run = { .trace = read_run() };
	struct err err = ERR_INIT;

	run.analysis = analysis_new(patterns, run.trace, BASE_MEASURED,
				    &(struct analysis_options){ .jobs = 1 }, NULL, &err);
	assert_non_null(run.analysis);
	run.causes = causes_of(run.analysis, NULL, &err);
	assert_non_null(run.causes);
	run.stream = location_named(run.trace, "rank 0 GPU 0 stream 20");
	return run;
}

static void end(struct late_run *run)
{
	analysis_free(run->analysis);
	trace_free(run->trace);
}

static const char *name_of(const struct late_run *run, uint32_t path)
{
	return path ? trace_region_name(run->trace, trace_callpath_region(run->trace, path)) : "";
}

TEST(idle_time_is_that_of_other_streams_then_of_the_launching_thread)
{
	static const struct {
		const char *name;
		int64_t from, to;
		bool enters;
	} pieces[] = {
		{ "multiply", 10000, 40000, true },  { "add", 40000, 45000, true },
		{ "backward", 46000, 48000, true },  { "cudaLaunchKernel", 48000, 49000, true },
		{ "backward", 49000, 50000, false },
	};
	struct late_run run = begin();
	struct idle_walk w = stream_idle_walk(run.causes->idle, run.stream, INT64_MIN);
	unsigned i = 0;

	for (; w.at < w.end; w.at++, i++) {
		assert_true(i < sizeof pieces / sizeof *pieces);
		assert_string_equal(name_of(&run, w.at->path), pieces[i].name);
		assert_int_equal(w.at->from, pieces[i].from);
		assert_int_equal(w.at->to, pieces[i].to);
		assert_int_equal(w.at->enters, pieces[i].enters);
	}
	assert_int_equal(i, sizeof pieces / sizeof *pieces);
	assert_false(stream_idle_has(run.causes->idle,
				     location_named(run.trace, "rank 0 GPU 0 stream 7")));
	end(&run);
}

/* Rank 1 waits for 30 us. Rank 0 has 40 us of idle time, of which 1 us has no call path; rank 1 has
 * 10 us, in main: nothing of what rank 0 did. */
TEST(a_wait_is_explained_by_them)
{
	static const struct {
		const char *name;
		double excess;
	} reasons[] = {
		{ "multiply", 30000 },        { "add", 5000 }, { "backward", 3000 },
		{ "cudaLaunchKernel", 1000 }, { "", 1000 },
	};
	struct late_run run = begin();
	const uint32_t waiter = location_named(run.trace, "rank 1 GPU 1 stream 20");
	const struct wait *waits;
	struct explanation e;
	uint32_t i = 0, k = 0;
	size_t n;

	waits = analysis_waits(run.analysis, waiter, &n);
	while (i < n && waits[i].metric != CUBE_MPI_WAIT_NXN)
		i++;
	assert_true(i < n);
	assert_int_equal(waits[i].length, 30000);
	assert_true(causes_explain(run.causes, waiter, i, &e));
	assert_int_equal(e.delayer, run.stream);
	assert_int_equal(e.n, sizeof reasons / sizeof *reasons);
	for (; k < e.n; k++) {
		assert_string_equal(name_of(&run, e.reasons[k].path), reasons[k].name);
		assert_true(e.reasons[k].excess == reasons[k].excess);
		assert_int_equal(e.reasons[k].visits, e.reasons[k].path ? 1 : 0);
		assert_int_equal(e.reasons[k].others_visits, 0);
	}
	end(&run);
}
