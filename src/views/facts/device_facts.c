#include "views/facts/device_facts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/trace/detail.h"
#include "views/facts/utilisation.h"
#include "views/query/view_common.h"

/* A device's stream, and the first location of its rank. */
struct stream {
	uint32_t program, location;
};

struct streams {
	struct stream *data;
	size_t n, cap;
};

ORDERING(by_program, struct stream, program, location)

static void collect(struct device_facts *f, struct streams *streams, const struct query *query)
{
	const uint32_t n = query_location_count(query);
	OWNED uint32_t *program = NULL;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t location = query_location(query, i);
		const struct location *of = trace_location(query->trace, location);
		if (of->type != LOCATION_ACCELERATOR)
			continue;
		f->lost += of->end_lost;
		if (!program) {
			program = xcalloc(trace_location_count(query->trace), sizeof *program);
			trace_programs(query->trace, program);
		}
		vec_push(streams, ((struct stream){ program[location], location }));
	}
	vec_sort(streams, by_program);
}

static void add_top(struct device_facts *f, const struct query *query)
{
	struct profile profile;

	if (!profile_make(&profile, query->trace, query->base, PROFILE_REGION, query->locations,
			  query->n_locations, query->t0, query->t1, query->progress, NULL))
		return;
	profile_share(&profile, trace_exchange(query->trace));
	for (uint32_t r = 0; r < profile.n; r++) {
		if (profile.rows[r].exclusive <= (int64_t)f->top_time)
			continue;
		f->top = r;
		f->top_time = (uint64_t)profile.rows[r].exclusive;
	}
	profile_fini(&profile);
}

/* One rank's: u has its streams. */
static void add_program(struct device_facts *f, const struct utilisation *u, uint32_t program,
			int64_t t0, int64_t t1)
{
	struct concurrency c;
	uint64_t idle;

	if (concurrency_make(&c, u, t0, t1)) {
		idle = c.time[0] - c.only_other;
		f->programs++;
		f->busy += (uint64_t)(t1 - t0) - c.time[0];
		f->communicating += c.only_other;
		if (f->idlest == UINT32_MAX || idle > f->idlest_time) {
			f->idlest = program;
			f->idlest_time = idle;
		}
	}
	concurrency_fini(&c);
}

static void add_programs(struct device_facts *f, const struct streams *streams,
			 struct utilisation *u)
{
	uint32_t *const locations = u->locations;
	int64_t t0, t1;

	query_span(u->query, &t0, &t1);
	for (size_t i = 0, end; i < streams->n; i = end) {
		const uint32_t program = streams->data[i].program;

		for (end = i; end < streams->n && streams->data[end].program == program; end++)
			locations[end - i] = streams->data[end].location;
		u->n = (uint32_t)(end - i);
		add_program(f, u, program, t0, t1);
	}
	f->time = f->programs * (uint64_t)(t1 - t0);
	f->stream_time = streams->n * (uint64_t)(t1 - t0);
}

void device_facts_make(struct device_facts *f, const struct query *query)
{
	struct streams streams = VEC_INIT;
	OWNED uint32_t *locations = NULL;
	struct err err = ERR_INIT;
	struct utilisation u;
	struct query of = *query;

	*f = (struct device_facts){ .idlest = UINT32_MAX, .top = UINT32_MAX };
	collect(f, &streams, query);
	if (streams.n) {
		locations = xcalloc(streams.n, sizeof *locations);
		for (size_t i = 0; i < streams.n; i++)
			locations[i] = streams.data[i].location;
		of.locations = locations;
		of.n_locations = (uint32_t)streams.n;
		of.filter = NULL;
		add_top(f, &of);
		if (utilisation_begin(&u, &of, NULL, &err))
			add_programs(f, &streams, &u);
		utilisation_end(&u);
	}
	vec_fini(&streams);
}
