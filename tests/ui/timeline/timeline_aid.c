#include "ui/timeline/timeline_aid.h"

#include "harness/test.h"

void shown_begin(struct shown *m, int locations)
{
	static const struct {
		const char *name;
		enum region_class cls;
	} regions[] = { { "main", CLASS_USER },
			{ "work", CLASS_USER },
			{ "MPI_Send", CLASS_P2P },
			{ "MPI_Recv", CLASS_P2P },
			{ "MPI_Barrier", CLASS_SYNC } };
	struct err err = ERR_INIT;

	m->b = builder_new("test.trc", &units_nanoseconds, &err);
	assert_non_null(m->b);
	for (int i = 0; i < 5; i++) {
		m->region[i] = builder_region(m->b, regions[i].name, regions[i].cls, i + 1);
		m->site[i] = builder_site(m->b, m->region[i], 0, 0, i + 1);
	}
	for (int r = 0; r < locations; r++)
		m->loc[r] = builder_location(m->b, &(struct location){ .rank = r, .process = -1 });
}

void shown_visit(struct shown *m, int rank, int region, int64_t t0, int64_t t1)
{
	builder_enter(m->b, m->loc[rank], t0, m->site[region]);
	builder_leave(m->b, m->loc[rank], t1, m->site[region]);
}

void shown_enter(struct shown *m, int rank, int region, int64_t t)
{
	builder_enter(m->b, m->loc[rank], t, m->site[region]);
}

void shown_leave(struct shown *m, int rank, int region, int64_t t)
{
	builder_leave(m->b, m->loc[rank], t, m->site[region]);
}

struct trace *shown_end(struct shown *m)
{
	struct err err = ERR_INIT;
	struct trace *trace =
		builder_finish(m->b, &(struct builder_options){ .jobs = 1 }, NULL, &err);

	assert_non_null(trace);
	return trace;
}

struct query shown_whole(struct trace *trace)
{
	return (struct query){
		.trace = trace, .base = BASE_MEASURED, .t0 = INT64_MIN, .t1 = INT64_MAX
	};
}

struct drawn drawn_new(void)
{
	return (struct drawn){ .shades = timeline_shades_new() };
}

void drawn_fini(struct drawn *d)
{
	timeline_picture_fini(&d->p);
	timeline_shades_free(d->shades);
}

void drawn_make(struct drawn *d, const struct query *query, const struct timeline_options *options)
{
	struct err err = ERR_INIT;

	assert_true(timeline_picture_make(&d->p, query, d->shades, options, &err));
}
