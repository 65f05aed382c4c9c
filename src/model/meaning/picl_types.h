/* picl_types: the event types of PICL 2.0 and MPICL: names, classes, and roles in the matching of
 * messages and collectives. Constant data; the numbers are the report's (ORNL/TM-12125, tables 4
 * and 5) and MPICL's tracedefs.h.
 *
 *	const struct picl_type *type = picl_type_find(-52);
 *	type->name	"recv0"
 *	type->mpi	"MPI_Recv"
 *	type->role	ROLE_RECV */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/meaning/class.h"

enum {
	TYPE_ALL = -1, /* the wildcard */
	TYPE_TRACING = -901,
	TYPE_FULL = -913,
	TYPE_WRAP = -914,
	PROCESSOR_HOST = 32767,
	PROCESSOR_HOST_OLD = -32768, /* in PICL 1.x */
};

/* The data of a type's entry and exit records. The fields are those of the report's tables 7 to 13;
 * after them tview writes communicator and call site (doc/format.md). */
enum picl_role {
	ROLE_PLAIN,       /* no data for matching */
	ROLE_SEND,        /* entry: bytes, tag, destination, process */
	ROLE_SEND_BEGIN,  /* entry: the same; exit: request */
	ROLE_SEND_DONE,   /* entry: request, which is complete at the exit */
	ROLE_SEND_TEST,   /* entry: request, not complete */
	ROLE_SEND_CANCEL, /* entry: request */
	ROLE_RECV,        /* entry: tag, source, process; exit: bytes, tag, source, process */
	ROLE_PROBE,       /* the same, but no message is taken */
	ROLE_RECV_BEGIN,  /* entry: tag, source, process; exit: request */
	ROLE_RECV_DONE,   /* entry: request; exit: bytes, tag, source, process */
	ROLE_RECV_TEST,   /* entry: request, not complete */
	ROLE_RECV_CANCEL, /* entry: request */
	ROLE_BARRIER,     /* entry: communicator */
	ROLE_COLLECTIVE,  /* entry: bytes, communicator; exit: bytes */
	ROLE_ROOTED,      /* entry: bytes, root, communicator; exit: bytes */
	ROLE_IO,          /* fields are kept as text */
	ROLE_TRACING,     /* entry and exit bound what is traced */
};

struct picl_type {
	int32_t type;
	uint8_t role;     /* enum picl_role */
	uint8_t mode;     /* of a send: 0 standard, 1 buffered, 2 synchronous, 3 ready */
	bool blocked;     /* the call waited */
	const char *name; /* the report's command or event, else MPICL's MPI function */
	const char *mpi;  /* MPI function that it represents, NULL none */
};

/* NULL if neither the report nor MPICL has the number. */
const struct picl_type *picl_type_find(int32_t type);

/* The name of a PICL or MPICL event type: "recv0", "MPI_Bcast", NULL without; and its class. */
const char *picl_type_name(int32_t type);
enum region_class picl_type_class(int32_t type);
/* The event type of an MPI function ("MPI_Send": -21), 0 where it has no number. */
int32_t picl_type_of_mpi(const char *function);

/* True if a subset type of the report's table 5 (-1001 ... -1902) contains a type. */
bool picl_subset_holds(int32_t subset, int32_t type);
