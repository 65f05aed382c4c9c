#include "model/otf2/otf2_names.h"

#include <ctype.h>
#include <string.h>

#include <otf2/otf2.h>

bool otf2_mpi_name(const char *name, char out[OTF2_MPI_NAME])
{
	size_t n;

	if (name[0] == 'P' || name[0] == 'p')
		name++;
	if (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "mpi_", 4) != 0)
		return false;
	n = strlen(name);
	/* Fortran compilers append one underscore or two. */
	while (n > 5 && name[n - 1] == '_')
		n--;
	if (n <= 4 || n >= OTF2_MPI_NAME)
		return false;
	memcpy(out, "MPI_", 4);
	out[4] = (char)toupper((unsigned char)name[4]);
	for (size_t i = 5; i < n; i++)
		out[i] = (char)tolower((unsigned char)name[i]);
	out[n] = '\0';
	return true;
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

/* Behind "MPI_". */
static enum region_class class_of_mpi(const char *name)
{
	static const char *const p2p[] = { "Send",          "Bsend",
					   "Ssend",         "Rsend",
					   "Isend",         "Ibsend",
					   "Issend",        "Irsend",
					   "Send_init",     "Bsend_init",
					   "Ssend_init",    "Rsend_init",
					   "Recv",          "Irecv",
					   "Recv_init",     "Mprobe",
					   "Improbe",       "Mrecv",
					   "Imrecv",        "Sendrecv",
					   "Isendrecv",     "Sendrecv_replace",
					   "Start",         "Startall",
					   "Wait",          "Waitany",
					   "Waitall",       "Waitsome",
					   "Test",          "Testany",
					   "Testall",       "Testsome",
					   "Cancel",        "Request_free",
					   "Probe",         "Iprobe",
					   "Psend_init",    "Precv_init",
					   "Pready",        "Isendrecv_replace",
					   "Parrived",      "Request_get_status",
					   "Recv_replace",  "Buffer_attach",
					   "Buffer_detach", NULL };
	static const char *const sync[] = { "Barrier",      "Win_fence", "Win_post", "Win_start",
					    "Win_complete", "Win_wait",  "Win_test", NULL };
	static const char *const collective[] = { "bcast",
						  "gather",
						  "gatherv",
						  "scatter",
						  "scatterv",
						  "allgather",
						  "allgatherv",
						  "alltoall",
						  "alltoallv",
						  "alltoallw",
						  "reduce",
						  "allreduce",
						  "reduce_scatter",
						  "reduce_scatter_block",
						  "scan",
						  "exscan",
						  "neighbor_allgather",
						  "neighbor_allgatherv",
						  "neighbor_alltoall",
						  "neighbor_alltoallv",
						  "neighbor_alltoallw",
						  NULL };
	char lower[OTF2_MPI_NAME];

	if (is_one_of(name, p2p))
		return CLASS_P2P;
	if (is_one_of(name, sync))
		return CLASS_SYNC;
	if (strcmp(name, "Ibarrier") == 0)
		return CLASS_COLLECTIVE;
	if (strncmp(name, "File_", 5) == 0)
		return CLASS_IO;
	strncpy(lower, name, sizeof lower - 1);
	lower[sizeof lower - 1] = '\0';
	lower[0] = (char)tolower((unsigned char)lower[0]);
	if (is_one_of(lower, collective) || (lower[0] == 'i' && is_one_of(lower + 1, collective)))
		return CLASS_COLLECTIVE;
	return CLASS_MPI_OTHER;
}

static bool is_overhead(const char *name, uint8_t paradigm)
{
	static const char *const names[] = { "EZTrace finalize", "EZTrace init", "MEASUREMENT OFF",
					     "TRACE BUFFER FLUSH", NULL };

	return is_one_of(name, names) ||
	       (paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM && strstr(name, "FLUSH"));
}

/* Waiting for other threads or for a device. */
static bool is_waiting(const char *name, uint8_t role, uint8_t paradigm)
{
	static const char *const names[] = { "pthread_join",           "pthread_cond_wait",
					     "pthread_cond_timedwait", "pthread_mutex_lock",
					     "pthread_barrier_wait",   "pthread_rwlock_rdlock",
					     "pthread_rwlock_wrlock",  "omp_set_lock",
					     "omp_set_nest_lock",      NULL };

	switch (role) {
	case OTF2_REGION_ROLE_BARRIER:
	case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
	case OTF2_REGION_ROLE_TASK_WAIT:
	case OTF2_REGION_ROLE_THREAD_WAIT:
	case OTF2_REGION_ROLE_CRITICAL:
	case OTF2_REGION_ROLE_FLUSH: return true;
	default: break;
	}
	if (paradigm == OTF2_PARADIGM_CUDA || paradigm == OTF2_PARADIGM_HIP ||
	    paradigm == OTF2_PARADIGM_OPENCL || paradigm == OTF2_PARADIGM_OPENACC)
		return strstr(name, "Synchronize") != NULL || strcmp(name, "clFinish") == 0;
	return is_one_of(name, names);
}

static enum region_class class_by_role(uint8_t role)
{
	switch (role) {
	case OTF2_REGION_ROLE_BARRIER: return CLASS_SYNC;
	case OTF2_REGION_ROLE_COLL_ONE2ALL:
	case OTF2_REGION_ROLE_COLL_ALL2ONE:
	case OTF2_REGION_ROLE_COLL_ALL2ALL:
	case OTF2_REGION_ROLE_COLL_OTHER: return CLASS_COLLECTIVE;
	case OTF2_REGION_ROLE_POINT2POINT: return CLASS_P2P;
	case OTF2_REGION_ROLE_FILE_IO:
	case OTF2_REGION_ROLE_FILE_IO_METADATA: return CLASS_IO;
	default: return CLASS_MPI_OTHER;
	}
}

enum region_class otf2_region_class(const char *name, uint8_t role, uint8_t paradigm)
{
	char mpi[OTF2_MPI_NAME];
	enum region_class by_name;

	if (is_overhead(name, paradigm))
		return CLASS_OVERHEAD;
	if (otf2_mpi_name(name, mpi)) {
		/* Sources disagree about the roles of MPI's functions, not about their names. */
		by_name = class_of_mpi(mpi + 4);
		return by_name != CLASS_MPI_OTHER ? by_name : class_by_role(role);
	}
	if (paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_SHMEM ||
	    paradigm == OTF2_PARADIGM_GASPI || paradigm == OTF2_PARADIGM_UPC)
		return class_by_role(role);
	if (role == OTF2_REGION_ROLE_FILE_IO || role == OTF2_REGION_ROLE_FILE_IO_METADATA)
		return CLASS_IO;
	return is_waiting(name, role, paradigm) ? CLASS_SYNC : CLASS_USER;
}

uint8_t otf2_send_mode(const char *name)
{
	char mpi[OTF2_MPI_NAME];
	const char *word = mpi + 4;

	if (!otf2_mpi_name(name, mpi))
		return 0;
	if (word[0] == 'I')
		word++;
	if (strncmp(word + 1, "send", 4) != 0)
		return 0;
	switch (tolower((unsigned char)word[0])) {
	case 'b': return 1;
	case 's': return 2;
	case 'r': return 3;
	default: return 0;
	}
}

const char *otf2_collective_name(uint8_t operation)
{
	static const char *const names[] = {
		[OTF2_COLLECTIVE_OP_BARRIER] = "MPI_Barrier",
		[OTF2_COLLECTIVE_OP_BCAST] = "MPI_Bcast",
		[OTF2_COLLECTIVE_OP_GATHER] = "MPI_Gather",
		[OTF2_COLLECTIVE_OP_GATHERV] = "MPI_Gatherv",
		[OTF2_COLLECTIVE_OP_SCATTER] = "MPI_Scatter",
		[OTF2_COLLECTIVE_OP_SCATTERV] = "MPI_Scatterv",
		[OTF2_COLLECTIVE_OP_ALLGATHER] = "MPI_Allgather",
		[OTF2_COLLECTIVE_OP_ALLGATHERV] = "MPI_Allgatherv",
		[OTF2_COLLECTIVE_OP_ALLTOALL] = "MPI_Alltoall",
		[OTF2_COLLECTIVE_OP_ALLTOALLV] = "MPI_Alltoallv",
		[OTF2_COLLECTIVE_OP_ALLTOALLW] = "MPI_Alltoallw",
		[OTF2_COLLECTIVE_OP_ALLREDUCE] = "MPI_Allreduce",
		[OTF2_COLLECTIVE_OP_REDUCE] = "MPI_Reduce",
		[OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = "MPI_Reduce_scatter",
		[OTF2_COLLECTIVE_OP_SCAN] = "MPI_Scan",
		[OTF2_COLLECTIVE_OP_EXSCAN] = "MPI_Exscan",
		[OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block",
	};

	return operation < sizeof names / sizeof *names ? names[operation] : NULL;
}
