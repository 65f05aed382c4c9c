/* The entry points: MPI_X and PMPI_X of every function of MPI, a jump through a slot each.
 *
 * A jump leaves arguments, their number and the return address as the caller made them, whatever
 * the ABI: nothing here needs to know what a handle is. The code is for System V on x86-64, and for
 * 64-bit ARM. */
#define _GNU_SOURCE
#include "capture/lib/abi.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/lib/controls.h"
#include "capture/lib/modules.h"
#include "capture/lib/recorder.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "The entry points of MPI's functions are written for x86-64 and 64-bit ARM only."
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
extern const char tv_counted_code[FUNCTIONS][2][32], tv_pmpi_code[FUNCTIONS][16];
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
	/* A process that could make no buffer takes its part in what ranks do together. */
	const bool record = tv.wanted || !tv.dead;

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
		tv_control(argument);
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

bool tv_is_entry(const char *name)
{
	const size_t as = strncmp(name, "PMPI_", 5) == 0 ? 0 : 1;

	for (size_t i = 0; i < FUNCTIONS; i++)
		if (strcmp(name, names[i] + as) == 0)
			return true;
	return false;
}

bool tv_is_called_back(uint32_t outer, const void *site)
{
	enum { SITES = 64 };
	static _Thread_local struct {
		const void *site;
		uint32_t generation;
		bool is;
	} known[SITES];
	const uint32_t generation = __atomic_load_n(&tv.generation, __ATOMIC_RELAXED);
	const uint64_t at = (uint64_t)(uintptr_t)site;

	if (at - tv_entry.start < tv_entry.size)
		return false;
	if (known[at % SITES].site != site || known[at % SITES].generation != generation) {
		known[at % SITES].site = site;
		known[at % SITES].generation = generation;
		known[at % SITES].is =
			!tv_is_in_mpi(site) && !tv_is_same_module(site, tv_under[outer][0]);
	}
	return known[at % SITES].is;
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
 * registers of arguments (of numbers with a fraction, too: MPI_Pcontrol takes any), asks
 * tv_resolve(), restores them and jumps. One piece of assembly, because the entries count
 * themselves. Of a processor: how to jump through the 8 bytes at an address (TV_JUMP), to begin a
 * function (TV_LAND), to jump with a number (TV_NUMBERED), to count and jump (TV_COUNTED), and the
 * two functions that numbers lead to. */

#if defined(__x86_64__)

#define TV_LAND               "	endbr64\n"
#define TV_JUMP(at)           "	jmp *" at "(%rip)\n"
#define TV_NUMBERED(n, to)    "	movl $(" n "), %r11d\n	jmp " to "\n"
#define TV_COUNTED(count, to) "	incq " count "(%rip)\n" TV_JUMP(to)

__asm__(".text\n.p2align 4\n"
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
	"	popq %rcx\n	popq %rdx\n	popq %rsi\n	popq %rdi\n	jmp *%r11\n");

#else /* 64-bit ARM: a call may use x16 and x17; x9 and x10 are not arguments */

#define TV_LAND            "	bti c\n"
#define TV_JUMP(at)        "	adrp x16, " at "\n	ldr x16, [x16, #:lo12:" at "]\n	br x16\n"
#define TV_NUMBERED(n, to) "	mov w17, #(" n ")\n	b " to "\n"
#define TV_COUNTED(count, to)                                               \
	"	adrp x16, " count "\n	ldr x17, [x16, #:lo12:" count "]\n" \
	"	add x17, x17, #1\n	str x17, [x16, #:lo12:" count "]\n" TV_JUMP(to)

__asm__(".text\n.p2align 4\n"
	"tv_as_pmpi:\n"
	"	adrp x16, :gottprel:tv_pmpi\n	ldr x16, [x16, #:gottprel_lo12:tv_pmpi]\n"
	"	mrs x9, tpidr_el0\n	mov w10, #1\n	str w10, [x9, x16]\n"
	"	adrp x16, tv_slot\n	add x16, x16, #:lo12:tv_slot\n"
	"	ldr x16, [x16, x17, lsl #3]\n	br x16\n"
	"tv_go:\n"
	"	stp x29, x30, [sp, #-224]!\n	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n	stp x2, x3, [sp, #32]\n	stp x4, x5, [sp, #48]\n"
	"	stp x6, x7, [sp, #64]\n	str x8, [sp, #80]\n"
	"	stp q0, q1, [sp, #96]\n	stp q2, q3, [sp, #128]\n"
	"	stp q4, q5, [sp, #160]\n	stp q6, q7, [sp, #192]\n"
	"	mov w1, w0\n	mov w0, w17\n	bl tv_resolve\n	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n	ldp x2, x3, [sp, #32]\n	ldp x4, x5, [sp, #48]\n"
	"	ldp x6, x7, [sp, #64]\n	ldr x8, [sp, #80]\n"
	"	ldp q0, q1, [sp, #96]\n	ldp q2, q3, [sp, #128]\n"
	"	ldp q4, q5, [sp, #160]\n	ldp q6, q7, [sp, #192]\n"
	"	ldp x29, x30, [sp], #224\n	br x16\n");

#endif

#define TV_ENTRY(name)                                                                             \
	".globl MPI_" #name "\n.type MPI_" #name ", %function\nMPI_" #name ":\n" TV_LAND TV_JUMP(  \
		"tv_slot + 16 * tv_n") ".size MPI_" #name ", . - MPI_" #name "\n"                  \
				       ".globl PMPI_" #name "\n.type PMPI_" #name                  \
				       ", %function\nPMPI_" #name ":\n" TV_LAND TV_JUMP(           \
					       "tv_slot + 16 * tv_n + 8") ".size PMPI_" #name      \
									  ", . - PMPI_" #name "\n" \
									  ".set tv_n, tv_n + 1\n"

/* The persistent collectives before MPI 4, of Open MPI 4. */
#define TV_DRAFT(name)                                       \
	".globl MPIX_" #name "_init, PMPIX_" #name "_init\n" \
	".set MPIX_" #name "_init, MPI_" #name "_init\n"     \
	".set PMPIX_" #name "_init, PMPI_" #name "_init\n"

/* `count` pieces of code of `size` bytes, a power of 2, numbered by tv_i. */
#define TV_PIECES(name, size, count, code)                       \
	".p2align 5\n" name ":\n.set tv_i, 0\n.rept " count "\n" \
	".balign " size "\n" code ".set tv_i, tv_i + 1\n.endr\n.balign " size "\n"

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
	".hidden tv_slot, tv_counted_code, tv_pmpi_code\n"
	".globl tv_slot, tv_counted_code, tv_pmpi_code\n"
	TV_PIECES("tv_first_code", "16", "2 * tv_n", TV_LAND TV_NUMBERED("tv_i", "tv_go"))
	TV_PIECES("tv_counted_code", "32", "2 * tv_n",
		  TV_LAND TV_COUNTED("tv_counted + 8 * (tv_i / 2)", "tv_under + 8 * tv_i"))
	TV_PIECES("tv_pmpi_code", "16", "tv_n", TV_LAND TV_NUMBERED("2 * tv_i", "tv_as_pmpi"))
	".data\n.p2align 3\ntv_slot:\n.set tv_i, 0\n"
	".rept 2 * tv_n\n"
	"	.quad tv_first_code + 16 * tv_i\n	.set tv_i, tv_i + 1\n"
	".endr\n"
	".text\n");
/* clang-format on */
