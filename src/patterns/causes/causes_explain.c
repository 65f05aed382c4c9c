/* The causes of one wait, as data for sentences. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/vec.h"
#include "model/trace/halo.h"
#include "patterns/causes/explain_sides.h"

struct explain_walk {
	const struct causes *causes;
	struct explanation *explanation;
	double scale; /* part of the wait per tick of excess */
	double rest;  /* part of the wait that is not explained yet */
};

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

/* By call path. */
struct explain_sheets {
	struct path_sheet x, y; /* ticks: excess of the delayer, time of the waiter */
	struct path_sheet estimated;
	struct path_sheet visits, others_visits; /* of the delayer, of the waiter */
	struct path_sheet bytes, others_bytes;
	bool counted; /* these are known */
};

static void add_work(struct explain_walk *k, uint32_t path, const struct explain_sheets *s)
{
	const double excess = (double)s->x.of[path], estimated = (double)s->estimated.of[path];
	const struct reason reason = { .kind = REASON_WORK,
				       .location = k->explanation->delayer,
				       .path = path,
				       .wait = UINT32_MAX,
				       .share = k->scale * excess,
				       .excess = excess,
				       .estimated = estimated,
				       .others_time = (double)s->y.of[path],
				       .visits = s->counted ? s->visits.of[path] : -1,
				       .others_visits = s->counted ? s->others_visits.of[path] : -1,
				       .bytes = s->bytes.of[path],
				       .others_bytes = s->others_bytes.of[path],
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

/* What is on other locations (stream_idle.h). */
static void look_idle(const struct causes *causes, struct explanation *e, struct reason_event *best)
{
	struct idle_walk idle = stream_idle_walk(causes->idle, e->delayer, e->from);
	unsigned i;

	for (; idle.at < idle.end && idle.at->from < e->to; idle.at++)
		if (reason_of(e, idle.at->path, &i) && idle.at->to - idle.at->from > best[i].work) {
			best[i].work = idle.at->to - idle.at->from;
			best[i].piece = idle.at->event;
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
	look_idle(causes, e, best);
	for (unsigned i = 0; i < e->n; i++) {
		struct reason *r = &e->reasons[i];
		if (r->kind == REASON_WORK)
			r->event = best[i].enter != EVENT_NONE ? best[i].enter : best[i].piece;
	}
}

/* The reason_late of a wait state, REASON_LATES none. */
static enum reason_late late_of(const struct wait *wait)
{
	switch (wait->metric) {
	case CUBE_MPI_NO_PROGRESS: return LATE_NO_PROGRESS;
	case CUBE_MPI_DELIVERED_LATE: return LATE_DELIVERED;
	case CUBE_MPI_RELEASED_LATE: return LATE_RELEASED;
	default: return REASON_LATES;
	}
}

/* What of the delayer's time was late inside MPI. */
static void find_late(const struct causes *causes, struct explanation *e)
{
	const struct analysis *a = causes->analysis;
	size_t n, i = analysis_wait_at(a, e->delayer, e->from);
	const struct wait *waits = analysis_waits(a, e->delayer, &n);

	for (; i < n && waits[i].begin < e->to; i++) {
		const struct wait *w = &waits[i];
		const int64_t end = w->begin + w->length;
		const enum reason_late late = late_of(w);
		unsigned at;
		struct reason *r = late == REASON_LATES ? NULL : reason_of(e, w->path, &at);
		if (r && end > e->from)
			r->late[late] += (end < e->to ? end : e->to) -
					 (w->begin > e->from ? w->begin : e->from);
	}
}

/* ---- a wait ---- */

static void take_rows(struct explain_sheets *s, const struct explain_rows *mine)
{
	struct path_sheet *of[EXPLAIN_FIGURES] = { [EXPLAIN_TIME] = &s->y,
						   [EXPLAIN_ESTIMATED] = &s->estimated,
						   [EXPLAIN_VISITS] = &s->others_visits,
						   [EXPLAIN_BYTES] = &s->others_bytes };

	s->counted = true;
	for (size_t i = 0; i < mine->n; i++) {
		const struct explain_row *row = &mine->data[i];
		if (row->path == UINT32_MAX)
			s->counted = false;
		else
			path_sheet_add(of[row->figure], row->path, row->number);
	}
}

/* Compares what the delayer did with what the waiter told. */
static void compare(struct explain_walk *k, const struct explain_ask *ask,
		    const struct explain_rows *mine, const struct explain_side *theirs)
{
	const uint32_t paths = trace_callpath_count(analysis_trace(k->causes->analysis));
	struct explain_sheets s;
	struct path_sheet *const all[] = {
		&s.x, &s.y, &s.estimated, &s.visits, &s.others_visits, &s.bytes, &s.others_bytes
	};
	double total;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		path_sheet_init(all[i], paths);
	take_rows(&s, mine);
	explain_estimated(k->causes, theirs, &s.estimated);
	explain_profile(k->causes, theirs, &s.x);
	s.counted = s.counted && explain_visits(k->causes, theirs, &s.visits, &s.bytes);
	total = (double)intervals_waited(k->causes->intervals, theirs->location, theirs->from,
					 theirs->last + 1);
	for (uint32_t i = 0; i < s.x.n; i++) {
		const uint32_t path = s.x.touched[i];
		s.x.of[path] = s.x.of[path] > s.y.of[path] ? s.x.of[path] - s.y.of[path] : 0;
		total += (double)s.x.of[path];
	}
	k->scale = total <= 0 ? 0 : (double)ask->length / total;
	k->scale = k->scale < 1 ? k->scale : 1;
	for (uint32_t i = 0; i < s.x.n; i++)
		if (s.x.of[s.x.touched[i]] > s.estimated.of[s.x.touched[i]])
			add_work(k, s.x.touched[i], &s);
	add_waits(k, theirs);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		path_sheet_fini(all[i]);
}

/* The waiter's process tells what it did, the delayer's compares, and tells all. */
static void explain_delayer(struct explain_walk *k, struct explain_ask *ask)
{
	const struct causes *c = k->causes;
	const struct trace *trace = analysis_trace(c->analysis);
	struct exchange *x = trace_exchange(trace);
	struct explanation *e = k->explanation;
	struct explain_rows mine = VEC_INIT;

	if (!ask->stored)
		explain_ask_number(c, e->location, e->wait, ask);
	if (trace_has_location(trace, e->location))
		explain_rows_of(c, &ask->mine, &mine);
	exchange_rows(x, &mine);
	if (trace_has_location(trace, e->delayer)) {
		const struct explain_side theirs = explain_their_side(c, ask);
		compare(k, ask, &mine, &theirs);
		e->from = c->points->of[e->delayer].data[theirs.from].en;
		e->to = theirs.end;
		e->others_from = ask->from;
		e->others_to = ask->mine.end;
		find_places(c, e);
		find_late(c, e);
	}
	exchange_from(x, trace_process_of(trace, e->delayer), e, sizeof *e);
	for (unsigned i = 0; i < e->n && !trace_has_location(trace, e->delayer); i++)
		e->reasons[i].event = EVENT_NONE;
	vec_fini(&mine);
}

bool causes_explain(const struct causes *c, uint32_t location, uint32_t index,
		    struct explanation *e)
{
	const struct trace *trace = analysis_trace(c->analysis);
	struct explain_walk k = { .causes = c, .explanation = e };
	struct explain_ask ask;

	if (trace_has_location(trace, location))
		explain_ask_wait(c, location, index, &ask);
	exchange_from(trace_exchange(trace), trace_process_of(trace, location), &ask, sizeof ask);
	if (!ask.is)
		return false;
	*e = (struct explanation){ .location = location, .wait = index, .delayer = ask.delayer };
	k.rest = (double)ask.length;
	if (e->delayer != UINT32_MAX)
		explain_delayer(&k, &ask);
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
