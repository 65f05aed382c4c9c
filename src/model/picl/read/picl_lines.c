#include "model/picl/read/picl_lines.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

enum {
	BATCHES = 4,
	BATCH_TEXT = 128 << 10, /* bytes of text, unless one line is longer */
	STEP_BATCHES = 8,       /* between two calls of the scan's step */
};

/* A line, and what a canonical record has beside its values. */
struct item {
	uint32_t at, n; /* in the text, without line feed */
	uint32_t payload;
	int32_t count; /* -1: no record in canonical form; -2: a line that is too long */
	int32_t rectype, evtype, processor, process;
	int64_t time;
};

struct batch {
	struct str text;
	VEC(struct item) items;
	VEC(int64_t) values; /* of all items, one after the other */
	uint64_t line;       /* number of the first */
};

struct picl_ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct batch batches[BATCHES];
	unsigned filled, taken; /* batches so far */
	bool stop, finished;
	bool alone; /* there is no thread: the caller fills a batch and empties it */

	/* The caller's. */
	bool (*step)(void *context);
	const struct batch *batch;
	size_t next, value; /* item and value that come next */
	bool again;         /* the previous item is returned again */
};

/* ---- the thread ---- */

static void add_line(struct batch *b, const struct line *line, const struct picl_clock *clock)
{
	struct item *item;
	struct picl_record record;

	vec_reserve(&b->items, 1);
	item = &b->items.data[b->items.n++];
	item->at = (uint32_t)b->text.n;
	item->n = (uint32_t)line->n;
	/* As in the scan's buffer, a line feed follows each line. */
	str_add_n(&b->text, line->text, line->n);
	str_add_char(&b->text, '\n');
	item->count = line->too_long ? -2 : -1;
	if (line->too_long || !picl_scan_record(line, clock, &record))
		return;
	item->payload = (uint32_t)(record.payload - line->text);
	item->count = record.count;
	item->rectype = record.rectype;
	item->evtype = record.evtype;
	item->processor = record.processor;
	item->process = record.process;
	item->time = record.time;
	vec_reserve(&b->values, PICL_VALUES);
	for (int32_t i = 0; i < record.count; i++)
		b->values.data[b->values.n++] = record.v[i];
}

/* False at the end of the file. */
static bool fill(struct picl_lines *lines, struct batch *b)
{
	struct line line;

	str_clear(&b->text);
	b->items.n = b->values.n = 0;
	b->line = lines->scan->line + 1;
	while (b->text.n < BATCH_TEXT) {
		if (!scan_next(lines->scan, &line))
			return b->items.n > 0;
		add_line(b, &line, lines->clock);
	}
	return true;
}

static void *scan_ahead(void *context)
{
	struct picl_lines *lines = context;
	struct picl_ahead *a = lines->ahead;
	bool more = true;

	while (more) {
		struct batch *batch;

		pthread_mutex_lock(&a->lock);
		while (!a->stop && a->filled - a->taken == BATCHES)
			pthread_cond_wait(&a->changed, &a->lock);
		more = !a->stop;
		batch = &a->batches[a->filled % BATCHES];
		pthread_mutex_unlock(&a->lock);
		more = more && fill(lines, batch);
		pthread_mutex_lock(&a->lock);
		a->filled += more;
		a->finished = !more;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

/* ---- the caller ---- */

static struct picl_ahead *make(void)
{
	struct picl_ahead *a = xcalloc(1, sizeof *a);

	for (int i = 0; i < BATCHES; i++)
		str_init(&a->batches[i].text);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	return a;
}

static bool start(struct picl_lines *lines, struct picl_ahead *a)
{
	sigset_t all, old;
	bool ok;

	lines->ahead = a;
	/* Signals are for the threads that wait for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ok = pthread_create(&a->thread, NULL, scan_ahead, lines) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ok;
}

static void drop(struct picl_ahead *a)
{
	for (int i = 0; i < BATCHES; i++) {
		str_fini(&a->batches[i].text);
		vec_fini(&a->batches[i].items);
		vec_fini(&a->batches[i].values);
	}
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

void picl_lines_begin(struct picl_lines *lines, struct scan *scan, const struct picl_clock *clock,
		      bool ahead)
{
	struct picl_ahead *a;

	*lines = (struct picl_lines){ .scan = scan, .clock = clock };
	if (!ahead)
		return;
	a = make();
	a->step = scan->step;
	scan->step = NULL;
	if (start(lines, a))
		return;
	/* Without a thread, lines are read one by one. */
	scan->step = a->step;
	lines->ahead = NULL;
	drop(a);
}

void picl_lines_end(struct picl_lines *lines)
{
	struct picl_ahead *a = lines->ahead;

	if (!a)
		return;
	lines->ahead = NULL;
	if (!a->alone) {
		pthread_mutex_lock(&a->lock);
		a->stop = true;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
		lines->scan->step = a->step;
	}
	drop(a);
}

void picl_lines_batch(struct picl_lines *lines)
{
	struct picl_ahead *a;

	if (lines->ahead)
		return;
	a = lines->ahead = make();
	a->alone = true;
}

/* Returns the emptied batch and waits for the next full one. */
static void take_batch(struct picl_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	if (a->batch) {
		a->taken++;
		pthread_cond_signal(&a->changed);
	}
	while (a->filled == a->taken && !a->finished)
		pthread_cond_wait(&a->changed, &a->lock);
	a->batch = a->filled == a->taken ? NULL : &a->batches[a->taken % BATCHES];
	pthread_mutex_unlock(&a->lock);
}

static bool next_batch(struct picl_lines *lines)
{
	struct picl_ahead *a = lines->ahead;

	a->next = a->value = 0;
	if (a->alone)
		a->batch = fill(lines, &a->batches[0]) ? &a->batches[0] : NULL;
	else
		take_batch(a);
	if (!a->batch) {
		lines->finished = !a->alone || lines->scan->end;
		return false;
	}
	lines->stopped = a->taken && a->taken % STEP_BATCHES == 0 && a->step &&
			 !a->step(lines->scan->context);
	return !lines->stopped;
}

bool picl_lines_next(struct picl_lines *lines, struct line *line)
{
	struct picl_ahead *a = lines->ahead;
	const struct item *item;

	if (!a) {
		if (scan_next(lines->scan, line))
			return true;
		lines->finished = lines->scan->end;
		return false;
	}
	if (lines->finished || lines->stopped)
		return false;
	if (!a->again) {
		if (a->batch && a->next && a->batch->items.data[a->next - 1].count > 0)
			a->value += (size_t)a->batch->items.data[a->next - 1].count;
		if ((!a->batch || a->next == a->batch->items.n) && !next_batch(lines))
			return false;
		a->next++;
	}
	a->again = false;
	item = &a->batch->items.data[a->next - 1];
	*line = (struct line){ a->batch->text.text + item->at, item->n,
			       a->batch->line + a->next - 1, item->count == -2 };
	return true;
}

bool picl_lines_record(const struct picl_lines *lines, const struct line *line,
		       struct picl_record *record)
{
	const struct picl_ahead *a = lines->ahead;
	const struct item *item;

	if (!a)
		return !line->too_long && picl_scan_record(line, lines->clock, record);
	item = &a->batch->items.data[a->next - 1];
	if (item->count < 0)
		return false;
	record->rectype = item->rectype;
	record->evtype = item->evtype;
	record->processor = item->processor;
	record->process = item->process;
	record->time = item->time;
	record->count = record->values = item->count;
	record->plain = true;
	for (int32_t i = 0; i < item->count; i++)
		record->v[i] = a->batch->values.data[a->value + (size_t)i];
	record->payload = line->text + item->payload;
	record->payload_n = item->n - item->payload;
	record->time_text = NULL;
	record->text = NULL;
	record->line = line->number;
	return true;
}

bool picl_lines_peek(const struct picl_lines *lines, size_t ahead, int32_t *processor)
{
	const struct picl_ahead *a = lines->ahead;
	const struct item *item;

	/* An item that was handed out is item next - 1. */
	if (!a || !a->batch || a->next - 1 + ahead >= a->batch->items.n)
		return false;
	item = &a->batch->items.data[a->next - 1 + ahead];
	*processor = item->processor;
	return item->count >= 0;
}

void picl_lines_back(struct picl_lines *lines)
{
	if (lines->ahead)
		lines->ahead->again = true;
	else
		scan_back(lines->scan);
}
