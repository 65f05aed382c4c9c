/* library_shared: columns that a trace keeps as arrays of its rows: a member of a struct in each,
 * handed out where it is. */
#include <stddef.h>
#include <string.h>
#include <tview/records.h>

#include "library/library.h"
#include "model/trace/message.h"
#include "views/query/view_common.h"

/* The first row of a table, and how many there are. */
#define ROWS(name)                                                             \
	static const void *name##_rows(const struct trace *trace, uint64_t *n) \
	{                                                                      \
		*n = trace_##name##_count(trace);                              \
		return *n ? (const void *)trace_##name(trace, 0) : NULL;       \
	}
ROWS(message)
ROWS(collective)
ROWS(location)
ROWS(region)
ROWS(callpath)
ROWS(offset)

#define SHARED(name, of, field, format)                                                            \
	{                                                                                          \
#name "." #field, of##_rows, offsetof(struct of, field), sizeof(struct of), format \
	}
static const struct {
	const char *name;
	const void *(*rows)(const struct trace *trace, uint64_t *n);
	size_t offset, size;
	char format;
} arrays[] = {
	SHARED(messages, message, tag, 'i'),
	SHARED(messages, message, comm, 'I'),
	SHARED(collectives, collective, region, 'I'),
	SHARED(collectives, collective, comm, 'I'),
	SHARED(collectives, collective, root, 'i'),
	SHARED(collectives, collective, members, 'I'),
	SHARED(locations, location, rank, 'i'),
	SHARED(locations, location, thread, 'i'),
	SHARED(locations, location, events, 'Q'),
	SHARED(locations, location, begin, 'q'),
	SHARED(locations, location, end, 'q'),
	SHARED(regions, region, line, 'I'),
	SHARED(callpaths, callpath, parent, 'I'),
	SHARED(callpaths, callpath, depth, 'I'),
	/* Measured offsets of clocks, by location, then time: ticks. */
	SHARED(offsets, offset, location, 'I'),
	SHARED(offsets, offset, time, 'q'),
	SHARED(offsets, offset, offset, 'q'),
	SHARED(offsets, offset, rtt, 'q'),
};

const char *tview_shared_name(unsigned i)
{
	return i < ARRAY_SIZE(arrays) ? arrays[i].name : NULL;
}

bool tview_shared(const tview_trace *t, const char *name, struct tview_array *array)
{
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		uint64_t n;
		const char *rows;
		if (strcmp(arrays[i].name, name) != 0)
			continue;
		rows = arrays[i].rows(t->opened.trace, &n);
		*array = (struct tview_array){ .data = rows ? rows + arrays[i].offset : NULL,
					       .shape = { (int64_t)n, 1 },
					       .stride = { (int64_t)arrays[i].size,
							   (int64_t)arrays[i].size },
					       .format = arrays[i].format,
					       .dims = 1,
					       .shared = true };
		return true;
	}
	return false;
}
