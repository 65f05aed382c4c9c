#include "model/sums/pyramid.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "model/sums/shade.h"

struct pyramid {
	struct tally tally; /* of the group that is being summed, over the bins */
	uint32_t groups, done;
	uint32_t *first;   /* [groups + 1] */
	uint32_t *members; /* [first[groups]] */
	uint32_t next;     /* member to be added */
	size_t bins, slots;
	uint64_t *upto; /* [groups][bins + 1][slots]: from t0 to the bin's begin */
};

enum { LEAST_BINS = 16, LOCATIONS_A_LOOK = 16 };

/* As many bins as the memory has room for, and no more than there are ticks. */
static size_t choose_bins(uint64_t span, uint32_t groups, size_t slots, size_t bytes)
{
	size_t bins = bytes / ((size_t)(groups ? groups : 1) * slots * sizeof(uint64_t));

	if (bins > PYRAMID_BINS)
		bins = PYRAMID_BINS;
	if (bins < LEAST_BINS)
		bins = LEAST_BINS;
	return bins < span ? bins : (size_t)span;
}

struct pyramid *pyramid_new(const struct shading *shading, int64_t t0, int64_t t1, uint32_t groups,
			    const uint32_t *first, const uint32_t *members, size_t bytes)
{
	struct pyramid *p = xcalloc(1, sizeof *p);
	const uint64_t span = (uint64_t)t1 - (uint64_t)t0;
	int64_t *edges;

	p->groups = groups;
	p->slots = shading_slots(shading);
	p->bins = choose_bins(span, groups, p->slots, bytes);
	p->first = xcalloc((size_t)groups + 1, sizeof *p->first);
	memcpy(p->first, first, ((size_t)groups + 1) * sizeof *first);
	p->members = xcalloc((size_t)first[groups] + 1, sizeof *p->members);
	memcpy(p->members, members, first[groups] * sizeof *members);
	p->upto = xcalloc((size_t)groups * (p->bins + 1) * p->slots + 1, sizeof *p->upto);
	edges = xcalloc(p->bins + 1, sizeof *edges);
	for (size_t i = 0; i <= p->bins; i++)
		edges[i] = t0 + (int64_t)((unsigned __int128)span * i / p->bins);
	tally_init(&p->tally, shading, edges, p->bins);
	free(edges);
	return p;
}

void pyramid_free(struct pyramid *p)
{
	if (!p)
		return;
	tally_fini(&p->tally);
	free_all(p->first, p->members, p->upto, p);
}

bool pyramid_has(const struct pyramid *p, uint32_t group)
{
	return group < p->done;
}

static uint64_t *row_of(const struct pyramid *p, uint32_t group, size_t bin)
{
	return p->upto + ((size_t)group * (p->bins + 1) + bin) * p->slots;
}

static void finish_group(struct pyramid *p)
{
	const uint64_t *sums = tally_sums(&p->tally);

	for (size_t i = 0; i < p->bins; i++)
		for (size_t s = 0; s < p->slots; s++)
			row_of(p, p->done, i + 1)[s] =
				row_of(p, p->done, i)[s] + sums[i * SHADING_SLOTS + s];
	tally_clear(&p->tally);
	p->done++;
}

bool pyramid_work(struct pyramid *p, int64_t nanoseconds)
{
	const int64_t deadline = clock_cpu_ns() + nanoseconds;

	while (p->done < p->groups) {
		for (int i = 0; i < LOCATIONS_A_LOOK && p->next < p->first[p->done + 1]; i++)
			tally_add(&p->tally, p->members[p->next++]);
		if (p->next == p->first[p->done + 1])
			finish_group(p);
		if (clock_cpu_ns() >= deadline)
			break;
	}
	return p->done < p->groups;
}

/* ---- asking ---- */

/* Sums from the run's begin up to t, inside the run. */
static void upto(const struct pyramid *p, uint32_t group, int64_t t, uint64_t *sums)
{
	const int64_t *edges = p->tally.edges;
	size_t bin;
	double share;

	if (t >= edges[p->bins]) {
		memcpy(sums, row_of(p, group, p->bins), p->slots * sizeof *sums);
		return;
	}
	bin = (size_t)(((double)t - (double)edges[0]) * p->tally.cells_a_tick);
	if (bin >= p->bins)
		bin = p->bins - 1;
	while (edges[bin] > t)
		bin--;
	while (edges[bin + 1] <= t)
		bin++;
	share = ((double)t - (double)edges[bin]) / ((double)edges[bin + 1] - (double)edges[bin]);
	for (size_t s = 0; s < p->slots; s++) {
		const uint64_t low = row_of(p, group, bin)[s], high = row_of(p, group, bin + 1)[s];

		sums[s] = low + (uint64_t)((double)(high - low) * share);
	}
}

void pyramid_sums(const struct pyramid *p, uint32_t group, const int64_t *edges, size_t cells,
		  uint64_t *sums)
{
	const int64_t t0 = p->tally.edges[0], t1 = p->tally.edges[p->bins];
	const uint64_t members = p->first[group + 1] - p->first[group];
	uint64_t before[SHADING_SLOTS] = { 0 }, behind[SHADING_SLOTS] = { 0 };

	upto(p, group, edges[0] > t0 ? edges[0] : t0, before);
	for (size_t i = 0; i < cells; i++) {
		const int64_t a = edges[i] < t0 ? t0 : edges[i] > t1 ? t1 : edges[i];
		const int64_t b = edges[i + 1] < t0 ? t0 : edges[i + 1] > t1 ? t1 : edges[i + 1];
		const uint64_t outside =
			(uint64_t)edges[i + 1] - (uint64_t)edges[i] - ((uint64_t)b - (uint64_t)a);
		uint64_t *cell = sums + i * SHADING_SLOTS;

		memset(cell, 0, SHADING_SLOTS * sizeof *cell);
		upto(p, group, b, behind);
		for (size_t s = 0; s < p->slots; s++)
			cell[s] = behind[s] - before[s];
		cell[p->tally.shading->outside] += outside * members;
		memcpy(before, behind, sizeof before);
	}
}
