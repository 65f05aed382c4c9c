#include "ui/canvas/theme.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "ui/canvas/canvas.h"
#include "ui/canvas/theme_file.h"
#include "ui/canvas/theme_paint.h"

struct theme {
	const char *name;
	bool mono, light;
	struct paint *own; /* [ROLE_COUNT] of a user's; NULL: the table has it */
};

static const char *const names[] = { "dark", "light", "mono", NULL };

const char *const *theme_names(void)
{
	return names;
}

const struct theme *theme_find(const char *name)
{
	static const struct theme all[] = { { "dark", false, false, NULL },
					    { "light", false, true, NULL },
					    { "mono", true, false, NULL } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	return NULL;
}

static const struct paint *paint_of(const struct theme *theme, enum role role)
{
	if (theme->own)
		return &theme->own[role];
	return theme->light ? &theme_paints[role].light : &theme_paints[role].dark;
}

/* Palette colours 16 to 255 are a cube of 6x6x6 and 24 greys. */
int theme_rgb(int colour)
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

void theme_begin(struct theme *theme, bool light)
{
	theme->light = light;
	for (enum role role = 0; role < ROLE_COUNT; role++)
		theme->own[role] = light ? theme_paints[role].light : theme_paints[role].dark;
}

struct theme *theme_new(const char *name)
{
	struct theme *theme = xcalloc(1, sizeof *theme);

	theme->name = xstrdup(name);
	theme->own = xcalloc(ROLE_COUNT, sizeof *theme->own);
	theme_begin(theme, false);
	return theme;
}

void theme_free(const struct theme *theme)
{
	struct theme *own = (struct theme *)(uintptr_t)theme;

	if (theme && theme->own)
		free_all((void *)(uintptr_t)own->name, own->own, own);
}

bool theme_is_light(const struct theme *theme)
{
	return theme->light;
}

struct paint *theme_own_paint(struct theme *theme, enum role role)
{
	return &theme->own[role];
}

/* A colour of a paint: the one of 256, of 8; exact, 0: as the one of 256; `own`: the role's. */
static int at_depth(const struct paint *paint, int c256, int c8, int exact, bool own,
		    enum colour_depth depth)
{
	switch (depth) {
	case DEPTH_MONO: return -1;
	case DEPTH_8: return c8;
	case DEPTH_16: return own && paint->c16 && c8 >= 0 ? paint->c16 : c8;
	case DEPTH_256: return c256;
	default: return c256 < 0 ? -1 : exact ? 0x1000000 | exact : theme_rgb(c256);
	}
}

static enum colour_depth depth_of(const struct theme *theme, enum colour_depth depth)
{
	return theme->mono ? DEPTH_MONO : depth;
}

static unsigned attr_of(enum role role, enum colour_depth depth)
{
	return depth == DEPTH_MONO ? theme_paints[role].attr_mono : theme_paints[role].attr;
}

struct look theme_foreground(const struct theme *theme, enum role role, enum colour_depth depth)
{
	const struct paint *paint = paint_of(theme, role);
	depth = depth_of(theme, depth);
	/* As ink beside a fill of the same role reverse would cancel itself. */
	return (struct look){ at_depth(paint, paint->fg, paint->fg8, paint->rgb, true, depth),
			      attr_of(role, depth) & ~(unsigned)ATTR_REVERSE };
}

struct look theme_background(const struct theme *theme, enum role role, enum colour_depth depth)
{
	const struct paint *paint = paint_of(theme, role);
	depth = depth_of(theme, depth);
	const int exact = paint->rgb_fill || paint->fg != paint->bg ? paint->rgb_fill : paint->rgb;
	const int colour = at_depth(paint, paint->bg, paint->bg8, exact, true, depth);
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
		look.fg =
			at_depth(paint, paint->ink, paint->ink8, 0, false, depth_of(theme, depth));
	return look;
}

static const struct {
	uint32_t utf8, ascii;
} glyphs[GLYPH_COUNT] = {
	[GLYPH_FULL] = { 0x2588, '#' },         [GLYPH_HALF_LEFT] = { 0x258c, '#' },
	[GLYPH_HALF_RIGHT] = { 0x2590, '#' },   [GLYPH_LIGHT_SHADE] = { 0x2591, '.' },
	[GLYPH_MEDIUM_SHADE] = { 0x2592, ':' }, [GLYPH_DARK_SHADE] = { 0x2593, '%' },
	[GLYPH_BAR_1 + 0] = { 0x2581, '.' },    [GLYPH_BAR_1 + 1] = { 0x2582, '.' },
	[GLYPH_BAR_1 + 2] = { 0x2583, '-' },    [GLYPH_BAR_1 + 3] = { 0x2584, '-' },
	[GLYPH_BAR_1 + 4] = { 0x2585, '=' },    [GLYPH_BAR_1 + 5] = { 0x2586, '=' },
	[GLYPH_BAR_1 + 6] = { 0x2587, '#' },    [GLYPH_BAR_8] = { 0x2588, '#' },
	[GLYPH_LINE_H] = { 0x2500, '-' },       [GLYPH_LINE_V] = { 0x2502, '|' },
	[GLYPH_ARROW_DOWN] = { 0x25bc, 'v' },   [GLYPH_ARROW_UP] = { 0x25b2, '^' },
	[GLYPH_STROKE_DOWN] = { 0x2572, '\\' }, [GLYPH_STROKE_UP] = { 0x2571, '/' },
	[GLYPH_ARROW_RIGHT] = { 0x2192, '>' },  [GLYPH_ARROW_LEFT] = { 0x2190, '<' },
	[GLYPH_DOT] = { 0x00b7, '.' },          [GLYPH_ELLIPSIS] = { 0x2026, '~' },
	[GLYPH_SORT_DOWN] = { 0x25be, '-' },    [GLYPH_SORT_UP] = { 0x25b4, '+' },
	[GLYPH_TIP_DOWN] = { 0x25be, 'v' },     [GLYPH_TIP_UP] = { 0x25b4, '^' },
	[GLYPH_TREE_OPEN] = { 0x25be, '-' },    [GLYPH_TREE_CLOSED] = { 0x25b8, '+' },
	[GLYPH_BRACKET_LEFT] = { '[', '[' },    [GLYPH_BRACKET_RIGHT] = { ']', ']' },
	[GLYPH_CORNER_TOP] = { 0x250c, ',' },   [GLYPH_CORNER_BOTTOM] = { 0x2514, '`' },
	[GLYPH_EXCHANGE] = { 0x21c4, '=' },     [GLYPH_LOOP] = { 0x25cb, 'o' },
	[GLYPH_ALONE] = { 0x00d7, 'x' },
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

enum role theme_ink(enum text_role role)
{
	return role < TEXT_WAIT ? theme_role(role) : role == TEXT_WAIT ? ROLE_WARNING : ROLE_LABEL;
}
