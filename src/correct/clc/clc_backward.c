/* Backward amortisation: the events before each jump are raised, from nothing where the ramp begins
 * to all of the jump right before it; no send beyond what its receivers allow (doc/references.md).
 *
 * Over the times before the jump the correction is a broken line: from (begin of the ramp, 0) to
 * (jump, all of it), pulled down to (send, its room) at the sends that have less room than the line
 * asks for. Taking the steepest send again and again, as the specification has it, walks along the
 * lower convex hull of these points from right to left; here the hull is made in one pass, so that
 * a ramp costs what is in it. The corrections of several ramps add up in parts of ticks; they are
 * kept for the blocks that later ramps may still reach, and what is after them is rounded and
 * written. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "correct/clc/clc_state.h"
#include "model/trace/base_write.h"
#include "model/trace/store.h"

#define MOST_EXACT \
	0x1p45 /* ticks; a ramp is a hundred times as long, and sums of its times are exact */

/* A block whose times may still change: t + raised. */
struct clc_frame {
	uint32_t n;
	bool touched;
	int64_t t[BLOCK_EVENTS];
	double raised[BLOCK_EVENTS];
};

/* Blocks low .. high - 1 of one location. */
struct clc_window {
	struct clc *clc;
	uint32_t location;
	uint32_t low, high;
	uint32_t done;             /* blocks before this one are final */
	struct clc_frame **frames; /* [nth & mask] */
	uint32_t mask;
	VEC(struct clc_frame *) spare;
};

/* A corner of the line, from right to left. */
struct corner {
	double at;          /* ticks relative to the receive */
	double raised;      /* ticks */
	uint32_t nth, slot; /* of the send; the last corner, where the ramp begins, has none */
};

typedef VEC(struct corner) clc_line;

/* ---- the window ---- */

static struct clc_frame *frame_at(const struct clc_window *w, uint32_t nth)
{
	return w->frames[nth & w->mask];
}

static void make_room(struct clc_window *w)
{
	struct clc_frame **frames;
	const uint32_t mask = w->mask * 2 + 1;

	if (w->high - w->low <= w->mask)
		return;
	frames = xcalloc((size_t)mask + 1, sizeof *frames);
	for (uint32_t nth = w->low; nth < w->high; nth++)
		frames[nth & mask] = frame_at(w, nth);
	free(w->frames);
	w->frames = frames;
	w->mask = mask;
}

static void load(struct clc_window *w, uint32_t nth)
{
	const struct trace *trace = w->clc->trace;
	const uint32_t block = trace->lists.data[w->location].data[nth];
	struct clc_frame *frame = w->spare.n ? vec_pop(&w->spare) : xmalloc(sizeof *frame);

	frame->n = store_block(trace, block)->n;
	frame->touched = false;
	for (uint32_t slot = 0; slot < frame->n; slot++) {
		frame->t[slot] = store_time(trace, BASE_CLC, block, slot);
		frame->raised[slot] = 0;
	}
	w->frames[nth & w->mask] = frame;
}

/* Counts the events that moved, and how far they moved. */
static void account(struct clc_window *w, uint32_t block, const struct clc_frame *frame,
		    const int64_t *t)
{
	struct clc_place *place = &w->clc->places[w->location];

	for (uint32_t slot = 0; slot < frame->n; slot++) {
		const int64_t in = store_time(w->clc->trace, w->clc->from, block, slot);
		w->clc->moved_back += frame->t[slot] == in && t[slot] > in;
		if (t[slot] - in > place->max_move) {
			place->max_move = t[slot] - in;
			place->max_event = block * BLOCK_EVENTS + slot;
		}
	}
}

/* Drops the first block, which is final. */
static bool drop_first(struct clc_window *w)
{
	struct clc_frame *frame = frame_at(w, w->low);
	const uint32_t block = w->clc->trace->lists.data[w->location].data[w->low];
	int64_t t[BLOCK_EVENTS];
	bool ok = true;

	if (frame->touched) {
		for (uint32_t slot = 0; slot < frame->n; slot++) {
			t[slot] = frame->t[slot] + (int64_t)floor(frame->raised[slot] + 0.5);
			if (t[slot] > TIME_LIMIT)
				t[slot] = TIME_LIMIT;
		}
		account(w, block, frame, t);
		ok = base_put(w->clc->trace, BASE_CLC, block, t, w->clc->err);
	}
	vec_push(&w->spare, frame);
	w->done = ++w->low;
	return ok;
}

static bool drop_all(struct clc_window *w)
{
	bool ok = true;

	while (w->low < w->high)
		ok = drop_first(w) && ok;
	return ok;
}

/* Loads one more block in front, if there is one that is not final. */
static bool load_before(struct clc_window *w)
{
	if (w->low == w->done)
		return false;
	make_room(w);
	load(w, --w->low);
	return true;
}

/* Drops the blocks that neither this nor later ramps reach, and loads those up to its receive. */
static bool slide(struct clc_window *w, const struct clc_ramp *ramp)
{
	bool ok = true;

	while (ok && w->low < w->high) {
		const struct clc_frame *first = frame_at(w, w->low);
		if (w->low >= ramp->nth ||
		    (double)(first->t[first->n - 1] - ramp->low) + first->raised[first->n - 1] > 0)
			break;
		ok = drop_first(w);
	}
	if (w->low == w->high)
		w->low = w->high = ramp->nth;
	while (w->high <= ramp->nth) {
		make_room(w);
		load(w, w->high++);
	}
	return ok;
}

/* ---- the line ---- */

static double time_in(const struct clc_frame *frame, uint32_t slot, const struct clc_ramp *ramp)
{
	return (double)(frame->t[slot] - ramp->receive) + frame->raised[slot];
}

/* The slope from the right corner down to the left one. */
static double slope_between(const struct corner *right, const struct corner *left)
{
	const double fall = right->raised - left->raised, run = right->at - left->at;

	if (run > 0)
		return fall / run;
	return fall > 0 ? INFINITY : -INFINITY;
}

/* Removes the corners that the new one cuts off. Sends at the very time of the jump each keep their
 * own room. */
static void add_corner(clc_line *line, struct corner corner)
{
	while (line->n >= 2) {
		const struct corner *last = vec_last(line);
		const double right = slope_between(last - 1, last);
		const double left = slope_between(last, &corner);
		if (right > left || (isinf(right) && right == left))
			break;
		line->n--;
	}
	vec_push(line, corner);
}

/* The line of a ramp; `limits` are the location's that lie before its receive. */
static void make_line(clc_line *line, struct clc_window *w, const struct clc_ramp *ramp,
		      const struct clc_limit *limits, size_t n)
{
	line->n = 0;
	add_corner(line, (struct corner){ -ramp->jump, ramp->jump, ramp->nth,
					  ramp->event % BLOCK_EVENTS });
	for (size_t i = n; i-- > 0;) {
		const uint32_t slot = limits[i].event % BLOCK_EVENTS;
		const uint32_t nth = store_event_block(w->clc->trace, limits[i].event)->nth;
		const struct clc_frame *frame;
		struct corner corner = { .nth = nth, .slot = slot };
		if (nth < w->done)
			break;
		while (w->low > nth)
			load_before(w);
		frame = frame_at(w, nth);
		corner.at = time_in(frame, slot, ramp);
		if (corner.at <= ramp->from)
			break;
		if (limits[i].limit == INT64_MAX)
			continue;
		corner.raised = (double)(limits[i].limit - frame->t[slot]) - frame->raised[slot];
		if (corner.raised < 0)
			corner.raised = 0; /* A5 */
		if (corner.raised < vec_last(line)->raised)
			add_corner(line, corner);
	}
	add_corner(line, (struct corner){ .at = ramp->from });
}

/* ---- raising ---- */

/* A piece of the line contains events from its left corner's send on. */
static bool is_before(uint32_t nth, uint32_t slot, const struct corner *corner)
{
	return nth < corner->nth || (nth == corner->nth && slot < corner->slot);
}

static double raise_by(const struct corner *left, double slope, double at)
{
	double raised = left->raised;

	if (isfinite(slope) && at > left->at)
		raised += slope * (at - left->at);
	return raised;
}

static void note_slopes(struct clc *clc, const clc_line *line)
{
	for (size_t i = 1; i + 1 < line->n; i++) {
		const double slope = slope_between(&line->data[i - 1], &line->data[i]);
		if (isfinite(slope) && slope > clc->max_slope)
			clc->max_slope = slope;
	}
}

/* Raises the events below the line, from right to left. */
static void raise(struct clc_window *w, const struct clc_ramp *ramp, const clc_line *line)
{
	const struct corner *left = &line->data[1];
	const struct corner *last = vec_last(line);
	double slope = slope_between(left - 1, left), most = ramp->jump;
	uint32_t nth = ramp->nth, slot = ramp->event % BLOCK_EVENTS;

	for (;;) {
		struct clc_frame *frame;
		double at, raised;
		if (slot == 0) {
			if (nth == w->low && !load_before(w))
				return;
			slot = frame_at(w, --nth)->n;
		}
		frame = frame_at(w, nth);
		at = time_in(frame, --slot, ramp);
		if (at <= ramp->from)
			return;
		while (left < last && is_before(nth, slot, left)) {
			left++;
			slope = slope_between(left - 1, left);
		}
		raised = raise_by(left, slope, at);
		if (raised < most)
			most = raised; /* never more than after it, despite rounding */
		if (most > -at)
			most = -at; /* never after the receive */
		if (most <= 0)
			return;
		frame->raised[slot] += most;
		frame->touched = true;
	}
}

static bool raise_location(struct clc_window *w, const struct clc_ramps *ramps, clc_line *line,
			   uint32_t location)
{
	const struct clc_limit *limits = ramps->limits.data; /* NULL: there are none */
	size_t end = ramps->limits_of[location];
	const size_t first = end, stop = ramps->limits_of[location + 1];
	bool ok = true;

	w->location = location;
	w->low = w->high = w->done = 0;
	for (size_t i = ramps->of[location]; i < ramps->of[location + 1] && ok; i++) {
		const struct clc_ramp *ramp = &ramps->ramps[i];
		if (ramp->from >= -ramp->jump || ramp->jump > MOST_EXACT)
			continue; /* the location begins here; no ramp of which ticks are lost */
		ok = slide(w, ramp);
		while (end < stop) {
			const uint32_t event = limits[end].event;
			const uint32_t nth = store_event_block(w->clc->trace, event)->nth;
			if (nth > ramp->nth || (nth == ramp->nth &&
						event % BLOCK_EVENTS >= ramp->event % BLOCK_EVENTS))
				break;
			end++;
		}
		make_line(line, w, ramp, end > first ? limits + first : NULL, end - first);
		note_slopes(w->clc, line);
		raise(w, ramp, line);
	}
	return drop_all(w) && ok;
}

bool clc_backward(struct clc *clc)
{
	const uint32_t n = trace_location_count(clc->trace);
	const struct progress whole = progress_whole(clc->progress);
	struct clc_window w = { .clc = clc, .mask = 15 };
	clc_line line = VEC_INIT;
	struct clc_ramps ramps;
	bool ok = clc_ramps_make(&ramps, clc);

	w.frames = xcalloc((size_t)w.mask + 1, sizeof *w.frames);
	clc->max_slope = clc->slope;
	for (uint32_t l = 0; l < n && ok; l++) {
		if (ramps.of[l] < ramps.of[l + 1])
			ok = raise_location(&w, &ramps, &line, l);
		ok = ok && progress_step(&whole, "logical clock", l, n);
	}
	while (w.spare.n)
		free(vec_pop(&w.spare));
	vec_fini(&w.spare);
	free(w.frames);
	vec_fini(&line);
	clc_ramps_fini(&ramps);
	return ok;
}
