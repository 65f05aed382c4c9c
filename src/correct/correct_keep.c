#include "correct/correct_keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/base_write.h"
#include "model/trace/keep.h"
#include "model/trace/store.h"

static const char name_of_all[] = "corrections";
static const char name_of_offsets[] = "own-offsets";

struct kept_corrections {
	uint64_t key;
	uint32_t want;
	bool made[BASE_COUNT];
	struct corrections corrections; /* arrays NULL */
};

/* ---- key ---- */

static void add(uint64_t *key, const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		*key = (*key ^ p[i]) * 0x100000001b3u; /* FNV-1a */
}

uint64_t correct_key(const struct correct_options *options, const struct offset *offsets, size_t n)
{
	const double numbers[] = { options->gamma, options->lmin.inter, options->lmin.intra,
				   options->overhead.event, options->overhead.copy_cost };
	const int64_t choices[] = { options->presync, options->passes, options->overhead.model,
				    options->offsets != NULL };
	uint64_t key = 0xcbf29ce484222325u;

	add(&key, numbers, sizeof numbers);
	add(&key, choices, sizeof choices);
	for (size_t i = 0; i < n; i++) {
		const int64_t offset[] = { offsets[i].location, offsets[i].time,
					   offsets[i].offset };
		add(&key, offset, sizeof offset);
	}
	return key;
}

/* ---- arrays ---- */

/* An array of a report: location of its pointer, and its length. */
struct array {
	const char *name;
	uint32_t number;
	void **data;
	size_t n, bytes;
};

enum { ARRAYS = BASE_COUNT + 14 };

static void list_arrays(struct corrections *c, struct array *out)
{
#define ARRAY(name, number, data, n)                                      \
	{                                                                 \
		name, number, (void **)(void *)&(data), n, sizeof *(data) \
	}
	struct room_bounds *bounds = &c->room.bounds;
	const size_t spans = (size_t)bounds->clocks * ROOM_WINDOWS;
	const struct array arrays[] = {
		ARRAY("fit-clocks", 0, c->fit.clocks, c->fit.n_clocks),
		ARRAY("fit-steps", 0, c->fit.steps, c->fit.n_steps),
		ARRAY("room-clocks", 0, c->room.of, c->room.locations),
		ARRAY("room-rows", 0, c->room.rows, c->room.n_rows),
		ARRAY("room-sets", 0, bounds->windows.sets, bounds->windows.n),
		ARRAY("room-all", 0, bounds->all, spans),
		ARRAY("room-inside", 0, bounds->inside, spans),
		ARRAY("room-loose", 0, bounds->loose, spans),
		ARRAY("room-edges", 0, bounds->edges.data, bounds->edges.n),
		ARRAY("room-values", 0, bounds->edges.value, bounds->edges.nodes),
		ARRAY("room-parts", 0, bounds->of, bounds->clocks),
		ARRAY("clc-locations", 0, c->clc.locations, c->clc.n_locations),
		ARRAY("overhead-locations", 0, c->overhead.locations, c->overhead.n_locations),
		ARRAY("overhead-regions", 0, c->overhead.regions, c->overhead.n_regions),
	};

	for (uint32_t i = 0; i < BASE_COUNT; i++)
		*out++ = (struct array)ARRAY("check-pairs", i, c->check[i].pairs,
					     c->check[i].n_pairs);
	memcpy(out, arrays, sizeof arrays);
}

void corrections_free(struct corrections *corrections)
{
	struct array arrays[ARRAYS];

	if (!corrections)
		return;
	list_arrays(corrections, arrays);
	for (int i = 0; i < ARRAYS && corrections->borrowed; i++)
		*arrays[i].data = NULL;
	for (int i = 0; i < BASE_COUNT; i++)
		check_fini(&corrections->check[i]);
	fit_report_fini(&corrections->fit);
	clock_room_fini(&corrections->room);
	clc_report_fini(&corrections->clc);
	overhead_report_fini(&corrections->overhead);
	free(corrections);
}

void correct_keep(struct trace *trace, const struct corrections *corrections, uint64_t key,
		  enum time_base want)
{
	OWNED struct kept_corrections *kept = xcalloc(1, sizeof *kept);
	struct array arrays[ARRAYS];

	kept->key = key;
	kept->want = (uint32_t)want;
	for (int base = BASE_LINEAR; base < BASE_COUNT; base++)
		kept->made[base] = trace->columns[base].made;
	kept->corrections = *corrections;
	list_arrays(&kept->corrections, arrays);
	for (int i = 0; i < ARRAYS; i++) {
		if (*arrays[i].data && arrays[i].n)
			keep_put(trace, arrays[i].name, arrays[i].number, *arrays[i].data,
				 arrays[i].n * arrays[i].bytes);
		*arrays[i].data = NULL;
	}
	kept->corrections.lmin.trace = NULL;
	kept->corrections.borrowed = false;
	keep_put(trace, name_of_all, 0, kept, sizeof *kept);
}

/* A copy, or what is mapped, which takes no time. */
static bool get_array(const struct trace *trace, struct array *array, bool borrow)
{
	const size_t bytes = array->n * array->bytes;

	*array->data = NULL;
	if (!array->n)
		return true;
	*array->data =
		borrow ? (void *)(uintptr_t)keep_mapped(trace, array->name, array->number, bytes)
		       : xmalloc(bytes);
	return borrow ? *array->data != NULL
		      : keep_get(trace, array->name, array->number, *array->data, bytes);
}

static bool bases_are_there(const struct trace *trace, const struct kept_corrections *kept)
{
	for (int base = BASE_LINEAR; base < BASE_COUNT; base++)
		if (kept->made[base] != trace->columns[base].made)
			return false;
	return true;
}

struct corrections *correct_kept(struct trace *trace, uint64_t key, enum time_base want)
{
	OWNED struct kept_corrections *kept = xcalloc(1, sizeof *kept);
	struct corrections *out = NULL;
	struct array arrays[ARRAYS];
	bool ok = keep_get(trace, name_of_all, 0, kept, sizeof *kept) && kept->key == key &&
		  kept->want >= (uint32_t)want && bases_are_there(trace, kept);

	if (ok) {
		out = xmalloc(sizeof *out);
		*out = kept->corrections;
		out->lmin.trace = trace;
		out->borrowed = keep_mapped(trace, name_of_all, 0, sizeof *kept) != NULL;
		list_arrays(out, arrays);
		for (int i = 0; i < ARRAYS && ok; i++)
			ok = get_array(trace, &arrays[i], out->borrowed);
	}
	if (ok)
		return out;
	corrections_free(out);
	return NULL;
}

uint64_t correct_kept_key(const struct trace *trace)
{
	OWNED struct kept_corrections *kept = xcalloc(1, sizeof *kept);

	return keep_get(trace, name_of_all, 0, kept, sizeof *kept)
		       ? kept->key ^ (uint64_t)kept->want << 56
		       : 0;
}

/* ---- offsets ---- */

void correct_keep_offsets(struct trace *trace)
{
	const uint64_t n = trace->offsets.n;
	uint64_t before;

	if (keep_get(trace, name_of_offsets, 0, &before, sizeof before) && before != UINT64_MAX)
		return; /* the current offsets are from another file */
	keep_put(trace, name_of_offsets, 0, &n, sizeof n);
	if (n)
		keep_put(trace, name_of_offsets, 1, trace->offsets.data,
			 n * sizeof *trace->offsets.data);
}

void correct_own_offsets(struct trace *trace)
{
	const uint64_t none = UINT64_MAX;
	struct offset *own;
	uint64_t n;

	if (!keep_get(trace, name_of_offsets, 0, &n, sizeof n) || n == none)
		return;
	own = xmalloc((n + 1) * sizeof *own);
	if (n == 0 || keep_get(trace, name_of_offsets, 1, own, n * sizeof *own))
		trace_replace_offsets(trace, own, n);
	keep_put(trace, name_of_offsets, 0, &none, sizeof none);
	free(own);
}
