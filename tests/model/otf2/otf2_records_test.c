/* Reading OTF2: records of threads, one-sided communication, files, messages and collectives, written
 * by libotf2. What is expected was written down from OTF2's documentation. */
#include "harness/test.h"
#include "model/otf2/otf2_full_aid.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"

/* ---- records ---- */

static void expect_events(struct trace *trace, uint64_t location, const char *const *expected)
{
	struct cursor c;
	OWNED_STR said = STR_INIT;
	bool ok = cursor_first(&c, trace, BASE_MEASURED, otf2_full_location(trace, location));

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

	ARCHIVE aid = otf2_full_begin(1000000000);
	w = otf2_aid_events(&aid, location);
	write(w);
	otf2_aid_events_end(&aid, w);
	OWNED_TRACE *trace = otf2_full_load(&aid, 1);
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
	assert_true(cursor_nth(&c, trace, BASE_MEASURED, otf2_full_location(trace, LOCATION_0), 8));
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
	cursor_nth(&c, trace, BASE_MEASURED, otf2_full_location(trace, LOCATION_0), 12);
	assert_int_equal(trace_callpath_class(trace, cursor_path(&c)), CLASS_OVERHEAD);
}

TEST(others)
{
	OTF2_EvtWriter *w;

	ARCHIVE aid = otf2_full_begin(1000000000);
	w = otf2_aid_events(&aid, LOCATION_0);
	write_others(&aid, w);
	otf2_aid_events_end(&aid, w);
	OWNED_TRACE *trace = otf2_full_load(&aid, 1);
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
		ARCHIVE aid = otf2_full_begin(1000000000);
		write_messages(&aid);
		OWNED_TRACE *trace = otf2_full_load(&aid, jobs);
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

	ARCHIVE aid = otf2_full_begin(1000000000);
	write_collectives(&aid, LOCATION_0, 1000);
	write_collectives(&aid, LOCATION_1, 1100);
	write_collectives(&aid, LOCATION_2, 1200);
	OWNED_TRACE *trace = otf2_full_load(&aid, 2);
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
