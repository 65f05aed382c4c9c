/* Bytes that --max-mem allows. */
#define _GNU_SOURCE
#include "base/memory_bound.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CAN_BIND = false };
#else
enum { CAN_BIND = true };
#endif

enum { STACK = 1 << 20 };

static const uint64_t own = (uint64_t)MEMORY_OWN_MB << 20;

static void allow(rlim_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) != 0)
		return;
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	setrlimit(RLIMIT_DATA, &limit);
}

static rlim_t allowed(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_DATA, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/* A stack counts whole, however little of it is used. */
static void small_stacks(void)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

void memory_bound(uint64_t bytes)
{
	if (!CAN_BIND || !bytes || bytes >= RLIM_INFINITY - own)
		return;
	small_stacks();
	allow(bytes + own);
}

uint64_t memory_bound_bytes(void)
{
	const rlim_t bytes = allowed();

	return bytes == RLIM_INFINITY || bytes <= own ? 0 : bytes - own;
}

/* Skips n numbers of a line, and returns the one after them. */
static uint64_t number_after(const char *line, int n)
{
	for (; n && *line; line++)
		n -= *line == ' ';
	return strtoull(line, NULL, 10);
}

/* Without allocation, as there may be no room for any. The sixth number of statm: pages of data and
 * stack. What cannot be read counts as all. */
static uint64_t in_use(void)
{
	char line[128];
	const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return UINT64_MAX;
	line[n] = '\0';
	return number_after(line, 5) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t memory_left(void)
{
	const rlim_t most = allowed();
	uint64_t used;

	if (most == RLIM_INFINITY)
		return UINT64_MAX;
	used = in_use();
	return used < most ? most - used : 0;
}

bool memory_is_short(void)
{
	const uint64_t bound = memory_bound_bytes();

	return bound && memory_left() < bound / 4;
}

uint64_t memory_bound_lift(void)
{
	const rlim_t before = allowed();

	allow(RLIM_INFINITY);
	return before;
}

void memory_bound_restore(uint64_t bytes)
{
	allow(bytes);
}
