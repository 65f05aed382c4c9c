/* fail_alloc.so: preloaded, it lets allocations of one library fail, as the environment says:
 *
 *	FAIL_ALLOC_OF	text in the path of the library (libtvcapture)
 *	FAIL_ALLOC_LOG	file to which each place that allocates is added, once a process:
 *			what it calls, and where in the library that is
 *	FAIL_ALLOC_AT	such a place, whose allocations fail ...
 *	FAIL_ALLOC_N	... from the n-th of a process on, but for FAIL_ALLOC_ONCE (1)
 *	FAIL_ALLOC_RANK	in this rank alone (of MPICH or Open MPI)
 *
 * Places, not calls: the same code does the same with the second failure as with the first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PLACES_MOST = 512 };

static struct {
	bool ready;
	uintptr_t from, to, base; /* text of the library; empty until it is loaded */
	uintptr_t at;
	int log;
	bool once;
	unsigned long n, seen;
	uintptr_t places[PLACES_MOST];
	size_t n_places;
} fail;

static int look(struct dl_phdr_info *info, size_t size, void *of)
{
	(void)size;
	if (!info->dlpi_name || !strstr(info->dlpi_name, of))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		fail.base = info->dlpi_addr;
		fail.from = info->dlpi_addr + p->p_vaddr;
		fail.to = fail.from + p->p_memsz;
	}
	return 1;
}

/* With the first allocation of all, as the library's constructors come before those of this one. */
static void begin(void)
{
	const char *of = getenv("FAIL_ALLOC_OF"), *log = getenv("FAIL_ALLOC_LOG"),
		   *at = getenv("FAIL_ALLOC_AT"), *n = getenv("FAIL_ALLOC_N"),
		   *rank = getenv("FAIL_ALLOC_RANK"), *mine = getenv("PMI_RANK");

	fail.ready = true;
	if (!of)
		return;
	mine = mine ? mine : getenv("OMPI_COMM_WORLD_RANK");
	fail.log = log ? open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	fail.n = n ? strtoul(n, NULL, 10) : 1;
	fail.once = getenv("FAIL_ALLOC_ONCE");
	dl_iterate_phdr(look, (void *)(uintptr_t)of);
	if (at && strchr(at, '+') && (!rank || (mine && strcmp(rank, mine) == 0)))
		fail.at = fail.base + strtoul(strchr(at, '+') + 1, NULL, 16);
}

static void note(const char *what, uintptr_t place)
{
	char line[64];

	for (size_t i = 0; i < fail.n_places; i++)
		if (fail.places[i] == place)
			return;
	if (fail.log < 0 || fail.n_places == PLACES_MOST)
		return;
	fail.places[fail.n_places++] = place;
	snprintf(line, sizeof line, "%s+%lx\n", what, (unsigned long)(place - fail.base));
	if (write(fail.log, line, strlen(line)) < 0)
		fail.log = -1;
}

/* Whether the allocation that returns to `place` is to fail. */
static bool fails(const char *what, const void *place)
{
	const uintptr_t at = (uintptr_t)place;

	if (!fail.ready)
		begin();
	if (at < fail.from || at >= fail.to)
		return false;
	note(what, at);
	if (at != fail.at || ++fail.seen < fail.n || (fail.once && fail.seen > fail.n))
		return false;
	errno = ENOMEM;
	return true;
}

#define PLACE __builtin_return_address(0)

/* libc's own, without dlsym(), which allocates itself. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return fails("malloc", PLACE) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails("calloc", PLACE) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails("realloc", PLACE) ? NULL : __libc_realloc(old, size);
}

char *strndup(const char *text, size_t most)
{
	const size_t n = strnlen(text, most);
	char *copy = fails("strndup", PLACE) ? NULL : __libc_malloc(n + 1);

	if (copy)
		*(char *)mempcpy(copy, text, n) = '\0';
	return copy;
}

char *strdup(const char *text)
{
	const size_t n = strlen(text);
	char *copy = fails("strdup", PLACE) ? NULL : __libc_malloc(n + 1);

	return copy ? memcpy(copy, text, n + 1) : NULL;
}

void *mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
	void *(*next)(void *, size_t, int, int, int, off_t);

	if (fails("mmap", PLACE))
		return MAP_FAILED;
	*(void **)&next = dlsym(RTLD_NEXT, "mmap");
	return next(at, size, rights, flags, fd, offset);
}
