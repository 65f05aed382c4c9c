#define _GNU_SOURCE
#include "capture/lib/imports.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/lib/abi.h"
#include "capture/lib/modules.h"
#include "capture/lib/recorder.h"

/* ---- the table of a module ---- */

/* Of its dynamic section, as mapped. */
struct imports {
	uint64_t bias, start, end;     /* of its code, */
	uint64_t guarded, guarded_end; /* and of its read-only relocations */
	const ElfW(Rela) * list[2];
	size_t n[2];
	const ElfW(Sym) * symbols;
	const char *names;
};

static void find_tables(const ElfW(Dyn) * d, struct imports *im)
{
	for (; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_JMPREL: im->list[0] = (const void *)(uintptr_t)d->d_un.d_ptr; break;
		case DT_PLTRELSZ: im->n[0] = d->d_un.d_val / sizeof *im->list[0]; break;
		case DT_RELA: im->list[1] = (const void *)(uintptr_t)d->d_un.d_ptr; break;
		case DT_RELASZ: im->n[1] = d->d_un.d_val / sizeof *im->list[1]; break;
		case DT_SYMTAB: im->symbols = (const void *)(uintptr_t)d->d_un.d_ptr; break;
		case DT_STRTAB: im->names = (const void *)(uintptr_t)d->d_un.d_ptr; break;
		default: break;
		}
	}
}

/* False: it has none, or is MPI's own. */
static bool find_imports(const struct dl_phdr_info *info, struct imports *im)
{
	*im = (struct imports){ .bias = info->dlpi_addr, .start = UINT64_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint64_t at = info->dlpi_addr + ph->p_vaddr, end = at + ph->p_memsz;
		if (ph->p_type == PT_DYNAMIC) {
			find_tables((const void *)(uintptr_t)at, im);
		} else if (ph->p_type == PT_GNU_RELRO) {
			im->guarded = at;
			im->guarded_end = end;
		} else if (ph->p_type == PT_LOAD && ph->p_flags & PF_X) {
			im->start = at < im->start ? at : im->start;
			im->end = end > im->end ? end : im->end;
		}
	}
	/* Tables that the dynamic linker did not move to where they are: the kernel's object. */
	return im->names && im->symbols && (uint64_t)(uintptr_t)im->names >= im->bias &&
	       !(tv_entry.found && tv_entry.start - im->start < im->end - im->start);
}

#if defined(__x86_64__)
enum { SLOT = R_X86_64_JUMP_SLOT, ENTRY = R_X86_64_GLOB_DAT };
#else
enum { SLOT = R_AARCH64_JUMP_SLOT, ENTRY = R_AARCH64_GLOB_DAT };
#endif

/* A function that a module calls, or takes the address of. */
struct import {
	const char *name;
	uint64_t *slot;
	bool unbound; /* until its first call */
};

/* False: what it is about is not imported. */
static bool read_import(const struct imports *im, const ElfW(Rela) * r, struct import *import)
{
	const uint64_t type = ELF64_R_TYPE(r->r_info);
	const ElfW(Sym) *symbol = &im->symbols[ELF64_R_SYM(r->r_info)];

	if ((type != SLOT && type != ENTRY) || symbol->st_shndx != SHN_UNDEF)
		return false;
	import->name = im->names + symbol->st_name;
	import->slot = (uint64_t *)(uintptr_t)(im->bias + r->r_offset);
	import->unbound = type == SLOT && *import->slot - im->start < im->end - im->start;
	return true;
}

static bool is_mpi(const char *name)
{
	return !strncmp(name, "MPI_", 4) || !strncmp(name, "PMPI_", 5);
}

static bool is_in_mpi(uint64_t at)
{
	return tv_entry.found && at - tv_entry.start < tv_entry.size;
}

/* ---- corrections ---- */

enum { SEEN_MOST = 1024 };

static struct {
	pthread_mutex_t lock;
	uint64_t adds, subs;
	uint32_t n;
	uint64_t seen[SEEN_MOST]; /* headers of modules that were looked at */
} modules = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The next module with a table that is to be corrected. */
struct search {
	bool begun, all_of_start;
	bool found;
	struct imports im;
	char path[PATH_MAX];
};

/* Functions of libc that this library replaces, too. */
static struct other {
	const char *name;
	uint64_t own;
} others[] = { { "dlsym", 0 },
	       { "dlclose", 0 },
	       { "pthread_create", 0 },
	       { "pthread_join", 0 },
	       { "__cyg_profile_func_enter", 0 },
	       { "__cyg_profile_func_exit", 0 } };
enum { OTHERS = sizeof others / sizeof *others };

static bool is_other(const struct import *import)
{
	for (int i = 0; i < OTHERS; i++)
		if (!strcmp(import->name, others[i].name))
			return import->unbound || *import->slot != others[i].own;
	return false;
}

static bool is_wanted(const struct imports *im, const ElfW(Rela) * r)
{
	struct import import;

	if (!read_import(im, r, &import))
		return false;
	if (!is_mpi(import.name))
		return is_other(&import);
	return import.unbound || !tv_entry.found || is_in_mpi(*import.slot);
}

static bool has_wanted(const struct imports *im)
{
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; im->list[k] && i < im->n[k]; i++)
			if (is_wanted(im, &im->list[k][i]))
				return true;
	return false;
}

static bool is_seen(uint64_t header)
{
	for (uint32_t i = 0; i < modules.n; i++)
		if (modules.seen[i] == header)
			return true;
	return false;
}

/* False: nothing was opened or closed since the last time. */
static bool begin(struct search *s, const struct dl_phdr_info *info)
{
	s->begun = true;
	if (info->dlpi_adds == modules.adds && info->dlpi_subs == modules.subs)
		return false;
	/* Others may be where the closed ones were. */
	if (info->dlpi_subs != modules.subs)
		modules.n = 0;
	modules.adds = info->dlpi_adds;
	modules.subs = info->dlpi_subs;
	return true;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *s = context;
	const uint64_t header = (uint64_t)(uintptr_t)info->dlpi_phdr;

	(void)size;
	if (!s->begun && !begin(s, info))
		return 1;
	if (is_seen(header) || modules.n == SEEN_MOST)
		return 0;
	modules.seen[modules.n++] = header;
	if (s->all_of_start || !info->dlpi_name || !*info->dlpi_name ||
	    strlen(info->dlpi_name) >= sizeof s->path || !find_imports(info, &s->im) ||
	    !has_wanted(&s->im))
		return 0;
	snprintf(s->path, sizeof s->path, "%s", info->dlpi_name);
	s->found = true;
	return 1;
}

static void write_slot(const struct imports *im, const struct import *import, uint64_t value)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE),
		       at = (uint64_t)(uintptr_t)import->slot;
	const bool guarded = at >= (im->guarded & -page) && at < (im->guarded_end & -page);
	void *start = (void *)(uintptr_t)(at & -page);

	if (guarded && mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
		return;
	__atomic_store_n(import->slot, value, __ATOMIC_RELEASE);
	if (guarded)
		mprotect(start, page, PROT_READ);
}

/* The program itself, or a tool that is linked with it, comes before this library. */
static bool is_taken(const char *name, const void *entry)
{
	return tv_look_up(RTLD_DEFAULT, name) != entry;
}

static void correct(const struct imports *im, const struct import *import, void *handle)
{
	char pmpi[TV_NAME_MAX + 8];
	const char *name = import->name;
	const void *entry = tv_entry_point(name);

	if (is_mpi(name) && (!tv_find_mpi() || !(import->unbound || is_in_mpi(*import->slot))))
		return;
	if (!entry || ((import->unbound || !is_mpi(name)) && is_taken(name, entry)))
		return;
	/* A tool of the module's own is found at the first call. */
	if (is_mpi(name) && import->unbound &&
	    !is_in_mpi((uint64_t)(uintptr_t)tv_look_up(handle, name)))
		return;
	/* The module's calls did not reach the tool that is between this library and MPI. */
	if (*name == 'M' && !import->unbound && tv_entry.chained) {
		snprintf(pmpi, sizeof pmpi, "P%s", name);
		entry = tv_entry_point(pmpi);
	}
	if (entry)
		write_slot(im, import, (uint64_t)(uintptr_t)entry);
}

/* The handle keeps the module mapped. */
static void correct_all(const struct search *s)
{
	void *handle = dlopen(s->path, RTLD_LAZY | RTLD_NOLOAD);
	const struct imports *im = &s->im;
	struct import import;

	if (!handle)
		return;
	if (!tv_is_in_mpi((const void *)(uintptr_t)im->start))
		for (int k = 0; k < 2; k++)
			for (size_t i = 0; im->list[k] && i < im->n[k]; i++)
				if (is_wanted(im, &im->list[k][i]) &&
				    read_import(im, &im->list[k][i], &import))
					correct(im, &import, handle);
	tv_real_dlclose(handle);
	dlerror(); /* of look-ups here */
}

void tv_imports_correct(void)
{
	static struct search s;
	const int saved = errno;

	if (!tv.wanted || tv.dead || pthread_mutex_trylock(&modules.lock) != 0)
		return;
	for (int i = 0; i < OTHERS; i++)
		if (!others[i].own)
			others[i].own = (uint64_t)(uintptr_t)tv_entry_point(others[i].name);
	s.begun = false;
	do {
		s.found = false;
		dl_iterate_phdr(look_at, &s);
		if (s.found)
			correct_all(&s);
	} while (s.found);
	pthread_mutex_unlock(&modules.lock);
	errno = saved;
}

void tv_imports_begin(void)
{
	struct search s = { .all_of_start = true };

	pthread_mutex_lock(&modules.lock);
	dl_iterate_phdr(look_at, &s);
	pthread_mutex_unlock(&modules.lock);
}

/* ---- what could not be corrected ---- */

bool tv_imports_bypass(const struct dl_phdr_info *info)
{
	struct imports im;
	struct import import;

	if (!tv_entry.found || !tv_entry.size || !find_imports(info, &im))
		return false;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; im.list[k] && i < im.n[k]; i++)
			if (read_import(&im, &im.list[k][i], &import) && is_mpi(import.name) &&
			    is_in_mpi(*import.slot) && tv_is_entry(import.name))
				return true;
	return false;
}
