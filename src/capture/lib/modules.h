/* modules: the program and the libraries that are mapped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tv_thread;

/* Of the process's MPI, after tv_find_mpi(): a PMPI_ function or a constant; what a call of MPI_X
 * goes on to, which may be another tool's. NULL: there is none. */
void *tv_module_own(const char *name);
void *tv_module_next(const char *name);

/* The function of that name in another module that defines it; NULL: none does. */
void *tv_module_function(const char *name);

/* The segment of memory that an address is in; size 0: in none. */
void tv_module_span(const void *at, uint64_t *start, uint64_t *size);

/* In a library of MPI, one of its plug-ins, or one that calls another MPI: such calls are not the
 * program's. */
bool tv_is_in_mpi(const void *at);

/* Are both in one module? */
bool tv_is_same_module(const void *a, const void *b);

/* The program looked up a function of MPI by itself: `function` is in MPI's module. */
void tv_module_opened(const void *function);

/* libc's dlsym() and dlclose(), not this library's replacements. */
void *tv_look_up(void *handle, const char *name);
int tv_real_dlclose(void *handle);

/* This library's function of a name, an entry point or a replacement; NULL: there is none. */
void *tv_entry_point(const char *name);
