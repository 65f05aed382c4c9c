#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/test.h"
#include "model/meaning/meaning.h"

/* ---- names ---- */

/* A name in every spelling. */
static void check_name(const char *name)
{
	char other[MPI_NAME_SIZE], spelling[80];
	struct meaning m, again;

	assert_true(meaning_of_mpi(name, &m));
	for (int form = 0; form < 5; form++) {
		snprintf(spelling, sizeof spelling, "%s%s%s", form == 1 ? "P" : "", name,
			 form == 2   ? "_"
			 : form == 3 ? "__"
			 : form == 4 ? "_f08ts_"
				     : "");
		for (char *p = spelling; form > 1 && *p; p++)
			*p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
		if (!mpi_standard_name(spelling, other) || strcmp(other, name) != 0)
			fail_msg("%s is not %s", spelling, name);
		assert_true(meaning_of_mpi(spelling, &again));
		assert_memory_equal(&again, &m, sizeof m);
	}
}

enum { I = 1, INIT = 2, C = 4 }; /* forms */

/* A function in all its forms; gives their number. */
static unsigned check_forms(const char *base, unsigned forms)
{
	char name[MPI_NAME_SIZE];
	unsigned n = 0;

	for (unsigned form = 0; form < 8; form++) {
		const bool nonblocking = form & I;
		if (form & ~forms || (nonblocking && form & INIT))
			continue;
		snprintf(name, sizeof name, "MPI_%s%c%s%s%s", nonblocking ? "I" : "",
			 nonblocking ? *base + 32 : *base, base + 1, form & INIT ? "_init" : "",
			 form & C ? "_c" : "");
		check_name(name);
		n++;
	}
	return n;
}

TEST(each_function_is_found_in_every_spelling)
{
	static const struct {
		const char *name;
		unsigned forms;
	} functions[] = {
#define MPI(name, kind, forms) { #name, forms },
#include "model/meaning/mpi.def"
	};
	unsigned n = 0;

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		n += check_forms(functions[i].name, functions[i].forms);
		assert_true(i == 0 || strcasecmp(functions[i - 1].name, functions[i].name) < 0);
	}
	assert_int_equal(n, 622);
}

TEST(only_names_of_the_standard_are_mpi)
{
	static const char *const others[] = {
		"mpi_kernel",
		"mpi_util::f",
		"mpi",
		"MPI_",
		"PMPI_",
		"MPI_Sending",
		"MPI_Isolve",
		"mpi_io_init",
		"MPI_Ibarrier_c",
		"MPI_Probe_c",
		"MPI_Wait_init",
		"MPI_Iput",
		"MPI_Iinit",
		"MPI_Ibcast_init",
		"solve",
		"MPI_Bcast_c_c",
		"MPIX_Send",
		"",
		"p",
		"_MPI_Send",
	};
	struct meaning m;
	char name[MPI_NAME_SIZE];

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (meaning_of_mpi(others[i], &m) || mpi_standard_name(others[i], name))
			fail_msg("'%s' is no function of MPI", others[i]);
	assert_true(meaning_of_mpi("MPI_T_pvar_start", &m));
	assert_int_equal(m.cls, CLASS_MPI_OTHER);
}

/* What is missing where a call was not recorded: MPI 4.0 says what each does. */
TEST(functions_that_communicate_wait_or_make_requests)
{
	static const char *const matter[] = {
		"MPI_Send_c",    "MPI_Recv_c",       "MPI_Irecv_c",    "MPI_Psend_init",
		"MPI_Bcast_c",   "MPI_Ibarrier",     "MPI_Put_c",      "MPI_Rget",
		"MPI_Win_fence", "MPI_Win_lock",     "MPI_Win_wait",   "MPI_Probe",
		"MPI_Waitall",   "MPI_Comm_idup",    "MPI_Start",      "MPI_File_iread",
		"MPI_Win_flush", "MPI_File_read_c",  "MPI_Isendrecv",  "MPI_Session_init",
		"MPI_Comm_dup",  "MPI_Session_init", "MPI_Win_create", "MPI_Comm_create_from_group",
	};
	static const char *const ask[] = {
		"MPI_Wtime",       "MPI_Wtick",          "MPI_Initialized",   "MPI_Get_count",
		"MPI_Finalized",   "MPI_Comm_rank",      "MPI_Type_size_c",   "MPI_Info_set",
		"MPI_Pcontrol",    "MPI_Get_address",    "MPI_Comm_get_attr", "MPI_Error_string",
		"MPI_Type_commit", "MPI_Test_cancelled", "MPI_Win_get_attr",  "MPI_Parrived",
	};
	struct meaning m;

	for (size_t i = 0; i < sizeof matter / sizeof *matter; i++)
		if (!meaning_of_mpi(matter[i], &m) || !meaning_communicates(&m))
			fail_msg("%s communicates", matter[i]);
	for (size_t i = 0; i < sizeof ask / sizeof *ask; i++)
		if (!meaning_of_mpi(ask[i], &m) || meaning_communicates(&m))
			fail_msg("%s only asks", ask[i]);
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Functions that a header declares: MPI_, a capital, some small letter, a bracket. */
static unsigned check_header(const char *path)
{
	static char text[1 << 20];
	FILE *file = fopen(path, "r");
	unsigned n = 0;
	size_t length;

	if (!file)
		return 0;
	length = fread(text, 1, sizeof text - 1, file);
	text[length] = '\0';
	fclose(file);
	for (char *at = text; (at = strstr(at, "MPI_")) != NULL;) {
		size_t end = 4, small = 0;
		struct meaning m;
		char *name = at;
		while (is_word(at[end])) {
			small += at[end] >= 'a' && at[end] <= 'z';
			end++;
		}
		at += end;
		if (*at != '(' || !small || (name > text && is_word(name[-1])) || name[4] < 'A' ||
		    name[4] > 'Z')
			continue;
		*at = '\0';
		if (!meaning_of_mpi(name, &m))
			fail_msg("the table does not know %s of %s", name, path);
		n++;
		*at++ = '(';
	}
	return n;
}

/* All functions that the MPIs of this machine declare. */
TEST(no_function_of_an_installed_mpi_is_missing)
{
	static const char *const compilers[] = { "mpicc", "mpicc.mpich", "mpicc.openmpi" };
	static const char *const headers[] = { "mpi.h", "mpi_proto.h", "mpio.h" };
	unsigned n = 0;

	for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
		char command[64], line[4096] = "", path[4200];
		FILE *pipe;
		snprintf(command, sizeof command, "%s -show 2>/dev/null", compilers[c]);
		pipe = popen(command, "r");
		if (!pipe)
			continue;
		if (!fgets(line, sizeof line, pipe))
			line[0] = '\0';
		pclose(pipe);
		for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
			for (size_t h = 0; strncmp(word, "-I", 2) == 0 && h < 3; h++) {
				snprintf(path, sizeof path, "%s/%s", word + 2, headers[h]);
				n += check_header(path);
			}
	}
	if (n == 0)
		skip();
	assert_true(n > 300);
}

TEST(capture_records_only_what_the_table_knows)
{
	static const char *const names[] = {
#define TV_CALL(name, ...) "MPI_" #name,
#include "capture/lib/calls.def"
	};
	char name[MPI_NAME_SIZE];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!mpi_standard_name(names[i], name))
			fail_msg("the table does not know %s", names[i]);
		assert_string_equal(name, names[i]);
	}
}

TEST(base_names)
{
	static const char *const cases[][2] = {
		{ "mpi_ibcast_", "MPI_Bcast" },
		{ "MPI_Reduce_scatter_block_init_c", "MPI_Reduce_scatter_block" },
		{ "MPI_Isend_c", "MPI_Send" },
		{ "MPI_Irecv", "MPI_Recv" },
		{ "MPI_Init", "MPI_Init" },
		{ "MPI_Iprobe", "MPI_Iprobe" },
		{ "MPI_Improbe", "MPI_Improbe" },
		{ "MPI_Initialized", "MPI_Initialized" },
	};
	char name[MPI_NAME_SIZE];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(mpi_base_name(cases[i][0], name));
		assert_string_equal(name, cases[i][1]);
	}
}

/* ---- what functions mean ---- */

static const struct {
	const char *name;
	enum region_class cls;
	enum region_family family;
	enum call_kind call;
	enum collective_kind collective;
	enum request_use request;
} functions[] = {
	{ "MPI_Send", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_SEND, 0, 0 },
	{ "MPI_Ssend_c", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_SEND, 0, 0 },
	{ "MPI_Bsend", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_SEND_LOCAL, 0, 0 },
	{ "MPI_Issend", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_SEND_LOCAL, 0, REQUEST_STARTS },
	{ "MPI_Irecv", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_POST, 0, REQUEST_STARTS },
	{ "MPI_Imrecv_c", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_POST, 0, REQUEST_STARTS },
	{ "MPI_Isendrecv", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_POST, 0, REQUEST_STARTS },
	{ "MPI_Recv_init", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_OTHER, 0, REQUEST_CREATES },
	{ "MPI_Psend_init", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_OTHER, 0, REQUEST_CREATES },
	{ "MPI_Startall", CLASS_P2P, FAMILY_MPI, CALL_POST, 0, REQUEST_RESTARTS },
	{ "MPI_Waitsome", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_WAITALL, 0,
	  REQUEST_COMPLETES_SOME },
	{ "MPI_Testany", CLASS_P2P, FAMILY_POINT_TO_POINT, CALL_TEST, 0, REQUEST_TESTS_ANY },
	{ "MPI_Cancel", CLASS_P2P, FAMILY_MPI, CALL_OTHER, 0, REQUEST_CANCELS },
	{ "MPI_Barrier", CLASS_SYNC, FAMILY_BARRIER, CALL_COLLECTIVE, COLLECTIVE_BARRIER, 0 },
	{ "MPI_Ibarrier", CLASS_SYNC, FAMILY_BARRIER, CALL_OTHER, COLLECTIVE_BARRIER,
	  REQUEST_STARTS },
	{ "MPI_Iscatterv", CLASS_COLLECTIVE, FAMILY_COLLECTIVE, CALL_OTHER, COLLECTIVE_ONE_TO_ALL,
	  REQUEST_STARTS },
	{ "MPI_Reduce_init_c", CLASS_COLLECTIVE, FAMILY_COLLECTIVE, CALL_OTHER,
	  COLLECTIVE_ALL_TO_ONE, REQUEST_CREATES },
	{ "MPI_Allreduce", CLASS_COLLECTIVE, FAMILY_COLLECTIVE, CALL_COLLECTIVE,
	  COLLECTIVE_ALL_TO_ALL, 0 },
	{ "MPI_Alltoallw", CLASS_COLLECTIVE, FAMILY_COLLECTIVE, CALL_COLLECTIVE, COLLECTIVE_VECTOR,
	  0 },
	{ "MPI_Exscan", CLASS_COLLECTIVE, FAMILY_COLLECTIVE, CALL_COLLECTIVE, COLLECTIVE_PREFIX,
	  0 },
	{ "MPI_Ineighbor_alltoallw", CLASS_COLLECTIVE, FAMILY_COLLECTIVE, CALL_OTHER,
	  COLLECTIVE_NEIGHBOURS, REQUEST_STARTS },
	{ "MPI_Init_thread", CLASS_START_END, FAMILY_START_END, CALL_INIT, COLLECTIVE_INIT, 0 },
	{ "MPI_Finalize", CLASS_START_END, FAMILY_START_END, CALL_FINALIZE, COLLECTIVE_FINALIZE,
	  0 },
	{ "MPI_Session_init", CLASS_START_END, FAMILY_START_END, CALL_OTHER, 0, 0 },
	{ "MPI_Put", CLASS_RMA, FAMILY_RMA, CALL_OTHER, 0, 0 },
	{ "MPI_Rget_accumulate_c", CLASS_RMA, FAMILY_RMA, CALL_OTHER, 0, REQUEST_STARTS },
	{ "MPI_Win_fence", CLASS_SYNC, FAMILY_RMA_ACTIVE, CALL_OTHER, 0, 0 },
	{ "MPI_Win_unlock_all", CLASS_SYNC, FAMILY_RMA_PASSIVE, CALL_OTHER, 0, 0 },
	{ "MPI_Win_allocate", CLASS_MPI_OTHER, FAMILY_WINDOW, CALL_OTHER, COLLECTIVE_CREATES, 0 },
	{ "MPI_Comm_idup", CLASS_MPI_OTHER, FAMILY_COMMUNICATOR, CALL_OTHER, COLLECTIVE_CREATES,
	  REQUEST_STARTS },
	{ "MPI_Comm_free", CLASS_MPI_OTHER, FAMILY_COMMUNICATOR, CALL_OTHER, COLLECTIVE_RELEASES,
	  0 },
	{ "MPI_File_iread_at", CLASS_IO, FAMILY_FILE_INDIVIDUAL, CALL_OTHER, 0, REQUEST_STARTS },
	{ "MPI_File_write_all_begin", CLASS_IO, FAMILY_FILE_COLLECTIVE, CALL_OTHER, COLLECTIVE_FILE,
	  0 },
	{ "MPI_File_set_view", CLASS_IO, FAMILY_FILE, CALL_OTHER, COLLECTIVE_FILE, 0 },
	{ "MPI_File_seek", CLASS_IO, FAMILY_FILE, CALL_OTHER, 0, 0 },
	{ "MPI_File_open", CLASS_IO, FAMILY_FILE, CALL_OTHER, COLLECTIVE_CREATES, 0 },
	{ "MPI_Type_commit", CLASS_MPI_OTHER, FAMILY_MPI, CALL_OTHER, 0, 0 },
};

TEST(functions_mean_what_the_standard_says)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		struct meaning m;
		assert_true(meaning_of_mpi(functions[i].name, &m));
		if (m.cls != functions[i].cls || m.family != functions[i].family ||
		    m.call != functions[i].call || m.collective != functions[i].collective ||
		    m.request != functions[i].request)
			fail_msg("%s: class %d family %d call %d collective %d request %d",
				 functions[i].name, m.cls, m.family, m.call, m.collective,
				 m.request);
	}
}

TEST(bytes_of_collectives)
{
	static const struct {
		const char *name;
		enum byte_rule sent, received;
	} cases[] = {
		{ "MPI_Barrier", BYTES_NONE, BYTES_NONE },
		{ "MPI_Bcast", BYTES_ROOT_PARTS, BYTES_PART },
		{ "MPI_Scatterv", BYTES_ROOT_SUM, BYTES_PART },
		{ "MPI_Igather", BYTES_PART, BYTES_ROOT_PARTS },
		{ "MPI_Gatherv_init_c", BYTES_PART, BYTES_ROOT_SUM },
		{ "MPI_Reduce", BYTES_PART, BYTES_ROOT_PARTS },
		{ "MPI_Allreduce", BYTES_PARTS, BYTES_PARTS },
		{ "MPI_Allgatherv", BYTES_PARTS, BYTES_SUM },
		{ "MPI_Scan", BYTES_ABOVE, BYTES_BELOW },
		{ "MPI_Exscan", BYTES_ABOVE_OWN, BYTES_BELOW_OWN },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct meaning m;
		assert_true(meaning_of_mpi(cases[i].name, &m));
		if (m.sent != cases[i].sent || m.received != cases[i].received)
			fail_msg("%s: sent %d received %d", cases[i].name, m.sent, m.received);
	}
}

/* ---- regions of any kind ---- */

static const struct {
	const char *name;
	enum region_class recorded;
	uint8_t role, paradigm;
	enum region_class cls;
	enum region_family family;
} regions[] = {
	/* tview's own files: the class says whether it is MPI's, the table what. */
	{ "mpi_kernel", CLASS_USER, 0, 0, CLASS_USER, FAMILY_COMPUTATION },
	{ "MPI_Send", CLASS_USER, 0, 0, CLASS_USER, FAMILY_COMPUTATION },
	{ "MPI_Init", CLASS_MPI_OTHER, 0, 0, CLASS_START_END, FAMILY_START_END },
	{ "MPI_Put", CLASS_MPI_OTHER, 0, 0, CLASS_RMA, FAMILY_RMA },
	{ "MPI_Ibarrier", CLASS_COLLECTIVE, 0, 0, CLASS_SYNC, FAMILY_BARRIER },
	{ "MPI_Newer_function", CLASS_MPI_OTHER, 0, 0, CLASS_MPI_OTHER, FAMILY_MPI },
	{ "tview_setup", CLASS_OVERHEAD, 0, 0, CLASS_OVERHEAD, FAMILY_OVERHEAD },
	/* PICL's commands. */
	{ "sync0", CLASS_SYNC, 0, 0, CLASS_SYNC, FAMILY_BARRIER },
	{ "clocksync0", CLASS_SYNC, 0, 0, CLASS_OVERHEAD, FAMILY_OVERHEAD },
	{ "idle", CLASS_SYNC, 0, 0, CLASS_SYNC, FAMILY_IDLE },
	{ "idle", CLASS_USER, 0, 0, CLASS_USER, FAMILY_COMPUTATION },
	{ "sync0", CLASS_SYNC, REGION_ROLE_BARRIER, PARADIGM_MPI, CLASS_SYNC, FAMILY_BARRIER },
	/* OTF2: paradigm and role. */
	{ "mpi_util::f", CLASS_COUNT, 1, PARADIGM_COMPILER, CLASS_USER, FAMILY_COMPUTATION },
	{ "MPI_Send", CLASS_COUNT, 1, PARADIGM_COMPILER, CLASS_USER, FAMILY_COMPUTATION },
	{ "mpi_send_", CLASS_COUNT, 1, PARADIGM_USER, CLASS_P2P, FAMILY_POINT_TO_POINT },
	{ "mpi_kernel_", CLASS_COUNT, 1, PARADIGM_USER, CLASS_USER, FAMILY_COMPUTATION },
	{ "MPI_Win_lock", CLASS_COUNT, REGION_ROLE_RMA, PARADIGM_MPI, CLASS_SYNC,
	  FAMILY_RMA_PASSIVE },
	{ "MPI_Newer", CLASS_COUNT, REGION_ROLE_ONE_TO_ALL, PARADIGM_MPI, CLASS_COLLECTIVE,
	  FAMILY_COLLECTIVE },
	{ "shmem_put", CLASS_COUNT, REGION_ROLE_RMA, PARADIGM_SHMEM, CLASS_RMA, FAMILY_RMA },
	{ "a.out", CLASS_COUNT, 31, PARADIGM_MEASUREMENT, CLASS_USER, FAMILY_COMPUTATION },
	{ "TRACE BUFFER FLUSH", CLASS_COUNT, 31, PARADIGM_MEASUREMENT, CLASS_OVERHEAD,
	  FAMILY_OVERHEAD },
	{ "fwrite", CLASS_COUNT, REGION_ROLE_FILE_IO, 0, CLASS_IO, FAMILY_FILE_INDIVIDUAL },
	/* Threads. */
	{ "!$omp implicit barrier @x.c:1", CLASS_COUNT, REGION_ROLE_IMPLICIT_BARRIER,
	  PARADIGM_OPENMP, CLASS_SYNC, FAMILY_OMP_IMPLICIT_BARRIER },
	{ "!$omp critical sblock @x.c:1", CLASS_COUNT, 13, PARADIGM_OPENMP, CLASS_USER,
	  FAMILY_COMPUTATION },
	{ "omp_set_lock", CLASS_COUNT, 1, PARADIGM_OPENMP, CLASS_SYNC, FAMILY_OMP_LOCK },
	{ "pthread_mutex_lock", CLASS_COUNT, 1, PARADIGM_PTHREAD, CLASS_SYNC,
	  FAMILY_PTHREAD_MUTEX },
	{ "pthread_create", CLASS_COUNT, 32, PARADIGM_PTHREAD, CLASS_USER,
	  FAMILY_PTHREAD_MANAGEMENT },
	{ "omp_get_work", CLASS_COUNT, 1, PARADIGM_COMPILER, CLASS_USER, FAMILY_COMPUTATION },
	/* Accelerators. */
	{ "hipEventSynchronize", CLASS_COUNT, 2, PARADIGM_HIP, CLASS_DEVICE, FAMILY_DEVICE_WAIT },
	{ "cudaDeviceSynchronize", CLASS_COUNT, 2, PARADIGM_CUDA, CLASS_DEVICE,
	  FAMILY_DEVICE_WAIT },
	{ "clFinish", CLASS_COUNT, 2, PARADIGM_OPENCL, CLASS_DEVICE, FAMILY_DEVICE_WAIT },
	{ "hipMalloc", CLASS_COUNT, 35, PARADIGM_HIP, CLASS_USER, FAMILY_COMPUTATION },
};

TEST(what_was_recorded_decides)
{
	for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
		struct meaning m = meaning_of_region(regions[i].name, regions[i].recorded,
						     regions[i].role, regions[i].paradigm);
		if (m.cls != regions[i].cls || m.family != regions[i].family)
			fail_msg("%s: class %s, family %d", regions[i].name,
				 region_class_name(m.cls), m.family);
		/* The class that a trace keeps means the same when it is asked again. */
		m = meaning_of_region(regions[i].name, m.cls, regions[i].role, regions[i].paradigm);
		if (m.cls != regions[i].cls || m.family != regions[i].family)
			fail_msg("%s, again: class %s, family %d", regions[i].name,
				 region_class_name(m.cls), m.family);
	}
}

/* ---- classes ---- */

TEST(classes_have_keys_and_titles)
{
	for (int a = 0; a < CLASS_COUNT; a++) {
		const char *key = region_class_name((enum region_class)a);
		assert_int_equal(region_class_find(key, strlen(key)), a);
		assert_true(strlen(region_class_title((enum region_class)a)) <= 24);
		for (int b = 0; b < a; b++)
			assert_string_not_equal(region_class_title((enum region_class)a),
						region_class_title((enum region_class)b));
	}
	assert_int_equal(region_class_find("mpi_other", 9), CLASS_COUNT);
	assert_int_equal(region_class_find("us", 2), CLASS_COUNT);
}
