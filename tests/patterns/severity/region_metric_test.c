/* Classes of regions: the table of section 6.2a with the correction C4. The roles are those that
 * Score-P 7.1 gives the functions in the archives of traces/otf2. */
#include <string.h>

#include "harness/test.h"
#include "model/build/builder.h"
#include "patterns/severity/region_metric.h"

enum { NONE = 0, OPENMP = 3, MPI = 4, PTHREAD = 7, CUDA = 5, USER = 1, MEASUREMENT = 6 };

enum { NAMES_MOST = 64 };

/* Regions of a trace, alike but for their names. */
struct regions {
	struct trace *t;
	uint32_t id[NAMES_MOST], n;
};

static struct regions regions_of(const char *names, struct region like)
{
	struct builder *b = builder_new("test.trc", &units_nanoseconds, NULL);
	struct regions r = { .n = 0 };

	for (size_t length; *names; names += length + (names[length] == ',')) {
		length = strcspn(names, ",");
		like.name = builder_string(b, names, length);
		r.id[r.n++] = builder_region_define(b, &like);
	}
	r.t = builder_finish(b, NULL, NULL, NULL);
	assert_non_null(r.t);
	return r;
}

static void regions_fini(struct regions *r)
{
	trace_free(r->t);
}

/* Names of regions that have the rest in common, "," between them. */
static const struct row {
	enum region_class cls;
	uint8_t role, paradigm;
	int32_t picl;
	enum cube_metric metric;
	enum call_kind call;
	const char *names;
} rows[] = {
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_INIT_EXIT, CALL_INIT, "MPI_Init,MPI_Init_thread" },
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_INIT_EXIT, CALL_OTHER, "MPI_Initialized" },
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_INIT_EXIT, CALL_FINALIZE, "MPI_Finalize" },
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER,
	  "MPI_Cart_create,MPI_Cartdim_get,MPI_Comm_rank,MPI_Comm_test_inter,"
	  "MPI_Dims_create,MPI_Dist_graph_create,MPI_Intercomm_merge,MPI_Lookup_name" },
	{ CLASS_IO, 38, MPI, 1, CUBE_MPI_MGMT_FILE, CALL_OTHER, "MPI_File_open" },
	{ CLASS_IO, 27, MPI, 1, CUBE_MPI_MGMT_FILE, CALL_OTHER, "MPI_File_sync" },
	{ CLASS_IO, 38, MPI, 1, CUBE_MPI_MGMT_FILE, CALL_OTHER, "MPI_File_seek_shared" },
	{ CLASS_IO, 1, MPI, 1, CUBE_MPI_MGMT_FILE, CALL_OTHER, "MPI_File_set_view" },
	{ CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER,
	  "MPI_File_read,MPI_File_iwrite_at,MPI_File_write_shared" },
	{ CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_COLLECTIVE, CALL_OTHER,
	  "MPI_File_read_all,MPI_File_write_at_all_begin,MPI_File_read_ordered_end,"
	  "MPI_File_iwrite_all" },
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_WIN, CALL_OTHER, "MPI_Win_create" },
	{ CLASS_MPI_OTHER, 35, MPI, 1, CUBE_MPI_MGMT_WIN, CALL_OTHER, "MPI_Win_allocate_shared" },
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_WIN, CALL_OTHER,
	  "MPI_Win_free,MPI_Win_get_group" },
	{ CLASS_SYNC, 1, MPI, 1, CUBE_MPI_RMA_SYNC_ACTIVE, CALL_OTHER,
	  "MPI_Win_fence,MPI_Win_wait,MPI_Win_test" },
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_RMA_SYNC_PASSIVE, CALL_OTHER,
	  "MPI_Win_lock_all,MPI_Win_flush_local_all,MPI_Win_sync" },
	{ CLASS_SYNC, 15, MPI, 1, CUBE_MPI_SYNC_COLLECTIVE, CALL_COLLECTIVE, "MPI_Barrier" },
	{ CLASS_COLLECTIVE, 15, MPI, 1, CUBE_MPI_SYNC_COLLECTIVE, CALL_OTHER, "MPI_Ibarrier" },
	{ CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_SEND, "MPI_Send,MPI_Ssend" },
	{ CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_SEND_LOCAL, "MPI_Bsend,MPI_Irsend" },
	{ CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_RECV, "MPI_Recv,MPI_Mrecv" },
	{ CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_POST, "MPI_Irecv" },
	{ CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_OTHER, "MPI_Recv_init" },
	{ CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_SENDRECV, "MPI_Sendrecv_replace" },
	{ CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_PEEK, "MPI_Iprobe" },
	/* by name: their role is plain function */
	{ CLASS_P2P, 1, MPI, 1, CUBE_MPI_POINT2POINT, CALL_WAIT, "MPI_Wait,MPI_Waitany" },
	{ CLASS_P2P, 1, MPI, 1, CUBE_MPI_POINT2POINT, CALL_WAITALL, "MPI_Waitall,MPI_Waitsome" },
	{ CLASS_P2P, 1, MPI, 1, CUBE_MPI_POINT2POINT, CALL_TEST, "MPI_Testsome" },
	/* in no class (C4) */
	{ CLASS_P2P, 1, MPI, 1, CUBE_MPI, CALL_POST, "MPI_Start" },
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI, CALL_OTHER, "MPI_Test_cancelled" },
	{ CLASS_P2P, 1, MPI, 1, CUBE_MPI, CALL_OTHER,
	  "MPI_Buffer_attach,MPI_Cancel,MPI_Request_get_status" },
	{ CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI, CALL_OTHER,
	  "MPI_Get_library_version,MPI_Group_incl,MPI_Reduce_local" },
	{ CLASS_COLLECTIVE, 23, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE, "MPI_Bcast" },
	{ CLASS_COLLECTIVE, 25, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE, "MPI_Alltoallw" },
	{ CLASS_COLLECTIVE, 26, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE, "MPI_Exscan" },
	{ CLASS_COLLECTIVE, 25, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_OTHER, "MPI_Iallreduce" },
	{ CLASS_COLLECTIVE, 25, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE,
	  "MPI_Neighbor_alltoall" },
	{ CLASS_MPI_OTHER, 29, MPI, 1, CUBE_MPI_RMA_COMMUNICATION, CALL_OTHER, "MPI_Put,MPI_Rget" },
	{ CLASS_MPI_OTHER, 14, MPI, 1, CUBE_MPI_RMA_COMMUNICATION, CALL_OTHER,
	  "MPI_Compare_and_swap" },
	/* other spellings */
	{ CLASS_P2P, 1, USER, 1, CUBE_MPI_POINT2POINT, CALL_SEND, "mpi_send_" },
	{ CLASS_P2P, 1, USER, 1, CUBE_MPI_POINT2POINT, CALL_WAITALL, "mpi_waitall__" },
	{ CLASS_P2P, 0, NONE, 1, CUBE_MPI_POINT2POINT, CALL_RECV, "PMPI_Recv" },
	{ CLASS_COLLECTIVE, 0, NONE, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE, "MPI_ALLREDUCE" },
	{ CLASS_USER, 0, NONE, 1, CUBE_COMP, CALL_OTHER, "MPI_ALLREDUCE,mpi_kernel" },
	{ CLASS_USER, 1, 2, 1, CUBE_COMP, CALL_OTHER, "mpi_util::f" },
	{ CLASS_MPI_OTHER, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_OTHER, "MPI_Frobnicate" },
	{ CLASS_USER, 1, 2, 1, CUBE_COMP, CALL_OTHER, "mpirun_helper" },
	/* PICL before MPI */
	{ CLASS_P2P, 0, NONE, -21, CUBE_MPI_POINT2POINT, CALL_SEND, "send0" },
	{ CLASS_P2P, 0, NONE, -51, CUBE_MPI_POINT2POINT, CALL_RECV, "recv0" },
	{ CLASS_P2P, 0, NONE, -57, CUBE_MPI_POINT2POINT, CALL_POST, "recvbegin0" },
	{ CLASS_P2P, 0, NONE, -60, CUBE_MPI_POINT2POINT, CALL_WAIT, "recvend0" },
	{ CLASS_P2P, 0, NONE, -58, CUBE_MPI_POINT2POINT, CALL_TEST, "recvstatus0" },
	{ CLASS_SYNC, 0, NONE, -402, CUBE_MPI_SYNC_COLLECTIVE, CALL_COLLECTIVE, "sync0" },
	{ CLASS_IO, 0, NONE, -251, CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER, "file read" },
	{ CLASS_USER, 0, NONE, 12, CUBE_COMP, CALL_OTHER, "send0" },
	{ CLASS_OVERHEAD, 0, NONE, -901, CUBE_OVERHEAD, CALL_OTHER, "tracenode" },
	{ CLASS_OVERHEAD, 31, MEASUREMENT, 1, CUBE_OVERHEAD, CALL_OTHER, "TRACE BUFFER FLUSH" },
	/* threads */
	{ CLASS_USER, 5, OPENMP, 1, CUBE_COMP, CALL_OTHER, "!$omp parallel @a.c:3" },
	{ CLASS_USER, 3, OPENMP, 1, CUBE_COMP, CALL_OTHER, "!$omp for @a.c:3" },
	{ CLASS_SYNC, 15, OPENMP, 1, CUBE_OMP_EBARRIER, CALL_OTHER, "!$omp barrier @a.c:3" },
	{ CLASS_SYNC, 16, OPENMP, 1, CUBE_OMP_IBARRIER, CALL_OTHER,
	  "!$omp implicit barrier @a.c:3" },
	{ CLASS_SYNC, 0, NONE, 2, CUBE_OMP_IBARRIER, CALL_OTHER, "!$omp implicit barrier @a.c:3" },
	{ CLASS_SYNC, 12, OPENMP, 1, CUBE_OMP_CRITICAL, CALL_OTHER, "!$omp critical @a.c:3" },
	{ CLASS_USER, 13, OPENMP, 1, CUBE_COMP, CALL_OTHER, "!$omp critical sblock @a.c:3" },
	{ CLASS_USER, 18, OPENMP, 1, CUBE_OMP_ORDERED, CALL_OTHER, "!$omp ordered @a.c:3" },
	{ CLASS_SYNC, 22, OPENMP, 1, CUBE_OMP_TASKWAIT, CALL_OTHER, "!$omp taskwait @a.c:3" },
	{ CLASS_SYNC, 17, OPENMP, 1, CUBE_OMP_FLUSH, CALL_OTHER, "!$omp flush @a.c:3" },
	{ CLASS_SYNC, 1, OPENMP, 1, CUBE_OMP_LOCK_API, CALL_OTHER, "omp_set_lock" },
	{ CLASS_USER, 1, OPENMP, 1, CUBE_OMP_TIME, CALL_OTHER, "omp_get_num_threads" },
	{ CLASS_USER, 32, PTHREAD, 1, CUBE_PTHREAD_MANAGEMENT, CALL_OTHER, "pthread_create" },
	{ CLASS_SYNC, 33, PTHREAD, 1, CUBE_PTHREAD_MANAGEMENT, CALL_OTHER, "pthread_join" },
	{ CLASS_SYNC, 2, PTHREAD, 1, CUBE_PTHREAD_LOCK_API, CALL_OTHER, "pthread_mutex_lock" },
	{ CLASS_SYNC, 2, PTHREAD, 1, CUBE_PTHREAD_CONDITIONAL, CALL_OTHER, "pthread_cond_wait" },
	{ CLASS_SYNC, 2, CUDA, 1, CUBE_EXECUTION, CALL_DEVICE, "cudaDeviceSynchronize" },
	{ CLASS_USER, 1, 2, 1, CUBE_COMP, CALL_OTHER, "solve" },
};

TEST(a_region_has_its_metric_and_its_kind)
{
	for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
		const struct region like = { .picl = row->picl,
					     .cls = (uint8_t)row->cls,
					     .role = row->role,
					     .paradigm = row->paradigm };
		ENDED_BY(regions_fini) struct regions r = regions_of(row->names, like);
		for (uint32_t i = 0; i < r.n; i++) {
			const enum cube_metric metric = region_metric(r.t, r.id[i]);
			const enum call_kind call = region_call(r.t, r.id[i]);
			if (metric != row->metric || call != row->call)
				fail_msg("%s: %s, kind %d", trace_region_name(r.t, r.id[i]),
					 cube_metric_info(metric)->name, (int)call);
		}
	}
}

/* Operations and synchronisations are counted by the visits of their calls (6.6). */
TEST(calls_are_counted_by_what_they_do)
{
	static const struct {
		enum cube_metric counter;
		const char *names;
	} list[] = {
		{ CUBE_COMMS_RMA_PUTS, "MPI_Put,MPI_Rput" },
		{ CUBE_COMMS_RMA_GETS, "MPI_Rget" },
		{ CUBE_COMMS_RMA_ATOMICS, "MPI_Get_accumulate,MPI_Fetch_and_op" },
		{ CUBE_SYNCS_RMA_ACTIVE, "MPI_Win_fence" },
		{ CUBE_SYNCS_RMA_PASSIVE, "MPI_Win_unlock_all" },
		{ CUBE_NONE, "MPI_Win_create,MPI_File_open,MPI_Send,put" },
		{ CUBE_MPI_FILE_IROPS, "MPI_File_read_at" },
		{ CUBE_MPI_FILE_IWOPS, "MPI_File_iwrite_shared" },
		{ CUBE_MPI_FILE_CROPS, "MPI_File_read_ordered" },
		{ CUBE_MPI_FILE_CWOPS, "mpi_file_write_all_" },
	};

	for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
		const struct region like = { .cls = CLASS_IO, .picl = 100 };
		ENDED_BY(regions_fini) struct regions r = regions_of(list[k].names, like);
		for (uint32_t i = 0; i < r.n; i++)
			assert_int_equal(region_counter(r.t, r.id[i]), list[k].counter);
	}
}

TEST(an_operation_has_its_class)
{
	static const struct {
		enum logical_class cls;
		const char *names;
	} list[] = {
		{ LOGICAL_BARRIER, "MPI_Barrier,MPI_Ibarrier" },
		{ LOGICAL_ONE_TO_N, "mpi_iscatterv_" },
		{ LOGICAL_N_TO_ONE, "MPI_Ireduce" },
		{ LOGICAL_N_TO_N, "MPI_Ireduce_scatter_block" },
		{ LOGICAL_PREFIX, "MPI_Iexscan" },
		{ LOGICAL_CLASSES, "MPI_Alltoallv,MPI_Ialltoallw,MPI_Comm_split" },
		{ LOGICAL_NEIGHBOURS, "MPI_Ineighbor_alltoall,MPI_Neighbor_allgatherv" },
	};

	for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
		const struct region like = { .cls = CLASS_COLLECTIVE, .picl = 100 };
		ENDED_BY(regions_fini) struct regions r = regions_of(list[k].names, like);
		for (uint32_t i = 0; i < r.n; i++)
			assert_int_equal(logical_class_of(r.t, r.id[i]), list[k].cls);
	}
}
