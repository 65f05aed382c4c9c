/* What is expected costs no memory until it is used; what is freed is used again, without faults of
 * pages. Where address space is limited, it is left alone. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/mem.h"
#include "harness/test.h"

#define MIB ((size_t)1 << 20)

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* In pages: what of the process is in memory, or all its address space. */
static long pages(bool all)
{
	long size = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
	fclose(file);
	return all ? size : resident;
}

static void touch(size_t bytes)
{
	char *p = xmalloc(bytes);

	memset(p, 1, bytes);
	free(p);
}

/* What malloc is told cannot be taken back: a process for each of these. The sanitizer's malloc is
 * another one. */
static void in_a_child(bool (*holds)(void))
{
	int status = 0;
	pid_t child;

#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	child = fork();
	if (child == 0)
		_exit(holds() ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static bool is_space_alone(void)
{
	const long before = pages(false), space = pages(true);

	heap_keep();
	heap_expect(256 * MIB);
	return pages(false) - before < (long)(4 * MIB) / 4096 &&
	       pages(true) - space >= (long)(256 * MIB) / 4096;
}

TEST(what_is_expected_takes_no_memory)
{
	in_a_child(is_space_alone);
}

static bool is_kept(void)
{
	long before;

	heap_keep();
	touch(64 * MIB);
	before = faults();
	touch(64 * MIB);
	return faults() - before < 100;
}

TEST(what_is_freed_is_used_again)
{
	in_a_child(is_kept);
}

/* More than an int has bytes. */
static bool is_kept_however_large(void)
{
	const size_t large = 2304 * MIB;
	const long space = pages(true);
	char *block;

	heap_keep();
	block = malloc(large);
	if (!block)
		return true; /* a machine that does not promise so much */
	free(block);
	return pages(true) - space >= (long)(large / 4096);
}

TEST(what_is_freed_stays_however_large)
{
	in_a_child(is_kept_however_large);
}

static bool is_given_back(void)
{
	const long before = pages(false);

	heap_keep();
	touch(64 * MIB);
	heap_release();
	return pages(false) - before < (long)(4 * MIB) / 4096;
}

TEST(what_is_free_is_given_back)
{
	in_a_child(is_given_back);
}

static bool is_left_alone(void)
{
	const struct rlimit limit = { 1024 * MIB, 1024 * MIB };
	long space;

	heap_keep();
	setrlimit(RLIMIT_AS, &limit);
	space = pages(true);
	heap_expect(256 * MIB);
	return pages(true) - space < (long)(4 * MIB) / 4096;
}

TEST(limited_address_space_is_left_alone)
{
	in_a_child(is_left_alone);
}
