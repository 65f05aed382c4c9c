/* fortran: where a Fortran program called MPI (fortran.c). Its entry points note their caller; the
 * wrapper that MPI's binding then calls takes the note. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The latest call of an entry point; site NULL: its wrapper has taken it. */
struct tv_fortran {
	void *site;
	const void *stack; /* of the caller: below it, calls are not MPI's */
	uint32_t call;     /* enum tv_call_id: the wrapper that is to take it */
};

/* MPI's binding for Fortran, known after its first call. */
struct tv_fortran_span {
	uint64_t start, size;
};

extern struct tv_fortran_span tv_fortran_binding;

/* A call that the binding makes for itself before the noted one, such as Open MPI's MPI_Comm_size
 * for a vector of counts: it is not the program's. */
static inline bool tv_fortran_prepares(const struct tv_fortran *note, uint32_t call,
				       const void *site)
{
	return note->site && note->call != call &&
	       (uint64_t)(uintptr_t)site - tv_fortran_binding.start < tv_fortran_binding.size;
}

/* The place a wrapper was called from: the caller of the Fortran entry point, if the call came
 * through one. An old note is ignored: its stack is further up than MPI's translation reaches, or
 * below here. */
static inline void *tv_fortran_site(struct tv_fortran *note, void *site, const void *stack)
{
	enum { REACH = 16 << 10 };
	void *noted = note->site;
	const size_t above = (size_t)((const char *)note->stack - (const char *)stack);

	note->site = NULL;
	return noted && above < REACH ? noted : site;
}
