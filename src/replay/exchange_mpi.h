/* exchange_mpi: the exchange of the processes of an MPI job. */
#pragma once

#include "base/exchange.h"

/* Between MPI_Init and MPI_Finalize. NULL where the job has one process. */
struct exchange *exchange_mpi_new(void);
void exchange_mpi_free(struct exchange *x);
/* The worst status of all processes, and the first that has it. False if not all came here within
 * `seconds`: they are in another exchange, and will stay there. */
bool exchange_mpi_agree(struct exchange *x, int status, double seconds, int *worst,
			uint32_t *first);
