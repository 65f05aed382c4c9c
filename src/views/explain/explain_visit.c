/* How usual a visit, or a message, is: exact, of the whole run, in slices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "model/trace/message.h"
#include "views/explain/explaining.h"
#include "views/facts/wait_find.h"
#include "views/facts/place_words.h"

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
	bool waited[2]; /* somebody at the sender's, the receiver's end waited for this one */
	uint32_t wait[2], location[2];
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- words ---- */

/* "longer than 99.2 % of 1,204 visits". */
static void add_standing(struct str *out, const struct ranking *r, int64_t value, const char *more,
			 const char *less, const char *what)
{
	size_t equal;
	const size_t below = ranking_below(r, value, &equal), n = r->values.n;
	const size_t above = n - below - equal;

	if (n < 2) {
		str_add_fmt(out, "the only one of its %s", what);
		return;
	}
	if (above == 0 && below == 0)
		str_add_fmt(out, "as %s as all ", more);
	else if (above == 0 || below == 0)
		str_add_fmt(out, equal > 1 ? "among the %sest of " : "the %sest of ",
			    above == 0 ? more : less);
	if (above == 0 || below == 0) {
		units_count(out, n);
		str_add_fmt(out, " %s", what);
		return;
	}
	/* The rest of them, itself left out. */
	str_add_fmt(out, "%ser than %.*f %% of ", below >= above ? more : less, n >= 1000 ? 1 : 0,
		    100 * (double)(below >= above ? below : above) / (double)(n - 1));
	units_count(out, n);
	str_add_fmt(out, " %s", what);
}

/* "usually 1.20 ms (mean), quartiles 1.1, 1.15, 1.2 ms, from 0.9 to 28.1 ms". */
static void add_usual(struct str *out, const struct query *query, const struct ranking *r)
{
	const size_t n = r->values.n;

	str_add(out, "mean ");
	explain_time_text(out, query, r->sum / (double)n);
	str_add(out, ", quartiles ");
	for (unsigned q = 1; q <= 3; q++) {
		explain_time_text(out, query, (double)ranking_quantile(r, q, 4));
		str_add(out, q < 3 ? ", " : "; from ");
	}
	explain_time_text(out, query, (double)r->min);
	str_add(out, " to ");
	explain_time_text(out, query, (double)r->max);
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
		if (now() >= until)
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

/* "rank 3 was in compute() for 28.1 ms: 2.3 % of the run". */
static void say_visit(struct explain *e, const struct query *query, int64_t t0, int64_t t1,
		      bool ended)
{
	const struct trace *trace = query->trace;
	const uint32_t location = e->subject.location;
	struct explain_line *line;
	struct str text = STR_INIT;
	int64_t begin, end;

	trace_span(trace, query->base, &begin, &end);
	explain_who(&text, trace, location, false);
	str_add(&text, " was in ");
	words_path(trace, trace_event_path(trace, e->subject.enter), &text);
	str_add(&text, ended ? " for " : " until its end, for ");
	explain_time_text(&text, query, (double)(t1 - t0));
	str_add_fmt(&text, ": %.3g %% of the run",
		    end > begin ? 100 * (double)(t1 - t0) / (double)(end - begin) : 100.0);
	line = explain_add(e, &text, 0, TEXT_VALUE);
	explain_lead(line, query, e->subject.enter);
	snprintf(line->value, sizeof line->value, "visit");
	str_fini(&text);
}

static void say_visits(struct explain *e, const struct query *query)
{
	const struct trace *trace = query->trace;
	const struct visits *v = e->visits;
	const uint32_t leave = trace_event_partner(trace, e->subject.enter);
	const int64_t t0 = trace_event_time(trace, query->base, e->subject.enter);
	int64_t begin, end;
	struct str text = STR_INIT;

	trace_span(trace, query->base, &begin, &end);
	if (leave != EVENT_NONE)
		end = trace_event_time(trace, query->base, leave);
	say_visit(e, query, t0, end, leave != EVENT_NONE);
	if (v->lengths.values.n == 0)
		return;
	if (leave != EVENT_NONE) {
		add_standing(&text, &v->lengths, end - t0, "long", "short", "visits");
		explain_add(e, &text, 1, TEXT_PLAIN);
	}
	add_usual(&text, query, &v->lengths);
	explain_add(e, &text, 1, TEXT_PLAIN);
	str_add(&text, "all of them ");
	explain_time_text(&text, query, v->time);
	str_add_fmt(&text, ": %.3g %% of the time of all %u locations",
		    100 * v->time / run_of_all(query), trace_location_count(trace));
	explain_add(e, &text, 1, TEXT_PLAIN);
	str_fini(&text);
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

/* Sizes from 2^(n-1) to below 2^n; 0 for no bytes, and one of its own for what nobody knows. */
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

static bool is_matched(const struct message *m)
{
	return !(m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING | MSG_CANCELLED));
}

/* Who waited for it: a wait that was found at one end of it and names the other. */
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

	if (!is_matched(m))
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

			if (is_matched(m) && size_class(m) == l->cls)
				ranking_add(&l->latencies, latency_of(query, m));
		}
		if (now() >= until)
			return l->next < n;
	}
	return false;
}

static void say_message(struct explain *e, const struct query *query, const struct message *m)
{
	const struct trace *trace = query->trace;
	struct explain_line *line;
	struct str text = STR_INIT;

	explain_who(&text, trace, trace_event_location(trace, m->send), false);
	str_add(&text, " to ");
	explain_who(&text, trace, trace_event_location(trace, m->recv), false);
	if (!(m->flags & MSG_NO_TAG))
		str_add_fmt(&text, ", tag %d", m->tag);
	if (!(m->flags & MSG_NO_BYTES)) {
		str_add(&text, ", ");
		units_bytes(&text, message_bytes(m));
	}
	str_add(&text, ": received ");
	explain_time_text(&text, query, (double)latency_of(query, m));
	str_add(&text, " after it was sent");
	line = explain_add(e, &text, 0, TEXT_VALUE);
	explain_lead(line, query, m->send);
	snprintf(line->value, sizeof line->value, "message");
	str_fini(&text);
}

static void say_message_waits(struct explain *e, const struct query *query)
{
	const struct latencies *l = e->latencies;
	const struct analysis *analysis =
		query->analyses ? analyses_peek(query->analyses, query->base) : NULL;
	struct str text = STR_INIT;

	for (int i = 0; analysis && i < 2; i++) {
		size_t n;
		const struct wait *w = analysis_waits(analysis, l->location[i], &n);
		struct explain_line *line;

		if (!l->waited[i] || l->wait[i] >= n)
			continue;
		w += l->wait[i];
		explain_who(&text, query->trace, l->location[i], false);
		str_add(&text, " waited ");
		explain_time_text(&text, query, (double)w->length);
		str_add_fmt(&text, " for it at the %s end", i ? "receiving" : "sending");
		line = explain_add(e, &text, 1, TEXT_PLAIN);
		line->location = l->location[i];
		line->time = w->begin;
		line->wait = l->wait[i];
	}
	if (analysis && !l->waited[0] && !l->waited[1]) {
		str_add(&text, "nobody waited for it");
		explain_add(e, &text, 1, TEXT_PLAIN);
	}
	str_fini(&text);
}

static void say_messages(struct explain *e, const struct query *query)
{
	const struct latencies *l = e->latencies;
	const struct message *m = trace_message(query->trace, l->row);
	struct str text = STR_INIT;

	say_message(e, query, m);
	add_standing(&text, &l->latencies, latency_of(query, m), "slow", "fast", "messages");
	if (l->cls == 65) {
		str_add(&text, " of unknown size");
	} else if (l->cls == 0) {
		str_add(&text, " without bytes");
	} else {
		str_add(&text, " of ");
		units_bytes(&text, (uint64_t)1 << (l->cls - 1));
		str_add(&text, " to below ");
		units_bytes(&text, l->cls < 64 ? (uint64_t)1 << l->cls : UINT64_MAX);
	}
	explain_add(e, &text, 1, TEXT_PLAIN);
	add_usual(&text, query, &l->latencies);
	explain_add(e, &text, 1, TEXT_PLAIN);
	say_message_waits(e, query);
	str_fini(&text);
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
	const int64_t until = now() + nanoseconds;

	if (e->latencies) {
		if (walk_messages(e->latencies, query, until))
			return true;
		say_messages(e, query);
		latencies_free(e->latencies);
		e->latencies = NULL;
		return true;
	}
	if (e->visits) {
		if (walk_visits(e->visits, query, until))
			return true;
		say_visits(e, query);
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
