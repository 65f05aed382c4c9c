#include "correct/virtual/virtual_base.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "correct/virtual/virtual_values.h"
#include "model/trace/base_write.h"
#include "model/trace/store.h"
#include "model/trace/virtual_metric.h"

/* What an event is. */
enum part { PART_OTHER, PART_RECORD, PART_TOOL_END };

/* A location while its intrusion is found, event by event. */
struct intruded {
	const struct trace *trace;
	uint32_t set;
	int64_t *intrusion; /* ticks [events], */
	int64_t *time;      /* measured times, */
	int64_t *taken;     /* and of the time before each: recording of the call before */
	uint8_t *part;      /* enum part */
	size_t n, from;     /* events so far; the first one that has none yet */
	bool delayed;       /* a delay is all that records cost: it is before their time stamps */
	size_t first;       /* so it is before the first record of all, too; SIZE_MAX: none */
	int64_t after;      /* intrusion before it */
};

static enum part part_of(const struct trace *trace, uint32_t what)
{
	const enum event_kind kind = what_kind(what);

	if (kind != EV_ENTER && kind != EV_LEAVE)
		return PART_OTHER;
	if (!what_id(what) || trace_callpath_class(trace, what_id(what)) != CLASS_OVERHEAD)
		return PART_RECORD;
	return kind == EV_LEAVE ? PART_TOOL_END : PART_OTHER;
}

/* How much of the time before event i may be intrusion: regions of the tool all of it, a record at
 * most `level`. */
static int64_t share(const struct intruded *l, size_t i, int64_t level)
{
	const int64_t past = i ? l->time[i] - l->time[i - 1] : 0;
	const int64_t time = past - l->taken[i];

	if (l->part[i] == PART_TOOL_END)
		return time;
	if (i == l->first)
		return level;
	if (l->part[i] != PART_RECORD)
		return 0;
	return time < level ? time : level;
}

static int64_t share_all(const struct intruded *l, size_t end, int64_t level)
{
	int64_t sum = 0;

	for (size_t i = l->from; i + l->delayed <= end && i < l->n; i++)
		sum += share(l, i, level);
	return sum;
}

static int64_t taken_all(const struct intruded *l, size_t end)
{
	int64_t sum = 0;

	for (size_t i = l->from; i < end; i++)
		sum += l->taken[i];
	return sum;
}

/* Outside of calls: grows with each record, by the same as far as there was time for it, up to
 * `before` at event `end`. */
static void fill_outside(struct intruded *l, size_t end, int64_t before)
{
	const int64_t growth = before - l->after - taken_all(l, end + (end < l->n));
	int64_t low = 0, high = growth, sum = l->after;

	/* The level that gives the sum; what even the highest one cannot place is placed at the
	 * end. */
	while (low < high) {
		const int64_t middle = low + (high - low) / 2;
		if (share_all(l, end, middle) < growth)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = l->from; i < end; i++) {
		sum += l->taken[i] + share(l, i, low);
		l->intrusion[i] = sum < before ? sum : before;
	}
	l->from = end;
}

/* The call whose virtual time is at event `at`, the last one so far. */
static void fill_call(struct intruded *l, const struct virtual_call *call,
		      struct virtual_report *report)
{
	const size_t at = l->n - 1;
	const int64_t time = l->time[at], left = call->left, entered = time - call->since;
	int64_t sum = call->before;
	size_t begin = at;
	bool later;

	while (begin > l->from && l->time[begin - 1] >= entered)
		begin--;
	fill_outside(l, begin, call->before);
	for (size_t i = begin; i <= at; i++) {
		if (i > begin && l->part[i] == PART_TOOL_END)
			sum += l->time[i] - l->time[i - 1];
		later = l->time[i] - sum > time - left;
		l->intrusion[i] = later ? l->time[i] - (time - left) : sum;
		if (l->time[i] >= time)
			l->intrusion[i] = left;
	}
	l->from = at + 1;
	l->after = left;
	report->calls++;
	report->most = left > report->most ? left : report->most;
	report->error = call->error > report->error ? call->error : report->error;
}

/* Finds the intrusion at each event of a location; false: it has no virtual times. */
static bool find(struct intruded *l, uint32_t location, struct virtual_report *report)
{
	int64_t left_at = INT64_MIN, recording = 0;
	struct cursor c;
	bool any = false;

	for (bool ok = cursor_first(&c, l->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c)) {
		struct virtual_call call;
		const bool ends = virtual_values(l->trace, l->set, cursor_what(&c), &call);
		l->time[l->n] = cursor_time(&c);
		l->part[l->n++] = (uint8_t)part_of(l->trace, cursor_what(&c));
		if (l->delayed && l->first == SIZE_MAX && l->time[l->n - 1] == l->time[0] &&
		    l->part[l->n - 1] == PART_RECORD &&
		    trace_callpath_class(l->trace, what_id(cursor_what(&c))) == CLASS_USER)
			l->first = l->n - 1;
		if (ends) {
			any = true;
			fill_call(l, &call, report);
			left_at = l->time[l->n - 1];
			recording = call.after;
		} else if (l->time[l->n - 1] == left_at && l->from == l->n - 1) {
			/* The leave itself. */
			l->intrusion[l->from++] = l->after;
		} else if (recording) {
			const int64_t past = l->time[l->n - 1] - l->time[l->n - 2];
			l->taken[l->n - 1] = past < recording ? past : recording;
			recording -= l->taken[l->n - 1];
		}
	}
	fill_outside(l, l->n, l->after + taken_all(l, l->n));
	return any;
}

/* Writes the times of a location's blocks; `zero` is the intrusion at the run's first event. */
static bool put(struct intruded *l, struct trace *trace, uint32_t location, enum time_base from,
		int64_t zero, struct err *err)
{
	const struct block_ids *list = &trace->lists.data[location];
	int64_t *t = l->time, next = TIME_LIMIT;
	size_t at = 0;

	for (size_t i = 0; i < list->n; i++)
		for (uint32_t slot = 0; slot < store_block(trace, list->data[i])->n; slot++, at++)
			t[at] = store_time(trace, from, list->data[i], slot) -
				(l->intrusion[at] - zero);
	/* A loop of tests runs on with the clock until its end is known. */
	for (size_t i = at; i-- > 0; next = t[i])
		t[i] = t[i] < next ? t[i] : next;
	for (size_t i = 0; i < list->n; i++) {
		if (!base_put(trace, BASE_VIRTUAL, list->data[i], t, err))
			return false;
		t += store_block(trace, list->data[i])->n;
	}
	return true;
}

/* `first`: it has the run's first event, whose intrusion is *zero. */
static bool make_location(struct trace *trace, uint32_t set, uint32_t location, enum time_base from,
			  int64_t *zero, bool first, struct virtual_report *report, struct err *err)
{
	const size_t events = trace->lists.data[location].n * (size_t)BLOCK_EVENTS;
	struct intruded l = { .trace = trace,
			      .set = set,
			      .delayed = trace_property_value(trace, "cost-delay-ps"),
			      .first = SIZE_MAX };
	bool ok;

	if (!events)
		return true;
	l.intrusion = xcalloc(events, sizeof *l.intrusion);
	l.time = xcalloc(events, sizeof *l.time);
	l.taken = xcalloc(events, sizeof *l.taken);
	l.part = xcalloc(events, sizeof *l.part);
	if (find(&l, location, report))
		report->locations++;
	else
		report->without++;
	if (first && l.first != SIZE_MAX)
		*zero = l.intrusion[l.first];
	ok = put(&l, trace, location, from, *zero, err);
	free_all(l.intrusion, l.time, l.taken, l.part);
	return ok;
}

/* All but the first location, and with the intrusion at the run's first event. */
static bool make_others(struct virtual_report *report, struct trace *trace, uint32_t set,
			uint32_t first, enum time_base from, int64_t zero,
			const struct progress *progress, struct err *err)
{
	const uint32_t locations = trace_location_count(trace);

	for (uint32_t l = 0; l < locations; l++)
		if (l != first && (!progress_step(progress, "virtual times", l, locations) ||
				   !make_location(trace, set, l, from, &zero, false, report, err)))
			return false;
	return true;
}

static void share_report(struct virtual_report *report, struct exchange *x)
{
	report->calls = exchange_count(x, report->calls);
	report->locations = (uint32_t)exchange_count(x, report->locations);
	report->without = (uint32_t)exchange_count(x, report->without);
	report->most = exchange_latest(x, report->most);
	report->error = exchange_latest(x, report->error);
}

bool virtual_base_make(struct virtual_report *report, struct trace *trace, enum time_base from,
		       const struct progress *progress, struct err *err)
{
	const uint32_t set = virtual_values_set(trace);
	struct exchange *x = trace_exchange(trace);
	int64_t begin, end, begin_virtual, end_virtual, zero = 0;
	uint32_t first;
	bool ok;

	*report = (struct virtual_report){ 0 };
	if (set == UINT32_MAX)
		return true;
	if (!base_begin(trace, BASE_VIRTUAL, err))
		return false;
	first = trace_first_location(trace, from);
	ok = first == UINT32_MAX ||
	     make_location(trace, set, first, from, &zero, true, report, err);
	exchange_ticks(x, &zero, 1); /* of the process that has the location */
	if (!ok || !make_others(report, trace, set, first, from, zero, progress, err)) {
		base_drop(trace, BASE_VIRTUAL);
		return false;
	}
	share_report(report, x);
	base_commit(trace, BASE_VIRTUAL);
	trace_span(trace, from, &begin, &end);
	trace_span(trace, BASE_VIRTUAL, &begin_virtual, &end_virtual);
	report->at_end = (end - begin) - (end_virtual - begin_virtual);
	report->done = true;
	return true;
}
