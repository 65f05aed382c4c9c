/* Slabs that grow in memory up to a limit, then in a file. */
#define _GNU_SOURCE
#include "base/slab_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/memory_bound.h"
#include "base/str.h"

enum { FOLDERS = 2 };

struct slab_pool {
	uint64_t most;
	pthread_mutex_t lock; /* guards the fields below */
	unsigned owners;
	uint64_t in_memory, in_file;
	int fd; /* -1: not opened yet */
	char *folders[FOLDERS];
};

uint64_t slab_pool_usual(void)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
	FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
	unsigned long long limit;

	if (file && fscanf(file, "%llu", &limit) == 1 && limit < bytes)
		bytes = limit;
	if (file)
		fclose(file);
	return bytes / 2;
}

struct slab_pool *slab_pool_new(uint64_t most, const char *const *folders)
{
	struct slab_pool *pool = xcalloc(1, sizeof *pool);

	pool->most = most ? most : slab_pool_usual();
	pool->fd = -1;
	pool->owners = 1;
	pthread_mutex_init(&pool->lock, NULL);
	for (int i = 0; i < FOLDERS && folders && folders[i]; i++)
		pool->folders[i] = xstrdup(folders[i]);
	return pool;
}

struct slab_pool *slab_pool_share(struct slab_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->owners++;
	pthread_mutex_unlock(&pool->lock);
	return pool;
}

void slab_pool_free(struct slab_pool *pool)
{
	bool last;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	last = --pool->owners == 0;
	pthread_mutex_unlock(&pool->lock);
	if (!last)
		return;
	if (pool->fd >= 0)
		close(pool->fd);
	for (int i = 0; i < FOLDERS; i++)
		free(pool->folders[i]);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void slab_join(struct slab *slab, struct slab_pool *pool)
{
	slab->pool = pool;
}

/* Large steps are cheaper; small ones fit a small pool better. */
size_t slab_pool_step(const struct slab_pool *pool)
{
	size_t step = 16u * HUGE_PAGE;

	while (step > HUGE_PAGE && step > pool->most / 64)
		step /= 2;
	return step;
}

/* ---- the file ---- */

/* Opens a file without a name; on file systems without such files, unlinks one at once. */
static int open_in(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	OWNED_STR name = STR_INIT;

	if (fd >= 0)
		return fd;
	str_add_fmt(&name, "%s/.tview-XXXXXX", folder);
	fd = mkostemp(name.text, O_CLOEXEC);
	if (fd >= 0)
		unlink(name.text);
	return fd;
}

static bool open_file(struct slab_pool *pool, struct err *err)
{
	for (int i = 0; i < FOLDERS && pool->fd < 0 && pool->folders[i]; i++)
		pool->fd = open_in(pool->folders[i]);
	if (pool->fd >= 0)
		return true;
	if (!pool->folders[0])
		return err_set(err, STATUS_IO,
			       "the trace needs more memory than the %llu MB it may take: without "
			       "--no-cache the rest goes to a file; --max-mem allows more, --ranks "
			       "and --time load less",
			       (unsigned long long)(pool->most >> 20));
	return err_errno(
		err, STATUS_IO,
		"the trace needs more memory than the %llu MB it may take, and no file for "
		"the rest can be made in %s",
		(unsigned long long)(pool->most >> 20), pool->folders[0]);
}

/* Reserves the disk's space before writing, as a full disk would otherwise raise SIGBUS. */
static bool grow_in_file(struct slab *slab, size_t bytes, struct err *err)
{
	struct slab_pool *pool = slab->pool;
	int failed;

	if (!open_file(pool, err))
		return false;
	failed = posix_fallocate(pool->fd, (off_t)pool->in_file, (off_t)bytes);
	if (!failed && mmap(slab->data + slab->touched, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED, pool->fd, (off_t)pool->in_file) == MAP_FAILED)
		failed = errno;
	errno = failed;
	if (failed)
		return err_errno(err, STATUS_IO,
				 "the trace needs more memory than the %llu MB it may take, and "
				 "there is no room for the rest on the disk",
				 (unsigned long long)(pool->most >> 20));
	pool->in_file += bytes;
	slab->in_file += bytes;
	return true;
}

/* Where there is a file, a quarter is left to what can be in memory alone. */
static bool leaves_room(const struct slab_pool *pool, size_t bytes)
{
	const uint64_t others = pool->folders[0] ? pool->most / 4 : 0;

	return bytes + others <= memory_left();
}

enum slab_place slab_pool_take(struct slab *slab, size_t end, struct err *err)
{
	struct slab_pool *pool = slab->pool;
	const size_t bytes = end - slab->touched;
	enum slab_place place = SLAB_IN_MEMORY;

	pthread_mutex_lock(&pool->lock);
	if (bytes <= pool->most - pool->in_memory && leaves_room(pool, bytes) &&
	    slab_open(slab, end))
		pool->in_memory += bytes;
	else
		place = grow_in_file(slab, bytes, err) ? SLAB_IN_FILE : SLAB_NOWHERE;
	pthread_mutex_unlock(&pool->lock);
	return place;
}

void slab_pool_give(struct slab *slab, size_t bytes)
{
	pthread_mutex_lock(&slab->pool->lock);
	slab->pool->in_memory -= bytes;
	pthread_mutex_unlock(&slab->pool->lock);
}
