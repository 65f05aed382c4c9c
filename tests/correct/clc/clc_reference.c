#include "correct/clc/clc_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/message.h"

/* ---- edges: second enumeration of what waits for what ---- */

static int64_t latency(const struct trace *trace, const struct reference_options *o, uint32_t from,
		       uint32_t to)
{
	const uint32_t a = trace_location(trace, from)->node, b = trace_location(trace, to)->node;

	if (a == 0 || b == 0)
		return o->inter < o->intra ? o->inter : o->intra;
	return a == b ? o->intra : o->inter;
}

static void add_edge(struct reference *r, const struct trace *trace,
		     const struct reference_options *o, uint32_t send, uint32_t recv)
{
	const uint32_t from = trace_event_location(trace, send),
		       to = trace_event_location(trace, recv);
	const struct edge edge = { r->index[send], r->index[recv], send, recv,
				   latency(trace, o, from, to) };

	if (from == to)
		return;
	r->events.data[edge.send].sends = true;
	vec_push(&r->edges, edge);
}

static void add_messages(struct reference *r, const struct trace *trace,
			 const struct reference_options *o)
{
	for (uint32_t i = 0; i < trace_message_count(trace); i++) {
		const struct message *m = trace_message(trace, i);
		if (!(m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING | MSG_CANCELLED)))
			add_edge(r, trace, o, m->send, m->recv);
	}
}

/* Place of a member's rank in the communicator. */
static uint32_t place_of(const struct trace *trace, const struct comm *comm, const struct member *m)
{
	const int32_t rank = trace_location(trace, trace_event_location(trace, m->begin))->rank;
	uint32_t i = 0;

	while (comm->ranks[i] != rank)
		i++;
	return i;
}

static bool in_line(const struct trace *trace, uint32_t comm)
{
	for (uint32_t i = 0; i < trace_topology_count(trace); i++)
		if (trace_topology(trace, i)->comm == comm)
			return true;
	return false;
}

static bool one_of(const char *name, const char *list)
{
	const char *at = strstr(list, name);

	return at && at[strlen(name)] == ' ';
}

static void add_collective(struct reference *r, const struct trace *trace,
			   const struct reference_options *o, const struct collective *c)
{
	const char *name = trace_region_name(trace, c->region);
	const struct comm *comm = trace_comm(trace, c->comm);

	for (uint32_t i = 0; i < c->members; i++)
		for (uint32_t j = 0; j < c->members; j++) {
			const struct member *s = trace_member(trace, c->first + i);
			const struct member *e = trace_member(trace, c->first + j);
			const bool bytes = s->sent > 0 && e->received > 0;
			const int32_t from =
				trace_location(trace, trace_event_location(trace, s->begin))->rank;
			const int32_t to =
				trace_location(trace, trace_event_location(trace, e->begin))->rank;
			bool waits = false;
			if (one_of(name, "MPI_Barrier "))
				waits = true;
			else if (one_of(name, "MPI_Bcast MPI_Scatter "))
				waits = bytes && from == c->root;
			else if (one_of(name, "MPI_Reduce MPI_Gather "))
				waits = bytes && to == c->root;
			else if (one_of(name, "MPI_Allreduce MPI_Allgatherv "))
				waits = bytes;
			else if (one_of(name, "MPI_Neighbor_allgather "))
				waits = bytes && in_line(trace, c->comm) &&
					abs((int)place_of(trace, comm, s) -
					    (int)place_of(trace, comm, e)) == 1;
			else if (one_of(name, "MPI_Scan MPI_Exscan "))
				waits = bytes &&
					place_of(trace, comm, s) < place_of(trace, comm, e);
			if (waits && i != j)
				add_edge(r, trace, o, s->begin, e->end);
		}
}

/* Enters and leaves of a call that all make once. */
static void add_world(struct reference *r, const struct trace *trace,
		      const struct reference_options *o, const char *name)
{
	VEC(uint32_t) enters = VEC_INIT;
	VEC(uint32_t) leaves = VEC_INIT;

	for (size_t i = 0; i < r->events.n; i++) {
		const uint32_t what = trace_event_what(trace, r->events.data[i].id);
		const enum event_kind kind = what_kind(what);
		if ((kind != EV_ENTER && kind != EV_LEAVE) ||
		    strcmp(trace_region_name(trace, trace_callpath_region(trace, what_id(what))),
			   name) != 0)
			continue;
		if (kind == EV_ENTER)
			vec_push(&enters, r->events.data[i].id);
		else
			vec_push(&leaves, r->events.data[i].id);
	}
	for (size_t i = 0; i < enters.n; i++)
		for (size_t j = 0; j < leaves.n; j++)
			add_edge(r, trace, o, enters.data[i], leaves.data[j]);
	vec_fini(&enters);
	vec_fini(&leaves);
}

struct reference *reference_new(const struct trace *trace, enum time_base base,
				const struct reference_options *o)
{
	struct reference *r = xcalloc(1, sizeof *r);

	r->index = xcalloc((size_t)trace_event_count(trace) + 1 +
				   (size_t)trace_location_count(trace) * BLOCK_EVENTS,
			   sizeof *r->index);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		uint32_t before = EVENT_NONE;
		for (bool ok = cursor_first(&c, trace, base, l); ok; ok = cursor_next(&c)) {
			const struct reference_event e = {
				.id = c.id, .location = l, .before = before, .in = cursor_time(&c)
			};
			before = r->index[c.id] = (uint32_t)r->events.n;
			vec_push(&r->events, e);
		}
	}
	add_messages(r, trace, o);
	for (uint32_t i = 0; i < trace_collective_count(trace); i++)
		add_collective(r, trace, o, trace_collective(trace, i));
	add_world(r, trace, o, "MPI_Init");
	add_world(r, trace, o, "MPI_Finalize");
	return r;
}

void reference_free(struct reference *r)
{
	vec_fini(&r->events);
	vec_fini(&r->edges);
	free_all(r->index, r);
}

/* ---- section 3 ---- */

static void forward(struct reference *r, const struct reference_options *o, uint32_t i)
{
	struct reference_event *e = &r->events.data[i];
	double t = (double)e->in, latest = -INFINITY;

	if (e->known)
		return;
	if (e->open) {
		r->impossible = true;
		return;
	}
	e->open = true;
	if (e->before != EVENT_NONE) {
		const struct reference_event *p = &r->events.data[e->before];
		forward(r, o, e->before);
		t = fmax(t, p->forward + o->gamma * (double)(e->in - p->in));
		if (p->forward > (double)p->in) /* A10 */
			t = fmax(t, p->forward + o->delta);
	}
	for (size_t k = 0; k < r->edges.n; k++) {
		const struct edge *edge = &r->edges.data[k];
		double sent;
		if (edge->recv != i)
			continue;
		forward(r, o, edge->send);
		sent = r->events.data[edge->send].forward;
		latest = fmax(latest, (o->whole ? floor(sent + 0.5) : sent) + (double)edge->lmin);
	}
	e->jump = latest > t ? latest - t : 0;
	e->forward = fmax(t, latest);
	e->known = true;
}

void reference_forward(struct reference *r, const struct reference_options *o)
{
	for (uint32_t i = 0; i < r->events.n; i++)
		r->events.data[i].known = r->events.data[i].open = false;
	for (uint32_t i = 0; i < r->events.n; i++)
		forward(r, o, i);
}

/* ---- section 4 ---- */

static double upper(const struct reference *r, const struct reference_options *o, uint32_t send)
{
	double least = INFINITY;

	for (size_t k = 0; k < r->edges.n; k++) {
		const struct edge *edge = &r->edges.data[k];
		const double at = r->events.data[edge->recv].forward;
		if (edge->send == send)
			least = fmin(least, (o->whole ? floor(at + 0.5) : at) - (double)edge->lmin);
	}
	return least;
}

/* The steepest send before `rhs` (m_S of 4.2); rhs where none is steeper than m. */
static uint32_t steepest(const struct reference *r, const double *room_end, uint32_t first,
			 uint32_t rhs, double t_r, double t_l, double jump, double *m)
{
	uint32_t best = rhs;

	for (uint32_t s = rhs; s-- > first;) {
		const struct reference_event *e = &r->events.data[s];
		const double room = fmax(0, room_end[s] - e->final);
		double slope;
		if (!e->sends || e->final <= t_l || room >= jump)
			continue;
		slope = e->final >= t_r ? INFINITY : (jump - room) / (t_r - e->final);
		if (slope > *m) {
			*m = slope;
			best = s;
		}
	}
	return best;
}

static void raise_before(struct reference *r, const struct reference_options *o,
			 const double *room_end, uint32_t first, uint32_t receive)
{
	double jump = r->events.data[receive].jump;
	double t_r = r->events.data[receive].final - jump, m = o->slope, t_l = t_r - jump / m;
	const double t_0 = r->events.data[first].final;
	uint32_t rhs = receive;

	if (t_r <= t_0)
		return;
	if (t_l < t_0) {
		t_l = t_0;
		m = jump / (t_r - t_0);
	}
	for (;;) {
		double steep = m, room, s;
		const uint32_t send = steepest(r, room_end, first, rhs, t_r, t_l, jump, &steep);
		if (send == rhs) {
			for (uint32_t e = rhs; e-- > first && r->events.data[e].final > t_l;)
				r->events.data[e].final += m * (r->events.data[e].final - t_l);
			return;
		}
		s = r->events.data[send].final;
		room = fmax(0, room_end[send] - s);
		for (uint32_t e = send; e < rhs; e++)
			r->events.data[e].final +=
				room + (isinf(steep) ? 0 : steep * (r->events.data[e].final - s));
		if (isfinite(steep) && steep > r->max_slope)
			r->max_slope = steep;
		if (room <= 0)
			return;
		rhs = send;
		t_r = s;
		jump = room;
		m = jump / (s - t_l);
	}
}

void reference_backward(struct reference *r, const struct reference_options *o)
{
	const uint32_t n = (uint32_t)r->events.n;
	double *room_end = xcalloc(n + 1, sizeof *room_end);
	uint32_t first = 0;

	r->max_slope = o->slope;
	for (uint32_t i = 0; i < n; i++) {
		struct reference_event *e = &r->events.data[i];
		e->final = o->whole ? floor(e->forward + 0.5) : e->forward;
		if (e->sends)
			room_end[i] = upper(r, o, i);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (r->events.data[i].before == EVENT_NONE)
			first = i;
		if (r->events.data[i].jump > 0)
			raise_before(r, o, room_end, first, i);
	}
	free(room_end);
}
