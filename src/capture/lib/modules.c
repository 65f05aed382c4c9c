/* The program and the libraries that are mapped: where MPI's functions are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/lib/abi.h"
#include "capture/lib/modules.h"
#include "capture/lib/recorder.h"

/* ---- MPI ---- */

/* Where MPI's functions are looked up: after this library in the program's scope, or in a module
 * that dlopen() loaded into a scope of its own (Python, Julia). */
static void *mpi_module = RTLD_NEXT;

/* In this library. */
static bool in_this(const void *at)
{
	Dl_info there, here;

	return dladdr(at, &there) && dladdr(&mpi_module, &here) &&
	       there.dli_fbase == here.dli_fbase;
}

/* The module with so many before it. */
struct module {
	size_t before;
	char path[PATH_MAX];
	uint64_t bias;
};

static int take_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct module *module = context;

	(void)size;
	if (module->before--)
		return 0;
	module->bias = info->dlpi_addr;
	snprintf(module->path, sizeof module->path, "%s", info->dlpi_name ? info->dlpi_name : "");
	return 1;
}

/* The function of that name in this library is not meant. */
static void *function_of(const struct module *module, const char *name, void **handle)
{
	void *function;
	Dl_info where;

	*handle = *module->path ? dlopen(module->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (!*handle)
		return NULL;
	function = tv_look_up(*handle, name);
	if (function && dladdr(function, &where) &&
	    (uint64_t)(uintptr_t)where.dli_fbase == module->bias && !in_this(function))
		return function;
	tv_real_dlclose(*handle);
	return NULL;
}

/* The module that defines it: `handle`, which keeps it mapped. The loader's lock that
 * dl_iterate_phdr() holds is not to be held in dlopen(). */
static void *find_function(const char *name, void **handle)
{
	void *function = NULL;

	for (size_t n = 0; !function; n++) {
		struct module module = { .before = n };
		if (!dl_iterate_phdr(take_module, &module))
			break;
		function = function_of(&module, name, handle);
	}
	return function;
}

/* The span of memory that an address belongs to. */
struct span {
	uint64_t at, start, size;
};

static int look_for(struct dl_phdr_info *info, size_t size, void *context)
{
	struct span *span = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint64_t start = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type != PT_LOAD || span->at - start >= ph->p_memsz)
			continue;
		span->start = start;
		span->size = ph->p_memsz;
		return 1;
	}
	return 0;
}

void tv_module_span(const void *at, uint64_t *start, uint64_t *size)
{
	struct span span = { .at = (uint64_t)(uintptr_t)at };

	dl_iterate_phdr(look_for, &span);
	*start = span.start;
	*size = span.size;
}

void tv_module_opened(const void *function)
{
	Dl_info where;

	if (!tv_entry.found && mpi_module == RTLD_NEXT && dladdr(function, &where) &&
	    !tv_look_up(RTLD_NEXT, "PMPI_Init"))
		mpi_module = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* Open MPI 4 has the persistent collectives of MPI 4 as MPIX_X_init. */
static void *look_up_function(const char *name)
{
	const char *mpi = strstr(name, "MPI_");
	const size_t length = strlen(name);
	char draft[TV_NAME_MAX + 2];
	void *at = tv_look_up(mpi_module, name);

	if (at || !mpi || length < 5 || strcmp(name + length - 5, "_init") != 0)
		return at;
	snprintf(draft, sizeof draft, "%.*sMPIX%s", (int)(mpi - name), name, mpi + 3);
	return tv_look_up(mpi_module, draft);
}

void *tv_module_own(const char *name)
{
	/* A constant is where the program has its copy; a function of that name may be ours. */
	void *at = strncmp(name, "PMPI_", 5) == 0 ? NULL : tv_look_up(RTLD_DEFAULT, name);

	return at ? at : look_up_function(name);
}

void *tv_module_next(const char *name)
{
	return look_up_function(name);
}

void *tv_module_function(const char *name)
{
	void *handle;

	return find_function(name, &handle);
}

static bool is_mpich(void)
{
	static const char *const kin[] = { "MPICH", "MVAPICH", "Intel(R) MPI", "ParaStation" };
	static char text[8192];
	int length = 0, (*version)(char *, int *);

	*(void **)(void *)&version = tv_module_own("PMPI_Get_library_version");
	if (!version || version(text, &length) != 0)
		return false;
	for (size_t i = 0; i < sizeof kin / sizeof *kin; i++)
		if (strstr(text, kin[i]))
			return true;
	return false;
}

static const struct tv_abi *recognise(void)
{
	int major = -1, minor = -1, (*abi)(int *, int *);

	*(void **)(void *)&abi = tv_module_own("PMPI_Abi_get_version");
	/* Libraries that have it with an ABI of their own say -1. */
	if (abi && abi(&major, &minor) == 0 && major >= 1)
		return major == 1 ? &tv_abi_standard : NULL;
	if (tv_module_own("ompi_mpi_comm_world"))
		return &tv_abi_openmpi;
	return is_mpich() ? &tv_abi_mpich : NULL;
}

bool tv_find_mpi(void)
{
	void *handle;

	if (tv_entry.found)
		return true;
	if (mpi_module == RTLD_NEXT && !tv_look_up(RTLD_NEXT, "PMPI_Init")) {
		if (!find_function("PMPI_Init", &handle))
			return false;
		mpi_module = handle;
	}
	tv_entry.found = true;
	tv_entry.abi = recognise();
	tv_module_span(tv_module_own("PMPI_Init"), &tv_entry.start, &tv_entry.size);
	tv_entry.chained = tv_module_next("MPI_Send") != tv_module_own("PMPI_Send");
	return true;
}
