/* Slabs: zeroed, stable, bounded. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include "base/mem.h"
#include "base/slab.h"
#include "harness/test.h"

TEST(grows_in_place_and_zeroed)
{
	struct slab slab;
	uint64_t *first = NULL;
	const size_t count = 3u << 20; /* 24 MiB: across the border between small and huge pages */

	slab_init(&slab, 1ull << 30);
	for (size_t i = 0; i < count; i++) {
		uint64_t *p = slab_extend(&slab, sizeof *p, NULL);

		if (!first)
			first = p;
		assert_ptr_equal(p, first + i);
		assert_int_equal(*p, 0);
		*p = i ^ 0x5555;
	}
	assert_ptr_equal(slab.data, first);
	assert_int_equal(slab.size, count * sizeof *first);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(first[i], i ^ 0x5555);
	slab_fini(&slab);
	assert_null(slab.data);
	slab_fini(&slab); /* once more does no harm */
}

TEST(reservation_is_the_limit)
{
	struct slab slab;
	struct err err = ERR_INIT;
	const size_t all = 8u << 20;

	slab_init(&slab, all);
	assert_int_equal(slab.reserved, all);
	assert_non_null(slab_extend(&slab, all - 1, &err));
	assert_null(slab_extend(&slab, 2, &err));
	assert_int_equal(err.status, STATUS_IO);
	assert_non_null(strstr(err.text, "--ranks"));
	assert_int_equal(slab.size, all - 1); /* a refusal changes nothing */
	assert_non_null(slab_extend(&slab, 1, NULL));
	assert_null(slab_extend(&slab, SIZE_MAX, NULL));
	slab_fini(&slab);
}

/* An empty slab takes no address space; what asks for its content gets a place to ask. */
TEST(empty_slabs_take_nothing)
{
	static struct slab slabs[4096]; /* of 64 GiB each: twice what there is */
	char copy[1];

	for (size_t i = 0; i < 4096; i++)
		slab_init(&slabs[i], 64ull << 30);
	assert_non_null(slabs[0].data);
	memcpy(copy, slabs[0].data, slabs[0].size);
	slab_trim(&slabs[0]);
	assert_non_null(slab_extend(&slabs[0], 100, NULL));
	for (size_t i = 0; i < 4096; i++)
		slab_fini(&slabs[i]);
}

TEST(small_reservations_are_enough)
{
	struct slab slab;

	slab_init(&slab, 1);
	assert_non_null(slab_extend(&slab, 1, NULL));
	slab_fini(&slab);
}

TEST(trim_keeps_the_content)
{
	struct slab slab;
	char *p;

	slab_init(&slab, 64u << 20);
	p = slab_extend(&slab, 5u << 20, NULL);
	assert_non_null(p);
	memset(p, 'x', 5u << 20);
	slab_trim(&slab);
	for (size_t i = 0; i < 5u << 20; i += 1000)
		assert_int_equal(p[i], 'x');
	p = slab_extend(&slab, 5u << 20, NULL);
	for (size_t i = 0; i < 5u << 20; i += 1000)
		assert_int_equal(p[i], 0);
	slab_fini(&slab);
}

/* What is expected, rightly or not, changes nothing that is seen. */
TEST(expectations_need_not_be_met)
{
	static const size_t expected[] = { 0, 1000, 4u << 20, SIZE_MAX };

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct slab slab;
		const char *p;

		slab_init(&slab, i % 2 ? 1 << 20 : 64u << 20);
		slab_expect(&slab, expected[i]);
		p = slab_extend(&slab, 100000, NULL);
		assert_non_null(p);
		for (size_t k = 0; k < 100000; k++)
			assert_int_equal(p[k], 0);
		slab_fini(&slab);
	}
}

/* What was taken back is as fresh memory is when it is taken again. */
TEST(cut_bytes_are_zeros_again)
{
	struct slab slab;
	char *data;

	slab_init(&slab, 1u << 30);
	data = slab_extend(&slab, 10000, NULL);
	memset(data, 'x', 10000);
	slab_cut(&slab, 5000);
	assert_int_equal(slab.size, 5000);
	assert_ptr_equal(slab_extend(&slab, 6000, NULL), data + 5000);
	for (size_t i = 0; i < 11000; i++)
		assert_int_equal(data[i], i < 5000 ? 'x' : 0);
	slab_fini(&slab);
}

#if defined(__SANITIZE_ADDRESS__)
/* Neither the next bytes nor the reserve can be read: what reads beyond a slab's end is found. */
TEST(a_sanitizer_sees_reads_beyond_the_end)
{
	struct slab slab;
	char *data;

	slab_init(&slab, 1u << 30);
	for (size_t i = 1; i < 9000; i += 7) {
		slab_extend(&slab, 7, NULL);
		data = slab.data;
		assert_false(__asan_address_is_poisoned(data + slab.size - 1));
		assert_true(__asan_address_is_poisoned(data + slab.size));
	}
	slab_cut(&slab, 100);
	assert_false(__asan_address_is_poisoned(data + 99));
	assert_true(__asan_address_is_poisoned(data + 100));
	slab_trim(&slab);
	assert_true(__asan_address_is_poisoned(data + 100));
	slab_fini(&slab);
	assert_false(__asan_address_is_poisoned(data + 100));
}
#endif

#if !defined(__SANITIZE_ADDRESS__)
/* With an address space too small for the wish a smaller reservation is made, not an error. */
TEST(limits_are_met_by_asking_for_less)
{
	const struct rlimit limit = { 256u << 20, 256u << 20 };
	pid_t child;
	int status;

	child = fork();
	if (child == 0) {
		struct slab slab;

		setrlimit(RLIMIT_AS, &limit);
		slab_init(&slab, 64ull << 30);
		_exit(slab.reserved < (256u << 20) && slab_extend(&slab, 4096, NULL) ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

TEST(allocation_of_nothing_is_something)
{
	void *p = xmalloc(0);
	char *text = xstrndup("abcdef", 3);
	int *zeros = xcalloc(10, sizeof *zeros);

	assert_non_null(p);
	assert_string_equal(text, "abc");
	for (int i = 0; i < 10; i++)
		assert_int_equal(zeros[i], 0);
	p = xrealloc(p, 0);
	assert_non_null(p);
	free_all(p, text, zeros);
}
