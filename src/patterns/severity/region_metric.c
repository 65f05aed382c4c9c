#include "patterns/severity/region_metric.h"

#include <string.h>

#include "model/meaning/mpi_name.h"

/* OTF2's numbers: OTF2_RegionRole, OTF2_Paradigm. */
enum {
	ROLE_PARALLEL = 5,
	ROLE_CRITICAL = 12,
	ROLE_ATOMIC = 14,
	ROLE_BARRIER = 15,
	ROLE_IMPLICIT_BARRIER = 16,
	ROLE_FLUSH = 17,
	ROLE_ORDERED = 18,
	ROLE_TASK_CREATE = 21,
	ROLE_TASK_WAIT = 22,
	ROLE_ONE_TO_ALL = 23,
	ROLE_ALL_TO_ONE = 24,
	ROLE_ALL_TO_ALL = 25,
	ROLE_COLLECTIVE_OTHER = 26,
	ROLE_FILE_IO = 27,
	ROLE_POINT_TO_POINT = 28,
	ROLE_RMA = 29,
	PARADIGM_OPENMP = 3,
	PARADIGM_MPI = 4,
};

/* What is known of a region. */
struct meaning {
	enum cube_metric metric;
	enum call_kind call;
};

/* Words after "mpi_" that mean the same. A last word that ends in "*" matches all that begin so. */
struct name_words {
	const char *words;
	struct meaning meaning;
};

#define COLLECTIVES                                                                             \
	"bcast scatter scatterv reduce gather gatherv allgather allgatherv allreduce alltoall " \
	"alltoallv alltoallw reduce_scatter reduce_scatter_block scan exscan"
#define NEIGHBOURS                                                                     \
	"neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv " \
	"neighbor_alltoallw"
#define REQUESTED                                                                               \
	"ibcast iscatter iscatterv ireduce igather igatherv iallgather iallgatherv iallreduce " \
	"ialltoall ialltoallv ialltoallw ireduce_scatter ireduce_scatter_block iscan iexscan "  \
	"ineighbor_allgather ineighbor_allgatherv ineighbor_alltoall ineighbor_alltoallv "      \
	"ineighbor_alltoallw"

/* The first that fits. Start, Cancel, Request_*, Buffer_* are in no class (C4). */
static const struct name_words mpi_words[] = {
	{ "send ssend", { CUBE_MPI_POINT2POINT, CALL_SEND } },
	{ "bsend rsend isend ibsend issend irsend", { CUBE_MPI_POINT2POINT, CALL_SEND_LOCAL } },
	{ "recv mrecv", { CUBE_MPI_POINT2POINT, CALL_RECV } },
	{ "irecv imrecv isendrecv isendrecv_replace", { CUBE_MPI_POINT2POINT, CALL_POST } },
	{ "sendrecv sendrecv_replace", { CUBE_MPI_POINT2POINT, CALL_SENDRECV } },
	{ "wait waitany", { CUBE_MPI_POINT2POINT, CALL_WAIT } },
	{ "waitall waitsome", { CUBE_MPI_POINT2POINT, CALL_WAITALL } },
	{ "test testany testall testsome", { CUBE_MPI_POINT2POINT, CALL_TEST } },
	{ "send_init bsend_init ssend_init rsend_init recv_init psend_init precv_init probe iprobe "
	  "mprobe improbe",
	  { CUBE_MPI_POINT2POINT, CALL_OTHER } },
	{ "start startall", { CUBE_MPI, CALL_POST } },
	{ "barrier", { CUBE_MPI_SYNC_COLLECTIVE, CALL_COLLECTIVE } },
	{ "ibarrier", { CUBE_MPI_SYNC_COLLECTIVE, CALL_OTHER } },
	{ COLLECTIVES " " NEIGHBOURS, { CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE } },
	{ REQUESTED, { CUBE_MPI_COLLECTIVE, CALL_OTHER } },
	{ "init init_thread", { CUBE_MPI_INIT_EXIT, CALL_INIT } },
	{ "finalize", { CUBE_MPI_INIT_EXIT, CALL_FINALIZE } },
	{ "initialized finalized", { CUBE_MPI_INIT_EXIT, CALL_OTHER } },
	{ "cartdim_get dims_create graphdims_get intercomm_create intercomm_merge topo_test "
	  "open_port close_port publish_name unpublish_name lookup_name comm_*",
	  { CUBE_MPI_MGMT_COMM, CALL_OTHER } },
	{ "cart_* graph_* dist_graph_*", { CUBE_MPI_MGMT_COMM, CALL_OTHER } },
	{ "win_fence win_post win_start win_complete win_wait win_test",
	  { CUBE_MPI_RMA_SYNC_ACTIVE, CALL_OTHER } },
	{ "win_sync win_lock win_lock_all win_unlock* win_flush*",
	  { CUBE_MPI_RMA_SYNC_PASSIVE, CALL_OTHER } },
	{ "win_*", { CUBE_MPI_MGMT_WIN, CALL_OTHER } },
	{ "put rput get rget accumulate raccumulate get_accumulate rget_accumulate "
	  "compare_and_swap fetch_and_op",
	  { CUBE_MPI_RMA_COMMUNICATION, CALL_OTHER } },
	{ "file_read_all* file_read_at_all* file_read_ordered* file_write_all* file_write_at_all* "
	  "file_write_ordered* file_iread_all file_iread_at_all file_iwrite_all file_iwrite_at_all",
	  { CUBE_MPI_IO_COLLECTIVE, CALL_OTHER } },
	{ "file_read* file_write* file_iread* file_iwrite*",
	  { CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER } },
	{ "file_*", { CUBE_MPI_MGMT_FILE, CALL_OTHER } },
};

/* PICL's own names, before there was MPI. */
static const struct name_words picl_words[] = {
	{ "send0", { CUBE_MPI_POINT2POINT, CALL_SEND } },
	{ "sendbegin0", { CUBE_MPI_POINT2POINT, CALL_SEND_LOCAL } },
	{ "recv0", { CUBE_MPI_POINT2POINT, CALL_RECV } },
	{ "recvbegin0", { CUBE_MPI_POINT2POINT, CALL_POST } },
	{ "sendend0 recvend0", { CUBE_MPI_POINT2POINT, CALL_WAIT } },
	{ "sendstatus0 recvstatus0", { CUBE_MPI_POINT2POINT, CALL_TEST } },
	{ "probe0 wait0", { CUBE_MPI_POINT2POINT, CALL_OTHER } },
	{ "sync0", { CUBE_MPI_SYNC_COLLECTIVE, CALL_COLLECTIVE } },
	{ "clocksync0", { CUBE_OVERHEAD, CALL_OTHER } },
	{ "open0 close0 load0", { CUBE_MPI_INIT_EXIT, CALL_OTHER } },
};

static const struct name_words pthread_words[] = {
	{ "pthread_mutex_* pthread_spin_* pthread_rwlock_*",
	  { CUBE_PTHREAD_LOCK_API, CALL_OTHER } },
	{ "pthread_cond_*", { CUBE_PTHREAD_CONDITIONAL, CALL_OTHER } },
	{ "pthread_barrier_*", { CUBE_PTHREAD_TIME, CALL_OTHER } },
	{ "pthread_*", { CUBE_PTHREAD_MANAGEMENT, CALL_OTHER } },
};

/* Names that instrumenters give to constructs, and calls. */
static const struct name_words omp_words[] = {
	{ "omp_init_lock* omp_init_nest_lock* omp_set_lock omp_set_nest_lock omp_unset_* omp_test_* "
	  "omp_destroy_*",
	  { CUBE_OMP_LOCK_API, CALL_OTHER } },
	{ "omp_get_* omp_set_* omp_in_*", { CUBE_OMP_TIME, CALL_OTHER } },
};

/* Whether the word is in the list. */
static bool is_in(const char *list, const char *word)
{
	const size_t n = strlen(word);

	while (*list) {
		const size_t length = strcspn(list, " ");
		const bool begins = length && list[length - 1] == '*';
		if (begins ? n >= length - 1 && memcmp(list, word, length - 1) == 0
			   : n == length && memcmp(list, word, length) == 0)
			return true;
		list += length;
		list += strspn(list, " ");
	}
	return false;
}

static const struct meaning *look_up(const struct name_words *table, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (is_in(table[i].words, word))
			return &table[i].meaning;
	return NULL;
}

#define LOOK_UP(table, word) look_up(table, sizeof(table) / sizeof *(table), word)

/* "!$omp critical sblock @file.c:12" */
static enum cube_metric metric_of_construct(const char *name)
{
	static const struct {
		const char *word;
		enum cube_metric metric;
	} constructs[] = {
		{ "sblock", CUBE_COMP }, /* the inside of a construct */
		{ "implicit barrier", CUBE_OMP_IBARRIER },
		{ "ibarrier", CUBE_OMP_IBARRIER },
		{ "barrier", CUBE_OMP_EBARRIER },
		{ "critical", CUBE_OMP_CRITICAL },
		{ "atomic", CUBE_OMP_CRITICAL },
		{ "ordered", CUBE_OMP_ORDERED },
		{ "taskwait", CUBE_OMP_TASKWAIT },
		{ "flush", CUBE_OMP_FLUSH },
		{ "create task", CUBE_OMP_MANAGEMENT },
	};

	for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++)
		if (strstr(name, constructs[i].word))
			return constructs[i].metric;
	return CUBE_COMP;
}

static enum cube_metric metric_of_omp_role(uint8_t role, const char *name)
{
	switch (role) {
	case ROLE_CRITICAL:
	case ROLE_ATOMIC: return CUBE_OMP_CRITICAL;
	case ROLE_BARRIER: return CUBE_OMP_EBARRIER;
	case ROLE_IMPLICIT_BARRIER: return CUBE_OMP_IBARRIER;
	case ROLE_FLUSH: return CUBE_OMP_FLUSH;
	case ROLE_ORDERED: return CUBE_OMP_ORDERED;
	case ROLE_TASK_CREATE: return CUBE_OMP_MANAGEMENT;
	case ROLE_TASK_WAIT: return CUBE_OMP_TASKWAIT;
	default: return metric_of_construct(name);
	}
}

/* Of a function of MPI that no table has. */
static struct meaning meaning_of_mpi_role(uint8_t role)
{
	switch (role) {
	case ROLE_BARRIER: return (struct meaning){ CUBE_MPI_SYNC_COLLECTIVE, CALL_COLLECTIVE };
	case ROLE_ONE_TO_ALL:
	case ROLE_ALL_TO_ONE:
	case ROLE_ALL_TO_ALL:
	case ROLE_COLLECTIVE_OTHER: return (struct meaning){ CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE };
	case ROLE_POINT_TO_POINT: return (struct meaning){ CUBE_MPI_POINT2POINT, CALL_OTHER };
	case ROLE_RMA:
	case ROLE_ATOMIC: return (struct meaning){ CUBE_MPI_RMA_COMMUNICATION, CALL_OTHER };
	case ROLE_FILE_IO: return (struct meaning){ CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER };
	default: return (struct meaning){ CUBE_MPI, CALL_OTHER };
	}
}

static struct meaning meaning_of_class(enum region_class cls)
{
	switch (cls) {
	case CLASS_P2P: return (struct meaning){ CUBE_MPI_POINT2POINT, CALL_RECV };
	case CLASS_COLLECTIVE: return (struct meaning){ CUBE_MPI_COLLECTIVE, CALL_COLLECTIVE };
	case CLASS_SYNC: return (struct meaning){ CUBE_MPI_SYNC_COLLECTIVE, CALL_COLLECTIVE };
	case CLASS_IO: return (struct meaning){ CUBE_MPI_IO_INDIVIDUAL, CALL_OTHER };
	case CLASS_MPI_OTHER: return (struct meaning){ CUBE_MPI, CALL_OTHER };
	case CLASS_OVERHEAD: return (struct meaning){ CUBE_OVERHEAD, CALL_OTHER };
	case CLASS_USER:
	case CLASS_OUTSIDE:
	case CLASS_COUNT: break;
	}
	return (struct meaning){ CUBE_COMP, CALL_OTHER };
}

static struct meaning meaning_of(const struct trace *trace, uint32_t id)
{
	const struct region *region = trace_region(trace, id);
	const char *name = trace_region_name(trace, id);
	const struct meaning *known = NULL;
	char bare[MPI_NAME_SIZE];

	if (region->cls == CLASS_OVERHEAD)
		return (struct meaning){ CUBE_OVERHEAD, CALL_OTHER };
	if (mpi_name(name, bare)) {
		known = LOOK_UP(mpi_words, bare);
		return known ? *known : meaning_of_mpi_role(region->role);
	}
	if (strncmp(name, "!$omp", 5) == 0)
		return (struct meaning){ metric_of_omp_role(region->role, name), CALL_OTHER };
	if (strncmp(name, "omp_", 4) == 0)
		known = LOOK_UP(omp_words, name);
	else if (strncmp(name, "pthread_", 8) == 0)
		known = LOOK_UP(pthread_words, name);
	else if (region->picl < 0 && region->paradigm == 0)
		known = LOOK_UP(picl_words, name);
	if (known)
		return *known;
	if (region->paradigm == PARADIGM_OPENMP)
		return (struct meaning){ metric_of_omp_role(region->role, name), CALL_OTHER };
	if (region->paradigm == PARADIGM_MPI)
		return meaning_of_mpi_role(region->role);
	if (region->paradigm == 0)
		return meaning_of_class((enum region_class)region->cls);
	return (struct meaning){ CUBE_COMP, CALL_OTHER };
}

enum cube_metric region_metric(const struct trace *trace, uint32_t region)
{
	return meaning_of(trace, region).metric;
}

enum call_kind region_call(const struct trace *trace, uint32_t region)
{
	return meaning_of(trace, region).call;
}

enum cube_metric region_counter(const struct trace *trace, uint32_t region)
{
	const enum cube_metric metric = region_metric(trace, region);
	const char *name = trace_region_name(trace, region);
	char bare[MPI_NAME_SIZE];
	bool writes;

	if (!mpi_name(name, bare))
		return CUBE_NONE;
	writes = strstr(bare, "write") != NULL;
	switch (metric) {
	case CUBE_MPI_RMA_SYNC_ACTIVE: return CUBE_SYNCS_RMA_ACTIVE;
	case CUBE_MPI_RMA_SYNC_PASSIVE: return CUBE_SYNCS_RMA_PASSIVE;
	case CUBE_MPI_RMA_COMMUNICATION:
		return is_in("put rput", bare)   ? CUBE_COMMS_RMA_PUTS
		       : is_in("get rget", bare) ? CUBE_COMMS_RMA_GETS
						 : CUBE_COMMS_RMA_ATOMICS;
	case CUBE_MPI_IO_INDIVIDUAL: return writes ? CUBE_MPI_FILE_IWOPS : CUBE_MPI_FILE_IROPS;
	case CUBE_MPI_IO_COLLECTIVE: return writes ? CUBE_MPI_FILE_CWOPS : CUBE_MPI_FILE_CROPS;
	default: return CUBE_NONE;
	}
}

bool region_is_parallel(const struct trace *trace, uint32_t region)
{
	const struct region *r = trace_region(trace, region);

	return (r->paradigm == PARADIGM_OPENMP && r->role == ROLE_PARALLEL) ||
	       strncmp(trace_region_name(trace, region), "!$omp parallel", 14) == 0;
}

enum logical_class region_collective(const struct trace *trace, uint32_t region, bool *neighbours)
{
	const char *word;
	char bare[MPI_NAME_SIZE];

	*neighbours = false;
	if (!mpi_name(trace_region_name(trace, region), bare))
		return meaning_of(trace, region).metric == CUBE_MPI_SYNC_COLLECTIVE
			       ? LOGICAL_BARRIER
			       : logical_class_of(trace, region);
	word = is_in(REQUESTED " ibarrier", bare) ? bare + 1 : bare;
	*neighbours = is_in(NEIGHBOURS, word);
	return *neighbours ? LOGICAL_N_TO_N : logical_class_of_name(word);
}
