/* Finds gaps once a trace is built (model/trace/gap.h): if the trace has any records of gaps, in
 * one pass over the kinds of its events and a walk through each gap. */
#include "base/order.h"
#include "model/build/build.h"
#include "model/trace/record_type.h"

static bool has_gaps(const struct trace *trace)
{
	for (size_t i = 0; i < trace->records.n; i++)
		if (trace->records.data[i].rectype == REC_GAP)
			return true;
	return false;
}

static bool is_function(const struct trace *trace, uint32_t path)
{
	return trace_region(trace, trace_callpath_region(trace, path))->cls == CLASS_USER;
}

/* ---- the part of a gap in each call path ---- */

struct gap_parts {
	VEC(struct gap_part) list;
};

/* Descending: children before their parents. */
static int by_path(const void *a, const void *b)
{
	return ORDER(((const struct gap_part *)b)->path, ((const struct gap_part *)a)->path);
}

/* Adds a row for each call path that was open; returns the smallest depth among them. */
static uint32_t walk_gap(const struct trace *trace, const struct gap *gap, struct gap_parts *parts)
{
	uint32_t path, depth;
	struct cursor c;
	int64_t t;

	cursor_at(&c, trace, BASE_MEASURED, gap->begin);
	path = cursor_path(&c);
	t = cursor_time(&c);
	depth = trace_callpath(trace, path)->depth;
	while (c.id != gap->end && cursor_next(&c)) {
		const struct gap_part part = { path, cursor_time(&c) - t, 0 };
		vec_push(&parts->list, part);
		t = cursor_time(&c);
		if (what_kind(cursor_what(&c)) > EV_LEAVE)
			continue;
		path = cursor_path(&c);
		if (trace_callpath(trace, path)->depth < depth)
			depth = trace_callpath(trace, path)->depth;
	}
	vec_sort(&parts->list, by_path);
	return depth;
}

static size_t sum_up(struct gap_parts *parts)
{
	struct gap_part *list = parts->list.data;
	size_t n = 0;

	for (size_t i = 0; i < parts->list.n; i++) {
		if (n > 0 && list[n - 1].path == list[i].path)
			list[n - 1].own += list[i].own;
		else
			list[n++] = list[i];
	}
	parts->list.n = n;
	return n;
}

/* The row of the nearest call path around `path` that has a row and is deeper than `depth`. */
static struct gap_part *outer_row(const struct trace *trace, struct gap_parts *parts, uint32_t path,
				  uint32_t depth)
{
	for (;;) {
		struct gap_part key = { .path = trace_callpath(trace, path)->parent }, *found;
		path = key.path;
		if (trace_callpath(trace, path)->depth <= depth)
			return NULL;
		found = bsearch(&key, parts->list.data, parts->list.n, sizeof key, by_path);
		if (found)
			return found;
	}
}

static void add_parts(struct trace *trace, const struct gap *gap, struct gap_parts *parts)
{
	uint32_t depth;

	parts->list.n = 0;
	depth = walk_gap(trace, gap, parts);
	for (size_t i = 0, n = sum_up(parts); i < n; i++) {
		struct gap_part *part = &parts->list.data[i], *outer;
		if (trace_callpath(trace, part->path)->depth > depth) {
			part->inclusive += part->own;
			outer = outer_row(trace, parts, part->path, depth);
			if (outer)
				outer->inclusive += part->inclusive;
		}
		vec_push(&trace->gap_parts, *part);
	}
}

/* ---- gaps ---- */

static void find_in(struct trace *trace, uint32_t location, struct gap_parts *parts)
{
	uint32_t begin = EVENT_NONE;
	struct cursor c;

	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		struct gap gap = { .location = location, .begin = begin, .end = c.id };
		struct gap_counts counts;
		if (what_kind(what) == EV_LEAVE && !is_function(trace, what_id(what)))
			begin = c.id;
		if (begin == EVENT_NONE || !gap_of_event(trace, what, &counts))
			continue;
		gap.records = counts.records;
		gap.read = counts.read;
		gap.first_part = (uint32_t)trace->gap_parts.n;
		vec_push(&trace->gaps, gap);
		add_parts(trace, &gap, parts);
		begin = EVENT_NONE;
	}
}

void build_gaps(struct trace *trace)
{
	struct gap_parts parts = { VEC_INIT };

	if (!has_gaps(trace))
		return;
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		find_in(trace, l, &parts);
	vec_fini(&parts.list);
}
