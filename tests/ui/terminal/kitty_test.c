/* Pictures by kitty's protocol, decoded by a decoder that knows the formats alone. */
#include <string.h>

#include "harness/pictures.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/terminal/kitty.h"

/* Random rectangles, in a picture of several sequences: each pixel is what was put there last, or
 * clear. */
TEST(pixels_arrive_as_they_were_drawn)
{
	enum { W = 30, H = 8, CW = 7, CH = 15 };
	struct rng rng = { 11 };
	ENDED_BY(pixels_fini) struct pixels p;
	OWNED_STR png = STR_INIT, sent = STR_INIT, back = STR_INIT;
	uint32_t palette[ROLE_COUNT];
	static uint8_t expected[H * CH][W * CW];
	struct picture got;

	for (uint32_t i = 0; i < ROLE_COUNT; i++)
		palette[i] = i * 0x10307u & 0xffffff;
	pixels_init(&p, (struct rect){ 3, 2, W, H }, CW, CH);
	memset(expected, PIXEL_CLEAR, sizeof expected);
	for (int i = 0; i < 900; i++) {
		const struct rect r = { (int)(rng_next(&rng) % 220) - 5,
					(int)(rng_next(&rng) % 130) - 5, (int)(rng_next(&rng) % 12),
					(int)(rng_next(&rng) % 12) };
		const enum role role = ROLE_TITLE + rng_next(&rng) % 30;

		pixels_fill(&p, r, role);
		for (int y = 0; y < H * CH; y++)
			for (int x = 0; x < W * CW; x++)
				if (x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h)
					expected[y][x] = (uint8_t)role;
	}
	kitty_png(&png, &p, palette);
	kitty_show(&sent, &png, W, H);
	assert_true(sent.n > 4096);
	kitty_payload(&back, sent.text, sent.n, "a=T,f=100,i=7301,p=1,c=30,r=8,z=-1,C=1,q=2,m=1");
	assert_int_equal(back.n, png.n);
	got = decode_png(&back);
	assert_int_equal(got.w, W * CW);
	assert_int_equal(got.h, H * CH);
	for (int y = 0; y < got.h; y++)
		for (int x = 0; x < got.w; x++) {
			const uint8_t role = expected[y][x];

			assert_int_equal(got.pixels[y * got.w + x],
					 role == PIXEL_CLEAR ? 0 : PICTURE_DRAWN | palette[role]);
		}
	free(got.pixels);
}

/* A vertical line of 3 pixels; a shallow one has one or two in each of its ten columns. */
TEST(lines_are_one_pixel_wide)
{
	ENDED_BY(pixels_fini) struct pixels p;
	int n = 0;

	pixels_init(&p, (struct rect){ 0, 0, 10, 3 }, 1, 1);
	pixels_line(&p, 0, 0, 0, 2, ROLE_MESSAGE);
	for (int i = 0; i < 30; i++)
		n += p.roles[i] == ROLE_MESSAGE;
	assert_int_equal(n, 3);
	pixels_line(&p, 0, 0, 9, 2, ROLE_CRITICAL);
	for (int x = 0; x < 10; x++) {
		int in_column = 0;
		for (int y = 0; y < 3; y++)
			in_column += p.roles[y * 10 + x] == ROLE_CRITICAL;
		assert_in_range(in_column, 1, 2);
	}
	assert_int_equal(p.roles[0], ROLE_CRITICAL);
	assert_int_equal(p.roles[29], ROLE_CRITICAL);
	pixels_line(&p, -(INT64_C(1) << 40), -5, INT64_C(1) << 40, 40, ROLE_GOOD);
}
