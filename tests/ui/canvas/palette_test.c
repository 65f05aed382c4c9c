/* The colours of bars, of text and of heat: text can be read on its ground, every eye tells bars
 * apart, waiting alone is loud, and more heat is further from the ground. Figures are computed here
 * from the colours that a terminal is sent. */
#include <math.h>

#include "harness/test.h"
#include "ui/canvas/theme.h"

struct rgb {
	double c[3]; /* linear light, 0 to 1 */
};

static double linear(int byte)
{
	const double c = byte / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct rgb rgb_of(int hex)
{
	return (struct rgb){ { linear(hex >> 16 & 255), linear(hex >> 8 & 255),
			       linear(hex & 255) } };
}

/* Number of the 256 palette, as xterm shows it. */
static int hex_of(int colour)
{
	static const int levels[] = { 0, 95, 135, 175, 215, 255 };
	const int n = colour - 16;

	if (colour >= 0x1000000)
		return colour & 0xffffff;
	assert_in_range(colour, 16, 255);
	return colour < 232 ? levels[n / 36] << 16 | levels[n / 6 % 6] << 8 | levels[n % 6]
			    : (8 + 10 * (colour - 232)) * 0x10101;
}

/* ---- WCAG 2.1: relative luminance, contrast ---- */

static double luminance(int hex)
{
	const struct rgb x = rgb_of(hex);

	return 0.2126 * x.c[0] + 0.7152 * x.c[1] + 0.0722 * x.c[2];
}

static double contrast(int a, int b)
{
	const double x = luminance(a), y = luminance(b);

	return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* ---- eyes: Machado, Oliveira, Fernandes 2009, severity 1.0, on linear light ---- */

enum eye { USUAL, NO_RED, NO_GREEN, EYES };

static const double eyes[EYES][3][3] = {
	[USUAL] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	[NO_RED] = { { 0.152286, 1.052583, -0.204868 },
		     { 0.114503, 0.786281, 0.099216 },
		     { -0.003882, -0.048116, 1.051998 } },
	[NO_GREEN] = { { 0.367322, 0.860646, -0.227968 },
		       { 0.280085, 0.672501, 0.047413 },
		       { -0.011820, 0.042940, 0.968881 } },
};

static struct rgb seen_by(enum eye eye, struct rgb x)
{
	struct rgb y;

	for (int i = 0; i < 3; i++) {
		const double *m = eyes[eye][i];

		y.c[i] = fmin(1, fmax(0, m[0] * x.c[0] + m[1] * x.c[1] + m[2] * x.c[2]));
	}
	return y;
}

/* ---- CIE L*a*b*, D65 ---- */

struct lab {
	double l, a, b;
};

static double root(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static struct lab lab_of(struct rgb x)
{
	const double fx =
		root((0.4124564 * x.c[0] + 0.3575761 * x.c[1] + 0.1804375 * x.c[2]) / 0.95047);
	const double fy = root(0.2126729 * x.c[0] + 0.7151522 * x.c[1] + 0.0721750 * x.c[2]);
	const double fz =
		root((0.0193339 * x.c[0] + 0.1191920 * x.c[1] + 0.9503041 * x.c[2]) / 1.08883);

	return (struct lab){ 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz) };
}

/* CIE76, to the eye that sees least of it. */
static double distance(int a, int b)
{
	double least = INFINITY;

	for (enum eye eye = USUAL; eye < EYES; eye++) {
		const struct lab x = lab_of(seen_by(eye, rgb_of(a)));
		const struct lab y = lab_of(seen_by(eye, rgb_of(b)));

		least = fmin(least, hypot(hypot(x.l - y.l, x.a - y.a), x.b - y.b));
	}
	return least;
}

static double chroma(int hex)
{
	const struct lab x = lab_of(rgb_of(hex));

	return hypot(x.a, x.b);
}

/* Known values: of WCAG's own examples, and of the primary colours. */
TEST(yardsticks)
{
	assert_true(fabs(contrast(0xffffff, 0x000000) - 21) < 1e-9);
	assert_true(fabs(contrast(0x767676, 0xffffff) - 4.54) < 0.005);
	assert_true(fabs(lab_of(rgb_of(0xff0000)).l - 53.24) < 0.01);
	assert_true(fabs(chroma(0xff0000) - 104.55) < 0.01);
	assert_true(chroma(0x808080) < 0.01);
	/* A red and a green of one lightness are one colour to two eyes. */
	assert_true(distance(0xb0503c, 0x6c6c3c) < 12);
	assert_true(distance(0x0072b2, 0xe69f00) > 60);
}

/* ---- the themes ---- */

/* What is on most screens. */
static const enum role usual[] = {
	ROLE_CLASS_FIRST + CLASS_USER,       ROLE_CLASS_FIRST + CLASS_P2P,
	ROLE_CLASS_FIRST + CLASS_COLLECTIVE, ROLE_CLASS_FIRST + CLASS_SYNC,
	ROLE_CLASS_FIRST + CLASS_MPI_OTHER,  ROLE_CLASS_FIRST + CLASS_START_END,
	ROLE_CLASS_FIRST + CLASS_OVERHEAD,
};
enum { USUAL_ROLES = sizeof usual / sizeof *usual };
static const enum role rare[] = { ROLE_CLASS_FIRST + CLASS_RMA, ROLE_CLASS_FIRST + CLASS_IO,
				  ROLE_CLASS_FIRST + CLASS_DEVICE, ROLE_USER_NESTED };
enum { RARE_ROLES = sizeof rare / sizeof *rare };

enum { FAR = 10, NEAR = 4, KINDS = 5, QUIET = 32, LOUD = 40 };

static int fill(const struct theme *theme, enum role role, enum colour_depth depth)
{
	return hex_of(theme_background(theme, role, depth).colour);
}

static void check_text(const struct theme *theme, enum role role, enum colour_depth depth)
{
	const struct cell_look look = theme_cell(theme, ROLE_DEFAULT, role, depth);

	if (contrast(hex_of(look.fg), hex_of(look.bg)) < 4.5)
		fail_msg("role %d: %06x on %06x", role, hex_of(look.fg), hex_of(look.bg));
}

static void far(const struct theme *theme, enum role a, enum role b, enum colour_depth depth,
		double least)
{
	const double d = distance(fill(theme, a, depth), fill(theme, b, depth));

	if (d < least)
		fail_msg("roles %d and %d of %06x and %06x: %.1f", a, b, fill(theme, a, depth),
			 fill(theme, b, depth), d);
}

static void each(void (*check)(const struct theme *theme, enum colour_depth depth))
{
	for (int t = 0; t < 2; t++)
		for (int depth = DEPTH_256; depth <= DEPTH_RGB; depth++)
			check(theme_find(t ? "light" : "dark"), (enum colour_depth)depth);
}

static void texts(const struct theme *theme, enum colour_depth depth)
{
	for (int i = 0; i < USUAL_ROLES; i++)
		check_text(theme, usual[i], depth);
	for (int i = 0; i < RARE_ROLES; i++)
		check_text(theme, rare[i], depth);
	for (enum role wait = ROLE_WAIT; wait <= ROLE_WAIT_LAST; wait++)
		check_text(theme, wait, depth);
	for (enum role f = ROLE_FUNCTION_FIRST; f <= ROLE_FUNCTION_OTHERS; f++)
		check_text(theme, f, depth);
}

TEST(text_over_bars_is_legible)
{
	each(texts);
}

/* A call and the part of it that waits have one ink, so that its name is not cut in two. */
static void inks(const struct theme *theme, enum colour_depth depth)
{
	const int ink = theme_cell(theme, ROLE_DEFAULT, ROLE_WAIT, depth).fg;

	for (enum role r = ROLE_CLASS_FIRST + CLASS_P2P; r <= ROLE_CLASS_FIRST + CLASS_IO; r++)
		assert_int_equal(theme_cell(theme, ROLE_DEFAULT, r, depth).fg, ink);
	for (enum role wait = ROLE_WAIT; wait <= ROLE_WAIT_LAST; wait++)
		assert_int_equal(theme_cell(theme, ROLE_DEFAULT, wait, depth).fg, ink);
}

TEST(a_name_has_one_ink_where_its_call_waits)
{
	each(inks);
}

static void distances(const struct theme *theme, enum colour_depth depth)
{
	for (int i = 0; i < USUAL_ROLES; i++) {
		for (int k = 0; k < i; k++)
			far(theme, usual[i], usual[k], depth, FAR);
		for (int k = 0; k < RARE_ROLES; k++)
			far(theme, usual[i], rare[k], depth, NEAR);
		for (enum role wait = ROLE_WAIT; wait <= ROLE_WAIT_LAST; wait++)
			far(theme, usual[i], wait, depth, FAR);
	}
	for (int i = 0; i < RARE_ROLES; i++)
		for (int k = 0; k < i; k++)
			far(theme, rare[i], rare[k], depth, NEAR);
	for (enum role a = ROLE_WAIT; a <= ROLE_WAIT_LAST; a++)
		for (enum role b = ROLE_WAIT; b < a; b++)
			far(theme, a, b, depth, KINDS);
}

TEST(every_eye_tells_colours_apart)
{
	each(distances);
}

static void functions(const struct theme *theme, enum colour_depth depth)
{
	for (enum role a = ROLE_FUNCTION_FIRST; a <= ROLE_FUNCTION_OTHERS; a++)
		for (enum role b = ROLE_FUNCTION_FIRST; b < a; b++)
			far(theme, a, b, depth, FAR);
}

TEST(every_eye_tells_functions_apart)
{
	each(functions);
}

/* Bars in the row of a table that the cursor is on. */
static void on_cursor(const struct theme *theme, enum colour_depth depth)
{
	for (int i = 0; i < USUAL_ROLES; i++)
		far(theme, usual[i], ROLE_CURSOR, depth, FAR);
	for (enum role wait = ROLE_WAIT; wait <= ROLE_WAIT_LAST; wait++)
		far(theme, wait, ROLE_CURSOR, depth, FAR);
}

TEST(bars_show_in_the_row_of_the_cursor)
{
	each(on_cursor);
	for (int t = 0; t < 2; t++) {
		const struct theme *theme = theme_find(t ? "light" : "dark");
		const int cursor = theme_background(theme, ROLE_CURSOR, DEPTH_8).colour;

		for (int i = 0; i < USUAL_ROLES; i++)
			if (usual[i] != ROLE_CLASS_FIRST + CLASS_OVERHEAD)
				assert_int_not_equal(
					theme_background(theme, usual[i], DEPTH_8).colour, cursor);
		assert_int_not_equal(theme_background(theme, ROLE_WAIT, DEPTH_8).colour, cursor);
	}
}

static void loudness(const struct theme *theme, enum colour_depth depth)
{
	for (int i = 0; i < USUAL_ROLES; i++)
		assert_true(chroma(fill(theme, usual[i], depth)) < QUIET);
	for (enum role wait = ROLE_WAIT; wait <= ROLE_WAIT_LAST; wait++)
		assert_true(chroma(fill(theme, wait, depth)) > LOUD);
}

TEST(waiting_alone_is_loud)
{
	each(loudness);
}

/* ---- on the terminal's own ground ---- */

/* Grounds that people have: black, VS Code's, One Dark's; white, Solarized's, a grey. */
static const int grounds[2][3] = { { 0x000000, 0x1e1e1e, 0x282c34 },
				   { 0xffffff, 0xfdf6e3, 0xeeeeee } };

static const int *grounds_of(const struct theme *theme)
{
	return grounds[theme == theme_find("light")];
}

static const enum role inks_of_text[] = { ROLE_TAB,   ROLE_HEADER,   ROLE_LABEL,
					  ROLE_MUTED, ROLE_HINT_KEY, ROLE_HINT,
					  ROLE_ERROR, ROLE_WARNING,  ROLE_GOOD };
static const enum role inks_of_marks[] = { ROLE_MESSAGE, ROLE_MESSAGE_SELECTED, ROLE_CRITICAL,
					   ROLE_COLLECTIVE_LINE, ROLE_PROGRESS };
static const enum role texts_on_fills[] = { ROLE_TITLE,     ROLE_TAB_ACTIVE, ROLE_CURSOR,
					    ROLE_SELECTION, ROLE_MATCH,      ROLE_PROGRESS };

static void over_grounds(const struct theme *theme, enum role role, enum colour_depth depth,
			 double least)
{
	const int ink = hex_of(theme_foreground(theme, role, depth).colour);

	for (int g = 0; g < 3; g++)
		if (contrast(ink, grounds_of(theme)[g]) < least)
			fail_msg("role %d: %06x on %06x: %.2f", role, ink, grounds_of(theme)[g],
				 contrast(ink, grounds_of(theme)[g]));
}

static void on_the_ground(const struct theme *theme, enum colour_depth depth)
{
	for (size_t i = 0; i < sizeof inks_of_text / sizeof *inks_of_text; i++)
		over_grounds(theme, inks_of_text[i], depth, 4.5);
	for (size_t i = 0; i < sizeof inks_of_marks / sizeof *inks_of_marks; i++)
		over_grounds(theme, inks_of_marks[i], depth, 3);
	for (enum role move = ROLE_MOVE_FIRST; move <= ROLE_MOVE_LAST; move++)
		over_grounds(theme, move, depth, 3);
	for (size_t i = 0; i < sizeof texts_on_fills / sizeof *texts_on_fills; i++)
		check_text(theme, texts_on_fills[i], depth);
}

/* WCAG 2.1: 1.4.3 of text, 1.4.11 of what is not text. */
TEST(text_and_marks_are_legible_on_every_ground)
{
	each(on_the_ground);
}

/* The text of a wait is not in the colour of its bar. */
TEST(text_has_the_ink_of_text)
{
	for (int role = TEXT_PLAIN + 1; role < TEXT_CLASS + CLASS_COUNT; role++) {
		const enum role ink = theme_ink((enum text_role)role);
		bool known = ink == ROLE_TITLE || ink == ROLE_VALUE;

		for (size_t i = 0; i < sizeof inks_of_text / sizeof *inks_of_text; i++)
			known = known || ink == inks_of_text[i];
		assert_true(known);
	}
}

/* A bar shows where nothing is written in it. */
static void bars_on_the_ground(const struct theme *theme, enum colour_depth depth)
{
	for (int i = 0; i < USUAL_ROLES; i++)
		for (int g = 0; g < 3; g++)
			if (distance(fill(theme, usual[i], depth), grounds_of(theme)[g]) < FAR)
				fail_msg("role %d: %06x on %06x", usual[i],
					 fill(theme, usual[i], depth), grounds_of(theme)[g]);
}

TEST(bars_show_on_every_ground)
{
	each(bars_on_the_ground);
}

/* ---- heat ---- */

enum { STEP = 3 /* of L*, where the least that is seen is 1 */ };

static double lightness(int hex)
{
	return lab_of(rgb_of(hex)).l;
}

static void growing(const struct theme *theme, enum role first, enum role last,
		    enum colour_depth depth)
{
	const double sign = theme == theme_find("light") ? -1 : 1;

	for (enum role r = first + 1; r <= last; r++) {
		const int a = hex_of(theme_foreground(theme, r - 1, depth).colour);
		const int b = hex_of(theme_foreground(theme, r, depth).colour);

		if (sign * (lightness(b) - lightness(a)) < STEP)
			fail_msg("depth %d, role %d: %06x then %06x: L* %.1f, %.1f", depth, r, a, b,
				 lightness(a), lightness(b));
	}
}

static void heat(const struct theme *theme, enum colour_depth depth)
{
	const int ground = grounds_of(theme)[0];

	growing(theme, ROLE_HEAT_FIRST, ROLE_HEAT_LAST, depth);
	growing(theme, ROLE_MOVE_FIRST, ROLE_MOVE_LAST, depth);
	assert_true(contrast(fill(theme, ROLE_HEAT_FIRST, depth), ground) < 2);
	assert_true(contrast(fill(theme, ROLE_HEAT_LAST, depth), ground) > 7);
	for (enum role r = ROLE_HEAT_FIRST; r <= ROLE_HEAT_LAST; r++) {
		check_text(theme, r, depth);
		assert_true(chroma(fill(theme, r, depth)) < LOUD);
	}
}

TEST(heat_grows_from_the_ground_and_is_not_loud)
{
	each(heat);
}

/* As xterm shows the classic eight. */
TEST(heat_grows_in_eight_colours)
{
	static const int classic[] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00,
				       0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5 };

	for (int t = 0; t < 2; t++) {
		double before = t ? 101 : -1;

		for (enum role r = ROLE_HEAT_FIRST; r <= ROLE_HEAT_LAST; r++) {
			const struct look look =
				theme_background(theme_find(t ? "light" : "dark"), r, DEPTH_8);
			const double l = lightness(classic[look.colour]);

			assert_true(t ? l <= before : l >= before);
			before = l;
		}
	}
}
