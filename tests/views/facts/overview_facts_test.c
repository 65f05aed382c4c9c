#include "views/facts/overview_facts.h"

#include <string.h>

#include "harness/test.h"
#include "model/build/builder.h"
#include "model/meaning/recorded.h"
#include "views/facts/timeline_shade.h"

static uint32_t region_site(struct builder *b, const char *name, uint8_t paradigm, int32_t picl)
{
	const struct region region = { .name = builder_string(b, name, strlen(name)),
				       .picl = picl,
				       .cls = CLASS_COUNT,
				       .paradigm = paradigm };

	return builder_site(b, builder_region_define(b, &region), 0, 0, picl);
}

static uint32_t location(struct builder *b, uint8_t type, int32_t thread)
{
	const uint32_t id = builder_location(b, &(struct location){ .rank = RANK_UNKNOWN,
								    .process = -1,
								    .thread = thread });

	builder_location_owner(b, id, UINT32_MAX, type, 0);
	return id;
}

/* A host waits 88 of 100 ticks for its device; a stream runs a kernel; two locations carry
 * metrics. */
TEST(only_hosts_count)
{
	struct err err = ERR_INIT;
	struct builder *b = builder_new("device", &(struct timescale){ 1000000, 6 }, &err);
	const uint32_t main = region_site(b, "main", PARADIGM_COMPILER, 1);
	const uint32_t wait = region_site(b, "hipEventSynchronize", PARADIGM_HIP, 2);
	const uint32_t kernel = region_site(b, "heavy_kernel", PARADIGM_HIP, 3);
	const uint32_t host = location(b, LOCATION_CPU, 0);
	const uint32_t stream = location(b, LOCATION_ACCELERATOR, 1);
	struct overview_facts f;
	OWNED_TRACE *t;

	for (int32_t i = 0; i < 2; i++)
		builder_mark(b, location(b, LOCATION_METRICS, 2 + i), 50, main);
	builder_enter(b, host, 0, main);
	builder_enter(b, host, 10, wait);
	builder_leave(b, host, 98, wait);
	builder_leave(b, host, 100, main);
	builder_enter(b, stream, 20, kernel);
	builder_leave(b, stream, 90, kernel);
	t = builder_finish(b, NULL, NULL, &err);
	assert_non_null(t);
	overview_facts_make(&f, &(struct query){ .trace = t, .t0 = INT64_MIN, .t1 = INT64_MAX });
	assert_int_equal(f.locations, 1);
	assert_int_equal(f.whole, 100);
	assert_int_equal(f.by_class[CLASS_DEVICE], 88);
	assert_int_equal(f.by_class[CLASS_USER], 12);
	assert_int_equal(f.by_class[CLASS_OUTSIDE], 0);
	assert_int_equal(f.events, 8);
}

/* Timeline, legend, report and exports name a class alike. */
TEST(a_class_has_one_title_and_one_key)
{
	for (unsigned c = 0; c < CLASS_COUNT; c++) {
		assert_string_equal(timeline_state_title(c),
				    region_class_title((enum region_class)c));
		assert_string_equal(timeline_state_name(c),
				    region_class_name((enum region_class)c));
	}
}
