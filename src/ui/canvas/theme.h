/* theme: roles of colours, and their colours at each depth (mono, 8, 16, 256, RGB), on dark and
 * light backgrounds; and glyphs by role in UTF-8 and ASCII. One table (theme_paint.h); no other
 * code has numbers of colours. The default background is the terminal's own. Palettes are safe for
 * colour-blind eyes (Okabe-Ito), and in mono every state has a glyph of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/meaning/class.h"
#include "views/query/text_role.h"

enum role {
	ROLE_DEFAULT, /* the terminal's own foreground and background */
	ROLE_KEEP,    /* canvas_paint: leave as it is */
	ROLE_TITLE,   /* title bar */
	ROLE_TAB,     /* view names */
	ROLE_TAB_ACTIVE,
	ROLE_HEADER, /* column headers, rulers */
	ROLE_FRAME,
	ROLE_LABEL, /* row labels */
	ROLE_MUTED,
	ROLE_VALUE,
	ROLE_CURSOR, /* selected row, cursor column */
	ROLE_SELECTION,
	ROLE_MATCH, /* search hit */
	ROLE_HINT_KEY,
	ROLE_HINT,
	ROLE_PROMPT,
	ROLE_ERROR,
	ROLE_WARNING,
	ROLE_GOOD,
	ROLE_PROGRESS,
	ROLE_MESSAGE, /* message arrows */
	ROLE_MESSAGE_SELECTED,
	ROLE_COLLECTIVE_LINE,
	ROLE_CRITICAL, /* the critical path */
	ROLE_WAIT,     /* waiting, and its first kind: + enum wait_kind */
	ROLE_WAIT_LAST = ROLE_WAIT + 3,
	ROLE_CLASS_FIRST, /* + enum region_class: state colours */
	ROLE_CLASS_LAST = ROLE_CLASS_FIRST + CLASS_COUNT - 1,
	ROLE_FUNCTION_FIRST, /* functions that take most time, most first */
	ROLE_FUNCTION_LAST = ROLE_FUNCTION_FIRST + 7,
	ROLE_FUNCTION_OTHERS,
	ROLE_USER_NESTED, /* user code inside of user code, in every other level */
	ROLE_HEAT_FIRST,  /* 8 steps from little to much */
	ROLE_HEAT_LAST = ROLE_HEAT_FIRST + 7,
	ROLE_MOVE_FIRST, /* 8 steps of a distance moved, as foreground */
	ROLE_MOVE_LAST = ROLE_MOVE_FIRST + 7,
	ROLE_COUNT
};

/* The role of a bar that views give. */
enum role theme_role(enum text_role role);
/* The same as text: colours of bars are too pale or too dark to read. */
enum role theme_ink(enum text_role role);

enum colour_depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB };

/* A colour: -1 the terminal's default, 0..255 palette index, or 0x1000000 | rgb at DEPTH_RGB. */
struct look {
	int colour;
	unsigned attr; /* enum cell_attr, added where the depth has no colour for the role */
};

struct theme;

/* "dark", "light", "mono"; NULL for other names. */
const struct theme *theme_find(const char *name);
const char *const *theme_names(void); /* ends with NULL */
struct look theme_foreground(const struct theme *theme, enum role role, enum colour_depth depth);
struct look theme_background(const struct theme *theme, enum role role, enum colour_depth depth);

/* The look of a cell of two roles. On a coloured background ROLE_DEFAULT gives a readable
 * foreground. */
struct cell_look {
	int fg, bg; /* as look.colour */
	unsigned attr;
};
struct cell_look theme_cell(const struct theme *theme, enum role fg, enum role bg,
			    enum colour_depth depth);

enum glyph {
	GLYPH_FULL,      /* full block */
	GLYPH_HALF_LEFT, /* left half block: two samples a column */
	GLYPH_HALF_RIGHT,
	GLYPH_LIGHT_SHADE,
	GLYPH_MEDIUM_SHADE,
	GLYPH_DARK_SHADE,
	GLYPH_BAR_1, /* lower eighths, 1..8 */
	GLYPH_BAR_8 = GLYPH_BAR_1 + 7,
	GLYPH_LINE_H,
	GLYPH_LINE_V,
	GLYPH_ARROW_DOWN, /* slanted strokes and heads of message arrows */
	GLYPH_ARROW_UP,
	GLYPH_STROKE_DOWN,
	GLYPH_STROKE_UP,
	GLYPH_ARROW_RIGHT,
	GLYPH_ARROW_LEFT,
	GLYPH_DOT,
	GLYPH_ELLIPSIS,
	GLYPH_SORT_DOWN,
	GLYPH_SORT_UP,
	GLYPH_TIP_DOWN, /* thin heads of arrows */
	GLYPH_TIP_UP,
	GLYPH_TREE_OPEN,
	GLYPH_TREE_CLOSED,
	GLYPH_BRACKET_LEFT,
	GLYPH_BRACKET_RIGHT,
	GLYPH_CORNER_TOP, /* of a loop's lines */
	GLYPH_CORNER_BOTTOM,
	GLYPH_EXCHANGE, /* a communication statement */
	GLYPH_LOOP,     /* a loop of one line */
	GLYPH_ALONE,    /* not instrumented */
	GLYPH_COUNT
};
uint32_t theme_glyph(enum glyph glyph, bool ascii);
/* Glyph of a kind of waiting (enum wait_kind) without colours. */
uint32_t theme_wait_glyph(unsigned kind);
/* Letter or shade of a class without colours, different for each class. */
uint32_t theme_class_glyph(unsigned cls, bool ascii);
