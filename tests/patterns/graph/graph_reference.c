#include "patterns/graph/graph_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/trace/message.h"
#include "patterns/analysis/analysis.h"
#include "patterns/patterns.h"

enum { ROLE_LOOP = 3, TEXT = 600 };

struct visit {
	uint32_t location, path, parent; /* parent: visit, UINT32_MAX none */
	uint32_t event;                  /* its enter, or its leave where it has none */
	int64_t enter, leave, exclusive; /* exclusive: in the window, while traced */
	int64_t sync;                    /* in the window */
	int64_t below;                   /* synchronisation of all matching visits in it */
	uint64_t sent, received;
	bool matches, inside;
};

struct totals {
	uint64_t count, inner, sent, received;
	int64_t time, exclusive, sync, min, max;
};

struct reference {
	const struct trace *trace;
	const struct graph_options *o;
	VEC(struct visit) visits;
	uint32_t *of_event; /* [events] innermost visit: of an enter its own, of a leave the one
			       that ends */
	size_t n_events;
	bool *asked;   /* [messages] its receive was posted by a request */
	bool *reaches; /* [regions][regions] */
	struct analysis *analysis;
};

static int64_t clip(const struct reference *r, int64_t t)
{
	return t < r->o->t0 ? r->o->t0 : t > r->o->t1 ? r->o->t1 : t;
}

static enum graph_kind kind_of(const struct reference *r, uint32_t path)
{
	const struct region *region = trace_region(r->trace, trace_callpath_region(r->trace, path));

	if (region->cls != CLASS_USER && region->cls != CLASS_OVERHEAD)
		return GRAPH_KIND_COMMUNICATION;
	return region->role == ROLE_LOOP ? GRAPH_KIND_LOOP : GRAPH_KIND_PROCEDURE;
}

/* ---- visits ---- */

static void note_event(struct reference *r, uint32_t event, uint32_t visit)
{
	while (r->n_events <= event) {
		const size_t n = r->n_events ? 2 * r->n_events : 1024;
		r->of_event = xrealloc(r->of_event, n * sizeof *r->of_event);
		for (; r->n_events < n; r->n_events++)
			r->of_event[r->n_events] = UINT32_MAX;
	}
	r->of_event[event] = visit;
}

static void open_visit(struct reference *r, uint32_t location, uint32_t path, uint32_t parent,
		       uint32_t event, int64_t t)
{
	vec_push(&r->visits, ((struct visit){ .location = location,
					      .path = path,
					      .parent = parent,
					      .event = event,
					      .enter = t,
					      .leave = INT64_MIN }));
}

static void close_to(struct reference *r, uint32_t *open, uint32_t depth, uint32_t event, int64_t t)
{
	while (*open != UINT32_MAX &&
	       trace_callpath(r->trace, r->visits.data[*open].path)->depth > depth) {
		struct visit *v = &r->visits.data[*open];
		v->leave = t;
		if (v->event == EVENT_NONE && event != EVENT_NONE &&
		    what_kind(trace_event_what(r->trace, event)) == EV_LEAVE &&
		    trace_callpath(r->trace, what_id(trace_event_what(r->trace, event)))->depth ==
			    depth + 1 &&
		    trace_callpath(r->trace, v->path)->depth == depth + 1)
			v->event = event;
		*open = v->parent;
	}
}

static void count_bytes(struct reference *r, struct visit *v, uint32_t what)
{
	const uint32_t id = what_id(what);

	if (what_kind(what) == EV_SEND || what_kind(what) == EV_RECV ||
	    what_kind(what) == EV_RECV_REQUEST) {
		const struct message *m;
		if (id >= trace_message_count(r->trace))
			return;
		m = trace_message(r->trace, id);
		if (m->flags & (MSG_CANCELLED | MSG_NO_BYTES) ||
		    (what_kind(what) == EV_RECV && r->asked[id]) ||
		    (what_kind(what) == EV_RECV_REQUEST &&
		     m->flags & (MSG_NO_RECV | MSG_RECV_PENDING)))
			return;
		if (what_kind(what) == EV_SEND)
			v->sent += message_bytes(m);
		else
			v->received += message_bytes(m);
	} else if (what_kind(what) == EV_COLLECTIVE_END && id != ID_NONE) {
		const struct member *m = trace_member(r->trace, id);
		v->sent += m->sent == UINT64_MAX ? 0 : m->sent;
		v->received += m->received == UINT64_MAX ? 0 : m->received;
	}
}

static void open_paths(struct reference *r, uint32_t location, uint32_t path, uint32_t *open,
		       int64_t t)
{
	const uint32_t parent = trace_callpath(r->trace, path)->parent;

	if (path == 0)
		return;
	open_paths(r, location, parent, open, t); /* random traces are not deep */
	open_visit(r, location, path, *open, EVENT_NONE, t);
	*open = (uint32_t)r->visits.n - 1;
}

static bool first_switch_is_on(const struct reference *r, uint32_t location)
{
	struct cursor c;

	for (bool ok = cursor_first(&c, r->trace, r->o->base, location); ok; ok = cursor_next(&c))
		if (what_kind(cursor_what(&c)) == EV_TRACING_ON ||
		    what_kind(cursor_what(&c)) == EV_TRACING_OFF)
			return what_kind(cursor_what(&c)) == EV_TRACING_ON;
	return trace_location(r->trace, location)->type == LOCATION_METRICS;
}

static void find_requests(struct reference *r, uint32_t location)
{
	struct cursor c;

	for (bool ok = cursor_first(&c, r->trace, r->o->base, location); ok; ok = cursor_next(&c))
		if (what_kind(cursor_what(&c)) == EV_RECV_REQUEST &&
		    what_id(cursor_what(&c)) < trace_message_count(r->trace))
			r->asked[what_id(cursor_what(&c))] = true;
}

static void see_location(struct reference *r, uint32_t location)
{
	bool traced = !first_switch_is_on(r, location);
	uint32_t open = UINT32_MAX;
	int64_t last;
	struct cursor c;

	if (!cursor_first(&c, r->trace, r->o->base, location))
		return;
	last = cursor_time(&c);
	open_paths(r, location, cursor_path_before(&c), &open, last);
	do {
		const uint32_t what = cursor_what(&c);
		const int64_t t = cursor_time(&c);
		const enum event_kind kind = what_kind(what);
		const uint32_t before = open;
		if (traced && open != UINT32_MAX)
			r->visits.data[open].exclusive += clip(r, t) - clip(r, last);
		last = t;
		if (kind == EV_ENTER || kind == EV_LEAVE)
			close_to(r, &open, trace_callpath(r->trace, what_id(what))->depth - 1, c.id,
				 t);
		if (kind == EV_ENTER) {
			open_visit(r, location, what_id(what), open, c.id, t);
			open = (uint32_t)r->visits.n - 1;
		}
		traced = kind == EV_TRACING_ON || (traced && kind != EV_TRACING_OFF);
		note_event(r, c.id, kind == EV_LEAVE ? before : open);
		if (open != UINT32_MAX &&
		    kind_of(r, r->visits.data[open].path) == GRAPH_KIND_COMMUNICATION)
			count_bytes(r, &r->visits.data[open], what);
	} while (cursor_next(&c));
	close_to(r, &open, 0, EVENT_NONE, last);
}

/* ---- waiting ---- */

static bool is_waiting(const struct wait *wait)
{
	switch (wait->metric) {
	case CUBE_MPI_LATESENDER:
	case CUBE_MPI_LATERECEIVER:
	case CUBE_MPI_BARRIER_WAIT:
	case CUBE_MPI_WAIT_NXN:
	case CUBE_MPI_LATEBROADCAST:
	case CUBE_MPI_EARLYREDUCE:
	case CUBE_MPI_EARLYSCAN:
	case CUBE_MPI_FINALIZE_WAIT: return !(wait->flags & WAIT_PART);
	default: return false;
	}
}

static void find_waits(struct reference *r)
{
	for (uint32_t l = 0; l < trace_location_count(r->trace); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(r->analysis, l, &n);
		for (size_t i = 0; i < n; i++) {
			const uint32_t visit = r->of_event[waits[i].event];
			struct visit *v;
			int64_t inside;
			if (visit == UINT32_MAX || !is_waiting(&waits[i]))
				continue;
			v = &r->visits.data[visit];
			inside =
				clip(r, waits[i].begin + waits[i].length) - clip(r, waits[i].begin);
			if (kind_of(r, v->path) == GRAPH_KIND_COMMUNICATION && inside > v->sync)
				v->sync = inside;
		}
	}
	for (size_t i = 0; i < r->visits.n; i++) {
		struct visit *v = &r->visits.data[i];
		v->sync = v->sync > v->exclusive ? v->exclusive : v->sync;
	}
}

static void find_matches(struct reference *r)
{
	for (size_t i = 0; i < r->visits.n; i++) {
		struct visit *v = &r->visits.data[i];
		v->matches = !r->o->filter || (v->event != EVENT_NONE &&
					       filter_location(r->o->filter, v->location) &&
					       filter_event(r->o->filter, r->o->base, v->event));
		v->inside = (v->enter >= r->o->t0 && v->enter < r->o->t1) ||
			    clip(r, v->leave) > clip(r, v->enter);
		v->sync = v->matches ? v->sync : 0;
		for (uint32_t at = v->parent; at != UINT32_MAX; at = r->visits.data[at].parent)
			r->visits.data[at].below += v->sync;
	}
}

/* ---- nodes as texts ---- */

/* The visit that something in this one stands in; UINT32_MAX the program. */
static uint32_t within(const struct reference *r, uint32_t visit)
{
	while (visit != UINT32_MAX &&
	       kind_of(r, r->visits.data[visit].path) == GRAPH_KIND_COMMUNICATION)
		visit = r->visits.data[visit].parent;
	return visit;
}

static void add_text(char *out, const char *what, const char *name, uint32_t file, uint32_t line)
{
	const size_t n = strlen(out);

	snprintf(out + n, TEXT - n, "/%s %s %u:%u", what, name, file, line);
}

/* Where a visit of a loop or a communication is, or (`call`) where its call statement is. */
static void text_of(const struct reference *r, uint32_t visit, bool call, char *out)
{
	const struct visit *v = &r->visits.data[visit];
	const struct site *site = trace_site(r->trace, trace_callpath(r->trace, v->path)->site);
	const struct region *region = trace_region(r->trace, site->region);
	const enum graph_kind kind = kind_of(r, v->path);
	const uint32_t in = within(r, v->parent);
	uint32_t file = 0;

	out[0] = '\0';
	if (kind == GRAPH_KIND_PROCEDURE && !call) {
		add_text(out, "procedure", trace_string(r->trace, region->name), region->file,
			 region->line);
		return;
	}
	if (in != UINT32_MAX) {
		const struct region *around =
			trace_region(r->trace,
				     trace_callpath_region(r->trace, r->visits.data[in].path));
		text_of(r, in, false, out);
		file = around->file;
	}
	if (kind == GRAPH_KIND_LOOP) {
		add_text(out, "loop", trace_string(r->trace, region->name), region->file,
			 region->line);
		return;
	}
	add_text(out, call ? "call" : "communication", trace_string(r->trace, region->name),
		 site->file || !site->line ? site->file : file, site->line);
}

static void text_of_node(const struct graph *graph, const struct trace *trace, uint32_t node,
			 char *out)
{
	const struct graph_node *n = graph_node(graph, node);

	if (node == GRAPH_PROGRAM) {
		out[0] = '\0';
		return;
	}
	if (n->kind == GRAPH_KIND_PROCEDURE)
		out[0] = '\0';
	else
		text_of_node(graph, trace, n->parent, out);
	add_text(out, graph_kind_name((enum graph_kind)n->kind), trace_string(trace, n->name),
		 n->file, n->line);
}

/* ---- cycles ---- */

static uint32_t region_of(const struct reference *r, uint32_t visit)
{
	return trace_callpath_region(r->trace, r->visits.data[visit].path);
}

/* The procedure that a visit's call stands in; UINT32_MAX none. */
static uint32_t caller(const struct reference *r, uint32_t visit)
{
	uint32_t at = within(r, r->visits.data[visit].parent);

	while (at != UINT32_MAX && kind_of(r, r->visits.data[at].path) != GRAPH_KIND_PROCEDURE)
		at = within(r, r->visits.data[at].parent);
	return at;
}

static void find_cycles(struct reference *r, const bool *chosen)
{
	const uint32_t n = trace_region_count(r->trace);

	r->reaches = xcalloc((size_t)n * n + 1, 1);
	for (uint32_t i = 0; i < r->visits.n; i++) {
		const struct visit *v = &r->visits.data[i];
		const uint32_t from = caller(r, i);
		if (kind_of(r, v->path) == GRAPH_KIND_PROCEDURE && from != UINT32_MAX &&
		    chosen[v->location] && v->inside && v->matches)
			r->reaches[(size_t)region_of(r, from) * n + region_of(r, i)] = true;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; r->reaches[(size_t)a * n + k] && b < n; b++)
				if (r->reaches[(size_t)k * n + b])
					r->reaches[(size_t)a * n + b] = true;
}

static bool is_inside_cycle(const struct reference *r, uint32_t visit)
{
	const size_t n = trace_region_count(r->trace);
	const uint32_t from = caller(r, visit);

	if (kind_of(r, r->visits.data[visit].path) != GRAPH_KIND_PROCEDURE || from == UINT32_MAX)
		return false;
	return r->reaches[region_of(r, from) * n + region_of(r, visit)] &&
	       r->reaches[region_of(r, visit) * n + region_of(r, from)];
}

/* ---- totals ---- */

static const struct site *site_of(const struct reference *r, uint32_t visit)
{
	return trace_site(r->trace, trace_callpath(r->trace, r->visits.data[visit].path)->site);
}

/* Loops and communications are one where region, place and what they stand in are one; nodes with
 * equal texts are added up on both sides. */
static bool is_same_statement(const struct reference *r, uint32_t a, uint32_t b)
{
	const struct site *x = site_of(r, a), *y = site_of(r, b);
	const enum graph_kind kind = kind_of(r, r->visits.data[a].path);
	uint32_t in, other;

	if (x->region != y->region || kind == GRAPH_KIND_PROCEDURE)
		return x->region == y->region;
	if (kind == GRAPH_KIND_COMMUNICATION && (x->file != y->file || x->line != y->line))
		return false;
	in = within(r, r->visits.data[a].parent);
	other = within(r, r->visits.data[b].parent);
	return in == other ||
	       (in != UINT32_MAX && other != UINT32_MAX && is_same_statement(r, in, other));
}

/* No visit of the same is open around it; `matching`: that matches. */
static bool is_first(const struct reference *r, uint32_t visit, bool matching)
{
	for (uint32_t at = r->visits.data[visit].parent; at != UINT32_MAX;
	     at = r->visits.data[at].parent)
		if ((!matching || r->visits.data[at].matches) && is_same_statement(r, at, visit))
			return false;
	return true;
}

static void add_visit(const struct reference *r, uint32_t i, bool call, struct totals *t)
{
	const struct visit *v = &r->visits.data[i];
	const bool inside = is_inside_cycle(r, i), first = is_first(r, i, true);
	const bool talks = kind_of(r, v->path) == GRAPH_KIND_COMMUNICATION;
	const bool began = v->enter >= r->o->t0 && v->enter < r->o->t1;

	if (!v->inside)
		return;
	if (v->matches && began) {
		t->count++;
		t->inner += !first || inside;
		t->sent += v->sent;
		t->received += v->received;
		if (first && !inside) {
			const int64_t length = v->leave - v->enter;
			const bool none = t->count - t->inner == 1;
			t->min = none || length < t->min ? length : t->min;
			t->max = none || length > t->max ? length : t->max;
		}
	}
	if (v->matches && !(call && inside))
		t->exclusive += v->exclusive;
	if (v->matches && first && !inside)
		t->time += clip(r, v->leave) - clip(r, v->enter);
	if (talks)
		t->sync += v->sync;
	else if (is_first(r, i, false) && !inside)
		t->sync += v->below;
}

/* A node's text and numbers on one location. */
struct told {
	char text[TEXT];
	uint32_t location;
	struct totals totals;
};

struct tolds {
	VEC(struct told) list;
};

static struct totals *totals_of(struct tolds *tolds, const char *text, uint32_t location)
{
	struct told *t;

	vec_each (t, &tolds->list)
		if (t->location == location && strcmp(t->text, text) == 0)
			return &t->totals;
	t = vec_add(&tolds->list);
	snprintf(t->text, sizeof t->text, "%s", text);
	t->location = location;
	return &t->totals;
}

static void sum_visits(const struct reference *r, const bool *chosen, struct tolds *tolds)
{
	char text[TEXT];

	for (uint32_t i = 0; i < r->visits.n; i++) {
		const struct visit *v = &r->visits.data[i];
		if (!chosen[v->location])
			continue;
		text_of(r, i, false, text);
		add_visit(r, i, false, totals_of(tolds, text, v->location));
		if (kind_of(r, v->path) != GRAPH_KIND_PROCEDURE ||
		    within(r, v->parent) == UINT32_MAX)
			continue;
		text_of(r, i, true, text);
		add_visit(r, i, true, totals_of(tolds, text, v->location));
	}
}

static void add_values(struct totals *t, const struct graph_values *v)
{
	if (v->count > v->inner) {
		const bool none = t->count <= t->inner;
		t->min = none || v->min < t->min ? v->min : t->min;
		t->max = none || v->max > t->max ? v->max : t->max;
	}
	t->count += v->count;
	t->inner += v->inner;
	t->time += v->time;
	t->exclusive += v->exclusive;
	t->sync += v->sync;
	t->sent += v->sent;
	t->received += v->received;
}

static void sum_nodes(const struct graph *graph, const struct trace *trace, struct tolds *tolds)
{
	char text[TEXT];

	for (uint32_t node = 1; node < graph_node_count(graph); node++) {
		text_of_node(graph, trace, node, text);
		for (uint32_t l = 0; l < trace_location_count(trace); l++) {
			struct graph_values v;
			graph_values_at(graph, node, l, &v);
			if (v.count || v.time || v.exclusive || v.sync)
				add_values(totals_of(tolds, text, l), &v);
		}
	}
}

/* ---- comparing ---- */

static const char *compare(const struct told *want, const struct totals *got)
{
	static char sentence[TEXT + 400];
	const struct totals *w = &want->totals;

	if (memcmp(w, got, sizeof *w) == 0)
		return NULL;
	snprintf(
		sentence, sizeof sentence,
		"%s on %u: count %llu/%llu inner %llu/%llu time %lld/%lld exclusive %lld/%lld sync "
		"%lld/%lld min %lld/%lld max %lld/%lld sent %llu/%llu received %llu/%llu",
		want->text, want->location, (unsigned long long)got->count,
		(unsigned long long)w->count, (unsigned long long)got->inner,
		(unsigned long long)w->inner, (long long)got->time, (long long)w->time,
		(long long)got->exclusive, (long long)w->exclusive, (long long)got->sync,
		(long long)w->sync, (long long)got->min, (long long)w->min, (long long)got->max,
		(long long)w->max, (unsigned long long)got->sent, (unsigned long long)w->sent,
		(unsigned long long)got->received, (unsigned long long)w->received);
	return sentence;
}

static const char *compare_all(const struct reference *r, const struct graph *graph,
			       const bool *chosen)
{
	struct tolds want = { VEC_INIT }, got = { VEC_INIT };
	const char *broken = NULL;
	size_t n;

	sum_visits(r, chosen, &want);
	sum_nodes(graph, r->trace, &got);
	n = want.list.n;
	for (size_t i = 0; i < n && !broken; i++)
		broken = compare(&want.list.data[i], totals_of(&got, want.list.data[i].text,
							       want.list.data[i].location));
	for (size_t i = 0; i < got.list.n && !broken; i++)
		totals_of(&want, got.list.data[i].text, got.list.data[i].location);
	if (!broken && want.list.n != n)
		broken = "the graph has a node that nothing was of";
	vec_fini(&want.list);
	vec_fini(&got.list);
	return broken;
}

const char *graph_differs(const struct graph *graph, const struct trace *trace,
			  const struct graph_options *options)
{
	const uint32_t locations = trace_location_count(trace);
	struct reference r = { .trace = trace, .o = options };
	bool *chosen = xcalloc(locations + 1, sizeof *chosen);
	const char *broken;

	r.asked = xcalloc(trace_message_count(trace) + 1, sizeof *r.asked);
	for (uint32_t l = 0; l < locations; l++)
		find_requests(&r, l);
	for (uint32_t l = 0; l < locations; l++) {
		chosen[l] = !options->locations;
		see_location(&r, l);
	}
	for (uint32_t i = 0; options->locations && i < options->n_locations; i++)
		chosen[options->locations[i]] = true;
	r.analysis = analysis_new(patterns, trace, options->base, NULL, NULL, NULL);
	find_waits(&r);
	find_matches(&r);
	find_cycles(&r, chosen);
	broken = compare_all(&r, graph, chosen);
	analysis_free(r.analysis);
	vec_fini(&r.visits);
	free(r.of_event);
	free(r.asked);
	free(r.reaches);
	free(chosen);
	return broken;
}
