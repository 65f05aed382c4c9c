/* Times, visits, counts and bytes of a window (C2) from one walk over its events. The cells of a
 * location are summed in a compact list first, so that the cube is asked once per cell and not once
 * per event. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/trace/gap.h"
#include "model/trace/message.h"
#include "model/trace/visit_walk.h"
#include "patterns/analysis/analysis_state.h"

enum { STEP_BLOCKS = 1 << 10 };

/* What a location did in a call path. */
struct path_tally {
	uint32_t path;
	int64_t time;      /* ticks */
	int64_t estimated; /* the part of it in gaps */
	uint64_t visits;
	uint64_t empty_sent, empty_received; /* messages without payload */
	uint64_t sent, received;             /* messages with payload */
	uint64_t bytes_sent, bytes_received;
	uint64_t syncs, exchanges, sources, destinations; /* ends of collectives */
	uint64_t bytes_out, bytes_in;
};

struct window_sums {
	const struct trace *trace;
	uint32_t *at;      /* [call paths] 1 + index of its tally, 0 none */
	uint8_t *counters; /* [call paths] the metric that counts its visits, CUBE_NONE */
	VEC(struct path_tally) tallies;
};

struct window_sums *window_sums_new(const struct trace *trace)
{
	const uint32_t n = trace_callpath_count(trace);
	struct window_sums *sums = xcalloc(1, sizeof *sums);

	sums->trace = trace;
	sums->at = xcalloc(n + 1, sizeof *sums->at);
	sums->counters = xmalloc(n + 1);
	sums->counters[0] = CUBE_NONE;
	for (uint32_t p = 1; p < n; p++)
		sums->counters[p] = (uint8_t)region_counter(trace, trace_callpath_region(trace, p));
	return sums;
}

void window_sums_free(struct window_sums *sums)
{
	if (!sums)
		return;
	free_all(sums->at, sums->counters);
	vec_fini(&sums->tallies);
	free(sums);
}

static struct path_tally *tally_of(struct window_sums *sums, uint32_t path)
{
	uint32_t *at = &sums->at[path];

	if (!*at) {
		vec_push(&sums->tallies, ((struct path_tally){ .path = path }));
		*at = (uint32_t)sums->tallies.n;
	}
	return &sums->tallies.data[*at - 1];
}

/* ---- events inside the window ---- */

static void count_message(const struct trace *trace, struct path_tally *now, enum event_kind kind,
			  uint32_t row)
{
	const struct message *m;
	uint64_t bytes;
	bool empty;

	if (row >= trace_message_count(trace))
		return;
	m = trace_message(trace, row);
	if (m->flags & MSG_CANCELLED)
		return;
	bytes = m->flags & MSG_NO_BYTES ? 0 : message_bytes(m);
	empty = bytes == 0 && !(m->flags & MSG_NO_BYTES);
	if (kind == EV_SEND) {
		now->empty_sent += empty;
		now->sent += !empty;
		now->bytes_sent += bytes;
	} else {
		now->empty_received += empty;
		now->received += !empty;
		now->bytes_received += bytes;
	}
}

/* Unknown bytes count as some (A23), except those of a barrier. Files have counts of their own. */
static void count_collective(const struct trace *trace, struct path_tally *now, uint32_t row)
{
	const struct member *member;
	bool sends, receives;
	uint8_t cls;

	if (row == ID_NONE)
		return;
	member = trace_member(trace, row);
	sends = member->sent != 0;
	receives = member->received != 0;
	cls = trace_region(trace,
			   trace_collective(trace, trace_member_collective(trace, row))->region)
		      ->cls;
	if (cls == CLASS_IO)
		return;
	if ((member->sent == UINT64_MAX || member->received == UINT64_MAX) && cls == CLASS_SYNC)
		sends = receives = false;
	now->syncs += !sends && !receives;
	now->exchanges += sends && receives;
	now->sources += sends && !receives;
	now->destinations += !sends && receives;
	if (sends && member->sent != UINT64_MAX)
		now->bytes_out += member->sent;
	if (receives && member->received != UINT64_MAX)
		now->bytes_in += member->received;
}

/* Regions that are open before the first event count as entered there, and so does the program
 * itself, which the root represents (C2). */
static void visit_at_start(struct window_sums *sums, uint32_t location, uint32_t path)
{
	const struct trace *trace = sums->trace;

	for (; path != 0; path = trace_callpath(trace, path)->parent)
		tally_of(sums, path)->visits++;
	tally_of(sums, 0)->visits += location_has_states(trace_location(trace, location));
}

/* ---- a location ---- */

static void flush(struct window_sums *sums, struct cube *cube, uint32_t location)
{
	for (size_t i = 0; i < sums->tallies.n; i++) {
		const struct path_tally *t = &sums->tallies.data[i];
		const struct {
			enum cube_metric metric;
			double value;
		} cells[] = {
			{ CUBE_TIME, (double)t->time },
			{ CUBE_VISITS, (double)t->visits },
			{ CUBE_ESTIMATED, (double)t->estimated },
			{ CUBE_SYNCS_SEND, (double)t->empty_sent },
			{ CUBE_SYNCS_RECV, (double)t->empty_received },
			{ CUBE_COMMS_SEND, (double)t->sent },
			{ CUBE_COMMS_RECV, (double)t->received },
			{ CUBE_BYTES_SENT, (double)t->bytes_sent },
			{ CUBE_BYTES_RCVD, (double)t->bytes_received },
			{ CUBE_SYNCS_COLL, (double)t->syncs },
			{ CUBE_COMMS_CXCH, (double)t->exchanges },
			{ CUBE_COMMS_CSRC, (double)t->sources },
			{ CUBE_COMMS_CDST, (double)t->destinations },
			{ CUBE_BYTES_COUT, (double)t->bytes_out },
			{ CUBE_BYTES_CIN, (double)t->bytes_in },
		};
		for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
			cube_add(cube, cells[k].metric, t->path, location, cells[k].value);
		if (sums->counters[t->path] != CUBE_NONE)
			cube_add(cube, (enum cube_metric)sums->counters[t->path], t->path, location,
				 (double)t->visits);
		sums->at[t->path] = 0;
	}
	sums->tallies.n = 0;
}

/* A walk over the events of a window. */
struct window_walk {
	struct window_sums *sums;
	struct gap_walk gaps;
	struct path_tally *now; /* of the open call path */
	int64_t t1, since;      /* ticks: the window's end; what is earlier has been added */
	const struct callpath *paths;
	bool traced;
};

static void add_time(struct window_walk *w, int64_t to)
{
	const int64_t ticks = to - w->since;

	if (w->traced) {
		w->now->time += ticks;
		if (gap_walk_has(&w->gaps, w->since, to))
			w->now->estimated += ticks;
	}
	w->since = to;
}

/* The events of a block from the cursor on, as visit_walk.h has them: this is one of the passes
 * that cost most. Gaps begin and end at any of them. False: the window ends. */
static bool add_block(struct window_walk *w, const struct cursor *c)
{
	const struct trace *trace = w->sums->trace;
	const bool gaps = w->gaps.gap < w->gaps.stop;

	for (struct cursor here = *c; here.slot < here.block->n; here.slot++) {
		const uint32_t what = cursor_what(&here);
		const enum event_kind kind = what_kind(what);
		const int64_t time = cursor_time(&here);
		if (time >= w->t1)
			return false;
		if (kind <= EV_LEAVE || kind >= EV_TRACING_ON || gaps)
			add_time(w, time);
		switch (kind) {
		case EV_ENTER:
			w->now = tally_of(w->sums, what_id(what));
			w->now->visits++;
			break;
		case EV_LEAVE: w->now = tally_of(w->sums, w->paths[what_id(what)].parent); break;
		case EV_SEND:
		case EV_RECV: count_message(trace, w->now, kind, what_id(what)); break;
		case EV_COLLECTIVE_END: count_collective(trace, w->now, what_id(what)); break;
		case EV_TRACING_ON:
		case EV_TRACING_OFF: w->traced = kind == EV_TRACING_ON; break;
		default: break;
		}
	}
	return true;
}

/* The walk's begin is at an event. False: stopped. */
static bool add_blocks(struct window_walk *w, struct cursor *c, struct stage *stage,
		       unsigned worker)
{
	const uint32_t locations = trace_location_count(w->sums->trace);
	size_t n = 0;

	while (add_block(w, c)) {
		if (++n % STEP_BLOCKS == 0 && !stage_step(stage, worker, c->location, locations))
			return false;
		if (!cursor_next_block(c)) {
			c->slot = c->block->n - 1u;
			add_time(w, cursor_time(c));
			return true;
		}
	}
	add_time(w, w->t1);
	return true;
}

bool window_add(struct window_sums *sums, struct stage *stage, unsigned worker, struct cube *cube,
		uint32_t location, int64_t t0, int64_t t1)
{
	const struct analysis *a = stage->analysis;
	struct window_walk walk = { .sums = sums, .t1 = t1 };
	struct visit_walk w;
	bool going = true;

	if (!visit_walk_begin(&w, a->trace, a->base, location, t0, t1))
		return true;
	if (!w.at_end && cursor_ordinal(&w.c) == 0)
		visit_at_start(sums, location, w.path);
	walk.gaps = gap_walk_begin(a->trace, a->base, location, t0);
	walk.now = tally_of(sums, w.path);
	walk.since = w.from;
	walk.paths = w.paths;
	walk.traced = w.traced;
	if (w.at_end)
		add_time(&walk, t1);
	else
		going = add_blocks(&walk, &w.c, stage, worker);
	flush(sums, cube, location);
	return going;
}
