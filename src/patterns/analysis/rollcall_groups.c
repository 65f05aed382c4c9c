/* rollcall_groups: locations that are in the same call at the same line, and the odd ones out. */
#include "base/mem.h"
#include "base/order.h"
#include "patterns/analysis/rollcall_parts.h"

/* Locations are alike if they are in the same call at the same line: the functions around it may be
 * known for some of them only. */
struct like {
	uint32_t state, site;
	int32_t rank;
	uint32_t location;
};

static int compare_likes(const void *pa, const void *pb)
{
	const struct like *a = pa, *b = pb;

	ORDER_BY(a->state, b->state);
	ORDER_BY(a->site, b->site);
	ORDER_BY(a->rank, b->rank);
	return ORDER(a->location, b->location);
}

static int compare_groups(const void *pa, const void *pb)
{
	const struct roll_group *a = pa, *b = pb;

	ORDER_BY(b->n, a->n);
	return ORDER(a->first, b->first);
}

static uint32_t site_of(const struct trace *trace, uint32_t path)
{
	return path ? trace_callpath(trace, path)->site : UINT32_MAX;
}

void rollcall_make_groups(struct rollcall *roll, const struct trace *trace)
{
	OWNED struct like *likes = xcalloc(roll->n, sizeof *likes);
	const struct roll_group *largest, *smallest;

	for (uint32_t l = 0; l < roll->n; l++)
		likes[l] = (struct like){ roll->rolls[l].state, site_of(trace, roll->rolls[l].path),
					  trace_location(trace, l)->rank, l };
	SORT(likes, roll->n, compare_likes);
	for (uint32_t i = 0; i < roll->n; i++) {
		roll->order[i] = likes[i].location;
		if (i == 0 || likes[i].state != likes[i - 1].state ||
		    likes[i].site != likes[i - 1].site)
			roll->groups[roll->n_groups++] =
				(struct roll_group){ (enum roll_state)likes[i].state,
						     roll->rolls[likes[i].location].path, i, 0 };
		roll->groups[roll->n_groups - 1].n++;
	}
	SORT(roll->groups, roll->n_groups, compare_groups);
	for (uint32_t g = 0; g < roll->n_groups; g++)
		for (uint32_t i = 0; i < roll->groups[g].n; i++)
			roll->rolls[roll->order[roll->groups[g].first + i]].group = g;
	largest = &roll->groups[0];
	smallest = &roll->groups[roll->n_groups - 1];
	roll->odd = roll->n_groups > 1 && ((uint64_t)smallest->n * 10 < largest->n ||
					   (smallest->n == 1 && largest->n >= 3))
			    ? roll->n_groups - 1
			    : UINT32_MAX;
}
