#include "views/facts/timeline_shade.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "views/query/analyses.h"

struct kept {
	struct timeline_level level;
	struct shading *own;     /* NULL: the trace's */
	struct wait_sums *waits; /* NULL: the trace's */
	uint32_t *shown;
	uint8_t *slot_of;
	enum time_base base;
	unsigned nth; /* nesting level */
	char *filter; /* its text; "": none */
	bool by_function;
	uint64_t used;
	bool full;
};

struct timeline_shades {
	struct kept kept[TIMELINE_LEVELS];
	uint64_t clock;
	struct counters *counters;       /* NULL: not requested yet */
	struct moves *moves[BASE_COUNT]; /* by base; NULL: not requested yet */
};

struct timeline_shades *timeline_shades_new(void)
{
	return xcalloc(1, sizeof(struct timeline_shades));
}

static void kept_drop(struct kept *kept)
{
	shading_free(kept->own);
	wait_sums_free(kept->waits);
	free_all(kept->shown, kept->slot_of, kept->filter);
	*kept = (struct kept){ 0 };
}

void timeline_shades_free(struct timeline_shades *shades)
{
	if (!shades)
		return;
	for (size_t i = 0; i < TIMELINE_LEVELS; i++)
		kept_drop(&shades->kept[i]);
	for (size_t b = 0; b < BASE_COUNT; b++)
		moves_free(shades->moves[b]);
	counters_free(shades->counters);
	free(shades);
}

struct counters *timeline_shades_counters(struct timeline_shades *shades, const struct trace *trace)
{
	if (!shades->counters)
		shades->counters = counters_new(trace);
	return shades->counters;
}

const struct moves *timeline_shades_moves(struct timeline_shades *shades, const struct query *query)
{
	struct moves **moves = &shades->moves[query->base];

	if (*moves && moves_reference(*moves) == query->against)
		return *moves;
	moves_free(*moves);
	*moves = moves_new(query->trace, query->base, query->against, query->progress);
	return *moves;
}

static bool is_by_function(const struct query *query)
{
	return query->colouring && query->colouring->by_function;
}

const char *timeline_state_title(unsigned state)
{
	static const char *const waits[WAIT_KINDS] = {
		[WAIT_SENDER] = "wait: late sender",
		[WAIT_RECEIVER] = "wait: late receiver",
		[WAIT_MEMBERS] = "wait: collective",
		[WAIT_OTHER] = "wait: other",
	};

	if (state >= STATE_FUNCTION)
		return "all others";
	if (state >= STATE_WAIT)
		return waits[state - STATE_WAIT];
	return state == STATE_FILTERED ? "filtered out"
				       : region_class_title((enum region_class)state);
}

void timeline_state_text(const struct query *query, unsigned state, struct str *out)
{
	if (state >= STATE_FUNCTION && state < STATE_OTHERS)
		str_add_clean_text(
			out, trace_region_name(query->trace,
					       query->colouring->function[state - STATE_FUNCTION]));
	else
		str_add(out, timeline_state_title(state));
}

unsigned timeline_state_of(const struct query *query, uint32_t region)
{
	if (!is_by_function(query))
		return trace_region(query->trace, region)->cls;
	for (unsigned i = 0; i < query->colouring->n; i++)
		if (query->colouring->function[i] == region)
			return STATE_FUNCTION + i;
	return STATE_OTHERS;
}

unsigned timeline_depth_max(const struct trace *trace)
{
	unsigned depth = 0;

	for (uint32_t p = 0; p < trace_callpath_count(trace); p++)
		if (trace_callpath(trace, p)->depth > depth)
			depth = trace_callpath(trace, p)->depth;
	return depth;
}

/* Climbs, as parents may come after their children; this is done once. */
static uint32_t ancestor(const struct trace *trace, uint32_t path, unsigned depth)
{
	const struct callpath *p = trace_callpath(trace, path);

	if (p->depth < depth)
		return NO_PATH;
	for (; p->depth > depth; p = trace_callpath(trace, path))
		path = p->parent;
	return path;
}

/* ---- slots ---- */

struct weight {
	uint32_t region;
	int64_t time;
};

static int by_weight(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	ORDER_BY(y->time, x->time);
	return ORDER(x->region, y->region);
}

/* The regions that get slots of their own: all if they fit, otherwise those with the most time. */
static size_t choose_regions(const struct query *query, const uint8_t *seen, size_t room,
			     uint32_t *chosen)
{
	const uint32_t n = trace_region_count(query->trace);
	OWNED_VEC(struct weight) weights = VEC_INIT;
	struct profile profile;
	struct err err = ERR_INIT;
	size_t count;

	for (uint32_t r = 0; r < n; r++)
		if (seen[r])
			vec_push(&weights, ((struct weight){ r, 0 }));
	if (weights.n > room && profile_make(&profile, query->trace, query->base, PROFILE_REGION,
					     NULL, 0, INT64_MIN, INT64_MAX, NULL, &err)) {
		profile_share(&profile, trace_exchange(query->trace));
		for (size_t i = 0; i < weights.n && weights.data[i].region < profile.n; i++)
			weights.data[i].time = profile.rows[weights.data[i].region].inclusive;
		profile_fini(&profile);
	}
	vec_sort(&weights, by_weight);
	count = weights.n < room ? weights.n : room;
	for (size_t i = 0; i < count; i++)
		chosen[i] = weights.data[i].region;
	return count;
}

static unsigned add_slot(struct timeline_level *level, unsigned state, uint32_t region)
{
	level->state[level->slots] = (uint8_t)state;
	level->region[level->slots] = region;
	return level->slots++;
}

/* Slots of states; that of a region is its state's unless it has one of its own. */
static void add_state_slots(struct timeline_level *level, const struct query *query,
			    uint8_t of[STATE_COUNT])
{
	for (unsigned s = 0; s < SHADED_STATES; s++)
		if (!is_by_function(query) || s == CLASS_OUTSIDE || s == STATE_FILTERED)
			of[s] = (uint8_t)add_slot(level, s, NO_REGION);
	if (!is_by_function(query))
		return;
	of[STATE_OTHERS] = (uint8_t)add_slot(level, STATE_OTHERS, NO_REGION);
	for (unsigned i = 0; i < query->colouring->n; i++)
		of[STATE_FUNCTION + i] =
			(uint8_t)add_slot(level, STATE_FUNCTION + i, query->colouring->function[i]);
}

/* Fills level's slots and kept->slot_of. */
static void assign_slots(struct kept *kept, const struct query *query)
{
	const struct trace *trace = query->trace;
	const uint32_t paths = trace_callpath_count(trace);
	struct timeline_level *level = &kept->level;
	uint32_t chosen[SHADING_SLOTS];
	uint8_t of_state[STATE_COUNT] = { 0 };
	uint8_t *seen = xcalloc((size_t)trace_region_count(trace) + 1, 1);
	uint8_t *slot = xcalloc((size_t)trace_region_count(trace) + 1, 1);
	const unsigned root_state = is_by_function(query) ? STATE_OTHERS : CLASS_USER;
	size_t n;

	add_state_slots(level, query, of_state);
	for (uint32_t p = 0; p < paths; p++) {
		const uint32_t shown = kept->shown ? kept->shown[p] : p;

		if (shown != NO_PATH && trace_callpath(trace, shown)->depth)
			seen[trace_callpath_region(trace, shown)] = 1;
	}
	for (uint32_t r = 0; r < trace_region_count(trace); r++) {
		const unsigned state = timeline_state_of(query, r);

		slot[r] = of_state[state];
		if (state >= STATE_FUNCTION && state != STATE_OTHERS)
			seen[r] = 0;
	}
	n = choose_regions(query, seen, SHADING_SLOTS - level->slots, chosen);
	for (size_t i = 0; i < n; i++)
		slot[chosen[i]] =
			(uint8_t)add_slot(level, timeline_state_of(query, chosen[i]), chosen[i]);
	for (uint32_t p = 0; p < paths; p++) {
		const uint32_t shown = kept->shown ? kept->shown[p] : p;
		const bool root = shown == NO_PATH || trace_callpath(trace, shown)->depth == 0;

		if (shown == NO_PATH)
			kept->slot_of[p] = of_state[CLASS_OUTSIDE];
		else if (!filter_callpath_anywhere(query->filter, shown))
			kept->slot_of[p] = of_state[STATE_FILTERED];
		else
			kept->slot_of[p] = root ? of_state[root_state]
						: slot[trace_callpath_region(trace, shown)];
	}
	level->slot_of = kept->slot_of;
	level->outside = of_state[CLASS_OUTSIDE];
	free_all(seen, slot);
}

/* ---- kept levels ---- */

/* Up to this size the pass over the trace is too short to notice, and yields names. */
enum { CHEAP_EVENTS = 2000000 };

static bool kept_fill(struct kept *kept, const struct query *query, struct err *err)
{
	const struct trace *trace = query->trace;
	const uint32_t paths = trace_callpath_count(trace);

	if (kept->nth == 0 && !query->filter && !kept->by_function &&
	    trace_event_count(trace) > CHEAP_EVENTS) {
		kept->level.shading = trace_class_shading(trace, query->base);
		for (unsigned c = 0; kept->level.shading && c < CLASS_COUNT; c++)
			add_slot(&kept->level, c, NO_REGION);
		if (kept->level.shading)
			return true;
	}
	if (kept->nth) {
		kept->shown = xcalloc(paths, sizeof *kept->shown);
		for (uint32_t p = 0; p < paths; p++)
			kept->shown[p] = ancestor(trace, p, kept->nth);
		kept->level.shown = kept->shown;
	}
	kept->slot_of = xcalloc(paths, 1);
	assign_slots(kept, query);
	kept->own = shading_new(trace, query->base, kept->slot_of, kept->level.slots,
				kept->level.outside, query->progress, err);
	kept->level.shading = kept->own;
	return kept->own != NULL;
}

/* ---- waiting ---- */

static struct wait_sums *waits_of_level(const struct kept *kept, const struct query *query,
					const struct analysis *analysis)
{
	const struct timeline_level *level = &kept->level;
	const uint32_t paths = trace_callpath_count(query->trace);
	OWNED bool *drawn = xcalloc(paths, sizeof *drawn);

	for (uint32_t p = 0; p < paths; p++)
		drawn[p] = (!level->shown || level->shown[p] == p) &&
			   (!level->slot_of || level->state[level->slot_of[p]] != STATE_FILTERED);
	return wait_sums_new(analysis, drawn, query->progress);
}

/* Uses what the analysis has found so far. */
static void find_waits(struct kept *kept, const struct query *query)
{
	const struct analysis *analysis;

	kept->level.waits = NULL;
	if (!query->analyses)
		return;
	if (kept->nth == 0 && !query->filter) {
		kept->level.waits = analyses_wait_sums(query->analyses, query->base);
		return;
	}
	analysis = analyses_peek(query->analyses, query->base);
	if (analysis && !kept->waits)
		kept->waits = waits_of_level(kept, query, analysis);
	if (analysis)
		kept->level.waits = kept->waits;
}

const struct timeline_level *timeline_shades_get(struct timeline_shades *shades,
						 const struct query *query, unsigned level,
						 struct err *err)
{
	const char *filter = query->filter ? filter_text(query->filter) : "";
	struct kept *oldest = &shades->kept[0];

	for (size_t i = 0; i < TIMELINE_LEVELS; i++) {
		struct kept *k = &shades->kept[i];

		if (k->full && k->base == query->base && k->nth == level &&
		    k->by_function == is_by_function(query) && strcmp(k->filter, filter) == 0) {
			k->used = ++shades->clock;
			find_waits(k, query);
			return &k->level;
		}
		if (k->used < oldest->used)
			oldest = k;
	}
	kept_drop(oldest);
	oldest->base = query->base;
	oldest->nth = level;
	oldest->by_function = is_by_function(query);
	oldest->filter = xstrdup(filter);
	if (!kept_fill(oldest, query, err)) {
		kept_drop(oldest);
		return NULL;
	}
	find_waits(oldest, query);
	oldest->full = true;
	oldest->used = ++shades->clock;
	return &oldest->level;
}
