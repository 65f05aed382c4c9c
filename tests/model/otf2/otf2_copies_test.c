/* Copies between a host and its accelerators, as Score-P writes them: gets and puts of a window
 * whose communicator has locations, on the device's streams. What they are is known by hand, which
 * cross a window from looking at each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/built.h"
#include "harness/files.h"
#include "harness/invariants.h"
#include "harness/otf2_aid.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/copy.h"
#include "model/trace/message.h"
#include "views/facts/overview_facts.h"

enum { HOST = 5, SECOND_HOST = 6, STREAM = 11, OTHER_STREAM = 12 };
/* The places of the communicator's locations in the list of the paradigm. */
enum { AT_HOST, AT_STREAM, AT_OTHER_STREAM };
enum { WORLD, DEVICES, WINDOW = 3 };

#define DEFINE(record, ...) OTF2_GlobalDefWriter_Write##record(aid->defs, __VA_ARGS__)
#define EVENT(record, ...)  OTF2_EvtWriter_##record(w, NULL, __VA_ARGS__)
#define GROUP(id, type, paradigm, ...)                                                       \
	DEFINE(Group, id, 0, OTF2_GROUP_TYPE_##type, OTF2_PARADIGM_##paradigm,               \
	       OTF2_GROUP_FLAG_NONE, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
	       (uint64_t[]){ __VA_ARGS__ })

/* Two ranks; the first has a device with two streams. */
static void define(struct otf2_aid *aid)
{
	const uint32_t name = otf2_aid_string(aid, "Master thread");
	const uint32_t stream = otf2_aid_string(aid, "CUDA[0:7]");
	const uint32_t other = otf2_aid_string(aid, "CUDA[0:13]");
	const uint32_t main_name = otf2_aid_string(aid, "main");

	DEFINE(SystemTreeNode, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	DEFINE(LocationGroup, 0, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
	       OTF2_UNDEFINED_LOCATION_GROUP);
	DEFINE(LocationGroup, 1, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
	       OTF2_UNDEFINED_LOCATION_GROUP);
	DEFINE(LocationGroup, 2, stream, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, 0);
	DEFINE(Location, HOST, name, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0);
	DEFINE(Location, SECOND_HOST, name, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 1);
	DEFINE(Location, STREAM, stream, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 2);
	DEFINE(Location, OTHER_STREAM, other, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 2);
	DEFINE(Region, 0, main_name, main_name, 0, OTF2_REGION_ROLE_FUNCTION,
	       OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
	GROUP(0, COMM_LOCATIONS, MPI, HOST, SECOND_HOST);
	GROUP(1, COMM_GROUP, MPI, 0, 1);
	GROUP(2, COMM_LOCATIONS, CUDA, HOST, STREAM, OTHER_STREAM);
	GROUP(3, COMM_GROUP, CUDA, 0, 1, 2);
	DEFINE(Comm, WORLD, otf2_aid_string(aid, "MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM,
	       OTF2_COMM_FLAG_NONE);
	DEFINE(Comm, DEVICES, otf2_aid_string(aid, "devices"), 3, OTF2_UNDEFINED_COMM,
	       OTF2_COMM_FLAG_NONE);
	DEFINE(RmaWin, WINDOW, otf2_aid_string(aid, "CUDA_WINDOW"), DEVICES,
	       OTF2_RMA_WIN_FLAG_NONE);
}

/* One message, from the first to the second rank. */
static void write_hosts(struct otf2_aid *aid)
{
	OTF2_EvtWriter *w = otf2_aid_events(aid, HOST);

	EVENT(Enter, 1000, 0);
	EVENT(MpiSend, 1500, 1, WORLD, 7, 800);
	EVENT(Leave, 90000, 0);
	otf2_aid_events_end(aid, w);
	w = otf2_aid_events(aid, SECOND_HOST);
	EVENT(Enter, 1000, 0);
	EVENT(MpiRecv, 1600, 0, WORLD, 7, 800);
	EVENT(Leave, 90000, 0);
	otf2_aid_events_end(aid, w);
}

static struct trace *load(const char *path)
{
	const struct load_options options = { .no_cache = true, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(path, &options, NULL, &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

static struct trace *load_ended(struct otf2_aid *aid)
{
	struct trace *trace;
	const char *broken;

	otf2_aid_end(aid);
	trace = load(aid->anchor);
	otf2_aid_remove(aid);
	broken = trace_broken(trace);
	if (broken)
		fail_msg("%s", broken);
	return trace;
}

#define COPY(record, begin, end, at, bytes, matching)      \
	EVENT(record, begin, WINDOW, at, bytes, matching); \
	EVENT(RmaOpCompleteBlocking, end, WINDOW, matching)

/* All copies of a stream have one number, as of CUDA. The last one of the other stream never
 * ends. */
static struct trace *by_hand(void)
{
	struct otf2_aid archive, *aid = &archive;
	OTF2_EvtWriter *w;

	otf2_aid_begin(aid, 1000000000);
	define(aid);
	write_hosts(aid);
	w = otf2_aid_events(aid, STREAM);
	COPY(RmaGet, 2000, 3000, AT_HOST, 4000, 42);
	COPY(RmaPut, 5000, 5500, AT_HOST, 100, 42);
	COPY(RmaGet, 6000, 6001, AT_STREAM, 64, 42);
	otf2_aid_events_end(aid, w);
	w = otf2_aid_events(aid, OTHER_STREAM);
	COPY(RmaGet, 2500, 2600, AT_STREAM, 32, 42);
	EVENT(RmaPut, 7000, WINDOW, AT_HOST, 16, 42);
	otf2_aid_events_end(aid, w);
	return load_ended(aid);
}

static const char *name_of(const struct trace *trace, uint32_t location)
{
	return trace_string(trace, trace_location(trace, location)->name);
}

static void assert_copies(const struct trace *trace)
{
	static const struct {
		const char *from, *to;
		enum copy_direction direction;
		int64_t begin, end; /* end 0: none */
		uint64_t bytes;
	} expected[] = {
		{ "rank 0", "rank 0 CUDA[0:7]", COPY_TO_DEVICE, 1000, 2000, 4000 },
		{ "rank 0 CUDA[0:7]", "rank 0", COPY_TO_HOST, 4000, 4500, 100 },
		{ "rank 0 CUDA[0:7]", "rank 0 CUDA[0:7]", COPY_ON_DEVICE, 5000, 5001, 64 },
		{ "rank 0 CUDA[0:7]", "rank 0 CUDA[0:13]", COPY_ON_DEVICE, 1500, 1600, 32 },
		{ "rank 0 CUDA[0:13]", "rank 0", COPY_TO_HOST, 6000, 0, 16 },
	};

	assert_int_equal(trace_copy_count(trace), 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct copy *copy = trace_copy(trace, i);
		int64_t begin, end;
		const bool complete = copy_span(trace, BASE_MEASURED, copy, &begin, &end);

		assert_string_equal(name_of(trace, copy_from(trace, copy)), expected[i].from);
		assert_string_equal(name_of(trace, copy_to(trace, copy)), expected[i].to);
		assert_int_equal(copy_direction(trace, copy), expected[i].direction);
		assert_int_equal(begin, expected[i].begin);
		assert_int_equal(complete, expected[i].end != 0);
		assert_int_equal(end, complete ? expected[i].end : begin);
		assert_int_equal(copy->bytes, expected[i].bytes);
		assert_int_equal(trace_copy_of(trace, copy->begin), i);
		assert_true(!complete || trace_copy_of(trace, copy->end) == i);
	}
	/* The only message is MPI's. */
	assert_int_equal(trace_message_count(trace), 1);
	assert_int_equal(message_bytes(trace_message(trace, 0)), 800);
}

TEST(copies_have_ends_sizes_and_directions)
{
	OWNED_TRACE *trace = by_hand();
	OWNED_STR text = STR_INIT;

	assert_copies(trace);
	copy_text(trace, trace_copy(trace, 0), &text);
	/* 4000 bytes in 1000 ns are 4e9 bytes a second. */
	assert_string_equal(text.text,
			    "copy to device from rank 0, 4,000 B in 1.000 us (3.7 GiB/s)");
	str_clear(&text);
	copy_text(trace, trace_copy(trace, 4), &text);
	assert_string_equal(text.text, "copy to host to rank 0, 16 B, no end recorded");
}

TEST(conversion_keeps_copies)
{
	static const struct {
		enum save_format format;
		const char *name;
	} formats[] = { { SAVE_OTF2, "run.otf2" }, { SAVE_PICL, "run.trc" } };

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		OWNED_TRACE *trace = by_hand(), *again;
		OWNED_STR path = STR_INIT;
		char folder[FOLDER_NAME];
		struct err err = ERR_INIT;

		folder_make(folder, "copies");
		str_add_fmt(&path, "%s/%s", folder, formats[i].name);
		if (!trace_save(trace, formats[i].format, path.text, NULL, NULL, NULL, &err))
			fail_msg("%s", err.text);
		again = load(path.text);
		folder_remove(folder);
		assert_copies(again);
	}
}

/* ---- windows ---- */

enum { COPIES = 300, SPAN = 40000 };

/* Copies that overlap, end in any order, or never. */
static void write_random(struct otf2_aid *aid, struct rng *random, uint64_t location)
{
	OTF2_EvtWriter *w = otf2_aid_events(aid, location);
	uint64_t open[COPIES], n = 0, next = 0;

	for (uint64_t t = 2000; next < COPIES; t += rng_below(random, 200)) {
		if (n && rng_below(random, 2)) {
			const uint64_t which = rng_below(random, (uint32_t)n);

			if (rng_below(random, 10))
				EVENT(RmaOpCompleteNonBlocking, t, WINDOW, open[which]);
			open[which] = open[--n];
		} else {
			EVENT(RmaGet, t, WINDOW, AT_HOST, 8, next);
			open[n++] = next++;
		}
	}
	otf2_aid_events_end(aid, w);
}

static bool crosses(const struct trace *trace, uint32_t row, int64_t t0, int64_t t1)
{
	int64_t begin, end;

	copy_span(trace, BASE_MEASURED, trace_copy(trace, row), &begin, &end);
	return begin < t1 && end >= t0;
}

static void assert_window(struct trace *trace, int64_t t0, int64_t t1)
{
	const struct query query = { .trace = trace, .base = BASE_MEASURED, .t0 = t0, .t1 = t1 };
	struct overview_facts facts;
	struct copy_query q;
	uint32_t found;
	uint64_t before = 0, inside = 0;

	copies_in_window(&q, trace, BASE_MEASURED, t0, t1);
	for (uint32_t row = 0; row < trace_copy_count(trace); row++) {
		before +=
			trace_event_time(trace, BASE_MEASURED, trace_copy(trace, row)->begin) < t0;
		if (!crosses(trace, row, t0, t1))
			continue;
		assert_true(copy_query_next(&q, &found));
		assert_int_equal(found, row);
		inside++;
	}
	assert_false(copy_query_next(&q, &found));
	overview_facts_make(&facts, &query);
	assert_int_equal(facts.copies, inside);
	assert_int_equal(copies_before(trace, BASE_MEASURED, t0), before);
}

TEST(windows_have_the_copies_that_cross_them)
{
	struct rng random = { 20261130 };

	for (int i = 0; i < 20; i++) {
		struct otf2_aid archive, *aid = &archive;
		OWNED_TRACE *trace;

		otf2_aid_begin(aid, 1000000000);
		define(aid);
		write_hosts(aid);
		write_random(aid, &random, STREAM);
		write_random(aid, &random, OTHER_STREAM);
		trace = load_ended(aid);
		assert_int_equal(trace_copy_count(trace), 2 * COPIES);
		for (int k = 0; k < 100; k++) {
			const int64_t t0 = (int64_t)rng_below(&random, SPAN);

			assert_window(trace, t0, t0 + (int64_t)rng_below(&random, 500));
		}
		assert_window(trace, INT64_MIN, INT64_MAX);
		for (uint32_t row = 0; row < 2 * COPIES; row++) {
			const struct copy *copy = trace_copy(trace, row);

			assert_int_equal(trace_copy_of(trace, copy->begin), row);
			assert_true(copy->end == EVENT_NONE ||
				    trace_copy_of(trace, copy->end) == row);
		}
	}
}
