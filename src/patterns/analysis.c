/* The walk over the locations, and the cube of a window. */
#include "patterns/analysis.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/message.h"

struct waits {
	struct wait *data;
	size_t n, cap;
};

struct analysis {
	const struct trace *trace;
	enum time_base base;
	struct waits *waits; /* [locations] */
	struct analysis_counts counts;
};

/* The Late Senders of one location: receives whose send began later than their call. */
static void walk(struct analysis *a, uint32_t location)
{
	struct waits *waits = &a->waits[location];
	struct cursor c;
	int64_t enter = INT64_MAX;

	for (bool ok = cursor_first(&c, a->trace, a->base, location); ok; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c), id = what_id(what);
		if (what_kind(what) == EV_ENTER)
			enter = cursor_time(&c);
		if (what_kind(what) != EV_RECV || id >= trace_message_count(a->trace))
			continue;
		const struct message *m = trace_message(a->trace, id);
		if (m->flags & (MSG_NO_SEND | MSG_NO_RECV))
			continue;
		const int64_t send = trace_event_time(a->trace, a->base, m->send);
		const int64_t until = send < cursor_time(&c) ? send : cursor_time(&c);
		if (until > enter)
			vec_push(waits,
				 ((struct wait){
					 .event = c.id,
					 .partner = m->send,
					 .path = trace_callpath(a->trace, cursor_path(&c))->canon,
					 .metric = CUBE_MPI_LATESENDER,
					 .begin = enter,
					 .length = until - enter }));
	}
}

struct analysis *analysis_new(const struct trace *trace, enum time_base base,
			      const struct analysis_options *options,
			      const struct progress *progress, struct err *err)
{
	const uint32_t n = trace_location_count(trace);
	struct analysis *a = xcalloc(1, sizeof *a);

	(void)options;
	(void)err;
	a->trace = trace;
	a->base = base;
	a->waits = xcalloc(n + 1, sizeof *a->waits);
	for (uint32_t l = 0; l < n; l++) {
		walk(a, l);
		if (!progress_step(progress, "looking for wait states", l, n)) {
			analysis_free(a);
			return NULL;
		}
	}
	return a;
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	for (uint32_t l = 0; l < trace_location_count(a->trace); l++)
		vec_fini(&a->waits[l]);
	free(a->waits);
	free(a);
}

const struct trace *analysis_trace(const struct analysis *a)
{
	return a->trace;
}

enum time_base analysis_base(const struct analysis *a)
{
	return a->base;
}

const struct wait *analysis_waits(const struct analysis *a, uint32_t location, size_t *n)
{
	*n = a->waits[location].n;
	return a->waits[location].data;
}

struct cube *analysis_cube(const struct analysis *a, int64_t t0, int64_t t1, unsigned parts,
			   const struct progress *progress, struct err *err)
{
	struct cube *cube = cube_new(a->trace);

	(void)parts;
	(void)progress;
	(void)err;
	for (uint32_t l = 0; l < trace_location_count(a->trace); l++) {
		const struct waits *waits = &a->waits[l];
		for (size_t i = 0; i < waits->n; i++) {
			const struct wait *w = &waits->data[i];
			const int64_t from = w->begin > t0 ? w->begin : t0;
			const int64_t to = w->begin + w->length < t1 ? w->begin + w->length : t1;
			if (to > from)
				cube_add(cube, (enum cube_metric)w->metric, w->path, l,
					 (double)(to - from));
		}
	}
	cube_settle(cube);
	return cube;
}
