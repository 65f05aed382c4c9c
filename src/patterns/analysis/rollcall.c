#include "patterns/analysis/rollcall.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "model/trace/region_meaning.h"
#include "patterns/analysis/message_counts.h"
#include "patterns/analysis/rollcall_parts.h"
#include "patterns/severity/region_metric.h"

/* Nodes of the graph: locations, then incomplete collectives. An edge means "waits for". */
struct roll_edge {
	uint32_t from, to;
};

struct roll_maker {
	struct rollcall *roll;
	const struct trace *trace;
	enum time_base base;
	bool *any;       /* [location]: it waits for no rank in particular */
	bool *receives;  /* [location]: no rank sent what its open call receives */
	uint32_t *noted; /* [location]: event of the receive that it waits for, as its roll says */
	struct message_counts counts;
	bool counted; /* there are no events: messages before the open ones are counts */
	VEC(struct roll_edge) edges;
	uint32_t nodes;
};

const char *roll_state_name(enum roll_state state)
{
	static const char *const names[] = { "ended",   "computing",  "sending", "receiving",
					     "waiting", "collective", "mpi",     "stopped",
					     "outside", "unknown" };

	return names[state];
}

/* ---- what is open ---- */

static enum roll_state state_of(const struct trace *trace, uint32_t path)
{
	const struct meaning m = region_meaning(trace, trace_callpath_region(trace, path));

	switch (m.call) {
	case CALL_SEND:
	case CALL_SEND_LOCAL: return ROLL_SEND;
	case CALL_RECV:
	case CALL_SENDRECV: return ROLL_RECV;
	case CALL_WAIT:
	case CALL_WAITALL: return ROLL_WAIT;
	case CALL_COLLECTIVE:
	case CALL_INIT:
	case CALL_FINALIZE: return ROLL_COLLECTIVE;
	default: break;
	}
	if (m.operation == OPERATION_PROBE)
		return ROLL_RECV;
	return m.cls == CLASS_USER ? ROLL_USER : ROLL_OTHER;
}

/* Calls that return when any one of their requests is complete. */
static bool is_any(const struct trace *trace, uint32_t path)
{
	const enum request_use use =
		region_meaning(trace, trace_callpath_region(trace, path)).request;

	return use == REQUEST_COMPLETES_ANY || use == REQUEST_COMPLETES_SOME;
}

/* The location's last event is in a call of MPI other than MPI_Finalize: the program continues
 * after it. */
static bool goes_on(const struct trace *trace, struct cursor c)
{
	struct meaning last;

	while (what_kind(cursor_what(&c)) != EV_LEAVE)
		if (!cursor_prev(&c))
			return false;
	last = region_meaning(trace, trace_callpath_region(trace, what_id(cursor_what(&c))));
	return last.call != CALL_FINALIZE && last.cls != CLASS_USER && last.cls != CLASS_OVERHEAD;
}

/* Searches backwards from the last event for the latest begin or end of a call of MPI. */
static void look_for_mpi(struct roll_maker *m, struct cursor c)
{
	do {
		const uint32_t what = cursor_what(&c), kind = what_kind(what);
		const int64_t time = cursor_time(&c);
		enum region_class cls;
		if (time <= m->roll->still)
			return;
		if (kind != EV_ENTER && kind != EV_LEAVE)
			continue;
		cls = region_meaning(m->trace, trace_callpath_region(m->trace, what_id(what))).cls;
		if (cls != CLASS_USER && cls != CLASS_OVERHEAD)
			m->roll->still = time;
	} while (cursor_prev(&c));
}

static void look_at(struct roll_maker *m, uint32_t location)
{
	const struct location *of = trace_location(m->trace, location);
	struct roll *r = &m->roll->rolls[location];
	struct cursor c;
	uint32_t path;

	*r = (struct roll){ .location = location,
			    .peer = RANK_UNKNOWN,
			    .comm = UINT32_MAX,
			    .collective = UINT32_MAX };
	if (!cursor_last(&c, m->trace, m->base, location)) {
		if (location_runs_code(of))
			r->state = ROLL_UNKNOWN;
		return;
	}
	if (cursor_time(&c) > m->roll->last)
		m->roll->last = cursor_time(&c);
	/* A trace of a running program ends with a mark that the program did not write. */
	if (trace_live(m->trace) && what_kind(cursor_what(&c)) == EV_MARK && !cursor_prev(&c))
		return;
	look_for_mpi(m, c);
	r->since = cursor_time(&c);
	path = of->end_lost ? 0 : cursor_path(&c);
	if (of->stopped || of->end_lost)
		r->state = ROLL_STOPPED;
	else if (!path && goes_on(m->trace, c))
		r->state = ROLL_OUTSIDE;
	if (!path)
		return;
	r->path = trace_callpath(m->trace, path)->canon;
	r->state = state_of(m->trace, path);
	if (r->state == ROLL_USER)
		return;
	m->any[location] = is_any(m->trace, path);
	/* Its enter is the last event at the depth of the call path; later events are inside. */
	do {
		if (what_kind(cursor_what(&c)) == EV_ENTER && what_id(cursor_what(&c)) == path) {
			r->since = cursor_time(&c);
			return;
		}
	} while (cursor_prev(&c));
}

/* While the program runs every rank waits now and then: only waits of at least a fifth of a second
 * are reported. */
static void leave_out_brief(struct roll_maker *m)
{
	const struct rollcall *roll = m->roll;
	const int64_t least = trace_scale(m->trace)->per_second / 5;

	for (uint32_t l = 0; l < roll->n && trace_live(m->trace); l++)
		m->any[l] |= roll->last - roll->rolls[l].since < least;
}

/* ---- who waits for whom ---- */

static void add_edge(struct roll_maker *m, uint32_t from, uint32_t to)
{
	if (!m->any[from])
		vec_push(&m->edges, ((struct roll_edge){ from, to }));
}

/* What the location waits for: a receive, the first that it posted, rather than a send. */
static void note_wait(struct roll_maker *m, uint32_t location, int32_t peer,
		      const struct message *message, bool receives)
{
	const uint32_t event = receives ? message->recv : EVENT_NONE;
	struct roll *r = &m->roll->rolls[location];

	if (r->pending++ == 0 || event < m->noted[location]) {
		m->noted[location] = event;
		r->peer = peer >= 0 ? peer : RANK_UNKNOWN;
		r->tag = message->tag;
		r->tag_known = !(message->flags & MSG_NO_TAG);
		r->comm = message->flags & MSG_NO_COMM ? UINT32_MAX : message->comm;
	}
}

/* Where there are only counts of messages, they tell whether the location waits for its partner. */
static bool is_certain(struct roll_maker *m, uint32_t location, int32_t peer,
		       const struct message *message, bool receives)
{
	struct roll *r = &m->roll->rolls[location];
	const int32_t rank = trace_location(m->trace, location)->rank;
	const uint32_t comm = message->flags & MSG_NO_COMM ? UINT32_MAX : message->comm;
	const bool started = r->state == ROLL_WAIT;
	enum counts_verdict verdict;

	if (!m->counted || m->any[location] || peer < 0 || rank < 0)
		return true;
	verdict = receives ? message_counts_receive(&m->counts, peer, rank, comm, started)
			   : message_counts_send(&m->counts, rank, peer, comm, started);
	r->arriving |= receives && verdict == COUNTS_THERE;
	r->unsure |= verdict == COUNTS_UNKNOWN;
	return verdict == COUNTS_MISSING;
}

static void wait_for(struct roll_maker *m, uint32_t location, int32_t peer,
		     const struct message *message, bool receives)
{
	const uint32_t other = peer >= 0 ? trace_location_of_rank(m->trace, peer) : UINT32_MAX;

	note_wait(m, location, peer, message, receives);
	if (other != UINT32_MAX && is_certain(m, location, peer, message, receives))
		add_edge(m, location, other);
}

/* A blocking send waits where its record is in the open call; one with a request where the location
 * waits for requests. In a call that sends and receives, the send may have completed long ago; the
 * receive certainly has not if no rank sent its message. */
static void look_at_send(struct roll_maker *m, const struct message *message)
{
	const uint32_t location = trace_event_location(m->trace, message->send);
	const struct roll *r = &m->roll->rolls[location];
	const int64_t time = trace_event_time(m->trace, m->base, message->send);
	const bool here = message->flags & MSG_SEND_REQUEST
				  ? r->state == ROLL_WAIT
				  : (r->state == ROLL_SEND ||
				     (r->state == ROLL_RECV && !m->receives[location])) &&
					    time >= r->since;

	if (here)
		wait_for(m, location, message_destination(m->trace, message), message, false);
}

/* One that was sent is under way: its receiver does not depend on what the sender does next. */
static void look_at_receive(struct roll_maker *m, const struct message *message)
{
	const uint32_t location = trace_event_location(m->trace, message->recv);
	const bool sent = !(message->flags & MSG_NO_SEND);
	const struct roll *r = &m->roll->rolls[location];
	const int64_t time = trace_event_time(m->trace, m->base, message->recv);

	if (!trace_has_location(m->trace, location))
		return;
	if (r->state != ROLL_WAIT && (r->state != ROLL_RECV || time < r->since))
		return;
	m->receives[location] |= !sent;
	if (!sent)
		wait_for(m, location, message_source(m->trace, message), message, true);
	else if (!trace_live(m->trace))
		note_wait(m, location, message_source(m->trace, message), message, true);
}

/* Looks at receives before sends, because sends depend on what was found for receives. */
static bool look_at_messages(struct roll_maker *m, const struct progress *progress)
{
	enum { STEP = 1 << 16 };
	const uint32_t n = trace_message_count(m->trace);

	for (uint64_t i = 0; i < 2 * (uint64_t)n; i++) {
		const struct message *message =
			trace_message(m->trace, (uint32_t)(i < n ? i : i - n));
		if (i % STEP == 0 && !progress_step(progress, "roll-call", i, 2 * (uint64_t)n))
			return false;
		if (message->flags & MSG_CANCELLED)
			continue;
		/* A send that was matched with a pending receive is taken as arrived. */
		if (i < n && message->flags & MSG_RECV_PENDING)
			look_at_receive(m, message);
		else if (i >= n && !(message->flags & (MSG_RECV_PENDING | MSG_NO_SEND)) &&
			 message->flags & MSG_NO_RECV)
			look_at_send(m, message);
	}
	return true;
}

/* Ranks in the collective wait for a node that represents it, and that node waits for the ranks
 * that are not: a collective of n ranks costs n edges. */
static void look_at_collective(struct roll_maker *m, uint32_t id, uint32_t *entered)
{
	const struct open_call *call = &m->roll->calls.list.data[id];
	const struct open_member *members = &m->roll->calls.members.data[call->first];
	const struct comm *comm = trace_comm(m->trace, call->comm);
	uint32_t missing = 0;

	for (uint32_t i = 0; i < call->n; i++) {
		if (members[i].location != UINT32_MAX)
			entered[members[i].location] = id + 1;
		if (!members[i].waits)
			continue;
		m->roll->rolls[members[i].location].collective = id;
		m->roll->rolls[members[i].location].comm = call->comm;
		add_edge(m, members[i].location, m->nodes);
	}
	for (uint32_t i = 0; i < comm->size && comm->kind == COMM_PROCESSES; i++) {
		const uint32_t location = trace_location_of_rank(m->trace, comm->ranks[i]);
		if (location == UINT32_MAX || entered[location] == id + 1)
			continue;
		vec_push(&m->edges, ((struct roll_edge){ m->nodes, location }));
		missing++;
	}
	for (uint32_t i = 0; i < call->n; i++)
		if (members[i].waits)
			m->roll->rolls[members[i].location].pending = missing;
	m->nodes++;
}

static void look_at_collectives(struct roll_maker *m)
{
	const uint32_t n = m->roll->n;
	OWNED uint32_t *entered = xcalloc(n, sizeof *entered);
	OWNED bool *inside = xcalloc(n, sizeof *inside);

	for (uint32_t l = 0; l < n; l++)
		inside[l] = m->roll->rolls[l].state == ROLL_COLLECTIVE;
	open_calls_make(&m->roll->calls, m->trace, inside);
	for (uint32_t id = 0; id < m->roll->calls.list.n; id++)
		look_at_collective(m, id, entered);
}

/* Collectives that locations wait in, once each. */
static void look_for_mismatches(struct roll_maker *m)
{
	struct rollcall *roll = m->roll;
	OWNED uint32_t *open = xmalloc((roll->n + 1) * sizeof *open);
	OWNED uint8_t *seen = xcalloc(roll->calls.list.n + 1, 1);
	uint32_t n = 0;

	for (uint32_t l = 0; l < roll->n; l++) {
		const uint32_t id = roll->rolls[l].collective;
		if (id == UINT32_MAX || seen[id])
			continue;
		seen[id] = 1;
		open[n++] = id;
	}
	roll->n_mismatches = mismatches_find(m->trace, &roll->calls, open, n, roll->mismatches);
}

static bool is_in(const struct roll_maker *m, uint32_t location, enum call_kind kind)
{
	const uint32_t path = m->roll->rolls[location].path;

	return path && region_call(m->trace, trace_callpath_region(m->trace, path)) == kind;
}

/* Ranks that never were in MPI_Init: all their events are searched, which are few if they were
 * not. */
static bool never_began(const struct roll_maker *m, uint32_t location)
{
	struct cursor c;

	if (trace_location(m->trace, location)->thread > 0)
		return false;
	for (bool ok = cursor_first(&c, m->trace, m->base, location); ok; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) == EV_ENTER &&
		    region_call(m->trace, trace_callpath_region(m->trace, what_id(what))) ==
			    CALL_INIT)
			return false;
	}
	return true;
}

/* [locations] Those that are missing in MPI_Init, as their processes know; or in MPI_Finalize. */
static bool *missing_in(const struct roll_maker *m, enum call_kind kind)
{
	const uint32_t n = m->roll->n;
	bool *is = xcalloc(n, sizeof *is);
	OWNED_VEC(uint32_t) list = VEC_INIT;
	const uint32_t *location;

	for (uint32_t l = 0; l < n; l++)
		if (!is_in(m, l, kind) && trace_has_location(m->trace, l) &&
		    (kind == CALL_INIT ? never_began(m, l)
				       : trace_location(m->trace, l)->unfinished))
			vec_push(&list, l);
	exchange_rows(trace_exchange(m->trace), &list);
	vec_each (location, &list)
		is[*location] = true;
	return is;
}

/* All ranks call MPI_Init and MPI_Finalize: ranks inside wait for those that have not called it
 * yet. */
static void look_at_world(struct roll_maker *m, enum call_kind kind)
{
	const struct rollcall *roll = m->roll;
	uint32_t waiting = 0, missing = 0;
	OWNED bool *is_missing = NULL;

	for (uint32_t l = 0; l < roll->n; l++)
		if (is_in(m, l, kind)) {
			vec_push(&m->edges, ((struct roll_edge){ l, m->nodes }));
			waiting++;
		}
	if (!waiting)
		return;
	is_missing = missing_in(m, kind);
	for (uint32_t l = 0; l < roll->n; l++) {
		if (!is_missing[l])
			continue;
		vec_push(&m->edges, ((struct roll_edge){ m->nodes, l }));
		missing++;
	}
	for (uint32_t l = 0; l < roll->n; l++)
		if (is_in(m, l, kind))
			roll->rolls[l].pending = missing;
	m->nodes++;
}

/* ---- all processes that share the trace ---- */

/* What the process of a location says. */
struct roll_row {
	struct roll roll;
	bool any;
};

/* What each found of its own locations. Edges that begin at one stay in their order. */
static void share(struct roll_maker *m)
{
	struct exchange *x = trace_exchange(m->trace);
	OWNED_VEC(struct roll_row) rows = VEC_INIT;
	const struct roll_row *row;

	if (!x)
		return;
	for (uint32_t l = 0; l < m->roll->n; l++)
		if (trace_has_location(m->trace, l))
			vec_push(&rows, ((struct roll_row){ m->roll->rolls[l], m->any[l] }));
	exchange_rows(x, &rows);
	vec_each (row, &rows) {
		m->roll->rolls[row->roll.location] = row->roll;
		m->any[row->roll.location] = row->any;
	}
	exchange_rows(x, &m->edges);
	m->roll->last = exchange_latest(x, m->roll->last);
	m->roll->still = exchange_latest(x, m->roll->still);
}

/* ---- the graph ---- */

static void graph_make(struct lists *g, const struct roll_maker *m)
{
	OWNED uint32_t *from = xmalloc((m->edges.n + 1) * sizeof *from);

	for (size_t i = 0; i < m->edges.n; i++)
		from[i] = m->edges.data[i].from;
	lists_make(g, m->nodes, from, (uint32_t)m->edges.n);
	for (size_t i = 0; i < m->edges.n; i++)
		g->list[i] = m->edges.data[g->list[i]].to;
}

/* The first cycle that a depth-first walk finds, without recursion; nodes that are not locations
 * are left out of the result. */
static void find_cycle(struct rollcall *roll, uint32_t nodes, const struct lists *g)
{
	enum { NEW, OPEN, DONE };
	uint8_t *colour = xcalloc(nodes, 1);
	uint32_t *at = xcalloc(nodes, sizeof *at), *stack = xcalloc(nodes, sizeof *stack);

	for (uint32_t start = 0; start < nodes && !roll->n_cycle; start++) {
		uint32_t depth = 0;
		if (colour[start] != NEW)
			continue;
		stack[depth++] = start;
		colour[start] = OPEN;
		at[start] = g->start[start];
		while (depth && !roll->n_cycle) {
			const uint32_t node = stack[depth - 1];
			uint32_t next;
			if (at[node] == g->start[node + 1]) {
				colour[node] = DONE;
				depth--;
				continue;
			}
			next = g->list[at[node]++];
			if (colour[next] == OPEN) {
				uint32_t i = depth;
				while (stack[--i] != next)
					;
				for (; i < depth; i++)
					if (stack[i] < roll->n)
						roll->cycle[roll->n_cycle++] = stack[i];
			} else if (colour[next] == NEW) {
				colour[next] = OPEN;
				at[next] = g->start[next];
				stack[depth++] = next;
			}
		}
	}
	free_all(colour, at, stack);
}

/* Locations at which chains of waiting end: others wait for them, but they wait for none. */
static void find_blamed(struct rollcall *roll, const struct roll_maker *m, const struct lists *g)
{
	OWNED uint32_t *waiters = xcalloc(m->nodes, sizeof *waiters);

	/* Members of a collective first: the edge from its node then represents all of them. */
	for (size_t i = 0; i < m->edges.n; i++)
		if (m->edges.data[i].to >= roll->n)
			waiters[m->edges.data[i].to]++;
	for (size_t i = 0; i < m->edges.n; i++)
		if (m->edges.data[i].to < roll->n)
			waiters[m->edges.data[i].to] += m->edges.data[i].from >= roll->n
								? waiters[m->edges.data[i].from]
								: 1;
	for (uint32_t l = 0; l < roll->n; l++)
		if (waiters[l] && g->start[l] == g->start[l + 1]) {
			roll->blamed[roll->n_blamed] = l;
			roll->waiters[roll->n_blamed++] = waiters[l];
		}
}

/* ---- the roll call ---- */

/* A rank of a running program that is not recorded now has not ended, either. */
static bool anybody_open(const struct trace *trace)
{
	const bool live = trace_live(trace) != NULL;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *location = trace_location(trace, l);

		if (!location->end_lost &&
		    (location->cut_off || location->unfinished || (live && location->stopped)))
			return true;
	}
	return false;
}

static void allocate(struct rollcall *roll, uint32_t n)
{
	roll->n = n;
	roll->rolls = xcalloc(n, sizeof *roll->rolls);
	roll->order = xcalloc(n, sizeof *roll->order);
	roll->groups = xcalloc(n, sizeof *roll->groups);
	roll->cycle = xcalloc(n, sizeof *roll->cycle);
	roll->blamed = xcalloc(n, sizeof *roll->blamed);
	roll->waiters = xcalloc(n, sizeof *roll->waiters);
}

bool rollcall_make(struct rollcall *roll, const struct trace *trace, enum time_base base,
		   const struct progress *progress)
{
	struct roll_maker m = { .roll = roll, .trace = trace, .base = base };
	struct lists graph;
	bool ok;

	*roll = (struct rollcall){ .odd = UINT32_MAX, .last = INT64_MIN, .still = INT64_MIN };
	if (trace_partial(trace)->is || !anybody_open(trace))
		return false;
	allocate(roll, trace_location_count(trace));
	m.nodes = roll->n;
	m.any = xcalloc(roll->n, sizeof *m.any);
	m.receives = xcalloc(roll->n, sizeof *m.receives);
	m.noted = xcalloc(roll->n, sizeof *m.noted);
	for (uint32_t l = 0; l < roll->n; l++)
		look_at(&m, l);
	leave_out_brief(&m);
	m.counted = trace_records_alone(trace);
	message_counts_make(&m.counts, trace);
	ok = look_at_messages(&m, progress);
	share(&m);
	rollcall_make_groups(roll, trace);
	if (ok) {
		look_at_collectives(&m);
		look_for_mismatches(&m);
		look_at_world(&m, CALL_INIT);
		look_at_world(&m, CALL_FINALIZE);
		graph_make(&graph, &m);
		find_cycle(roll, m.nodes, &graph);
		find_blamed(roll, &m, &graph);
		lists_fini(&graph);
	}
	message_counts_fini(&m.counts);
	free_all(m.any, m.receives, m.noted);
	vec_fini(&m.edges);
	return ok;
}

void rollcall_fini(struct rollcall *roll)
{
	open_calls_fini(&roll->calls);
	free_all(roll->rolls, roll->order, roll->groups, roll->cycle, roll->blamed, roll->waiters);
	*roll = (struct rollcall){ 0 };
}

int64_t rollcall_cycle_since(const struct rollcall *roll)
{
	int64_t since = roll->n_cycle ? INT64_MIN : INT64_MAX;

	for (uint32_t i = 0; i < roll->n_cycle; i++)
		if (roll->rolls[roll->cycle[i]].since > since)
			since = roll->rolls[roll->cycle[i]].since;
	return since;
}
