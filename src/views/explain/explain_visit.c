/* How unusual a visit, or a message, is: exact, of the whole run, in slices. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "model/trace/gap.h"
#include "model/trace/message.h"
#include "views/explain/explaining.h"

/* Events or messages between two looks at the clock. */
enum { LOOK = 8192 };

struct open_visit {
	uint32_t depth;
	int64_t since;
};

/* All visits of a region. */
struct visits {
	uint32_t region;
	uint32_t location; /* that is walked */
	bool walking;
	struct cursor c;
	/* Open ones of the region, the outermost first. */
	VEC(struct open_visit) open;
	struct ranking lengths;
	double time; /* ticks: of the outermost visits, all locations together */
};

/* All messages of a class of sizes. */
struct latencies {
	uint32_t row;
	unsigned cls;
	uint32_t next;
	struct ranking latencies;
	bool waited[2]; /* the sender, the receiver waited for this one */
	uint32_t wait[2], location[2];
};

/* ---- words ---- */

/* "longer than 99.2 % of 1,204 visits". */
static const char *standing_text(struct phrases *p, const struct ranking *r, int64_t value,
				 const char *more, const char *less, const char *what)
{
	size_t equal;
	const size_t below = ranking_below(r, value, &equal), n = r->values.n;
	const size_t above = n - below - equal;
	const char *of = phrase(p, "%s %ss", phrase_number(p, n), what);

	if (n < 2)
		return phrase(p, "the only %s", what);
	if (above == 0 && below == 0)
		return phrase(p, "as %s as all %s", more, of);
	if (above == 0 || below == 0)
		return phrase(p, equal > 1 ? "among the %sest of %s" : "the %sest of %s",
			      above == 0 ? more : less, of);
	/* The rest of them, itself left out. */
	return phrase(p, "%ser than %.*f %% of %s", below >= above ? more : less, n >= 1000 ? 1 : 0,
		      100 * (double)(below >= above ? below : above) / (double)(n - 1), of);
}

/* "mean 1.20 ms, quartiles 1.1 ms, 1.15 ms, 1.2 ms; from 0.9 ms to 28.1 ms". */
static void add_usual(struct explain *e, const struct ranking *r)
{
	struct phrases *p = &e->p;

	explain_add(e, 1, TEXT_PLAIN, "mean %s, quartiles %s, %s, %s; from %s to %s",
		    phrase_time(p, r->sum / (double)r->values.n),
		    phrase_time(p, (double)ranking_quantile(r, 1, 4)),
		    phrase_time(p, (double)ranking_quantile(r, 2, 4)),
		    phrase_time(p, (double)ranking_quantile(r, 3, 4)),
		    phrase_time(p, (double)r->min), phrase_time(p, (double)r->max));
}

/* ---- visits ---- */

void explain_visit_begin(struct explain *e, const struct query *query)
{
	struct visits *v = xcalloc(1, sizeof *v);

	v->region = trace_callpath_region(query->trace,
					  trace_event_path(query->trace, e->subject.enter));
	v->lengths = (struct ranking)RANKING_INIT;
	e->visits = v;
}

static void close_visits(struct visits *v, uint32_t depth, int64_t t)
{
	while (v->open.n > 0 && v->open.data[v->open.n - 1].depth >= depth) {
		const struct open_visit o = vec_pop(&v->open);

		ranking_add(&v->lengths, t - o.since);
		if (v->open.n == 0)
			v->time += (double)(t - o.since);
	}
}

static void visit_event(struct visits *v, const struct trace *trace)
{
	const uint32_t what = cursor_what(&v->c);
	const uint32_t path = what_id(what);

	if (what_kind(what) == EV_ENTER && trace_callpath_region(trace, path) == v->region)
		vec_push(&v->open, ((struct open_visit){ trace_callpath(trace, path)->depth,
							 cursor_time(&v->c) }));
	else if (what_kind(what) == EV_LEAVE && v->open.n > 0)
		close_visits(v, trace_callpath(trace, path)->depth, cursor_time(&v->c));
}

/* True while there is more. Visits that never end have no length. */
static bool walk_visits(struct visits *v, const struct query *query, int64_t until)
{
	const struct trace *trace = query->trace;

	while (v->location < trace_location_count(trace)) {
		bool more = v->walking || cursor_first(&v->c, trace, query->base, v->location);

		for (int i = 0; more && i < LOOK; i++) {
			visit_event(v, trace);
			more = cursor_next(&v->c);
		}
		v->walking = more;
		if (!more) {
			v->open.n = 0;
			v->location++;
		}
		if (clock_cpu_ns() >= until)
			return v->location < trace_location_count(trace);
	}
	return false;
}

static double run_of_all(const struct query *query)
{
	double all = 0;
	int64_t begin, end;

	trace_span(query->trace, query->base, &begin, &end);
	for (uint32_t l = 0; l < trace_location_count(query->trace); l++)
		all += trace_location(query->trace, l)->events > 0 ? (double)(end - begin) : 0;
	return all > 0 ? all : 1;
}

/* "28.1 ms", marked where it was estimated. */
static const char *visit_text(struct phrases *p, const struct query *query, uint32_t location,
			      int64_t t0, int64_t t1)
{
	const int64_t estimated = gap_time_of_visit(query->trace, query->base, location, t0, t1);

	return phrase(p, "%s%s", gap_mark((double)estimated, (double)(t1 - t0)),
		      phrase_time(p, (double)(t1 - t0)));
}

/* "rank 3 was in compute() for 28.1 ms: 2.3 % of the run". */
static void add_visit(struct explain *e, const struct query *query, int64_t t0, int64_t t1,
		      bool ended)
{
	struct phrases *p = &e->p;
	const char *until = trace_live(query->trace) ? "so far, " : "until the trace ends, ";
	struct explain_line *line;
	int64_t begin, end;

	trace_span(query->trace, query->base, &begin, &end);
	line = explain_add(e, 0, TEXT_VALUE, "%s was in %s %sfor %s: %.3g %% of the run",
			   explain_who(p, e->subject.location),
			   phrase_path(p, trace_event_path(query->trace, e->subject.enter)),
			   ended ? "" : until, visit_text(p, query, e->subject.location, t0, t1),
			   end > begin ? 100 * (double)(t1 - t0) / (double)(end - begin) : 100.0);
	explain_lead(line, query, e->subject.enter);
	snprintf(line->value, sizeof line->value, "visit");
}

static void add_visits(struct explain *e, const struct query *query)
{
	const struct trace *trace = query->trace;
	const struct visits *v = e->visits;
	const uint32_t leave = trace_event_partner(trace, e->subject.enter);
	const int64_t t0 = trace_event_time(trace, query->base, e->subject.enter);
	int64_t begin, end;

	trace_span(trace, query->base, &begin, &end);
	if (leave != EVENT_NONE)
		end = trace_event_time(trace, query->base, leave);
	add_visit(e, query, t0, end, leave != EVENT_NONE);
	if (v->lengths.values.n == 0)
		return;
	if (leave != EVENT_NONE)
		explain_add(e, 1, TEXT_PLAIN, "%s",
			    standing_text(&e->p, &v->lengths, end - t0, "long", "short", "visit"));
	add_usual(e, &v->lengths);
	explain_add(e, 1, TEXT_PLAIN, "all visits: %s, %.3g %% of total time",
		    phrase_time(&e->p, v->time), 100 * v->time / run_of_all(query));
}

static void visits_free(struct visits *v)
{
	if (!v)
		return;
	vec_fini(&v->open);
	ranking_fini(&v->lengths);
	free(v);
}

/* ---- messages ---- */

/* Sizes from 2^(n-1) to below 2^n; 0 for no bytes, 65 for unknown. */
static unsigned size_class(const struct message *m)
{
	uint64_t bytes = message_bytes(m);
	unsigned n = 0;

	if (m->flags & MSG_NO_BYTES)
		return 65;
	for (; bytes; bytes >>= 1)
		n++;
	return n;
}

/* A wait that was found at one end of it and names the other. */
static void find_waits(struct latencies *l, const struct query *query,
		       const struct analysis *analysis, const struct message *m)
{
	const uint32_t ends[2] = { m->send, m->recv };

	for (int i = 0; i < 2; i++) {
		const uint32_t wait = wait_of_event(analysis, ends[i]);
		size_t n;
		const struct wait *w;

		l->location[i] = trace_event_location(query->trace, ends[i]);
		w = analysis_waits(analysis, l->location[i], &n);
		if (wait >= n)
			continue;
		l->waited[i] = i == 0 ? w[wait].metric == CUBE_MPI_LATERECEIVER
				      : w[wait].metric == CUBE_MPI_LATESENDER &&
						w[wait].partner == m->send;
		l->wait[i] = wait;
	}
}

void explain_message_begin(struct explain *e, const struct query *query,
			   const struct analysis *analysis)
{
	const struct message *m = trace_message(query->trace, e->subject.message);
	struct latencies *l;

	if (!message_arrived(m))
		return;
	l = xcalloc(1, sizeof *l);
	l->row = e->subject.message;
	l->cls = size_class(m);
	l->latencies = (struct ranking)RANKING_INIT;
	if (analysis)
		find_waits(l, query, analysis, m);
	e->latencies = l;
}

static int64_t latency_of(const struct query *query, const struct message *m)
{
	return trace_event_time(query->trace, query->base, m->recv) -
	       trace_event_time(query->trace, query->base, m->send);
}

static bool walk_messages(struct latencies *l, const struct query *query, int64_t until)
{
	const uint32_t n = trace_message_count(query->trace);

	while (l->next < n) {
		for (int i = 0; i < LOOK && l->next < n; i++) {
			const struct message *m = trace_message(query->trace, l->next++);

			if (message_arrived(m) && size_class(m) == l->cls)
				ranking_add(&l->latencies, latency_of(query, m));
		}
		if (clock_cpu_ns() >= until)
			return l->next < n;
	}
	return false;
}

static void add_message(struct explain *e, const struct query *query, const struct message *m)
{
	struct phrases *p = &e->p;
	struct explain_line *line =
		explain_add(e, 0, TEXT_VALUE, "%s to %s%s%s: received %s after it was sent",
			    explain_who(p, trace_event_location(query->trace, m->send)),
			    explain_who(p, trace_event_location(query->trace, m->recv)),
			    m->flags & MSG_NO_TAG ? "" : phrase(p, ", tag %d", m->tag),
			    m->flags & MSG_NO_BYTES
				    ? ""
				    : phrase(p, ", %s", phrase_bytes(p, message_bytes(m))),
			    phrase_time(p, (double)latency_of(query, m)));

	explain_lead(line, query, m->send);
	snprintf(line->value, sizeof line->value, "message");
}

static void add_message_waits(struct explain *e, const struct query *query)
{
	const struct latencies *l = e->latencies;
	const struct analysis *analysis = analyses_peek(query->analyses, query->base);

	for (int i = 0; analysis && i < 2; i++) {
		size_t n;
		const struct wait *w = analysis_waits(analysis, l->location[i], &n);
		struct explain_line *line;

		if (!l->waited[i] || l->wait[i] >= n)
			continue;
		w += l->wait[i];
		line = explain_add(e, 1, TEXT_PLAIN, "%s waited %s for it, %s",
				   explain_who(&e->p, l->location[i]),
				   phrase_time(&e->p, (double)w->length),
				   i ? "receiving" : "sending");
		line->location = l->location[i];
		line->time = w->begin;
		line->wait = l->wait[i];
	}
	if (analysis && !l->waited[0] && !l->waited[1])
		explain_add(e, 1, TEXT_PLAIN, "no rank waited for it");
}

/* The messages that it is compared with: "of 4.00 KiB to below 8.00 KiB". */
static const char *size_text(struct phrases *p, unsigned cls)
{
	if (cls == 65)
		return "of unknown size";
	if (cls == 0)
		return "without bytes";
	return phrase(p, "of %s to below %s", phrase_bytes(p, (uint64_t)1 << (cls - 1)),
		      phrase_bytes(p, cls < 64 ? (uint64_t)1 << cls : UINT64_MAX));
}

static void add_messages(struct explain *e, const struct query *query)
{
	const struct latencies *l = e->latencies;
	const struct message *m = trace_message(query->trace, l->row);

	add_message(e, query, m);
	explain_add(e, 1, TEXT_PLAIN, "%s %s",
		    standing_text(&e->p, &l->latencies, latency_of(query, m), "slow", "fast",
				  "message"),
		    size_text(&e->p, l->cls));
	add_usual(e, &l->latencies);
	add_message_waits(e, query);
}

static void latencies_free(struct latencies *l)
{
	if (!l)
		return;
	ranking_fini(&l->latencies);
	free(l);
}

/* ---- slices ---- */

bool explain_usual_work(struct explain *e, const struct query *query, int64_t nanoseconds)
{
	const int64_t until = clock_cpu_ns() + nanoseconds;

	if (e->latencies) {
		if (walk_messages(e->latencies, query, until))
			return true;
		add_messages(e, query);
		latencies_free(e->latencies);
		e->latencies = NULL;
		return true;
	}
	if (e->visits) {
		if (walk_visits(e->visits, query, until))
			return true;
		add_visits(e, query);
		visits_free(e->visits);
		e->visits = NULL;
	}
	return false;
}

void explain_usual_fini(struct explain *e)
{
	visits_free(e->visits);
	latencies_free(e->latencies);
	e->visits = NULL;
	e->latencies = NULL;
}
