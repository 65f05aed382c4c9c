#include "correct/room/same_room.h"

#include "harness/test.h"

#define SAME(a, b, n)                                                 \
	do {                                                          \
		if (n)                                                \
			assert_memory_equal(a, b, (n) * sizeof *(a)); \
	} while (0)

void assert_same_room(const struct clock_room *a, const struct clock_room *b)
{
	const struct room_bounds *x = &a->bounds, *y = &b->bounds;
	const size_t spans = (size_t)x->clocks * ROOM_WINDOWS;

	assert_int_equal(a->done, b->done);
	assert_int_equal(a->base, b->base);
	assert_int_equal(a->origin, b->origin);
	assert_int_equal(a->locations, b->locations);
	SAME(a->of, b->of, a->locations);
	assert_int_equal(a->n_rows, b->n_rows);
	SAME(a->rows, b->rows, a->n_rows);
	assert_int_equal(x->clocks, y->clocks);
	assert_true(x->windows.first == y->windows.first && x->windows.length == y->windows.length);
	assert_int_equal(x->windows.n, y->windows.n);
	SAME(x->windows.sets, y->windows.sets, x->windows.n);
	SAME(x->all, y->all, spans);
	SAME(x->inside, y->inside, spans);
	SAME(x->loose, y->loose, spans);
	SAME(x->of, y->of, x->clocks);
	assert_int_equal(x->records, y->records);
	assert_int_equal(x->dropped, y->dropped);
	assert_true(x->reversed == y->reversed);
}
