/* Cells of several states: their shares as a stack. */
#include "ui/timeline/drawing/timeline_parts_draw.h"

enum { STEPS = 8, CORNER = 0x2596 /* quadrant lower left */ };

enum { BLANK = STATE_COUNT };

/* The states of a stack from below, and where they end, in steps; on top what is hidden or left out
 * by the filter, and a blank for what is not traced. */
struct stack {
	struct stack_part {
		uint8_t state;
		unsigned end;
	} parts[STATE_COUNT + 1];
	unsigned n;
};

static void stack_make(struct stack *stack, const struct timeline_mix *mix, unsigned steps)
{
	const double scale = mix->all ? steps / (double)mix->all : 0;
	uint64_t below = 0;

	stack->n = 0;
	for (uint32_t states = mix->states; states;) {
		const unsigned s = timeline_next_state(&states);

		if (s == CLASS_OUTSIDE || s == STATE_FILTERED || !mix->of[s])
			continue;
		below += mix->of[s];
		stack->parts[stack->n++] =
			(struct stack_part){ (uint8_t)s, (unsigned)((double)below * scale + 0.5) };
	}
	below += mix->of[STATE_FILTERED];
	if (mix->of[STATE_FILTERED])
		stack->parts[stack->n++] =
			(struct stack_part){ STATE_FILTERED,
					     (unsigned)((double)below * scale + 0.5) };
	stack->parts[stack->n++] = (struct stack_part){ BLANK, steps };
}

/* What a line of the stack shows: the two states that have most of it, the lower one's height. */
struct stack_line {
	unsigned lower, upper;
	unsigned height; /* steps */
};

static struct stack_line line_of(const struct stack *stack, unsigned from)
{
	/* Parts that have most, and next; steps of each. */
	unsigned first = 0, most = 0, second = 0, next = 0, begin = from;

	for (unsigned i = 0; i < stack->n && begin < from + STEPS; i++) {
		const unsigned end = stack->parts[i].end < begin          ? begin
				     : stack->parts[i].end > from + STEPS ? from + STEPS
									  : stack->parts[i].end;

		if (end - begin > most) {
			second = first;
			next = most;
			first = i;
			most = end - begin;
		} else if (end - begin > next) {
			second = i;
			next = end - begin;
		}
		begin = end;
	}
	if (next == 0)
		return (struct stack_line){ stack->parts[first].state, stack->parts[first].state,
					    STEPS };
	if (second < first)
		return (struct stack_line){ stack->parts[second].state, stack->parts[first].state,
					    (next * STEPS + (most + next) / 2) / (most + next) };
	return (struct stack_line){ stack->parts[first].state, stack->parts[second].state,
				    (most * STEPS + (most + next) / 2) / (most + next) };
}

static enum role role_of(unsigned state, unsigned level)
{
	return state == STATE_FILTERED ? ROLE_MUTED : timeline_state_role(state, level);
}

/* Without eighths: the state that has more of the line, dotted with the other one. */
static void put_ascii(struct canvas *canvas, int x, int y, struct stack_line line, unsigned level)
{
	const bool low = line.height >= STEPS / 2;
	const unsigned most = low ? line.lower : line.upper, rest = low ? line.upper : line.lower;
	const unsigned steps = low ? STEPS - line.height : line.height;

	if (most == STATE_FILTERED || most == BLANK)
		canvas_put(canvas, x, y, timeline_state_glyph(most, true), ROLE_MUTED, ROLE_DEFAULT,
			   0);
	else if (steps == 0 || role_of(rest, level) == ROLE_DEFAULT || rest == most)
		canvas_put(canvas, x, y, ' ', ROLE_DEFAULT, role_of(most, level), 0);
	else
		canvas_put(canvas, x, y,
			   theme_glyph(steps >= 3 ? GLYPH_MEDIUM_SHADE : GLYPH_LIGHT_SHADE, true),
			   role_of(rest, level), role_of(most, level), 0);
}

static void put_coloured(struct canvas *canvas, int x, int y, struct stack_line line,
			 unsigned level)
{
	const enum role lower = role_of(line.lower, level), upper = role_of(line.upper, level);

	if (canvas->ascii)
		put_ascii(canvas, x, y, line, level);
	else if (line.lower == STATE_FILTERED || line.lower == BLANK)
		canvas_put(canvas, x, y, timeline_state_glyph(line.lower, false), ROLE_MUTED,
			   ROLE_DEFAULT, 0);
	else if (line.lower == line.upper)
		canvas_put(canvas, x, y, ' ', ROLE_DEFAULT, lower, 0);
	else
		canvas_put(canvas, x, y,
			   theme_glyph((enum glyph)((unsigned)GLYPH_BAR_1 + line.height - 1),
				       false),
			   lower, upper == ROLE_MUTED ? ROLE_DEFAULT : upper, 0);
}

uint32_t timeline_mixed_glyph(bool user, bool ascii)
{
	if (ascii)
		return user ? '%' : '+';
	return user ? theme_glyph(GLYPH_BAR_1 + STEPS / 2 - 1, false) : CORNER;
}

/* Shades cannot be stacked in a cell; user code can be drawn over the other states. `marked`: the
 * line is all of the cell, and must say that there is more than its glyph. */
static void put_mono(struct canvas *canvas, int x, int y, struct stack_line line, unsigned level,
		     bool marked)
{
	const bool ascii = canvas->ascii, user = line.lower == CLASS_USER;
	const unsigned most = line.height < STEPS / 2 ? line.upper : line.lower;
	uint32_t ch = timeline_state_glyph(line.height <= 1 ? line.upper : most, ascii);

	if (line.lower == line.upper)
		ch = timeline_state_glyph(line.lower, ascii);
	else if (!ascii && user && line.height > 1)
		ch = theme_glyph((enum glyph)((unsigned)GLYPH_BAR_1 + line.height - 1), false);
	else if (marked && line.upper != BLANK && ascii)
		ch = timeline_mixed_glyph(most == CLASS_USER, true);
	else if (marked && line.upper != BLANK)
		ch = timeline_mixed_glyph(false, false);
	canvas_put(canvas, x, y, ch, role_of(line.lower, level), ROLE_DEFAULT, 0);
}

void timeline_stack_put(struct canvas *canvas, struct rect r, const struct timeline_mix *mix,
			unsigned level)
{
	struct stack stack;

	stack_make(&stack, mix, STEPS * (unsigned)r.h);
	for (int y = 0; y < r.h; y++) {
		const struct stack_line line = line_of(&stack, STEPS * (unsigned)(r.h - 1 - y));

		if (canvas->mono)
			put_mono(canvas, r.x, r.y + y, line, level, r.h == 1);
		else
			put_coloured(canvas, r.x, r.y + y, line, level);
	}
}
