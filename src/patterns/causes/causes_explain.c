/* The causes of one wait, as data for sentences. */
#include <stdlib.h>

#include "patterns/analysis/calls.h"
#include "patterns/causes/causes_state.h"

enum { LOOK_EVENTS = 1 << 20 };

/* A side of the comparison: what a location did from a point until a call. */
struct explain_side {
	uint32_t location;
	uint32_t from; /* point */
	uint32_t last; /* point: the last one before the call */
	int64_t end;   /* ticks: the call's enter */
};

struct explain_walk {
	const struct causes *causes;
	struct explanation *explanation;
	double scale; /* part of the wait per tick of excess */
	double rest;  /* part of the wait that is not explained yet */
};

static bool has_causes(const struct wait *wait)
{
	if (wait->flags & WAIT_PART)
		return false;
	switch (wait->metric) {
	case CUBE_MPI_INIT_COMPLETION:
	case CUBE_MPI_BARRIER_COMPLETION:
	case CUBE_MPI_NXN_COMPLETION:
	case CUBE_MPI_RMA_LATE_COMPLETE:
	case CUBE_MPI_RMA_EARLY_FENCE:
	case CUBE_MPI_RMA_SYNC_LOCK_COMPETITION:
	case CUBE_MPI_RMA_COMM_LOCK_COMPETITION: return false;
	default:
		return cube_metric_within((enum cube_metric)wait->metric, CUBE_MPI) ||
		       cube_metric_within((enum cube_metric)wait->metric, CUBE_OMP_BARRIER);
	}
}

/* ---- both sides ---- */

static struct explain_side side_of(const struct causes *c, uint32_t location, uint32_t event)
{
	const struct call_span call = calls_meeting(analysis_calls(c->analysis), event);
	struct cursor cursor;

	cursor_at(&cursor, analysis_trace(c->analysis), analysis_base(c->analysis),
		  call.enter == EVENT_NONE ? event : call.enter);
	const uint64_t at = cursor_ordinal(&cursor);
	return (struct explain_side){ .location = location,
				      .last = at == 0 ? 0
						      : points_before(c->points, location, at - 1),
				      .end = call.en };
}

/* Goes back to the last point at which it met the other. O(points since). */
static void meet(const struct points *p, struct explain_side *side, uint32_t other)
{
	side->from = side->last;
	while (side->from > 0 &&
	       !points_meets(p, side->location, &p->of[side->location].data[side->from], other))
		side->from--;
}

/* Writes X of section 8.2 to the sheet. */
static void profile(const struct causes *c, const struct explain_side *side,
		    struct path_sheet *sheet)
{
	const struct point *from = &c->points->of[side->location].data[side->from];
	const struct point *last = &c->points->of[side->location].data[side->last];

	path_sheet_clear(sheet);
	intervals_add(c->intervals, side->location, side->from, side->last, sheet);
	intervals_walk(c->intervals, side->location, last->en, side->end, 1, sheet);
	if (side->last > side->from && last->w > 0)
		path_sheet_add(sheet, last->path, -last->w);
	path_sheet_cut(sheet, side->from, from);
}

/* Adds the estimated part of it. */
static void add_estimated(const struct causes *c, const struct explain_side *side,
			  struct path_sheet *sheet)
{
	intervals_estimated(c->intervals, side->location,
			    c->points->of[side->location].data[side->from].en, side->end, sheet);
}

/* ---- reasons ---- */

/* Keeps the largest shares in order; the last slot is reserved for the unexplained rest. */
static void add_reason(struct explanation *e, const struct reason *reason)
{
	unsigned i = e->n;

	if (reason->share <= 0)
		return;
	if (i == REASONS - 1 && e->reasons[i - 1].share >= reason->share)
		return;
	if (i < REASONS - 1)
		e->n++;
	else
		i--;
	while (i > 0 && e->reasons[i - 1].share < reason->share) {
		e->reasons[i] = e->reasons[i - 1];
		i--;
	}
	e->reasons[i] = *reason;
}

static void add_work(struct explain_walk *k, uint32_t path, double excess, double estimated)
{
	const struct reason reason = { .kind = REASON_WORK,
				       .location = k->explanation->delayer,
				       .path = path,
				       .wait = UINT32_MAX,
				       .share = k->scale * excess,
				       .excess = excess,
				       .estimated = estimated,
				       .event = EVENT_NONE };

	add_reason(k->explanation, &reason);
}

static void add_waits(struct explain_walk *k, const struct explain_side *theirs)
{
	const struct location_points *of = &k->causes->points->of[theirs->location];

	for (uint32_t i = theirs->from + 1; i <= theirs->last && i < of->n; i++) {
		const struct point *point = &of->data[i];
		const struct reason reason = { .kind = REASON_WAIT,
					       .location = theirs->location,
					       .path = point->path,
					       .wait = point->wait,
					       .share = k->scale * (double)point->w,
					       .excess = (double)point->w,
					       .event = point->event };
		if (point->w > 0 && point->wait != POINT_NONE)
			add_reason(k->explanation, &reason);
	}
}

/* Where to look for the work: the longest visit of the call path that begins in the interval, else
 * its longest stretch of work. */
struct reason_event {
	uint32_t enter, piece; /* events */
	int64_t visit, work;   /* ticks: their lengths */
	uint32_t begun;        /* event of the visit that is open */
	int64_t since;
};

static struct reason *reason_of(struct explanation *e, uint32_t path, unsigned *index)
{
	for (*index = 0; *index < e->n; ++*index)
		if (e->reasons[*index].kind == REASON_WORK && e->reasons[*index].path == path)
			return &e->reasons[*index];
	return NULL;
}

static void look_event(const struct trace *trace, struct explanation *e, struct reason_event *best,
		       const struct cursor *c, int64_t next)
{
	const uint32_t what = cursor_what(c);
	const int64_t t = cursor_time(c);
	unsigned i;

	if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE) {
		const uint32_t path = trace_callpath(trace, what_id(what))->canon;
		if (reason_of(e, path, &i)) {
			struct reason_event *b = &best[i];
			if (what_kind(what) == EV_ENTER) {
				b->begun = c->id;
				b->since = t;
			} else if (b->begun != EVENT_NONE && t - b->since > b->visit) {
				b->visit = t - b->since;
				b->enter = b->begun;
			}
		}
	}
	if (reason_of(e, trace_callpath(trace, cursor_path(c))->canon, &i) &&
	    next - t > best[i].work) {
		best[i].work = next - t;
		best[i].piece = c->id;
	}
}

static void find_places(const struct causes *causes, struct explanation *e)
{
	const struct trace *trace = analysis_trace(causes->analysis);
	struct reason_event best[REASONS];
	struct cursor c;
	unsigned left = LOOK_EVENTS;

	for (unsigned i = 0; i < REASONS; i++)
		best[i] = (struct reason_event){ .enter = EVENT_NONE,
						 .piece = EVENT_NONE,
						 .begun = EVENT_NONE };
	if (!cursor_seek(&c, trace, analysis_base(causes->analysis), e->delayer, e->from))
		return;
	while (cursor_time(&c) < e->to && left-- > 0) {
		struct cursor here = c;
		const bool more = cursor_next(&c);
		look_event(trace, e, best, &here, more ? cursor_time(&c) : cursor_time(&here));
		if (!more)
			break;
	}
	for (unsigned i = 0; i < e->n; i++) {
		struct reason *r = &e->reasons[i];
		if (r->kind == REASON_WORK)
			r->event = best[i].enter != EVENT_NONE ? best[i].enter : best[i].piece;
	}
}

/* ---- a wait ---- */

/* The stored delay's sides, so that the sentences say what the costs were charged for. */
static void sides_of_delay(const struct causes *c, const struct delay *d, struct explain_side *mine,
			   struct explain_side *theirs)
{
	const struct points *p = c->points;

	mine->from = d->from;
	mine->last = d->point - 1;
	mine->end = p->of[d->location].data[d->point].en;
	theirs->from = d->other_from;
	theirs->last = d->other_point - 1;
	theirs->end = p->of[d->other].data[d->other_point].en;
}

static void compare(struct explain_walk *k, const struct wait *wait, struct explain_side *mine,
		    struct explain_side *theirs)
{
	const uint32_t paths = trace_callpath_count(analysis_trace(k->causes->analysis));
	const uint32_t row =
		points_find(k->causes->points, analysis_trace(k->causes->analysis), wait->event);
	const struct point *point =
		row == POINT_NONE ? NULL : &k->causes->points->of[mine->location].data[row];
	struct path_sheet x, y, estimated;
	double total;

	if (point && point->wait == k->explanation->wait && point->delay != POINT_NONE) {
		sides_of_delay(k->causes, &k->causes->delays->data[point->delay], mine, theirs);
	} else {
		meet(k->causes->points, mine, theirs->location);
		meet(k->causes->points, theirs, mine->location);
	}
	path_sheet_init(&x, paths);
	path_sheet_init(&y, paths);
	path_sheet_init(&estimated, paths);
	add_estimated(k->causes, mine, &estimated);
	add_estimated(k->causes, theirs, &estimated);
	profile(k->causes, mine, &y);
	profile(k->causes, theirs, &x);
	total = (double)intervals_waited(k->causes->intervals, theirs->location, theirs->from,
					 theirs->last + 1);
	for (uint32_t i = 0; i < x.n; i++) {
		int64_t *ticks = &x.of[x.touched[i]];
		*ticks = *ticks > y.of[x.touched[i]] ? *ticks - y.of[x.touched[i]] : 0;
		total += (double)*ticks;
	}
	k->scale = total <= 0 ? 0 : (double)wait->length / total;
	k->scale = k->scale < 1 ? k->scale : 1;
	for (uint32_t i = 0; i < x.n; i++) {
		const uint32_t path = x.touched[i];
		if (x.of[path] > estimated.of[path])
			add_work(k, path, (double)x.of[path], (double)estimated.of[path]);
	}
	add_waits(k, theirs);
	path_sheet_fini(&estimated);
	path_sheet_fini(&x);
	path_sheet_fini(&y);
}

bool causes_explain(const struct causes *c, uint32_t location, uint32_t index,
		    struct explanation *e)
{
	const struct trace *trace = analysis_trace(c->analysis);
	struct explain_walk k = { .causes = c, .explanation = e };
	size_t n;
	const struct wait *waits = analysis_waits(c->analysis, location, &n);

	if (index >= n || !has_causes(&waits[index]))
		return false;
	const struct wait *wait = &waits[index];
	*e = (struct explanation){ .location = location, .wait = index, .delayer = UINT32_MAX };
	k.rest = (double)wait->length;
	if (wait->partner != EVENT_NONE && trace_event_location(trace, wait->partner) != location) {
		struct explain_side mine = side_of(c, location, wait->event);
		e->delayer = trace_event_location(trace, wait->partner);
		struct explain_side theirs = side_of(c, e->delayer, wait->partner);
		mine.location = location;
		compare(&k, wait, &mine, &theirs);
		e->from = c->points->of[e->delayer].data[theirs.from].en;
		e->to = theirs.end;
		find_places(c, e);
	}
	for (unsigned i = 0; i < e->n; i++)
		k.rest -= e->reasons[i].share;
	if (k.rest > 0.5)
		e->reasons[e->n++] = (struct reason){ .kind = REASON_UNEXPLAINED,
						      .location = e->delayer,
						      .wait = UINT32_MAX,
						      .share = k.rest,
						      .event = EVENT_NONE };
	return true;
}
