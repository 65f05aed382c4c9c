/* Sixels, decoded by a decoder that knows the format alone. */
#include "harness/pictures.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/terminal/sixel.h"

#include <string.h>

#define OWNED_PIXELS ENDED_BY(pixels_fini) struct pixels

static struct sixel_palette palette_of(unsigned most)
{
	struct sixel_palette p = { .most = most };

	for (uint32_t i = 0; i < ROLE_COUNT; i++)
		p.rgb[i] = i * 0x10307u & 0xffffff;
	return p;
}

/* Draws, decodes, and compares a rectangle with what is drawn there. */
static void round_trip(const struct pixels *p, struct rect r, struct sixel_palette *palette)
{
	OWNED_STR out = STR_INIT;
	struct picture back;

	sixel_add(&out, p, r, palette);
	assert_memory_equal(out.text, "\033P", 2);
	assert_memory_equal(out.text + out.n - 2, "\033\\", 2);
	back = decode_sixel(out.text + 2, out.n - 4);
	assert_int_equal(back.w, r.w);
	assert_int_equal(back.h, r.h);
	for (int y = 0; y < r.h; y++)
		for (int x = 0; x < r.w; x++) {
			const uint8_t role = p->roles[(r.y + y) * p->w + r.x + x];

			assert_int_equal(back.pixels[y * r.w + x],
					 role == PIXEL_CLEAR
						 ? 0
						 : PICTURE_DRAWN |
							   picture_percent(palette->rgb[role]));
		}
	free(back.pixels);
}

/* Random rectangles, in pictures whose height is any, too, and in parts of them. */
TEST(pixels_arrive_as_they_were_drawn)
{
	struct rng rng = { 23 };

	for (int round = 0; round < 40; round++) {
		struct sixel_palette palette = palette_of(ROLE_COUNT);
		OWNED_PIXELS p;

		pixels_init(&p, (struct rect){ 0, 0, 1 + (int)(rng_next(&rng) % 60), 7 }, 7,
			    1 + (int)(rng_next(&rng) % 19));
		for (int i = 0; i < 200; i++)
			pixels_fill(&p,
				    (struct rect){ (int)(rng_next(&rng) % 430) - 5,
						   (int)(rng_next(&rng) % 130) - 5,
						   (int)(rng_next(&rng) % 40),
						   (int)(rng_next(&rng) % 12) },
				    ROLE_TITLE + rng_next(&rng) % 40);
		round_trip(&p, (struct rect){ 0, 0, p.w, p.h }, &palette);
		for (int i = 0; i < 5; i++) {
			const int x = (int)(rng_next(&rng) % (uint32_t)p.w);
			const int y = (int)(rng_next(&rng) % (uint32_t)p.h);

			round_trip(&p,
				   (struct rect){ x, y,
						  1 + (int)(rng_next(&rng) % (uint32_t)(p.w - x)),
						  1 + (int)(rng_next(&rng) % (uint32_t)(p.h - y)) },
				   &palette);
		}
	}
}

/* A band of one colour is one run: the whole picture by hand. */
TEST(runs_are_short)
{
	struct sixel_palette palette = { .most = ROLE_COUNT };
	OWNED_STR out = STR_INIT;
	OWNED_PIXELS p;

	palette.rgb[ROLE_WAIT] = 0xff6a1a;
	pixels_init(&p, (struct rect){ 0, 0, 100, 2 }, 1, 6);
	pixels_fill(&p, (struct rect){ 10, 0, 80, 12 }, ROLE_WAIT);
	sixel_add(&out, &p, (struct rect){ 0, 0, 100, 12 }, &palette);
	assert_string_equal(out.text, "\033P7;1;0q\"1;1;100;12#0;2;100;42;10"
				      "#0!10?!80~-#0!10?!80~\033\\");
}

/* A terminal with two registers gets two colours, the nearest one for the third. */
TEST(too_few_registers)
{
	struct sixel_palette palette = { .most = 2 };
	OWNED_STR out = STR_INIT;
	struct picture back;
	OWNED_PIXELS p;

	palette.rgb[ROLE_TITLE] = 0xffffff;
	palette.rgb[ROLE_TAB] = 0x000000;
	palette.rgb[ROLE_WAIT] = 0xe0e0e0;
	pixels_init(&p, (struct rect){ 0, 0, 3, 1 }, 1, 1);
	p.roles[0] = ROLE_TITLE;
	p.roles[1] = ROLE_TAB;
	p.roles[2] = ROLE_WAIT;
	sixel_add(&out, &p, (struct rect){ 0, 0, 3, 1 }, &palette);
	back = decode_sixel(out.text + 2, out.n - 4);
	assert_int_equal(back.pixels[0], PICTURE_DRAWN | 0xffffff);
	assert_int_equal(back.pixels[1], PICTURE_DRAWN);
	assert_int_equal(back.pixels[2], PICTURE_DRAWN | 0xffffff);
	free(back.pixels);
}
