#include "model/formats/preview.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/build/build.h"

enum { DEEPEST = 64 /* levels whose class is kept; deeper ones look like the last */ };

/* One location: how far it was walked, and what is open there. */
struct seat {
	char name[PREVIEW_NAME];
	uint32_t blocks; /* walked whole */
	uint32_t slot;   /* and this many events of the next one */
	uint32_t depth;
	int64_t time; /* of the last event walked */
	bool begun, off;
	uint8_t stack[DEEPEST + 1]; /* [1..] classes of the open regions; [0] CLASS_USER */
};

/* Which builder was looked at for which question. */
struct served {
	const struct builder *builder;
	uint64_t question;
};

struct preview {
	pthread_mutex_t lock;
	uint64_t question; /* number of the last one */
	VEC(struct served) served;
	VEC(struct seat) seats;
	uint64_t (*grid)[PREVIEW_BINS][CLASS_COUNT]; /* [rows] */
	unsigned shift;                              /* a bin is 2^shift ticks */
	int64_t first;                               /* bin 0 begins at first << shift */
	uint32_t per_row;
	struct preview_state state;
};

struct preview *preview_new(void)
{
	struct preview *p = xcalloc(1, sizeof *p);

	pthread_mutex_init(&p->lock, NULL);
	p->grid = xcalloc(PREVIEW_ROWS, sizeof *p->grid);
	p->per_row = 1;
	return p;
}

void preview_free(struct preview *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	vec_fini(&p->served);
	vec_fini(&p->seats);
	free_all(p->grid, p);
}

/* ---- the grid grows ---- */

/* Bins of 2^shift ticks, the first of them beginning at or before `state.begin`; the
 * data so far fits into them. */
static void widen(struct preview *p, unsigned shift)
{
	uint64_t(*wide)[CLASS_COUNT] = xmalloc(PREVIEW_BINS * sizeof *wide);
	const int64_t first = p->state.begin >> shift;

	for (uint32_t row = 0; row < p->state.rows; row++) {
		memset(wide, 0, PREVIEW_BINS * sizeof *wide);
		for (int64_t bin = 0; bin < PREVIEW_BINS; bin++) {
			const int64_t to = ((p->first + bin) >> (shift - p->shift)) - first;
			/* What is outside is empty. */
			for (int c = 0; to >= 0 && to < PREVIEW_BINS && c < CLASS_COUNT; c++)
				wide[to][c] += p->grid[row][bin][c];
		}
		memcpy(p->grid[row], wide, PREVIEW_BINS * sizeof *wide);
	}
	free(wide);
	p->shift = shift;
	p->first = first;
}

/* Makes the bins reach over a further time. */
static void reach(struct preview *p, int64_t time)
{
	struct preview_state *s = &p->state;
	unsigned shift = p->shift;

	if (!s->any) {
		s->any = true;
		s->begin = time;
		s->end = time + 1;
		p->first = time >> p->shift;
		return;
	}
	if (time < s->begin)
		s->begin = time;
	if (time >= s->end)
		s->end = time + 1;
	while ((s->end >> shift) - (s->begin >> shift) >= PREVIEW_BINS)
		shift++;
	if (shift > p->shift || (s->begin >> shift) < p->first)
		widen(p, shift);
}

/* Rows of twice as many locations. */
static void merge_rows(struct preview *p)
{
	const uint32_t rows = p->state.rows;
	uint64_t *cells = &p->grid[0][0][0];
	const size_t n = PREVIEW_BINS * CLASS_COUNT;

	for (uint32_t row = 0; row < rows; row++) {
		uint64_t *from = cells + row * n, *to = cells + row / 2 * n;
		if (row % 2 == 0 && from != to)
			memcpy(to, from, n * sizeof *to);
		for (size_t i = 0; row % 2 && i < n; i++)
			to[i] += from[i];
	}
	p->state.rows = (rows + 1) / 2;
	memset(cells + p->state.rows * n, 0, (rows - p->state.rows) * n * sizeof *cells);
	p->per_row *= 2;
}

static void add_seats(struct preview *p, const struct trace *trace)
{
	for (size_t l = p->seats.n; l < trace->locations.n; l++) {
		const struct location *location = &trace->locations.data[l];
		OWNED_STR name = STR_INIT;
		struct seat *seat;
		str_add(&name, strings_get(&trace->strings, location->name));
		if (!name.n)
			location_default_name(location, (uint32_t)l, &name);
		vec_add(&p->seats);
		seat = vec_last(&p->seats);
		str_clean(seat->name, sizeof seat->name, name.text, name.n);
		if (l / p->per_row >= PREVIEW_ROWS)
			merge_rows(p);
		p->state.rows = (uint32_t)(l / p->per_row) + 1;
	}
	p->state.locations = (uint32_t)p->seats.n;
	p->state.per_row = p->per_row;
}

/* ---- walking ---- */

static int64_t bin_begin(const struct preview *p, int64_t bin)
{
	return (p->first + bin) * ((int64_t)1 << p->shift);
}

static void add_span(struct preview *p, uint64_t (*bins)[CLASS_COUNT], int64_t t0, int64_t t1,
		     unsigned cls)
{
	const int64_t from = (t0 >> p->shift) - p->first, to = (t1 >> p->shift) - p->first;

	if (from == to) {
		bins[from][cls] += (uint64_t)(t1 - t0);
		return;
	}
	bins[from][cls] += (uint64_t)(bin_begin(p, from + 1) - t0);
	for (int64_t bin = from + 1; bin < to; bin++)
		bins[bin][cls] += (uint64_t)1 << p->shift;
	bins[to][cls] += (uint64_t)(t1 - bin_begin(p, to));
}

static void change(struct seat *seat, const struct trace *trace, uint32_t what)
{
	switch (what_kind(what)) {
	case EV_ENTER:
		if (++seat->depth <= DEEPEST)
			seat->stack[seat->depth] =
				trace->regions.data[trace->sites.data[what_id(what)].region].cls;
		break;
	case EV_LEAVE: seat->depth -= seat->depth > 0; break;
	case EV_TRACING_ON: seat->off = false; break;
	case EV_TRACING_OFF: seat->off = true; break;
	default: break;
	}
}

static unsigned class_of(const struct seat *seat)
{
	if (seat->off)
		return CLASS_OUTSIDE;
	return seat->stack[seat->depth < DEEPEST ? seat->depth : DEEPEST];
}

static void walk_block(struct preview *p, struct seat *seat, uint64_t (*bins)[CLASS_COUNT],
		       const struct trace *trace, uint32_t id)
{
	const struct block *block = store_block(trace, id);
	const struct times *times = store_times(trace, BASE_MEASURED, id);
	const int64_t *wide = store_wide(trace, BASE_MEASURED, times);
	const uint32_t n = block->n;

	p->state.events += n - seat->slot;
	for (; seat->slot < n; seat->slot++) {
		const int64_t time =
			wide ? wide[seat->slot] : times->base + times->delta[seat->slot];
		if (!seat->begun || time > seat->time) {
			if (!p->state.any || time < p->state.begin || time >= p->state.end)
				reach(p, time);
			if (seat->begun)
				add_span(p, bins, seat->time, time, class_of(seat));
			seat->time = time;
			seat->begun = true;
		}
		change(seat, trace, block->what[seat->slot]);
	}
	if (n == BLOCK_EVENTS) {
		seat->blocks++;
		seat->slot = 0;
	}
}

static void walk(struct preview *p, const struct builder *b)
{
	/* Of a child: the parent's definitions, which no one adds to, and the locations it
	 * feeds. */
	const struct trace *trace = b->home;

	p->state.scale = trace->scale;
	add_seats(p, trace);
	for (size_t l = 0; l < p->seats.n && l < b->tails.n; l++) {
		const struct block_ids *list = &trace->lists.data[l];
		struct seat *seat = &p->seats.data[l];
		while (b->tails.data[l].block && seat->blocks < list->n) {
			const uint32_t nth = seat->blocks;
			walk_block(p, seat, p->grid[l / p->per_row], trace, list->data[nth]);
			if (seat->blocks == nth)
				break;
		}
	}
	p->state.pictures++;
}

void preview_look(struct preview *p, const struct builder *b)
{
	size_t i = 0;

	if (pthread_mutex_trylock(&p->lock) != 0)
		return;
	while (i < p->served.n && p->served.data[i].builder != b)
		i++;
	if (i == p->served.n)
		vec_push(&p->served, ((struct served){ b, 0 }));
	if (p->served.data[i].question != p->question) {
		p->served.data[i].question = p->question;
		walk(p, b);
	}
	pthread_mutex_unlock(&p->lock);
}

void preview_reset(struct preview *p)
{
	pthread_mutex_lock(&p->lock);
	memset(p->grid, 0, PREVIEW_ROWS * sizeof *p->grid);
	p->seats.n = p->served.n = 0;
	p->state = (struct preview_state){ .pictures = p->state.pictures + 1 };
	p->per_row = 1;
	p->shift = 0;
	pthread_mutex_unlock(&p->lock);
}

/* ---- the watcher ---- */

void preview_ask(struct preview *p)
{
	pthread_mutex_lock(&p->lock);
	p->question++;
	pthread_mutex_unlock(&p->lock);
}

void preview_state(struct preview *p, struct preview_state *state)
{
	pthread_mutex_lock(&p->lock);
	*state = p->state;
	for (size_t l = 0; l < p->seats.n; l++)
		if (p->seats.data[l].begun)
			state->covered += (double)(p->seats.data[l].time - state->begin);
	pthread_mutex_unlock(&p->lock);
}

/* Adds the bin's share of [t0, t1). */
static void add_share(const struct preview *p, uint32_t row, int64_t bin, int64_t t0, int64_t t1,
		      double sums[CLASS_COUNT])
{
	const int64_t width = (int64_t)1 << p->shift;
	const int64_t begin = bin_begin(p, bin), end = begin + width;
	const int64_t from = t0 > begin ? t0 : begin, to = t1 < end ? t1 : end;
	const double share = to > from ? (double)(to - from) / (double)width : 0;

	for (int c = 0; c < CLASS_COUNT; c++)
		sums[c] += share * (double)p->grid[row][bin][c];
}

void preview_sweep(struct preview *p, uint32_t row, int64_t t0, int64_t t1, int n,
		   double (*sums)[CLASS_COUNT])
{
	memset(sums, 0, (size_t)n * sizeof *sums);
	pthread_mutex_lock(&p->lock);
	for (int i = 0; row < p->state.rows && i < n; i++) {
		const int64_t from = t0 + (int64_t)((__int128)(t1 - t0) * i / n);
		const int64_t to = t0 + (int64_t)((__int128)(t1 - t0) * (i + 1) / n);
		int64_t bin = (from >> p->shift) - p->first;
		for (bin = bin < 0 ? 0 : bin; bin < PREVIEW_BINS && bin_begin(p, bin) < to; bin++)
			add_share(p, row, bin, from, to, sums[i]);
	}
	pthread_mutex_unlock(&p->lock);
}

/* The locations of a row: [*from, *to). */
static void members(const struct preview *p, uint32_t row, size_t *from, size_t *to)
{
	*from = (size_t)row * p->per_row;
	*to = *from + p->per_row < p->seats.n ? *from + p->per_row : p->seats.n;
}

int64_t preview_reached(struct preview *p, uint32_t row)
{
	int64_t reached = INT64_MIN;
	size_t l, end;

	pthread_mutex_lock(&p->lock);
	for (members(p, row, &l, &end); l < end; l++)
		if (p->seats.data[l].begun && p->seats.data[l].time > reached)
			reached = p->seats.data[l].time;
	pthread_mutex_unlock(&p->lock);
	return reached;
}

void preview_name(struct preview *p, uint32_t row, char *text, size_t size)
{
	size_t from, to;

	pthread_mutex_lock(&p->lock);
	members(p, row, &from, &to);
	if (to - from > 1)
		snprintf(text, size, "%s to %s", p->seats.data[from].name,
			 p->seats.data[to - 1].name);
	else
		snprintf(text, size, "%s", from < to ? p->seats.data[from].name : "");
	pthread_mutex_unlock(&p->lock);
}
