#include "correct/overhead/overhead_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "model/trace/region_meaning.h"
#include "model/trace/store.h"

/* Events that are looked at for the end of a call. */
enum { CALL_EVENTS = 64 };

static uint8_t role_of(const struct trace *trace, uint32_t region)
{
	switch (trace_region(trace, region)->cls) {
	case CLASS_USER:
		return strcmp(trace_region_name(trace, region), UNRECORDED_REGION) == 0
			       ? PATH_UNRECORDED
			       : PATH_FUNCTION;
	case CLASS_OVERHEAD: return PATH_MEASURING;
	default: return PATH_CALL;
	}
}

/* Sites that differ in nothing but the event type of their records are one. */
static uint32_t *first_sites(const struct trace *trace)
{
	const uint32_t n = trace_site_count(trace);
	uint32_t *first = xmalloc((n + 1) * sizeof *first);
	ENDED_BY(keymap_fini) struct keymap map = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		const struct site *site = trace_site(trace, i);
		keymap_new(&map, KEY_OF(site->region, site->file, site->line), i, &first[i]);
	}
	return first;
}

struct overhead_paths paths_make(const struct trace *trace)
{
	const uint32_t n = trace_callpath_count(trace), regions = trace_region_count(trace);
	struct overhead_paths paths = { xcalloc(n + 1, sizeof *paths.list),
					trace_property_value(trace, "gaps") != NULL, NULL };
	uint32_t *first = first_sites(trace);
	uint8_t *roles = xmalloc(regions + 1);
	bool *constructs = xmalloc((regions + 1) * sizeof *constructs);

	for (uint32_t i = 0; i < regions; i++) {
		const enum region_family family = region_meaning(trace, i).family;
		roles[i] = role_of(trace, i);
		constructs[i] = trace_region(trace, i)->paradigm == PARADIGM_OPENMP ||
				(family >= FAMILY_OMP && family <= FAMILY_OMP_FLUSH);
	}
	for (uint32_t i = 1; i < n; i++) {
		const struct callpath *path = trace_callpath(trace, i);
		const uint32_t region = trace_callpath_region(trace, i);
		paths.list[i] = (struct overhead_path){
			path->parent,      path->depth,   region,
			first[path->site], roles[region], constructs[region],
		};
		paths.sampled |= roles[region] == PATH_UNRECORDED;
	}
	paths.list[0].region = UINT32_MAX;
	free_all(roles, constructs, first);
	return paths;
}

void paths_fini(struct overhead_paths *paths)
{
	free_all(paths->list, paths->far);
	paths->list = NULL;
	paths->far = NULL;
}

const struct far_call *path_far_call(const struct overhead_paths *paths, const struct trace *trace,
				     uint32_t ghost)
{
	return &paths->far[halo_number(trace->halo, ghost)];
}

int64_t call_exit(const struct trace *trace, const struct overhead_paths *paths,
		  enum time_base base, uint32_t event)
{
	struct cursor c;

	if (trace_is_ghost(trace, event))
		return path_far_call(paths, trace, event)->exit;
	cursor_at(&c, trace, base, event);
	for (int i = 0; i < CALL_EVENTS; i++) {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) == EV_LEAVE && paths->list[what_id(what)].role == PATH_CALL)
			return cursor_time(&c);
		if (!cursor_next(&c))
			break;
	}
	return trace_event_time(trace, base, event);
}

int64_t call_begin(const struct trace *trace, const struct overhead_paths *paths,
		   enum time_base base, uint32_t event)
{
	struct cursor c;

	if (trace_is_ghost(trace, event))
		return path_far_call(paths, trace, event)->begin;
	cursor_at(&c, trace, base, event);
	for (int i = 0; i < CALL_EVENTS && cursor_prev(&c); i++) {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) == EV_ENTER && paths->list[what_id(what)].role == PATH_CALL)
			return cursor_time(&c);
	}
	return trace_event_time(trace, base, event);
}
