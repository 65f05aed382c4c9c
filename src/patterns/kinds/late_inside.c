/* Late inside MPI: what a call takes after all that it waited for is there:
 *
 *	delivery = lv - max(en, latest send enter of its messages)
 *	release  = E - max(start, begin of the last party)
 *	late     = max(0, it - 3 q10)
 *
 * q10 is the tenth percentile in the whole trace, of messages of that size (bits of the number of
 * bytes), of operations of that name and size; percentiles are known to an eighth of an octave.
 * Where the sender of a late delivery is outside of MPI (absence.h), the part until it is back
 * lacks progress. Such deliveries say nothing about what is usual. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "patterns/analysis/absence.h"
#include "patterns/analysis/pattern.h"
#include "patterns/kinds/sync.h"

enum { OF_MESSAGES = UINT32_MAX, EIGHTHS = 3, LATE_TIMES = 3, TENTH = 10 };

/* Time in a call after what it waited for was there. */
struct inside_part {
	int64_t from, to;                   /* ticks */
	int64_t away, back;                 /* the sender was outside of MPI; equal: it was not */
	uint32_t event, partner, path;      /* as of a wait; EVENT_NONE: of a collective */
	uint32_t operation, size, location; /* region, or OF_MESSAGES; bits of bytes */
};

typedef VEC(struct inside_part) inside_parts;

static void release(void *local)
{
	vec_fini((inside_parts *)local);
}

static uint32_t bits_of(uint64_t n)
{
	return n ? 64 - (uint32_t)__builtin_clzll(n) : 0;
}

/* ---- the parts ---- */

static void on_call(struct analysis *a, inside_parts *parts, const struct walk_call *call)
{
	const struct trace *trace = analysis_trace(a);
	const struct completion *last = NULL;
	int64_t sent = INT64_MIN;

	if (call->kind != CALL_RECV && call->kind != CALL_SENDRECV && call->kind != CALL_WAIT &&
	    call->kind != CALL_WAITALL)
		return;
	for (uint32_t i = 0; i < call->n_received; i++) {
		const struct message *m = trace_message(trace, call->received[i].row);
		const int64_t enter =
			message_arrived(m) ? calls_enter(analysis_calls(a), m->send) : INT64_MAX;
		if (enter == INT64_MAX)
			return;
		if (!last || enter > sent) {
			last = &call->received[i];
			sent = enter;
		}
	}
	if (!last)
		return;
	const struct message *m = trace_message(trace, last->row);
	const int64_t from = sent > call->en ? sent : call->en;
	if (call->lv > from)
		vec_push(parts, ((struct inside_part){
					from, call->lv, 0, 0, last->event, m->send, call->path,
					OF_MESSAGES,
					m->flags & MSG_NO_BYTES ? 0 : bits_of(message_bytes(m)),
					call->location }));
}

extern const struct pattern late_inside_pattern;

static void on_group(struct analysis *a, const struct sync_group *group)
{
	const struct trace *trace = analysis_trace(a);

	if (group->blame == UINT32_MAX || group->collective == UINT32_MAX)
		return;
	for (uint32_t i = 0; i < group->n; i++) {
		const struct sync_party *p = &group->parties[i];
		const int64_t last = group->parties[group->blame].begin;
		const int64_t start = sync_start(group, p);
		const int64_t from = last > start ? last : start;
		const uint64_t most = p->sent > p->received ? p->sent : p->received;
		if (!p->sync || !p->waits || !p->path || p->end <= from ||
		    p->end_event == EVENT_NONE || !trace_has_location(trace, p->location))
			continue;
		inside_parts *parts = analysis_local(a, &late_inside_pattern, p->location);
		vec_push(parts, ((struct inside_part){
					from, p->end, 0, 0, p->end_event, EVENT_NONE, p->path,
					trace_callpath_region(trace, p->path),
					most == UINT64_MAX ? 0 : bits_of(most), p->location }));
	}
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	if (notice->subject == SUBJECT_CALL)
		on_call(a, local, notice->call);
	else
		on_group(a, notice->group);
}

/* ---- what is usual ---- */

/* How many parts of an operation and size take so long. */
struct part_count {
	uint32_t operation, size, bin;
	uint32_t n;
};

typedef VEC(struct part_count) part_counts;

ORDERING(by_bin, struct part_count, operation, size, bin)

/* Eighths of octaves. */
static uint32_t bin_of(int64_t ticks)
{
	const uint64_t t = (uint64_t)ticks;
	const uint32_t bits = bits_of(t);

	if (bits <= EIGHTHS)
		return (uint32_t)t;
	return (bits - EIGHTHS) << EIGHTHS |
	       (uint32_t)(t >> (bits - 1 - EIGHTHS) & ((1u << EIGHTHS) - 1));
}

/* The longest time in it. */
static int64_t bin_end(uint32_t bin)
{
	const uint32_t octave = bin >> EIGHTHS;

	if (bin < 1u << EIGHTHS)
		return bin;
	return (int64_t)((((uint64_t)(bin & ((1u << EIGHTHS) - 1)) | 1u << EIGHTHS) + 1)
			 << (octave - 1)) -
	       1;
}

static void count_parts(const inside_parts *parts, struct keymap *map, part_counts *counts)
{
	const struct inside_part *p;

	vec_each (p, parts) {
		const uint32_t bin = bin_of(p->to - p->from);
		uint32_t row;
		if (p->back > p->away)
			continue;
		if (keymap_new(map, KEY_OF(p->operation, p->size, bin, 0), counts->n, &row))
			vec_push(counts, ((struct part_count){ p->operation, p->size, bin, 0 }));
		counts->data[row].n++;
	}
}

static bool is_same(const struct part_count *a, const struct part_count *b)
{
	return a->operation == b->operation && a->size == b->size;
}

/* Keeps of each operation and size the bin of the tenth percentile. */
static void keep_tenths(part_counts *counts)
{
	size_t kept = 0;

	vec_sort(counts, by_bin);
	for (size_t i = 0, end; i < counts->n; i = end) {
		uint64_t n = 0, seen = 0;
		size_t k = i;
		for (end = i; end < counts->n && is_same(&counts->data[i], &counts->data[end]);
		     end++)
			n += counts->data[end].n;
		while (TENTH * (seen += counts->data[k].n) < n)
			k++;
		counts->data[kept++] = counts->data[k];
	}
	counts->n = kept;
}

static int64_t late_of(const struct inside_part *p, const part_counts *tenths)
{
	const struct part_count key = { p->operation, p->size, UINT32_MAX, 0 };
	size_t low = 0, high = tenths->n;

	BISECT(low, high, middle, by_bin(&tenths->data[middle], &key) < 0);
	if (low == 0 || !is_same(&tenths->data[low - 1], &key))
		return p->to - p->from;
	return p->to - p->from - LATE_TIMES * bin_end(tenths->data[low - 1].bin);
}

/* ---- senders ---- */

struct sender_asked {
	int64_t from, to; /* ticks */
	uint32_t sender, pad;
};

struct asking {
	const struct trace *trace;
	enum time_base base;
};

/* For exchange_ask(). */
static void *answer(void *context, const void *rows, size_t n)
{
	const struct asking *asking = context;
	struct absence *said = xcalloc(n + 1, sizeof *said);

	for (size_t i = 0; i < n; i++) {
		const struct sender_asked *r = (const struct sender_asked *)rows + i;
		said[i] = absence_find(asking->trace, asking->base, r->sender, r->from, r->to);
	}
	return said;
}

/* Whether the call that sent it ended before a delivery's middle: else the sender is in MPI. */
static bool may_be_away(const struct analysis *a, const struct inside_part *p)
{
	return p->partner != EVENT_NONE &&
	       calls_meeting(analysis_calls(a), p->partner).lv < p->from + (p->to - p->from) / 2;
}

typedef VEC(struct inside_part *) part_list;

static void ask_senders(struct analysis *a, const part_list *parts)
{
	const struct trace *trace = analysis_trace(a);
	struct asking asking = { trace, analysis_base(a) };
	struct exchange *x = trace_exchange(trace);
	OWNED struct sender_asked *rows = xcalloc(parts->n + 1, sizeof *rows);
	OWNED uint32_t *to = xcalloc(parts->n + 1, sizeof *to);
	OWNED struct absence *back = NULL;

	for (size_t i = 0; i < parts->n; i++) {
		const struct inside_part *p = parts->data[i];
		rows[i].from = p->from;
		rows[i].to = p->to;
		rows[i].sender = trace_event_location(trace, p->partner);
		to[i] = trace_process_of(trace, rows[i].sender);
	}
	back = x ? exchange_ask(x, rows, parts->n, sizeof *rows, to, answer, &asking, sizeof *back)
		 : answer(&asking, rows, parts->n);
	for (size_t i = 0; i < parts->n; i++)
		if (absence_stops(&back[i], parts->data[i]->from, parts->data[i]->to)) {
			parts->data[i]->away = back[i].from;
			parts->data[i]->back = back[i].to;
		}
}

static void find_away(struct analysis *a, const struct pattern *self)
{
	part_list asked = VEC_INIT;
	struct inside_part *p;

	for (uint32_t l = 0; l < trace_location_count(analysis_trace(a)); l++) {
		inside_parts *parts = analysis_local(a, self, l);
		vec_each (p, parts)
			if (may_be_away(a, p))
				vec_push(&asked, p);
	}
	ask_senders(a, &asked);
	vec_fini(&asked);
}

/* ---- all ---- */

static void found(struct analysis *a, const struct inside_part *p, enum cube_metric metric,
		  int64_t from, int64_t to)
{
	if (to > from)
		analysis_found(a, p->location,
			       &(struct wait){ .event = p->event,
					       .partner = p->partner,
					       .path = p->path,
					       .metric = (uint8_t)metric,
					       .flags = WAIT_PART,
					       .begin = from,
					       .length = to - from });
}

static void add_late(struct analysis *a, const struct inside_part *p, int64_t late)
{
	const int64_t from = p->to - late, until = p->back > from ? p->back : from;

	found(a, p, CUBE_MPI_NO_PROGRESS, p->away > from ? p->away : from, until);
	found(a, p, p->partner == EVENT_NONE ? CUBE_MPI_RELEASED_LATE : CUBE_MPI_DELIVERED_LATE,
	      until, p->to);
}

static void finish(struct analysis *a, const struct pattern *self)
{
	const struct trace *trace = analysis_trace(a);
	part_counts counts = VEC_INIT;
	struct keymap map = { 0 };

	find_away(a, self);
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		count_parts(analysis_local(a, self, l), &map, &counts);
	keymap_fini(&map);
	exchange_rows(trace_exchange(trace), &counts);
	keep_tenths(&counts);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		inside_parts *parts = analysis_local(a, self, l);
		const struct inside_part *p;
		vec_each (p, parts)
			if (late_of(p, &counts) > 0)
				add_late(a, p, late_of(p, &counts));
		vec_fini(parts);
	}
	vec_fini(&counts);
}

const struct pattern late_inside_pattern = {
	.name = "late inside",
	.subjects = 1u << SUBJECT_CALL | 1u << SUBJECT_SYNC,
	.local = sizeof(inside_parts),
	.on_notice = on_notice,
	.finish = finish,
	.release = release,
};
