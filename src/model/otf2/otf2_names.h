/* otf2_names: what a region is, by its role and paradigm, else by its name. */
#ifndef TVIEW_MODEL_OTF2_NAMES_H
#define TVIEW_MODEL_OTF2_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace/event.h"

enum { OTF2_MPI_NAME = 64 };

/* The MPI function's name as C spells it, of any spelling: "mpi_send_", "MPI_SEND", "PMPI_Send" are
 * "MPI_Send". False where it is no name of MPI. */
bool otf2_mpi_name(const char *name, char out[OTF2_MPI_NAME]);

/* Class of a region with OTF2's role and paradigm. */
enum region_class otf2_region_class(const char *name, uint8_t role, uint8_t paradigm);

/* Mode of a send in a region: 0 standard, 1 buffered, 2 synchronous, 3 ready. */
uint8_t otf2_send_mode(const char *name);

/* The name of an OTF2_CollectiveOp's MPI function, NULL where there is none. */
const char *otf2_collective_name(uint8_t operation);

#endif
