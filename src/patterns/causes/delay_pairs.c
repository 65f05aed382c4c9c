/* Delays: who waited for whom, at which of their points. */
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/jobs.h"
#include "base/mem.h"
#include "patterns/causes/delay.h"
#include "patterns/causes/points_far.h"

uint32_t *delay_rows(size_t n)
{
	uint32_t *rows = xmalloc((n + 1) * sizeof *rows);

	memset(rows, 0xff, (n + 1) * sizeof *rows);
	return rows;
}

/* Who waited on a location at which of its points, and for whom at which of the other's points. */
struct noted {
	uint32_t point, other, other_point;
};

struct noted_list {
	struct noted *data;
	size_t n, cap;
};

struct noting {
	struct delays *delays;
	struct noted_list *of;     /* [locations] */
	size_t *first;             /* [locations] delay */
	uint32_t *near[JOBS_MOST]; /* for points_match() */
};

static void find_location(void *context, unsigned worker, size_t location)
{
	struct noting *noting = context;
	struct delays *d = noting->delays;
	const struct location_points *of = &d->points->of[location];
	struct noted_list *list = &noting->of[location];
	struct noted noted;

	if (!noting->near[worker])
		noting->near[worker] =
			xcalloc((size_t)d->points->locations + 1, sizeof *noting->near[worker]);
	for (uint32_t i = 1; i < of->n; i++) {
		const struct point *point = &of->data[i];
		if (point->w <= 0 || point->cls >= DELAY_CLASSES)
			continue;
		noted.point = i;
		noted.other_point =
			points_match(d->points, point, &noted.other, noting->near[worker]);
		if (noted.other_point != POINT_NONE && noted.other != location)
			vec_push(list, noted);
	}
	d->at[location] = xcalloc(of->n + 3, sizeof *d->at[location]);
	d->from[location] = delay_rows(of->n);
}

static void write_location(void *context, unsigned worker, size_t location)
{
	struct noting *noting = context;
	struct delays *d = noting->delays;
	struct noted_list *list = &noting->of[location];

	(void)worker;
	for (size_t i = 0; i < list->n; i++) {
		const size_t row = noting->first[location] + i;
		d->points->of[location].data[list->data[i].point].delay = (uint32_t)row;
		d->data[row] = (struct delay){ .location = (uint32_t)location,
					       .point = list->data[i].point,
					       .other = list->data[i].other,
					       .other_point = list->data[i].other_point,
					       .next_from = POINT_NONE,
					       .slot = POINT_NONE };
	}
	vec_fini(list);
}

/* While the lists of waiters are built: the entry that counts those of the point that row waited
 * for, or one of the next entries. */
static uint32_t *place_of(const struct delays *d, size_t row, uint32_t behind)
{
	return &d->at[d->data[row].other][d->data[row].other_point + behind];
}

/* Whether the one that was waited for is here. */
static bool is_listed(const struct delays *d, size_t row)
{
	return d->data[row].other_point != POINT_NONE &&
	       !points_are_far(d->points, d->data[row].other);
}

/* Those that waited for each point: counted two entries later, begun one entry later, so that they
 * end up where they belong. */
static void list_waiters(struct delays *d)
{
	uint32_t sum = 0;

	d->waiters = xmalloc((d->n + 1) * sizeof *d->waiters);
	for (size_t i = 0; i < d->n; i++) {
		if (i + DELAYS_AHEAD < d->n && is_listed(d, i + DELAYS_AHEAD))
			__builtin_prefetch(place_of(d, i + DELAYS_AHEAD, 2), 1);
		if (is_listed(d, i))
			++*place_of(d, i, 2);
	}
	for (uint32_t l = 0; l < d->points->locations; l++) {
		const size_t n = d->points->of[l].n;
		d->at[l][0] = d->at[l][1] = sum;
		for (size_t i = 2; i < n + 2; i++)
			d->at[l][i] = sum += d->at[l][i];
	}
	d->n_waiters = sum;
	for (size_t i = 0; i < d->n; i++) {
		if (i + DELAYS_AHEAD < d->n && is_listed(d, i + DELAYS_AHEAD))
			__builtin_prefetch(place_of(d, i + DELAYS_AHEAD, 1), 1);
		if (is_listed(d, i))
			d->waiters[(*place_of(d, i, 1))++] =
				(struct waiter){ (uint32_t)i, POINT_NONE };
	}
}

/* Those of other processes' waiters. */
static void add_told(struct delays *d)
{
	const struct far_points *far = d->points->far;
	const size_t n = far ? far->told_first[far->exchange->processes] : 0;

	d->own = d->n;
	d->n += n;
	d->data = xrealloc(d->data, (d->n + 1) * sizeof *d->data);
	for (size_t i = 0; i < n; i++) {
		const struct told_point *told = &far->told[i];
		d->data[d->own + i] =
			(struct delay){ .location = told->location,
					.point = POINT_NONE,
					.other = told->other,
					.other_point = told->cls < DELAY_CLASSES ? told->other_point
										 : POINT_NONE,
					.next_from = POINT_NONE,
					.slot = POINT_NONE };
	}
}

void delays_pair(struct delays *d, unsigned jobs)
{
	const uint32_t n = d->points->locations;
	struct noting noting = { .delays = d };

	noting.of = xcalloc((size_t)n + 1, sizeof *noting.of);
	noting.first = xcalloc((size_t)n + 1, sizeof *noting.first);
	jobs_run(jobs, n, find_location, &noting);
	for (uint32_t l = 0; l < n; l++) {
		noting.first[l] = d->n;
		d->n += noting.of[l].n;
	}
	d->data = xmalloc((d->n + 1) * sizeof *d->data);
	jobs_run(jobs, n, write_location, &noting);
	add_told(d);
	list_waiters(d);
	for (int i = 0; i < JOBS_MOST; i++)
		free(noting.near[i]);
	free_all(noting.of, noting.first);
}
