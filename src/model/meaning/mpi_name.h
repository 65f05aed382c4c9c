/* mpi_name: the name of a function of MPI as this project compares it: "mpi_scan_", "PMPI_Scan" and
 * "MPI_SCAN" are all "scan". */
#ifndef TVIEW_MODEL_MEANING_MPI_NAME_H
#define TVIEW_MODEL_MEANING_MPI_NAME_H

#include <stdbool.h>

enum { MPI_NAME_SIZE = 48 };

/* Lower case, without the prefix and without the underscores that Fortran compilers append; "" where
 * it is longer than any function's. False where it is none of MPI's. */
bool mpi_name(const char *name, char bare[MPI_NAME_SIZE]);

#endif
