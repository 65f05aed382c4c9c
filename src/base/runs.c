/* runs: sorts rows that consist of sorted stretches: messages and collectives have one for each
 * location, more if clocks disagree. A heap of their heads merges the stretches; each thread merges
 * one part of the time. */
#include "base/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"

enum { SAMPLES = 1024 };

struct head {
	int64_t time;
	uint32_t row, end; /* of the run */
};

struct runs {
	const int64_t *time;
	VEC(uint32_t) start; /* first row of each run, and n after the last */
	unsigned parts;
	int64_t cut[JOBS_MOST + 1];    /* times; of part i: cut[i] .. cut[i + 1], the first and last
				       open */
	uint32_t first[JOBS_MOST + 1]; /* index of the part's first row in the result */
	uint32_t *rows;
};

static bool find_runs(struct runs *r, uint32_t n)
{
	int64_t before = INT64_MIN;

	vec_push(&r->start, 0u);
	for (uint32_t row = 0; row < n; row++) {
		const int64_t time = r->time[row];
		if (time < before)
			vec_push(&r->start, row);
		before = time;
	}
	vec_push(&r->start, n);
	return r->start.n - 1 <= n / 16 + 1;
}

ORDERING_OF_NUMBERS(by_value, int64_t)

static void cut_time(struct runs *r, uint32_t n, unsigned jobs)
{
	int64_t sample[SAMPLES];

	r->parts = n < SAMPLES ? 1 : jobs;
	if (r->parts == 1)
		return;
	for (uint32_t i = 0; i < SAMPLES; i++)
		sample[i] = r->time[(uint64_t)n * i / SAMPLES];
	SORT(sample, SAMPLES, by_value);
	for (unsigned i = 1; i < r->parts; i++)
		r->cut[i] = sample[SAMPLES * i / r->parts];
}

/* The first row of a run at or after the begin of a part. */
static uint32_t run_from(const struct runs *r, size_t run, unsigned part)
{
	uint32_t low = r->start.data[run], high = r->start.data[run + 1];

	if (part == 0)
		return low;
	if (part == r->parts)
		return high;
	BISECT(low, high, mid, r->time[mid] < r->cut[part]);
	return low;
}

static bool before(const struct head *a, const struct head *b)
{
	return a->time != b->time ? a->time < b->time : a->row < b->row;
}

static void sift(struct head *heap, size_t n, size_t at)
{
	const struct head head = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= n)
			break;
		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &head))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = head;
}

static void merge_part(void *context, unsigned worker, size_t part)
{
	struct runs *r = context;
	const size_t runs = r->start.n - 1;
	OWNED struct head *heap = xmalloc(runs * sizeof *heap);
	uint32_t out = r->first[part];
	size_t n = 0;

	(void)worker;
	for (size_t run = 0; run < runs; run++) {
		const uint32_t row = run_from(r, run, (unsigned)part);
		const uint32_t end = run_from(r, run, (unsigned)part + 1);
		if (row < end)
			heap[n++] = (struct head){ r->time[row], row, end };
	}
	for (size_t at = n / 2; at-- > 0;)
		sift(heap, n, at);
	while (n > 0) {
		r->rows[out++] = heap[0].row;
		if (++heap[0].row == heap[0].end)
			heap[0] = heap[--n];
		else
			heap[0].time = r->time[heap[0].row];
		sift(heap, n, 0);
	}
}

bool runs_sort(uint32_t *rows, const int64_t *time, uint32_t n, unsigned jobs)
{
	struct runs r = { .time = time };
	const bool few = find_runs(&r, n);

	r.rows = rows;
	if (few) {
		cut_time(&r, n, jobs);
		for (unsigned part = 1; part <= r.parts; part++)
			for (size_t run = 0; run + 1 < r.start.n; run++)
				r.first[part] += run_from(&r, run, part) - r.start.data[run];
		jobs_run(r.parts, r.parts, merge_part, &r);
	}
	vec_fini(&r.start);
	return few;
}

/* ---- merging in place ---- */

struct merge {
	size_t size;
	int (*compare)(const void *, const void *);
	VEC(size_t) start; /* first element of each run, and n after the last */
};

/* Merges the runs a .. middle and middle .. end of `from` to the same place in `to`. */
static void merge_two(const struct merge *m, const char *from, char *to, size_t a, size_t middle,
		      size_t end)
{
	const size_t size = m->size;
	size_t b = middle, out = a;

	while (a < middle && b < end) {
		size_t *next = m->compare(from + a * size, from + b * size) <= 0 ? &a : &b;
		memcpy(to + out++ * size, from + (*next)++ * size, size);
	}
	memcpy(to + out * size, from + a * size, (middle - a) * size);
	memcpy(to + (out + middle - a) * size, from + b * size, (end - b) * size);
}

/* Merges each two neighbours, the last one of an odd number with nothing. */
static void merge_pairs(struct merge *m, const char *from, char *to)
{
	const size_t runs = m->start.n - 1;
	size_t *start = m->start.data, n = 0;

	for (size_t run = 0; run < runs; run += 2) {
		const size_t middle = start[run + 1];
		const size_t end = run + 2 <= runs ? start[run + 2] : middle;
		const size_t first = start[run];
		merge_two(m, from, to, first, middle, end);
		start[n++] = first;
	}
	start[n] = start[runs];
	m->start.n = n + 1;
}

void runs_merge(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct merge m = { .size = size, .compare = compare };
	char *from = array, *own, *to;

	vec_push(&m.start, (size_t)0);
	for (size_t i = 1; i < n; i++)
		if (compare(from + (i - 1) * size, from + i * size) > 0)
			vec_push(&m.start, i);
	vec_push(&m.start, n);
	own = to = m.start.n > 2 ? xmalloc(n * size) : NULL;
	while (m.start.n > 2) {
		merge_pairs(&m, from, to);
		to = from;
		from = from == own ? array : own;
	}
	if (from == own && own)
		memcpy(array, own, n * size);
	free(own);
	vec_fini(&m.start);
}
