/* dlsym(): programs that open MPI themselves (Julia, bindings of other languages) look its
 * functions up and so bypass the entry points. Here a look-up that finds a function of MPI's own
 * library gives the entry point of that name instead; all others go on unchanged. It is a jump,
 * because the meaning of RTLD_NEXT and RTLD_DEFAULT depends on the return address. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/lib/imports.h"
#include "capture/lib/modules.h"

void *(*tv_real_dlsym)(void *, const char *);
__attribute__((used)) void tv_before_dlsym(void);
__attribute__((used)) void *tv_dlsym(void *handle, const char *name, const void *caller);

/* A function of libc that this library replaces. */
static void *libc_function(const char *name)
{
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17" };
	void *found = NULL;

	for (size_t i = 0; !found && i < sizeof versions / sizeof *versions; i++)
		found = dlvsym(RTLD_NEXT, name, versions[i]);
	if (!found)
		abort();
	return found;
}

static void find_dlsym(void)
{
	*(void **)(void *)&tv_real_dlsym = libc_function("dlsym");
}

/* A module that the program opened is not in use before it looked a symbol up. */
void tv_before_dlsym(void)
{
	if (!tv_real_dlsym)
		find_dlsym();
	tv_imports_correct();
}

void *tv_look_up(void *handle, const char *name)
{
	if (!tv_real_dlsym)
		find_dlsym();
	return tv_real_dlsym(handle, name);
}

int tv_real_dlclose(void *handle)
{
	static int (*real)(void *);

	if (!real)
		*(void **)(void *)&real = libc_function("dlclose");
	return real(handle);
}

/* Where the module of an address begins; NULL: in none. */
static const void *module_of(const void *at)
{
	Dl_info info;

	return at && dladdr(at, &info) ? info.dli_fbase : NULL;
}

void *tv_entry_point(const char *name)
{
	Dl_info own;
	void *self, *entry = NULL;

	if (!dladdr(&tv_real_dlsym, &own))
		return NULL;
	self = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (self) {
		entry = tv_look_up(self, name);
		tv_real_dlclose(self);
	}
	return module_of(entry) == own.dli_fbase ? entry : NULL;
}

bool tv_is_same_module(const void *a, const void *b)
{
	const void *module = module_of(a);

	return module && module == module_of(b);
}

bool tv_is_in_mpi(const void *at)
{
	Dl_info info;
	void *module, *init;

	if (!dladdr(at, &info) || !info.dli_fname)
		return false;
	/* Open MPI's plug-ins. */
	if (strstr(info.dli_fname, "/mca_"))
		return true;
	module = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!module)
		return false;
	init = tv_look_up(module, "PMPI_Init");
	tv_real_dlclose(module);
	return module_of(init) == info.dli_fbase;
}

/* In a module that was opened, for names that may be MPI's. */
void *tv_dlsym(void *handle, const char *name, const void *caller)
{
	void *found = tv_look_up(handle, name), *entry;
	const void *mpi;

	if (!found || (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "PMPI_", 5) != 0))
		return found;
	mpi = module_of(tv_look_up(handle, "PMPI_Init"));
	if (module_of(found) != mpi || tv_is_in_mpi(caller))
		return found;
	entry = tv_entry_point(name);
	if (!entry)
		return found;
	tv_module_opened(found);
	return entry;
}

/* RTLD_NEXT is -1, RTLD_DEFAULT 0; names that begin with M or P may be MPI's. */
#if defined(__x86_64__)
__asm__(".text\n"
	".globl dlsym\n.type dlsym, @function\n"
	"dlsym:\n"
	"	endbr64\n"
	"	pushq %rdi\n	pushq %rsi\n	subq $8, %rsp\n"
	"	call tv_before_dlsym\n"
	"	addq $8, %rsp\n	popq %rsi\n	popq %rdi\n"
	"	leaq 1(%rdi), %rax\n"
	"	cmpq $1, %rax\n"
	"	jbe 1f\n"
	"	cmpb $'M', (%rsi)\n"
	"	je 2f\n"
	"	cmpb $'P', (%rsi)\n"
	"	je 2f\n"
	"1:	jmp *tv_real_dlsym(%rip)\n"
	"2:	movq (%rsp), %rdx\n"
	"	jmp tv_dlsym\n"
	".size dlsym, . - dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl dlsym\n.type dlsym, %function\n"
	"dlsym:\n"
	"	bti c\n"
	"	stp x29, x30, [sp, #-32]!\n	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	bl tv_before_dlsym\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x29, x30, [sp], #32\n"
	"	adrp x16, tv_real_dlsym\n"
	"	ldr x16, [x16, #:lo12:tv_real_dlsym]\n"
	"	add x17, x0, #1\n"
	"	cmp x17, #1\n"
	"	b.ls 1f\n"
	"	ldrb w17, [x1]\n"
	"	cmp w17, #'M'\n"
	"	b.eq 2f\n"
	"	cmp w17, #'P'\n"
	"	b.eq 2f\n"
	"1:	br x16\n"
	"2:	mov x2, x30\n"
	"	b tv_dlsym\n"
	".size dlsym, . - dlsym\n");
#endif
