#include "ui/canvas/theme.h"

#include <stddef.h>
#include <string.h>

#include "ui/canvas/canvas.h"

/* What a role looks like on one ground. Colours are numbers of the 256 palette (16 to 255 look the
 * same everywhere; 0 to 7 are the user's own) and of the 8 classic ones; -1 is the terminal's. */
struct paint {
	int fg, bg;   /* 256 colours; bg: the fill, where the role is a background */
	int fg8, bg8; /* 8 colours */
	int ink;      /* text on the fill: 256 colours, -1: fg */
	int ink8;
};

/* What a role looks like. */
struct role_paint {
	unsigned attr;      /* with colours */
	unsigned attr_mono; /* without */
	struct paint dark, light;
};

struct theme {
	const char *name;
	bool mono, light;
};

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };

#define B ATTR_BOLD
#define D ATTR_DIM
#define U ATTR_UNDERLINE
#define R ATTR_REVERSE
/* A colour of things: the same as ink on the terminal's ground and as a fill. */
#define STATE(c, ink, c8, ink8)         \
	{                               \
		c, c, c8, c8, ink, ink8 \
	}
/* Text in a colour. */
#define INK(c, c8)                    \
	{                             \
		c, -1, c8, -1, -1, -1 \
	}
/* A bar: text on a fill. */
#define BAR(c, fill, c8, fill8)           \
	{                                 \
		c, fill, c8, fill8, c, c8 \
	}
#define CLASS(name, ...)   NTH(CLASS, CLASS_##name, __VA_ARGS__)
#define NTH(group, n, ...) [ROLE_##group##_FIRST + (n)] = { 0, 0, __VA_ARGS__ } /* dark, light */

/* Okabe and Ito's palette is the base of the state colours, darkened where large areas would shout:
 * computing is a calm blue, point-to-point warm, collectives purple, synchronisation yellow, files
 * green, other MPI sky blue, overhead grey. What waits is red, darker than the calls that it is a
 * part of; of the 8 classic colours red is its alone. */
static const struct role_paint paints[ROLE_COUNT] = {
	[ROLE_DEFAULT] = { 0, 0, INK(-1, -1), INK(-1, -1) },
	[ROLE_KEEP] = { 0, 0, INK(-1, -1), INK(-1, -1) },
	[ROLE_TITLE] = { B, R, BAR(253, 237, WHITE, BLUE), BAR(235, 253, WHITE, BLUE) },
	[ROLE_TAB] = { 0, 0, INK(246, -1), INK(241, -1) },
	[ROLE_TAB_ACTIVE] = { B, B | R, BAR(255, 25, BLACK, CYAN), BAR(255, 25, WHITE, BLUE) },
	[ROLE_HEADER] = { B, B | U, INK(110, CYAN), INK(24, BLUE) },
	[ROLE_FRAME] = { 0, 0, INK(240, -1), INK(249, -1) },
	[ROLE_LABEL] = { 0, 0, INK(252, -1), INK(236, -1) },
	[ROLE_MUTED] = { 0, 0, INK(245, -1), INK(242, -1) },
	[ROLE_VALUE] = { B, B, INK(-1, -1), INK(-1, -1) },
	[ROLE_CURSOR] = { 0, R, BAR(255, 24, BLACK, CYAN), BAR(16, 153, WHITE, BLUE) },
	[ROLE_SELECTION] = { 0, R | U, BAR(255, 60, WHITE, BLUE), BAR(16, 189, BLACK, CYAN) },
	[ROLE_MATCH] = { 0, B | U, BAR(16, 221, BLACK, YELLOW), BAR(16, 221, BLACK, YELLOW) },
	[ROLE_HINT_KEY] = { B, B, INK(117, CYAN), INK(25, BLUE) },
	[ROLE_HINT] = { 0, 0, INK(246, -1), INK(241, -1) },
	[ROLE_PROMPT] = { B, B, INK(-1, -1), INK(-1, -1) },
	[ROLE_ERROR] = { B, B, INK(209, RED), INK(160, RED) },
	[ROLE_WARNING] = { 0, B, INK(215, YELLOW), INK(130, MAGENTA) },
	[ROLE_GOOD] = { 0, 0, INK(79, GREEN), INK(29, GREEN) },
	[ROLE_PROGRESS] = { 0, 0, STATE(74, 16, CYAN, BLACK), STATE(32, 255, BLUE, WHITE) },
	[ROLE_MESSAGE] = { 0, 0, INK(247, WHITE), INK(240, BLACK) },
	[ROLE_MESSAGE_SELECTED] = { B, B, INK(228, YELLOW), INK(124, RED) },
	[ROLE_COLLECTIVE_LINE] = { 0, 0, BAR(97, 236, MAGENTA, -1), BAR(97, 254, MAGENTA, -1) },
	[ROLE_CRITICAL] = { B, B, INK(118, GREEN), INK(28, GREEN) },
	[ROLE_WAIT + 0] = { 0, 0, STATE(124, 255, RED, WHITE), STATE(124, 255, RED, WHITE) },
	[ROLE_WAIT + 1] = { 0, 0, STATE(126, 255, RED, WHITE), STATE(126, 255, RED, WHITE) },
	[ROLE_WAIT + 2] = { 0, 0, STATE(91, 255, RED, WHITE), STATE(91, 255, RED, WHITE) },
	[ROLE_WAIT + 3] = { 0, 0, STATE(94, 255, RED, WHITE), STATE(94, 255, RED, WHITE) },
	CLASS(USER, STATE(25, 255, BLUE, WHITE), STATE(110, 16, BLUE, WHITE)),
	[ROLE_USER_NESTED] = { 0, 0, STATE(60, 255, BLUE, WHITE), STATE(104, 16, BLUE, WHITE) },
	CLASS(P2P, STATE(172, 16, YELLOW, BLACK), STATE(214, 16, YELLOW, BLACK)),
	CLASS(COLLECTIVE, STATE(175, 16, MAGENTA, WHITE), STATE(175, 16, MAGENTA, WHITE)),
	CLASS(SYNC, STATE(227, 16, MAGENTA, WHITE), STATE(227, 16, MAGENTA, WHITE)),
	CLASS(RMA, STATE(137, 16, YELLOW, BLACK), STATE(180, 16, YELLOW, BLACK)),
	CLASS(IO, STATE(36, 16, GREEN, BLACK), STATE(79, 16, GREEN, BLACK)),
	CLASS(START_END, STATE(103, 16, CYAN, BLACK), STATE(146, 16, CYAN, BLACK)),
	CLASS(MPI_OTHER, STATE(74, 16, CYAN, BLACK), STATE(117, 16, CYAN, BLACK)),
	CLASS(DEVICE, STATE(168, 16, MAGENTA, WHITE), STATE(211, 16, MAGENTA, WHITE)),
	CLASS(OVERHEAD, STATE(244, 16, WHITE, BLACK), STATE(248, 16, BLACK, WHITE)),
	CLASS(OUTSIDE, INK(238, -1), INK(252, -1)),
	NTH(HEAT, 0, STATE(53, 255, BLUE, WHITE), STATE(230, 16, WHITE, BLACK)),
	NTH(HEAT, 1, STATE(60, 255, BLUE, WHITE), STATE(193, 16, WHITE, BLACK)),
	NTH(HEAT, 2, STATE(24, 255, CYAN, BLACK), STATE(151, 16, GREEN, BLACK)),
	NTH(HEAT, 3, STATE(30, 255, CYAN, BLACK), STATE(115, 16, GREEN, BLACK)),
	NTH(HEAT, 4, STATE(36, 16, GREEN, BLACK), STATE(73, 16, CYAN, BLACK)),
	NTH(HEAT, 5, STATE(71, 16, GREEN, BLACK), STATE(32, 255, CYAN, BLACK)),
	NTH(HEAT, 6, STATE(148, 16, YELLOW, BLACK), STATE(25, 255, BLUE, WHITE)),
	NTH(HEAT, 7, STATE(220, 16, YELLOW, BLACK), STATE(18, 255, BLUE, WHITE)),
	NTH(MOVE, 0, INK(60, BLUE), INK(103, BLUE)),
	NTH(MOVE, 1, INK(67, BLUE), INK(67, BLUE)),
	NTH(MOVE, 2, INK(74, CYAN), INK(32, CYAN)),
	NTH(MOVE, 3, INK(72, CYAN), INK(30, CYAN)),
	NTH(MOVE, 4, INK(107, GREEN), INK(28, GREEN)),
	NTH(MOVE, 5, INK(178, YELLOW), INK(136, MAGENTA)),
	NTH(MOVE, 6, INK(173, RED), INK(166, RED)),
	NTH(MOVE, 7, INK(167, RED), INK(160, RED)),
};

static const char *const names[] = { "dark", "light", "mono", NULL };

const char *const *theme_names(void)
{
	return names;
}

const struct theme *theme_find(const char *name)
{
	static const struct theme all[] = { { "dark", false, false },
					    { "light", false, true },
					    { "mono", true, false } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	return NULL;
}

static const struct paint *paint_of(const struct theme *theme, enum role role)
{
	return theme->light ? &paints[role].light : &paints[role].dark;
}

/* Palette colours 16 to 255 are a cube of 6x6x6 and 24 greys. */
static int rgb_of(int colour)
{
	static const int levels[] = { 0, 95, 135, 175, 215, 255 };
	int r, g, b;
	if (colour < 16)
		return colour;
	if (colour < 232) {
		colour -= 16;
		r = levels[colour / 36];
		g = levels[colour / 6 % 6];
		b = levels[colour % 6];
	} else {
		r = g = b = 8 + 10 * (colour - 232);
	}
	return 0x1000000 | r << 16 | g << 8 | b;
}

static int at_depth(int c256, int c8, enum colour_depth depth)
{
	switch (depth) {
	case DEPTH_MONO: return -1;
	case DEPTH_8: return c8;
	case DEPTH_256: return c256;
	default: return c256 < 0 ? -1 : rgb_of(c256);
	}
}

static enum colour_depth depth_of(const struct theme *theme, enum colour_depth depth)
{
	return theme->mono ? DEPTH_MONO : depth;
}

static unsigned attr_of(enum role role, enum colour_depth depth)
{
	return depth == DEPTH_MONO ? paints[role].attr_mono : paints[role].attr;
}

struct look theme_foreground(const struct theme *theme, enum role role, enum colour_depth depth)
{
	const struct paint *paint = paint_of(theme, role);
	depth = depth_of(theme, depth);
	/* As ink beside a fill of the same role reverse would cancel itself. */
	return (struct look){ at_depth(paint->fg, paint->fg8, depth),
			      attr_of(role, depth) & ~(unsigned)ATTR_REVERSE };
}

struct look theme_background(const struct theme *theme, enum role role, enum colour_depth depth)
{
	const struct paint *paint = paint_of(theme, role);
	depth = depth_of(theme, depth);
	const int colour = at_depth(paint->bg, paint->bg8, depth);
	return (struct look){ colour,
			      depth == DEPTH_MONO ? attr_of(role, depth) & ATTR_REVERSE : 0 };
}

struct cell_look theme_cell(const struct theme *theme, enum role fg, enum role bg,
			    enum colour_depth depth)
{
	const struct look ink = theme_foreground(theme, fg, depth);
	const struct look fill = theme_background(theme, bg, depth);
	struct cell_look look = { ink.colour, fill.colour, ink.attr | fill.attr };
	const struct paint *paint = paint_of(theme, bg);
	if (fill.colour >= 0 && (fg == ROLE_DEFAULT || fg == bg) && paint->ink >= 0)
		look.fg = at_depth(paint->ink, paint->ink8, depth_of(theme, depth));
	return look;
}

static const struct {
	uint32_t utf8, ascii;
} glyphs[GLYPH_COUNT] = {
	[GLYPH_FULL] = { 0x2588, '#' },          [GLYPH_HALF_LEFT] = { 0x258c, '#' },
	[GLYPH_HALF_RIGHT] = { 0x2590, '#' },    [GLYPH_LIGHT_SHADE] = { 0x2591, '.' },
	[GLYPH_MEDIUM_SHADE] = { 0x2592, ':' },  [GLYPH_DARK_SHADE] = { 0x2593, '%' },
	[GLYPH_BAR_1 + 0] = { 0x2581, '.' },     [GLYPH_BAR_1 + 1] = { 0x2582, '.' },
	[GLYPH_BAR_1 + 2] = { 0x2583, '-' },     [GLYPH_BAR_1 + 3] = { 0x2584, '-' },
	[GLYPH_BAR_1 + 4] = { 0x2585, '=' },     [GLYPH_BAR_1 + 5] = { 0x2586, '=' },
	[GLYPH_BAR_1 + 6] = { 0x2587, '#' },     [GLYPH_BAR_8] = { 0x2588, '#' },
	[GLYPH_LINE_H] = { 0x2500, '-' },        [GLYPH_LINE_V] = { 0x2502, '|' },
	[GLYPH_ARROW_DOWN] = { 0x25bc, 'v' },    [GLYPH_ARROW_UP] = { 0x25b2, '^' },
	[GLYPH_STROKE_DOWN] = { 0x2572, '\\' },  [GLYPH_STROKE_UP] = { 0x2571, '/' },
	[GLYPH_ARROW_RIGHT] = { 0x2192, '>' },   [GLYPH_DOT] = { 0x00b7, '.' },
	[GLYPH_ELLIPSIS] = { 0x2026, '~' },      [GLYPH_SORT_DOWN] = { 0x25be, 'v' },
	[GLYPH_SORT_UP] = { 0x25b4, '^' },       [GLYPH_TREE_OPEN] = { 0x25be, '-' },
	[GLYPH_TREE_CLOSED] = { 0x25b8, '+' },   [GLYPH_BRACKET_LEFT] = { '[', '[' },
	[GLYPH_BRACKET_RIGHT] = { ']', ']' },    [GLYPH_CORNER_TOP] = { 0x250c, ',' },
	[GLYPH_CORNER_BOTTOM] = { 0x2514, '`' }, [GLYPH_EXCHANGE] = { 0x21c4, '=' },
	[GLYPH_LOOP] = { 0x25cb, 'o' },          [GLYPH_ALONE] = { 0x00d7, 'x' },
};

uint32_t theme_glyph(enum glyph glyph, bool ascii)
{
	return ascii ? glyphs[glyph].ascii : glyphs[glyph].utf8;
}

uint32_t theme_class_glyph(unsigned cls, bool ascii)
{
	/* Letters where shades are missing; what waits is lighter than what works. */
	static const struct {
		uint32_t utf8, ascii;
	} classes[CLASS_COUNT] = {
		[CLASS_USER] = { 0x2588, '#' },       [CLASS_P2P] = { 0x2591, '.' },
		[CLASS_COLLECTIVE] = { 0x2592, 'c' }, [CLASS_SYNC] = { 0x2593, 's' },
		[CLASS_RMA] = { 'r', 'r' },           [CLASS_IO] = { 'i', 'i' },
		[CLASS_START_END] = { 'e', 'e' },     [CLASS_MPI_OTHER] = { 'm', 'm' },
		[CLASS_DEVICE] = { 'd', 'd' },        [CLASS_OVERHEAD] = { 'o', 'o' },
		[CLASS_OUTSIDE] = { ' ', ' ' },
	};
	return cls < CLASS_COUNT ? (ascii ? classes[cls].ascii : classes[cls].utf8) : ' ';
}

uint32_t theme_wait_glyph(unsigned kind)
{
	/* For a sender, for a receiver, for the others of a group, for anything else. */
	static const char glyphs_of[] = "<>=~";

	return kind < sizeof glyphs_of - 1 ? (uint32_t)glyphs_of[kind] : ' ';
}

enum role theme_role(enum text_role role)
{
	static const enum role roles[TEXT_CLASS] = {
		[TEXT_PLAIN] = ROLE_DEFAULT,   [TEXT_TITLE] = ROLE_TITLE,
		[TEXT_HEADER] = ROLE_HEADER,   [TEXT_VALUE] = ROLE_VALUE,
		[TEXT_MUTED] = ROLE_MUTED,     [TEXT_GOOD] = ROLE_GOOD,
		[TEXT_WARNING] = ROLE_WARNING, [TEXT_ERROR] = ROLE_ERROR,
		[TEXT_WAIT] = ROLE_WAIT,
	};

	return role < TEXT_CLASS ? roles[role]
				 : (enum role)(ROLE_CLASS_FIRST + (role - TEXT_CLASS));
}
