#include "base/spool.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

struct spool {
	int fd;
	FILE *file;
	uint64_t at, kept; /* bytes read, and bytes in the file */
};

struct spool *spool_new(int fd)
{
	struct spool *spool;
	FILE *file = tmpfile();

	if (!file)
		return NULL;
	spool = xcalloc(1, sizeof *spool);
	spool->fd = fd;
	spool->file = file;
	return spool;
}

void spool_free(struct spool *spool)
{
	if (!spool)
		return;
	fclose(spool->file);
	free(spool);
}

static ssize_t read_again(struct spool *spool, void *buffer, size_t size)
{
	const uint64_t left = spool->kept - spool->at;
	const ssize_t got =
		pread(fileno(spool->file), buffer, size < left ? size : left, (off_t)spool->at);

	if (got > 0)
		spool->at += (uint64_t)got;
	return got;
}

static bool keep(struct spool *spool, const char *bytes, size_t n)
{
	while (n) {
		const ssize_t put = pwrite(fileno(spool->file), bytes, n, (off_t)spool->kept);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		spool->kept += (uint64_t)put;
		bytes += put;
		n -= (size_t)put;
	}
	return true;
}

ssize_t spool_read(struct spool *spool, void *buffer, size_t size, int wait_ms)
{
	struct pollfd wait = { .fd = spool->fd, .events = POLLIN };
	ssize_t got;
	int ready;

	if (spool->at < spool->kept)
		return read_again(spool, buffer, size);
	ready = poll(&wait, 1, wait_ms);
	if (ready == 0 || (ready < 0 && errno == EINTR)) {
		errno = EAGAIN;
		return -1;
	}
	do
		got = read(spool->fd, buffer, size);
	while (got < 0 && errno == EINTR);
	if (got > 0 && !keep(spool, buffer, (size_t)got))
		return -1;
	spool->at = spool->kept;
	return got;
}

void spool_rewind(struct spool *spool)
{
	spool->at = 0;
}
