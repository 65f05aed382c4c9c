#include "views/query/filter_count.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

enum { SLICE_MS = 10, EVENTS_A_LOOK = 1024 };

struct filter_count {
	struct filter *filter; /* owned */
	const struct trace *trace;
	enum time_base base;
	struct cursor cursor;
	bool positioned; /* the cursor is on an event of `location` */
	uint32_t location;
	uint64_t seen, hits, all;
};

struct filter_count *filter_count_new(const struct trace *trace, enum time_base base,
				      const char *text, struct err *err)
{
	struct filter *filter = filter_compile(text, trace, err);
	if (!filter)
		return NULL;
	struct filter_count *count = xcalloc(1, sizeof *count);
	count->filter = filter;
	count->trace = trace;
	count->base = base;
	count->all = trace_event_count(trace);
	return count;
}

void filter_count_free(struct filter_count *count)
{
	if (!count)
		return;
	filter_free(count->filter);
	free(count);
}

bool filter_count_work(struct filter_count *count)
{
	const int64_t deadline = clock_ms() + SLICE_MS;
	const uint32_t locations = trace_location_count(count->trace);
	while (count->location < locations) {
		if (!count->positioned)
			count->positioned = cursor_first(&count->cursor, count->trace, count->base,
							 count->location);
		while (count->positioned) {
			count->hits += filter_event(count->filter, count->base, count->cursor.id);
			count->positioned = cursor_next(&count->cursor);
			if (++count->seen % EVENTS_A_LOOK == 0 && clock_ms() >= deadline)
				break;
		}
		if (!count->positioned)
			count->location++;
		if (clock_ms() >= deadline)
			break;
	}
	return count->location < locations;
}

void filter_count_text(const struct filter_count *count, struct str *out)
{
	units_count(out, count->hits);
	if (count->location < trace_location_count(count->trace)) {
		str_add_fmt(out, "+ events, %d %%",
			    (int)(count->all ? count->seen * 100 / count->all : 0));
		return;
	}
	str_add(out, " of ");
	units_count(out, count->all);
	str_add(out, " events");
}
