/* inflight: the message that an MPI_Request refers to, from the call that starts it to the one that
 * completes it, whichever thread that is in (request_table.h).
 *
 * A handle that the library shares among all requests that are complete at once is never here: its
 * send is written as complete when it starts. Handles that are not here (generalised requests)
 * are skipped. */
#pragma once

#include "capture/lib/mpi/refused.h"

#include "capture/lib/carry.h"
#include "capture/lib/mpi/comms.h"
#include "capture/lib/mpi/written.h"

enum tv_request_kind {
	TV_REQUEST_MESSAGE,
	TV_REQUEST_COLLECTIVE,
	TV_REQUEST_ACCESS,
	TV_REQUEST_FILE, /* has a communicator if it is of all ranks */
	TV_REQUEST_COMM, /* makes one */
};

/* The root is in this rank's group of an inter-communicator. */
enum { TV_REQUEST_BESIDE = -2 };

struct tv_request {
	const struct tv_comm *comm;
	/* Of all but messages: those that this rank gives. TV_REQUEST_COMM: which call on its
	 * parent made it. */
	uint64_t bytes;
	union {
		uint64_t posted; /* ticks: when it was started */
		uint64_t ticket; /* of a collective and TV_REQUEST_COMM (carry.h); 0 none */
	};
	union {
		/* Of a receive: the row of the statement that started it, the bytes are added
		 * there. */
		struct tv_statistic *row;
		uint64_t received; /* and those that it gets */
		struct {
			uint32_t partitions, ready; /* of a partitioned send, else 0 */
		};
		MPI_Comm *made; /* TV_REQUEST_COMM: the program's variable */
	};
	union {
		int32_t peer;
		int32_t root; /* of a collective; -1 none, TV_REQUEST_BESIDE */
	};
	union {
		int32_t tag;
		uint32_t window; /* of an access */
		uint32_t nth;    /* of a persistent collective: which one of its communicator */
	};
	uint32_t id; /* of the running communication, from 1; new each time it starts */
	union {
		uint32_t row_thread; /* of a receive */
		bool from_all;       /* of a collective: TV_OPERANDS_FROM_ALL */
	};
	uint16_t call;    /* that starts it; of a persistent one, that makes it */
	uint8_t mode;     /* of an access: enum tv_rma_what; of a collective: enum virtual_rule */
	uint8_t kind : 3; /* enum tv_request_kind */
	uint8_t recv : 1, persistent : 1, active : 1, cancel : 1;
	uint8_t exchange : 1; /* MPI_Isendrecv: a receive, and a send, if that has an id */
	union {
		uint32_t sent;   /* its id */
		uint32_t starts; /* of a persistent collective, so far */
	};
};

struct request_cell;

/* A number that no other request of the process has. */
uint32_t tv_request_number(struct tv_thread *t);

/* In tv_request_start(): the call starts several. */
#define TV_CALL_SEVERAL UINT32_MAX

/* A communication was started (or, persistent, made ready to start) at `time`. For those that run
 * it writes the record: TV_SEND, TV_RECV_REQUEST, TV_COLL_REQUEST, TV_RMA. */
void tv_request_add(struct tv_thread *t, MPI_Request handle, struct tv_request request,
		    uint64_t time);

/* The same of a message, by the call under way. */
struct tv_start {
	uint16_t call;
	uint8_t mode; /* as in tv_request */
	bool recv, persistent;
};
void tv_request_message(struct tv_thread *t, MPI_Request handle, const struct tv_start *how,
			const struct tv_comm *comm, uint64_t bytes, int peer, int tag);

/* MPI_Isendrecv: `request` is its receive with the bytes of its send, which goes to `dest`. */
void tv_request_exchange(struct tv_thread *t, MPI_Request handle, struct tv_request request,
			 int dest, int tag);

/* So many more partitions are ready to be sent. */
void tv_request_ready(struct tv_thread *t, MPI_Request handle, int partitions);

/* MPI_Start of a persistent one; `call` or TV_CALL_SEVERAL. */
void tv_request_start(struct tv_thread *t, MPI_Request handle, uint32_t call, uint64_t time);

/* After the end of a call that started several: the bytes that this one receives will be that
 * call's. */
void tv_request_started(struct tv_thread *t, MPI_Request handle);

/* Before a call that may complete it, where other threads may be given the handle by then: the
 * request is this thread's until one of the next three says what became of it. NULL: there is none,
 * or no other thread. */
struct request_cell *tv_request_claim(MPI_Request handle);

/* The call under way waits for it, maybe among others (calling.h). */
void tv_request_awaited(struct tv_thread *t, MPI_Request handle, struct request_cell *claimed);

/* NULL: nothing is known of it. */
const struct tv_request *tv_request_look(MPI_Request handle, struct request_cell *claimed);

/* The number of a receive that is not complete; 0: it is none. */
static inline uint32_t tv_request_receives(MPI_Request handle)
{
	const struct tv_request *r = tv_request_look(handle, NULL);

	return r && r->kind == TV_REQUEST_MESSAGE && r->recv && r->active ? r->id : 0;
}

/* World rank of the one that sends what it receives; -1: not known, or no receive. */
static inline int tv_request_sender(MPI_Request handle)
{
	const struct tv_request *r = tv_request_look(handle, NULL);

	return r && r->kind == TV_REQUEST_MESSAGE && r->recv && r->comm
		       ? tv_comm_world_rank(r->comm, r->peer)
		       : -1;
}

/* Adds to `wait` for whom it waits. */
void tv_request_waits(MPI_Request handle, struct request_cell *claimed, struct tv_line_wait *wait);

/* The handle was completed by a call: writes TV_SEND_COMPLETE, TV_RECV or TV_REQUEST_CANCELLED. */
void tv_request_complete(struct tv_thread *t, MPI_Request handle, struct request_cell *claimed,
			 const MPI_Status *status, enum tv_outcome outcome, uint64_t time);

/* It was asked for and is not complete. */
void tv_request_tested(struct tv_thread *t, MPI_Request handle, struct request_cell *claimed,
		       uint64_t time);

/* Nothing is known of it; NULL is fine. */
void tv_request_kept(struct request_cell *claimed);

/* One that goes on as another request, which it becomes; a persistent one is not active then. NULL:
 * it is not known. */
struct tv_request *tv_request_move(MPI_Request from, MPI_Request to);

/* MPI_Cancel, MPI_Request_free. */
void tv_request_cancel(MPI_Request handle);
void tv_request_free(struct tv_thread *t, MPI_Request handle, uint64_t time);

/* MPI_Message of a matched probe: remembers its communicator; tv_message_take() gives it and
 * forgets. */
void tv_message_add(struct tv_thread *t, MPI_Message message, const MPI_Status *status,
		    MPI_Comm comm);
const struct tv_comm *tv_message_take(struct tv_thread *t, MPI_Message message);

/* ---- sizes ---- */

/* Bytes of one element of a type. */
static inline uint64_t tv_type_size(MPI_Datatype type)
{
	MPI_Count size = 0;

	if (TV_LIKELY(tv_builtin_size(type)))
		return tv_builtin_size(type);
	if (type == MPI_DATATYPE_NULL)
		return 0;
	tv_mpi.Type_size_x(type, &size);
	return size > 0 ? (uint64_t)size : 0;
}

static inline uint64_t tv_bytes(MPI_Count count, MPI_Datatype type)
{
	return count > 0 ? (uint64_t)count * tv_type_size(type) : 0;
}
