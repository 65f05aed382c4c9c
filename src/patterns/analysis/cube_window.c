/* Times, visits, counts and bytes of a window (specs: correction and patterns, section 6.6;
 * patterns-corrections C2): one walk over the events of the window. A location's cells are summed up in a
 * compact list first, so that the cube is asked once a cell and not once an event. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/message.h"
#include "patterns/analysis/analysis_impl.h"

enum { STEP_BLOCKS = 1024 };

/* What a location did in a call path. */
struct tally {
	uint32_t path;
	int64_t time; /* ticks */
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
	VEC(struct tally) tallies;
};

/* A walk. */
struct sweep {
	struct window_sums *sums;
	int64_t t0, t1;
	struct tally *now; /* of the open call path */
	uint32_t path;
	bool traced;
	int64_t time; /* what is before it has been counted */
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
	free(sums->at);
	free(sums->counters);
	vec_fini(&sums->tallies);
	free(sums);
}

static void go_to(struct sweep *s, uint32_t path)
{
	struct window_sums *sums = s->sums;
	uint32_t *at = &sums->at[path];

	if (!*at) {
		vec_push(&sums->tallies, ((struct tally){ .path = path }));
		*at = (uint32_t)sums->tallies.n;
	}
	s->path = path;
	s->now = &sums->tallies.data[*at - 1];
}

static void spend(struct sweep *s, int64_t t)
{
	if (t > s->t1)
		t = s->t1;
	if (t <= s->time)
		return;
	if (s->traced)
		s->now->time += t - s->time;
	s->time = t;
}

/* ---- events inside the window ---- */

static void count_message(const struct sweep *s, enum event_kind kind, uint32_t row)
{
	const struct trace *trace = s->sums->trace;
	struct tally *now = s->now;
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

/* Unknown bytes count as some (A23), but not of a barrier. */
static void count_collective(const struct sweep *s, uint32_t row)
{
	const struct trace *trace = s->sums->trace;
	struct tally *now = s->now;
	const struct member *member;
	bool sends, receives;

	if (row == ID_NONE)
		return;
	member = trace_member(trace, row);
	sends = member->sent != 0;
	receives = member->received != 0;
	if (member->sent == UINT64_MAX || member->received == UINT64_MAX) {
		const uint32_t id = trace_member_collective(trace, row);
		if (trace_region(trace, trace_collective(trace, id)->region)->cls == CLASS_SYNC)
			sends = receives = false;
	}
	now->syncs += !sends && !receives;
	now->exchanges += sends && receives;
	now->sources += sends && !receives;
	now->destinations += !sends && receives;
	if (sends && member->sent != UINT64_MAX)
		now->bytes_out += member->sent;
	if (receives && member->received != UINT64_MAX)
		now->bytes_in += member->received;
}

static void see(struct sweep *s, uint32_t what, int64_t t)
{
	const uint32_t id = what_id(what);

	spend(s, t);
	switch (what_kind(what)) {
	case EV_ENTER:
		go_to(s, id);
		s->now->visits++;
		break;
	case EV_LEAVE: go_to(s, trace_callpath(s->sums->trace, id)->parent); break;
	case EV_SEND:
	case EV_RECV: count_message(s, what_kind(what), id); break;
	case EV_COLLECTIVE_END: count_collective(s, id); break;
	case EV_TRACING_ON: s->traced = true; break;
	case EV_TRACING_OFF: s->traced = false; break;
	default: break;
	}
}

/* ---- a location ---- */

/* Regions that are open before the first event were entered there, as far as anybody knows; as was the
 * program itself, which is what the root stands for (C2). */
static void visit_at_start(struct sweep *s, const struct cursor *c)
{
	const struct trace *trace = s->sums->trace;
	uint32_t path = c->block->path;

	for (; path != 0; path = trace_callpath(trace, path)->parent) {
		go_to(s, path);
		s->now->visits++;
	}
	go_to(s, 0);
	s->now->visits += trace_location(trace, c->location)->type != LOCATION_METRICS;
}

static void flush(struct window_sums *sums, struct cube *cube, uint32_t location)
{
	for (size_t i = 0; i < sums->tallies.n; i++) {
		const struct tally *t = &sums->tallies.data[i];
		const struct {
			enum cube_metric metric;
			double value;
		} cells[] = {
			{ CUBE_TIME, (double)t->time },
			{ CUBE_VISITS, (double)t->visits },
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

/* Whether the location is traced at the first event at or behind a time: as the last switch before says,
 * else against the first one; where only counters are recorded nothing is known of what goes on. */
static bool traced_at(const struct analysis *a, uint32_t location, int64_t t)
{
	const struct place *place = &a->places[location];
	size_t low = 0, high = place->switches.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (place->switches.data[middle].time < t)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0)
		return place->switches.data[low - 1].on;
	return (place->switches.n == 0 || !place->switches.data[0].on) &&
	       trace_location(a->trace, location)->type != LOCATION_METRICS;
}

/* Events from the cursor's to the end of its block; false: behind the window. */
static bool sweep_block(struct sweep *s, const struct cursor *c)
{
	for (uint32_t slot = c->slot; slot < c->block->n; slot++) {
		const int64_t t = c->wide ? c->wide[slot] : c->times->base + c->times->delta[slot];
		if (t >= s->t1) {
			spend(s, t);
			return false;
		}
		see(s, c->block->what[slot], t);
	}
	return true;
}

bool window_add(struct window_sums *sums, struct stage *stage, unsigned worker, struct cube *cube,
		uint32_t location, int64_t t0, int64_t t1)
{
	const struct analysis *a = stage->analysis;
	struct sweep s = { .sums = sums, .t0 = t0, .t1 = t1 };
	struct cursor c;
	bool going = true;

	if (!cursor_first(&c, a->trace, a->base, location) || cursor_time(&c) >= t1)
		return true;
	s.time = cursor_time(&c) > t0 ? cursor_time(&c) : t0;
	s.traced = traced_at(a, location, t0);
	if (cursor_time(&c) >= t0) {
		visit_at_start(&s, &c);
		go_to(&s, c.block->path);
	} else {
		if (!cursor_seek(&c, a->trace, a->base, location, t0))
			return true;
		go_to(&s, cursor_path_before(&c));
	}
	for (size_t n = 1; sweep_block(&s, &c) && going && cursor_next_block(&c); n++)
		if (n % STEP_BLOCKS == 0)
			going = stage_step(stage, worker, location, trace_location_count(a->trace));
	flush(sums, cube, location);
	return going;
}
