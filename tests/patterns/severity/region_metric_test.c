/* Classes of regions: the table of section 6.2a with the correction C4. The roles are those that
 * Score-P 7.1 gives the functions in the archives of traces/otf2. */
#include <string.h>

#include "harness/test.h"
#include "model/build/builder.h"
#include "patterns/severity/region_metric.h"

enum { NONE = 0, OPENMP = 3, MPI = 4, PTHREAD = 7, CUDA = 5, USER = 1, MEASUREMENT = 6 };

static const struct row {
	const char *name;
	uint8_t cls, role, paradigm;
	int32_t picl;
	enum cube_metric metric;
	enum call_kind call;
} rows[] = {
	{ "MPI_Init", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_INIT_EXIT, CALL_INIT },
	{ "MPI_Init_thread", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_INIT_EXIT, CALL_INIT },
	{ "MPI_Initialized", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_INIT_EXIT, CALL_OTHER },
	{ "MPI_Finalize", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_INIT_EXIT, CALL_FINALIZE },
	{ "MPI_Cart_create", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER },
	{ "MPI_Cartdim_get", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER },
	{ "MPI_Comm_rank", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER },
	{ "MPI_Comm_test_inter", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER },
	{ "MPI_Dims_create", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER },
	{ "MPI_Dist_graph_create", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER },
	{ "MPI_Intercomm_merge", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER },
	{ "MPI_Lookup_name", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_COMM, CALL_OTHER },
	{ "MPI_File_open", CLASS_IO, 38, MPI, 1, CUBE_MPI_MGMT_FILE, CALL_OTHER },
	{ "MPI_File_sync", CLASS_IO, 27, MPI, 1, CUBE_MPI_MGMT_FILE, CALL_OTHER },
	{ "MPI_File_seek_shared", CLASS_IO, 38, MPI, 1, CUBE_MPI_MGMT_FILE, CALL_OTHER },
	{ "MPI_File_set_view", CLASS_IO, 1, MPI, 1, CUBE_MPI_MGMT_FILE, CALL_OTHER },
	{ "MPI_File_read", CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER },
	{ "MPI_File_iwrite_at", CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER },
	{ "MPI_File_write_shared", CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER },
	{ "MPI_File_read_all", CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_COLLECTIVE, CALL_OTHER },
	{ "MPI_File_write_at_all_begin", CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_COLLECTIVE, CALL_OTHER },
	{ "MPI_File_read_ordered_end", CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_COLLECTIVE, CALL_OTHER },
	{ "MPI_File_iwrite_all", CLASS_IO, 27, MPI, 1, CUBE_MPI_IO_COLLECTIVE, CALL_OTHER },
	{ "MPI_Win_create", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_WIN, CALL_OTHER },
	{ "MPI_Win_allocate_shared", CLASS_MPI_OTHER, 35, MPI, 1, CUBE_MPI_MGMT_WIN, CALL_OTHER },
	{ "MPI_Win_free", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_WIN, CALL_OTHER },
	{ "MPI_Win_get_group", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_MGMT_WIN, CALL_OTHER },
	{ "MPI_Win_fence", CLASS_SYNC, 1, MPI, 1, CUBE_MPI_RMA_SYNC_ACTIVE, CALL_OTHER },
	{ "MPI_Win_wait", CLASS_SYNC, 1, MPI, 1, CUBE_MPI_RMA_SYNC_ACTIVE, CALL_OTHER },
	{ "MPI_Win_test", CLASS_SYNC, 1, MPI, 1, CUBE_MPI_RMA_SYNC_ACTIVE, CALL_OTHER },
	{ "MPI_Win_lock_all", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_RMA_SYNC_PASSIVE, CALL_OTHER },
	{ "MPI_Win_flush_local_all", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_RMA_SYNC_PASSIVE,
	  CALL_OTHER },
	{ "MPI_Win_sync", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI_RMA_SYNC_PASSIVE, CALL_OTHER },
	{ "MPI_Barrier", CLASS_SYNC, 15, MPI, 1, CUBE_MPI_SYNC_COLLECTIVE, CALL_COLLECTIVE },
	{ "MPI_Ibarrier", CLASS_COLLECTIVE, 15, MPI, 1, CUBE_MPI_SYNC_COLLECTIVE, CALL_OTHER },
	{ "MPI_Send", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_SEND },
	{ "MPI_Ssend", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_SEND },
	{ "MPI_Bsend", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_SEND_LOCAL },
	{ "MPI_Irsend", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_SEND_LOCAL },
	{ "MPI_Recv", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_RECV },
	{ "MPI_Mrecv", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_RECV },
	{ "MPI_Irecv", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_POST },
	{ "MPI_Recv_init", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_OTHER },
	{ "MPI_Sendrecv_replace", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_SENDRECV },
	{ "MPI_Iprobe", CLASS_P2P, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_OTHER },
	/* by name: their role is plain function */
	{ "MPI_Wait", CLASS_P2P, 1, MPI, 1, CUBE_MPI_POINT2POINT, CALL_WAIT },
	{ "MPI_Waitany", CLASS_P2P, 1, MPI, 1, CUBE_MPI_POINT2POINT, CALL_WAIT },
	{ "MPI_Waitall", CLASS_P2P, 1, MPI, 1, CUBE_MPI_POINT2POINT, CALL_WAITALL },
	{ "MPI_Waitsome", CLASS_P2P, 1, MPI, 1, CUBE_MPI_POINT2POINT, CALL_WAITALL },
	{ "MPI_Testsome", CLASS_P2P, 1, MPI, 1, CUBE_MPI_POINT2POINT, CALL_TEST },
	/* in no class (C4) */
	{ "MPI_Start", CLASS_P2P, 1, MPI, 1, CUBE_MPI, CALL_POST },
	{ "MPI_Test_cancelled", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI, CALL_OTHER },
	{ "MPI_Buffer_attach", CLASS_P2P, 1, MPI, 1, CUBE_MPI, CALL_OTHER },
	{ "MPI_Cancel", CLASS_P2P, 1, MPI, 1, CUBE_MPI, CALL_OTHER },
	{ "MPI_Request_get_status", CLASS_P2P, 1, MPI, 1, CUBE_MPI, CALL_OTHER },
	{ "MPI_Get_library_version", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI, CALL_OTHER },
	{ "MPI_Group_incl", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI, CALL_OTHER },
	{ "MPI_Reduce_local", CLASS_MPI_OTHER, 1, MPI, 1, CUBE_MPI, CALL_OTHER },
	{ "MPI_Bcast", CLASS_COLLECTIVE, 23, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE },
	{ "MPI_Alltoallw", CLASS_COLLECTIVE, 25, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE },
	{ "MPI_Exscan", CLASS_COLLECTIVE, 26, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE },
	{ "MPI_Iallreduce", CLASS_COLLECTIVE, 25, MPI, 1, CUBE_MPI_COLLECTIVE, CALL_OTHER },
	{ "MPI_Neighbor_alltoall", CLASS_COLLECTIVE, 25, MPI, 1, CUBE_MPI_COLLECTIVE,
	  CALL_COLLECTIVE },
	{ "MPI_Put", CLASS_MPI_OTHER, 29, MPI, 1, CUBE_MPI_RMA_COMMUNICATION, CALL_OTHER },
	{ "MPI_Rget", CLASS_MPI_OTHER, 29, MPI, 1, CUBE_MPI_RMA_COMMUNICATION, CALL_OTHER },
	{ "MPI_Compare_and_swap", CLASS_MPI_OTHER, 14, MPI, 1, CUBE_MPI_RMA_COMMUNICATION,
	  CALL_OTHER },
	/* other spellings */
	{ "mpi_send_", CLASS_P2P, 1, USER, 1, CUBE_MPI_POINT2POINT, CALL_SEND },
	{ "mpi_waitall__", CLASS_P2P, 1, USER, 1, CUBE_MPI_POINT2POINT, CALL_WAITALL },
	{ "PMPI_Recv", CLASS_P2P, 0, NONE, 1, CUBE_MPI_POINT2POINT, CALL_RECV },
	{ "MPI_ALLREDUCE", CLASS_COLLECTIVE, 0, NONE, 1, CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE },
	{ "MPI_ALLREDUCE", CLASS_USER, 0, NONE, 1, CUBE_COMP, CALL_OTHER },
	{ "mpi_kernel", CLASS_USER, 0, NONE, 1, CUBE_COMP, CALL_OTHER },
	{ "mpi_util::f", CLASS_USER, 1, 2, 1, CUBE_COMP, CALL_OTHER },
	{ "MPI_Frobnicate", CLASS_MPI_OTHER, 28, MPI, 1, CUBE_MPI_POINT2POINT, CALL_OTHER },
	{ "mpirun_helper", CLASS_USER, 1, 2, 1, CUBE_COMP, CALL_OTHER },
	/* PICL before MPI */
	{ "send0", CLASS_P2P, 0, NONE, -21, CUBE_MPI_POINT2POINT, CALL_SEND },
	{ "recv0", CLASS_P2P, 0, NONE, -51, CUBE_MPI_POINT2POINT, CALL_RECV },
	{ "recvbegin0", CLASS_P2P, 0, NONE, -57, CUBE_MPI_POINT2POINT, CALL_POST },
	{ "recvend0", CLASS_P2P, 0, NONE, -60, CUBE_MPI_POINT2POINT, CALL_WAIT },
	{ "recvstatus0", CLASS_P2P, 0, NONE, -58, CUBE_MPI_POINT2POINT, CALL_TEST },
	{ "sync0", CLASS_SYNC, 0, NONE, -402, CUBE_MPI_SYNC_COLLECTIVE, CALL_COLLECTIVE },
	{ "file read", CLASS_IO, 0, NONE, -251, CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER },
	{ "send0", CLASS_USER, 0, NONE, 12, CUBE_COMP, CALL_OTHER },
	{ "tracenode", CLASS_OVERHEAD, 0, NONE, -901, CUBE_OVERHEAD, CALL_OTHER },
	{ "TRACE BUFFER FLUSH", CLASS_OVERHEAD, 31, MEASUREMENT, 1, CUBE_OVERHEAD, CALL_OTHER },
	/* threads */
	{ "!$omp parallel @a.c:3", CLASS_USER, 5, OPENMP, 1, CUBE_COMP, CALL_OTHER },
	{ "!$omp for @a.c:3", CLASS_USER, 3, OPENMP, 1, CUBE_COMP, CALL_OTHER },
	{ "!$omp barrier @a.c:3", CLASS_SYNC, 15, OPENMP, 1, CUBE_OMP_EBARRIER, CALL_OTHER },
	{ "!$omp implicit barrier @a.c:3", CLASS_SYNC, 16, OPENMP, 1, CUBE_OMP_IBARRIER,
	  CALL_OTHER },
	{ "!$omp implicit barrier @a.c:3", CLASS_SYNC, 0, NONE, 2, CUBE_OMP_IBARRIER, CALL_OTHER },
	{ "!$omp critical @a.c:3", CLASS_SYNC, 12, OPENMP, 1, CUBE_OMP_CRITICAL, CALL_OTHER },
	{ "!$omp critical sblock @a.c:3", CLASS_USER, 13, OPENMP, 1, CUBE_COMP, CALL_OTHER },
	{ "!$omp ordered @a.c:3", CLASS_USER, 18, OPENMP, 1, CUBE_OMP_ORDERED, CALL_OTHER },
	{ "!$omp taskwait @a.c:3", CLASS_SYNC, 22, OPENMP, 1, CUBE_OMP_TASKWAIT, CALL_OTHER },
	{ "!$omp flush @a.c:3", CLASS_SYNC, 17, OPENMP, 1, CUBE_OMP_FLUSH, CALL_OTHER },
	{ "omp_set_lock", CLASS_SYNC, 1, OPENMP, 1, CUBE_OMP_LOCK_API, CALL_OTHER },
	{ "omp_get_num_threads", CLASS_USER, 1, OPENMP, 1, CUBE_OMP_TIME, CALL_OTHER },
	{ "pthread_create", CLASS_USER, 32, PTHREAD, 1, CUBE_PTHREAD_MANAGEMENT, CALL_OTHER },
	{ "pthread_join", CLASS_SYNC, 33, PTHREAD, 1, CUBE_PTHREAD_MANAGEMENT, CALL_OTHER },
	{ "pthread_mutex_lock", CLASS_SYNC, 2, PTHREAD, 1, CUBE_PTHREAD_LOCK_API, CALL_OTHER },
	{ "pthread_cond_wait", CLASS_SYNC, 2, PTHREAD, 1, CUBE_PTHREAD_CONDITIONAL, CALL_OTHER },
	{ "cudaDeviceSynchronize", CLASS_SYNC, 2, CUDA, 1, CUBE_EXECUTION, CALL_DEVICE },
	{ "solve", CLASS_USER, 1, 2, 1, CUBE_COMP, CALL_OTHER },
};

enum { ROWS = sizeof rows / sizeof *rows };

TEST(a_region_has_its_metric_and_its_kind)
{
	struct builder *b = builder_new("test.trc", &units_nanoseconds, NULL);
	OWNED_TRACE *t;
	uint32_t id[ROWS];

	for (uint32_t i = 0; i < ROWS; i++)
		id[i] = builder_region_define(b,
					      &(struct region){
						      .name = builder_string(b, rows[i].name,
									     strlen(rows[i].name)),
						      .picl = rows[i].picl,
						      .cls = rows[i].cls,
						      .role = rows[i].role,
						      .paradigm = rows[i].paradigm });
	t = builder_finish(b, NULL, NULL, NULL);
	assert_non_null(t);
	for (uint32_t i = 0; i < ROWS; i++) {
		const enum cube_metric metric = region_metric(t, id[i]);
		if (metric != rows[i].metric || region_call(t, id[i]) != rows[i].call)
			fail_msg("%s: %s, kind %d", rows[i].name, cube_metric_info(metric)->name,
				 (int)region_call(t, id[i]));
	}
}

/* Operations and synchronisations are counted by the visits of their calls (6.6). */
TEST(calls_are_counted_by_what_they_do)
{
	static const struct {
		const char *name;
		enum cube_metric counter;
	} list[] = {
		{ "MPI_Put", CUBE_COMMS_RMA_PUTS },
		{ "MPI_Rput", CUBE_COMMS_RMA_PUTS },
		{ "MPI_Rget", CUBE_COMMS_RMA_GETS },
		{ "MPI_Get_accumulate", CUBE_COMMS_RMA_ATOMICS },
		{ "MPI_Fetch_and_op", CUBE_COMMS_RMA_ATOMICS },
		{ "MPI_Win_fence", CUBE_SYNCS_RMA_ACTIVE },
		{ "MPI_Win_unlock_all", CUBE_SYNCS_RMA_PASSIVE },
		{ "MPI_Win_create", CUBE_NONE },
		{ "MPI_File_read_at", CUBE_MPI_FILE_IROPS },
		{ "MPI_File_iwrite_shared", CUBE_MPI_FILE_IWOPS },
		{ "MPI_File_read_ordered", CUBE_MPI_FILE_CROPS },
		{ "mpi_file_write_all_", CUBE_MPI_FILE_CWOPS },
		{ "MPI_File_open", CUBE_NONE },
		{ "MPI_Send", CUBE_NONE },
		{ "put", CUBE_NONE },
	};
	enum { N = sizeof list / sizeof *list };
	struct builder *b = builder_new("test.trc", &units_nanoseconds, NULL);
	uint32_t id[N];
	OWNED_TRACE *t;

	for (uint32_t i = 0; i < N; i++)
		id[i] = builder_region(b, list[i].name, CLASS_IO, 100 + (int32_t)i);
	t = builder_finish(b, NULL, NULL, NULL);
	assert_non_null(t);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(region_counter(t, id[i]), list[i].counter);
}

TEST(an_operation_has_its_class)
{
	static const struct {
		const char *name;
		enum logical_class cls;
	} list[] = {
		{ "MPI_Barrier", LOGICAL_BARRIER },
		{ "MPI_Ibarrier", LOGICAL_BARRIER },
		{ "mpi_iscatterv_", LOGICAL_ONE_TO_N },
		{ "MPI_Ireduce", LOGICAL_N_TO_ONE },
		{ "MPI_Ireduce_scatter_block", LOGICAL_N_TO_N },
		{ "MPI_Iexscan", LOGICAL_PREFIX },
		{ "MPI_Alltoallv", LOGICAL_CLASSES },
		{ "MPI_Ialltoallw", LOGICAL_CLASSES },
		{ "MPI_Comm_split", LOGICAL_CLASSES },
		{ "MPI_Ineighbor_alltoall", LOGICAL_NEIGHBOURS },
		{ "MPI_Neighbor_allgatherv", LOGICAL_NEIGHBOURS },
	};
	enum { N = sizeof list / sizeof *list };
	struct builder *b = builder_new("test.trc", &units_nanoseconds, NULL);
	uint32_t id[N];
	OWNED_TRACE *t;

	for (uint32_t i = 0; i < N; i++)
		id[i] = builder_region(b, list[i].name, CLASS_COLLECTIVE, 100 + (int32_t)i);
	t = builder_finish(b, NULL, NULL, NULL);
	assert_non_null(t);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(logical_class_of(t, id[i]), list[i].cls);
}
