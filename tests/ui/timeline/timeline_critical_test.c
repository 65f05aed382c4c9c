/* The critical path in the timeline: columns and passages against going over all stretches. */
#include "harness/random.h"
#include "harness/test.h"
#include "patterns/kinds/waiting_run.h"
#include "ui/timeline/picture/timeline_picture.h"
#include "views/query/analyses.h"

enum { RUNS = 25, STEPS = 80, WINDOWS = 12 };

/* Is a member of the row on the path in [t0, t1)? */
static bool is_on(const struct timeline_picture *p, uint32_t nth, const struct path_stretch *path,
		  size_t n, int64_t t0, int64_t t1)
{
	uint32_t count;
	const uint32_t *members = timeline_row_members(p->rows, timeline_shown(p, nth), &count);

	for (size_t i = 0; i < n; i++)
		for (uint32_t m = 0; m < count; m++)
			if (path[i].location == members[m] && path[i].from < path[i].to &&
			    path[i].from < t1 && path[i].to > t0)
				return true;
	return false;
}

static void check(const struct timeline_picture *p, const struct query *query)
{
	const struct causes *causes = analyses_causes(query->analyses, query->base);
	size_t n, passages = 0;
	const struct path_stretch *path = causes_critical_path(causes, &n);

	assert_non_null(p->critical);
	for (uint32_t i = 0; i < p->visible; i++)
		for (int x = 0; x < p->options.width; x++) {
			const int64_t t0 = time_scale_edge(&p->scale, x),
				      t1 = time_scale_edge(&p->scale, x + 1);
			/* A column that is narrower than a tick shows the tick that it is in. */
			if (t1 > t0)
				assert_int_equal(p->critical[(size_t)i * (size_t)p->options.width +
							     (size_t)x],
						 is_on(p, i, path, n, t0, t1));
		}
	for (size_t i = 0; i < p->passages.n; i++) {
		const struct timeline_passage *s = &p->passages.data[i];
		const size_t at = (size_t)s->column;
		assert_true(s->from != s->to && s->column >= 0 && s->column < p->options.width);
		/* It begins there where it goes. */
		assert_true(p->critical[(size_t)s->to * (size_t)p->options.width + at]);
		passages++;
	}
	assert_true(passages <= (size_t)p->options.width / 2 + 1);
}

TEST(columns_are_those_of_brute_force)
{
	uint64_t random = 5;

	for (unsigned r = 0; r < RUNS; r++) {
		OWNED_TRACE *trace = waiting_random(r + 1, 2 + r % 6, STEPS);
		struct analyses *analyses =
			analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
		const struct arrangement groups = { .key = BY_RANGE, .range = 2, .fit = 3 };
		struct query query = { .trace = trace,
				       .base = BASE_MEASURED,
				       .t0 = INT64_MIN,
				       .t1 = INT64_MAX,
				       .analyses = analyses,
				       .arrangement = r % 3 == 0 ? &groups : NULL,
				       .callpath = UINT32_MAX,
				       .critical_path = true };
		struct timeline_shades *shades = timeline_shades_new();
		struct timeline_picture p = { 0 };
		struct err err = ERR_INIT;
		int64_t begin, end;

		assert_non_null(analyses_get(analyses, BASE_MEASURED, NULL, &err));
		trace_span(trace, BASE_MEASURED, &begin, &end);
		for (int w = 0; w < WINDOWS; w++) {
			const uint64_t span = (uint64_t)(end - begin) + 40;
			const struct timeline_options options = {
				.width = 1 + (int)(next_random(&random) % 120),
				.height = 1 + (int)(next_random(&random) % 30),
			};
			assert_true(timeline_picture_make(&p, &query, shades, &options, &err));
			assert_int_equal(p.under, 1);
			check(&p, &query);
			query.t0 = begin - 20 + (int64_t)(next_random(&random) % span);
			query.t1 = query.t0 + 1 + (int64_t)(next_random(&random) % span);
		}
		timeline_picture_fini(&p);
		timeline_shades_free(shades);
		analyses_free(analyses);
	}
}
