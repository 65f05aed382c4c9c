/* What a filter leaves out of the timeline, in runs of many ranks. */
#include <string.h>

#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "model/filter/filter.h"
#include "views/facts/timeline_shade.h"

FREES(timeline_shades_free, struct timeline_shades)

/* 130 ranks, each with a region of its own; what is chosen by rank and region is drawn. */
TEST(a_region_of_one_rank_is_drawn_whichever_rank_it_is)
{
	enum { RANKS = 130 };
	struct notation text;
	OWNED_TRACE *trace = NULL;
	struct err err = ERR_INIT;

	notation_begin(&text, 1000000000);
	for (int r = 0; r < RANKS; r++)
		notation_write(&text, "rank %d: work%d@0-10", r, r);
	trace = notation_finish(&text);
	notation_fini(&text);
	for (int r = 0; r < RANKS; r++) {
		FREED_BY(timeline_shades_free)
		struct timeline_shades *shades = timeline_shades_new();
		FREED_BY(filter_free) struct filter *filter = NULL;
		struct query query = sample_query(trace);
		const struct timeline_level *level;
		char condition[64];

		snprintf(condition, sizeof condition, "rank == %d && region == work%d", r, r);
		filter = filter_compile(condition, trace, &err);
		assert_non_null(filter);
		query.filter = filter;
		level = timeline_shades_get(shades, &query, 0, &err);
		assert_non_null(level);
		for (uint32_t path = 1; path < trace_callpath_count(trace); path++) {
			char name[16];
			const bool own =
				snprintf(name, sizeof name, "work%d", r) > 0 &&
				strcmp(trace_region_name(trace, trace_callpath_region(trace, path)),
				       name) == 0;
			assert_int_equal(level->state[level->slot_of[path]] != STATE_FILTERED, own);
		}
	}
}
