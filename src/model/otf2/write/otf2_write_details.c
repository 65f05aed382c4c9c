/* Events with details: each type's values, in the order of OTF2's arguments. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/otf2/write/otf2_writer.h"

/* What a detail's writing needs: the event, its values, and the references among them resolved. */
struct out {
	struct otf2_writer *w;
	OTF2_EvtWriter *evt;
	OTF2_TimeStamp time;
	const uint64_t *v;
	uint32_t n;
};

static uint32_t object_ref(const struct out *o, unsigned i)
{
	return o->v[i] < trace_object_count(o->w->trace) ? o->w->object_refs[o->v[i]] : UINT32_MAX;
}

static uint32_t comm_ref(const struct out *o, unsigned i)
{
	return o->v[i] < trace_comm_count(o->w->trace) ? o->w->comms[o->v[i]].ref
						       : OTF2_UNDEFINED_COMM;
}

static uint32_t u32(const struct out *o, unsigned i)
{
	return (uint32_t)o->v[i];
}

static uint8_t u8(const struct out *o, unsigned i)
{
	return (uint8_t)o->v[i];
}

/* The place of a world rank in a window's communicator. */
static uint32_t remote(const struct out *o, unsigned window, unsigned i)
{
	const struct trace *t = o->w->trace;
	const struct object *object;
	uint64_t comm;

	if (o->v[window] >= trace_object_count(t))
		return u32(o, i);
	object = trace_object(t, (uint32_t)o->v[window]);
	comm = trace_detail_values(t, &object->detail)[0];
	if (object->detail.type != OBJECT_RMA_WINDOW || comm >= trace_comm_count(t))
		return u32(o, i);
	return otf2_out_place(o->w, (uint32_t)comm, (int32_t)o->v[i]);
}

#define CALL(function, ...) \
	otf2_check(o->w, OTF2_EvtWriter_##function(o->evt, o->w->list, __VA_ARGS__))

static void thread(const struct out *o, enum detail_type type)
{
	switch (type) {
	case DETAIL_THREAD_BEGIN: CALL(ThreadBegin, o->time, comm_ref(o, 0), o->v[1]); break;
	case DETAIL_THREAD_END: CALL(ThreadEnd, o->time, comm_ref(o, 0), o->v[1]); break;
	case DETAIL_THREAD_CREATE: CALL(ThreadCreate, o->time, comm_ref(o, 0), o->v[1]); break;
	case DETAIL_THREAD_WAIT: CALL(ThreadWait, o->time, comm_ref(o, 0), o->v[1]); break;
	case DETAIL_THREAD_FORK: CALL(ThreadFork, o->time, u8(o, 0), u32(o, 1)); break;
	case DETAIL_THREAD_JOIN: CALL(ThreadJoin, o->time, u8(o, 0)); break;
	case DETAIL_TEAM_BEGIN: CALL(ThreadTeamBegin, o->time, comm_ref(o, 0)); break;
	case DETAIL_TEAM_END: CALL(ThreadTeamEnd, o->time, comm_ref(o, 0)); break;
	case DETAIL_LOCK_ACQUIRE:
		CALL(ThreadAcquireLock, o->time, u8(o, 0), u32(o, 1), u32(o, 2));
		break;
	case DETAIL_LOCK_RELEASE:
		CALL(ThreadReleaseLock, o->time, u8(o, 0), u32(o, 1), u32(o, 2));
		break;
	case DETAIL_TASK_CREATE:
		CALL(ThreadTaskCreate, o->time, comm_ref(o, 0), u32(o, 1), u32(o, 2));
		break;
	case DETAIL_TASK_SWITCH:
		CALL(ThreadTaskSwitch, o->time, comm_ref(o, 0), u32(o, 1), u32(o, 2));
		break;
	default: CALL(ThreadTaskComplete, o->time, comm_ref(o, 0), u32(o, 1), u32(o, 2)); break;
	}
}

static void rma_collective_end(const struct out *o)
{
	const uint32_t place = remote(o, 2, 3);

	CALL(RmaCollectiveEnd, o->time, u8(o, 0), u32(o, 1), object_ref(o, 2),
	     place == UINT32_MAX ? OTF2_COLLECTIVE_ROOT_NONE : place, o->v[4], o->v[5]);
}

static void rma(const struct out *o, enum detail_type type)
{
	const uint32_t win = o->n > 0 ? object_ref(o, 0) : 0;

	switch (type) {
	case DETAIL_RMA_WIN_CREATE: CALL(RmaWinCreate, o->time, win); break;
	case DETAIL_RMA_WIN_DESTROY: CALL(RmaWinDestroy, o->time, win); break;
	case DETAIL_RMA_COLLECTIVE_BEGIN: CALL(RmaCollectiveBegin, o->time); break;
	case DETAIL_RMA_COLLECTIVE_END: rma_collective_end(o); break;
	case DETAIL_RMA_GROUP_SYNC:
		CALL(RmaGroupSync, o->time, u32(o, 0), object_ref(o, 1), object_ref(o, 2));
		break;
	case DETAIL_RMA_REQUEST_LOCK:
		CALL(RmaRequestLock, o->time, win, remote(o, 0, 1), o->v[2], u8(o, 3));
		break;
	case DETAIL_RMA_ACQUIRE_LOCK:
		CALL(RmaAcquireLock, o->time, win, remote(o, 0, 1), o->v[2], u8(o, 3));
		break;
	case DETAIL_RMA_TRY_LOCK:
		CALL(RmaTryLock, o->time, win, remote(o, 0, 1), o->v[2], u8(o, 3));
		break;
	case DETAIL_RMA_RELEASE_LOCK:
		CALL(RmaReleaseLock, o->time, win, remote(o, 0, 1), o->v[2]);
		break;
	case DETAIL_RMA_SYNC: CALL(RmaSync, o->time, win, remote(o, 0, 1), u8(o, 2)); break;
	case DETAIL_RMA_WAIT_CHANGE: CALL(RmaWaitChange, o->time, win); break;
	case DETAIL_RMA_PUT: CALL(RmaPut, o->time, win, remote(o, 0, 1), o->v[2], o->v[3]); break;
	case DETAIL_RMA_GET: CALL(RmaGet, o->time, win, remote(o, 0, 1), o->v[2], o->v[3]); break;
	case DETAIL_RMA_ATOMIC:
		CALL(RmaAtomic, o->time, win, remote(o, 0, 1), u8(o, 2), o->v[3], o->v[4], o->v[5]);
		break;
	case DETAIL_RMA_OP_COMPLETE_BLOCKING:
		CALL(RmaOpCompleteBlocking, o->time, win, o->v[1]);
		break;
	case DETAIL_RMA_OP_COMPLETE_NON_BLOCKING:
		CALL(RmaOpCompleteNonBlocking, o->time, win, o->v[1]);
		break;
	case DETAIL_RMA_OP_TEST: CALL(RmaOpTest, o->time, win, o->v[1]); break;
	default: CALL(RmaOpCompleteRemote, o->time, win, o->v[1]); break;
	}
}

static void file(const struct out *o, enum detail_type type)
{
	const uint32_t handle = object_ref(o, 0);

	switch (type) {
	case DETAIL_IO_CREATE_HANDLE:
		CALL(IoCreateHandle, o->time, handle, u8(o, 1), u32(o, 2), u32(o, 3));
		break;
	case DETAIL_IO_DESTROY_HANDLE: CALL(IoDestroyHandle, o->time, handle); break;
	case DETAIL_IO_DUPLICATE_HANDLE:
		CALL(IoDuplicateHandle, o->time, handle, object_ref(o, 1), u32(o, 2));
		break;
	case DETAIL_IO_SEEK:
		CALL(IoSeek, o->time, handle, (int64_t)o->v[1], u8(o, 2), o->v[3]);
		break;
	case DETAIL_IO_CHANGE_STATUS_FLAGS:
		CALL(IoChangeStatusFlags, o->time, handle, u32(o, 1));
		break;
	case DETAIL_IO_DELETE_FILE:
		CALL(IoDeleteFile, o->time, (uint8_t)handle, object_ref(o, 1));
		break;
	case DETAIL_IO_BEGIN:
		CALL(IoOperationBegin, o->time, handle, u8(o, 1), u32(o, 2), o->v[3], o->v[4]);
		break;
	case DETAIL_IO_TEST: CALL(IoOperationTest, o->time, handle, o->v[1]); break;
	case DETAIL_IO_ISSUED: CALL(IoOperationIssued, o->time, handle, o->v[1]); break;
	case DETAIL_IO_COMPLETE:
		CALL(IoOperationComplete, o->time, handle, o->v[1], o->v[2]);
		break;
	case DETAIL_IO_CANCELLED: CALL(IoOperationCancelled, o->time, handle, o->v[1]); break;
	case DETAIL_IO_ACQUIRE_LOCK: CALL(IoAcquireLock, o->time, handle, u8(o, 1)); break;
	case DETAIL_IO_RELEASE_LOCK: CALL(IoReleaseLock, o->time, handle, u8(o, 1)); break;
	default: CALL(IoTryLock, o->time, handle, u8(o, 1)); break;
	}
}

/* The library counts a record's metrics in 8 bits. */
static void metric(const struct out *o)
{
	const struct trace *t = o->w->trace;
	OTF2_MetricValue values[UINT8_MAX];
	OTF2_Type types[UINT8_MAX];
	const struct metric_set *set;
	uint8_t n = 0;

	if (o->v[0] >= trace_metric_set_count(t))
		return;
	set = trace_metric_set(t, (uint32_t)o->v[0]);
	for (; n + 1u < o->n && n < set->n && n < UINT8_MAX; n++) {
		switch (trace_metric(t, set->metrics[n])->value) {
		case FIELD_INT: types[n] = OTF2_TYPE_INT64; break;
		case FIELD_FLOAT: types[n] = OTF2_TYPE_DOUBLE; break;
		default: types[n] = OTF2_TYPE_UINT64; break;
		}
		values[n].unsigned_int = o->v[n + 1];
	}
	CALL(Metric, o->time, o->w->metric_refs[o->v[0]], n, types, values);
}

static void program_begin(const struct out *o)
{
	uint32_t *words = xmalloc((o->n + 1) * sizeof *words);

	for (uint32_t i = 1; i < o->n; i++)
		words[i - 1] = (uint32_t)o->v[i];
	CALL(ProgramBegin, o->time, u32(o, 0), o->n - 1, words);
	free(words);
}

static void sample(const struct out *o)
{
	CALL(CallingContextSample, o->time, otf2_context_ref(o->w, u32(o, 0)), u32(o, 1),
	     object_ref(o, 2));
}

static void other(const struct out *o, enum detail_type type)
{
	switch (type) {
	case DETAIL_METRIC: metric(o); break;
	case DETAIL_PARAMETER_STRING:
		CALL(ParameterString, o->time, object_ref(o, 0), u32(o, 1));
		break;
	case DETAIL_PARAMETER_INT:
		CALL(ParameterInt, o->time, object_ref(o, 0), (int64_t)o->v[1]);
		break;
	case DETAIL_PARAMETER_UINT:
		CALL(ParameterUnsignedInt, o->time, object_ref(o, 0), o->v[1]);
		break;
	case DETAIL_PROGRAM_BEGIN: program_begin(o); break;
	case DETAIL_PROGRAM_END: CALL(ProgramEnd, o->time, (int64_t)o->v[0]); break;
	case DETAIL_COMM_CREATE: CALL(CommCreate, o->time, comm_ref(o, 0)); break;
	case DETAIL_COMM_DESTROY: CALL(CommDestroy, o->time, comm_ref(o, 0)); break;
	case DETAIL_SAMPLE: sample(o); break;
	default:
		CALL(ParameterString, o->time, otf2_record_ref(o->w, OTF2_RECORD_UNKNOWN), 0);
		break;
	}
}

void otf2_out_detail(struct otf2_writer *w, OTF2_EvtWriter *evt, const struct cut *c)
{
	const struct detail *detail = trace_detail(w->trace, what_id(c->what));
	const struct out o = { w, evt, otf2_stamp(w, c->time),
			       trace_detail_values(w->trace, detail), detail->n };
	const enum detail_type type = (enum detail_type)detail->type;

	if (type <= DETAIL_TASK_COMPLETE)
		thread(&o, type);
	else if (type <= DETAIL_RMA_OP_COMPLETE_REMOTE)
		rma(&o, type);
	else if (type >= DETAIL_IO_CREATE_HANDLE && type <= DETAIL_IO_TRY_LOCK)
		file(&o, type);
	else
		other(&o, type);
}
