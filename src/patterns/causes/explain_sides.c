#include "patterns/causes/explain_sides.h"

#include "base/exchange.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "model/trace/visit_walk.h"
#include "patterns/analysis/calls.h"
#include "patterns/analysis/wait_numbers.h"
#include "patterns/severity/plain_path.h"

bool explain_has_causes(const struct wait *wait)
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

void explain_profile(const struct causes *c, const struct explain_side *side,
		     struct path_sheet *sheet)
{
	const struct point *from = &c->points->of[side->location].data[side->from];
	const struct point *last = &c->points->of[side->location].data[side->last];

	path_sheet_clear(sheet);
	intervals_add(c->intervals, side->location, side->from, side->last, sheet);
	intervals_walk(c->intervals, side->location, last->en, side->end, 1, sheet);
	if (side->last > side->from && last->w > 0)
		intervals_wait(c->intervals, side->location, last, -1, sheet);
	path_sheet_cut(sheet, side->from, from);
}

void explain_estimated(const struct causes *c, const struct explain_side *side,
		       struct path_sheet *sheet)
{
	intervals_estimated(c->intervals, side->location,
			    c->points->of[side->location].data[side->from].en, side->end, sheet);
}

/* The delay that was stored for a wait, so that the sentences say what the costs were charged
 * for. */
static const struct delay *delay_of_wait(const struct causes *c, uint32_t location, uint32_t index,
					 const struct wait *wait)
{
	const uint32_t row = points_of_wait(c->points, analysis_trace(c->analysis), location, index,
					    wait->event);
	const struct point *point = row == POINT_NONE ? NULL : &c->points->of[location].data[row];

	return point && point->delay != POINT_NONE ? &c->delays->data[point->delay] : NULL;
}

void explain_ask_wait(const struct causes *c, uint32_t location, uint32_t index,
		      struct explain_ask *ask)
{
	size_t n;
	const struct wait *waits = analysis_waits(c->analysis, location, &n);
	const struct delay *d;

	*ask = (struct explain_ask){ .delayer = UINT32_MAX };
	if (index >= n || !explain_has_causes(&waits[index]))
		return;
	ask->is = true;
	ask->length = waits[index].length;
	ask->delayer = wait_partner(analysis_trace(c->analysis), &waits[index]);
	if (ask->delayer == location)
		ask->delayer = UINT32_MAX;
	if (ask->delayer == UINT32_MAX)
		return;
	d = delay_of_wait(c, location, index, &waits[index]);
	ask->stored = d && d->other == ask->delayer;
	if (ask->stored) {
		ask->other_point = d->other_point;
		ask->mine = (struct explain_side){ location, d->from, d->point - 1,
						   c->points->of[location].data[d->point].en };
	} else {
		ask->mine = side_of(c, location, waits[index].event);
		meet(c->points, &ask->mine, ask->delayer);
	}
	ask->from = c->points->of[location].data[ask->mine.from].en;
}

void explain_ask_number(const struct causes *c, uint32_t location, uint32_t index,
			struct explain_ask *ask)
{
	const struct trace *trace = analysis_trace(c->analysis);
	const struct wait_place place = { location, index };
	OWNED struct wait_numbers *numbers =
		wait_numbers_of(c->analysis, &place, trace_has_location(trace, location));

	ask->number = numbers->partner;
	exchange_from(trace_exchange(trace), trace_process_of(trace, location), &ask->number,
		      sizeof ask->number);
}

/* Since when the delayer of a stored delay could have diverged from its waiter. */
static uint32_t diverged(const struct delays *d, uint32_t waiter, uint32_t delayer, uint32_t point)
{
	for (uint32_t w = d->at[delayer][point]; w < d->at[delayer][point + 1]; w++)
		if (d->data[d->waiters[w].row].location == waiter)
			return d->data[d->waiters[w].row].other_from;
	return 0;
}

struct explain_side explain_their_side(const struct causes *c, const struct explain_ask *ask)
{
	struct explain_side side;

	if (ask->stored)
		return (struct explain_side){
			ask->delayer,
			diverged(c->delays, ask->mine.location, ask->delayer, ask->other_point),
			ask->other_point - 1, c->points->of[ask->delayer].data[ask->other_point].en
		};
	side = side_of(c, ask->delayer,
		       trace_event_numbered(analysis_trace(c->analysis), ask->delayer,
					    ask->number));
	meet(c->points, &side, ask->mine.location);
	return side;
}

static void add_rows(struct explain_rows *rows, const struct path_sheet *sheet, uint32_t figure)
{
	for (uint32_t i = 0; i < sheet->n; i++)
		vec_push(rows, ((struct explain_row){ sheet->touched[i], figure,
						      sheet->of[sheet->touched[i]] }));
}

/* Of a message that is sent or received in the step; 0: it has none. */
static int64_t bytes_of(const struct trace *trace, const struct visit_walk *v)
{
	const enum event_kind kind = visit_walk_kind(v);
	const struct message *m;

	if ((kind != EV_SEND && kind != EV_RECV) || what_id(v->what) == ID_NONE)
		return 0;
	m = trace_message(trace, what_id(v->what));
	return m->flags & MSG_NO_BYTES ? 0 : (int64_t)message_bytes(m);
}

bool explain_visits(const struct causes *c, const struct explain_side *side,
		    struct path_sheet *visits, struct path_sheet *bytes)
{
	const struct trace *trace = analysis_trace(c->analysis);
	const int64_t from = c->points->of[side->location].data[side->from].en;
	struct idle_walk idle = stream_idle_walk(c->idle, side->location, from);
	unsigned left = LOOK_EVENTS;
	struct visit_walk v;

	for (bool ok = visit_walk_begin(&v, trace, analysis_base(c->analysis), side->location, from,
					side->end);
	     ok; ok = visit_walk_next(&v)) {
		const int64_t moved = bytes_of(trace, &v);

		if (moved > 0)
			path_sheet_add(bytes, v.paths[v.next].canon, moved);
		if (visit_walk_kind(&v) != EV_ENTER)
			continue;
		if (left-- == 0 || path_is_unrecorded(trace, v.next)) {
			path_sheet_clear(visits);
			path_sheet_clear(bytes);
			return false;
		}
		path_sheet_add(visits, v.paths[v.next].canon, 1);
	}
	for (; idle.at < idle.end && idle.at->from < side->end; idle.at++)
		if (idle.at->enters)
			path_sheet_add(visits, idle.at->path, 1);
	return true;
}

void explain_rows_of(const struct causes *c, const struct explain_side *side,
		     struct explain_rows *rows)
{
	const uint32_t paths = trace_callpath_count(analysis_trace(c->analysis));
	struct path_sheet of[EXPLAIN_FIGURES];

	for (unsigned i = 0; i < EXPLAIN_FIGURES; i++)
		path_sheet_init(&of[i], paths);
	explain_estimated(c, side, &of[EXPLAIN_ESTIMATED]);
	explain_profile(c, side, &of[EXPLAIN_TIME]);
	if (!explain_visits(c, side, &of[EXPLAIN_VISITS], &of[EXPLAIN_BYTES]))
		vec_push(rows, ((struct explain_row){ UINT32_MAX, EXPLAIN_VISITS, 1 }));
	for (unsigned i = 0; i < EXPLAIN_FIGURES; i++) {
		add_rows(rows, &of[i], i);
		path_sheet_fini(&of[i]);
	}
}
