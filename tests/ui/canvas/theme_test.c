/* Themes and glyphs: every class can be told apart, at every depth and without colours. */
#include "harness/test.h"
#include "ui/canvas/theme.h"

#include <string.h>

#include "model/trace/event.h"
#include "ui/canvas/canvas.h"

/* Classes that share one of eight colours. */
static unsigned hue(unsigned cls)
{
	switch (cls) {
	case CLASS_SYNC: return CLASS_COLLECTIVE;
	case CLASS_RMA:
	case CLASS_MPI_OTHER:
	case CLASS_START_END: return CLASS_P2P;
	default: return cls;
	}
}

static void classes_differ(const struct theme *theme, enum colour_depth depth)
{
	int colours[CLASS_COUNT];

	for (unsigned a = 0; a < CLASS_COUNT; a++) {
		colours[a] = theme_background(theme, ROLE_CLASS_FIRST + a, depth).colour;
		assert_int_not_equal(colours[a], theme_background(theme, ROLE_WAIT, depth).colour);
		/* Eight colours are too few: one of them is waiting's and one the ground. What the
		 * names tell apart shares one. */
		for (unsigned b = 0; b < a; b++)
			if (depth > DEPTH_16 || hue(a) != hue(b))
				assert_int_not_equal(colours[a], colours[b]);
	}
}

TEST(test_classes_differ)
{
	for (int t = 0; t < 2; t++)
		for (int depth = DEPTH_8; depth <= DEPTH_RGB; depth++)
			classes_differ(theme_find(theme_names()[t]), (enum colour_depth)depth);
	for (unsigned a = 0; a < CLASS_COUNT; a++) {
		for (unsigned b = a + 1; b < CLASS_COUNT; b++) {
			assert_int_not_equal(theme_class_glyph(a, true),
					     theme_class_glyph(b, true));
			assert_int_not_equal(theme_class_glyph(a, false),
					     theme_class_glyph(b, false));
		}
	}
}

TEST(test_depth_bounds_colours)
{
	for (const char *const *name = theme_names(); *name; name++) {
		const struct theme *theme = theme_find(*name);
		assert_non_null(theme);
		for (unsigned r = 0; r < ROLE_COUNT; r++) {
			const struct cell_look mono =
				theme_cell(theme, (enum role)r, (enum role)r, DEPTH_MONO);
			assert_int_equal(mono.fg, -1);
			assert_int_equal(mono.bg, -1);
			assert_true(theme_foreground(theme, (enum role)r, DEPTH_8).colour < 8);
			assert_true(theme_background(theme, (enum role)r, DEPTH_8).colour < 8);
			assert_true(theme_background(theme, (enum role)r, DEPTH_16).colour < 16);
			assert_true(theme_foreground(theme, (enum role)r, DEPTH_256).colour < 256);
		}
		/* What is selected can be seen without colours. */
		assert_true(theme_cell(theme, ROLE_DEFAULT, ROLE_CURSOR, DEPTH_MONO).attr &
			    ATTR_REVERSE);
		assert_int_equal(theme_background(theme, ROLE_DEFAULT, DEPTH_256).colour, -1);
	}
	assert_null(theme_find("nonesuch"));
}

TEST(test_exact_colours)
{
	/* xterm's 256colres: 25 is #005faf. */
	const struct theme *theme = theme_find("dark");
	assert_int_equal(theme_background(theme, ROLE_TAB_ACTIVE, DEPTH_RGB).colour, 0x1005faf);
	assert_int_equal(theme_background(theme, ROLE_TAB_ACTIVE, DEPTH_256).colour, 25);
	/* States have colours of their own. */
	assert_int_equal(theme_background(theme, ROLE_WAIT, DEPTH_RGB).colour, 0x1ff6a1a);
	assert_int_equal(theme_background(theme, ROLE_WAIT, DEPTH_16).colour, 9);
}

TEST(test_every_glyph_has_an_ascii_twin)
{
	for (unsigned g = 0; g < GLYPH_COUNT; g++) {
		const uint32_t twin = theme_glyph((enum glyph)g, true);
		assert_true(twin > 32 && twin < 127);
		assert_true(theme_glyph((enum glyph)g, false) >= 32);
	}
}
