#include "correct/overhead/overhead_survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

/* A walk along one location. */
struct survey_location {
	struct overhead_survey *survey;
	const struct trace *trace;
	const struct overhead_paths *paths;
	const struct overhead_timed *timed;
	enum time_base base;
	double call_cost; /* ticks between the stamps of an MPI call */
	uint32_t location;
	/* the call that is open, 0 none */
	uint32_t call;
	int64_t call_begin;
	unsigned receives;
	bool call_spoiled;
	uint32_t receive; /* of its receives the message that was sent last */
	int64_t receive_sent;
	int64_t receive_time;
	/* the segment that is open */
	bool open, unrecorded, spoiled;
	int64_t begin;
	uint32_t before, records;
	uint32_t at_begin;     /* leaves at the very begin: part of a gap, if one follows */
	int64_t gap_end;       /* of a stretch without probes, or a gap, in it */
	struct gap_counts gap; /* records 0: none */
	/* whether ends and leaves have one time */
	bool after_end;
	int64_t end_time;
	uint64_t ends, ends_shared;
};

static void segment_begin(struct survey_location *w, int64_t time, uint32_t site)
{
	w->open = true;
	w->unrecorded = w->spoiled = false;
	w->begin = time;
	w->before = site;
	w->records = w->at_begin = 0;
	w->gap.records = 0;
}

static void segment_end(struct survey_location *w, int64_t time, uint32_t site)
{
	struct location_survey *location = &w->survey->locations[w->location];
	const uint32_t records = w->records + (w->unrecorded ? 0 : w->at_begin);
	const bool gap = w->gap.records > 0;
	const struct segment segment = {
		w->location,
		w->before,
		site,
		w->unrecorded,
		(double)((gap ? w->gap_end : time) - w->begin),
		records,
		gap,
		w->gap.read,
		gap && w->gap.noted == 0,
	};

	if (!w->open || w->spoiled)
		return;
	w->open = false;
	if (w->unrecorded && records > 0) /* neither with nor without probes */
		return;
	if (gap && records != w->gap.records) /* it ended before the segment */
		return;
	location->segments++;
	location->work += segment.duration;
	location->skipped += w->unrecorded || gap;
	if (w->paths->sampled)
		classes_add(&w->survey->classes, &segment);
}

/* When the call around an event went on into MPI, which was `time` before it was recorded. */
static int64_t went_on(const struct survey_location *w, uint32_t event, int64_t time)
{
	return time + timed_inside(w->timed, w->trace, w->paths, w->base, event);
}

static void enter(struct survey_location *w, uint32_t path, int64_t time, uint32_t event)
{
	const struct overhead_path *p = &w->paths->list[path];

	switch ((enum path_role)p->role) {
	case PATH_FUNCTION: /* what a gap's note lists as entered has no record */
		w->records += !w->call && !(w->unrecorded && time == w->gap_end);
		break;
	case PATH_UNRECORDED: w->unrecorded = true; break;
	case PATH_MEASURING: /* but for what makes records of a gap's notes, at its end */
		w->spoiled |= w->gap.records == 0 || time != w->gap_end;
		w->call_spoiled = true;
		break;
	case PATH_CALL:
		if (w->call)
			break;
		segment_end(w, time, p->site);
		w->call = path;
		w->call_begin = went_on(w, event, time);
		w->receives = 0;
		w->call_spoiled = false;
		break;
	}
}

/* Samples the receives of a call: the latency of the message sent last, if the call waited for
 * it; the duration of receiving, if the call received one message only. */
static void sample(struct survey_location *w)
{
	const struct message *m = trace_message(w->trace, w->receive);
	const uint64_t bytes = m->flags & MSG_NO_BYTES ? UINT64_MAX : message_bytes(m);
	const uint32_t from = trace_event_location(w->trace, m->send);
	const int64_t sent = w->receive_sent;

	const double latency = (double)(w->receive_time - sent) - w->call_cost;

	latency_bound(&w->survey->latency, from, w->location, bytes, (double)(w->call_begin - sent),
		      latency);
	if (w->call_begin < sent)
		latency_add(&w->survey->latency, from, w->location, bytes, latency);
	else if (w->receives == 1 &&
		 w->call_begin > call_exit(w->trace, w->paths, w->base, m->send))
		latency_sample(&w->survey->latency,
			       m->flags & MSG_RECV_REQUEST ? OF_COMPLETION : OF_RECEIVE, 0, bytes,
			       (double)(w->receive_time - w->call_begin) - w->call_cost);
}

static void leave(struct survey_location *w, uint32_t path, int64_t time)
{
	const struct overhead_path *p = &w->paths->list[path];

	if (!w->call) {
		if (p->role == PATH_UNRECORDED)
			w->gap_end = time;
		else if (p->role == PATH_FUNCTION)
			++*(time == w->begin ? &w->at_begin : &w->records);
		return;
	}
	if (!path_ends(w->paths, path, w->call))
		return;
	w->ends += w->after_end;
	w->ends_shared += w->after_end && time == w->end_time;
	if (w->receives > 0 && !w->call_spoiled)
		sample(w);
	w->call = 0;
	if (p->role == PATH_CALL)
		segment_begin(w, time, p->site);
	else
		w->open = false;
}

static void receive(struct survey_location *w, uint32_t row, int64_t time)
{
	const struct message *m = trace_message(w->trace, row);
	int64_t sent;

	if (!w->call || !message_arrived(m))
		return;
	if (trace_event_location(w->trace, m->send) == w->location)
		return;
	sent = went_on(w, m->send, trace_event_time(w->trace, w->base, m->send));
	if (w->receives++ == 0 || sent > w->receive_sent) {
		w->receive = row;
		w->receive_sent = sent;
	}
	w->receive_time = time;
}

static bool is_record(const struct survey_location *w, uint32_t what)
{
	return (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE) && !w->call &&
	       w->paths->list[what_id(what)].role == PATH_FUNCTION;
}

static void event(struct survey_location *w, uint32_t what, int64_t time, uint32_t id)
{
	w->survey->locations[w->location].records += is_record(w, what);
	switch (what_kind(what)) {
	case EV_ENTER: enter(w, what_id(what), time, id); break;
	case EV_LEAVE: leave(w, what_id(what), time); break;
	case EV_RECV: receive(w, what_id(what), time); break;
	case EV_DATA:
		if (gap_of_event(w->trace, what, &w->gap))
			w->gap_end = time;
		break;
	case EV_TRACING_ON:
	case EV_TRACING_OFF: w->open = false; break;
	default: break;
	}
	w->after_end = what_kind(what) == EV_RECV || what_kind(what) == EV_COLLECTIVE_END;
	w->end_time = time;
}

static void walk(struct survey_location *w)
{
	const struct block_ids *list = &w->trace->lists.data[w->location];

	for (size_t i = 0; i < list->n; i++) {
		const struct block *block = store_block(w->trace, list->data[i]);
		const struct times *times = store_times(w->trace, w->base, list->data[i]);
		const int64_t *wide = store_wide(w->trace, w->base, times);
		store_prefetch(w->trace, w->base, list, i + 2);
		for (uint32_t slot = 0; slot < block->n; slot++)
			event(w, block->what[slot],
			      wide ? wide[slot] : times->base + times->delta[slot],
			      list->data[i] * BLOCK_EVENTS + slot);
	}
}

/* Samples the end of one party of a collective with one root. */
static void sample_party(const struct survey_location *w, const struct group *group,
			 const struct party *party)
{
	struct overhead_latency *latency = &w->survey->latency;
	const struct trace *trace = w->trace;
	const enum time_base base = w->base;
	const struct party *root = &group->parties[group->root];
	const uint32_t what = trace_event_what(trace, party->end);
	uint64_t bytes = group->bytes;
	int64_t begin, end, sent;

	if (what_kind(what) == EV_COLLECTIVE_END)
		bytes = trace_member(trace, what_id(what))->received;
	begin = went_on(w, party->begin, trace_event_time(trace, base, party->begin));
	end = trace_event_time(trace, base, party->end);
	sent = went_on(w, root->begin, trace_event_time(trace, base, root->begin));
	if (begin < sent)
		latency_sample(latency, OF_ROOT, group->n, bytes,
			       (double)(end - sent) - w->call_cost);
	else if (root->end != EVENT_NONE && begin > trace_event_time(trace, base, root->end))
		latency_sample(latency, OF_ROOT_RECEIVE, group->n, bytes,
			       (double)(end - begin) - w->call_cost);
}

static bool sample_groups(const struct survey_location *w, const struct logical *logical,
			  const struct progress *progress)
{
	const uint32_t n = logical_group_count(logical);
	struct group group = { 0 };
	bool ok = true;

	for (uint32_t id = 0; id < n && ok; id++) {
		if (id % 1024 == 0)
			ok = progress_step(progress, "overhead", id, n);
		if (logical_is_home(logical, id) || !logical_group(logical, id, &group) ||
		    group.cls != LOGICAL_ONE_TO_N || group.root >= group.n ||
		    group.parties[group.root].begin == EVENT_NONE)
			continue;
		for (uint32_t i = 0; i < group.n; i++) {
			const struct party *party = &group.parties[i];
			if (party->receives && i != group.root && party->begin != EVENT_NONE)
				sample_party(w, &group, party);
		}
	}
	group_fini(&group);
	return ok;
}

/* What the receivers of a collective with one root need to know of it. */
struct root_facts {
	int64_t sent, end; /* measured: when its call went on into MPI, when it ended */
	uint32_t parties;
};

/* A root, for the home of its group. */
struct far_root {
	uint32_t group;
	int64_t sent;
};

struct far_roots {
	const struct survey_location *w;
	const struct logical *logical;
	struct root_facts *of; /* [groups] of those at home */
};

/* The member of a collective that a party here is. */
static const struct member *member_of_far(const struct trace *trace, uint32_t number)
{
	const struct collective *first = store_collective(trace, trace_first_turn(trace));

	return store_member(trace, first->first + number);
}

static void take_roots(const struct far_roots *roots, const struct far_root *rows, size_t n)
{
	struct group group = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (!logical_group(roots->logical, rows[i].group, &group))
			continue;
		roots->of[rows[i].group] =
			(struct root_facts){ rows[i].sent,
					     trace_event_time(roots->w->trace, roots->w->base,
							      group.parties[group.root].end),
					     group.n };
	}
	group_fini(&group);
}

static void *answer_roots(void *context, const void *rows, size_t n)
{
	const struct far_roots *roots = context;
	const uint32_t *groups = rows;
	struct root_facts *facts = xmalloc((n + 1) * sizeof *facts);

	for (size_t i = 0; i < n; i++)
		facts[i] = roots->of[groups[i]];
	return facts;
}

static void sample_far_party(const struct survey_location *w, const struct member *m,
			     const struct root_facts *root)
{
	const int64_t begin = went_on(w, m->begin, trace_event_time(w->trace, w->base, m->begin));
	const int64_t end = trace_event_time(w->trace, w->base, m->end);

	if (begin < root->sent)
		latency_sample(&w->survey->latency, OF_ROOT, root->parties, m->received,
			       (double)(end - root->sent) - w->call_cost);
	else if (begin > root->end)
		latency_sample(&w->survey->latency, OF_ROOT_RECEIVE, root->parties, m->received,
			       (double)(end - begin) - w->call_cost);
}

/* The same of groups that are evaluated at their homes: roots tell these, and receivers ask. */
static void sample_far_groups(const struct survey_location *w, const struct logical *logical)
{
	struct exchange *x = trace_exchange(w->trace);
	OWNED struct root_facts *of = xcalloc(logical_group_count(logical) + 1u, sizeof *of);
	struct far_roots roots = { w, logical, of };
	OWNED_VEC(struct far_root) told = VEC_INIT;
	OWNED_VEC(uint32_t)
	told_to = VEC_INIT, asked = VEC_INIT, asked_to = VEC_INIT, numbers = VEC_INIT;
	OWNED struct root_facts *facts = NULL;

	for (uint32_t i = 0; i < logical_far_count(logical); i++) {
		const struct logical_far *far = logical_far(logical, i);
		if (far->group == UINT32_MAX || far->cls != LOGICAL_ONE_TO_N)
			continue;
		if (far->sends) {
			const uint32_t begin = member_of_far(w->trace, i)->begin;
			const int64_t sent =
				went_on(w, begin, trace_event_time(w->trace, w->base, begin));
			vec_push(&told, ((struct far_root){ far->group, sent }));
			vec_push(&told_to, far->process);
		} else if (far->receives) {
			vec_push(&asked, far->group);
			vec_push(&asked_to, far->process);
			vec_push(&numbers, i);
		}
	}
	exchange_deal_rows(x, &told, told_to.data);
	take_roots(&roots, told.data, told.n);
	facts = exchange_ask(x, asked.data, asked.n, sizeof *asked.data, asked_to.data,
			     answer_roots, &roots, sizeof *facts);
	for (size_t i = 0; i < asked.n; i++)
		sample_far_party(w, member_of_far(w->trace, numbers.data[i]), &facts[i]);
}

static void own_samples(struct overhead_survey *survey)
{
	const struct segment_class *class;

	vec_each (class, &survey->classes.list)
		survey->locations[class->location].own |= class->cost.own;
}

/* The rank with the largest share of probes is the one that others wait for. */
static double interrupted(const struct overhead_survey *survey, const struct trace *trace,
			  const struct overhead_cost *cost)
{
	const struct record_cost *all = &survey->classes.all;
	const double each = survey->classes.sampled ? all->cost + all->beside.best
						    : cost_uncalibrated(cost, cost->function).best;
	double most = 0;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location_survey *location = &survey->locations[l];
		if (location->work > 0)
			most = fmax(most, each * (double)location->records / location->work);
	}
	return outliers_share(exchange_most(trace_exchange(trace), most), 1);
}

bool survey_make(struct overhead_survey *survey, const struct logical *logical,
		 const struct overhead_paths *paths, const struct overhead_cost *cost,
		 const struct overhead_timed *timed, enum time_base base,
		 const struct progress *progress)
{
	const struct trace *trace = logical_trace(logical);
	const uint32_t n = trace_location_count(trace);
	struct survey_location w = { .survey = survey,
				     .trace = trace,
				     .paths = paths,
				     .timed = timed,
				     .base = base,
				     .call_cost = cost->pair[COST_MPI_ENTER][COST_MPI_LEAVE] };
	uint64_t ends = 0, shared = 0;

	memset(survey, 0, sizeof *survey);
	survey->latency = latency_init(trace);
	survey->locations = xcalloc(n + 1, sizeof *survey->locations);
	for (uint32_t l = 0; l < n; l++) {
		struct survey_location of = w;
		of.location = l;
		if (!progress_step(progress, "overhead", l, n))
			return false;
		walk(&of);
		ends += of.ends;
		shared += of.ends_shared;
	}
	if (!sample_groups(&w, logical, progress))
		return false;
	if (trace_exchange(trace))
		sample_far_groups(&w, logical);
	classes_finish(&survey->classes, cost, trace_exchange(trace));
	latency_share(&survey->latency);
	latency_finish(&survey->latency);
	own_samples(survey);
	survey->interrupted = interrupted(survey, trace, cost);
	survey->shared = 2 * exchange_count(trace_exchange(trace), shared) >=
			 exchange_count(trace_exchange(trace), ends);
	return true;
}

void survey_fini(struct overhead_survey *survey)
{
	classes_fini(&survey->classes);
	latency_fini(&survey->latency);
	free(survey->locations);
	survey->locations = NULL;
}
