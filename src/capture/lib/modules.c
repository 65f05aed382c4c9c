/* The program and the libraries that are mapped: where MPI's functions are, and where code is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "capture/lib/recorder.h"

struct tv_mpi tv_mpi;

struct mpi_search {
	const char *symbol;
	void *handle;
};

/* MPI may have been loaded by dlopen() into a scope of its own (Python modules): look into every
 * module. */
static int look_into(struct dl_phdr_info *info, size_t size, void *context)
{
	struct mpi_search *search = context;
	void *handle;

	(void)size;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "mpi"))
		return 0;
	handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return 0;
	if (dlsym(handle, search->symbol)) {
		search->handle = handle;
		return 1;
	}
	dlclose(handle);
	return 0;
}

bool tv_find_mpi(void)
{
	struct mpi_search search = { "PMPI_Init", RTLD_NEXT };

	if (tv_mpi.Init)
		return true;
	if (!dlsym(RTLD_NEXT, search.symbol)) {
		search.handle = NULL;
		dl_iterate_phdr(look_into, &search);
		if (!search.handle)
			return false;
	}
	/* ISO C knows no conversion of an object pointer to a function pointer; POSIX promises that
	 * it works. */
#define FIND(name) *(void **)(void *)&tv_mpi.name = dlsym(search.handle, "PMPI_" #name);

#define TV_CALL(name, ...) FIND(name)
#include "capture/lib/calls.def"
	FIND(Test_cancelled)
	FIND(Type_size_x)
	FIND(Get_processor_name)
	FIND(Get_library_version)
	FIND(Comm_set_errhandler)
	FIND(Get_elements_x)
#undef FIND
	return tv_mpi.Init != NULL;
}

/* ---- all of them, for the addresses of functions and call sites ---- */

static int note_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct tv_def_module module = { .bias = info->dlpi_addr, .start = UINT64_MAX };
	char self[PATH_MAX];
	const char *path = info->dlpi_name;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint64_t start = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		module.start = start < module.start ? start : module.start;
		module.end = start + ph->p_memsz > module.end ? start + ph->p_memsz : module.end;
	}
	if (module.end == 0)
		return 0;
	if (!path || !*path) {
		/* The program itself has no name; the kernel's own object has none either, and no
		 * file. */
		const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
		if (n <= 0)
			return 0;
		self[n] = '\0';
		path = self;
	}
	tv_define(context, TV_DEF_MODULE, 0, &module, sizeof module, path, strlen(path) + 1);
	return 0;
}

void tv_note_modules(struct tv_thread *t)
{
	dl_iterate_phdr(note_module, t);
}
