/* Events that become details: threads, one-sided communication, metrics, parameters, files, programs,
 * samples. */
#include "base/mem.h"
#include "model/otf2/read/otf2_feed.h"

#define DETAIL(type, ...)                                                   \
	do {                                                                \
		const uint64_t values[] = { __VA_ARGS__ };                  \
		builder_detail(f->b, f->location, t, type, values,          \
			       (uint32_t)(sizeof values / sizeof *values)); \
	} while (0)

/* ---- what values name ---- */

static uint64_t comm_value(struct otf2_feed *f, uint32_t comm)
{
	return otf2_comm(f->a, comm) ? otf2_feed_comm(f, comm) : UINT64_MAX;
}

static uint64_t window(const struct otf2_feed *f, uint32_t id)
{
	return otf2_known(&f->a->windows, id);
}

static uint64_t remote(struct otf2_feed *f, uint32_t win, uint32_t rank)
{
	return (uint64_t)(int64_t)otf2_feed_rank(f, otf2_ids_get(&f->a->window_comms, win), rank);
}

static uint64_t handle(const struct otf2_feed *f, uint32_t id)
{
	return otf2_known(&f->a->handles, id);
}

/* ---- threads ---- */

#define ON_CONTINGENT(name, type)                                                         \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_CommRef contingent, uint64_t count) \
	{                                                                                 \
		OTF2_BEGIN_INSIDE;                                                        \
		DETAIL(type, comm_value(f, contingent), count);                           \
		OTF2_END;                                                                 \
	}

ON_CONTINGENT(on_thread_begin, DETAIL_THREAD_BEGIN)
ON_CONTINGENT(on_thread_end, DETAIL_THREAD_END)
ON_CONTINGENT(on_thread_create, DETAIL_THREAD_CREATE)
ON_CONTINGENT(on_thread_wait, DETAIL_THREAD_WAIT)

static OTF2_CallbackCode on_fork(OTF2_HEAD, OTF2_Paradigm paradigm, uint32_t threads)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_THREAD_FORK, paradigm, threads);
	OTF2_END;
}

static OTF2_CallbackCode on_join(OTF2_HEAD, OTF2_Paradigm paradigm)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_THREAD_JOIN, paradigm);
	OTF2_END;
}

static OTF2_CallbackCode on_team_begin(OTF2_HEAD, OTF2_CommRef team)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_TEAM_BEGIN, comm_value(f, team));
	OTF2_END;
}

static OTF2_CallbackCode on_team_end(OTF2_HEAD, OTF2_CommRef team)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_TEAM_END, comm_value(f, team));
	OTF2_END;
}

#define ON_LOCK(name, type)                                                             \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_Paradigm paradigm, uint32_t lock, \
				      uint32_t order)                                   \
	{                                                                               \
		OTF2_BEGIN_INSIDE;                                                      \
		DETAIL(type, paradigm, lock, order);                                    \
		OTF2_END;                                                               \
	}

ON_LOCK(on_acquire_lock, DETAIL_LOCK_ACQUIRE)
ON_LOCK(on_release_lock, DETAIL_LOCK_RELEASE)

#define ON_TASK(name, type)                                                           \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_CommRef team, uint32_t creator, \
				      uint32_t generation)                            \
	{                                                                             \
		OTF2_BEGIN_INSIDE;                                                    \
		DETAIL(type, comm_value(f, team), creator, generation);               \
		OTF2_END;                                                             \
	}

ON_TASK(on_task_create, DETAIL_TASK_CREATE)
ON_TASK(on_task_switch, DETAIL_TASK_SWITCH)
ON_TASK(on_task_complete, DETAIL_TASK_COMPLETE)

/* OpenMP's events of OTF2 before version 1.2. */

static OTF2_CallbackCode on_omp_fork(OTF2_HEAD, uint32_t threads)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_THREAD_FORK, OTF2_PARADIGM_OPENMP, threads);
	OTF2_END;
}

static OTF2_CallbackCode on_omp_join(OTF2_HEAD)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_THREAD_JOIN, OTF2_PARADIGM_OPENMP);
	OTF2_END;
}

#define ON_OMP_LOCK(name, type)                                                 \
	static OTF2_CallbackCode name(OTF2_HEAD, uint32_t lock, uint32_t order) \
	{                                                                       \
		OTF2_BEGIN_INSIDE;                                              \
		DETAIL(type, OTF2_PARADIGM_OPENMP, lock, order);                \
		OTF2_END;                                                       \
	}

ON_OMP_LOCK(on_omp_acquire_lock, DETAIL_LOCK_ACQUIRE)
ON_OMP_LOCK(on_omp_release_lock, DETAIL_LOCK_RELEASE)

#define ON_OMP_TASK(name, type)                                 \
	static OTF2_CallbackCode name(OTF2_HEAD, uint64_t task) \
	{                                                       \
		OTF2_BEGIN_INSIDE;                              \
		DETAIL(type, UINT64_MAX, 0, task);              \
		OTF2_END;                                       \
	}

ON_OMP_TASK(on_omp_task_create, DETAIL_TASK_CREATE)
ON_OMP_TASK(on_omp_task_switch, DETAIL_TASK_SWITCH)
ON_OMP_TASK(on_omp_task_complete, DETAIL_TASK_COMPLETE)

/* ---- one-sided communication ---- */

#define ON_WINDOW(name, type)                                        \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_RmaWinRef win) \
	{                                                            \
		OTF2_BEGIN_INSIDE;                                   \
		DETAIL(type, window(f, win));                        \
		OTF2_END;                                            \
	}

ON_WINDOW(on_win_create, DETAIL_RMA_WIN_CREATE)
ON_WINDOW(on_win_destroy, DETAIL_RMA_WIN_DESTROY)
ON_WINDOW(on_wait_change, DETAIL_RMA_WAIT_CHANGE)

static OTF2_CallbackCode on_rma_collective_begin(OTF2_HEAD)
{
	OTF2_BEGIN_INSIDE;
	builder_detail(f->b, f->location, t, DETAIL_RMA_COLLECTIVE_BEGIN, NULL, 0);
	OTF2_END;
}

static OTF2_CallbackCode on_rma_collective_end(OTF2_HEAD, OTF2_CollectiveOp operation,
					       OTF2_RmaSyncLevel level, OTF2_RmaWinRef win,
					       uint32_t root, uint64_t sent, uint64_t received)
{
	OTF2_BEGIN_INSIDE;
	const uint32_t comm = otf2_ids_get(&f->a->window_comms, win);
	DETAIL(DETAIL_RMA_COLLECTIVE_END, operation, level, window(f, win),
	       (uint64_t)(int64_t)otf2_feed_root(f, comm, root), sent, received);
	OTF2_END;
}

static OTF2_CallbackCode on_group_sync(OTF2_HEAD, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win,
				       OTF2_GroupRef group)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_RMA_GROUP_SYNC, level, window(f, win), otf2_known(&f->a->groups, group));
	OTF2_END;
}

#define ON_RMA_LOCK(name, kind)                                                                    \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_RmaWinRef win, uint32_t rank, uint64_t lock, \
				      OTF2_LockType type)                                          \
	{                                                                                          \
		OTF2_BEGIN_INSIDE;                                                                 \
		DETAIL(kind, window(f, win), remote(f, win, rank), lock, type);                    \
		OTF2_END;                                                                          \
	}

ON_RMA_LOCK(on_rma_request_lock, DETAIL_RMA_REQUEST_LOCK)
ON_RMA_LOCK(on_rma_acquire_lock, DETAIL_RMA_ACQUIRE_LOCK)
ON_RMA_LOCK(on_rma_try_lock, DETAIL_RMA_TRY_LOCK)

static OTF2_CallbackCode on_rma_release_lock(OTF2_HEAD, OTF2_RmaWinRef win, uint32_t rank,
					     uint64_t lock)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_RMA_RELEASE_LOCK, window(f, win), remote(f, win, rank), lock);
	OTF2_END;
}

static OTF2_CallbackCode on_rma_sync(OTF2_HEAD, OTF2_RmaWinRef win, uint32_t rank,
				     OTF2_RmaSyncType type)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_RMA_SYNC, window(f, win), remote(f, win, rank), type);
	OTF2_END;
}

#define ON_RMA_MOVE(name, type)                                                      \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_RmaWinRef win, uint32_t rank,  \
				      uint64_t bytes, uint64_t matching)             \
	{                                                                            \
		OTF2_BEGIN_INSIDE;                                                   \
		DETAIL(type, window(f, win), remote(f, win, rank), bytes, matching); \
		OTF2_END;                                                            \
	}

ON_RMA_MOVE(on_put, DETAIL_RMA_PUT)
ON_RMA_MOVE(on_get, DETAIL_RMA_GET)

static OTF2_CallbackCode on_atomic(OTF2_HEAD, OTF2_RmaWinRef win, uint32_t rank,
				   OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
				   uint64_t matching)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_RMA_ATOMIC, window(f, win), remote(f, win, rank), type, sent, received,
	       matching);
	OTF2_END;
}

#define ON_RMA_DONE(name, type)                                                         \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_RmaWinRef win, uint64_t matching) \
	{                                                                               \
		OTF2_BEGIN_INSIDE;                                                      \
		DETAIL(type, window(f, win), matching);                                 \
		OTF2_END;                                                               \
	}

ON_RMA_DONE(on_complete_blocking, DETAIL_RMA_OP_COMPLETE_BLOCKING)
ON_RMA_DONE(on_complete_non_blocking, DETAIL_RMA_OP_COMPLETE_NON_BLOCKING)
ON_RMA_DONE(on_op_test, DETAIL_RMA_OP_TEST)
ON_RMA_DONE(on_complete_remote, DETAIL_RMA_OP_COMPLETE_REMOTE)

/* ---- metrics, parameters ---- */

static OTF2_CallbackCode on_metric(OTF2_HEAD, OTF2_MetricRef metric, uint8_t n,
				   const OTF2_Type *types, const OTF2_MetricValue *metrics)
{
	OTF2_BEGIN_INSIDE;
	const uint32_t set = otf2_ids_get(&f->a->metric_sets, metric);
	uint64_t values[1 + UINT8_MAX];

	(void)types;
	if (set == UINT32_MAX || f->a->set_sizes.data[set] != n) {
		builder_finding(f->b, FINDING_DAMAGE, "metric-values", 0,
				"values of metrics that are not defined, or not as many: passed "
				"over");
		return OTF2_CALLBACK_SUCCESS;
	}
	values[0] = set;
	for (uint8_t i = 0; i < n; i++)
		values[1 + i] = metrics[i].unsigned_int;
	builder_detail(f->b, f->location, t, DETAIL_METRIC, values, 1u + n);
	OTF2_END;
}

static OTF2_CallbackCode on_parameter_string(OTF2_HEAD, OTF2_ParameterRef parameter,
					     OTF2_StringRef string)
{
	OTF2_BEGIN_INSIDE;

	if (f->a->own && otf2_own_record(f, t, &f->own, parameter, string))
		return otf2_feed_attributes(f, list);
	DETAIL(DETAIL_PARAMETER_STRING, otf2_known(&f->a->parameters, parameter),
	       otf2_string(f->a, string));
	OTF2_END;
}

static OTF2_CallbackCode on_parameter_int(OTF2_HEAD, OTF2_ParameterRef parameter, int64_t value)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_PARAMETER_INT, otf2_known(&f->a->parameters, parameter), (uint64_t)value);
	OTF2_END;
}

static OTF2_CallbackCode on_parameter_uint(OTF2_HEAD, OTF2_ParameterRef parameter, uint64_t value)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_PARAMETER_UINT, otf2_known(&f->a->parameters, parameter), value);
	OTF2_END;
}

/* ---- files ---- */

static OTF2_CallbackCode on_create_handle(OTF2_HEAD, OTF2_IoHandleRef h, OTF2_IoAccessMode mode,
					  OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_IO_CREATE_HANDLE, handle(f, h), mode, creation, status);
	OTF2_END;
}

static OTF2_CallbackCode on_destroy_handle(OTF2_HEAD, OTF2_IoHandleRef h)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_IO_DESTROY_HANDLE, handle(f, h));
	OTF2_END;
}

static OTF2_CallbackCode on_duplicate_handle(OTF2_HEAD, OTF2_IoHandleRef from, OTF2_IoHandleRef to,
					     OTF2_IoStatusFlag status)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_IO_DUPLICATE_HANDLE, handle(f, from), handle(f, to), status);
	OTF2_END;
}

static OTF2_CallbackCode on_seek(OTF2_HEAD, OTF2_IoHandleRef h, int64_t request,
				 OTF2_IoSeekOption whence, uint64_t result)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_IO_SEEK, handle(f, h), (uint64_t)request, whence, result);
	OTF2_END;
}

static OTF2_CallbackCode on_change_status(OTF2_HEAD, OTF2_IoHandleRef h, OTF2_IoStatusFlag status)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_IO_CHANGE_STATUS_FLAGS, handle(f, h), status);
	OTF2_END;
}

static OTF2_CallbackCode on_delete_file(OTF2_HEAD, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_IO_DELETE_FILE, otf2_known(&f->a->io_paradigms, paradigm),
	       otf2_known(&f->a->files, file));
	OTF2_END;
}

static OTF2_CallbackCode on_io_begin(OTF2_HEAD, OTF2_IoHandleRef h, OTF2_IoOperationMode mode,
				     OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t matching)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_IO_BEGIN, handle(f, h), mode, flags, bytes, matching);
	OTF2_END;
}

#define ON_IO(name, type)                                                               \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_IoHandleRef h, uint64_t matching) \
	{                                                                               \
		OTF2_BEGIN_INSIDE;                                                      \
		DETAIL(type, handle(f, h), matching);                                   \
		OTF2_END;                                                               \
	}

ON_IO(on_io_test, DETAIL_IO_TEST)
ON_IO(on_io_issued, DETAIL_IO_ISSUED)
ON_IO(on_io_cancelled, DETAIL_IO_CANCELLED)

static OTF2_CallbackCode on_io_complete(OTF2_HEAD, OTF2_IoHandleRef h, uint64_t bytes,
					uint64_t matching)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_IO_COMPLETE, handle(f, h), bytes, matching);
	OTF2_END;
}

#define ON_IO_LOCK(name, kind)                                                           \
	static OTF2_CallbackCode name(OTF2_HEAD, OTF2_IoHandleRef h, OTF2_LockType type) \
	{                                                                                \
		OTF2_BEGIN_INSIDE;                                                       \
		DETAIL(kind, handle(f, h), type);                                        \
		OTF2_END;                                                                \
	}

ON_IO_LOCK(on_io_acquire_lock, DETAIL_IO_ACQUIRE_LOCK)
ON_IO_LOCK(on_io_release_lock, DETAIL_IO_RELEASE_LOCK)
ON_IO_LOCK(on_io_try_lock, DETAIL_IO_TRY_LOCK)

/* ---- the rest ---- */

static OTF2_CallbackCode on_program_begin(OTF2_HEAD, OTF2_StringRef program, uint32_t n,
					  const OTF2_StringRef *arguments)
{
	OTF2_BEGIN_INSIDE;
	uint64_t *values = xmalloc(((size_t)n + 1) * sizeof *values);

	values[0] = otf2_string(f->a, program);
	for (uint32_t i = 0; i < n; i++)
		values[1 + i] = otf2_string(f->a, arguments[i]);
	builder_detail(f->b, f->location, t, DETAIL_PROGRAM_BEGIN, values, n + 1);
	free(values);
	OTF2_END;
}

static OTF2_CallbackCode on_program_end(OTF2_HEAD, int64_t status)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_PROGRAM_END, (uint64_t)status);
	OTF2_END;
}

static OTF2_CallbackCode on_comm_create(OTF2_HEAD, OTF2_CommRef comm)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_COMM_CREATE, comm_value(f, comm));
	OTF2_END;
}

static OTF2_CallbackCode on_comm_destroy(OTF2_HEAD, OTF2_CommRef comm)
{
	OTF2_BEGIN_INSIDE;
	DETAIL(DETAIL_COMM_DESTROY, comm_value(f, comm));
	OTF2_END;
}

static OTF2_CallbackCode on_sample(OTF2_HEAD, OTF2_CallingContextRef context, uint32_t unwind,
				   OTF2_InterruptGeneratorRef generator)
{
	OTF2_BEGIN_INSIDE;
	const uint32_t row = otf2_ids_get(&f->a->context_ids, context);

	if (row == UINT32_MAX && !f->a->wants_spare)
		return otf2_feed_spare(f);
	DETAIL(DETAIL_SAMPLE, row == UINT32_MAX ? f->a->spare_site : f->a->contexts.data[row].site,
	       unwind, otf2_known(&f->a->generators, generator));
	OTF2_END;
}

static OTF2_CallbackCode on_unknown(OTF2_HEAD)
{
	OTF2_BEGIN_INSIDE;
	builder_finding(f->b, FINDING_ODDITY, "record-unknown", 0,
			"an event of a kind that OTF2 3.0 does not know");
	builder_detail(f->b, f->location, t, DETAIL_UNKNOWN, NULL, 0);
	OTF2_END;
}

/* ---- all ---- */

#define SET(name, function) OTF2_EvtReaderCallbacks_Set##name##Callback(c, function)

static void set_threads(OTF2_EvtReaderCallbacks *c)
{
	SET(ThreadBegin, on_thread_begin);
	SET(ThreadEnd, on_thread_end);
	SET(ThreadCreate, on_thread_create);
	SET(ThreadWait, on_thread_wait);
	SET(ThreadFork, on_fork);
	SET(ThreadJoin, on_join);
	SET(ThreadTeamBegin, on_team_begin);
	SET(ThreadTeamEnd, on_team_end);
	SET(ThreadAcquireLock, on_acquire_lock);
	SET(ThreadReleaseLock, on_release_lock);
	SET(ThreadTaskCreate, on_task_create);
	SET(ThreadTaskSwitch, on_task_switch);
	SET(ThreadTaskComplete, on_task_complete);
	SET(OmpFork, on_omp_fork);
	SET(OmpJoin, on_omp_join);
	SET(OmpAcquireLock, on_omp_acquire_lock);
	SET(OmpReleaseLock, on_omp_release_lock);
	SET(OmpTaskCreate, on_omp_task_create);
	SET(OmpTaskSwitch, on_omp_task_switch);
	SET(OmpTaskComplete, on_omp_task_complete);
}

static void set_rma(OTF2_EvtReaderCallbacks *c)
{
	SET(RmaWinCreate, on_win_create);
	SET(RmaWinDestroy, on_win_destroy);
	SET(RmaCollectiveBegin, on_rma_collective_begin);
	SET(RmaCollectiveEnd, on_rma_collective_end);
	SET(RmaGroupSync, on_group_sync);
	SET(RmaRequestLock, on_rma_request_lock);
	SET(RmaAcquireLock, on_rma_acquire_lock);
	SET(RmaTryLock, on_rma_try_lock);
	SET(RmaReleaseLock, on_rma_release_lock);
	SET(RmaSync, on_rma_sync);
	SET(RmaWaitChange, on_wait_change);
	SET(RmaPut, on_put);
	SET(RmaGet, on_get);
	SET(RmaAtomic, on_atomic);
	SET(RmaOpCompleteBlocking, on_complete_blocking);
	SET(RmaOpCompleteNonBlocking, on_complete_non_blocking);
	SET(RmaOpTest, on_op_test);
	SET(RmaOpCompleteRemote, on_complete_remote);
}

static void set_io(OTF2_EvtReaderCallbacks *c)
{
	SET(IoCreateHandle, on_create_handle);
	SET(IoDestroyHandle, on_destroy_handle);
	SET(IoDuplicateHandle, on_duplicate_handle);
	SET(IoSeek, on_seek);
	SET(IoChangeStatusFlags, on_change_status);
	SET(IoDeleteFile, on_delete_file);
	SET(IoOperationBegin, on_io_begin);
	SET(IoOperationTest, on_io_test);
	SET(IoOperationIssued, on_io_issued);
	SET(IoOperationComplete, on_io_complete);
	SET(IoOperationCancelled, on_io_cancelled);
	SET(IoAcquireLock, on_io_acquire_lock);
	SET(IoReleaseLock, on_io_release_lock);
	SET(IoTryLock, on_io_try_lock);
}

void otf2_details_callbacks(OTF2_EvtReaderCallbacks *c)
{
	set_threads(c);
	set_rma(c);
	set_io(c);
	SET(Metric, on_metric);
	SET(ParameterString, on_parameter_string);
	SET(ParameterInt, on_parameter_int);
	SET(ParameterUnsignedInt, on_parameter_uint);
	SET(ProgramBegin, on_program_begin);
	SET(ProgramEnd, on_program_end);
	SET(CommCreate, on_comm_create);
	SET(CommDestroy, on_comm_destroy);
	SET(CallingContextSample, on_sample);
	SET(Unknown, on_unknown);
}
