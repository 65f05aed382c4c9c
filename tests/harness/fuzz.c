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

void fuzz_folder(char name[FUZZ_FOLDER])
{
	snprintf(name, FUZZ_FOLDER, "/dev/shm/tview-fuzz-%d-XXXXXX", (int)getpid());
	must(mkdtemp(name), "there is a folder");
}

unsigned fuzz_choice(const void *data, size_t size, unsigned n)
{
	const unsigned char *bytes = data;
	uint32_t sum = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 16777619u;
	return (sum ^ sum >> 15) % n;
}
