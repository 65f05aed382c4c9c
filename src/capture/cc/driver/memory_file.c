#define _GNU_SOURCE /* NOLINT: memfd_create() */
#include "capture/cc/driver/memory_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int memory_file(const char *name)
{
	return memfd_create(name, 0);
}

void memory_rewind(int fd)
{
	(void)lseek(fd, 0, SEEK_SET);
}

void memory_empty(int fd)
{
	memory_rewind(fd);
	(void)!ftruncate(fd, 0);
}

bool memory_is_empty(int fd)
{
	return lseek(fd, 0, SEEK_END) == 0;
}

/* False where the reader or the disk fails. */
bool memory_copy(int from, int to)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(from, bytes, sizeof bytes)) > 0) {
		for (ssize_t done = 0; done < n;) {
			const ssize_t wrote = write(to, bytes + done, (size_t)(n - done));
			if (wrote < 0 && errno != EINTR)
				return false;
			done += wrote > 0 ? wrote : 0;
		}
	}
	return n == 0;
}

void memory_words(int fd, struct str *text)
{
	enum { MOST = 1000 };
	char bytes[MOST];
	ssize_t n;

	memory_rewind(fd);
	n = read(fd, bytes, sizeof bytes);
	while (n > 0 && bytes[n - 1] == '\n')
		n--;
	if (n > 0)
		str_add_clean(text, bytes, (size_t)n);
}

/* The text of a file in memory. */
void memory_text(int fd, struct str *text)
{
	char bytes[65536];
	ssize_t n;

	memory_rewind(fd);
	while ((n = read(fd, bytes, sizeof bytes)) > 0)
		str_add_n(text, bytes, (size_t)n);
}
