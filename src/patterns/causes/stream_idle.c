#include "patterns/causes/stream_idle.h"

#include <string.h>

#include "base/jobs.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/detail.h"
#include "model/trace/visit_walk.h"

typedef VEC(struct idle_piece) piece_vec;

struct stream_idle {
	const struct trace *trace;
	enum time_base base;
	const struct points *points;
	piece_vec *of;        /* [locations] */
	bool *launches;       /* [call paths] a call that launches work */
	uint32_t *program;    /* [locations], see trace_programs() */
	struct lists members; /* of each program */
};

/* Time that has no call path yet. */
struct idle_span {
	int64_t from, to;
	uint32_t host; /* location that is asked */
};

typedef VEC(struct idle_span) span_vec;

static bool is_stream(const struct stream_idle *idle, uint32_t l)
{
	return trace_location(idle->trace, l)->type == LOCATION_ACCELERATOR &&
	       idle->points->of[l].n > 1;
}

static bool has_stream(const struct stream_idle *idle)
{
	for (uint32_t l = 0; l < idle->points->locations; l++)
		if (is_stream(idle, l))
			return true;
	return false;
}

/* ---- spans ---- */

static span_vec idle_spans(const struct stream_idle *idle, uint32_t stream)
{
	span_vec spans = VEC_INIT;
	struct visit_walk w;

	for (bool ok = visit_walk_begin(&w, idle->trace, idle->base, stream, INT64_MIN, INT64_MAX);
	     ok; ok = visit_walk_next_change(&w))
		if (w.traced && w.path == 0 && w.to > w.from)
			vec_push(&spans, ((struct idle_span){ w.from, w.to, UINT32_MAX }));
	return spans;
}

/* Gives spans to what is open on a location; they keep what is left of them. */
static void take_stretch(span_vec *spans, size_t *i, span_vec *left, struct idle_piece piece,
			 piece_vec *pieces)
{
	const int64_t end = piece.to;

	while (*i < spans->n && spans->data[*i].from < end) {
		struct idle_span *span = &spans->data[*i];
		if (span->to <= piece.from ||
		    (span->host != UINT32_MAX && span->host != piece.location)) {
			vec_push(left, *span);
			++*i;
			continue;
		}
		if (span->from < piece.from)
			vec_push(left, ((struct idle_span){ span->from, piece.from, span->host }));
		piece.from = span->from > piece.from ? span->from : piece.from;
		piece.to = span->to < end ? span->to : end;
		vec_push(pieces, piece);
		piece.enters = false;
		span->from = piece.from = piece.to;
		if (span->from < span->to)
			return;
		++*i;
	}
}

static void take_location(const struct stream_idle *idle, uint32_t location, span_vec *spans,
			  piece_vec *pieces)
{
	span_vec left = VEC_INIT;
	struct idle_piece piece = { .location = location, .event = EVENT_NONE };
	struct visit_walk w;
	size_t i = 0;

	for (bool ok =
		     visit_walk_begin(&w, idle->trace, idle->base, location, INT64_MIN, INT64_MAX);
	     ok && i < spans->n; ok = visit_walk_next_change(&w)) {
		piece.from = w.from;
		piece.to = w.to;
		piece.path = w.paths[w.path].canon;
		if (w.traced && piece.path != 0)
			take_stretch(spans, &i, &left, piece, pieces);
		piece.event = w.at_end ? EVENT_NONE : w.c.id;
		piece.enters = visit_walk_kind(&w) == EV_ENTER;
	}
	for (; i < spans->n; i++)
		vec_push(&left, spans->data[i]);
	vec_fini(spans);
	*spans = left;
}

/* ---- which thread of the host is asked ---- */

typedef VEC(int64_t) time_vec;

static void find_launches(const struct stream_idle *idle, uint32_t host, time_vec *times)
{
	struct visit_walk w;

	for (bool ok = visit_walk_begin(&w, idle->trace, idle->base, host, INT64_MIN, INT64_MAX);
	     ok; ok = visit_walk_next_change(&w))
		if (visit_walk_kind(&w) == EV_ENTER && idle->launches[w.next])
			vec_push(times, w.time);
}

/* The thread whose last launch before the end of a span is the latest. */
static void ask_host(const struct stream_idle *idle, uint32_t host, span_vec *spans,
		     int64_t *latest)
{
	time_vec times = VEC_INIT;
	size_t k = 0;

	find_launches(idle, host, &times);
	for (size_t i = 0; i < spans->n; i++) {
		struct idle_span *span = &spans->data[i];
		for (; k < times.n && times.data[k] < span->to; k++)
			;
		if (span->host == UINT32_MAX || (k > 0 && times.data[k - 1] > latest[i])) {
			span->host = host;
			latest[i] = k > 0 ? times.data[k - 1] : INT64_MIN;
		}
	}
	vec_fini(&times);
}

static void take_hosts(const struct stream_idle *idle, const uint32_t *members, uint32_t n,
		       span_vec *spans, piece_vec *pieces)
{
	OWNED int64_t *latest = xmalloc((spans->n + 1) * sizeof *latest);

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < n; i++) {
			if (!location_runs_code(trace_location(idle->trace, members[i])))
				continue;
			if (pass == 0)
				ask_host(idle, members[i], spans, latest);
			else
				take_location(idle, members[i], spans, pieces);
		}
}

/* ---- all ---- */

ORDERING(by_time, struct idle_piece, from)

static void make_stream(void *context, unsigned worker, size_t stream)
{
	struct stream_idle *idle = context;
	piece_vec *pieces = &idle->of[stream];
	const uint32_t *members;
	span_vec spans;
	uint32_t n;

	(void)worker;
	if (!is_stream(idle, (uint32_t)stream))
		return;
	members = lists_of(&idle->members, idle->program[stream], &n);
	spans = idle_spans(idle, (uint32_t)stream);
	for (uint32_t i = 0; i < n; i++)
		if (members[i] != stream &&
		    trace_location(idle->trace, members[i])->type == LOCATION_ACCELERATOR)
			take_location(idle, members[i], &spans, pieces);
	take_hosts(idle, members, n, &spans, pieces);
	if (pieces->n)
		vec_sort(pieces, by_time);
	vec_fini(&spans);
}

static bool is_launch(const struct trace *trace, uint32_t path)
{
	const struct region *region = trace_region(trace, trace_callpath_region(trace, path));

	return (region->paradigm == PARADIGM_CUDA || region->paradigm == PARADIGM_HIP) &&
	       strstr(trace_string(trace, region->name), "aunch");
}

struct stream_idle *stream_idle_new(const struct trace *trace, enum time_base base,
				    const struct points *points, unsigned jobs)
{
	const uint32_t paths = trace_callpath_count(trace);
	struct stream_idle *idle = xcalloc(1, sizeof *idle);

	idle->trace = trace;
	idle->base = base;
	idle->points = points;
	idle->of = xcalloc((size_t)points->locations + 1, sizeof *idle->of);
	if (!has_stream(idle))
		return idle;
	idle->launches = xcalloc((size_t)paths + 1, sizeof *idle->launches);
	for (uint32_t p = 1; p < paths; p++)
		idle->launches[p] = is_launch(trace, p);
	idle->program = xmalloc(((size_t)points->locations + 1) * sizeof *idle->program);
	trace_programs(trace, idle->program);
	lists_make(&idle->members, points->locations, idle->program, points->locations);
	jobs_run(jobs, points->locations, make_stream, idle);
	return idle;
}

void stream_idle_free(struct stream_idle *idle)
{
	if (!idle)
		return;
	for (uint32_t l = 0; l < idle->points->locations; l++)
		vec_fini(&idle->of[l]);
	lists_fini(&idle->members);
	free_all(idle->of, idle->launches, idle->program, idle);
}

bool stream_idle_has(const struct stream_idle *idle, uint32_t location)
{
	return idle->of[location].n > 0;
}

struct idle_walk stream_idle_walk(const struct stream_idle *idle, uint32_t location, int64_t t0)
{
	const piece_vec *of = &idle->of[location];
	size_t low = 0, high = of->n;

	if (!of->n)
		return (struct idle_walk){ NULL, NULL };
	BISECT(low, high, middle, of->data[middle].to <= t0);
	return (struct idle_walk){ of->data + low, of->data + of->n };
}

void stream_idle_add(const struct stream_idle *idle, uint32_t location, int64_t from, int64_t to,
		     int sign, struct path_sheet *sheet)
{
	struct idle_walk w = stream_idle_walk(idle, location, from);
	int64_t rest = to - from;

	for (; w.at < w.end && w.at->from < to; w.at++) {
		const int64_t ticks = idle_to(w.at, to) - idle_from(w.at, from);
		path_sheet_add(sheet, w.at->path, sign * ticks);
		rest -= ticks;
	}
	if (rest > 0)
		path_sheet_add(sheet, 0, sign * rest);
}
