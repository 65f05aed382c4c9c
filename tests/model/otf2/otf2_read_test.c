/* Reading OTF2: an archive with every sort of definition and record, written by libotf2. What is
 * expected was written down from OTF2's documentation. */
#include <string.h>

#include "base/mem.h"
#include "harness/built.h"
#include "harness/otf2_aid.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/otf2/otf2_names.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"

enum { NONE = -1, LOCATION_0 = 9, LOCATION_1 = 7, THREAD = 20, STREAM = 30 };
#define LOCATION_2 5000000000u
#define UNDEFINED  OTF2_UNDEFINED_STRING

#define DEFINE(record, ...) OTF2_GlobalDefWriter_Write##record(aid->defs, __VA_ARGS__)
#define EVENT(record, ...)  OTF2_EvtWriter_##record(w, NULL, __VA_ARGS__)

/* Regions, in the order of their ids; the first has a source line. */
enum { R_MAIN, R_SSEND, R_IBCAST, R_WAIT, R_BARRIER, R_ISEND, R_FLUSH, R_OFF, REGIONS };

static void write_regions(struct otf2_aid *aid)
{
	static const struct {
		const char *name;
		OTF2_RegionRole role;
		OTF2_Paradigm paradigm;
	} list[REGIONS] = {
		{ "main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER },
		{ "MPI_Ssend", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
		{ "MPI_Ibcast", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_PARADIGM_MPI },
		{ "MPI_Wait", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI },
		{ "MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI },
		{ "mpi_isend__", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER },
		{ "TRACE BUFFER FLUSH", OTF2_REGION_ROLE_ARTIFICIAL,
		  OTF2_PARADIGM_MEASUREMENT_SYSTEM },
		{ "MEASUREMENT OFF", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_USER },
	};
	const uint32_t file = otf2_aid_string(aid, "main.c");

	for (uint32_t i = 0; i < REGIONS; i++) {
		const uint32_t name = otf2_aid_string(aid, list[i].name);
		DEFINE(Region, i, name, name, 0, list[i].role, list[i].paradigm,
		       OTF2_REGION_FLAG_NONE, i == 0 ? file : UNDEFINED, i == 0 ? 17 : 0,
		       i == 0 ? 42 : 0);
	}
}

/* Locations come before their groups, children before parents: any order is allowed for. */
static void write_places(struct otf2_aid *aid)
{
	const uint32_t node = otf2_aid_string(aid, "node"), a = otf2_aid_string(aid, "alpha"),
		       b = otf2_aid_string(aid, "beta"), m = otf2_aid_string(aid, "machine"),
		       master = otf2_aid_string(aid, "Master thread"),
		       gpu = otf2_aid_string(aid, "GPU 0");

	DEFINE(Location, LOCATION_2, master, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 12);
	DEFINE(Location, LOCATION_1, master, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 11);
	DEFINE(Location, THREAD, master, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 11);
	DEFINE(Location, LOCATION_0, master, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 10);
	DEFINE(Location, STREAM, gpu, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 13);
	DEFINE(LocationGroup, 10, a, OTF2_LOCATION_GROUP_TYPE_PROCESS, 2,
	       OTF2_UNDEFINED_LOCATION_GROUP);
	DEFINE(LocationGroup, 11, a, OTF2_LOCATION_GROUP_TYPE_PROCESS, 3,
	       OTF2_UNDEFINED_LOCATION_GROUP);
	DEFINE(LocationGroup, 12, a, OTF2_LOCATION_GROUP_TYPE_PROCESS, 3,
	       OTF2_UNDEFINED_LOCATION_GROUP);
	DEFINE(LocationGroup, 13, gpu, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 2, 10);
	DEFINE(SystemTreeNode, 2, a, node, 1);
	DEFINE(SystemTreeNode, 3, b, node, 1);
	DEFINE(SystemTreeNode, 1, m, m, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
}

#define GROUP(id, name, type, paradigm, flag, ...)                                             \
	DEFINE(Group, id, name, OTF2_GROUP_TYPE_##type, OTF2_PARADIGM_##paradigm,              \
	       OTF2_GROUP_FLAG_##flag, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
	       (uint64_t[]){ __VA_ARGS__ })

enum { C_WORLD, C_PART, C_SELF, C_INTER, C_TEAM };

/* The world is {location 9, 7, 5000000000}; the part {rank 2, rank 0}; the inter-communicator {0}
 * and {2, 1}. Group 0 is defined twice, as EZTrace does. */
static void write_comms(struct otf2_aid *aid)
{
	const uint32_t world = otf2_aid_string(aid, "MPI_COMM_WORLD"),
		       part = otf2_aid_string(aid, "part");

	DEFINE(Comm, C_PART, part, 1, C_WORLD, OTF2_COMM_FLAG_NONE);
	DEFINE(Comm, C_WORLD, world, 0, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	DEFINE(Comm, C_SELF, otf2_aid_string(aid, "self"), 2, OTF2_UNDEFINED_COMM,
	       OTF2_COMM_FLAG_NONE);
	DEFINE(InterComm, C_INTER, otf2_aid_string(aid, "inter"), 3, 4, C_WORLD,
	       OTF2_COMM_FLAG_NONE);
	DEFINE(Comm, C_TEAM, otf2_aid_string(aid, "team"), 5, OTF2_UNDEFINED_COMM,
	       OTF2_COMM_FLAG_NONE);
	GROUP(0, world, COMM_LOCATIONS, MPI, NONE, LOCATION_0, LOCATION_1, LOCATION_2);
	GROUP(0, world, COMM_GROUP, MPI, NONE, 0, 1, 2);
	GROUP(1, part, COMM_GROUP, MPI, NONE, 2, 0);
	DEFINE(Group, 2, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0,
	       NULL);
	GROUP(3, 0, COMM_GROUP, MPI, NONE, 0);
	GROUP(4, 0, COMM_GROUP, MPI, NONE, 2, 1);
	GROUP(5, part, COMM_GROUP, PTHREAD, GLOBAL_MEMBERS, LOCATION_1, THREAD);
}

static void write_objects(struct otf2_aid *aid)
{
	const uint32_t name = otf2_aid_string(aid, "thing"), unit = otf2_aid_string(aid, "B");
	const uint32_t grid[] = { 0, 1 }, at0[] = { 1, 0 }, at2[] = { 2, 1 };
	const OTF2_MetricMemberRef members[] = { 4, 5 };

	DEFINE(MetricMember, 4, otf2_aid_string(aid, "flops"), 0, OTF2_METRIC_TYPE_PAPI,
	       OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 3, unit);
	DEFINE(MetricMember, 5, otf2_aid_string(aid, "load"), 0, OTF2_METRIC_TYPE_USER,
	       OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_DOUBLE, OTF2_BASE_BINARY, 0, unit);
	DEFINE(MetricClass, 8, 2, members, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
	DEFINE(MetricInstance, 9, 8, LOCATION_0, OTF2_SCOPE_LOCATION, LOCATION_2);
	DEFINE(Parameter, 0, otf2_aid_string(aid, "size"), OTF2_PARAMETER_TYPE_INT64);
	DEFINE(Attribute, 6, otf2_aid_string(aid, "colour"), 0, OTF2_TYPE_INT16);
	DEFINE(RmaWin, 1, otf2_aid_string(aid, "win"), C_PART, OTF2_RMA_WIN_FLAG_NONE);
	DEFINE(IoParadigm, 0, name, otf2_aid_string(aid, "POSIX I/O"),
	       OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL);
	DEFINE(IoRegularFile, 3, otf2_aid_string(aid, "data.bin"), 2);
	DEFINE(IoHandle, 2, otf2_aid_string(aid, "fd 7"), 3, 0, OTF2_IO_HANDLE_FLAG_NONE, C_WORLD,
	       OTF2_UNDEFINED_IO_HANDLE);
	DEFINE(InterruptGenerator, 0, otf2_aid_string(aid, "timer"),
	       OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -6, 100);
	DEFINE(SourceCodeLocation, 0, otf2_aid_string(aid, "x.c"), 99);
	DEFINE(CallingContext, 0, R_MAIN, 0, OTF2_UNDEFINED_CALLING_CONTEXT);
	DEFINE(CartDimension, 0, name, 3, OTF2_CART_PERIODIC_TRUE);
	DEFINE(CartDimension, 1, name, 2, OTF2_CART_PERIODIC_FALSE);
	DEFINE(CartTopology, 0, otf2_aid_string(aid, "grid"), C_WORLD, 2, grid);
	DEFINE(CartCoordinate, 0, 0, 2, at0);
	DEFINE(CartCoordinate, 0, 2, 2, at2);
}

static struct otf2_aid begin(uint64_t resolution)
{
	struct otf2_aid aid;

	otf2_aid_begin(&aid, resolution);
	write_places(&aid);
	write_comms(&aid);
	write_regions(&aid);
	write_objects(&aid);
	return aid;
}

#define ARCHIVE ENDED_BY(otf2_aid_remove) struct otf2_aid

static struct trace *load(struct otf2_aid *aid, int jobs)
{
	const struct load_options options = { .no_cache = true, .jobs = jobs };
	struct err err = ERR_INIT;
	struct trace *trace;

	otf2_aid_end(aid);
	trace = trace_load(aid->anchor, &options, NULL, &err);
	if (!trace)
		fail_msg("%s", err.text);
	assert_sound(trace);
	return trace;
}

/* ---- definitions ---- */

static uint32_t location_of(const struct trace *trace, uint64_t id)
{
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (trace_location(trace, l)->source_id == id)
			return l;
	return UINT32_MAX;
}

static void expect_location(const struct trace *trace, uint64_t id, const char *name, int rank,
			    int thread, const char *node)
{
	const struct location *l = trace_location(trace, location_of(trace, id));

	assert_string_equal(trace_string(trace, l->name), name);
	assert_int_equal(l->rank, rank);
	assert_int_equal(l->thread, thread);
	assert_string_equal(trace_string(trace, l->node), node);
}

TEST(places)
{
	ARCHIVE aid = begin(1000000000);
	OWNED_TRACE *trace = load(&aid, 1);

	assert_int_equal(trace_location_count(trace), 5);
	expect_location(trace, LOCATION_0, "rank 0", 0, 0, "alpha");
	expect_location(trace, LOCATION_1, "rank 1", 1, 0, "beta");
	expect_location(trace, LOCATION_2, "rank 2", 2, 0, "beta");
	expect_location(trace, THREAD, "rank 1 thread 1", 1, 1, "beta");
	expect_location(trace, STREAM, "rank 0 GPU 0", 0, 1, "alpha");
	assert_int_equal(trace_location_of_rank(trace, 2), location_of(trace, LOCATION_2));
	assert_int_equal(trace_tree_node_count(trace), 3);
	assert_int_equal(trace_tree_node(trace, 0)->parent, UINT32_MAX);
	assert_int_equal(trace_tree_node(trace, 1)->parent, 0);
	assert_int_equal(trace_process_count(trace), 4);
	assert_int_equal(trace_process(trace, 3)->creator, 0);
}

static const struct comm *comm_of(const struct trace *trace, const char *name, uint32_t nth)
{
	for (uint32_t i = 0; i < trace_comm_count(trace); i++)
		if (strcmp(trace_string(trace, trace_comm(trace, i)->name), name) == 0 &&
		    nth-- == 0)
			return trace_comm(trace, i);
	fail_msg("no communicator %s", name);
	return NULL;
}

/* Its members, and after a bar those of the other group. */
static void expect_comm(const struct trace *trace, const char *name, uint32_t nth,
			enum comm_kind kind, const char *members)
{
	const struct comm *c = comm_of(trace, name, nth);
	OWNED_STR text = STR_INIT;

	for (uint32_t i = 0; i < c->size; i++)
		str_add_fmt(&text, "%s%d", i ? " " : "", c->ranks[i]);
	for (uint32_t i = 0; i < c->remote_size; i++)
		str_add_fmt(&text, "%s%d", i ? " " : " | ", c->remote[i]);
	assert_string_equal(text.text, members);
	assert_int_equal(c->kind, kind);
}

TEST(communicators)
{
	const struct topology *grid;
	OWNED_STR team = STR_INIT;
	ARCHIVE aid = begin(1000000000);
	OWNED_TRACE *trace = load(&aid, 1);

	assert_int_equal(trace_comm(trace, 0)->size, 3);
	expect_comm(trace, "part", 0, COMM_PROCESSES, "2 0");
	assert_int_equal(comm_of(trace, "part", 0)->parent, 0);
	expect_comm(trace, "self", 0, COMM_SELF, "0");
	expect_comm(trace, "self", 1, COMM_SELF, "1");
	expect_comm(trace, "self", 2, COMM_SELF, "2");
	expect_comm(trace, "inter", 0, COMM_INTER, "0 | 2 1");
	str_add_fmt(&team, "%u %u", location_of(trace, LOCATION_1), location_of(trace, THREAD));
	expect_comm(trace, "team", 0, COMM_THREADS, team.text);
	assert_int_equal(trace_topology_count(trace), 1);
	grid = trace_topology(trace, 0);
	assert_int_equal(grid->size[0], 3);
	assert_true(grid->periodic[0] && !grid->periodic[1]);
	assert_int_equal(grid->coords[0], 1);
	assert_int_equal(grid->coords[2], NONE);
	assert_int_equal(grid->coords[5], 1);
}

TEST(metrics)
{
	const struct metric_set *instance;
	ARCHIVE aid = begin(1000000000);
	OWNED_TRACE *trace = load(&aid, 1);

	assert_int_equal(trace_metric_count(trace), 2);
	assert_string_equal(trace_string(trace, trace_metric(trace, 0)->name), "flops");
	assert_int_equal(trace_metric(trace, 0)->mode, METRIC_ACCUMULATED_START);
	assert_int_equal(trace_metric(trace, 0)->exponent, 3);
	assert_int_equal(trace_metric(trace, 1)->mode, METRIC_ABSOLUTE_NEXT);
	assert_int_equal(trace_metric(trace, 1)->value, FIELD_FLOAT);
	assert_int_equal(trace_metric(trace, 1)->base, 2);
	assert_int_equal(trace_metric_set_count(trace), 2);
	instance = trace_metric_set(trace, 1);
	assert_int_equal(instance->recorder, location_of(trace, LOCATION_0));
	assert_int_equal(instance->scope_kind, 1);
	assert_int_equal(instance->scope, location_of(trace, LOCATION_2));
}

/* ---- times ---- */

TEST(ticks)
{
	static const struct {
		uint64_t resolution;
		int64_t per_second, first, offset;
	} cases[] = { { 1000000000, 1000000000, 234, 50 },
		      { 1000000, 1000000000, 234000, 50000 },
		      { 2596125382, 2596125382, 234, 50 },
		      { 3000000000, 3000000000, 234, 50 } };
	static const int64_t offsets[][2] = { { 1100, 50 }, { 2100, 60 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cursor c;
		OTF2_EvtWriter *w;

		ARCHIVE aid = begin(cases[i].resolution);
		w = otf2_aid_events(&aid, LOCATION_1);
		EVENT(Enter, 1234, R_MAIN);
		otf2_aid_events_end(&aid, w);
		otf2_aid_local(&aid, LOCATION_1, offsets, 2, NULL);
		OWNED_TRACE *trace = load(&aid, 1);
		assert_int_equal(trace_scale(trace)->per_second, cases[i].per_second);
		assert_true(cursor_first(&c, trace, BASE_MEASURED, location_of(trace, LOCATION_1)));
		assert_int_equal(cursor_time(&c), cases[i].first);
		assert_int_equal(trace_offset_count(trace), 2);
		assert_int_equal(trace_offset(trace, 0)->offset, cases[i].offset);
		assert_true(trace_has_base(trace, BASE_LINEAR));
	}
}

/* ---- records ---- */

static void expect_events(struct trace *trace, uint64_t location, const char *const *expected)
{
	struct cursor c;
	OWNED_STR said = STR_INIT;
	bool ok = cursor_first(&c, trace, BASE_MEASURED, location_of(trace, location));

	for (; *expected; expected++, ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		assert_true(ok);
		str_clear(&said);
		str_add_fmt(&said, "%lld %s", (long long)cursor_time(&c),
			    event_kind_name(what_kind(what)));
		if (what_kind(what) >= EV_THREAD_BEGIN && what_kind(what) <= EV_OTHER) {
			str_add(&said, ": ");
			trace_detail_text(trace, what_id(what), &said);
		}
		assert_string_equal(said.text, *expected);
	}
	assert_false(ok);
}

/* What a location's records come to. */
static void assert_records(void (*write)(OTF2_EvtWriter *w), OTF2_LocationRef location,
			   const char *const *expected)
{
	OTF2_EvtWriter *w;

	ARCHIVE aid = begin(1000000000);
	w = otf2_aid_events(&aid, location);
	write(w);
	otf2_aid_events_end(&aid, w);
	OWNED_TRACE *trace = load(&aid, 1);
	expect_events(trace, location, expected);
}

static void write_threads(OTF2_EvtWriter *w)
{
	EVENT(ThreadFork, 1001, OTF2_PARADIGM_OPENMP, 4);
	EVENT(ThreadTeamBegin, 1002, C_TEAM);
	EVENT(ThreadAcquireLock, 1003, OTF2_PARADIGM_PTHREAD, 3, 1);
	EVENT(ThreadReleaseLock, 1004, OTF2_PARADIGM_PTHREAD, 3, 1);
	EVENT(ThreadTaskCreate, 1005, C_TEAM, 1, 8);
	EVENT(ThreadTaskSwitch, 1006, C_TEAM, 1, 8);
	EVENT(ThreadTaskComplete, 1007, C_TEAM, 1, 8);
	EVENT(ThreadTeamEnd, 1008, C_TEAM);
	EVENT(ThreadJoin, 1009, OTF2_PARADIGM_OPENMP);
	EVENT(ThreadCreate, 1010, C_TEAM, 77);
	EVENT(ThreadWait, 1011, C_TEAM, 77);
	EVENT(ThreadBegin, 1012, OTF2_UNDEFINED_COMM, 77);
	EVENT(ThreadEnd, 1013, OTF2_UNDEFINED_COMM, 77);
}

TEST(threads)
{
	static const char *const expected[] = {
		"1 thread: thread-fork paradigm openmp, threads 4",
		"2 thread: team-begin team team",
		"3 thread: lock-acquire paradigm pthread, lock 3, order 1",
		"4 thread: lock-release paradigm pthread, lock 3, order 1",
		"5 thread: task-create team team, creator 1, generation 8",
		"6 thread: task-switch team team, creator 1, generation 8",
		"7 thread: task-complete team team, creator 1, generation 8",
		"8 thread: team-end team team",
		"9 thread: thread-join paradigm openmp",
		"10 thread: thread-create comm team, sequence 77",
		"11 thread: thread-wait comm team, sequence 77",
		"12 thread_begin: thread-begin comm none, sequence 77",
		"13 thread_end: thread-end comm none, sequence 77",
		NULL
	};
	assert_records(write_threads, LOCATION_1, expected);
}

/* Of rank 0; rank 0 of the window's communicator is rank 2 of the world. */
static void write_one_sided(OTF2_EvtWriter *w)
{
	EVENT(RmaCollectiveBegin, 1001);
	EVENT(RmaCollectiveEnd, 1002, OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS,
	      1, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
	EVENT(RmaWinCreate, 1003, 1);
	EVENT(RmaPut, 1004, 1, 0, 8192, 5);
	EVENT(RmaGet, 1005, 1, 1, 16, 6);
	EVENT(RmaAtomic, 1006, 1, 0, OTF2_RMA_ATOMIC_TYPE_SWAP, 8, 8, 7);
	EVENT(RmaOpCompleteBlocking, 1007, 1, 5);
	EVENT(RmaOpCompleteNonBlocking, 1008, 1, 6);
	EVENT(RmaOpTest, 1009, 1, 7);
	EVENT(RmaOpCompleteRemote, 1010, 1, 7);
	EVENT(RmaRequestLock, 1011, 1, 0, 2, OTF2_LOCK_SHARED);
	EVENT(RmaAcquireLock, 1012, 1, 0, 2, OTF2_LOCK_EXCLUSIVE);
	EVENT(RmaTryLock, 1013, 1, 0, 2, OTF2_LOCK_SHARED);
	EVENT(RmaReleaseLock, 1014, 1, 0, 2);
	EVENT(RmaSync, 1015, 1, 0, OTF2_RMA_SYNC_TYPE_NOTIFY_IN);
	EVENT(RmaGroupSync, 1016, OTF2_RMA_SYNC_LEVEL_MEMORY, 1, 1);
	EVENT(RmaWaitChange, 1017, 1);
	EVENT(RmaWinDestroy, 1018, 1);
}

TEST(one_sided)
{
	static const char *const expected[] = {
		"1 rma: rma-collective-begin",
		"2 rma: rma-collective-end operation create-handle, level 0x1, window win, root -1, sent 0, received 0",
		"3 rma: rma-win-create window win",
		"4 rma: rma-put window win, remote 2, bytes 8192, matching 5",
		"5 rma: rma-get window win, remote 0, bytes 16, matching 6",
		"6 rma: rma-atomic window win, remote 2, type swap, sent 8, received 8, matching 7",
		"7 rma: rma-complete-blocking window win, matching 5",
		"8 rma: rma-complete-non-blocking window win, matching 6",
		"9 rma: rma-test window win, matching 7",
		"10 rma: rma-complete-remote window win, matching 7",
		"11 rma: rma-request-lock window win, remote 2, lock 2, type shared",
		"12 rma: rma-acquire-lock window win, remote 2, lock 2, type exclusive",
		"13 rma: rma-try-lock window win, remote 2, lock 2, type shared",
		"14 rma: rma-release-lock window win, remote 2, lock 2",
		"15 rma: rma-sync window win, remote 2, type notify-in",
		"16 rma: rma-group-sync level 0x2, window win, group part",
		"17 rma: rma-wait-change window win",
		"18 rma: rma-win-destroy window win",
		NULL
	};
	assert_records(write_one_sided, LOCATION_0, expected);
}

static void write_files(OTF2_EvtWriter *w)
{
	EVENT(IoCreateHandle, 1001, 2, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_CREATION_FLAG_CREATE,
	      OTF2_IO_STATUS_FLAG_APPEND);
	EVENT(IoSeek, 1002, 2, -5, OTF2_IO_SEEK_FROM_END, 95);
	EVENT(IoOperationBegin, 1003, 2, OTF2_IO_OPERATION_MODE_WRITE,
	      OTF2_IO_OPERATION_FLAG_NON_BLOCKING, 4096, 11);
	EVENT(IoOperationIssued, 1004, 2, 11);
	EVENT(IoOperationTest, 1005, 2, 11);
	EVENT(IoOperationComplete, 1006, 2, 4000, 11);
	EVENT(IoOperationCancelled, 1007, 2, 12);
	EVENT(IoAcquireLock, 1008, 2, OTF2_LOCK_EXCLUSIVE);
	EVENT(IoTryLock, 1009, 2, OTF2_LOCK_SHARED);
	EVENT(IoReleaseLock, 1010, 2, OTF2_LOCK_EXCLUSIVE);
	EVENT(IoChangeStatusFlags, 1011, 2, OTF2_IO_STATUS_FLAG_NONE);
	EVENT(IoDuplicateHandle, 1012, 2, 2, OTF2_IO_STATUS_FLAG_NONE);
	EVENT(IoDestroyHandle, 1013, 2);
	EVENT(IoDeleteFile, 1014, 0, 3);
}

TEST(files)
{
	static const char *const expected[] = {
		"1 file: io-create-handle handle fd 7, mode read-write, creation 0x1, status 0x2",
		"2 file: io-seek handle fd 7, request -5, whence end, result 95",
		"3 file: io-begin handle fd 7, mode write, flags 0x1, bytes 4096, matching 11",
		"4 file: io-issued handle fd 7, matching 11",
		"5 file: io-test handle fd 7, matching 11",
		"6 file: io-complete handle fd 7, bytes 4000, matching 11",
		"7 file: io-cancelled handle fd 7, matching 12",
		"8 file: io-acquire-lock handle fd 7, type exclusive",
		"9 file: io-try-lock handle fd 7, type shared",
		"10 file: io-release-lock handle fd 7, type exclusive",
		"11 file: io-change-status handle fd 7, status 0x0",
		"12 file: io-duplicate-handle old fd 7, new fd 7, status 0x0",
		"13 file: io-destroy-handle handle fd 7",
		"14 file: io-delete-file paradigm POSIX I/O, file data.bin",
		NULL
	};
	assert_records(write_files, LOCATION_0, expected);
}

static void write_others(struct otf2_aid *aid, OTF2_EvtWriter *w)
{
	const OTF2_Type types[] = { OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE };
	const OTF2_StringRef arguments[] = { otf2_aid_string(aid, "-n"),
					     otf2_aid_string(aid, "4") };
	OTF2_MetricValue values[2];

	values[0].unsigned_int = 12;
	values[1].floating_point = 0.5;
	EVENT(ProgramBegin, 1001, otf2_aid_string(aid, "a.out"), 2, arguments);
	EVENT(Metric, 1002, 9, 2, types, values);
	EVENT(ParameterInt, 1003, 0, -3);
	EVENT(ParameterUnsignedInt, 1004, 0, 3);
	EVENT(ParameterString, 1005, 0, arguments[0]);
	EVENT(CommCreate, 1006, C_PART);
	EVENT(CommDestroy, 1007, C_PART);
	EVENT(CallingContextSample, 1008, 0, 2, 0);
	EVENT(CallingContextEnter, 1009, 0, 1);
	OTF2_AttributeList_AddInt16(aid->attributes, 6, -77);
	OTF2_EvtWriter_CallingContextLeave(w, aid->attributes, 1010, 0);
	EVENT(MeasurementOnOff, 1011, OTF2_MEASUREMENT_OFF);
	EVENT(MeasurementOnOff, 1012, OTF2_MEASUREMENT_ON);
	EVENT(BufferFlush, 1013, 1020);
	EVENT(ProgramEnd, 1021, -1);
}

static void expect_others(struct trace *trace)
{
	static const char *const expected[] = {
		"1 other: program-begin program a.out, arguments -n 4",
		"2 metric: flops 12*10^3 B, load 0.5 B",
		"3 parameter: parameter-int parameter size, value -3",
		"4 parameter: parameter-uint parameter size, value 3",
		"5 parameter: parameter-string parameter size, value -n",
		"6 other: comm-create comm part",
		"7 other: comm-destroy comm part",
		"8 other: sample site main, unwound 2, generator timer",
		"9 enter",
		"10 leave",
		"11 tracing_off",
		"12 tracing_on",
		"13 enter",
		"20 leave",
		"21 other: program-end status -1",
		NULL
	};
	const struct event_attribute *attribute;
	const struct site *site;
	struct cursor c;
	uint32_t n;

	expect_events(trace, LOCATION_0, expected);
	assert_true(cursor_nth(&c, trace, BASE_MEASURED, location_of(trace, LOCATION_0), 8));
	site = trace_site(trace, trace_callpath(trace, cursor_path(&c))->site);
	assert_string_equal(trace_string(trace, site->file), "x.c");
	assert_int_equal(site->line, 99);
	assert_string_equal(trace_region_name(trace, site->region), "main");
	assert_int_equal(trace_region(trace, site->region)->line, 17);
	assert_int_equal(trace_region(trace, site->region)->end_line, 42);
	cursor_next(&c);
	attribute = trace_event_attributes(trace, c.id, &n);
	assert_int_equal(n, 1);
	assert_int_equal((int64_t)attribute->value, -77);
	assert_string_equal(trace_string(trace, trace_object(trace, attribute->object)->name),
			    "colour");
	cursor_nth(&c, trace, BASE_MEASURED, location_of(trace, LOCATION_0), 12);
	assert_int_equal(trace_callpath_class(trace, cursor_path(&c)), CLASS_OVERHEAD);
}

TEST(others)
{
	OTF2_EvtWriter *w;

	ARCHIVE aid = begin(1000000000);
	w = otf2_aid_events(&aid, LOCATION_0);
	write_others(&aid, w);
	otf2_aid_events_end(&aid, w);
	OWNED_TRACE *trace = load(&aid, 1);
	expect_others(trace);
}

/* ---- messages ---- */

/* Partners are ranks of the communicator: 0 of the part is rank 2; in the inter-communicator rank 0
 * sends to rank 1 of the other group, which is rank 1 of the world. */
static void write_messages(struct otf2_aid *aid)
{
	OTF2_EvtWriter *w = otf2_aid_events(aid, LOCATION_0);

	EVENT(Enter, 1001, R_SSEND);
	EVENT(MpiSend, 1002, 0, C_PART, 5, 100);
	EVENT(Leave, 1003, R_SSEND);
	EVENT(Enter, 1004, R_ISEND);
	EVENT(MpiIsend, 1005, 1, C_INTER, 6, 200, 71);
	EVENT(MpiIsend, 1006, 0, C_SELF, 7, 300, 72);
	EVENT(MpiIrecvRequest, 1007, 73);
	EVENT(Leave, 1008, R_ISEND);
	EVENT(MpiRequestTest, 1009, 71);
	EVENT(MpiIsendComplete, 1010, 71);
	EVENT(MpiIrecv, 1011, 0, C_SELF, 7, 300, 73);
	EVENT(MpiIsendComplete, 1012, 72);
	EVENT(MpiIrecvRequest, 1013, 74);
	EVENT(MpiRequestCancelled, 1014, 74);
	otf2_aid_events_end(aid, w);
	w = otf2_aid_events(aid, LOCATION_2);
	EVENT(MpiRecv, 1050, 1, C_PART, 5, 100);
	otf2_aid_events_end(aid, w);
	w = otf2_aid_events(aid, LOCATION_1);
	EVENT(MpiRecv, 1051, 0, C_INTER, 6, 200);
	otf2_aid_events_end(aid, w);
}

static void expect_message(const struct trace *trace, int tag, int from, int to, const char *comm,
			   unsigned flags)
{
	for (uint32_t i = 0; i < trace_message_count(trace); i++) {
		const struct message *m = trace_message(trace, i);
		if (m->tag != tag || m->flags & MSG_CANCELLED)
			continue;
		assert_int_equal(m->flags & (MSG_NO_SEND | MSG_NO_RECV), 0);
		assert_int_equal(message_source(trace, m), from);
		assert_int_equal(message_destination(trace, m), to);
		assert_string_equal(trace_string(trace, trace_comm(trace, m->comm)->name), comm);
		assert_int_equal(m->flags & (MSG_MODE_MASK | MSG_SEND_REQUEST | MSG_RECV_REQUEST),
				 flags);
		return;
	}
	fail_msg("no message with tag %d", tag);
}

TEST(messages)
{

	for (int jobs = 1; jobs <= 3; jobs++) {
		ARCHIVE aid = begin(1000000000);
		write_messages(&aid);
		OWNED_TRACE *trace = load(&aid, jobs);
		expect_message(trace, 5, 0, 2, "part", 2 << MSG_MODE_SHIFT);
		expect_message(trace, 6, 0, 1, "inter", MSG_SEND_REQUEST);
		expect_message(trace, 7, 0, 0, "self", MSG_SEND_REQUEST | MSG_RECV_REQUEST);
	}
}

static void write_collectives(struct otf2_aid *aid, uint64_t location, uint64_t t)
{
	OTF2_EvtWriter *w = otf2_aid_events(aid, location);

	EVENT(Enter, t, R_BARRIER);
	EVENT(MpiCollectiveBegin, t + 1);
	EVENT(MpiCollectiveEnd, t + 2, OTF2_COLLECTIVE_OP_BARRIER, C_WORLD,
	      OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
	EVENT(Leave, t + 3, R_BARRIER);
	if (location != LOCATION_1) {
		EVENT(Enter, t + 4, R_IBCAST);
		EVENT(NonBlockingCollectiveRequest, t + 5, 5);
		EVENT(Leave, t + 6, R_IBCAST);
		EVENT(Enter, t + 7, R_WAIT);
		EVENT(NonBlockingCollectiveComplete, t + 8, OTF2_COLLECTIVE_OP_BCAST, C_PART, 0, 64,
		      32, 5);
		EVENT(Leave, t + 9, R_WAIT);
	}
	otf2_aid_events_end(aid, w);
}

TEST(collectives)
{
	const struct collective *c;

	ARCHIVE aid = begin(1000000000);
	write_collectives(&aid, LOCATION_0, 1000);
	write_collectives(&aid, LOCATION_1, 1100);
	write_collectives(&aid, LOCATION_2, 1200);
	OWNED_TRACE *trace = load(&aid, 2);
	assert_int_equal(trace_collective_count(trace), 2);
	for (uint32_t i = 0; i < 2; i++) {
		c = trace_collective(trace, i);
		assert_int_equal(c->flags & COLL_INCOMPLETE, 0);
		if (c->flags & COLL_REQUEST) {
			assert_string_equal(trace_region_name(trace, c->region), "MPI_Ibcast");
			assert_string_equal(trace_string(trace, trace_comm(trace, c->comm)->name),
					    "part");
			assert_int_equal(c->members, 2);
			assert_int_equal(c->root, 2);
			assert_int_equal(trace_member(trace, c->first)->sent, 64);
		} else {
			assert_string_equal(trace_region_name(trace, c->region), "MPI_Barrier");
			assert_int_equal(c->comm, 0);
			assert_int_equal(c->members, 3);
			assert_int_equal(c->root, -1);
		}
	}
}

/* ---- what is odd ---- */

/* Local ids of regions go through the location's map; what nothing defines is not lost. */
TEST(maps_and_gaps)
{
	const uint64_t map[] = { R_BARRIER, R_MAIN };
	struct cursor c;
	OTF2_EvtWriter *w;
	OTF2_IdMap *ids = OTF2_IdMap_CreateFromUint64Array(2, map, false);

	ARCHIVE aid = begin(1000000000);
	w = otf2_aid_events(&aid, LOCATION_0);
	EVENT(Enter, 1001, 0);
	EVENT(Leave, 1002, 0);
	otf2_aid_events_end(&aid, w);
	otf2_aid_local(&aid, LOCATION_0, NULL, 0, ids);
	OTF2_IdMap_Free(ids);
	w = otf2_aid_events(&aid, LOCATION_1);
	EVENT(Enter, 1001, 4000);
	EVENT(MpiSend, 1002, 2, 4000, 5, 100);
	EVENT(MpiSend, 1003, 50, C_WORLD, 5, 100);
	EVENT(Leave, 1004, 4000);
	otf2_aid_events_end(&aid, w);
	OWNED_TRACE *trace = load(&aid, 2);
	assert_true(cursor_first(&c, trace, BASE_MEASURED, location_of(trace, LOCATION_0)));
	assert_string_equal(trace_region_name(trace, trace_callpath_region(trace, cursor_path(&c))),
			    "MPI_Barrier");
	assert_int_equal(trace_location(trace, location_of(trace, LOCATION_1))->events, 4);
	assert_int_equal(found(trace, "region-undefined"), 1);
	assert_int_equal(found(trace, "communicator-undefined"), 1);
	assert_int_equal(found(trace, "partner-unknown"), 1);
}

/* ---- stopping ---- */

struct watcher {
	unsigned steps, most;
	uint64_t done, all;
	bool dropped, backwards;
};

static bool watch(void *context, const char *what, uint64_t done, uint64_t all)
{
	struct watcher *w = context;

	if (strcmp(what, "reading") != 0)
		return true;
	w->backwards |= done < w->done || done > all;
	w->done = done;
	w->all = all;
	return ++w->steps <= w->most;
}

static bool is_dropped(void *context)
{
	return ((const struct watcher *)context)->dropped;
}

static struct trace *load_watched(struct watcher *w, int jobs, struct err *err)
{
	const struct load_options options = { .no_cache = true, .jobs = jobs };
	const struct progress progress = { .step = watch, .context = w, .dropped = is_dropped };

	return trace_load("traces/otf2/mg.S-4", &options, &progress, err);
}

TEST(stopping)
{
	struct watcher all = { .most = UINT32_MAX }, few = { .most = 4 }, none = { .most = 4 };
	struct err err = ERR_INIT;
	struct trace *trace = load_watched(&all, 1, &err);

	assert_non_null(trace);
	assert_int_equal(trace_event_count(trace), 32580);
	assert_false(trace_partial(trace)->is);
	assert_false(all.backwards);
	assert_int_equal(all.done, all.all);
	trace_free(trace);
	trace = load_watched(&few, 1, &err);
	assert_non_null(trace);
	assert_true(trace_partial(trace)->is);
	assert_memory_equal(trace_partial(trace)->text, "stopped at ", 11);
	assert_in_range(trace_event_count(trace), 1, 32579);
	assert_int_equal(few.steps, 5);
	assert_sound(trace);
	trace_free(trace);
	none.dropped = true;
	assert_null(load_watched(&none, 2, &err));
	assert_int_equal(err.status, 0);
}

/* An archive of tview's with four processes, each with a location; the first and the third were
 * made up for it, the second made the fourth. */
static void write_made_up(struct otf2_aid *aid)
{
	const uint32_t name = otf2_aid_string(aid, "it"),
		       made = otf2_aid_string(aid, "tview:made up"),
		       types = otf2_aid_string(aid, "tview:.event types");
	OTF2_AttributeValue value = { .uint64 = 0 };

	DEFINE(SystemTreeNode, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 0; i < 4; i++)
		DEFINE(LocationGroup, i, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
		       i == 3 ? 1 : OTF2_UNDEFINED_LOCATION_GROUP);
	for (uint32_t i = 0; i < 4; i++)
		DEFINE(Location, i, name, OTF2_LOCATION_TYPE_CPU_THREAD, 1, i);
	for (uint32_t i = 0; i < 4; i += 2)
		DEFINE(LocationGroupProperty, i, made, OTF2_TYPE_UINT32, value);
	value.stringRef = types;
	DEFINE(SystemTreeNodeProperty, 0, types, OTF2_TYPE_STRING, value);
	for (uint32_t i = 0; i < 4; i++) {
		OTF2_EvtWriter *w = otf2_aid_events(aid, i);
		EVENT(MeasurementOnOff, 2000, OTF2_MEASUREMENT_ON);
		otf2_aid_events_end(aid, w);
	}
}

/* They are left out, and the others are who they are. */
TEST(made_up_processes)
{
	ARCHIVE aid;
	OWNED_TRACE *trace;

	otf2_aid_begin(&aid, 1000000000);
	write_made_up(&aid);
	trace = load(&aid, 1);
	assert_int_equal(trace_process_count(trace), 2);
	assert_int_equal(trace_process(trace, 1)->creator, 0);
	assert_int_equal(trace_location(trace, 0)->owner, UINT32_MAX);
	assert_int_equal(trace_location(trace, 1)->owner, 0);
	assert_int_equal(trace_location(trace, 2)->owner, UINT32_MAX);
	assert_int_equal(trace_location(trace, 3)->owner, 1);
}

TEST(modes_of_sends)
{
	assert_int_equal(otf2_send_mode("mpi_issend_"), 2);
	assert_int_equal(otf2_send_mode("MPI_Rsend"), 3);
	assert_int_equal(otf2_send_mode("MPI_Bsend_init"), 1);
	assert_int_equal(otf2_send_mode("MPI_Isend"), 0);
	assert_int_equal(otf2_send_mode("MPI_Recv"), 0);
}
