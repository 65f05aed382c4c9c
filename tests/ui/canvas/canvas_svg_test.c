/* A canvas as SVG: what is drawn where, by hand. A cell has 9 x 18 pixels. */
#include <string.h>

#include "base/text.h"
#include "harness/test.h"
#include "ui/canvas/canvas_svg.h"

#define SVG(w, h)                                                               \
	"<svg xmlns='http://www.w3.org/2000/svg' width='" w "' height='" h "' " \
	"font-family='monospace' font-size='15' shape-rendering='crispEdges'>\n"

static void expect(const struct canvas *canvas, const char *theme, const char *want)
{
	OWNED_STR s = STR_INIT;

	canvas_to_svg(canvas, theme_find(theme), &s);
	assert_string_equal(s.text, want);
}

TEST(words_and_blocks)
{
	ENDED_BY(canvas_fini) struct canvas c;

	canvas_init(&c, 5, 2, false);
	canvas_text(&c, 0, 0, 5, "a<& b", ROLE_DEFAULT, ROLE_DEFAULT, ATTR_BOLD);
	canvas_put(&c, 1, 1, 0x2584, ROLE_WAIT, ROLE_DEFAULT, 0); /* lower half */
	canvas_put(&c, 2, 1, 0x258e, ROLE_WAIT, ROLE_DEFAULT, 0); /* left quarter */
	canvas_put(&c, 4, 1, 0x2591, ROLE_DEFAULT, ROLE_WAIT, 0); /* light shade, black ink */
	expect(&c, "dark",
	       SVG("45", "36") "<rect x='0' y='0' width='45' height='18' fill='#1e1e1e'/>\n"
			       "<text x='0' y='14' textLength='27' fill='#d4d4d4' "
			       "font-weight='bold'>a&lt;&amp;</text>\n"
			       "<text x='36' y='14' textLength='9' fill='#d4d4d4' "
			       "font-weight='bold'>b</text>\n"
			       "<rect x='0' y='18' width='36' height='18' fill='#1e1e1e'/>\n"
			       "<rect x='36' y='18' width='9' height='18' fill='#ff6a1a'/>\n"
			       "<rect x='9' y='27' width='9' height='9' fill='#ff6a1a'/>\n"
			       "<rect x='18' y='18' width='2.25' height='18' fill='#ff6a1a'/>\n"
			       "<rect x='36' y='18' width='9' height='18' fill='#000000' "
			       "fill-opacity='0.25'/>\n"
			       "</svg>\n");
}

/* Dots 1 and 8 of Braille: at the first of two columns and four rows, and at the last. */
TEST(dots)
{
	ENDED_BY(canvas_fini) struct canvas c;

	canvas_init(&c, 1, 1, false);
	canvas_put(&c, 0, 0, 0x2881, ROLE_DEFAULT, ROLE_DEFAULT, 0);
	expect(&c, "light",
	       SVG("9", "18") "<rect x='0' y='0' width='9' height='18' fill='#ffffff'/>\n"
			      "<rect x='1.5' y='1.5' width='1.5' height='1.5' fill='#1e1e1e'/>\n"
			      "<rect x='6' y='15' width='1.5' height='1.5' fill='#1e1e1e'/>\n"
			      "</svg>\n");
}

/* Wide characters keep their two columns; without colours the cursor's row is reversed. */
TEST(wide_and_reversed)
{
	ENDED_BY(canvas_fini) struct canvas c;

	canvas_init(&c, 3, 1, false);
	canvas_text(&c, 0, 0, 3, "\xe6\xbc\xa2x", ROLE_CURSOR, ROLE_CURSOR, 0);
	expect(&c, "mono",
	       SVG("27", "18") "<rect x='0' y='0' width='27' height='18' fill='#1e1e1e'/>\n"
			       "<text x='0' y='14' textLength='27' fill='#ffffff'>"
			       "\xe6\xbc\xa2x</text>\n"
			       "</svg>\n");
}

/* Every glyph of the program, in every role: as many bytes as are well-formed. */
TEST(every_glyph_in_every_role)
{
	for (unsigned g = 0; g < GLYPH_COUNT; g++) {
		ENDED_BY(canvas_fini) struct canvas c;
		OWNED_STR s = STR_INIT;
		size_t open = 0, closed = 0;

		canvas_init(&c, ROLE_COUNT, 1, false);
		for (unsigned r = 0; r < ROLE_COUNT; r++)
			canvas_put(&c, (int)r, 0, theme_glyph((enum glyph)g, false), (enum role)r,
				   ROLE_DEFAULT, 0);
		canvas_to_svg(&c, theme_find("light"), &s);
		for (const char *p = s.text; (p = strchr(p, '<')); p++)
			open += p[1] != '/';
		for (const char *p = s.text; (p = strstr(p, "</")); p++)
			closed++;
		for (const char *p = s.text; (p = strstr(p, "/>")); p++)
			closed++;
		assert_int_equal(open, closed);
	}
}
