/* The cells of groups: shares of states as a stack. */
#include "ui/timeline/drawing/timeline_draw.h"

enum { STEPS = 8 };

/* Where states end in a stack of `steps` steps; the blank on top is one more. */
static void stack_of(const struct timeline_mix *mix, unsigned steps, unsigned ends[STATE_COUNT + 1])
{
	uint64_t below = 0;

	for (unsigned s = 0; s < STATE_COUNT; s++) {
		if (s != CLASS_OUTSIDE)
			below += mix->of[s];
		ends[s] = mix->all ? (unsigned)((double)below * steps / (double)mix->all + 0.5) : 0;
	}
	ends[STATE_COUNT] = steps;
}

/* What a line of the stack shows: the two states that have most of it, the lower one's height. */
struct stack_line {
	unsigned lower, upper; /* STATE_COUNT: blank */
	unsigned height;       /* steps */
};

/* The largest part but that of `taken`; `taken` where there is none. */
static unsigned largest(const unsigned part[STATE_COUNT + 1], unsigned taken)
{
	unsigned best = taken, most = 0;

	for (unsigned s = 0; s <= STATE_COUNT; s++)
		if (s != taken && part[s] > most) {
			best = s;
			most = part[s];
		}
	return best;
}

static struct stack_line line_of(const unsigned ends[STATE_COUNT + 1], unsigned from)
{
	const unsigned to = from + STEPS;
	unsigned part[STATE_COUNT + 1], begin = from, first, second, both;

	for (unsigned s = 0; s <= STATE_COUNT; s++) {
		const unsigned end = ends[s] < begin ? begin : ends[s] > to ? to : ends[s];

		part[s] = end - begin;
		begin = end;
	}
	first = largest(part, STATE_COUNT + 1);
	second = largest(part, first);
	if (second == first)
		return (struct stack_line){ first, first, STEPS };
	both = part[first] + part[second];
	if (second < first) {
		const unsigned swap = first;

		first = second;
		second = swap;
	}
	return (struct stack_line){ first, second, (part[first] * STEPS + both / 2) / both };
}

static enum role role_of(unsigned state)
{
	return state == STATE_FILTERED ? ROLE_MUTED : timeline_state_role(state, 0);
}

/* Without eighths: the state that has more of the line, dotted with the other one. */
static void put_ascii(struct canvas *canvas, int x, int y, struct stack_line line)
{
	const bool low = line.height >= STEPS / 2;
	const unsigned most = low ? line.lower : line.upper, rest = low ? line.upper : line.lower;
	const unsigned steps = low ? STEPS - line.height : line.height;

	if (most == STATE_FILTERED || most == STATE_COUNT)
		canvas_put(canvas, x, y, timeline_state_glyph(most, true), ROLE_MUTED, ROLE_DEFAULT,
			   0);
	else if (steps == 0 || role_of(rest) == ROLE_DEFAULT || rest == most)
		canvas_put(canvas, x, y, ' ', ROLE_DEFAULT, role_of(most), 0);
	else
		canvas_put(canvas, x, y,
			   theme_glyph(steps >= 3 ? GLYPH_MEDIUM_SHADE : GLYPH_LIGHT_SHADE, true),
			   role_of(rest), role_of(most), 0);
}

static void put_coloured(struct canvas *canvas, int x, int y, struct stack_line line)
{
	const enum role lower = role_of(line.lower), upper = role_of(line.upper);

	if (canvas->ascii)
		put_ascii(canvas, x, y, line);
	else if (line.lower == STATE_FILTERED || line.lower == STATE_COUNT)
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

/* Shades cannot be stacked in a cell; user code can be drawn over the other states. */
static void put_mono(struct canvas *canvas, int x, int y, struct stack_line line)
{
	uint32_t ch;

	if (line.lower == line.upper || line.height <= 1)
		ch = timeline_state_glyph(line.height <= 1 ? line.upper : line.lower,
					  canvas->ascii);
	else if (canvas->ascii || line.lower != CLASS_USER || line.height == STEPS)
		ch = timeline_state_glyph(line.height < STEPS / 2 ? line.upper : line.lower,
					  canvas->ascii);
	else
		ch = theme_glyph((enum glyph)((unsigned)GLYPH_BAR_1 + line.height - 1), false);
	canvas_put(canvas, x, y, ch, role_of(line.lower), ROLE_DEFAULT, 0);
}

void timeline_stack_draw(const struct timeline_mix *mixes, int width, struct rect r,
			 struct canvas *canvas)
{
	unsigned ends[STATE_COUNT + 1];

	for (int x = 0; x < width && x < r.w && r.h > 0; x++) {
		stack_of(&mixes[x], STEPS * (unsigned)r.h, ends);
		for (int y = 0; y < r.h; y++) {
			const struct stack_line line =
				line_of(ends, STEPS * (unsigned)(r.h - 1 - y));

			if (canvas->mono)
				put_mono(canvas, r.x + x, r.y + y, line);
			else
				put_coloured(canvas, r.x + x, r.y + y, line);
		}
	}
}
