#include "views/query/grouping.h"

#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "model/trace/detail.h"

enum { DEFAULT_FIT = 32 };

/* ---- keys of groups ---- */

/* By node: its name, or that of the tree node of its process; UINT32_MAX: unknown. */
static struct key node_key(const struct trace *trace, const struct location *l)
{
	if (l->node)
		return KEY_OF(l->node, 0);
	if (l->owner < trace_process_count(trace)) {
		const uint32_t node = trace_process(trace, l->owner)->node;

		if (node < trace_tree_node_count(trace))
			return KEY_OF(trace_tree_node(trace, node)->name, 0);
	}
	return KEY_OF(UINT32_MAX, 0);
}

static struct key process_key(const struct trace *trace, const struct location *l,
			      uint32_t location)
{
	/* A device's streams are with the process that uses it. */
	if (location_program(trace, l) != UINT32_MAX)
		return KEY_OF(location_program(trace, l), 1);
	if (l->rank == RANK_UNKNOWN)
		return KEY_OF(location, 2);
	return KEY_OF((uint32_t)l->rank, (uint32_t)l->process + 8);
}

static struct key range_key(const struct location *l, uint32_t location, uint32_t range)
{
	if (l->rank == RANK_HOST)
		return KEY_OF(0, 1);
	if (l->rank < 0)
		return KEY_OF(location / range, 2);
	return KEY_OF((uint32_t)l->rank / range, 0);
}

static struct key key_of(const struct trace *trace, enum group_key key, uint32_t location,
			 uint32_t range)
{
	const struct location *l = trace_location(trace, location);

	switch (key) {
	case BY_NODE: return node_key(trace, l);
	case BY_PROCESS: return process_key(trace, l, location);
	default: return range_key(l, location, range);
	}
}

uint32_t grouping_count(const struct trace *trace, enum group_key key, const uint32_t *locations,
			uint32_t n, uint32_t limit)
{
	ENDED_BY(keymap_fini) struct keymap seen = { 0 };
	uint32_t count = 0;

	for (uint32_t i = 0; i < n && count < limit; i++) {
		uint32_t *of = keymap_add(&seen, key_of(trace, key, locations[i], 1));

		if (*of == UINT32_MAX)
			*of = count++;
	}
	return count;
}

uint32_t grouping_range(const struct trace *trace, const uint32_t *locations, uint32_t n,
			uint32_t fit)
{
	const uint32_t most = fit ? fit : DEFAULT_FIT;
	int32_t largest = 0;
	uint32_t range = 1;

	for (uint32_t i = 0; i < n; i++) {
		const int32_t rank = trace_location(trace, locations[i])->rank;

		if (rank != RANK_HOST && rank > largest)
			largest = rank;
	}
	while (range < 1u << 30 && (uint32_t)largest / range + 1 > most)
		range *= 2;
	return range;
}

/* ---- similarity ---- */

/* Differences as small as this come from rounding and decide nothing. */
#define ROUNDING 0.0005f

/* Share of time that two locations spend differently. */
static float difference(const float *a, const float *b, unsigned slots)
{
	float sum = 0;

	for (unsigned s = 0; s < slots; s++)
		sum += a[s] > b[s] ? a[s] - b[s] : b[s] - a[s];
	return sum / 2;
}

/* Fills of[] with groups; false if there are more than `limit`. */
static bool join_leaders(const struct portraits *p, uint32_t n, float threshold, uint32_t limit,
			 uint32_t *leaders, uint32_t *of)
{
	uint32_t groups = 0;

	for (uint32_t i = 0; i < n; i++) {
		const float *mine = p->shares + (size_t)i * p->slots;
		uint32_t nearest = UINT32_MAX;
		float least = threshold;

		for (uint32_t g = 0; g < groups; g++) {
			const float d = difference(mine, p->shares + (size_t)leaders[g] * p->slots,
						   p->slots);

			if (d <= least && (nearest == UINT32_MAX || d < least - ROUNDING)) {
				least = d;
				nearest = g;
			}
		}
		if (nearest == UINT32_MAX) {
			if (groups == limit)
				return false;
			leaders[groups] = i;
			nearest = groups++;
		}
		of[i] = nearest;
	}
	return true;
}

static void find_likeness(struct grouping *g, const struct portraits *p, uint32_t n, uint32_t fit,
			  uint32_t *of)
{
	static const unsigned steps[] = { 1, 2, 5, 10, 20, 50, 100 };
	OWNED uint32_t *leaders = xcalloc((size_t)fit + 1, sizeof *leaders);

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const float threshold = (float)steps[i] / 100 + ROUNDING;

		g->threshold = steps[i];
		if (join_leaders(p, n, threshold, fit, leaders, of))
			break;
	}
}

/* ---- all ---- */

/* Members of each group side by side, in their order. */
static void gather_members(struct grouping *g, const uint32_t *locations, const uint32_t *of,
			   uint32_t n)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		while (of[i] >= g->groups.n)
			vec_push(&g->groups, ((struct location_group){ 0, 0 }));
		g->groups.data[of[i]].n++;
	}
	for (size_t k = 0; k < g->groups.n; k++) {
		g->groups.data[k].first = at;
		at += g->groups.data[k].n;
		g->groups.data[k].n = 0;
	}
	g->members = xcalloc((size_t)n + 1, sizeof *g->members);
	for (uint32_t i = 0; i < n; i++) {
		struct location_group *group = &g->groups.data[of[i]];

		g->members[group->first + group->n++] = locations[i];
	}
}

void grouping_make(struct grouping *g, const struct trace *trace, enum group_key key,
		   const uint32_t *locations, uint32_t n, uint32_t range, uint32_t fit,
		   const struct portraits *portraits)
{
	OWNED uint32_t *of = xcalloc((size_t)n + 1, sizeof *of);
	uint32_t count = 0;
	struct keymap seen = { 0 };

	*g = (struct grouping){ .key = key, .groups = VEC_INIT };
	if (fit == 0)
		fit = DEFAULT_FIT;
	if (key == BY_LIKENESS) {
		find_likeness(g, portraits, n, fit, of);
	} else {
		g->range = range ? range : grouping_range(trace, locations, n, fit);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t *known =
				keymap_add(&seen, key_of(trace, key, locations[i], g->range));

			if (*known == UINT32_MAX)
				*known = count++;
			of[i] = *known;
		}
		keymap_fini(&seen);
	}
	gather_members(g, locations, of, n);
}

void grouping_fini(struct grouping *g)
{
	vec_fini(&g->groups);
	free(g->members);
	g->members = NULL;
}

/* ---- names ---- */

static void add_text(struct str *out, const char *text, const char *otherwise)
{
	if (*text)
		str_add_clean(out, text, strlen(text));
	else
		str_add(out, otherwise);
}

static int32_t last_rank(const struct grouping *g, const struct trace *trace, uint32_t group)
{
	const struct location_group *members = &g->groups.data[group];
	int32_t last = 0;

	for (uint32_t i = 0; i < members->n; i++) {
		const int32_t rank = trace_location(trace, g->members[members->first + i])->rank;

		last = rank > last ? rank : last;
	}
	return last;
}

void grouping_name(const struct grouping *g, const struct trace *trace, uint32_t group,
		   struct str *out)
{
	const struct location *l = trace_location(trace, g->members[g->groups.data[group].first]);
	const struct key node = node_key(trace, l);
	uint32_t first;

	switch (g->key) {
	case BY_NODE:
		add_text(out, node.part[0] == UINT32_MAX ? "" : trace_string(trace, node.part[0]),
			 "unknown node");
		break;
	case BY_PROCESS:
		if (l->rank == RANK_UNKNOWN && l->owner < trace_process_count(trace))
			add_text(out, trace_string(trace, trace_process(trace, l->owner)->name),
				 "process");
		else
			rank_name(l->rank, "no rank", out);
		break;
	case BY_RANGE:
		if (l->rank == RANK_HOST || l->rank < 0) {
			rank_name(l->rank, "no rank", out);
			break;
		}
		first = (uint32_t)l->rank / g->range * g->range;
		str_add_fmt(out, "%u-%d", first, last_rank(g, trace, group));
		break;
	default:
		str_add(out, "like ");
		if (l->rank >= 0 && l->rank != RANK_HOST)
			str_add_fmt(out, "%d", l->rank);
		else
			rank_name(l->rank, "no rank", out);
		break;
	}
}
