/* Growth, order and zeroing of typed arrays. */
#include "base/vec.h"
#include "harness/test.h"

TEST(keeps_what_was_pushed)
{
	VEC(uint64_t) squares = VEC_INIT;

	for (uint64_t i = 0; i < 10000; i++)
		vec_push(&squares, i * i);
	assert_int_equal(squares.n, 10000);
	assert_true(squares.cap >= squares.n);
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(squares.data[i], i * i);
	vec_fini(&squares);
	assert_null(squares.data);
	assert_int_equal(squares.n, 0);
	assert_int_equal(squares.cap, 0);
}

struct item {
	int a;
	char b[13];
};

TEST(added_elements_are_zero)
{
	VEC(struct item) items = VEC_INIT;
	const struct item *it;
	int n = 0;

	for (int i = 0; i < 100; i++) {
		struct item *item = vec_add(&items);
		assert_int_equal(item->a, 0);
		for (size_t k = 0; k < sizeof item->b; k++)
			assert_int_equal(item->b[k], 0);
		item->a = i;
		item->b[12] = 'x';
	}
	vec_each (it, &items)
		assert_int_equal(it->a, n++);
	assert_int_equal(n, 100);
	assert_int_equal(vec_last(&items)->a, 99);
	/* What was popped leaves its bytes behind; the next element must not show them. */
	assert_int_equal(vec_pop(&items).a, 99);
	assert_int_equal(((struct item *)vec_add(&items))->a, 0);
	vec_fini(&items);
}

TEST(reserve_makes_room_once)
{
	VEC(char) bytes = VEC_INIT;
	const char *before;

	vec_reserve(&bytes, 5000);
	assert_true(bytes.cap >= 5000);
	assert_int_equal(bytes.n, 0);
	before = bytes.data;
	for (int i = 0; i < 5000; i++)
		vec_push(&bytes, 'a');
	assert_ptr_equal(bytes.data, before);
	vec_fini(&bytes);
}
