#define _GNU_SOURCE
#include "capture/lib/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "capture/lib/counter_read.h"
#include "capture/lib/open.h"
#include "capture/lib/perf_counter.h"

enum { NAME = 40 };

/* As tvrun named them; the same in all threads. */
static struct {
	unsigned n;
	struct wanted {
		struct tv_counter counter;
		char name[NAME];
	} wanted[TV_COUNTERS_MAX];
} counters;

/* Of this thread. In a child of fork, which never reads, its parent's. */
static _Thread_local struct {
	bool any;     /* it counts something */
	bool stopped; /* the recorder is at work */
	struct counter {
		int fd;      /* -1: it is not counted */
		unsigned of; /* index of the first one of its group, in which are the next ones */
		struct perf_event_mmap_page *page; /* NULL: read() alone */
		struct tv_count count;
		uint64_t own; /* of it by the recorder */
	} counter[TV_COUNTERS_MAX];
} counting;

bool tv_counters_start(void)
{
	const char *line = getenv(TV_COUNTERS);

	counters.n = 0;
	for (; line && *line && counters.n < TV_COUNTERS_MAX; counters.n++) {
		struct wanted *w = &counters.wanted[counters.n];
		unsigned long long config;
		unsigned type, where;
		if (sscanf(line, "%u %llx %u %39s", &type, &config, &where, w->name) != 4)
			break;
		w->counter = (struct tv_counter){ type, config, (enum tv_counter_where)where };
		line += strcspn(line, "\n");
		line += *line != '\0';
	}
	return counters.n != 0;
}

/* ---- opening ---- */

static void note(struct tv_thread *t, const char *key, const char *word, const char *name)
{
	char text[96];
	const int n = snprintf(text, sizeof text, "%s=%s %s", key, word, name);

	if (n > 0 && (size_t)n < sizeof text)
		tv_define(t, TV_DEF_PROPERTY, 0, text, (size_t)n + 1, NULL, 0);
}

static void note_lack(struct tv_thread *t, enum tv_counter_lack lack, const char *name)
{
	static const char *const words[TV_COUNTER_LACKS] = TV_COUNTER_WORDS;

	note(t, "uncounted", words[lack], name);
}

/* In the group of that counter; -1: in none. */
static int open_in(struct tv_counter *counter, int group)
{
	return tv_counter_open(counter, group < 0 ? -1 : counting.counter[group].fd);
}

/* Software counters have no number that the processor could read. */
static struct perf_event_mmap_page *map_page(const struct tv_counter *counter, int fd)
{
	void *page;

	if (counter->type == PERF_TYPE_SOFTWARE)
		return NULL;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	return page == MAP_FAILED ? NULL : page;
}

/* In the group of the one before, or, where that is full, in a new one, which *group then is. */
static void open_one(struct tv_thread *t, unsigned i, int *group)
{
	struct counter *c = &counting.counter[i];
	struct tv_counter counter = counters.wanted[i].counter;
	const char *name = counters.wanted[i].name;
	char index[2 + NAME];

	*c = (struct counter){ .fd = -1, .of = TV_COUNTERS_MAX };
	if (counter.type == TV_COUNTER_UNKNOWN) {
		note_lack(t, TV_COUNTER_NO_NAME, name);
		return;
	}
	c->fd = open_in(&counter, *group);
	if (c->fd < 0 && errno == EINVAL && *group >= 0) {
		*group = -1;
		c->fd = open_in(&counter, -1);
	}
	if (c->fd < 0) {
		note_lack(t, tv_counter_lack_of(errno), name);
		return;
	}
	*group = *group < 0 ? (int)i : *group;
	c->of = (unsigned)*group;
	c->page = map_page(&counter, c->fd);
	counting.any = true;
	if (t->number)
		return;
	snprintf(index, sizeof index, "%u", i);
	note(t, counter.where == counters.wanted[i].counter.where ? "counter" : "user-counter",
	     index, name);
}

void tv_counters_begin(struct tv_thread *t)
{
	const int saved = errno;
	int group = -1;

	if (!counters.n || counting.any || !t->keep)
		return;
	for (unsigned i = 0; i < counters.n; i++)
		open_one(t, i, &group);
	errno = saved;
	tv_counters_at(t, tv_now());
}

void tv_counters_end(struct tv_thread *t)
{
	if (!counting.any)
		return;
	tv_counters_at(t, tv_now());
	for (unsigned i = 0; i < counters.n; i++) {
		struct counter *c = &counting.counter[i];
		if (c->page)
			munmap(c->page, (size_t)sysconf(_SC_PAGESIZE));
		if (c->fd >= 0)
			close(c->fd);
	}
	counting.any = false;
}

/* ---- reading ---- */

static uint64_t read_pmc(uint32_t number)
{
#if defined(__x86_64__)
	return __rdpmc((int)number);
#else
	(void)number;
	return 0;
#endif
}

static bool read_pages(unsigned group)
{
	struct counter *c = counting.counter;
	uint64_t value[TV_COUNTERS_MAX];

	for (unsigned i = group; i < counters.n; i++)
		if (c[i].of == group &&
		    (!c[i].page || !tv_page_read(c[i].page, read_pmc, &value[i])))
			return false;
	for (unsigned i = group; i < counters.n; i++)
		if (c[i].of == group)
			tv_count_more(&c[i].count, value[i]);
	return true;
}

static void read_group(unsigned group)
{
	struct counter *c = counting.counter;
	struct {
		uint64_t n, enabled, running, value[TV_COUNTERS_MAX];
	} got;
	unsigned at = 0;

	if (read(c[group].fd, &got, sizeof got) < 0)
		return;
	for (unsigned i = group; i < counters.n && at < got.n; i++)
		if (c[i].of == group)
			tv_count_add(&c[i].count, got.value[at++], got.enabled, got.running);
	if (TV_UNLIKELY(got.enabled != got.running))
		__atomic_fetch_or(&tv.file->state, TV_SCALED, __ATOMIC_RELAXED);
}

static void read_all(void)
{
	const int saved = errno;

	for (unsigned i = 0; i < counters.n; i++)
		if (counting.counter[i].of == i && !read_pages(i))
			read_group(i);
	errno = saved;
}

/* ---- writing ---- */

void tv_counters_stop(struct tv_thread *t)
{
	if (!counting.any || !t->keep)
		return;
	read_all();
	counting.stopped = true;
}

void tv_counters_go(struct tv_thread *t)
{
	struct counter *c = counting.counter;
	uint64_t before[TV_COUNTERS_MAX];

	(void)t;
	if (!counting.stopped)
		return;
	for (unsigned i = 0; i < counters.n; i++)
		before[i] = c[i].count.sum;
	read_all();
	for (unsigned i = 0; i < counters.n; i++)
		c[i].own += c[i].count.sum - before[i];
	counting.stopped = false;
}

void tv_counters_at(struct tv_thread *t, uint64_t time)
{
	const struct counter *c = counting.counter;
	const size_t size = tv_counted_size(counters.n);
	struct tv_counted *record;

	if (!counting.any || !t->keep)
		return;
	if (!counting.stopped)
		read_all();
	record = tv_room(t, size);
	if (!record)
		return;
	record->head = (struct tv_head){ time, TV_COUNTED, 0, 0, counters.n };
	for (unsigned i = 0; i < counters.n; i++)
		record->value[i] = c[i].fd < 0 ? TV_NOT_COUNTED : c[i].count.sum - c[i].own;
	tv_commit(t, size);
}

void tv_counters_entered(struct tv_thread *t)
{
	if (t->rows.depth && tv_top(&t->rows)->flags & TV_FRAME_WRITTEN)
		tv_counters_at(t, tv_top(&t->rows)->start);
	tv_counters_go(t);
}

uint64_t tv_counters_leave(struct tv_thread *t)
{
	const uint64_t now = tv_now();

	if (t->rows.depth && tv_top(&t->rows)->flags & TV_FRAME_WRITTEN)
		tv_counters_at(t, now);
	return now;
}
