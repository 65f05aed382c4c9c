/* Time bases: making and dropping their columns, and the linear base from the recorded offsets. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/jobs.h"
#include "base/order.h"
#include "model/trace/base_write.h"
#include "model/trace/halo.h"
#include "model/trace/keep.h"
#include "model/trace/store.h"

ORDERING(by_location_time, struct offset, location, time)

void store_order_offsets(struct trace *trace)
{
	struct offset *o = trace->offsets.data;
	const size_t n = trace->offsets.n;
	size_t kept = 0, at = 0;

	SORT(o, n, by_location_time);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || by_location_time(&o[kept - 1], &o[i]) != 0)
			o[kept++] = o[i];
	store_finding(trace, FINDING_ODDITY, "double-offset", 0, n - kept,
		      "two clock offsets of one location have the same time: one was kept");
	trace->offsets.n = kept;
	free(trace->offset_of);
	trace->offset_of = xcalloc(trace->locations.n + 1, sizeof *trace->offset_of);
	for (size_t l = 0; l <= trace->locations.n; l++) {
		while (at < kept && o[at].location < l)
			at++;
		trace->offset_of[l] = at;
	}
}

/* numerator / denominator to the nearest integer, halves to the even one, as rint() does. */
static __int128 divide_nearest(__int128 numerator, __int128 denominator)
{
	__int128 q = numerator / denominator, r = numerator % denominator;

	if (r < 0) {
		q--;
		r += denominator;
	}
	if (2 * r > denominator || (2 * r == denominator && (q & 1)))
		q++;
	return q;
}

/* The location whose offsets apply to this one: itself, or the first thread of its rank. */
static uint32_t offset_source(const struct trace *trace, uint32_t location)
{
	uint32_t first;

	if (trace->offset_of[location] < trace->offset_of[location + 1])
		return location;
	first = trace_location_of_rank(trace, trace->locations.data[location].rank);
	return first == UINT32_MAX ? location : first;
}

/* rise * step / run to the nearest integer; in 64 bits where they suffice, five times as fast. */
static int64_t share_of(int64_t rise, int64_t step, int64_t run)
{
	int64_t product, q, r;

	if (run <= 0 || run > INT64_MAX / 2 || __builtin_mul_overflow(rise, step, &product)) {
		const __int128 wide = divide_nearest((__int128)rise * step, run);
		return wide > INT64_MAX ? INT64_MAX : wide < INT64_MIN ? INT64_MIN : (int64_t)wide;
	}
	q = product / run;
	r = product % run;
	if (r < 0) {
		q--;
		r += run;
	}
	return q + (2 * r > run || (2 * r == run && (q & 1)));
}

/* Those of all offsets that apply to a location. */
static const struct offset *offsets_of(const struct trace *trace, const struct offset *all,
				       uint32_t location, size_t *n)
{
	const uint32_t from = offset_source(trace, location);

	*n = trace->offset_of[from + 1] - trace->offset_of[from];
	return *n ? all + trace->offset_of[from] : NULL;
}

/* `at` is the interval of the last call, whose time was not later. */
static int64_t apply(const struct offset *o, size_t n, size_t *at, int64_t time)
{
	__int128 result = time;

	if (n == 0)
		return time;
	if (n == 1) {
		result += o[0].offset;
	} else {
		while (*at + 2 < n && o[*at + 1].time < time)
			++*at;
		o += *at;
		result += o[0].offset;
		result += share_of(o[1].offset - o[0].offset, time - o[0].time,
				   o[1].time - o[0].time);
	}
	if (result > TIME_LIMIT)
		return TIME_LIMIT;
	return result < -TIME_LIMIT ? -TIME_LIMIT : (int64_t)result;
}

int64_t offset_apply_of(const struct trace *trace, const struct offset *offsets, uint32_t location,
			int64_t time)
{
	size_t n, at = 0;
	const struct offset *o = offsets_of(trace, offsets, location, &n);

	return apply(o, n, &at, time);
}

int64_t offset_apply(const struct trace *trace, uint32_t location, int64_t time)
{
	return offset_apply_of(trace, trace->offsets.data, location, time);
}

bool trace_has_base(const struct trace *trace, enum time_base base)
{
	return trace->columns[base].made || (base == BASE_LINEAR && trace->offsets.n > 0);
}

enum time_base trace_default_base(const struct trace *trace)
{
	static const enum time_base best[] = { BASE_CLC, BASE_FITTED, BASE_LINEAR };

	for (size_t i = 0; i < sizeof best / sizeof *best; i++)
		if (trace_has_base(trace, best[i]))
			return best[i];
	return BASE_MEASURED;
}

/* A time base while it is made. */
struct making {
	struct trace *trace;
	struct column *column;
	const struct progress *progress;
	pthread_mutex_t lock; /* guards the fields below and the wide table */
	struct err err;
	bool ok;
};

static bool set_block(struct making *m, uint32_t block, const int64_t *t, uint32_t n)
{
	bool ok;

	/* Only blocks with wide times share a table. */
	if (!base_is_wide(t, n))
		return column_put(m->column, block, 0, n, t, NULL);
	pthread_mutex_lock(&m->lock);
	ok = column_put(m->column, block, 0, n, t, &m->err);
	pthread_mutex_unlock(&m->lock);
	return ok;
}

static bool is_ok(struct making *m, bool ok)
{
	pthread_mutex_lock(&m->lock);
	m->ok = ok = m->ok && ok;
	pthread_mutex_unlock(&m->lock);
	return ok;
}

static void linear_location(void *context, unsigned worker, size_t location)
{
	struct making *m = context;
	const struct trace *trace = m->trace;
	const struct block_ids *list = &trace->lists.data[location];
	int64_t t[BLOCK_EVENTS], last = -TIME_LIMIT;
	size_t offsets, at = 0;
	const struct offset *o =
		offsets_of(trace, trace->offsets.data, (uint32_t)location, &offsets);
	bool ok = is_ok(m, worker > 0 || progress_step(m->progress, "clocks", location,
						       trace->locations.n));

	for (size_t i = 0; i < list->n && ok; i++) {
		const uint32_t n = store_block(trace, list->data[i])->n;
		store_prefetch(trace, BASE_MEASURED, list, i + 2);
		for (uint32_t slot = 0; slot < n; slot++) {
			t[slot] = apply(o, offsets, &at,
					store_time(trace, BASE_MEASURED, list->data[i], slot));
			/* A drift below -1 (nonsense in the file) must not reverse the order of
			 * events. */
			if (t[slot] < last)
				t[slot] = last;
			last = t[slot];
		}
		ok = set_block(m, list->data[i], t, n);
	}
	is_ok(m, ok);
}

/* ---- writing a base (base_write.h) ---- */

void base_drop(struct trace *trace, enum time_base base)
{
	assert(base != BASE_MEASURED);
	column_fini(&trace->columns[base]);
	memset(&trace->columns[base], 0, sizeof trace->columns[base]);
	order_fini(&trace->message_order[base]);
	order_fini(&trace->collective_order[base]);
	memset(&trace->message_order[base], 0, sizeof trace->message_order[base]);
	memset(&trace->collective_order[base], 0, sizeof trace->collective_order[base]);
	if (trace->drop_sums)
		trace->drop_sums(trace, base);
	keep_drop_base(trace, base);
	atomic_store(&trace->spans[base].known, false);
}

bool base_begin(struct trace *trace, enum time_base base, struct err *err)
{
	struct column *column = &trace->columns[base];

	base_drop(trace, base);
	column_init(column, trace->pool);
	if (trace->blocks.size == 0 ||
	    slab_extend(&column->times, (size_t)store_block_count(trace) * sizeof(struct times),
			err))
		return true;
	base_drop(trace, base);
	return false;
}

bool base_is_wide(const int64_t *t, uint32_t n)
{
	return (uint64_t)t[n - 1] - (uint64_t)t[0] > UINT32_MAX;
}

bool base_put(struct trace *trace, enum time_base base, uint32_t block, const int64_t *t,
	      struct err *err)
{
	return base_put_part(trace, base, block, 0, store_block(trace, block)->n, t, err);
}

bool base_put_part(struct trace *trace, enum time_base base, uint32_t block, uint32_t from,
		   uint32_t to, const int64_t *t, struct err *err)
{
	return column_put(&trace->columns[base], block, from, to, t, err);
}

void base_commit(struct trace *trace, enum time_base base)
{
	trace->columns[base].made = true;
	halo_times(trace, base);
	order_make(&trace->message_order[base], trace, base, false);
	order_make(&trace->collective_order[base], trace, base, true);
}

void trace_replace_offsets(struct trace *trace, const struct offset *offsets, size_t n)
{
	base_drop(trace, BASE_LINEAR);
	vec_fini(&trace->offsets);
	for (size_t i = 0; i < n; i++)
		vec_push(&trace->offsets, offsets[i]);
	store_order_offsets(trace);
}

/* ---- the linear base ---- */

bool trace_base_make(struct trace *trace, enum time_base base, const struct progress *progress,
		     struct err *err)
{
	struct column *column = &trace->columns[base];
	struct making m = { trace, column, progress, PTHREAD_MUTEX_INITIALIZER, ERR_INIT, true };

	assert(trace_has_base(trace, base));
	if (column->made)
		return true;
	if (!base_begin(trace, base, err))
		return false;
	jobs_run(jobs_count(trace->jobs), trace->locations.n, linear_location, &m);
	pthread_mutex_destroy(&m.lock);
	if (!m.ok) {
		base_drop(trace, base);
		if (m.err.status)
			err_set(err, m.err.status, "%s", m.err.text);
		return false;
	}
	base_commit(trace, base);
	return true;
}

struct shared_span {
	int64_t begin, end;
};

/* Of all processes' locations, where several share the trace. */
static void share_span(struct exchange *x, bool any, int64_t *begin, int64_t *end)
{
	OWNED_VEC(struct shared_span) spans = VEC_INIT;

	if (any)
		vec_push(&spans, ((struct shared_span){ *begin, *end }));
	exchange_rows(x, &spans);
	for (size_t i = 0; i < spans.n; i++) {
		const struct shared_span *span = &spans.data[i];
		*begin = i == 0 || span->begin < *begin ? span->begin : *begin;
		*end = i == 0 || span->end > *end ? span->end : *end;
	}
}

static void look_for_span(const struct trace *trace, enum time_base base, int64_t *begin,
			  int64_t *end)
{
	bool any = false;

	*begin = *end = 0;
	for (uint32_t l = 0; l < trace->locations.n; l++) {
		const struct block_ids *list = &trace->lists.data[l];
		if (list->n == 0)
			continue;
		const uint32_t last = list->data[list->n - 1];
		const int64_t t0 = store_time(trace, base, list->data[0], 0);
		const int64_t t1 = store_time(trace, base, last, store_block(trace, last)->n - 1u);
		*begin = !any || t0 < *begin ? t0 : *begin;
		*end = !any || t1 > *end ? t1 : *end;
		any = true;
	}
	share_span(trace->exchange, any, begin, end);
}

void trace_span(const struct trace *trace, enum time_base base, int64_t *begin, int64_t *end)
{
	struct span_known *span = &((struct trace *)(uintptr_t)trace)->spans[base];

	if (!atomic_load_explicit(&span->known, memory_order_acquire)) {
		look_for_span(trace, base, begin, end);
		atomic_store_explicit(&span->begin, *begin, memory_order_relaxed);
		atomic_store_explicit(&span->end, *end, memory_order_relaxed);
		atomic_store_explicit(&span->known, true, memory_order_release);
	}
	*begin = atomic_load_explicit(&span->begin, memory_order_relaxed);
	*end = atomic_load_explicit(&span->end, memory_order_relaxed);
}

uint64_t trace_event_count(const struct trace *trace)
{
	return trace->events;
}

uint32_t trace_first_location(const struct trace *trace, enum time_base base)
{
	uint64_t first = UINT32_MAX;
	int64_t begin, end;
	struct cursor c;

	trace_span(trace, base, &begin, &end);
	for (uint32_t l = trace_location_count(trace); l-- > 0;)
		if (cursor_first(&c, trace, base, l) && cursor_time(&c) == begin)
			first = l;
	exchange_least(trace->exchange, &first, 1);
	return (uint32_t)first;
}
