/* A row against a filter. Each type of row answers for its fields with the verdict of a
 * test; where a row has several values of a field (a message has two ranks), the largest
 * verdict counts, and a negated comparison asks that no value is hit. */
#include "model/filter/filter_compiled.h"
#include "model/trace/halo.h"

enum row_type {
	ROW_EVENT,
	ROW_CALL,
	ROW_MESSAGE,
	ROW_COLLECTIVE,
	ROW_WHOLE,
	ROW_VISIT,
	ROW_LOCATION
};

struct row {
	const struct filter *filter;
	const struct trace *trace;
	enum row_type type;
	enum time_base base;
	uint32_t id; /* event (of a call its enter), message, collective or call path */
	uint32_t location;
	const struct filter_whole *whole; /* ROW_WHOLE */
};

/* Kleene's logic: unknown fields of a visit or a location are UNKNOWN. */
enum truth { FALSE, UNKNOWN, TRUE };

static enum verdict number(const struct filter_test *test, bool known, int64_t value)
{
	return known ? filter_spans_verdict(test, value) : VERDICT_ABSENT;
}

static enum verdict rank_number(const struct filter_test *test, int32_t rank)
{
	return number(test, rank != RANK_UNKNOWN, rank);
}

/* b - a; saturates, so that times from one end of the world to the other stay comparable. */
static int64_t difference(int64_t a, int64_t b)
{
	int64_t d;

	return __builtin_sub_overflow(b, a, &d) ? (b < a ? INT64_MIN : INT64_MAX) : d;
}

/* The time between two events, of which there may be none. */
static enum verdict duration(const struct row *row, const struct filter_test *test, uint32_t begin,
			     uint32_t end)
{
	if (begin == EVENT_NONE || end == EVENT_NONE)
		return VERDICT_ABSENT;
	return filter_spans_verdict(test, difference(trace_event_time(row->trace, row->base, begin),
						     trace_event_time(row->trace, row->base, end)));
}

/* ---- messages ---- */

static bool has_send(const struct message *m)
{
	return !(m->flags & MSG_NO_SEND);
}

static bool has_recv(const struct message *m)
{
	return !(m->flags & MSG_NO_RECV);
}

/* The fields of the message itself, wherever it is seen from. A duration below 0 is a message that
 * arrived before it was sent. */
static enum verdict message_verdict(const struct row *row, const struct filter_test *test,
				    const struct message *m)
{
	switch (test->field) {
	case FILTER_SRC: return rank_number(test, message_source(row->trace, m));
	case FILTER_DST: return rank_number(test, message_destination(row->trace, m));
	case FILTER_TAG: return number(test, !(m->flags & MSG_NO_TAG), m->tag);
	case FILTER_BYTES:
		return number(test, !(m->flags & MSG_NO_BYTES), (int64_t)message_bytes(m));
	case FILTER_COMM: return test->table[m->comm];
	case FILTER_DUR:
		return has_send(m) && has_recv(m) ? duration(row, test, m->send, m->recv)
						  : VERDICT_ABSENT;
	default: return VERDICT_ABSENT;
	}
}

/* ---- collectives ---- */

static enum verdict byte_number(const struct filter_test *test, uint64_t bytes)
{
	return number(test, bytes != UINT64_MAX, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes);
}

static enum verdict collective_verdict(const struct filter_test *test, const struct collective *c)
{
	switch (test->field) {
	case FILTER_COMM: return test->table[c->comm];
	case FILTER_OP: return test->table[c->region];
	case FILTER_ROOT: return c->root == -1 ? VERDICT_ABSENT : rank_number(test, c->root);
	default: return VERDICT_ABSENT;
	}
}

/* One rank's part: bytes are what it sent at the begin, what it received at the end. */
static enum verdict member_verdict(const struct row *row, const struct filter_test *test,
				   uint32_t id, bool begin)
{
	const struct member *const m = trace_member(row->trace, id);

	if (test->field == FILTER_BYTES)
		return byte_number(test, begin ? m->sent : m->received);
	if (test->field == FILTER_DUR)
		return duration(row, test, m->begin, m->end);
	return collective_verdict(test, trace_collective(row->trace,
							 trace_member_collective(row->trace, id)));
}

/* ---- events ---- */

/* The site an event mentions, for region, class, file and line; false where none is open. */
static bool event_site(const struct trace *trace, uint32_t event, uint32_t what, uint32_t *site)
{
	uint32_t path;

	switch (what_kind(what)) {
	case EV_MARK:
	case EV_STRAY_LEAVE:
	case EV_TRACING_ON:
	case EV_TRACING_OFF: *site = what_id(what); return true;
	case EV_ENTER:
	case EV_LEAVE: path = what_id(what); break;
	case EV_DATA:
	case EV_STATISTICS:
	case EV_IO: *site = trace_record(trace, what_id(what))->site; return true;
	case EV_OTHER:
		if (filter_detail_site(trace, what_id(what), site))
			return true;
		path = trace_event_path(trace, event);
		break;
	default: path = trace_event_path(trace, event);
	}
	*site = path ? trace_callpath(trace, path)->site : 0;
	return path != 0;
}

static uint32_t event_path(const struct trace *trace, uint32_t event, uint32_t what)
{
	const enum event_kind kind = what_kind(what);

	return kind == EV_ENTER || kind == EV_LEAVE ? what_id(what)
						    : trace_event_path(trace, event);
}

/* Tests and cancellations are of a send or of a receive: that of the rank where they happen. */
static bool is_of_sender(const struct trace *trace, uint32_t event, enum event_kind kind,
			 const struct message *m)
{
	const struct location *location;

	if (kind == EV_SEND || kind == EV_SEND_COMPLETE)
		return true;
	if (kind == EV_RECV || kind == EV_RECV_REQUEST)
		return false;
	location = trace_location(trace, trace_event_location(trace, event));
	if (message_source(trace, m) != location->rank)
		return false;
	return message_destination(trace, m) != location->rank || m->flags & MSG_SEND_REQUEST;
}

/* Fields of the message, collective or visit that the event belongs to. */
static enum verdict payload_verdict(const struct row *row, const struct filter_test *test,
				    uint32_t event, uint32_t what)
{
	const struct trace *const trace = row->trace;
	const enum event_kind kind = what_kind(what);
	const uint32_t id = what_id(what);

	if (id == ID_NONE) /* a completion without a beginning */
		return VERDICT_ABSENT;
	if (kind >= EV_SEND && kind <= EV_REQUEST_CANCELLED) {
		const struct message *const m = trace_message(trace, id);
		const bool sends = is_of_sender(trace, event, kind, m);

		if (test->field == FILTER_PEER && sends && m->flags & MSG_BROADCAST)
			return VERDICT_ABSENT; /* all ranks; the message's dst names them */
		if (test->field == FILTER_PEER)
			return rank_number(test, sends ? message_destination(trace, m)
						       : message_source(trace, m));
		return message_verdict(row, test, m);
	}
	if (kind == EV_COLLECTIVE_BEGIN || kind == EV_COLLECTIVE_END)
		return member_verdict(row, test, id, kind == EV_COLLECTIVE_BEGIN);
	if (kind >= EV_THREAD_BEGIN && kind <= EV_OTHER)
		return filter_detail_verdict(test, trace, id);
	if (test->field == FILTER_BYTES && kind == EV_IO)
		return byte_number(test, trace_io_bytes(trace, id));
	if (test->field == FILTER_DUR && kind == EV_ENTER)
		return duration(row, test, event, visit_ends_partner(row->filter->ends, event));
	if (test->field == FILTER_DUR && kind == EV_LEAVE)
		return duration(row, test, visit_ends_partner(row->filter->ends, event), event);
	return VERDICT_ABSENT;
}

static enum verdict event_verdict(const struct row *row, const struct filter_test *test,
				  uint32_t event)
{
	const struct trace *const trace = row->trace;
	const uint32_t what = trace_event_what(trace, event);
	uint32_t site, path;

	if (test->subject == SUBJECT_LOCATION)
		return test->table[trace_event_location(trace, event)];
	if (test->subject == SUBJECT_SITE)
		return event_site(trace, event, what, &site) ? test->table[site] : VERDICT_ABSENT;
	switch (test->field) {
	case FILTER_KIND: return test->table[what_kind(what)];
	case FILTER_TIME:
		return filter_spans_verdict(test, trace_event_time(trace, row->base, event));
	case FILTER_CALLPATH:
	case FILTER_CALLPATH_ID: return test->table[event_path(trace, event, what)];
	case FILTER_EVENT:
		return filter_spans_verdict(test,
					    (int64_t)trace_number_by(trace, row->filter->numbers,
								     event));
	case FILTER_DEPTH:
		path = event_path(trace, event, what);
		return filter_spans_verdict(test, trace_callpath(trace, path)->depth);
	case FILTER_OBJECT:
	case FILTER_VALUE:
		return better(payload_verdict(row, test, event, what),
			      filter_attributes_verdict(test, trace, event));
	default: return payload_verdict(row, test, event, what);
	}
}

/* ---- the other rows ---- */

static bool is_own_of_message(enum filter_field field)
{
	return field == FILTER_SRC || field == FILTER_DST || field == FILTER_TAG ||
	       field == FILTER_BYTES || field == FILTER_COMM || field == FILTER_DUR;
}

static enum verdict message_row_verdict(const struct row *row, const struct filter_test *test)
{
	const struct message *const m = trace_message(row->trace, row->id);
	enum verdict v = VERDICT_ABSENT;

	if (is_own_of_message(test->field))
		return message_verdict(row, test, m);
	if (test->field == FILTER_OP || test->field == FILTER_ROOT)
		return VERDICT_ABSENT;
	/* A rank is known also where its event is missing; ranks are tables by location. */
	if (test->field == FILTER_PEER || test->field == FILTER_RANK)
		return better(rank_number(test, message_source(row->trace, m)),
			      rank_number(test, message_destination(row->trace, m)));
	if (has_send(m))
		v = event_verdict(row, test, m->send);
	if (has_recv(m))
		v = better(v, event_verdict(row, test, m->recv));
	return v;
}

static enum verdict members_verdict(const struct row *row, const struct filter_test *test,
				    const struct collective *c)
{
	enum verdict v = VERDICT_ABSENT;

	for (uint32_t i = c->first; i < c->first + c->members && v != VERDICT_HIT; i++) {
		const struct member *const m = trace_member(row->trace, i);
		if (m->begin != EVENT_NONE)
			v = better(v, event_verdict(row, test, m->begin));
		if (m->end != EVENT_NONE)
			v = better(v, event_verdict(row, test, m->end));
	}
	return v;
}

/* What all members sent, or received, together; unknown if no member has it. */
static void sum_bytes(const struct trace *trace, const struct collective *c,
		      struct filter_whole *whole)
{
	whole->sent = whole->received = UINT64_MAX;
	for (uint32_t i = c->first; i < c->first + c->members; i++) {
		const struct member *const m = trace_member(trace, i);
		if (m->sent != UINT64_MAX)
			whole->sent = (whole->sent == UINT64_MAX ? 0 : whole->sent) + m->sent;
		if (m->received != UINT64_MAX)
			whole->received =
				(whole->received == UINT64_MAX ? 0 : whole->received) + m->received;
	}
}

/* Whether the members' verdicts are not those of the collective. */
static bool is_of_whole(enum filter_field field)
{
	switch (field) {
	case FILTER_COMM:
	case FILTER_OP:
	case FILTER_ROOT:
	case FILTER_BYTES:
	case FILTER_TIME:
	case FILTER_DUR:
	case FILTER_PEER:
	case FILTER_SRC:
	case FILTER_DST:
	case FILTER_TAG: return true;
	default: return false;
	}
}

static enum verdict whole_verdict(const struct filter_test *test, const struct filter_whole *w)
{
	switch (test->field) {
	case FILTER_BYTES:
		return better(byte_number(test, w->sent), byte_number(test, w->received));
	case FILTER_TIME:
		return better(filter_spans_verdict(test, w->begin),
			      filter_spans_verdict(test, w->end));
	case FILTER_DUR: return filter_spans_verdict(test, difference(w->begin, w->end));
	default: return collective_verdict(test, &w->collective);
	}
}

static enum verdict collective_row_verdict(const struct row *row, const struct filter_test *test)
{
	const struct collective *const c = trace_collective(row->trace, row->id);
	struct filter_whole whole = { .collective = *c };

	if (!is_of_whole(test->field))
		return members_verdict(row, test, c);
	if (test->field == FILTER_BYTES)
		sum_bytes(row->trace, c, &whole);
	else if (test->field == FILTER_TIME || test->field == FILTER_DUR)
		collective_span(row->trace, row->base, c, &whole.begin, &whole.end);
	return whole_verdict(test, &whole);
}

/* Of a call, fields of messages and collectives are those of the events right inside it. */
static enum verdict call_verdict(const struct row *row, const struct filter_test *test)
{
	enum verdict v = event_verdict(row, test, row->id);
	struct cursor c;

	if (v != VERDICT_ABSENT || test->field == FILTER_DUR || !is_of_whole(test->field))
		return v;
	cursor_at(&c, row->trace, row->base, row->id);
	while (v != VERDICT_HIT && cursor_next(&c) && what_kind(cursor_what(&c)) > EV_LEAVE)
		v = better(v, payload_verdict(row, test, c.id, cursor_what(&c)));
	return v;
}

/* A visit of a call path on a location, and a location (ROW_LOCATION, which has no call path): only
 * what definitions say is known. False: unknown. */
static bool definition_verdict(const struct row *row, const struct filter_test *test,
			       enum verdict *verdict)
{
	const struct callpath *path = trace_callpath(row->trace, row->id);

	if (test->subject == SUBJECT_LOCATION)
		*verdict = test->table[row->location];
	else if (row->type == ROW_LOCATION)
		return false;
	else if (test->subject == SUBJECT_SITE)
		*verdict = row->id ? test->table[path->site] : VERDICT_ABSENT;
	else if (test->subject == SUBJECT_PATH)
		*verdict = test->table[row->id];
	else if (test->field == FILTER_DEPTH)
		*verdict = filter_spans_verdict(test, path->depth);
	else
		return false;
	return true;
}

/* The fields that definition_verdict() knows of a visit. */
static bool definitions_decide(const struct filter_test *test)
{
	return test->subject == SUBJECT_LOCATION || test->subject == SUBJECT_SITE ||
	       test->subject == SUBJECT_PATH || test->field == FILTER_DEPTH;
}

static enum truth test_truth(const struct row *row, const struct filter_test *test)
{
	enum verdict verdict = VERDICT_ABSENT;

	switch (row->type) {
	case ROW_EVENT: verdict = event_verdict(row, test, row->id); break;
	case ROW_CALL: verdict = call_verdict(row, test); break;
	case ROW_MESSAGE: verdict = message_row_verdict(row, test); break;
	case ROW_COLLECTIVE: verdict = collective_row_verdict(row, test); break;
	case ROW_WHOLE:
		verdict =
			is_of_whole(test->field)
				? whole_verdict(test, row->whole)
				: (enum verdict)row->whole->members[test - row->filter->tests.data];
		break;
	case ROW_VISIT:
	case ROW_LOCATION:
		if (!definition_verdict(row, test, &verdict))
			return UNKNOWN;
	}
	return verdict == (test->negate ? VERDICT_MISS : VERDICT_HIT) ? TRUE : FALSE;
}

/* The depth of this recursion is bounded by the limits of the parser. */
static enum truth node_truth(const struct row *row, uint32_t id)
{
	const struct filter_node *const node = &row->filter->nodes[id];
	enum truth left, right;

	if (node->type == NODE_TEST)
		return test_truth(row, &row->filter->tests.data[node->left]);
	left = node_truth(row, node->left);
	if (node->type == NODE_NOT)
		return TRUE - left;
	if (left == (node->type == NODE_AND ? FALSE : TRUE))
		return left;
	right = node_truth(row, node->right);
	if (node->type == NODE_AND)
		return left < right ? left : right;
	return left > right ? left : right;
}

static bool could_match(const struct filter *filter, enum row_type type, enum time_base base,
			uint32_t id, uint32_t location)
{
	const struct row row = { filter, filter ? filter->trace : NULL, type, base, id, location,
				 NULL };

	return !filter || filter->n_nodes == 0 || node_truth(&row, filter->root) != FALSE;
}

bool filter_event(const struct filter *filter, enum time_base base, uint32_t event)
{
	return could_match(filter, ROW_EVENT, base, event, 0);
}

bool filter_call(const struct filter *filter, enum time_base base, uint32_t enter)
{
	return could_match(filter, ROW_CALL, base, enter, 0);
}

bool filter_message(const struct filter *filter, enum time_base base, uint32_t message)
{
	return could_match(filter, ROW_MESSAGE, base, message, 0);
}

bool filter_collective(const struct filter *filter, enum time_base base, uint32_t collective)
{
	return could_match(filter, ROW_COLLECTIVE, base, collective, 0);
}

size_t filter_tests(const struct filter *filter)
{
	return filter ? filter->tests.n : 0;
}

void filter_members(const struct filter *filter, enum time_base base, uint32_t collective,
		    uint8_t *verdicts)
{
	const struct collective *c = trace_collective(filter->trace, collective);
	const struct row row = { filter, filter->trace, ROW_COLLECTIVE, base, collective, 0, NULL };

	for (size_t i = 0; i < filter->tests.n; i++) {
		const struct filter_test *test = &filter->tests.data[i];
		if (!is_of_whole(test->field))
			verdicts[i] = (uint8_t)better((enum verdict)verdicts[i],
						      members_verdict(&row, test, c));
	}
}

bool filter_collective_whole(const struct filter *filter, const struct filter_whole *whole)
{
	const struct row row = {
		filter, filter ? filter->trace : NULL, ROW_WHOLE, BASE_MEASURED, 0, 0, whole
	};

	return !filter || filter->n_nodes == 0 || node_truth(&row, filter->root) != FALSE;
}

bool filter_callpath(const struct filter *filter, uint32_t location, uint32_t callpath)
{
	return could_match(filter, ROW_VISIT, BASE_MEASURED, callpath, location);
}

bool filter_callpath_anywhere(const struct filter *filter, uint32_t callpath)
{
	if (!filter)
		return true;
	for (size_t i = 0; i < filter->kinds.n; i++)
		if (filter_callpath(filter, filter->kinds.data[i], callpath))
			return true;
	return false;
}

bool filter_by_visit(const struct filter *filter)
{
	const struct filter_test *test;

	if (!filter)
		return false;
	vec_each (test, &filter->tests)
		if (!definitions_decide(test))
			return true;
	return false;
}

bool filter_location(const struct filter *filter, uint32_t location)
{
	return could_match(filter, ROW_LOCATION, BASE_MEASURED, 0, location);
}
