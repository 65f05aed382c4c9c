/* How unusual a visit, or a message, is: exact, of the whole run, in slices. Where several
 * processes share the trace, that of the subject's location tells what it is; then each looks at
 * its own visits and messages, and all make the same lines. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/gap.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "views/explain/explaining.h"
#include "views/facts/clock_bounds.h"
#include "views/query/time_share.h"

/* Events or messages between two looks at the clock. */
enum { LOOK = 8192 };

struct open_visit {
	uint32_t depth;
	int64_t since;
};

/* The visit that is explained. */
struct visit_facts {
	uint32_t path;
	int64_t t0, t1, estimated; /* ticks */
	bool ended;
};

/* All visits of its region. */
struct visits {
	struct visit_facts of;
	uint32_t region;
	uint32_t location; /* that is walked */
	bool walking;
	struct cursor c;
	/* Open ones of the region, the outermost first. */
	VEC(struct open_visit) open;
	struct ranking lengths;
	/* Ticks of the outermost visits, of all locations together; of those on streams. */
	int128 time, on_streams;
};

/* A wait for a message, of one of its ends. */
struct message_wait {
	bool is;
	uint32_t wait; /* of the location's list */
	int64_t begin, length;
};

/* The message that is explained; sender and receiver. */
struct message_facts {
	bool arrived;
	struct message message;
	uint32_t location[2];
	uint64_t number[2]; /* trace_event_number() of the ends */
	int64_t latency;
	struct clock_place place[2];
};

/* All messages of its class of sizes. */
struct latencies {
	struct message_facts of;
	unsigned cls;
	uint32_t next;
	struct ranking latencies;
	struct message_wait waits[2]; /* of the sender, of the receiver */
};

/* All processes take what that of a location has. */
static void share(const struct query *query, uint32_t location, void *value, size_t bytes)
{
	const struct trace *trace = query->trace;

	exchange_from(trace_exchange(trace), trace_process_of(trace, location), value, bytes);
}

/* ---- words ---- */

/* "longer than 99.2 % of 1,204 visits". */
static const char *standing_text(struct phrases *p, const struct ranking *r, int64_t value,
				 const char *more, const char *less, const char *what)
{
	uint64_t equal;
	const uint64_t below = ranking_below(r, value, &equal), n = r->n;
	const uint64_t above = n - below - equal;
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
		    phrase_time(p, (double)r->sum / (double)r->n),
		    phrase_time(p, (double)ranking_quantile(r, 1, 4)),
		    phrase_time(p, (double)ranking_quantile(r, 2, 4)),
		    phrase_time(p, (double)ranking_quantile(r, 3, 4)),
		    phrase_time(p, (double)r->min), phrase_time(p, (double)r->max));
}

/* ---- visits ---- */

/* `end`: of the run. */
static struct visit_facts visit_of(const struct query *query, const struct explain_subject *subject,
				   int64_t end)
{
	const struct trace *trace = query->trace;
	const uint32_t leave = trace_event_partner(trace, subject->enter);
	struct visit_facts f = { .path = trace_event_path(trace, subject->enter),
				 .t0 = trace_event_time(trace, query->base, subject->enter),
				 .ended = leave != EVENT_NONE };

	f.t1 = f.ended ? trace_event_time(trace, query->base, leave) : end;
	f.estimated = gap_time_of_visit(trace, query->base, subject->location, f.t0, f.t1);
	return f;
}

void explain_visit_begin(struct explain *e, const struct query *query)
{
	struct visits *v = xcalloc(1, sizeof *v);
	int64_t begin, end;

	trace_span(query->trace, query->base, &begin, &end);
	if (trace_has_location(query->trace, e->subject.location))
		v->of = visit_of(query, &e->subject, end);
	share(query, e->subject.location, &v->of, sizeof v->of);
	v->region = trace_callpath_region(query->trace, v->of.path);
	v->lengths = (struct ranking)RANKING_INIT;
	e->visits = v;
}

static void close_visits(struct visits *v, uint32_t depth, int64_t t, bool stream)
{
	while (v->open.n > 0 && v->open.data[v->open.n - 1].depth >= depth) {
		const struct open_visit o = vec_pop(&v->open);

		ranking_add(&v->lengths, t - o.since);
		if (v->open.n > 0)
			continue;
		v->time += t - o.since;
		v->on_streams += stream ? t - o.since : 0;
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
		close_visits(v, trace_callpath(trace, path)->depth, cursor_time(&v->c),
			     !location_runs_code(trace_location(trace, v->location)));
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

/* "rank 3 was in compute() for 28.1 ms: 2.3 % of the run", marked where it was estimated. */
static void add_visit(struct explain *e, const struct query *query, const struct visit_facts *f)
{
	struct phrases *p = &e->p;
	const char *until = trace_live(query->trace) ? "so far, " : "until the trace ends, ";
	const int64_t time = f->t1 - f->t0;
	struct explain_line *line;
	int64_t begin, end;

	trace_span(query->trace, query->base, &begin, &end);
	line = explain_add(e, 0, TEXT_VALUE, "%s was in %s %sfor %s%s: %s of the run",
			   explain_who(p, e->subject.location), phrase_path(p, f->path),
			   f->ended ? "" : until, gap_mark((double)f->estimated, (double)time),
			   phrase_time(p, (double)time),
			   phrase_share(p, end > begin ? (double)time / (double)(end - begin) : 1));
	if (trace_has_location(query->trace, e->subject.location))
		explain_lead(line, query, e->subject.enter);
	snprintf(line->value, sizeof line->value, "visit");
}

static void add_visits(struct explain *e, const struct query *query)
{
	struct exchange *x = trace_exchange(query->trace);
	struct visits *v = e->visits;
	const struct query run = {
		.trace = query->trace, .base = query->base, .t0 = INT64_MIN, .t1 = INT64_MAX
	};
	const struct time_parts whole = query_time(&run);
	struct time_parts time;

	ranking_done(&v->lengths, x);
	exchange_sum(x, &v->time, 1);
	exchange_sum(x, &v->on_streams, 1);
	time = (struct time_parts){ (double)(v->time - v->on_streams), (double)v->on_streams };
	add_visit(e, query, &v->of);
	if (v->lengths.n == 0)
		return;
	if (v->of.ended)
		explain_add(e, 1, TEXT_PLAIN, "%s",
			    standing_text(&e->p, &v->lengths, v->of.t1 - v->of.t0, "long", "short",
					  "visit"));
	add_usual(e, &v->lengths);
	explain_add(e, 1, TEXT_PLAIN, "all visits: %s, %s of %s",
		    phrase_time(&e->p, (double)v->time),
		    phrase_share(&e->p, time_share(time, whole)), time_share_of(time, whole));
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

static const struct clock_room *room_of(const struct query *query)
{
	return query->corrections ? &query->corrections->room : NULL;
}

static struct message_facts message_of(const struct query *query, uint32_t row)
{
	const struct trace *trace = query->trace;
	struct message_facts f = { .message = *trace_message(trace, row) };
	const uint32_t ends[2] = { f.message.send, f.message.recv };
	int64_t times[2] = { 0, 0 };

	f.arrived = message_arrived(&f.message);
	for (int i = 0; f.arrived && i < 2; i++) {
		f.location[i] = trace_event_location(trace, ends[i]);
		f.number[i] = trace_event_number(trace, ends[i]);
		times[i] = trace_event_time(trace, query->base, ends[i]);
		f.place[i] = clock_place_of(room_of(query), trace, query->base, ends[i]);
	}
	f.latency = times[1] - times[0];
	return f;
}

/* A wait that was found at one end of a message and names the other; of the process that has the
 * end. */
static struct message_wait wait_for(const struct trace *trace, const struct analysis *analysis,
				    const struct message_facts *f, int end)
{
	const uint32_t event = trace_event_numbered(trace, f->location[end], f->number[end]);
	const uint32_t wait = wait_of_event(analysis, event);
	size_t n;
	const struct wait *w = analysis_waits(analysis, f->location[end], &n);
	const uint32_t row = what_id(trace_event_what(trace, event));
	bool is;

	if (wait >= n)
		return (struct message_wait){ .is = false };
	w += wait;
	is = end == 0 ? w->metric == CUBE_MPI_LATERECEIVER
		      : w->metric == CUBE_MPI_LATESENDER &&
				w->partner == trace_message(trace, row)->send;
	return (struct message_wait){ is, wait, w->begin, w->length };
}

void explain_message_begin(struct explain *e, const struct query *query,
			   const struct analysis *analysis)
{
	const bool here = trace_has_location(query->trace, e->subject.location);
	struct message_facts f = { .arrived = false };
	struct latencies *l;

	if (here)
		f = message_of(query, e->subject.message);
	share(query, e->subject.location, &f, sizeof f);
	if (!f.arrived)
		return;
	l = xcalloc(1, sizeof *l);
	l->of = f;
	l->cls = size_class(&f.message);
	l->latencies = (struct ranking)RANKING_INIT;
	for (int i = 0; analysis && i < 2; i++) {
		if (trace_has_location(query->trace, f.location[i]))
			l->waits[i] = wait_for(query->trace, analysis, &f, i);
		share(query, f.location[i], &l->waits[i], sizeof l->waits[i]);
	}
	e->latencies = l;
}

static int64_t latency_of(const struct query *query, const struct message *m)
{
	return trace_event_time(query->trace, query->base, m->recv) -
	       trace_event_time(query->trace, query->base, m->send);
}

static bool walk_messages(struct latencies *l, const struct query *query, int64_t until)
{
	const struct trace *trace = query->trace;
	const uint32_t n = trace_message_count(trace);

	while (l->next < n) {
		for (int i = 0; i < LOOK && l->next < n; i++) {
			const uint32_t row = l->next++;
			const struct message *m = trace_message(trace, row);

			if (message_arrived(m) && size_class(m) == l->cls &&
			    !trace_message_is_far(trace, row))
				ranking_add(&l->latencies, latency_of(query, m));
		}
		if (clock_cpu_ns() >= until)
			return l->next < n;
	}
	return false;
}

static void add_message(struct explain *e, const struct query *query, const struct message_facts *f)
{
	struct phrases *p = &e->p;
	const struct message *m = &f->message;
	struct explain_line *line =
		explain_add(e, 0, TEXT_VALUE, "%s to %s%s%s: received %s after it was sent",
			    explain_who(p, f->location[0]), explain_who(p, f->location[1]),
			    m->flags & MSG_NO_TAG ? "" : phrase(p, ", tag %d", m->tag),
			    m->flags & MSG_NO_BYTES
				    ? ""
				    : phrase(p, ", %s", phrase_bytes(p, message_bytes(m))),
			    phrase_time(p, (double)f->latency));

	if (trace_has_location(query->trace, e->subject.location))
		explain_lead(line, query, m->send);
	snprintf(line->value, sizeof line->value, "message");
}

/* A time that is below what the clocks may be wrong by. */
static void add_message_bounds(struct explain *e, const struct query *query,
			       const struct message_facts *f)
{
	const struct room_span span =
		f->place[0].known ? clock_room_closely(room_of(query), &f->place[0], &f->place[1])
				  : (struct room_span){ 0, 0 };

	if ((double)f->latency < span.high - span.low)
		explain_add(e, 1, TEXT_WARNING, "%s",
			    clock_bounds_length(&e->p, (double)f->latency, span));
}

static void add_message_waits(struct explain *e, bool searched)
{
	const struct latencies *l = e->latencies;

	for (int i = 0; i < 2; i++) {
		const struct message_wait *w = &l->waits[i];
		struct explain_line *line;

		if (!w->is)
			continue;
		line = explain_add(e, 1, TEXT_PLAIN, "%s waited %s for it, %s",
				   explain_who(&e->p, l->of.location[i]),
				   phrase_time(&e->p, (double)w->length),
				   i ? "receiving" : "sending");
		line->location = l->of.location[i];
		line->time = w->begin;
		line->wait = w->wait;
	}
	if (searched && !l->waits[0].is && !l->waits[1].is)
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
	struct latencies *l = e->latencies;

	ranking_done(&l->latencies, trace_exchange(query->trace));
	add_message(e, query, &l->of);
	add_message_bounds(e, query, &l->of);
	explain_add(e, 1, TEXT_PLAIN, "%s %s",
		    standing_text(&e->p, &l->latencies, l->of.latency, "slow", "fast", "message"),
		    size_text(&e->p, l->cls));
	add_usual(e, &l->latencies);
	add_message_waits(e, analyses_peek(query->analyses, query->base) != NULL);
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
