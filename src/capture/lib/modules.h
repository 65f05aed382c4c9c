/* modules: the program and the libraries that are mapped. */
#pragma once

#include <stdint.h>

struct tv_thread;

/* Of the process's MPI, after tv_find_mpi(): a PMPI_ function or a constant; what a call of MPI_X
 * goes on to, which may be another tool's. NULL: there is none. */
void *tv_module_own(const char *name);
void *tv_module_next(const char *name);

/* A function of any module other than this library that defines it itself; NULL: none does. */
void *tv_module_function(const char *name);

/* The segment of memory that an address is in; size 0: in none. */
void tv_module_span(const void *at, uint64_t *start, uint64_t *size);

/* The program looked a function of MPI up by itself: `function` is in MPI's module. */
void tv_module_opened(const void *function);

/* dlsym(), without what this library makes of it. */
void *tv_look_up(void *handle, const char *name);
