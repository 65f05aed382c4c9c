/* meaning: the meaning of a region: the one place that knows the functions of MPI-1 to MPI-4.1
 * (mpi.def), PICL's own commands, OpenMP, POSIX threads and accelerators. Colours, clock condition,
 * patterns, writers and capture ask here.
 *
 * What was recorded decides: the class in tview's own files, role and paradigm in OTF2. A name
 * decides only if nothing else is known, and counts as MPI's only if the standard has it:
 * mpi_kernel() is the user's.
 *
 *	struct meaning m;
 *	if (meaning_of_mpi("mpi_ireduce_", &m))
 *		m.cls		CLASS_COLLECTIVE
 *		m.collective	COLLECTIVE_ALL_TO_ONE
 *		m.request	REQUEST_STARTS
 *
 * A look-up searches tables: ask once for a definition, not for an event. Constant data: any
 * thread may ask.
 *
 * To add a function of MPI: one line in mpi.def; where no kind fits, one in meaning_kinds.def. The
 * capture library records it once it is in calls.def. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/meaning/class.h"
#include "model/meaning/recorded.h"

/* Whose time it is, as Scalasca's tree of metrics divides it. */
enum region_family {
	FAMILY_COMPUTATION,
	FAMILY_IDLE, /* no computation, and nothing else known */
	FAMILY_OVERHEAD,
	FAMILY_DEVICE_WAIT,
	FAMILY_MPI, /* of no family below */
	FAMILY_START_END,
	FAMILY_COMMUNICATOR,
	FAMILY_WINDOW,
	FAMILY_FILE,
	FAMILY_BARRIER,
	FAMILY_RMA_ACTIVE,
	FAMILY_RMA_PASSIVE,
	FAMILY_RMA,
	FAMILY_POINT_TO_POINT,
	FAMILY_COLLECTIVE,
	FAMILY_FILE_INDIVIDUAL,
	FAMILY_FILE_COLLECTIVE,
	FAMILY_OMP,
	FAMILY_OMP_MANAGEMENT,
	FAMILY_OMP_BARRIER,
	FAMILY_OMP_IMPLICIT_BARRIER,
	FAMILY_OMP_CRITICAL,
	FAMILY_OMP_LOCK,
	FAMILY_OMP_ORDERED,
	FAMILY_OMP_TASK_WAIT,
	FAMILY_OMP_FLUSH,
	FAMILY_PTHREAD,
	FAMILY_PTHREAD_MANAGEMENT,
	FAMILY_PTHREAD_MUTEX,
	FAMILY_PTHREAD_CONDITION,
	FAMILY_COUNT
};

/* The role of a call in the formulas of waiting. */
enum call_kind {
	CALL_OTHER,      /* not of MPI, or of no interest */
	CALL_SEND,       /* MPI_Send, MPI_Ssend: blocks until it is done */
	CALL_SEND_LOCAL, /* MPI_Bsend, MPI_Rsend, MPI_Isend ...: no Late Receiver */
	CALL_RECV,       /* MPI_Recv, MPI_Mrecv */
	CALL_SENDRECV,
	CALL_POST,    /* MPI_Irecv, MPI_Start ...: posts and returns */
	CALL_WAIT,    /* MPI_Wait, MPI_Waitany */
	CALL_WAITALL, /* MPI_Waitall, MPI_Waitsome: the largest wait counts, once */
	CALL_TEST,    /* never waits */
	CALL_PROBE,   /* MPI_Probe, MPI_Mprobe: blocks until there is a message */
	CALL_PEEK,    /* MPI_Iprobe, MPI_Improbe: never waits */
	CALL_COLLECTIVE,
	CALL_INIT,
	CALL_FINALIZE,
	CALL_DEVICE, /* returns when an accelerator has finished */
};

/* Which ranks of a collective cannot leave before which others have entered. */
enum collective_kind {
	COLLECTIVE_NONE,
	COLLECTIVE_BARRIER,
	COLLECTIVE_ONE_TO_ALL, /* from the root */
	COLLECTIVE_ALL_TO_ONE, /* to the root */
	COLLECTIVE_ALL_TO_ALL,
	COLLECTIVE_PREFIX,     /* from all lower ranks */
	COLLECTIVE_VECTOR,     /* MPI_Alltoallv, MPI_Alltoallw: the pairs are not recorded */
	COLLECTIVE_NEIGHBOURS, /* all to all between neighbours of a topology */
	COLLECTIVE_INIT,       /* MPI_Init, MPI_Init_thread */
	COLLECTIVE_FINALIZE,
	COLLECTIVE_CREATES,  /* a communicator, window or file: no order is known */
	COLLECTIVE_RELEASES, /* the same, at its end */
	COLLECTIVE_FILE,     /* of all ranks of a file, which may be made to wait or not */
	COLLECTIVE_OMP_BARRIER,
};

/* Bytes that one rank sends to a collective, or receives, as Score-P counts them: b = bytes of one
 * part, n = ranks, i = own rank. The rank's own part counts, unless the call is in place. */
enum byte_rule {
	BYTES_NONE,
	BYTES_PART,       /* b */
	BYTES_PARTS,      /* n b */
	BYTES_SUM,        /* sum over parts of different sizes */
	BYTES_ABOVE,      /* (n - i) b: for the own rank and the ranks above */
	BYTES_ABOVE_OWN,  /* (n - i - 1) b */
	BYTES_BELOW,      /* (i + 1) b */
	BYTES_BELOW_OWN,  /* i b */
	BYTES_ROOT_PARTS, /* n b at the root, others none */
	BYTES_ROOT_SUM,
};

enum request_use {
	REQUEST_NONE,
	REQUEST_STARTS,  /* makes a request that is under way */
	REQUEST_CREATES, /* makes a persistent request that is not under way */
	REQUEST_RESTARTS,
	REQUEST_COMPLETES,      /* the one */
	REQUEST_COMPLETES_ANY,  /* one of several */
	REQUEST_COMPLETES_SOME, /* at least one of several */
	REQUEST_COMPLETES_ALL,
	REQUEST_TESTS, /* may complete the one */
	REQUEST_TESTS_ANY,
	REQUEST_TESTS_SOME,
	REQUEST_TESTS_ALL,
	REQUEST_LOOKS, /* MPI_Request_get_status: completes none */
	REQUEST_CANCELS,
	REQUEST_FREES,
};

/* The kind of operation, where the family is too coarse. */
enum operation_kind {
	OPERATION_PLAIN,
	OPERATION_PROBE, /* MPI_Probe, MPI_Mprobe: waits for a message and does not receive it */
	OPERATION_PUT,
	OPERATION_GET,
	OPERATION_ATOMIC,
	OPERATION_FENCE,
	OPERATION_POST,
	OPERATION_START,
	OPERATION_COMPLETE,
	OPERATION_WAIT,
	OPERATION_CREATE_WINDOW,
	OPERATION_FREE_WINDOW,
	OPERATION_READ,
	OPERATION_WRITE,
};

/* Forms of a function, by its name: MPI_Bcast, MPI_Ibcast, MPI_Bcast_init; each also with _c. */
enum meaning_form { FORM_BLOCKING, FORM_NONBLOCKING, FORM_PERSISTENT };

struct meaning {
	enum region_class cls;
	enum region_family family;
	enum call_kind call;
	enum collective_kind collective;
	enum byte_rule sent, received; /* of a collective */
	enum request_use request;
	enum operation_kind operation;
	enum meaning_form form;
};

/* ---- MPI ---- */

enum { MPI_NAME_SIZE = 48 };

/* The standard's spelling of a function in any spelling: "mpi_send_", "MPI_SEND", "PMPI_Send" and
 * "mpi_send_f08ts_" are "MPI_Send". False, and name is not written: MPI has no such function. */
bool mpi_standard_name(const char *spelling, char name[MPI_NAME_SIZE]);
/* The same without its form: "MPI_Ibcast" and "MPI_Bcast_init_c" are "MPI_Bcast". */
bool mpi_base_name(const char *spelling, char name[MPI_NAME_SIZE]);
/* What a function means, in any spelling; false where MPI has no such function. */
bool meaning_of_mpi(const char *spelling, struct meaning *meaning);

/* True if the function sends, receives, waits, or makes requests, communicators or windows: without
 * its record a trace is incomplete. Functions that only inquire do not matter. */
bool meaning_communicates(const struct meaning *meaning);

/* ---- regions of any kind ---- */

/* One of PICL's own commands and events: "send0", "sync0", "idle". */
bool meaning_of_picl(const char *name, struct meaning *meaning);

/* False: the region was found on the stack of calls, and enters and leaves with each of them. How
 * often it was entered is not known. */
static inline bool meaning_counts_visits(uint8_t paradigm)
{
	return paradigm != PARADIGM_SAMPLING;
}

/* The meaning of a region by its name, class (CLASS_COUNT: not recorded), and OTF2's numbers of
 * role and paradigm (0: not recorded). */
struct meaning meaning_of_region(const char *name, enum region_class recorded, uint8_t role,
				 uint8_t paradigm);

/* ---- what follows from a meaning ---- */

static inline bool collective_has_root(enum collective_kind kind)
{
	return kind == COLLECTIVE_ONE_TO_ALL || kind == COLLECTIVE_ALL_TO_ONE;
}
