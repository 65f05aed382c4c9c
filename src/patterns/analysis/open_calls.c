#include "patterns/analysis/open_calls.h"

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/detail.h"
#include "model/trace/halo.h"

/* A collective, for all processes: by its turn, or as the row of the process that has all of it. */
struct call_key {
	uint32_t comm, turn, which;
	uint32_t owner; /* 1 + process; 0: its members may be in several */
};

ORDERING(compare_keys, struct call_key, owner, comm, turn, which)

/* A member, with what its process knows of the call. */
struct member_row {
	struct call_key key;
	struct open_call call;
	struct open_member member;
	uint32_t begin; /* event, in its process */
	uint32_t next;  /* row of the same location, UINT32_MAX none */
};

struct open_maker {
	const struct trace *trace;
	const bool *inside;
	uint32_t *latest; /* [locations] begin of the collective that was begun last and not left,
			     EVENT_NONE */
	VEC(struct call_key) keys;
	VEC(struct member_row) rows;
};

static struct call_key key_of(const struct trace *trace, uint32_t id)
{
	struct call_key key = { trace_collective(trace, id)->comm, id, 0,
				1 + exchange_process(trace_exchange(trace)) };

	if (trace_exchange(trace) && id >= trace_first_turn(trace)) {
		key.owner = 0;
		key.turn = trace_turn(trace, id)->turn;
		key.which = trace_turn(trace, id)->which;
	}
	return key;
}

/* ---- who waits ---- */

/* Whether the location is inside of the call, unless it began another one later. */
static bool is_open(const struct open_maker *m, const struct collective *c,
		    const struct member *member)
{
	return !(c->flags & COLL_REQUEST) && member->begin != EVENT_NONE &&
	       member->end == EVENT_NONE &&
	       m->inside[trace_event_location(m->trace, member->begin)];
}

static bool waits(const struct open_maker *m, const struct collective *c,
		  const struct member *member)
{
	return is_open(m, c, member) &&
	       m->latest[trace_event_location(m->trace, member->begin)] == member->begin;
}

static void find_latest(struct open_maker *m)
{
	for (uint32_t id = 0; id < trace_collective_count(m->trace); id++) {
		const struct collective *c = trace_collective(m->trace, id);
		for (uint32_t i = 0; i < c->members; i++) {
			const struct member *member = trace_member(m->trace, c->first + i);
			uint32_t *latest;
			if (!is_open(m, c, member))
				continue;
			latest = &m->latest[trace_event_location(m->trace, member->begin)];
			if (*latest == EVENT_NONE || *latest < member->begin)
				*latest = member->begin;
		}
	}
}

/* The keys of calls that a location waits in, in all processes. */
static void find_keys(struct open_maker *m)
{
	size_t n = 0;

	for (uint32_t id = 0; id < trace_collective_count(m->trace); id++) {
		const struct collective *c = trace_collective(m->trace, id);
		bool any = false;
		for (uint32_t i = 0; i < c->members && !any; i++)
			any = waits(m, c, trace_member(m->trace, c->first + i));
		if (any)
			vec_push(&m->keys, key_of(m->trace, id));
	}
	exchange_rows(trace_exchange(m->trace), &m->keys);
	if (m->keys.n)
		vec_sort(&m->keys, compare_keys);
	for (size_t i = 0; i < m->keys.n; i++)
		if (!n || compare_keys(&m->keys.data[n - 1], &m->keys.data[i]) != 0)
			m->keys.data[n++] = m->keys.data[i];
	m->keys.n = n;
}

/* ---- the members ---- */

/* The value of a forged trace may be anything. */
static uint32_t operand(const struct trace *trace, uint32_t begin, const char *name)
{
	const struct event_attribute *a =
		begin == EVENT_NONE ? NULL : trace_event_attribute(trace, begin, name);

	return a && attribute_kind(trace, a) == FIELD_STRING && a->value < trace_string_count(trace)
		       ? (uint32_t)a->value
		       : UINT32_MAX;
}

static void add_member(struct open_maker *m, const struct call_key *key, const struct collective *c,
		       const struct member *member)
{
	const uint32_t begin = member->begin;
	const struct open_member of = {
		.location =
			begin == EVENT_NONE ? UINT32_MAX : trace_event_location(m->trace, begin),
		.type = operand(m->trace, begin, COLLECTIVE_TYPE),
		.operation = operand(m->trace, begin, COLLECTIVE_OPERATION),
		.waits = waits(m, c, member),
		.sent = member->sent,
		.received = member->received,
	};

	vec_push(&m->rows, ((struct member_row){ *key,
						 { c->comm, c->region, c->flags, c->root, 0, 0 },
						 of,
						 begin,
						 UINT32_MAX }));
}

static void find_members(struct open_maker *m)
{
	for (uint32_t id = 0; m->keys.n && id < trace_collective_count(m->trace); id++) {
		const struct collective *c = trace_collective(m->trace, id);
		const struct call_key key = key_of(m->trace, id);
		if (!bsearch(&key, m->keys.data, m->keys.n, sizeof key, compare_keys))
			continue;
		for (uint32_t i = 0; i < c->members; i++)
			add_member(m, &key, c, trace_member(m->trace, c->first + i));
	}
}

/* ---- positions ---- */

/* The number of earlier calls of which nothing was recorded. */
static uint32_t calls_before(const struct trace *trace, uint32_t begin)
{
	const struct event_attribute *before = trace_event_attribute(trace, begin, CALLS_BEFORE);

	return before ? (uint32_t)before->value : 0;
}

static void count_call(struct open_maker *m, uint32_t row, uint32_t comm, uint32_t begin)
{
	for (; row != UINT32_MAX; row = m->rows.data[row].next)
		m->rows.data[row].member.position +=
			m->rows.data[row].call.comm == comm && begin < m->rows.data[row].begin;
}

/* How many calls on the communicator each member's location began up to then. */
static void count_positions(struct open_maker *m)
{
	const struct trace *trace = m->trace;
	const uint32_t n = trace_location_count(trace);
	OWNED uint32_t *first = xmalloc((n + 1u) * sizeof *first);

	for (uint32_t l = 0; l < n; l++)
		first[l] = UINT32_MAX;
	for (uint32_t i = 0; i < m->rows.n; i++) {
		struct member_row *row = &m->rows.data[i];
		if (row->begin == EVENT_NONE)
			continue;
		row->member.position = 1 + calls_before(trace, row->begin);
		row->next = first[row->member.location];
		first[row->member.location] = i;
	}
	for (uint32_t id = 0; m->rows.n && id < trace_collective_count(trace); id++) {
		const struct collective *c = trace_collective(trace, id);
		for (uint32_t i = 0; i < c->members; i++) {
			const uint32_t begin = trace_member(trace, c->first + i)->begin;
			if (begin != EVENT_NONE)
				count_call(m, first[trace_event_location(trace, begin)], c->comm,
					   begin);
		}
	}
}

/* ---- all ---- */

static int compare_rows(const void *a, const void *b)
{
	const struct member_row *x = a, *y = b;
	const int order = compare_keys(&x->key, &y->key);

	if (order)
		return order;
	ORDER_BY(x->member.location, y->member.location);
	return ORDER(x->begin, y->begin);
}

static void add_calls(struct open_calls *calls, struct open_maker *m)
{
	const struct member_row *before = NULL, *row;

	if (m->rows.n)
		vec_sort(&m->rows, compare_rows);
	vec_each (row, &m->rows) {
		if (!before || compare_keys(&before->key, &row->key) != 0) {
			vec_push(&calls->list, row->call);
			vec_last(&calls->list)->first = (uint32_t)calls->members.n;
		}
		vec_last(&calls->list)->n++;
		vec_push(&calls->members, row->member);
		before = row;
	}
}

void open_calls_make(struct open_calls *calls, const struct trace *trace, const bool *inside)
{
	const uint32_t n = trace_location_count(trace);
	struct open_maker m = { .trace = trace, .inside = inside };

	*calls = (struct open_calls){ VEC_INIT, VEC_INIT };
	m.latest = xmalloc((n + 1u) * sizeof *m.latest);
	for (uint32_t l = 0; l < n; l++)
		m.latest[l] = EVENT_NONE;
	find_latest(&m);
	find_keys(&m);
	find_members(&m);
	count_positions(&m);
	exchange_rows(trace_exchange(trace), &m.rows);
	add_calls(calls, &m);
	free(m.latest);
	vec_fini(&m.keys);
	vec_fini(&m.rows);
}

void open_calls_fini(struct open_calls *calls)
{
	vec_fini(&calls->list);
	vec_fini(&calls->members);
}
