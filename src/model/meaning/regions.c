/* Regions that are not functions of MPI, and what decides for a region of which several things are
 * known. */
#include <string.h>

#include "model/meaning/meaning.h"
#include "model/meaning/training.h"

/* Words that mean the same, with a blank between two; one that ends in "*" is for all that begin
 * so. */
struct words {
	const char *words;
	struct meaning meaning;
};

#define MEANING(class_, family_, ...)                                            \
	{                                                                        \
		.cls = CLASS_##class_, .family = FAMILY_##family_, ##__VA_ARGS__ \
	}
#define P2P(call_, request_) \
	MEANING(P2P, POINT_TO_POINT, .call = CALL_##call_, .request = REQUEST_##request_)
#define COLLECTIVE(class_, family_, collective_) \
	MEANING(class_, family_, .call = CALL_COLLECTIVE, .collective = COLLECTIVE_##collective_)

static const struct words picl_words[] = {
	{ "send0", P2P(SEND, NONE) },
	{ "sendbegin0", P2P(SEND_LOCAL, STARTS) },
	{ "recv0", P2P(RECV, NONE) },
	{ "recvbegin0", P2P(POST, STARTS) },
	{ "sendend0 recvend0", P2P(WAIT, COMPLETES) },
	{ "sendstatus0 recvstatus0", P2P(TEST, TESTS) },
	{ "probe0", P2P(OTHER, NONE) },
	{ "wait0", MEANING(P2P, POINT_TO_POINT, .operation = OPERATION_PROBE) },
	{ "sync0", COLLECTIVE(SYNC, BARRIER, BARRIER) },
	{ "clocksync0", MEANING(OVERHEAD, OVERHEAD) },
	{ "open0 close0 load0", MEANING(START_END, START_END) },
	{ "idle", MEANING(SYNC, IDLE) },
};

static const struct words pthread_words[] = {
	{ "pthread_mutex_lock pthread_rwlock_rdlock pthread_rwlock_wrlock",
	  MEANING(SYNC, PTHREAD_MUTEX) },
	{ "pthread_mutex_* pthread_spin_* pthread_rwlock_*", MEANING(USER, PTHREAD_MUTEX) },
	{ "pthread_cond_wait pthread_cond_timedwait", MEANING(SYNC, PTHREAD_CONDITION) },
	{ "pthread_cond_*", MEANING(USER, PTHREAD_CONDITION) },
	{ "pthread_barrier_wait", MEANING(SYNC, PTHREAD) },
	{ "pthread_barrier_*", MEANING(USER, PTHREAD) },
	{ "pthread_join", MEANING(SYNC, PTHREAD_MANAGEMENT) },
	{ "pthread_*", MEANING(USER, PTHREAD_MANAGEMENT) },
};

static const struct words omp_words[] = {
	{ "omp_set_lock omp_set_nest_lock", MEANING(SYNC, OMP_LOCK) },
	{ "omp_init_lock* omp_init_nest_lock* omp_unset_* omp_test_* omp_destroy_*",
	  MEANING(USER, OMP_LOCK) },
	{ "omp_get_* omp_set_* omp_in_*", MEANING(USER, OMP) },
};

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

static const struct meaning *look_up(const struct words *table, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (is_in(table[i].words, word))
			return &table[i].meaning;
	return NULL;
}

#define LOOK_UP(table, word) look_up(table, sizeof(table) / sizeof *(table), word)

bool meaning_of_picl(const char *name, struct meaning *meaning)
{
	const struct meaning *known = LOOK_UP(picl_words, name);

	if (known)
		*meaning = *known;
	return known != NULL;
}

/* ---- OpenMP ---- */

/* "!$omp critical sblock @file.c:12" */
static struct meaning of_construct(const char *name)
{
	static const struct {
		const char *word;
		struct meaning meaning;
	} constructs[] = {
		{ "sblock", MEANING(USER, COMPUTATION) }, /* the inside of a construct */
		{ "implicit barrier",
		  MEANING(SYNC, OMP_IMPLICIT_BARRIER, .collective = COLLECTIVE_OMP_BARRIER) },
		{ "ibarrier",
		  MEANING(SYNC, OMP_IMPLICIT_BARRIER, .collective = COLLECTIVE_OMP_BARRIER) },
		{ "barrier", MEANING(SYNC, OMP_BARRIER, .collective = COLLECTIVE_OMP_BARRIER) },
		{ "critical", MEANING(SYNC, OMP_CRITICAL) },
		{ "atomic", MEANING(USER, OMP_CRITICAL) },
		{ "ordered", MEANING(USER, OMP_ORDERED) },
		{ "taskwait", MEANING(SYNC, OMP_TASK_WAIT) },
		{ "flush", MEANING(SYNC, OMP_FLUSH) },
		{ "create task", MEANING(USER, OMP_MANAGEMENT) },
	};

	for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++)
		if (strstr(name, constructs[i].word))
			return constructs[i].meaning;
	return (struct meaning)MEANING(USER, COMPUTATION);
}

static struct meaning of_omp_role(uint8_t role, const char *name)
{
	switch (role) {
	case REGION_ROLE_CRITICAL: return of_construct("critical");
	case REGION_ROLE_ATOMIC: return of_construct("atomic");
	case REGION_ROLE_BARRIER: return of_construct("barrier");
	case REGION_ROLE_IMPLICIT_BARRIER: return of_construct("ibarrier");
	case REGION_ROLE_FLUSH: return of_construct("flush");
	case REGION_ROLE_ORDERED: return of_construct("ordered");
	case REGION_ROLE_TASK_CREATE: return of_construct("create task");
	case REGION_ROLE_TASK_WAIT: return of_construct("taskwait");
	default: return of_construct(name);
	}
}

/* ---- accelerators ---- */

static bool is_accelerator(uint8_t paradigm)
{
	return paradigm == PARADIGM_CUDA || paradigm == PARADIGM_HIP ||
	       paradigm == PARADIGM_OPENCL || paradigm == PARADIGM_OPENACC;
}

static bool waits_for_device(const char *name, uint8_t role)
{
	static const char calls[] = "clFinish clWaitForEvents acc_wait*";

	return role == REGION_ROLE_TASK_WAIT || role == REGION_ROLE_BARRIER ||
	       role == REGION_ROLE_IMPLICIT_BARRIER || role == REGION_ROLE_THREAD_WAIT ||
	       strstr(name, "Synchronize") || is_in(calls, name);
}

/* ---- what a trace says, where no name does ---- */

/* A function of MPI or the like that no table has. */
static struct meaning of_mpi_role(uint8_t role)
{
	static const struct meaning by_role[] = {
		[REGION_ROLE_BARRIER] = COLLECTIVE(SYNC, BARRIER, BARRIER),
		[REGION_ROLE_ONE_TO_ALL] = COLLECTIVE(COLLECTIVE, COLLECTIVE, ONE_TO_ALL),
		[REGION_ROLE_ALL_TO_ONE] = COLLECTIVE(COLLECTIVE, COLLECTIVE, ALL_TO_ONE),
		[REGION_ROLE_ALL_TO_ALL] = COLLECTIVE(COLLECTIVE, COLLECTIVE, ALL_TO_ALL),
		[REGION_ROLE_COLLECTIVE_OTHER] = COLLECTIVE(COLLECTIVE, COLLECTIVE, NONE),
		[REGION_ROLE_POINT_TO_POINT] = P2P(OTHER, NONE),
		[REGION_ROLE_RMA] = MEANING(RMA, RMA),
		[REGION_ROLE_ATOMIC] = MEANING(RMA, RMA),
		[REGION_ROLE_FILE_IO] = MEANING(IO, FILE_INDIVIDUAL),
		[REGION_ROLE_FILE_IO_METADATA] = MEANING(IO, FILE),
	};

	if (role < sizeof by_role / sizeof *by_role && by_role[role].cls != CLASS_USER)
		return by_role[role];
	return (struct meaning)MEANING(MPI_OTHER, MPI);
}

static struct meaning of_class(enum region_class cls)
{
	static const struct meaning by_class[CLASS_COUNT + 1] = {
		[CLASS_P2P] = P2P(RECV, NONE),
		[CLASS_COLLECTIVE] = COLLECTIVE(COLLECTIVE, COLLECTIVE, NONE),
		[CLASS_SYNC] = COLLECTIVE(SYNC, BARRIER, BARRIER),
		[CLASS_RMA] = MEANING(RMA, RMA),
		[CLASS_IO] = MEANING(IO, FILE_INDIVIDUAL),
		[CLASS_START_END] = MEANING(START_END, START_END),
		[CLASS_MPI_OTHER] = MEANING(MPI_OTHER, MPI),
		[CLASS_DEVICE] = MEANING(DEVICE, DEVICE_WAIT, .call = CALL_DEVICE),
		[CLASS_OVERHEAD] = MEANING(OVERHEAD, OVERHEAD),
	};

	return by_class[cls]; /* the others: user's computation, which is 0 */
}

static bool is_overhead(const char *name, uint8_t paradigm)
{
	static const char *const names[] = { "EZTrace finalize", "EZTrace init", "MEASUREMENT OFF",
					     "TRACE BUFFER FLUSH" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return paradigm == PARADIGM_MEASUREMENT && strstr(name, "FLUSH");
}

static bool is_communication(uint8_t paradigm)
{
	return paradigm == PARADIGM_MPI || paradigm == PARADIGM_SHMEM ||
	       paradigm == PARADIGM_GASPI || paradigm == PARADIGM_UPC;
}

/* Of a region of no library that is known: the class by role. */
static struct meaning of_role(uint8_t role)
{
	struct meaning m = MEANING(USER, COMPUTATION);

	switch (role) {
	case REGION_ROLE_FILE_IO:
	case REGION_ROLE_FILE_IO_METADATA: m.cls = CLASS_IO; break;
	case REGION_ROLE_BARRIER:
	case REGION_ROLE_IMPLICIT_BARRIER:
	case REGION_ROLE_TASK_WAIT:
	case REGION_ROLE_THREAD_WAIT:
	case REGION_ROLE_CRITICAL:
	case REGION_ROLE_FLUSH: m.cls = CLASS_SYNC; break;
	default: break;
	}
	return m;
}

/* By names that only a library has. */
static const struct meaning *of_library(const char *name, enum region_class recorded)
{
	if (strncmp(name, "omp_", 4) == 0)
		return LOOK_UP(omp_words, name);
	if (strncmp(name, "pthread_", 8) == 0)
		return LOOK_UP(pthread_words, name);
	return recorded != CLASS_COUNT && recorded != CLASS_USER ? LOOK_UP(picl_words, name) : NULL;
}

struct meaning meaning_of_region(const char *name, enum region_class recorded, uint8_t role,
				 uint8_t paradigm)
{
	const bool unsaid = paradigm == PARADIGM_UNKNOWN || paradigm == PARADIGM_USER;
	const struct meaning *known;
	struct meaning m;

	if (recorded == CLASS_OVERHEAD || is_overhead(name, paradigm))
		return of_class(CLASS_OVERHEAD);
	if ((paradigm == PARADIGM_MPI || (unsaid && recorded != CLASS_USER)) &&
	    meaning_of_mpi(name, &m))
		return m;
	if (is_communication(paradigm)) {
		/* PICL's, converted. */
		known = recorded != CLASS_COUNT ? LOOK_UP(picl_words, name) : NULL;
		return known ? *known : of_mpi_role(role);
	}
	if (strncmp(name, "!$omp", 5) == 0 || paradigm == PARADIGM_OPENMP) {
		known = strncmp(name, "omp_", 4) == 0 ? LOOK_UP(omp_words, name) : NULL;
		return known ? *known : of_omp_role(role, name);
	}
	if (is_accelerator(paradigm))
		return of_class(waits_for_device(name, role) ? CLASS_DEVICE : CLASS_USER);
	if (unsaid && meaning_of_training(name, &m) != TRAINING_NONE)
		return m;
	if (unsaid || paradigm == PARADIGM_PTHREAD) {
		known = of_library(name, recorded);
		if (known)
			return *known;
	}
	if (unsaid)
		return of_class(recorded != CLASS_COUNT ? recorded : of_role(role).cls);
	return of_role(role);
}
