/* Message matching: first in, first out per (source, destination, tag, communicator). Messages
 * whose records lack some of these are guessed afterwards: most specific knowledge first, earliest
 * send first.
 *
 * Queued sends need no memory of their own: they are linked by the `recv` field of their row, which
 * is not known yet. */

#include "base/exchange.h"
#include "base/order.h"
#include "model/build/build.h"
#include "model/build/match_threads.h"

struct channel {
	uint32_t head, tail; /* message rows; UINT32_MAX: empty */
	int32_t destination;
	uint32_t sender, receiver; /* locations, UINT32_MAX: none yet */
	bool shared;               /* several locations send or receive */
};

struct channels {
	struct keymap map;
	VEC(struct channel) list;
	uint32_t expanded; /* rows made of sends to all */
	bool threads;      /* a rank has several locations */
};

/* So that a file of sends to all by many ranks does not fill the memory. */
static const uint32_t most_expanded = 1u << 24;

static uint32_t location_of(const struct trace *trace, uint32_t event)
{
	return store_block(trace, event / BLOCK_EVENTS)->location;
}

static int32_t rank_of(const struct trace *trace, uint32_t event)
{
	return trace->locations.data[location_of(trace, event)].rank;
}

/* Whether a rank has several locations. */
static bool has_threads(const struct trace *trace)
{
	ENDED_BY(keymap_fini) struct keymap ranks = { NULL, 0, 0 };

	for (uint32_t l = 0; l < trace->locations.n; l++) {
		const int32_t rank = trace->locations.data[l].rank;
		uint32_t id;
		if (rank != RANK_UNKNOWN && !keymap_new(&ranks, KEY_OF((uint32_t)rank), l, &id))
			return true;
	}
	return false;
}

static struct channel *channel_add(struct channels *channels, struct key key, int32_t destination)
{
	uint32_t id;

	if (keymap_new(&channels->map, key, channels->list.n, &id))
		vec_push(&channels->list, ((struct channel){ .head = UINT32_MAX,
							     .tail = UINT32_MAX,
							     .destination = destination,
							     .sender = UINT32_MAX,
							     .receiver = UINT32_MAX }));
	return &channels->list.data[id];
}

static void channel_push(struct trace *trace, struct channel *channel, uint32_t row)
{
	if (channel->head == UINT32_MAX)
		channel->head = row;
	else
		store_message(trace, channel->tail)->recv = row;
	channel->tail = row;
	store_message(trace, row)->recv = UINT32_MAX;
}

/* `known`: the channel's sender or receiver. */
static void channel_used(struct channel *channel, uint32_t *known, uint32_t location)
{
	channel->shared = channel->shared || (*known != UINT32_MAX && *known != location);
	*known = location;
}

static uint32_t channel_pop(const struct trace *trace, struct channel *channel)
{
	const uint32_t row = channel->head;

	if (row != UINT32_MAX)
		channel->head = store_message(trace, row)->recv;
	return row;
}

/* Gives the sends left in the queues their destination back. */
static void channels_fini(struct trace *trace, struct channels *channels)
{
	struct channel *channel;
	uint32_t row;

	vec_each (channel, &channels->list)
		while ((row = channel_pop(trace, channel)) != UINT32_MAX)
			store_message(trace, row)->recv = (uint32_t)channel->destination;
	keymap_fini(&channels->map);
	vec_fini(&channels->list);
}

/* ---- exact ---- */

static struct key exact_key(int32_t source, int32_t destination, const struct message *m)
{
	return KEY_OF((uint32_t)source, (uint32_t)destination, (uint32_t)m->tag, m->comm);
}

/* The ranks that a send to all reaches: the other group of an inter-communicator; none in a
 * communicator of threads, whose numbers are not ranks. */
static const int32_t *others(const struct comm *comm, int32_t source, uint32_t *size)
{
	if (comm->kind == COMM_INTER)
		for (uint32_t i = 0; i < comm->size; i++)
			if (comm->ranks[i] == source) {
				*size = comm->remote_size;
				return comm->remote;
			}
	*size = comm->kind == COMM_THREADS ? 0 : comm->size;
	return comm->ranks;
}

/* Replaces a send to all by a row for each other rank of the communicator; the first keeps its
 * row. */
static bool expand_broadcast(struct trace *trace, struct channels *channels, uint32_t row,
			     struct err *err)
{
	const struct message model = *store_message(trace, row);
	const struct comm *comm = &trace->comms.data[model.comm];
	const int32_t source = rank_of(trace, model.send);
	uint32_t size = comm->size;
	const int32_t *ranks = others(comm, source, &size);
	bool first = true;

	if (size > most_expanded - channels->expanded) {
		store_finding(trace, FINDING_DAMAGE, "send-to-all", 0, 1,
			      "there are too many sends to all ranks to make messages of all");
		store_message(trace, row)->recv = (uint32_t)RANK_UNKNOWN;
		return true;
	}
	channels->expanded += size;
	for (uint32_t i = 0; i < size; i++) {
		struct channel *channel;
		if (ranks[i] == source || ranks[i] == RANK_HOST)
			continue;
		if (!first) {
			const uint32_t n = store_message_count(trace);
			struct message *copy =
				n < ID_NONE ? slab_extend(&trace->messages, sizeof *copy, err)
					    : NULL;
			if (!copy)
				return err_set(err, STATUS_IO,
					       "%s has sends to all ranks that make more than 2^27 "
					       "messages; load a part of it with --ranks or --time",
					       trace->path);
			*copy = model;
			row = n;
		}
		first = false;
		channel = channel_add(channels, exact_key(source, ranks[i], &model), ranks[i]);
		channel_used(channel, &channel->sender, location_of(trace, model.send));
		channel_push(trace, channel, row);
	}
	if (first) /* there is no other rank */
		store_message(trace, row)->recv = (uint32_t)RANK_UNKNOWN;
	return true;
}

static bool queue_sends(struct builder *b, struct channels *channels, struct err *err)
{
	struct trace *trace = b->trace;
	const uint32_t n = store_message_count(trace);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t row = build_send_row(b, i);
		const struct message *m = store_message(trace, row);
		const int32_t destination = (int32_t)m->recv;
		if (m->flags & MSG_CANCELLED)
			continue;
		if (m->flags & MSG_BROADCAST) {
			if (!expand_broadcast(trace, channels, row, err))
				return false;
		} else if (destination != RANK_UNKNOWN && !(m->flags & MSG_NO_TAG)) {
			const int32_t source = rank_of(trace, m->send);
			struct channel *channel =
				channel_add(channels, exact_key(source, destination, m),
					    destination);
			channel_used(channel, &channel->sender, location_of(trace, m->send));
			channel_push(trace, channel, row);
		}
	}
	return true;
}

/* The channel of a receive that names all of it, and whose sends are known; NULL: none. */
static struct channel *channel_of(const struct builder *b, const struct channels *channels,
				  const struct message *recv)
{
	const int32_t source = (int32_t)recv->send;
	const uint32_t *id;

	if (recv->flags & (MSG_CANCELLED | MSG_NO_TAG | MSG_NO_COMM) || source == RANK_UNKNOWN)
		return NULL;
	id = keymap_find(&channels->map, exact_key(source, rank_of(b->trace, recv->recv), recv));
	return id ? &channels->list.data[*id] : NULL;
}

/* Takes the operations on shared channels out of the queues. */
static void take_shared(struct builder *b, struct channels *channels, struct match_turns *turns)
{
	struct trace *trace = b->trace;
	const uint32_t n = build_recv_count(b);
	struct channel *channel;

	for (uint32_t i = 0; i < n; i++) {
		const struct message *recv = build_recv(b, b->recv_order ? b->recv_order[i] : i);
		channel = channel_of(b, channels, recv);
		if (channel)
			channel_used(channel, &channel->receiver, location_of(trace, recv->recv));
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t row = b->recv_order ? b->recv_order[i] : i;
		const struct message *recv = build_recv(b, row);
		channel = channel_of(b, channels, recv);
		if (channel && channel->shared)
			match_turns_recv(turns, b, (uint32_t)(channel - channels->list.data), row);
	}
	vec_each (channel, &channels->list) {
		uint32_t row;
		while (channel->shared && (row = channel_pop(trace, channel)) != UINT32_MAX) {
			store_message(trace, row)->recv = (uint32_t)channel->destination;
			match_turns_send(turns, b, (uint32_t)(channel - channels->list.data), row);
		}
	}
}

static void match_exact(struct builder *b, struct channels *channels)
{
	const uint32_t n = build_recv_count(b);
	struct match_turns turns = { VEC_INIT, VEC_INIT };

	if (channels->threads)
		take_shared(b, channels, &turns);
	for (uint32_t i = 0; i < n; i++) {
		struct message *recv = build_recv(b, b->recv_order ? b->recv_order[i] : i);
		struct channel *channel = channel_of(b, channels, recv);
		const uint32_t row = channel ? channel_pop(b->trace, channel) : UINT32_MAX;
		if (row != UINT32_MAX)
			build_join(b->trace, row, recv);
	}
	if (turns.sends.n)
		match_threads(b, &turns);
	vec_fini(&turns.sends);
	vec_fini(&turns.recvs);
}

/* ---- guessed ---- */

enum { KNOW_SOURCE = 1, KNOW_DESTINATION = 2, KNOW_TAG = 4 };

/* One way to guess: what both sides must agree on, and what each must know or lack. */
struct guess {
	unsigned agree;
	unsigned send_knows, send_lacks;
	unsigned recv_knows, recv_lacks;
};

static const struct guess guesses[] = {
	{ KNOW_DESTINATION | KNOW_TAG, KNOW_DESTINATION | KNOW_TAG, 0, KNOW_TAG, KNOW_SOURCE },
	{ KNOW_SOURCE | KNOW_DESTINATION, KNOW_DESTINATION, 0, KNOW_SOURCE, KNOW_TAG },
	{ KNOW_SOURCE | KNOW_DESTINATION, KNOW_DESTINATION, KNOW_TAG, KNOW_SOURCE | KNOW_TAG, 0 },
	{ KNOW_DESTINATION, KNOW_DESTINATION, 0, 0, KNOW_SOURCE | KNOW_TAG },
	{ KNOW_SOURCE | KNOW_TAG, KNOW_TAG, KNOW_DESTINATION, KNOW_SOURCE | KNOW_TAG, 0 },
	{ KNOW_TAG, KNOW_TAG, KNOW_DESTINATION, KNOW_TAG, KNOW_SOURCE },
};

struct left_send {
	int64_t time;
	uint32_t row;
};

struct left {
	VEC(struct left_send) sends; /* by time */
	VEC(uint32_t) recvs;         /* in posting order */
};

static unsigned send_knows(const struct message *m)
{
	return KNOW_SOURCE | ((int32_t)m->recv == RANK_UNKNOWN ? 0u : KNOW_DESTINATION) |
	       (m->flags & MSG_NO_TAG ? 0u : KNOW_TAG);
}

static unsigned recv_knows(const struct message *m)
{
	return KNOW_DESTINATION | ((int32_t)m->send == RANK_UNKNOWN ? 0u : KNOW_SOURCE) |
	       (m->flags & MSG_NO_TAG ? 0u : KNOW_TAG);
}

static struct key guess_key(unsigned agree, int32_t source, int32_t destination, int32_t tag,
			    uint32_t comm)
{
	return KEY_OF(agree & KNOW_SOURCE ? (uint32_t)source : 0,
		      agree & KNOW_DESTINATION ? (uint32_t)destination : 0,
		      agree & KNOW_TAG ? (uint32_t)tag : 0, comm);
}

ORDERING(by_time, struct left_send, time, row)

static void collect_left(struct builder *b, struct left *left)
{
	struct trace *trace = b->trace;
	const uint32_t rows = store_message_count(trace);
	const uint32_t n = build_recv_count(b);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t row = b->recv_order ? b->recv_order[i] : i;
		const struct message *m = build_recv(b, row);
		/* A wildcard that was never completed may have received nothing at all. */
		if (m->flags & (RECV_CLOSED | MSG_CANCELLED | MSG_RECV_PENDING))
			continue;
		vec_push(&left->recvs, row);
	}
	/* Those of other processes may be for the receives of this one. */
	for (uint32_t row = 0; row < rows && (left->recvs.n > 0 || trace->halo); row++) {
		const struct message *m = store_message(trace, row);
		if (!(m->flags & MSG_NO_RECV) || m->flags & MSG_CANCELLED ||
		    trace_message_is_far(trace, row))
			continue;
		vec_push(&left->sends,
			 ((struct left_send){ trace_event_time(trace, BASE_MEASURED, m->send),
					      row }));
	}
	vec_sort(&left->sends, by_time);
}

/* The key by which a guess finds a message's send; false: not this one. */
static bool guess_sends(const struct trace *trace, const struct guess *guess,
			const struct message *m, struct key *key)
{
	const unsigned knows = send_knows(m);

	*key = guess_key(guess->agree, rank_of(trace, m->send), (int32_t)m->recv, m->tag, m->comm);
	return m->flags & MSG_NO_RECV && (knows & guess->send_knows) == guess->send_knows &&
	       !(knows & guess->send_lacks);
}

/* The same of its receive. */
static bool guess_receives(const struct trace *trace, const struct guess *guess,
			   const struct message *recv, struct key *key)
{
	const unsigned knows = recv_knows(recv);

	*key = guess_key(guess->agree, (int32_t)recv->send, rank_of(trace, recv->recv), recv->tag,
			 recv->comm);
	return !(recv->flags & RECV_CLOSED) && (knows & guess->recv_knows) == guess->recv_knows &&
	       !(knows & guess->recv_lacks);
}

static uint64_t match_guess(struct builder *b, const struct left *left, const struct guess *guess)
{
	struct trace *trace = b->trace;
	struct channels channels = { .map = { NULL, 0, 0 } };
	uint64_t matched = 0;
	const struct left_send *send;
	const uint32_t *at;

	vec_each (send, &left->sends) {
		const struct message *m = store_message(trace, send->row);
		struct key key;
		if (guess_sends(trace, guess, m, &key))
			channel_push(trace, channel_add(&channels, key, (int32_t)m->recv),
				     send->row);
	}
	vec_each (at, &left->recvs) {
		struct message *recv = build_recv(b, *at);
		struct key key;
		uint32_t *id, row;
		if (!guess_receives(trace, guess, recv, &key))
			continue;
		id = keymap_find(&channels.map, key);
		row = id ? channel_pop(trace, &channels.list.data[*id]) : UINT32_MAX;
		if (row == UINT32_MAX)
			continue;
		build_join(trace, row, recv);
		store_message(trace, row)->flags |= MSG_GUESSED;
		matched++;
	}
	channels_fini(trace, &channels);
	return matched;
}

static void match_guesses(struct builder *b)
{
	struct left left = { VEC_INIT, VEC_INIT };
	uint64_t matched = 0;

	collect_left(b, &left);
	for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
		if (left.sends.n > 0 && left.recvs.n > 0)
			matched += match_guess(b, &left, &guesses[i]);
	store_finding(b->trace, FINDING_GUESS, "guessed-message", 0, matched,
		      "a message does not name both ranks and the tag: it was matched with the "
		      "earliest send that fits");
	vec_fini(&left.sends);
	vec_fini(&left.recvs);
}

/* Whether a send of any process is one that a receive of this one would be matched with. */
static bool would_guess(struct builder *b, const struct left *left, const struct guess *guess)
{
	ENDED_BY(keymap_fini) struct keymap known = { NULL, 0, 0 };
	OWNED_VEC(struct key) keys = VEC_INIT;
	const struct left_send *send;
	const struct key *sent;
	const uint32_t *at;
	struct key key;
	bool would = false;

	vec_each (send, &left->sends)
		if (guess_sends(b->trace, guess, store_message(b->trace, send->row), &key))
			vec_push(&keys, key);
	exchange_rows(b->trace->exchange, &keys);
	vec_each (sent, &keys)
		*keymap_add(&known, *sent) = 0;
	vec_each (at, &left->recvs)
		would = would || (guess_receives(b->trace, guess, build_recv(b, *at), &key) &&
				  keymap_find(&known, key));
	return exchange_any(b->trace->exchange, would);
}

/* Several processes do not guess: that takes the times of all sends. */
static bool need_no_guesses(struct builder *b, struct err *err)
{
	struct left left = { VEC_INIT, VEC_INIT };
	bool would = false;

	collect_left(b, &left);
	for (size_t i = 0; i < sizeof guesses / sizeof *guesses && !would; i++)
		would = exchange_any(b->trace->exchange, left.recvs.n > 0) &&
			would_guess(b, &left, &guesses[i]);
	vec_fini(&left.sends);
	vec_fini(&left.recvs);
	return !would ||
	       err_set(err, STATUS_NO,
		       "%s has messages that do not name both ranks and the tag: which belong "
		       "together must be guessed, which several processes cannot do yet (use "
		       "tview)",
		       b->trace->path);
}

/* ---- the rest ---- */

/* Receives without a send get rows of their own, after those of the sends. */
static bool add_unmatched(struct builder *b, struct err *err)
{
	struct trace *trace = b->trace;
	const uint32_t rows = store_message_count(trace);
	uint64_t sends = 0, recvs = 0;

	for (uint32_t row = 0; row < rows; row++) {
		const struct message *m = store_message(trace, row);
		sends += (m->flags & (MSG_NO_RECV | MSG_CANCELLED)) == MSG_NO_RECV &&
			 !trace_message_is_far(trace, row);
	}
	for (uint32_t i = 0; i < build_recv_count(b); i++) {
		struct message *recv = build_recv(b, i);
		const uint32_t n = store_message_count(trace);
		struct message *m;
		if (recv->flags & RECV_CLOSED)
			continue;
		if (n >= ID_NONE)
			return err_set(err, STATUS_IO,
				       "%s has more messages than tview can hold (2^27); load a "
				       "part of it with --ranks or --time",
				       trace->path);
		m = slab_extend(&trace->messages, sizeof *m, err);
		if (!m)
			return false;
		*m = *recv;
		m->flags |= MSG_NO_SEND;
		recv->send = n;
		recvs += !(m->flags & (MSG_CANCELLED | MSG_RECV_PENDING));
	}
	store_finding(trace, FINDING_INFO, "unmatched-send", 0, sends,
		      "a send has no receive in the trace");
	store_finding(trace, FINDING_INFO, "unmatched-receive", 0, recvs,
		      "a receive has no send in the trace");
	return true;
}

bool build_match(struct builder *b, struct err *err)
{
	struct channels channels = { .map = { NULL, 0, 0 }, .threads = has_threads(b->trace) };
	const bool ok = build_share_sends(b, err) && queue_sends(b, &channels, err);

	if (ok)
		match_exact(b, &channels);
	channels_fini(b->trace, &channels);
	if (!ok)
		return false;
	if (!b->trace->halo)
		match_guesses(b);
	return build_share_receives(b, err) && (!b->trace->halo || need_no_guesses(b, err)) &&
	       add_unmatched(b, err);
}
