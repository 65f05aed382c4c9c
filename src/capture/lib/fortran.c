/* Fortran's entry points: mpi_send_ and the others, in the order of calls.def. (The Makefile
 * writes their names to fortran_calls.def, since the preprocessor cannot change case.)
 *
 * MPI's own entry points translate handles and call the C functions, MPI_X or PMPI_X, where the
 * wrappers are. But the return address of such a call is in MPI's library. So each entry point
 * here notes its caller and jumps to MPI's with all arguments unchanged; the stack remains the
 * caller's. The wrapper takes the note (tv_fortran_site()) if it comes from a frame below. The
 * names are those of mpif.h and `use mpi` as compilers write them, and those of `use mpi_f08`:
 * MPICH's, where _f08ts_ takes buffers and _large_ large counts, and Open MPI's.
 *
 * The code is for System V on x86-64, and for 64-bit ARM. Elsewhere there are no such entry points,
 * and Fortran's call sites are those in MPI's library. */
#define _GNU_SOURCE
#include "capture/lib/fortran.h"

#include "capture/lib/modules.h"
#include "capture/lib/recorder.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)

static const char *const names[] = {
#define TV_FORTRAN(name, NAME, call)                                                           \
	"mpi_" #name "_", "mpi_" #name "__", "mpi_" #name, "MPI_" #NAME, "mpi_" #name "_f08_", \
		"mpi_" #name "_f08ts_",
#define TV_FORTRAN_C(name, call) "mpi_" #name "_f08ts_large_", "mpi_" #name "_f08_large_",
#include "fortran_calls.def"
};

enum { FORTRANS = sizeof names / sizeof *names };
static void *entries[FORTRANS];

/* The wrapper of each. */
static const uint16_t calls[FORTRANS] = {
#define TV_FORTRAN(name, NAME, call) \
	CALL_##call, CALL_##call, CALL_##call, CALL_##call, CALL_##call, CALL_##call,
#define TV_FORTRAN_C(name, call) CALL_##call, CALL_##call,
#include "fortran_calls.def"
};

struct tv_fortran_span tv_fortran_binding;

static _Noreturn void give_up(const char *name)
{
	static const char text[] =
		"tview: a Fortran program called a function that its MPI does not have: ";

	if (write(STDERR_FILENO, text, sizeof text - 1) < 0 ||
	    write(STDERR_FILENO, name, strlen(name)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		abort();
	abort();
}

/* `use mpi_f08` may have a library of its own above the one that calls the C functions. Two threads
 * may find the same at once. */
static void find_binding(const void *entry)
{
	const void *older = tv_look_up(RTLD_NEXT, "pmpi_init_");

	tv_module_span(older ? older : entry, &tv_fortran_binding.start, &tv_fortran_binding.size);
}

/* Called only by the entry points: notes the caller and returns MPI's entry point. */
__attribute__((used)) void *tv_fortran_enter(uint32_t which, void *site, void *stack);

void *tv_fortran_enter(uint32_t which, void *site, void *stack)
{
	void *entry = __atomic_load_n(&entries[which], __ATOMIC_RELAXED);

	if (TV_UNLIKELY(!entry)) {
		entry = tv_look_up(RTLD_NEXT, names[which]);
		if (!entry)
			give_up(names[which]);
		if (!tv_fortran_binding.size)
			find_binding(entry);
		__atomic_store_n(&entries[which], entry, __ATOMIC_RELAXED);
	}
	tv_self.fortran = (struct tv_fortran){ site, stack, calls[which] };
	return entry;
}

/* Saves the arguments in registers; the others stay above the return address. One piece, because
 * the entries count themselves. */
#if defined(__x86_64__)
#define TV_FORTRAN_JUMP \
	"	endbr64\n	movl $tv_fortran_number, %r11d\n	jmp tv_fortran_go\n"
__asm__(".text\n"
	".type tv_fortran_go, @function\n"
	"tv_fortran_go:\n"
	"	pushq %rdi\n	pushq %rsi\n	pushq %rdx\n	pushq %rcx\n"
	"	pushq %r8\n	pushq %r9\n	pushq %rax\n"
	"	movl %r11d, %edi\n"
	"	movq 56(%rsp), %rsi\n"
	"	leaq 56(%rsp), %rdx\n"
	"	call tv_fortran_enter\n"
	"	movq %rax, %r11\n"
	"	popq %rax\n	popq %r9\n	popq %r8\n"
	"	popq %rcx\n	popq %rdx\n	popq %rsi\n	popq %rdi\n"
	"	jmp *%r11\n"
	".size tv_fortran_go, . - tv_fortran_go\n");
#else
#define TV_FORTRAN_JUMP "	bti c\n	mov w17, #tv_fortran_number\n	b tv_fortran_go\n"
__asm__(".text\n"
	".type tv_fortran_go, %function\n"
	"tv_fortran_go:\n"
	"	mov x16, sp\n"
	"	stp x29, x30, [sp, #-96]!\n	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n	stp x2, x3, [sp, #32]\n	stp x4, x5, [sp, #48]\n"
	"	stp x6, x7, [sp, #64]\n	str x8, [sp, #80]\n"
	"	mov w0, w17\n	mov x1, x30\n	mov x2, x16\n"
	"	bl tv_fortran_enter\n	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n	ldp x2, x3, [sp, #32]\n	ldp x4, x5, [sp, #48]\n"
	"	ldp x6, x7, [sp, #64]\n	ldr x8, [sp, #80]\n"
	"	ldp x29, x30, [sp], #96\n	br x16\n"
	".size tv_fortran_go, . - tv_fortran_go\n");
#endif

__asm__(".text\n.set tv_fortran_number, 0\n"
#define TV_FORTRAN_ENTRY(symbol)                                                        \
	".globl " symbol "\n.type " symbol ", %function\n" symbol ":\n" TV_FORTRAN_JUMP \
	".size " symbol ", . - " symbol "\n"                                            \
	".set tv_fortran_number, tv_fortran_number + 1\n"
#define TV_FORTRAN(name, NAME, call)        \
	TV_FORTRAN_ENTRY("mpi_" #name "_")  \
	TV_FORTRAN_ENTRY("mpi_" #name "__") \
	TV_FORTRAN_ENTRY("mpi_" #name)      \
	TV_FORTRAN_ENTRY("MPI_" #NAME)      \
	TV_FORTRAN_ENTRY("mpi_" #name "_f08_") TV_FORTRAN_ENTRY("mpi_" #name "_f08ts_")
#define TV_FORTRAN_C(name, call) \
	TV_FORTRAN_ENTRY("mpi_" #name "_f08ts_large_") TV_FORTRAN_ENTRY("mpi_" #name "_f08_large_")
#include "fortran_calls.def"
);

#endif
