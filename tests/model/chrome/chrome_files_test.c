/* JSON files of one run: ranks, clocks, collectives, streams of devices; all by hand. */
#include <stdlib.h>
#include <string.h>

#include "harness/files.h"
#include "harness/invariants.h"
#include "harness/test.h"
#include "model/chrome/chrome.h"
#include "model/meaning/training.h"
#include "model/trace/copy.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"

enum { FILES_MOST = 4 };

struct text_file {
	const char *name, *text;
};

/* Files of a folder, read in the order in which they are given. */
static struct trace *read_files(const struct text_file *files, size_t n, struct err *err)
{
	static const struct load_options options = { .jobs = 1 };
	char folder[FOLDER_NAME];
	struct str paths[FILES_MOST];
	const char *list[FILES_MOST];
	struct trace *trace;

	folder_make(folder, "files");
	for (size_t i = 0; i < n; i++) {
		str_init(&paths[i]);
		str_add_fmt(&paths[i], "%s/%s", folder, files[i].name);
		if (files[i].text)
			file_write(paths[i].text, files[i].text, strlen(files[i].text));
		list[i] = paths[i].text;
	}
	trace = chrome_read_files(list, n, &options, NULL, err);
	for (size_t i = 0; i < n; i++)
		str_fini(&paths[i]);
	folder_remove(folder);
	if (trace)
		assert_null(trace_broken(trace));
	return trace;
}

static struct trace *read_well(const struct text_file *files, size_t n)
{
	struct err err = ERR_INIT;
	struct trace *trace = read_files(files, n, &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

static uint64_t found(const struct trace *trace, const char *code)
{
	for (size_t i = 0; i < trace_finding_count(trace); i++)
		if (strcmp(trace_finding(trace, i)->code, code) == 0)
			return trace_finding(trace, i)->count;
	return 0;
}

/* The first time of the first location of a rank. */
static int64_t first_time(const struct trace *trace, int32_t rank)
{
	return trace_location(trace, trace_location_of_rank(trace, rank))->begin;
}

#define X(name, ts, dur) \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"dur\":" dur "}"

/* Ranks are those of the files, whose order does not matter; 3 of 5 are there. Rank 4's zero is 2 s
 * after that of the others. */
TEST(ranks_and_clocks_are_said)
{
	static const struct text_file files[] = {
		{ "b.json",
		  "{\"distributedInfo\":{\"rank\":4,\"world_size\":5},\"traceEvents\":[" X(
			  "w", "10", "1") "],\"baseTimeNanoseconds\":1002000000000}" },
		{ "a.json",
		  "{\"traceEvents\":[" X("w", "30",
					 "1") "],\"baseTimeNanoseconds\":1000000000000,"
					      "\"distributedInfo\":{\"rank\":0,"
					      "\"backend\":\"nccl\",\"pg\":[{\"a\":1}]}}" },
		{ "c.json",
		  "{\"baseTimeNanoseconds\":1000000000000,\"distributedInfo\":"
		  "{\"world_size\":5,\"rank\":1},\"traceEvents\":[" X("w", "20", "1") "]}" },
	};
	const struct text_file otherwise[] = { files[2], files[0], files[1] };

	for (int i = 0; i < 2; i++) {
		struct trace *trace = read_well(i ? otherwise : files, 3);
		assert_int_equal(trace_location_count(trace), 3);
		assert_int_equal(first_time(trace, 0), 10000);
		assert_int_equal(first_time(trace, 1), 0);
		assert_int_equal(first_time(trace, 4), 2000000000 - 10000);
		assert_int_equal(found(trace, "ranks-said"), 1);
		assert_int_equal(found(trace, "clocks-of-files"), 1);
		assert_int_equal(found(trace, "ranks-missing"), 1);
		trace_free(trace);
	}
}

/* The second number differs; the clocks began with their machines. */
TEST(ranks_by_name_and_clocks_of_their_own)
{
	static const struct text_file files[] = {
		{ "job12-7.json", "[" X("w", "9000000000", "1") "]" },
		{ "job12-10.json", "[" X("w", "500", "1") "]" },
	};
	struct trace *trace = read_well(files, 2);

	assert_int_equal(first_time(trace, 7), 0);
	assert_int_equal(first_time(trace, 10), 0);
	assert_int_equal(found(trace, "ranks-by-name"), 1);
	assert_int_equal(found(trace, "clocks-unknown"), 1);
	trace_free(trace);
}

/* Two files say the same rank, and no number tells them apart. */
TEST(ranks_by_order)
{
	static const char text[] =
		"{\"distributedInfo\":{\"rank\":3},\"traceEvents\":[" X("w", "5", "1") "]}";
	static const struct text_file files[] = { { "y.json", text }, { "x.json", text } };
	struct trace *trace = read_well(files, 2);

	assert_int_equal(trace_location_count(trace), 2);
	assert_int_equal(trace_location_of_rank(trace, 1), 1);
	assert_int_equal(found(trace, "ranks-by-order"), 1);
	trace_free(trace);
}

#define NCCL(ts, dur, stream, group)                                                           \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32_RING_LL(" \
	"args)\",\"pid\":0,\"tid\":" stream ",\"ts\":" ts ",\"dur\":" dur                      \
	",\"args\":{\"Process Group Name\":\"" group                                           \
	"\",\"dtype\":\"Float\",\"In msg nelems\":256}}"

/* Kernels are collectives in their order, on the communicator that they name; calls that launch them
 * are not. */
TEST(kernels_are_collectives)
{
	static const struct text_file files[] = {
		{ "r0.json",
		  "[{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"nccl:all_reduce\",\"pid\":9,"
		  "\"tid\":9,\"ts\":1,\"dur\":1}," NCCL("10", "10", "7",
							"a") "," NCCL("30", "5", "7",
								      "a") "," NCCL("40", "5", "8",
										    "b") "]" },
		{ "r1.json", "[" NCCL("15", "5", "7", "a") "," NCCL("32", "3", "7",
								    "a") "," X("w", "1", "2") "]" },
	};
	struct trace *trace = read_well(files, 2);
	const struct collective *c;

	assert_int_equal(found(trace, "collectives"), 5);
	assert_int_equal(trace_collective_count(trace), 3);
	assert_int_equal(trace_comm_count(trace), 3); /* the world's, a, b */
	c = trace_collective(trace, 0);
	assert_int_equal(c->members, 2);
	assert_int_equal(trace_comm(trace, c->comm)->size, 2);
	assert_int_equal(trace_member(trace, c->first)->sent, 1024);
	assert_int_equal(trace_event_time(trace, BASE_MEASURED,
					  trace_member(trace, c->first + 1)->begin),
			 14000);
	assert_int_equal(trace_collective(trace, 2)->members, 1);
	assert_int_equal(trace_region(trace, c->region)->cls, CLASS_COLLECTIVE);
	trace_free(trace);
}

/* A stream is no rank of its own; its copies are the store's. */
TEST(streams_are_under_their_host)
{
	static const struct text_file files[] = {
		{ "a.json",
		  "[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaDeviceSynchronize\","
		  "\"pid\":50,\"tid\":50,\"ts\":0,\"dur\":90},"
		  "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> Device)\","
		  "\"pid\":1,\"tid\":7,\"ts\":10,\"dur\":5,\"args\":{\"bytes\":4096}},"
		  "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoH (Device -> Pinned)\","
		  "\"pid\":1,\"tid\":7,\"ts\":30,\"dur\":5,\"args\":{\"bytes\":512}},"
		  "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\","
		  "\"pid\":\"Spans\",\"tid\":\"PyTorch Profiler\",\"ts\":0,\"dur\":100}]" },
	};
	struct trace *trace = read_well(files, 1);
	const struct location *stream;

	assert_int_equal(trace_location_count(trace), 2);
	stream = trace_location(trace, 1);
	assert_int_equal(stream->rank, 0);
	assert_int_equal(stream->type, LOCATION_ACCELERATOR);
	assert_string_equal(trace_string(trace, trace_location(trace, 0)->name), "rank 0");
	assert_string_equal(trace_string(trace, stream->name), "rank 0 GPU 1 stream 7");
	assert_int_equal(location_program(trace, stream), trace_location(trace, 0)->owner);
	assert_true(trace_has_copies(trace));
	assert_int_equal(trace_copy(trace, 0)->bytes, 4096);
	assert_int_equal(copy_direction(trace, trace_copy(trace, 0)), COPY_TO_DEVICE);
	assert_int_equal(copy_direction(trace, trace_copy(trace, 1)), COPY_TO_HOST);
	assert_int_equal(copy_to(trace, trace_copy(trace, 1)), 0);
	assert_int_equal(found(trace, "derived"), 1);
	for (uint32_t r = 0; r < trace_region_count(trace); r++)
		if (strcmp(trace_region_name(trace, r), "cudaDeviceSynchronize") == 0)
			assert_int_equal(trace_region(trace, r)->cls, CLASS_DEVICE);
	trace_free(trace);
}

/* An arrow from file to file; one with both ends in each of two files stays there. */
/* As TensorFlow writes traces of its XPlanes: numbers of processes and threads without categories, rows
 * of a device by operation beside its streams, an empty event at the end. */
#define NAMED(what, pid, tid, name)                                      \
	"{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" tid ",\"name\":\"" what \
	"\",\"args\":{\"name\":\"" name "\"}},"
#define ON(pid, tid, name, ts, dur)                                                \
	"{\"ph\":\"X\",\"pid\":" pid ",\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur \
	",\"name\":\"" name "\",\"args\":{\"group_id\":\"0\"}},"
#define TENSORFLOW(begin)                                                                            \
	"{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\"traceEvents\":[" NAMED( \
		"process_name", "1", "0", "/device:GPU:0") NAMED("thread_name", "1", "13",           \
								 "Stream #13(Compute)")              \
		NAMED("thread_name", "1", "20",                                                      \
		      "Stream #20(Nccl)") NAMED("thread_name", "1", "4294967294",                    \
						"TensorFlow Ops") NAMED("thread_name", "1",          \
									"4294967295", "Steps")       \
			NAMED("process_name", "701", "0",                                            \
			      "/host:CPU") NAMED("thread_name", "701", "2002",                       \
						 "python") ON("1", "4294967295", "0", "0", "100")    \
				ON("701", "2002", "TraceContext", "5",                               \
				   "90") ON("1", "4294967294", "MatMul", "10",                       \
					    "20") ON("1", "13", "volta_sgemm_32x32_sliced1x4_nn",    \
						     "10", "20")                                     \
					ON("1", "20",                                                \
					   "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",   \
					   begin, "10") "{}]}"

TEST(tensorflow_has_streams_and_rows_of_the_same_work)
{
	static const struct text_file files[] = { { "w0.trace.json", TENSORFLOW("40") },
						  { "w1.trace.json", TENSORFLOW("45") } };
	static const char *const names[] = { "rank 0", "rank 0 GPU:0 stream 13",
					     "rank 0 GPU:0 stream 20" };
	struct trace *trace = read_well(files, 2);

	assert_int_equal(trace_location_count(trace), 6);
	for (uint32_t l = 0; l < 3; l++)
		assert_string_equal(trace_string(trace, trace_location(trace, l)->name), names[l]);
	assert_int_equal(trace_location(trace, 2)->type, LOCATION_ACCELERATOR);
	assert_int_equal(trace_location(trace, 5)->rank, 1);
	assert_int_equal(found(trace, "derived"), 4);
	assert_int_equal(found(trace, "ranks-by-name"), 1);
	assert_int_equal(trace_collective_count(trace), 1);
	assert_int_equal(trace_collective(trace, 0)->members, 2);
	assert_int_equal(first_time(trace, 0), 0); /* of what is kept */
	trace_free(trace);
}

TEST(flows_between_files)
{
#define FLOW(phase, ts, id) \
	"{\"ph\":\"" phase "\",\"name\":\"m\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"id\":" id "}"
	static const struct text_file files[] = {
		{ "r0.json",
		  "[" X("w", "0", "99") "," FLOW("s", "10", "1") "," FLOW("s", "20",
									  "2") "," FLOW("f", "25",
											"2") "]" },
		{ "r1.json",
		  "[" X("w", "0", "99") "," FLOW("f", "30", "1") "," FLOW("s", "50",
									  "2") "," FLOW("f", "55",
											"2") "]" },
	};
	struct trace *trace = read_well(files, 2);

	assert_int_equal(trace_message_count(trace), 1);
	assert_int_equal(trace_event_time(trace, BASE_MEASURED, trace_message(trace, 0)->recv),
			 30000);
	assert_int_equal(found(trace, "local-flows"), 2);
	assert_int_equal(found(trace, "lone-flows"), 0);
	trace_free(trace);
}

TEST(damage_does_not_hide_the_others)
{
	static const struct text_file files[] = {
		{ "r0.json", "[" X("w", "0", "9") "," X("w", "20", "9") ",{\"ph" },
		{ "r1.json", "" },
		{ "r2.json", "[" X("w", "5", "9") "]" },
		{ "r3.json", NULL },
	};
	struct err err = ERR_INIT;
	struct trace *trace = read_well(files, 4);

	assert_int_equal(trace_location_count(trace), 2);
	assert_int_equal(trace_location(trace, 0)->events, 4);
	assert_int_equal(first_time(trace, 2), 5000);
	assert_int_equal(found(trace, "json"), 1);
	assert_int_equal(found(trace, "file-left-out"), 2);
	trace_free(trace);
	assert_null(read_files(files + 1, 1, &err));
	assert_true(err_is_set(&err));
}

/* Not the words of this program, but names as they are in profiles. */
TEST(names_of_collectives)
{
	static const struct {
		const char *name;
		enum training_call call;
		enum collective_kind kind;
	} names[] = {
		{ "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", TRAINING_KERNEL,
		  COLLECTIVE_ALL_TO_ALL },
		{ "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", TRAINING_KERNEL,
		  COLLECTIVE_ALL_TO_ALL },
		{ "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", TRAINING_KERNEL,
		  COLLECTIVE_NONE },
		{ "ncclDevKernel_SendRecv(x): all_to_all", TRAINING_KERNEL, COLLECTIVE_ALL_TO_ALL },
		{ "nccl:_all_gather_base", TRAINING_RETURNS, COLLECTIVE_ALL_TO_ALL },
		{ "nccl:broadcast", TRAINING_RETURNS, COLLECTIVE_ONE_TO_ALL },
		{ "gloo:barrier", TRAINING_CALL, COLLECTIVE_BARRIER },
		{ "gloo:reduce", TRAINING_CALL, COLLECTIVE_ALL_TO_ONE },
		{ "record_param_comms: allreduce", TRAINING_RETURNS, COLLECTIVE_ALL_TO_ALL },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct meaning m;
		assert_int_equal(meaning_of_training(names[i].name, &m), names[i].call);
		assert_int_equal(m.collective, names[i].kind);
	}
	assert_int_equal(meaning_of_training("ncclCommInitRank", &(struct meaning){ 0 }),
			 TRAINING_NONE);
}
