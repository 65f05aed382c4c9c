#include "harness/invariants.h"

#include <string.h>

#include "model/sums/profile.h"
#include "model/sums/shading.h"
#include "model/trace/message.h"
#include "model/trace/program.h"

/* The partner of a visit costs its events, so only some are asked for. */
enum { PARTNERS = 200, PROBES = 50 };

static const char *event_broken(const struct cursor *c)
{
	const uint32_t what = cursor_what(c);
	const uint32_t id = what_id(what);
	const struct trace *trace = c->trace;

	if (cursor_path_before(c) >= trace_callpath_count(trace) ||
	    cursor_path(c) >= trace_callpath_count(trace))
		return "an event's call path does not exist";
	switch (what_kind(what)) {
	case EV_ENTER:
		if (id >= trace_callpath_count(trace) || cursor_path(c) != id)
			return "an enter does not open the call path it names";
		if (trace_callpath(trace, id)->parent != cursor_path_before(c))
			return "an enter does not open a child of the open call path";
		break;
	case EV_LEAVE:
		if (id >= trace_callpath_count(trace) ||
		    cursor_path(c) != trace_callpath(trace, id)->parent)
			return "a leave does not close the call path it names";
		break;
	case EV_SEND:
	case EV_RECV:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
		if (id != ID_NONE && id >= trace_message_count(trace))
			return "an event's message does not exist";
		break;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END:
		if (id != ID_NONE &&
		    trace_member_collective(trace, id) >= trace_collective_count(trace))
			return "an event's collective does not exist";
		break;
	default: break;
	}
	return NULL;
}

static const char *partner_broken(const struct cursor *c)
{
	const enum event_kind kind = what_kind(cursor_what(c));
	uint32_t partner;

	if (kind != EV_ENTER && kind != EV_LEAVE)
		return NULL;
	partner = trace_event_partner(c->trace, c->id);
	if (partner == EVENT_NONE)
		return NULL;
	if (trace_event_location(c->trace, partner) != c->location)
		return "a visit ends on another location";
	if ((kind == EV_ENTER) !=
		    (trace_event_time(c->trace, c->base, partner) >= cursor_time(c)) &&
	    trace_event_time(c->trace, c->base, partner) != cursor_time(c))
		return "a visit ends before it begins";
	return NULL;
}

static const char *location_broken(const struct trace *trace, uint32_t location)
{
	const struct location *l = trace_location(trace, location);
	int64_t last = INT64_MIN;
	uint64_t seen = 0;
	struct cursor c;

	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const char *broken = event_broken(&c);

		if (!broken && seen < PARTNERS)
			broken = partner_broken(&c);
		if (broken)
			return broken;
		if (cursor_time(&c) < last)
			return "events of a location are not in order of time";
		if (cursor_ordinal(&c) != seen)
			return "an event's place in its location is wrong";
		last = cursor_time(&c);
		seen++;
	}
	if (seen != l->events)
		return "a location's events are miscounted";
	if (seen && l->begin > l->end)
		return "a location ends before it begins";
	if (seen && l->end_inferred && last > l->end)
		return "a location whose end is inferred ends before its last event";
	return NULL;
}

/* Seeking finds the first event at or behind a time. */
static const char *seek_broken(const struct trace *trace, uint32_t location)
{
	struct cursor walk, found;
	uint64_t left = PROBES;

	for (bool ok = cursor_first(&walk, trace, BASE_MEASURED, location); ok && left--;
	     ok = cursor_next(&walk)) {
		if (!cursor_seek(&found, trace, BASE_MEASURED, location, cursor_time(&walk)))
			return "an event is not found by its time";
		if (cursor_time(&found) != cursor_time(&walk) || found.id > walk.id)
			return "seeking does not find the first event of a time";
	}
	return NULL;
}

static const char *message_broken(const struct trace *trace, uint32_t id)
{
	const struct message *m = trace_message(trace, id);

	if (m->comm >= trace_comm_count(trace))
		return "a message's communicator does not exist";
	if (!(m->flags & MSG_NO_SEND)) {
		const uint32_t what = trace_event_what(trace, m->send);

		/* The send of a broadcast names one of its messages. */
		if (what_kind(what) != EV_SEND ||
		    (what_id(what) != id && !(m->flags & MSG_BROADCAST)))
			return "a message's send is another event";
	}
	if (!(m->flags & MSG_NO_RECV)) {
		const uint32_t what = trace_event_what(trace, m->recv);

		if (what_id(what) != id ||
		    (what_kind(what) != EV_RECV && what_kind(what) != EV_RECV_REQUEST))
			return "a message's receive is another event";
	}
	message_source(trace, m);
	message_destination(trace, m);
	return NULL;
}

/* Where the source's times ran backwards, what it says belongs together may have been sorted
 * round. */
static bool was_unsorted(const struct trace *trace)
{
	bool unsorted = false;

	for (size_t i = 0; i < trace_finding_count(trace) && !unsorted; i++)
		unsorted = strcmp(trace_finding(trace, i)->code, "unsorted-location") == 0;
	return unsorted;
}

static const char *collective_broken(const struct trace *trace, uint32_t id)
{
	const struct collective *c = trace_collective(trace, id);
	int64_t begin, end;

	if (c->comm >= trace_comm_count(trace) || c->region >= trace_region_count(trace))
		return "a collective's communicator or region does not exist";
	if (c->members == 0)
		return "a collective has no member";
	for (uint32_t i = c->first; i < c->first + c->members; i++) {
		const struct member *member = trace_member(trace, i);

		if (trace_member_collective(trace, i) != id)
			return "a member belongs to another collective";
		if (member->begin != EVENT_NONE &&
		    what_kind(trace_event_what(trace, member->begin)) != EV_COLLECTIVE_BEGIN)
			return "a collective begins with another event";
		if (member->end != EVENT_NONE &&
		    what_kind(trace_event_what(trace, member->end)) != EV_COLLECTIVE_END)
			return "a collective ends with another event";
	}
	collective_span(trace, BASE_MEASURED, c, &begin, &end);
	return begin <= end || was_unsorted(trace) ? NULL : "a collective ends before it begins";
}

/* What each class has of a window adds up to the window. */
static const char *shading_broken(const struct trace *trace, uint32_t location)
{
	const struct shading *shading = trace_class_shading(trace, BASE_MEASURED);
	int64_t t0, t1;
	uint64_t sums[SHADING_SLOTS], all = 0;

	trace_span(trace, BASE_MEASURED, &t0, &t1);
	shading_window(shading, location, t0, t1, sums);
	for (unsigned i = 0; i < shading_slots(shading); i++)
		all += sums[i];
	return all == (uint64_t)t1 - (uint64_t)t0 ? NULL
						  : "the classes do not add up to the window";
}

static const char *profile_broken(const struct trace *trace)
{
	struct profile profile;
	uint64_t exclusive = 0;
	bool saturated = false;
	const char *broken = NULL;

	if (!profile_make(&profile, trace, BASE_MEASURED, PROFILE_CALLPATH, NULL, 0, INT64_MIN,
			  INT64_MAX, NULL, NULL))
		return "no profile can be made";
	for (uint32_t i = 0; i < profile.n; i++) {
		exclusive += (uint64_t)profile.rows[i].exclusive;
		saturated = saturated || profile.rows[i].exclusive == INT64_MAX ||
			    profile.rows[i].inclusive == INT64_MAX;
		if (profile.rows[i].count && profile.rows[i].min > profile.rows[i].max)
			broken = "a region's shortest visit is longer than its longest";
	}
	if (profile.n && !saturated && exclusive != (uint64_t)profile.rows[0].inclusive)
		broken = "exclusive times do not add up to the traced time";
	profile_fini(&profile);
	return broken;
}

static const char *statement_broken(const struct trace *trace, uint32_t id)
{
	const struct statement *s = trace_statement(trace, id);

	if (s->parent != NO_STATEMENT &&
	    (s->parent >= id || trace_statement(trace, s->parent)->kind > STATEMENT_LOOP))
		return "a statement stands in one that cannot contain it";
	if (s->callee != NO_STATEMENT &&
	    (s->callee >= trace_statement_count(trace) || s->kind != STATEMENT_CALL ||
	     trace_statement(trace, s->callee)->kind != STATEMENT_PROCEDURE))
		return "what a statement calls is no procedure";
	if (s->region != UINT32_MAX && s->region >= trace_region_count(trace))
		return "a statement's region does not exist";
	return NULL;
}

static const char *record_broken(const struct trace *trace, size_t i)
{
	const struct statement_record *r = trace_statement_record(trace, i);
	const struct statement_record *before = i ? trace_statement_record(trace, i - 1) : NULL;

	if (r->statement >= trace_statement_count(trace) ||
	    r->location >= trace_location_count(trace))
		return "a record's statement or location does not exist";
	if (r->from != NO_STATEMENT && trace_statement(trace, r->from)->kind != STATEMENT_CALL)
		return "a procedure is called from what is no call";
	if (r->comm != UINT32_MAX && r->comm >= trace_comm_count(trace))
		return "a record's communicator does not exist";
	if (before && (before->location > r->location ||
		       (before->location == r->location && before->statement > r->statement)))
		return "records do not stand in order";
	return NULL;
}

const char *trace_broken(struct trace *trace)
{
	const char *broken = NULL;
	uint64_t events = 0;

	for (uint32_t i = 1; i < trace_callpath_count(trace) && !broken; i++)
		if (trace_callpath(trace, i)->parent >= trace_callpath_count(trace) ||
		    trace_callpath(trace, i)->site >= trace_site_count(trace))
			broken = "a call path's parent or site does not exist";
	for (uint32_t i = 0; i < trace_location_count(trace) && !broken; i++) {
		events += trace_location(trace, i)->events;
		broken = location_broken(trace, i);
		if (!broken)
			broken = seek_broken(trace, i);
		if (!broken)
			broken = shading_broken(trace, i);
	}
	if (!broken && events != trace_event_count(trace))
		broken = "the trace's events are miscounted";
	for (uint32_t i = 0; i < trace_message_count(trace) && !broken; i++)
		broken = message_broken(trace, i);
	for (uint32_t i = 0; i < trace_collective_count(trace) && !broken; i++)
		broken = collective_broken(trace, i);
	for (uint32_t i = 0; i < trace_statement_count(trace) && !broken; i++)
		broken = statement_broken(trace, i);
	for (size_t i = 0; i < trace_statement_record_count(trace) && !broken; i++)
		broken = record_broken(trace, i);
	return broken ? broken : profile_broken(trace);
}
