/* The entry points: MPI_X and PMPI_X of every function of MPI, a jump through a slot each.
 *
 * A jump leaves arguments, their number and the return address as the caller made them, whatever
 * the ABI: nothing here needs to know what a handle is. The code is for System V on x86-64. */
#define _GNU_SOURCE
#include "capture/lib/abi.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/lib/modules.h"
#include "capture/lib/pause.h"
#include "capture/lib/recorder.h"

#if !defined(__x86_64__)
#error "The entry points of MPI's functions are written for x86-64 only."
#endif

/* By enum tv_call_id, then those that are passed on. */
static const char *const names[] = {
#define TV_CALL(name, ...) "PMPI_" #name,
#include "capture/lib/calls.def"
#define TV_PASS(name) "PMPI_" #name,
#include "capture/lib/calls_passed.def"
};

/* In the order of the names. */
enum {
#define TV_CALL(name, ...) ENTRY_##name,
#include "capture/lib/calls.def"
#define TV_PASS(name) ENTRY_##name,
#include "capture/lib/calls_passed.def"
};

enum { WRAPPED = CALL_setup, FUNCTIONS = sizeof names / sizeof *names };

/* Shared with the assembly code; [0] was entered as MPI_X, [1] as PMPI_X. */
extern void *tv_slot[FUNCTIONS][2];
extern const char tv_counted_code[FUNCTIONS][2][16], tv_pmpi_code[FUNCTIONS][16];
void *tv_under[FUNCTIONS][2]; /* what a counted call goes on to */
/* Number of such calls; a few are missed if threads call at the same time. Whole pages, which
 * tv_count_in() replaces. */
enum { PAGE = 4096 };
uint64_t tv_counted[TV_CALLS_MAX] __attribute__((aligned(PAGE)));
_Thread_local uint32_t tv_pmpi; /* the wrapper was entered as PMPI_X */
__attribute__((used)) void *tv_resolve(uint32_t which, int argument);

struct tv_entry_state tv_entry;

bool tv_entered_pmpi(void)
{
	const bool pmpi = tv_pmpi != 0;

	tv_pmpi = 0;
	return pmpi;
}

static void say(const char *what, const char *name)
{
	if (write(STDERR_FILENO, what, strlen(what)) < 0 ||
	    write(STDERR_FILENO, name, strlen(name)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		return;
}

/* In the slot of a function that this MPI does not have. */
static _Noreturn void missing(void)
{
	say("tview: the program called a function that its MPI does not have", "");
	abort();
}

static void fill(uint32_t i, bool record)
{
	void *const under[2] = { tv_module_next(names[i] + 1), tv_module_own(names[i]) };
	void *wrapper = record && i < WRAPPED && tv_entry.abi ? tv_entry.abi->wrappers[i] : NULL;

	for (int as = 0; as < 2; as++) {
		void *to = under[as] ? under[as] : (void *)(uintptr_t)missing;
		tv_under[i][as] = to;
		if (under[as] && wrapper)
			to = as && tv_entry.chained ? (void *)(uintptr_t)tv_pmpi_code[i] : wrapper;
		else if (i == ENTRY_Pcontrol && under[as] && record)
			continue; /* each call has to be looked at */
		else if (under[as] && record)
			to = (void *)(uintptr_t)tv_counted_code[i][as];
		__atomic_store_n(&tv_slot[i][as], to, __ATOMIC_RELEASE);
	}
}

static void fill_all(void)
{
	const bool record = !tv.dead;

	if (tv_entry.abi)
		tv_entry.abi->bind(tv_module_own, tv_module_next);
	else if (record && tv_thread_start())
		__atomic_fetch_or(&tv.file->state, TV_UNKNOWN_MPI, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		fill(i, record);
}

/* The first call of any function, and all of MPI_Pcontrol: `which` counts the slots, `argument` is
 * the call's first. */
void *tv_resolve(uint32_t which, int argument)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool filled;

	pthread_mutex_lock(&lock);
	if (!filled && !tv_find_mpi()) {
		say("tview: an MPI function was called, but no MPI can be found that has it: ",
		    names[which / 2] + 1);
		abort();
	}
	if (!filled)
		fill_all();
	filled = true;
	pthread_mutex_unlock(&lock);
	if (which / 2 == ENTRY_Pcontrol && !tv.dead) {
		tv_counted[ENTRY_Pcontrol]++;
		tv_pause_level(argument);
		return tv_under[which / 2][which % 2];
	}
	return tv_slot[which / 2][which % 2];
}

_Static_assert((int)FUNCTIONS <= (int)TV_CALLS_MAX && sizeof tv_counted % PAGE == 0 &&
		       TV_PASSED_AT % PAGE == 0,
	       "the header of a rank's file has whole pages for the counts of all functions");

void tv_count_in(int fd)
{
	const int flags = MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);

	if (fd >= 0 &&
	    pwrite(fd, tv_counted, sizeof tv_counted, TV_PASSED_AT) != (ssize_t)sizeof tv_counted)
		return;
	if (mmap(tv_counted, sizeof tv_counted, PROT_READ | PROT_WRITE, flags, fd,
		 fd < 0 ? 0 : TV_PASSED_AT) == MAP_FAILED)
		return;
}

void tv_count_passed(uint32_t call)
{
	__atomic_fetch_add(&tv_counted[call], 1, __ATOMIC_RELAXED);
}

void tv_note_tool(struct tv_thread *t)
{
	void *const next = tv_entry.chained ? tv_module_next("MPI_Send") : NULL;
	Dl_info tool;

	if (next && dladdr(next, &tool) && tool.dli_fname)
		tv_define(t, TV_DEF_TOOL, 0, tool.dli_fname, strlen(tool.dli_fname) + 1, NULL, 0);
}

/* ---- the code ----
 *
 * A slot first leads to its piece of tv_first_code, which knows its number: tv_go saves the
 * registers of arguments (rax and xmm, too: MPI_Pcontrol takes any), asks tv_resolve(), restores
 * them and jumps. One piece of assembly, because the entries count themselves. */

#define TV_ENTRY(name)                                                              \
	".globl MPI_" #name "\n.type MPI_" #name ", @function\nMPI_" #name ":\n"    \
	"	endbr64\n	jmp *tv_slot + 16 * tv_n(%rip)\n"                               \
	".size MPI_" #name ", . - MPI_" #name "\n"                                  \
	".globl PMPI_" #name "\n.type PMPI_" #name ", @function\nPMPI_" #name ":\n" \
	"	endbr64\n	jmp *tv_slot + 16 * tv_n + 8(%rip)\n"                           \
	".size PMPI_" #name ", . - PMPI_" #name "\n"                                \
	".set tv_n, tv_n + 1\n"

/* The persistent collectives before MPI 4, of Open MPI 4. */
#define TV_DRAFT(name)                                       \
	".globl MPIX_" #name "_init, PMPIX_" #name "_init\n" \
	".set MPIX_" #name "_init, MPI_" #name "_init\n"     \
	".set PMPIX_" #name "_init, PMPI_" #name "_init\n"

__asm__(".text\n.set tv_n, 0\n"
#define TV_CALL(name, ...) TV_ENTRY(name)
#include "capture/lib/calls.def"
#define TV_PASS(name) TV_ENTRY(name)
#include "capture/lib/calls_passed.def"
	/* clang-format off */
	TV_DRAFT(Allgather) TV_DRAFT(Allgatherv) TV_DRAFT(Allreduce) TV_DRAFT(Alltoall)
	TV_DRAFT(Alltoallv) TV_DRAFT(Alltoallw) TV_DRAFT(Barrier) TV_DRAFT(Bcast)
	TV_DRAFT(Exscan) TV_DRAFT(Gather) TV_DRAFT(Gatherv) TV_DRAFT(Neighbor_allgather)
	TV_DRAFT(Neighbor_allgatherv) TV_DRAFT(Neighbor_alltoall) TV_DRAFT(Neighbor_alltoallv)
	TV_DRAFT(Neighbor_alltoallw) TV_DRAFT(Reduce) TV_DRAFT(Reduce_scatter)
	TV_DRAFT(Reduce_scatter_block) TV_DRAFT(Scan) TV_DRAFT(Scatter) TV_DRAFT(Scatterv)
	/* clang-format on */
	".hidden tv_slot, tv_counted_code, tv_pmpi_code\n"
	".globl tv_slot, tv_counted_code, tv_pmpi_code\n"
	".p2align 4\ntv_first_code:\n.set tv_i, 0\n"
	".rept 2 * tv_n\n"
	"	.p2align 4\n	movl $tv_i, %r11d\n	jmp tv_go\n	.set tv_i, tv_i + 1\n"
	".endr\n"
	".p2align 4\ntv_counted_code:\n.set tv_i, 0\n"
	".rept 2 * tv_n\n"
	"	.p2align 4\n	incq tv_counted + 8 * (tv_i / 2)(%rip)\n"
	"	jmp *tv_under + 8 * tv_i(%rip)\n	.set tv_i, tv_i + 1\n"
	".endr\n"
	".p2align 4\ntv_pmpi_code:\n.set tv_i, 0\n"
	".rept tv_n\n"
	"	.p2align 4\n	movl $(2 * tv_i), %r11d\n	jmp tv_as_pmpi\n"
	"	.set tv_i, tv_i + 1\n"
	".endr\n"
	".p2align 4\n"
	"tv_as_pmpi:\n"
	"	movq tv_pmpi@gottpoff(%rip), %r10\n	movl $1, %fs:(%r10)\n"
	"	leaq tv_slot(%rip), %r10\n	jmp *(%r10, %r11, 8)\n"
	"tv_go:\n"
	"	pushq %rdi\n	pushq %rsi\n	pushq %rdx\n	pushq %rcx\n"
	"	pushq %r8\n	pushq %r9\n	pushq %rax\n	subq $144, %rsp\n"
	"	movups %xmm0, (%rsp)\n	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n	movups %xmm7, 112(%rsp)\n"
	"	movl %edi, %esi\n	movl %r11d, %edi\n"
	"	call tv_resolve\n	movq %rax, %r11\n"
	"	movups (%rsp), %xmm0\n	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n	movups 112(%rsp), %xmm7\n"
	"	addq $144, %rsp\n	popq %rax\n	popq %r9\n	popq %r8\n"
	"	popq %rcx\n	popq %rdx\n	popq %rsi\n	popq %rdi\n	jmp *%r11\n"
	".data\n.p2align 3\ntv_slot:\n.set tv_i, 0\n"
	".rept 2 * tv_n\n"
	"	.quad tv_first_code + 16 * tv_i\n	.set tv_i, tv_i + 1\n"
	".endr\n"
	".text\n");
