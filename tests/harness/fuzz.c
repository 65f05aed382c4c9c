#define _GNU_SOURCE
#include "harness/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

int fuzz_file(const void *data, size_t size)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0,
	     "there is a file");
	return fd;
}
