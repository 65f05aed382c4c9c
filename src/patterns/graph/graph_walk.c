/* Rows of events: one walk over each location, up to the window's end. The rules are those of
 * model/sums/profile_visits.c: a visit counts where it begins in the window, its time is the part
 * inside, min and max are of whole visits that begin in it; with a filter only visits that match
 * have numbers (the outermost that matches has the time), but what contains them still has their
 * waiting and transfer, so that a way leads down to them.
 *
 * Waiting and transfer go up the open regions as these end, and into the row of the
 * outermost activation of each: exact for every call statement. A communication has them of its own
 * time alone, so that one inside another counts once. */
#include <stdlib.h>

#include "base/jobs.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "model/trace/gap.h"
#include "model/trace/message.h"
#include "model/trace/visit_walk.h"
#include "patterns/graph/graph_state.h"
#include "patterns/kinds/lateness.h"

enum { STEP_EVENTS = 1 << 16 };

/* An open region. */
struct graph_frame {
	struct graph_place place;
	uint32_t event; /* its enter, EVENT_NONE */
	uint32_t ask;   /* that the filter is asked about, EVENT_NONE nothing */
	uint32_t ends;  /* index of its first entry in w->ends */
	uint8_t kind, call;
	bool asked, matches, began;
	int64_t enter, spent, trans, sync, estimated; /* ticks; all but `enter` in the window */
};

/* Shared by all threads. */
struct graph_walkers {
	struct graph *graph;
	const struct graph_ready *ready;
	const struct progress *progress;
	struct graph_walker *walks; /* [jobs] */
	atomic_bool stopped;
};

struct graph_walker {
	struct visit_walk v;
	struct gap_walk gaps;
	struct graph_walkers *all;
	const struct graph *graph;
	const struct trace *trace;
	uint32_t location;
	VEC(struct graph_frame) open;
	VEC(uint32_t) ends; /* ends of messages and collectives in open communications */
	uint32_t *depth;    /* [nodes] open */
	uint32_t *matching; /* [nodes] open, of those that match */
	uint32_t *last;     /* [nodes] 1 + the row that was used last, 0 none */
	struct graph_rows rows;
	struct keymap keys;
	size_t began, talking; /* open visits that began in the window; open communications */
	struct graph_row program;
};

static int64_t clip(const struct graph_walker *w, int64_t t)
{
	return visit_walk_clip(&w->v, t);
}

/* ---- rows ---- */

static struct graph_row *row_of(struct graph_walker *w, const struct graph_place *place,
				int32_t partner, uint32_t comm)
{
	const uint32_t known = w->last[place->node];
	uint32_t *at;

	if (known) {
		struct graph_row *row = &w->rows.data[known - 1];
		if (row->r.from == place->from && row->r.partner == partner && row->r.comm == comm)
			return row;
	}
	at = keymap_add(&w->keys, KEY_OF(place->node, place->from, (uint32_t)partner, comm));
	if (*at == UINT32_MAX) {
		*at = (uint32_t)w->rows.n;
		vec_push(&w->rows, ((struct graph_row){ .r = { .statement = place->node,
							       .location = w->location,
							       .from = place->from,
							       .partner = partner,
							       .comm = comm } }));
	}
	w->last[place->node] = *at + 1;
	return &w->rows.data[*at];
}

/* The part that is common to all rows. `first`: no visit of its node is open around it. */
static void add_visit(const struct graph_walker *w, struct graph_row *row,
		      const struct graph_frame *f, int64_t t, bool first)
{
	struct statement_record *r = &row->r;

	row->happened = true;
	graph_add(&r->exclusive, f->spent);
	row->estimated_own += f->estimated;
	if (first) {
		graph_add(&r->time, clip(w, t) - clip(w, f->enter));
		row->estimated += gap_time_of_visit(w->trace, w->v.c.base, w->location,
						    clip(w, f->enter), clip(w, t));
	}
	row->earlier += !f->began;
	if (!f->began || !graph_counts_visits(graph_at(w->graph, r->statement)))
		return;
	if (first) {
		const int64_t length = t - f->enter;
		const bool none = r->count == r->inner;
		r->min = none || length < r->min ? length : r->min;
		r->max = none || length > r->max ? length : r->max;
	}
	r->count++;
	r->inner += !first;
}

/* ---- communication ---- */

/* One direction of a call's communication. */
struct talk_side {
	uint32_t n;
	int32_t partner;
	uint32_t comm;
	uint64_t bytes;
};

struct graph_talk {
	struct talk_side out, in, group;
	bool unmatched;           /* an end whose other end is missing */
	int64_t sender, receiver; /* late by so much, at most */
	int64_t start, length;    /* synchronisation of a collective */
	enum graph_told told;     /* of a collective */
	bool completes, requests; /* a collective */
};

static void add_side(struct talk_side *side, int32_t partner, uint32_t comm, uint64_t bytes)
{
	if (side->n++ == 0) {
		side->partner = partner;
		side->comm = comm;
	}
	if (side->partner != partner)
		side->partner = PARTNER_MANY;
	if (side->comm != comm)
		side->comm = UINT32_MAX;
	side->bytes += bytes;
}

static void add_message(const struct graph_walker *w, const struct graph_frame *f,
			struct graph_talk *talk, enum event_kind kind, uint32_t row, int64_t t)
{
	const struct calls *calls = w->all->ready->calls;
	const struct message *m;
	uint64_t bytes;
	int64_t late;

	if (row >= trace_message_count(w->trace))
		return;
	m = trace_message(w->trace, row);
	if (m->flags & MSG_CANCELLED)
		return;
	bytes = m->flags & MSG_NO_BYTES ? 0 : message_bytes(m);
	if (kind == EV_RECV || kind == EV_RECV_REQUEST) {
		/* A receive belongs to the statement that requested it. */
		const bool asked = !(m->flags & (MSG_NO_RECV | MSG_RECV_PENDING)) &&
				   calls_post(calls, row) != m->recv;
		add_side(&talk->in, message_source(w->trace, m), m->comm,
			 asked == (kind == EV_RECV_REQUEST) ? bytes : 0);
		if (kind == EV_RECV_REQUEST)
			return;
		talk->unmatched |= (m->flags & (MSG_NO_SEND | MSG_NO_RECV)) != 0;
		late = late_sender_length(calls, w->trace, row, f->enter, t);
		talk->sender = late > talk->sender ? late : talk->sender;
		return;
	}
	add_side(&talk->out,
		 m->flags & MSG_BROADCAST ? PARTNER_MANY : message_destination(w->trace, m),
		 m->comm, kind == EV_SEND ? bytes : 0);
	if (kind == EV_SEND && m->flags & MSG_SEND_REQUEST)
		return;
	talk->unmatched |= (m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING)) != 0;
	late = late_receiver_length(calls, w->trace, row, f->enter, t);
	talk->receiver = late > talk->receiver ? late : talk->receiver;
}

static void add_collective(const struct graph_walker *w, struct graph_talk *talk,
			   enum event_kind kind, uint32_t id)
{
	const struct graph_ready *ready = w->all->ready;
	const struct graph_party *party;
	const struct collective *c;
	const struct member *member;

	if (id >= ready->n_parties || ready->parties[id].collective == UINT32_MAX)
		return;
	party = &ready->parties[id];
	c = trace_collective(w->trace, party->collective);
	member = trace_member(w->trace, id);
	talk->requests |= kind == EV_COLLECTIVE_BEGIN;
	if (kind == EV_COLLECTIVE_BEGIN && talk->group.n == 0) {
		add_side(&talk->group, c->root >= 0 ? c->root : PARTNER_MANY, c->comm, 0);
		talk->group.n = 0;
		return;
	}
	if (kind != EV_COLLECTIVE_END)
		return;
	add_side(&talk->group, c->root >= 0 ? c->root : PARTNER_MANY, c->comm, 0);
	talk->out.bytes += member->sent == UINT64_MAX ? 0 : member->sent;
	talk->in.bytes += member->received == UINT64_MAX ? 0 : member->received;
	if (!talk->completes || party->length > talk->length) {
		talk->start = party->start;
		talk->length = party->length;
	}
	talk->told = !talk->completes || party->told < talk->told ? (enum graph_told)party->told
								  : talk->told;
	talk->completes = true;
}

static void gather(const struct graph_walker *w, const struct graph_frame *f,
		   struct graph_talk *talk, int64_t t)
{
	for (size_t i = f->ends; i < w->ends.n; i++) {
		const uint32_t what = w->ends.data[i];
		const enum event_kind kind = what_kind(what);
		if (kind == EV_COLLECTIVE_BEGIN || kind == EV_COLLECTIVE_END)
			add_collective(w, talk, kind, what_id(what));
		else
			add_message(w, f, talk, kind, what_id(what), t);
	}
}

/* MPI_Finalize is a group without records. */
static enum graph_told tell_finalize(const struct graph_walker *w, const struct graph_frame *f,
				     struct graph_talk *talk)
{
	const struct graph_finalize *call = &w->all->ready->finalizes[w->location];

	if (!call->told || call->enter != f->event)
		return TOLD_NOT;
	talk->start = f->enter;
	talk->length = call->length;
	return TOLD_MATCHED;
}

/* Whether the waiting part of the call is known. */
static enum graph_told tell(const struct graph_walker *w, const struct graph_frame *f,
			    struct graph_talk *talk)
{
	switch ((enum call_kind)f->call) {
	case CALL_SEND_LOCAL:
	case CALL_POST:
	case CALL_TEST: return TOLD_OWN;
	case CALL_INIT: return TOLD_NOT; /* when a process gets there is not the program's doing */
	case CALL_FINALIZE: return tell_finalize(w, f, talk);
	case CALL_PROBE:
	case CALL_PEEK:
	case CALL_OTHER:
		return talk->requests && !talk->completes && !talk->in.n ? TOLD_OWN : TOLD_NOT;
	default:
		if (talk->unmatched || (talk->completes && talk->told == TOLD_NOT))
			return TOLD_NOT;
		if (talk->completes && !talk->in.n && !talk->out.n)
			return talk->told;
		return talk->in.n + talk->out.n ? TOLD_MATCHED : TOLD_NOT;
	}
}

/* Who waits for whom is the wait states' own: a receiver in each call that completes receives, a
 * sender in those that block; of MPI_Waitall the sender's wait counts only where no receive had to
 * wait. */
static int64_t message_wait(const struct graph_frame *f, const struct graph_talk *talk)
{
	switch ((enum call_kind)f->call) {
	case CALL_RECV:
	case CALL_SENDRECV: return talk->sender;
	case CALL_SEND: return talk->receiver;
	case CALL_WAIT: return talk->sender > talk->receiver ? talk->sender : talk->receiver;
	case CALL_WAITALL: return talk->sender > 0 ? talk->sender : talk->receiver;
	default: return 0;
	}
}

static int64_t part_inside(const struct graph_walker *w, int64_t start, int64_t length)
{
	return length > 0 ? clip(w, start + length) - clip(w, start) : 0;
}

static struct talk_side partner_of(const struct graph_frame *f, const struct graph_talk *talk)
{
	struct talk_side all = { .partner = RANK_UNKNOWN, .comm = UINT32_MAX };

	if (talk->completes || talk->requests)
		return talk->group;
	if (talk->out.n)
		add_side(&all, talk->out.partner, talk->out.comm, 0);
	if (talk->in.n && talk->out.n)
		add_side(&all, talk->in.partner, talk->in.comm, 0);
	else if (talk->in.n)
		all = talk->in;
	if (f->call == CALL_WAITALL)
		all.partner = PARTNER_MANY;
	return all;
}

/* The call's row; its two directions have one each where MPI_Sendrecv has two partners, as in
 * capture: its time and what it waited belong to the one that it received from, the other has its
 * bytes, and the count as one without time. */
static struct graph_row *communication_row(struct graph_walker *w, const struct graph_frame *f,
					   const struct graph_talk *talk)
{
	struct talk_side side = partner_of(f, talk);
	struct graph_row *row;

	if (f->call == CALL_SENDRECV && talk->in.n && talk->out.n &&
	    (talk->in.partner != talk->out.partner || talk->in.comm != talk->out.comm)) {
		row = row_of(w, &f->place, talk->out.partner, talk->out.comm);
		row->r.count += f->began;
		row->r.inner += f->began;
		row->r.sent += f->began ? talk->out.bytes : 0;
		row->r.flags |= RECORD_SENT;
		row = row_of(w, &f->place, talk->in.partner, talk->in.comm);
	} else {
		row = row_of(w, &f->place, side.partner, side.comm);
		row->r.sent += f->began ? talk->out.bytes : 0;
		row->r.flags |= talk->out.n || talk->out.bytes ? RECORD_SENT : 0;
	}
	row->r.received += f->began ? talk->in.bytes : 0;
	row->r.flags |= talk->in.n || talk->in.bytes ? RECORD_RECEIVED : 0;
	return row;
}

static void end_communication(struct graph_walker *w, struct graph_frame *f, int64_t t, bool first)
{
	struct graph_talk talk = { .told = TOLD_NOT };
	struct graph_row *row;
	enum graph_told told;
	int64_t sync, other;

	gather(w, f, &talk, t);
	told = tell(w, f, &talk);
	row = communication_row(w, f, &talk);
	add_visit(w, row, f, t, first);
	sync = part_inside(w, f->enter, message_wait(f, &talk));
	other = part_inside(w, talk.start, talk.length);
	sync = other > sync ? other : sync;
	sync = sync > f->spent ? f->spent : sync;
	if (told == TOLD_NOT && sync == 0)
		return;
	row->r.own += f->began && told == TOLD_OWN && sync == 0;
	row->told += f->began && (told != TOLD_OWN || sync > 0);
	graph_add(&row->r.sync, sync);
	graph_add(&row->r.trans, f->spent - sync);
	f->sync += sync;
	f->trans += f->spent - sync;
}

/* ---- regions ---- */

static void end_frame(struct graph_walker *w, int64_t t)
{
	struct graph_frame f = vec_pop(&w->open);
	const bool first = --w->depth[f.place.node] == 0;
	const bool talks = f.kind == GRAPH_KIND_COMMUNICATION;
	const bool first_match = f.matches && --w->matching[f.place.node] == 0;
	const bool inside = f.began || clip(w, t) > clip(w, f.enter);

	w->talking -= talks;
	w->began -= f.began;
	if (inside && f.matches && talks) {
		end_communication(w, &f, t, first_match);
	} else if (inside && !talks && (f.matches || f.trans || f.sync)) {
		struct graph_row *row = row_of(w, &f.place, 0, UINT32_MAX);
		if (f.matches)
			add_visit(w, row, &f, t, first_match);
		if (first) {
			graph_add(&row->r.trans, f.trans);
			graph_add(&row->r.sync, f.sync);
		}
	}
	w->ends.n = f.ends;
	if (w->open.n) {
		vec_last(&w->open)->trans += f.trans;
		vec_last(&w->open)->sync += f.sync;
	} else {
		graph_add(&w->program.r.trans, f.trans);
		graph_add(&w->program.r.sync, f.sync);
	}
}

static void end_down_to(struct graph_walker *w, uint32_t depth, int64_t t)
{
	while (w->open.n > depth)
		end_frame(w, t);
}

/* Asks the filter once the visit is known to be in the window. */
static void ask(struct graph_walker *w, struct graph_frame *f)
{
	const struct filter *filter = w->graph->options.filter;

	f->asked = true;
	f->matches = !filter ||
		     (f->ask != EVENT_NONE && filter_event(filter, w->graph->options.base, f->ask));
	f->began = f->matches && f->enter >= w->v.t0 && f->enter < w->v.t1;
	w->matching[f->place.node] += f->matches;
	w->began += f->began;
}

static void push(struct graph_walker *w, uint32_t path, uint32_t event, uint32_t asked, int64_t t)
{
	const struct graph_place place = w->graph->places[path];
	const struct graph_frame f = {
		.place = place,
		.event = event,
		.ask = asked,
		.ends = (uint32_t)w->ends.n,
		.kind = graph_at(w->graph, place.node)->kind,
		.call = (uint8_t)calls_kind(w->all->ready->calls, path),
		.enter = t,
	};

	w->depth[place.node]++;
	w->talking += f.kind == GRAPH_KIND_COMMUNICATION;
	vec_push(&w->open, f);
}

/* ---- a location ---- */

/* The leaves of visits that were open at the start: the filter is asked about these. */
static void find_leaves(struct graph_walker *w)
{
	uint32_t *leaves = xcalloc(w->open.n + 1, sizeof *leaves);

	visit_walk_leaves(w->trace, w->v.c, leaves, (uint32_t)w->open.n);
	for (size_t i = 0; i < w->open.n; i++)
		w->open.data[i].ask = leaves[i];
	free(leaves);
}

static void open_at_start(struct graph_walker *w)
{
	const uint32_t depth = trace_callpath(w->trace, w->v.path)->depth;
	OWNED uint32_t *chain = callpath_chain(w->trace, w->v.path);

	for (uint32_t d = 0; d < depth; d++)
		push(w, chain[d], EVENT_NONE, EVENT_NONE, w->v.time);
	if (w->graph->options.filter)
		find_leaves(w);
}

static void spend(struct graph_walker *w)
{
	const int64_t length = w->v.to - w->v.from;
	struct graph_frame *top = w->open.n ? vec_last(&w->open) : NULL;

	if (!w->v.traced || length <= 0)
		return;
	graph_add(&w->program.r.time, length);
	graph_add(top ? &top->spent : &w->program.r.exclusive, length);
	if (top && gap_walk_has(&w->gaps, w->v.from, w->v.to))
		top->estimated += length;
}

static void note_end(struct graph_walker *w, uint32_t what)
{
	if (w->open.n && vec_last(&w->open)->kind == GRAPH_KIND_COMMUNICATION)
		vec_push(&w->ends, what);
}

static void see_event(struct graph_walker *w)
{
	const struct visit_walk *v = &w->v;

	switch (visit_walk_kind(v)) {
	case EV_ENTER:
		push(w, v->next, v->c.id, v->c.id, v->time);
		if (v->time >= v->t0 && v->time < v->t1)
			ask(w, vec_last(&w->open));
		break;
	case EV_LEAVE: end_down_to(w, trace_callpath(w->trace, v->next)->depth, v->time); break;
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV:
	case EV_RECV_REQUEST:
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END: note_end(w, v->what); break;
	default: break;
	}
}

/* Starts at the first event that is not before the window: visits open there may belong to it. */
static void reach_window(struct graph_walker *w)
{
	for (size_t i = 0; i < w->open.n; i++)
		if (!w->open.data[i].asked)
			ask(w, &w->open.data[i]);
}

static void walk_events(struct graph_walker *w, unsigned worker)
{
	bool reached = false, ok = true;

	for (size_t n = 1; ok; ok = visit_walk_next(&w->v), n++) {
		if (!reached && w->v.time >= w->v.t0) {
			reach_window(w);
			reached = true;
		}
		spend(w);
		/* After the window only the ends of visits that began in it matter, and what
		 * communications completed. */
		if (w->v.time >= w->v.t1 && w->began == 0 && w->talking == 0)
			break;
		see_event(w);
		if (n % STEP_EVENTS == 0 && worker == 0 &&
		    !progress_step(w->all->progress, "program graph", w->location,
				   trace_location_count(w->trace)))
			w->all->stopped = true;
		if (n % STEP_EVENTS == 0 && w->all->stopped)
			break;
	}
}

static void take_rows(struct graph_walker *w)
{
	struct graph_rows *made = &w->all->graph->made[w->location];

	for (size_t i = 0; i < w->rows.n; i++)
		w->last[w->rows.data[i].r.statement] = 0;
	w->program.r.count = 1;
	vec_push(&w->rows, w->program);
	made->data = xmalloc(w->rows.n * sizeof *made->data);
	made->n = made->cap = w->rows.n;
	for (size_t i = 0; i < w->rows.n; i++)
		made->data[i] = w->rows.data[i];
	w->rows.n = 0;
	keymap_fini(&w->keys);
	w->keys = (struct keymap){ 0 };
}

static void walk_location(void *context, unsigned worker, size_t location)
{
	struct graph_walkers *all = context;
	struct graph_walker *w = &all->walks[worker];
	const struct graph *graph = all->graph;

	if (all->stopped || !graph->chosen[location] ||
	    !filter_location(graph->options.filter, (uint32_t)location) ||
	    !visit_walk_begin_all(&w->v, graph->trace, graph->options.base, (uint32_t)location,
				  graph->options.t0, graph->options.t1))
		return;
	if (worker == 0 && !progress_step(all->progress, "program graph", location,
					  trace_location_count(graph->trace)))
		all->stopped = true;
	w->location = (uint32_t)location;
	w->program = (struct graph_row){ .r = { .statement = GRAPH_PROGRAM,
						.location = (uint32_t)location,
						.from = GRAPH_NONE,
						.comm = UINT32_MAX } };
	w->gaps = gap_walk_begin(graph->trace, graph->options.base, w->location, w->v.t0);
	open_at_start(w);
	walk_events(w, worker);
	reach_window(w);
	end_down_to(w, 0, w->v.time);
	take_rows(w);
}

bool graph_walk(struct graph *graph, const struct graph_ready *ready,
		const struct progress *progress)
{
	struct graph_walkers all = { .graph = graph, .ready = ready, .progress = progress };

	all.walks = xcalloc(graph->jobs, sizeof *all.walks);
	for (unsigned i = 0; i < graph->jobs; i++)
		all.walks[i] = (struct graph_walker){
			.all = &all,
			.graph = graph,
			.trace = graph->trace,
			.depth = xcalloc(graph->nodes.n, sizeof(uint32_t)),
			.matching = xcalloc(graph->nodes.n, sizeof(uint32_t)),
			.last = xcalloc(graph->nodes.n, sizeof(uint32_t)),
		};
	jobs_run(graph->jobs, trace_location_count(graph->trace), walk_location, &all);
	for (unsigned i = 0; i < graph->jobs; i++) {
		struct graph_walker *w = &all.walks[i];
		vec_fini(&w->open);
		vec_fini(&w->ends);
		vec_fini(&w->rows);
		free_all(w->depth, w->matching, w->last);
	}
	free(all.walks);
	return !all.stopped;
}
