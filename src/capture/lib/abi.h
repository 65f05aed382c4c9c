/* abi: what the rest of the library knows of MPI: the supported ABIs, each a table of wrappers
 * (mpi/), and how calls of the program get there (entry.c).
 *
 * The program's calls of MPI_X and PMPI_X come to entry points that jump through a table of
 * slots. The first call of any finds out which MPI the process has, and fills the slots: with
 * the wrappers of its ABI, with a count before a jump to MPI's own function where there is no
 * wrapper, or, where nothing is recorded, with MPI's own function. So one library serves every
 * MPI, and needs none to be built. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tv_abi {
	const char *name;
	void *const *wrappers; /* by enum tv_call_id */
	/* Takes MPI's functions and constants; `pmpi` finds a PMPI_ function or a constant by its
	 * whole name, `next` what the program's calls go on to. */
	void (*bind)(void *(*pmpi)(const char *name), void *(*next)(const char *name));
};

extern const struct tv_abi tv_abi_mpich, tv_abi_openmpi, tv_abi_standard;

/* The process's MPI. */
struct tv_entry_state {
	const struct tv_abi *abi; /* NULL: none was found yet, or it is of an unknown kind */
	bool found;               /* the process has an MPI */
	bool chained;             /* another tool is between this library and MPI */
	uint64_t start, size;     /* where MPI's own library is: its calls are not the program's */
};

extern struct tv_entry_state tv_entry;

/* Finds the process's MPI; false: it has none so far. */
bool tv_find_mpi(void);

/* Whether the wrapper was entered as PMPI_X; may be asked once for each call. */
bool tv_entered_pmpi(void);

struct tv_thread;
/* From now on counts calls that are passed on without a record in the process's file, where the
 * counts survive the process; -1: in memory, for a child. */
void tv_count_in(int fd);
/* A call that has a wrapper carried something that could not be recorded. */
void tv_count_passed(uint32_t call);

/* Whether a function of MPI has an entry point here; conversions of handles do not. */
bool tv_is_entry(const char *name);
/* Is a call that the outer one leads to made by the program's code, and not by MPI, or a tool that
 * wraps the outer one? */
bool tv_is_called_back(uint32_t outer, const void *site);
/* Writes TV_DEF_TOOL, if another tool is between this library and MPI. */
void tv_note_tool(struct tv_thread *t);
