/* isendrecv: the send of MPI_Isendrecv whose receive is from any source, apart from that receive,
 * which may be deferred (deferred.h) or ask for the sender of a replay's list. It sends a copy, so
 * the program's request is complete with the receive. Only small ones, which wait for no receiver
 * in MPI either. */
#pragma once

#include "capture/lib/mpi/pmpi.h"

bool tv_isendrecv_is_small(MPI_Count count, MPI_Datatype type);
/* `large`: by the function for large counts. */
int tv_isendrecv_send(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
		      MPI_Comm comm, bool large);

/* What a call sends, and then receives into the same place; NULL: its elements have gaps, in
 * themselves or between them, or there is no memory. */
void *tv_exchange_copy(const void *buf, MPI_Count count, MPI_Datatype type);
