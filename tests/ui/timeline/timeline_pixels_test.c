/* The timeline as pixels, against states and lines that are known by hand. */
#include "harness/notation.h"
#include "harness/test.h"
#include "ui/timeline/drawing/timeline_pixels.h"
#include "ui/timeline/timeline_aid.h"

enum { CELL_W = 5, CELL_H = 10, W = 20, H = 6 };

static void bar_is(const struct pixels *p, int y0, const char *expected)
{
	for (int y = y0; y < y0 + 2 * CELL_H; y++)
		for (int x = 0; x < 100; x++) {
			const enum role role =
				expected[x / 5] == 'u'   ? ROLE_CLASS_FIRST + CLASS_USER
				: expected[x / 5] == 'p' ? ROLE_CLASS_FIRST + CLASS_P2P
				: expected[x / 5] == 's' ? ROLE_CLASS_FIRST + CLASS_SYNC
							 : PIXEL_CLEAR;

			if (p->roles[y * p->w + x] != role)
				fail_msg("pixel %d of row %d is %d", x, y, p->roles[y * p->w + x]);
		}
}

/* 100 ns in 100 columns of pixels; two rows of two lines of ten pixels with two lines between them.
 * Times are multiples of 5 ns but for the message: from 42 at pixel row 20 to 51 at row 39. */
TEST(states_and_a_message)
{
	OWNED_TRACE *trace = notation_trace(
		"region MPI_Barrier class sync\n"
		"rank 0: main@0 { work@10-40 MPI_Send@40-50 ->1 tag 7 8B @42 MPI_Barrier@80-95 } @100\n"
		"rank 1: main@5 { MPI_Recv@20-55 <-0 tag 7 8B @51 MPI_Barrier@90-95 } @100");
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	ENDED_BY(drawn_fini) struct drawn fine = drawn_new();
	ENDED_BY(pixels_fini) struct pixels p;
	const struct timeline_focus focus = { -1, NO_HIT, NO_HIT, NULL };
	struct timeline_options options = { .width = W, .height = H };
	struct query query = shown_whole(trace);
	const struct timeline_view view = { .query = &query, .picture = &d.p, .focus = &focus };
	int outside = 0;

	query.t0 = 0;
	query.t1 = 100;
	drawn_make(&d, &query, &options);
	options.width = W * CELL_W;
	options.ascii = true;
	drawn_make(&fine, &query, &options);
	pixels_init(&p, (struct rect){ 0, 0, W, H }, CELL_W, CELL_H);
	timeline_pixels_draw(&view, &fine.p, &p, CELL_W, CELL_H);
	bar_is(&p, 0, "uuuuuuuuppuuuuuusssu");
	bar_is(&p, 40, ".uuupppppppuuuuuuusu");
	for (int y = 20; y < 40; y++) {
		/* The line, to the nearest pixel; or the head in the last two rows. */
		const int x = 42 + 9 * (y - 20) / 19;

		assert_true(p.roles[y * 100 + x] == ROLE_MESSAGE ||
			    p.roles[y * 100 + x + 1] == ROLE_MESSAGE);
		for (int i = 0; i < 100; i++)
			outside += (i < x - 1 || i > x + 2) && p.roles[y * 100 + i] != PIXEL_CLEAR;
	}
	assert_int_equal(p.roles[20 * 100 + 42], ROLE_MESSAGE);
	assert_int_equal(p.roles[39 * 100 + 51], ROLE_MESSAGE);
	assert_int_equal(outside, 0);
}
