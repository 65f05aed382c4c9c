/* Finds the copies of accelerators once a trace is built (model/trace/copy.h): if it has windows
 * and devices, in one pass over the kinds of events. */
#include <string.h>

#include "base/keymap.h"
#include "model/build/build.h"
#include "model/trace/copy.h"

static bool has_object(const struct trace *trace, enum detail_type type, const char *name)
{
	for (size_t i = 0; i < trace->objects.n; i++) {
		const struct object *object = &trace->objects.data[i];

		if (object->detail.type == type &&
		    (!name || strcmp(trace_string(trace, object->name), name) == 0))
			return true;
	}
	return false;
}

static bool has_devices(const struct trace *trace)
{
	for (size_t i = 0; i < trace->locations.n; i++)
		if (trace->locations.data[i].type == LOCATION_ACCELERATOR)
			return true;
	return false;
}

struct copy_finder {
	struct trace *trace;
	uint32_t host; /* of a device; UINT32_MAX unknown */
	bool device;
	size_t first;       /* row of the location */
	struct keymap rows; /* (window, matching): row of the last operation */
};

/* The location at the other end; UINT32_MAX unknown. */
static uint32_t other_end(const struct copy_finder *f, uint32_t event)
{
	const struct event_attribute *named = trace_event_attribute(f->trace, event, COPY_OTHER);

	if (named && named->value < f->trace->locations.n)
		return (uint32_t)named->value;
	return f->host;
}

static struct key operation(uint64_t window, uint64_t matching)
{
	return KEY_OF((uint32_t)window, (uint32_t)matching, (uint32_t)(matching >> 32));
}

static bool is_before(const struct trace *trace, uint32_t a, uint32_t b)
{
	return a != EVENT_NONE && trace_event_ordinal(trace, a) < trace_event_ordinal(trace, b);
}

static void begin_copy(struct copy_finder *f, uint32_t event, bool put, const uint64_t *v)
{
	struct copy copy = { .begin = event, .end = EVENT_NONE, .bytes = v[2], .put = put };
	struct trace *trace = f->trace;

	copy.other = other_end(f, event);
	if (!f->device && (copy.other == UINT32_MAX ||
			   trace->locations.data[copy.other].type != LOCATION_ACCELERATOR))
		return;
	*keymap_add(&f->rows, operation(v[0], v[3])) = (uint32_t)trace->copies.n;
	vec_push(&trace->copies, copy);
}

static void end_copy(struct copy_finder *f, uint32_t event, const uint64_t *v)
{
	const uint32_t *row = keymap_find(&f->rows, operation(v[0], v[1]));

	if (row && f->trace->copies.data[*row].end == EVENT_NONE)
		f->trace->copies.data[*row].end = event;
}

static void on_event(struct copy_finder *f, uint32_t event, uint32_t what)
{
	const struct detail *detail = trace_detail(f->trace, what_id(what));
	const uint64_t *v = trace_detail_values(f->trace, detail);

	switch (detail->type) {
	case DETAIL_RMA_PUT:
	case DETAIL_RMA_GET: begin_copy(f, event, detail->type == DETAIL_RMA_PUT, v); break;
	case DETAIL_RMA_OP_COMPLETE_BLOCKING:
	case DETAIL_RMA_OP_COMPLETE_NON_BLOCKING: end_copy(f, event, v); break;
	default: break;
	}
}

/* An operation without an end counts as complete, or all rows after it would have to look back to
 * it. */
static void count_back(struct copy_finder *f)
{
	struct trace *trace = f->trace;

	for (size_t i = f->first, open = f->first; i < trace->copies.n; i++) {
		struct copy *copy = &trace->copies.data[i];

		while (open < i && (trace->copies.data[open].end == EVENT_NONE ||
				    is_before(trace, trace->copies.data[open].end, copy->begin)))
			open++;
		copy->back = (uint32_t)(i - open);
	}
}

static void find_in(struct trace *trace, uint32_t location, uint32_t host)
{
	const uint8_t type = trace->locations.data[location].type;
	struct copy_finder f = { .trace = trace,
				 .host = host,
				 .device = type == LOCATION_ACCELERATOR,
				 .first = trace->copies.n };
	struct cursor c;

	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c))
		if (what_kind(cursor_what(&c)) == EV_RMA &&
		    what_id(cursor_what(&c)) < trace_detail_count(trace))
			on_event(&f, c.id, cursor_what(&c));
	count_back(&f);
	keymap_fini(&f.rows);
}

/* [processes + 1] its first location that runs code; the last one is that of no process. */
static uint32_t *hosts(const struct trace *trace)
{
	const uint32_t n = trace_process_count(trace);
	uint32_t *host = xmalloc(((size_t)n + 1) * sizeof *host);

	for (uint32_t p = 0; p <= n; p++)
		host[p] = UINT32_MAX;
	for (uint32_t l = 0; l < trace->locations.n; l++) {
		const struct location *location = &trace->locations.data[l];

		if (location_runs_code(location) && location->owner < n &&
		    host[location->owner] == UINT32_MAX)
			host[location->owner] = l;
	}
	return host;
}

/* A host's own operations are copies only where their other end is named. */
void build_copies(struct trace *trace)
{
	const bool named = has_object(trace, OBJECT_ATTRIBUTE, COPY_OTHER);
	OWNED uint32_t *host = NULL;

	if (!has_object(trace, OBJECT_RMA_WINDOW, NULL) || !has_devices(trace))
		return;
	host = hosts(trace);
	for (uint32_t l = 0; l < trace->locations.n; l++) {
		const struct location *location = &trace->locations.data[l];
		const uint32_t process = location_program(trace, location);

		if (location->type == LOCATION_ACCELERATOR)
			find_in(trace, l,
				host[process < trace_process_count(trace)
					     ? process
					     : trace_process_count(trace)]);
		else if (named)
			find_in(trace, l, UINT32_MAX);
	}
}
