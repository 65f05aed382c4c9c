/* order_counts: what a process counts of its receives from any source where virtual time is kept
 * (hold.h); in its file's header (record.h), where it grows while the process runs. libc alone. */
#pragma once

#include <stdint.h>

/* Why a receive from any source was not controlled (hold.h). */
enum tv_uncontrolled {
	TV_UNCONTROLLED_ELSEWHERE, /* ranks of other nodes or jobs can send to it */
	TV_UNCONTROLLED_THREADS,   /* several threads of a rank call MPI */
	TV_UNCONTROLLED_OFF,       /* recording was off, or MPI called back what received */
	TV_UNCONTROLLED_POSTED,    /* an earlier receive from any source was pending */
	TV_UNCONTROLLED_MANY,      /* more messages were under way than are kept */
	TV_UNCONTROLLED_UNTOLD,    /* its message came from a call that was not recorded */
	TV_UNCONTROLLED_STARTED,   /* it is nonblocking, and MPI chose */
	TV_UNCONTROLLED_SILENT,    /* another node of the job did not answer (far.h) */
	TV_UNCONTROLLED_CALL,      /* MPI_Sendrecv_replace and the like, which are never */
	TV_UNCONTROLLEDS
};

/* Receives from any source in virtual time. */
struct tv_order {
	uint64_t wildcards;        /* of the process */
	uint64_t held, held_ticks; /* till no rank could send earlier any more; how long */
	uint64_t close;            /* two senders were closer than latencies differ */
	uint64_t departed;         /* MPI chose another sender than in virtual time */
	uint64_t uncontrolled[TV_UNCONTROLLEDS];
	/* Questions to other nodes, each with its answer: for receives, for the times of messages
	 * that came from there, and for their clocks before the first one. */
	uint64_t exchanges, fetches, clocks;
	uint64_t again;    /* of the first, those to a node that was asked for the same receive */
	uint64_t narrowed; /* questions that were moved to an earlier time, with the same answer */
	uint64_t unsure;   /* as `close`, but by what the clocks of two nodes differ */
	uint64_t among;    /* choices of MPI_Waitany and its like among several receives, by MPI */
	/* Within the node nothing is sent: so often the lines of all ranks were read for receives,
	 * and so often it followed for one that waits that some can send earlier. */
	uint64_t looks, collected;
	uint64_t strangers; /* connections that were not of the job (far_clients.h) */
};
