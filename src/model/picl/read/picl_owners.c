/* Who has which locations of a file whose text is divided: each process those of a range of
 * processors, with about as many records as any. They are not counted, but estimated by samples. */
#include "base/order.h"
#include "model/build/dealing.h"
#include "model/picl/read/picl_divided.h"

enum { SAMPLES = 64, SAMPLE_BYTES = 16 << 10 };
/* Of records: some are an enter and a message. */
enum { EVENTS_OF_TEN = 12 };

struct processor_count {
	int32_t processor, unused;
	uint64_t records;
};

struct counts {
	uint64_t bytes;     /* of the samples */
	struct keymap rows; /* processor: row */
	VEC(struct processor_count) list;
};

ORDERING(by_processor, struct processor_count, processor)

/* The host has two numbers. */
static int32_t one_number(int32_t processor)
{
	return processor == PROCESSOR_HOST_OLD ? PROCESSOR_HOST : processor;
}

static void count_line(struct picl_reader *r, struct counts *c, const struct line *line)
{
	struct picl_record record;
	uint32_t row;

	c->bytes += line->n + 1;
	if (line->too_long || !picl_scan_record(line, &r->clock, &record) ||
	    (record.processor < 0 && record.processor != PROCESSOR_HOST_OLD))
		return;
	record.processor = one_number(record.processor);
	if (keymap_new(&c->rows, KEY_OF((uint32_t)record.processor), c->list.n, &row))
		vec_push(&c->list, ((struct processor_count){ record.processor, 0, 0 }));
	c->list.data[row].records++;
}

static void count_sample(struct picl_reader *r, struct counts *c, uint64_t begin, uint64_t end)
{
	struct line line;

	scan_seek(&r->scan, begin, end);
	/* The first one has begun before. */
	if (begin == r->divided->from || scan_next(&r->scan, &line))
		while (scan_next(&r->scan, &line))
			count_line(r, c, &line);
}

static void count_stretch(struct picl_reader *r, struct counts *c)
{
	const struct picl_divided *d = r->divided;
	const uint64_t all = (d->size - d->from) / exchange_processes(d->x) + 1;
	const uint64_t begin = d->from + all * exchange_process(d->x);

	if (all <= (uint64_t)SAMPLES * SAMPLE_BYTES)
		count_sample(r, c, begin, begin + all);
	else
		for (uint64_t i = 0; i < SAMPLES; i++) {
			const uint64_t at = begin + all / SAMPLES * i;
			count_sample(r, c, at, at + SAMPLE_BYTES);
		}
}

/* Whether each process has half of its share of these records, or more. */
static bool is_even(const struct picl_divided *d, const struct counts *c)
{
	const uint32_t n = exchange_processes(d->x);
	OWNED uint64_t *records = xcalloc(n, sizeof *records);
	const struct processor_count *count;
	uint64_t all = 0;
	bool even = true;

	vec_each (count, &c->list) {
		records[picl_owner_of(d, count->processor)] += count->records;
		all += count->records;
	}
	for (uint32_t p = 0; p < n; p++)
		even = even && records[p] >= all / n / 2;
	return even;
}

/* Sums up the counts of one processor. */
static void sum_up(struct counts *c)
{
	size_t n = 0;

	vec_sort(&c->list, by_processor);
	for (size_t i = 0; i < c->list.n; i++) {
		const struct processor_count *count = &c->list.data[i];
		if (n && c->list.data[n - 1].processor == count->processor)
			c->list.data[n - 1].records += count->records;
		else
			c->list.data[n++] = *count;
	}
	c->list.n = n;
}

/* What the file has, by what the samples have. */
static void deal(struct picl_reader *r, const struct counts *c)
{
	struct picl_divided *d = r->divided;
	OWNED uint64_t *weight = xmalloc((c->list.n + 1) * sizeof *weight);
	OWNED uint32_t *process = xmalloc((c->list.n + 1) * sizeof *process);
	const struct dealing dealing = { weight, c->list.n };
	uint64_t most;

	for (size_t i = 0; i < c->list.n; i++)
		weight[i] = (uint64_t)((unsigned __int128)c->list.data[i].records * EVENTS_OF_TEN /
				       10 * (d->size - d->from) / c->bytes);
	most = dealing_deal(&dealing, exchange_processes(d->x), process);
	for (size_t i = 0; i < c->list.n; i++)
		if (!i || process[i] != process[i - 1])
			vec_push(&d->owners,
				 ((struct picl_owner){ c->list.data[i].processor, process[i] }));
	r->stop = !dealing_has_room(&dealing, most, DEALING_EVENT, r->options->max_mem, r->path,
				    r->err);
}

void picl_owners_deal(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;
	struct counts c = { .list = VEC_INIT }, own = { .list = VEC_INIT };
	const struct processor_count *count;

	count_stretch(r, &c);
	vec_each (count, &c.list)
		vec_push(&own.list, *count);
	exchange_rows(d->x, &c.list);
	c.bytes = exchange_count(d->x, c.bytes);
	sum_up(&c);
	deal(r, &c);
	d->mixed = !exchange_any(d->x, !is_even(d, &own));
	keymap_fini(&c.rows);
	vec_fini(&c.list);
	vec_fini(&own.list);
}

uint32_t picl_owner_of(const struct picl_divided *d, int32_t processor)
{
	size_t low = 0, high = d->owners.n;

	processor = one_number(processor);
	BISECT(low, high, i, d->owners.data[i].first <= processor);
	return low ? d->owners.data[low - 1].process : 0;
}
