/* Appending events: the part of the builder that runs once per event. */
#include <assert.h>
#include <string.h>

#include "model/build/build.h"

/* A child takes this many blocks at a time from the slabs that all children share. */
enum { RUN = 64, MOST_BLOCKS = UINT32_MAX / BLOCK_EVENTS };

/* Extends the blocks and their times by up to n; false if there is no room for even one. */
static bool extend_blocks(struct builder *b, uint32_t n, uint32_t *first, uint32_t *end)
{
	struct trace *home = b->home;
	const uint32_t count = store_block_count(home);

	if (count == MOST_BLOCKS)
		return err_set(&b->err, STATUS_IO,
			       "%s has more events than tview can hold (2^32); "
			       "load a part of it with --ranks or --time",
			       home->path);
	if (n > MOST_BLOCKS - count)
		n = MOST_BLOCKS - count;
	*first = count;
	*end = count + n;
	return slab_extend(&home->blocks, n * sizeof(struct block), &b->err) &&
	       slab_extend(&home->columns[BASE_MEASURED].times, n * sizeof(struct times), &b->err);
}

static bool new_block(struct builder *b, uint32_t *id)
{
	uint32_t end;
	bool ok = true;

	if (!b->parent)
		return extend_blocks(b, 1, id, &end);
	if (b->run == b->run_end) {
		pthread_mutex_lock(&b->parent->growing);
		ok = extend_blocks(b, RUN, &b->run, &b->run_end);
		pthread_mutex_unlock(&b->parent->growing);
	}
	*id = b->run++;
	return ok;
}

static bool tail_grow(struct builder *b, uint32_t location)
{
	struct block_ids *list = &b->home->lists.data[location];
	struct tail *tail = &b->tails.data[location];

	if (!new_block(b, &tail->id))
		return false;
	tail->block = store_block(b->home, tail->id);
	tail->times = store_times(b->home, BASE_MEASURED, tail->id);
	tail->wide = NULL;
	tail->block->location = location;
	tail->block->nth = (uint32_t)list->n;
	vec_push(list, tail->id);
	return true;
}

/* Moves the block's times to a row of the wide table, as they do not fit 32 bits. */
static bool tail_widen(struct builder *b, struct tail *tail)
{
	if (b->parent)
		pthread_mutex_lock(&b->parent->growing);
	tail->wide = column_widen(&b->home->columns[BASE_MEASURED], tail->times, tail->block->n,
				  &b->err);
	if (b->parent)
		pthread_mutex_unlock(&b->parent->growing);
	return tail->wide != NULL;
}

/* Limits a time that no clock can show (a damaged digit), so that no difference of two times
 * overflows. */
static int64_t limit_time(struct builder *b, int64_t time)
{
	store_finding(b->trace, FINDING_DAMAGE, "time-out-of-range", 0, 1,
		      "a time is too large: it was limited to 2^61 ticks");
	return time < 0 ? -TIME_LIMIT : TIME_LIMIT;
}

/* Appends an event and returns its id; EVENT_NONE once the builder has failed. */
static inline uint32_t append(struct builder *b, uint32_t location, int64_t time, uint32_t what)
{
	struct tail *tail;
	uint64_t delta;
	uint32_t slot;

	assert(location < b->tails.n);
	if (time > TIME_LIMIT || time < -TIME_LIMIT)
		time = limit_time(b, time);
	tail = &b->tails.data[location];
	if (!tail->block || tail->block->n == BLOCK_EVENTS) {
		if (b->err.status || !tail_grow(b, location))
			return EVENT_NONE;
		tail->times->base = time;
	}
	delta = (uint64_t)time - (uint64_t)tail->times->base;
	if (delta > UINT32_MAX && !tail->wide && !tail_widen(b, tail))
		return EVENT_NONE;
	slot = tail->block->n++;
	tail->block->what[slot] = what;
	if (tail->wide)
		tail->wide[slot] = time;
	else
		tail->times->delta[slot] = (uint32_t)delta;
	if (time < tail->last)
		tail->backwards = true;
	tail->last = time;
	return tail->id * BLOCK_EVENTS + slot;
}

/* Whether an event is another process'. */
static inline bool is_left_out(struct builder *b, uint32_t location)
{
	struct tail *tail = &b->tails.data[location];

	assert(location < b->tails.n);
	if (tail->elsewhere)
		tail->left_out = true;
	return tail->elsewhere;
}

void builder_ask(const struct builder *b, uint32_t location, int step)
{
	const struct tail *tail = &b->tails.data[location];

	if (step == 0) {
		__builtin_prefetch(tail, 1);
	} else if (!tail->block) {
		return;
	} else if (step == 1) {
		__builtin_prefetch(&tail->block->n, 1);
		__builtin_prefetch(&tail->times->base, 1);
	} else {
		__builtin_prefetch(&tail->block->what[tail->block->n % BLOCK_EVENTS], 1);
		__builtin_prefetch(&tail->times->delta[tail->block->n % BLOCK_EVENTS], 1);
	}
}

void builder_enter(struct builder *b, uint32_t location, int64_t time, uint32_t site)
{
	if (is_left_out(b, location))
		return;
	assert(site < b->home->sites.n || b->parent);
	append(b, location, time, what_make(EV_ENTER, site));
}

void builder_leave(struct builder *b, uint32_t location, int64_t time, uint32_t site)
{
	if (is_left_out(b, location))
		return;
	assert(site < b->home->sites.n || b->parent);
	append(b, location, time, what_make(EV_LEAVE, site));
}

void builder_mark(struct builder *b, uint32_t location, int64_t time, uint32_t site)
{
	if (is_left_out(b, location))
		return;
	assert(site < b->home->sites.n || b->parent);
	append(b, location, time, what_make(EV_MARK, site));
}

void builder_tracing(struct builder *b, uint32_t location, int64_t time, uint32_t site, bool on)
{
	if (is_left_out(b, location))
		return;
	assert(site < b->home->sites.n || b->parent);
	if (b->tails.data[location].first_switch == 0)
		b->tails.data[location].first_switch = on ? EV_TRACING_ON : EV_TRACING_OFF;
	append(b, location, time, what_make(on ? EV_TRACING_ON : EV_TRACING_OFF, site));
}

/* True if a table of n rows can take another one whose id fits an event. */
static bool room(struct builder *b, size_t n, const char *what)
{
	if (b->err.status)
		return false;
	if (n < ID_NONE)
		return true;
	return err_set(&b->err, STATUS_IO,
		       "%s has more %s than tview can hold (2^27); load a part of it with --ranks "
		       "or --time",
		       b->home->path, what);
}

void builder_record(struct builder *b, uint32_t location, int64_t time, enum event_kind kind,
		    const struct record *record)
{
	if (is_left_out(b, location))
		return;
	assert(kind >= EV_DATA && kind <= EV_IO);
	if (!room(b, b->trace->records.n, "records with data"))
		return;
	vec_push(&b->trace->records, *record);
	build_tally(b, location, ROW_RECORD, 1);
	append(b, location, time, what_make(kind, (uint32_t)(b->trace->records.n - 1)));
}

/* ---- details ---- */

void builder_detail(struct builder *b, uint32_t location, int64_t time, enum detail_type type,
		    const uint64_t *values, uint32_t n)
{
	const uint32_t id = trace_detail_count(b->trace);
	struct detail *detail;

	if (is_left_out(b, location) || !room(b, id, "events with details"))
		return;
	detail = slab_extend(&b->trace->details, sizeof *detail, &b->err);
	if (!detail || !build_values(b, detail, type, values, n))
		return;
	build_tally(b, location, ROW_DETAIL, 1);
	build_tally(b, location, ROW_VALUE, n);
	append(b, location, time, what_make(detail_info(type)->kind, id));
}

/* ---- messages ---- */

static void set_bytes(struct message *m, uint64_t bytes)
{
	const uint64_t most = ((uint64_t)1 << 48) - 1;

	if (bytes > most)
		bytes = most;
	m->bytes_low = (uint32_t)bytes;
	m->bytes_high = (uint16_t)(bytes >> 32);
}

void builder_send(struct builder *b, uint32_t location, int64_t time, const struct message_end *end)
{
	const uint32_t row = store_message_count(b->trace);
	struct message *m;

	if (is_left_out(b, location) || !room(b, row, "messages"))
		return;
	build_tally(b, location, ROW_MESSAGE, 1);
	m = slab_extend(&b->trace->messages, sizeof *m, &b->err);
	if (!m)
		return;
	assert(end->comm < b->home->comms.n);
	m->send = append(b, location, time, what_make(EV_SEND, row));
	m->recv = (uint32_t)end->rank;
	m->comm = end->comm;
	m->tag = end->tag;
	set_bytes(m, end->bytes);
	m->flags = end->flags | MSG_NO_RECV;
	if (end->rank == -1)
		m->flags |= MSG_BROADCAST;
	if (end->has_request) {
		m->flags |= MSG_SEND_REQUEST;
		requests_push(&b->requests, location, REQUEST_SEND, end->request, row);
	}
}

void builder_send_complete(struct builder *b, uint32_t location, int64_t time, int64_t request,
			   uint16_t flags)
{
	uint32_t row, event;

	if (is_left_out(b, location))
		return;
	row = requests_pop(&b->requests, location, REQUEST_SEND, request);
	event = append(b, location, time,
		       what_make(EV_SEND_COMPLETE, row == UINT32_MAX ? ID_NONE : row));
	if (row == UINT32_MAX)
		build_request_ended(b, (struct request_end){ .id = request,
							     .event = event,
							     .kind = EV_SEND_COMPLETE,
							     .flags = flags & MSG_SEND_BLOCKED });
	else
		store_message(b->trace, row)->flags |= flags & MSG_SEND_BLOCKED;
}

/* A receive's row; UINT32_MAX if there is no room. */
static uint32_t add_recv(struct builder *b, uint32_t location, const struct message_end *end)
{
	const uint32_t row = build_recv_count(b);
	struct message *m;

	if (!room(b, row, "receives"))
		return UINT32_MAX;
	build_tally(b, location, ROW_RECV, 1);
	m = slab_extend(&b->recvs, sizeof *m, &b->err);
	if (!m)
		return UINT32_MAX;
	assert(end->comm < b->home->comms.n);
	m->send = (uint32_t)(end->rank == -1 ? RANK_UNKNOWN : end->rank);
	m->comm = end->comm;
	m->tag = end->tag;
	set_bytes(m, end->bytes);
	m->flags = end->flags;
	return row;
}

void builder_recv_request(struct builder *b, uint32_t location, int64_t time,
			  const struct message_end *end)
{
	uint32_t row;

	if (is_left_out(b, location))
		return;
	if (!end->has_request) {
		/* No completion can name it: the receive will come as an event of its own. */
		append(b, location, time, what_make(EV_RECV_REQUEST, ID_NONE));
		return;
	}
	row = add_recv(b, location, end);
	if (row == UINT32_MAX)
		return;
	build_recv(b, row)->recv = append(b, location, time, what_make(EV_RECV_REQUEST, row));
	build_recv(b, row)->flags |= MSG_RECV_REQUEST | MSG_RECV_PENDING;
	requests_push(&b->requests, location, REQUEST_RECV, end->request, row);
}

void build_complete_recv(struct message *m, const struct message_end *end)
{
	if (end->rank != RANK_UNKNOWN && end->rank != -1)
		m->send = (uint32_t)end->rank;
	if (!(end->flags & MSG_NO_TAG)) {
		m->tag = end->tag;
		m->flags &= (uint16_t)~MSG_NO_TAG;
	}
	if (!(end->flags & MSG_NO_BYTES)) {
		set_bytes(m, end->bytes);
		m->flags &= (uint16_t)~MSG_NO_BYTES;
	}
	if (m->flags & MSG_NO_COMM) {
		m->comm = end->comm;
		m->flags &= (uint16_t)~MSG_NO_COMM;
	}
	m->flags |= end->flags & MSG_RECV_BLOCKED;
	m->flags &= (uint16_t)~MSG_RECV_PENDING;
}

void builder_recv(struct builder *b, uint32_t location, int64_t time, const struct message_end *end)
{
	uint32_t row = UINT32_MAX;
	bool known;

	if (is_left_out(b, location))
		return;
	if (end->has_request) {
		row = requests_pop(&b->requests, location, REQUEST_RECV, end->request);
		if (row != UINT32_MAX)
			build_complete_recv(build_recv(b, row), end);
	}
	known = row != UINT32_MAX;
	if (row == UINT32_MAX) {
		row = add_recv(b, location, end);
		if (row == UINT32_MAX)
			return;
		build_recv(b, row)->flags &= (uint16_t)~MSG_RECV_PENDING;
		if (end->has_request)
			build_recv(b, row)->flags |= MSG_RECV_REQUEST;
	}
	build_recv(b, row)->recv = append(b, location, time, what_make(EV_RECV, row));
	if (end->has_request && !known)
		build_request_ended(b, (struct request_end){ .id = end->request,
							     .event = build_recv(b, row)->recv,
							     .kind = EV_RECV });
}

/* Receives first: their requests are the ones that programs test and cancel most. */
const enum request_kind build_asked[3] = { REQUEST_RECV, REQUEST_SEND, REQUEST_COLLECTIVE };

/* A test or a cancellation names its message; that of a collective's request names nothing. */
static void request_event(struct builder *b, uint32_t location, int64_t time, enum event_kind kind,
			  int64_t request, enum request_kind of, uint32_t row)
{
	uint32_t id = ID_NONE, event;

	if (row != UINT32_MAX && of != REQUEST_COLLECTIVE) {
		if (!room(b, b->refs.n, "request tests"))
			return;
		id = (uint32_t)b->refs.n;
		build_tally(b, location, ROW_REF, 1);
		vec_push(&b->refs, row << REQUEST_KIND_BITS | (uint32_t)of);
	}
	event = append(b, location, time, what_make(kind, id));
	if (row == UINT32_MAX)
		build_request_ended(b, (struct request_end){ .id = request,
							     .event = event,
							     .kind = (uint8_t)kind });
}

void builder_request_test(struct builder *b, uint32_t location, int64_t time, int64_t request)
{
	uint32_t row = UINT32_MAX;
	size_t i;

	if (is_left_out(b, location))
		return;
	for (i = 0; i < 3 && row == UINT32_MAX; i++)
		row = requests_peek(&b->requests, location, build_asked[i], request);
	request_event(b, location, time, EV_REQUEST_TEST, request, build_asked[i - 1], row);
}

void builder_request_cancelled(struct builder *b, uint32_t location, int64_t time, int64_t request)
{
	uint32_t row = UINT32_MAX;
	size_t i;

	if (is_left_out(b, location))
		return;
	for (i = 0; i < 3 && row == UINT32_MAX; i++)
		row = requests_pop(&b->requests, location, build_asked[i], request);
	if (row != UINT32_MAX && build_asked[i - 1] == REQUEST_RECV)
		build_recv(b, row)->flags |= MSG_CANCELLED;
	else if (row != UINT32_MAX && build_asked[i - 1] == REQUEST_SEND)
		store_message(b->trace, row)->flags |= MSG_CANCELLED;
	request_event(b, location, time, EV_REQUEST_CANCELLED, request, build_asked[i - 1], row);
}

/* ---- collectives ---- */

/* The row of a part of which only its begin is known; UINT32_MAX if there is no room, or another
 * process has it. */
static uint32_t add_part(struct builder *b, uint32_t location, int64_t time)
{
	const uint32_t row = build_part_count(b);
	struct member *member;
	struct part *part;

	if (is_left_out(b, location) || !room(b, row, "parts of collectives"))
		return UINT32_MAX;
	build_tally(b, location, ROW_PART, 1);
	part = slab_extend(&b->parts, sizeof *part, &b->err);
	member = slab_extend(&b->trace->members, sizeof *member, &b->err);
	if (!part || !member)
		return UINT32_MAX;
	part->comm = PART_UNKNOWN;
	part->root = RANK_UNKNOWN;
	part->location = location;
	member->end = EVENT_NONE;
	member->sent = member->received = UINT64_MAX;
	member->begin = append(b, location, time, what_make(EV_COLLECTIVE_BEGIN, row));
	return row;
}

static void describe_part(const struct builder *b, uint32_t row, uint32_t comm, uint32_t region,
			  int32_t root)
{
	struct part *part = build_part(b, row);

	assert(comm < b->home->comms.n && (region < b->home->regions.n || b->parent));
	part->comm = comm;
	part->region = region & INT32_MAX;
	part->root = root;
}

static void count_bytes(struct member *member, uint64_t sent, uint64_t received)
{
	if (sent != UINT64_MAX)
		member->sent = sent;
	if (received != UINT64_MAX)
		member->received = received;
}

static uint32_t begin_part(struct builder *b, uint32_t location, int64_t time)
{
	const uint32_t row = add_part(b, location, time);

	if (row == UINT32_MAX)
		return row;
	if (b->tails.data[location].part != UINT32_MAX)
		store_finding(b->trace, FINDING_ODDITY, "unfinished-collective", 0, 1,
			      "a collective begins before the previous one has ended");
	b->tails.data[location].part = row;
	return row;
}

void builder_collective_begin(struct builder *b, uint32_t location, int64_t time, uint32_t comm,
			      uint32_t region, int32_t root, uint64_t sent, uint64_t received)
{
	const uint32_t row = begin_part(b, location, time);

	if (row == UINT32_MAX)
		return;
	describe_part(b, row, comm, region, root);
	count_bytes(store_member(b->trace, row), sent, received);
}

void builder_collective_begin_unknown(struct builder *b, uint32_t location, int64_t time)
{
	begin_part(b, location, time);
}

/* The part under way; UINT32_MAX: none. */
static uint32_t end_part(struct builder *b, uint32_t location, int64_t time)
{
	uint32_t row, event;

	if (is_left_out(b, location))
		return UINT32_MAX;
	row = b->tails.data[location].part;
	b->tails.data[location].part = UINT32_MAX;
	if (row == UINT32_MAX)
		store_finding(b->trace, FINDING_ODDITY, "collective-end-without-begin", 0, 1,
			      "a collective ends that never began (its start may be lost)");
	event = append(b, location, time,
		       what_make(EV_COLLECTIVE_END, row == UINT32_MAX ? ID_NONE : row));
	if (row != UINT32_MAX)
		store_member(b->trace, row)->end = event;
	return row;
}

void builder_collective_is(struct builder *b, uint32_t location, uint32_t comm, uint32_t region,
			   int32_t root)
{
	assert(location < b->tails.n);
	if (b->tails.data[location].part != UINT32_MAX)
		describe_part(b, b->tails.data[location].part, comm, region, root);
}

void builder_collective_end(struct builder *b, uint32_t location, int64_t time, uint64_t sent,
			    uint64_t received)
{
	const uint32_t row = end_part(b, location, time);

	if (row != UINT32_MAX)
		count_bytes(store_member(b->trace, row), sent, received);
}

void builder_collective_request(struct builder *b, uint32_t location, int64_t time, int64_t request)
{
	const uint32_t row = add_part(b, location, time);

	if (row == UINT32_MAX)
		return;
	build_part(b, row)->request = 1;
	requests_push(&b->requests, location, REQUEST_COLLECTIVE, request, row);
}

void build_describe_part(const struct builder *b, uint32_t row, const struct part_end *end)
{
	describe_part(b, row, end->comm, end->region, end->root);
	count_bytes(store_member(b->trace, row), end->sent, end->received);
}

void builder_collective_complete(struct builder *b, uint32_t location, int64_t time,
				 int64_t request, uint32_t comm, uint32_t region, int32_t root,
				 uint64_t sent, uint64_t received)
{
	const struct part_end part = { comm, region, root, sent, received };
	uint32_t row, event;

	if (is_left_out(b, location))
		return;
	row = requests_pop(&b->requests, location, REQUEST_COLLECTIVE, request);
	event = append(b, location, time,
		       what_make(EV_COLLECTIVE_END, row == UINT32_MAX ? ID_NONE : row));
	if (row == UINT32_MAX) {
		build_request_ended(b, (struct request_end){ .id = request,
							     .event = event,
							     .kind = EV_COLLECTIVE_END,
							     .part = part });
		return;
	}
	build_describe_part(b, row, &part);
	store_member(b->trace, row)->end = event;
}
