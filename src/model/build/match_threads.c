#include "model/build/match_threads.h"

#include <stdlib.h>

#include "base/order.h"

static struct match_turn turn_of(const struct trace *trace, uint32_t channel, uint32_t row,
				 uint32_t event, size_t nth)
{
	return (struct match_turn){ .channel = channel,
				    .row = row,
				    .location = store_block(trace, event / BLOCK_EVENTS)->location,
				    .nth = (uint32_t)nth,
				    .begin = trace_event_time(trace, BASE_MEASURED, event),
				    .until = INT64_MIN };
}

void match_turns_send(struct match_turns *turns, const struct builder *b, uint32_t channel,
		      uint32_t row)
{
	const struct message *m = store_message(b->trace, row);
	struct match_turn turn = turn_of(b->trace, channel, row, m->send, turns->sends.n);

	if (trace_message_is_far(b->trace, row)) {
		const struct far_time *far = &b->far[row - b->trace->halo->far_first];
		turn.begin = far->time;
		turn.until = far->until;
	}
	vec_push(&turns->sends, turn);
}

void match_turns_recv(struct match_turns *turns, const struct builder *b, uint32_t channel,
		      uint32_t row)
{
	const struct message *m = build_recv(b, row);
	struct match_turn turn = turn_of(b->trace, channel, row, m->recv, turns->recvs.n);

	turn.done = m->flags & MSG_RECV_PENDING ? INT64_MAX : turn.begin;
	vec_push(&turns->recvs, turn);
}

/* ---- when they were called ---- */

/* Indices of turns by row, plus 1, of sends and of receives. */
struct turn_index {
	uint32_t *send, *recv;
};

/* The turn that an event calls; NULL: none. */
static struct match_turn *called_by(struct match_turns *turns, const struct turn_index *index,
				    uint32_t what)
{
	const uint32_t id = what_id(what);
	uint32_t at = 0;

	if (id == ID_NONE)
		return NULL;
	switch (what_kind(what)) {
	case EV_SEND: at = index->send[id]; return at ? &turns->sends.data[at - 1] : NULL;
	case EV_RECV_REQUEST:
	case EV_RECV: at = index->recv[id]; return at ? &turns->recvs.data[at - 1] : NULL;
	default: return NULL;
	}
}

/* Notes the calls of a location's turns: `open` are those whose call is under way. */
static void find_calls(const struct trace *trace, uint32_t location, struct match_turns *turns,
		       const struct turn_index *index)
{
	VEC(struct match_turn *) open = VEC_INIT;
	struct match_turn **at;
	struct cursor c;
	int64_t entered = INT64_MIN, time = INT64_MIN;

	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		struct match_turn *turn;
		time = cursor_time(&c);
		if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE) {
			vec_each (at, &open)
				(*at)->until = time;
			open.n = 0;
			entered = time;
			continue;
		}
		turn = called_by(turns, index, what);
		/* The first event of a receive is the one that posts it. */
		if (!turn || turn->until != INT64_MIN)
			continue;
		turn->begin = what_kind(what) == EV_RECV && entered != INT64_MIN ? entered : time;
		turn->until = time;
		turn->location = location;
		vec_push(&open, turn);
	}
	vec_fini(&open);
}

static void find_all_calls(const struct builder *b, struct match_turns *turns)
{
	const struct trace *trace = b->trace;
	OWNED uint32_t *send = xcalloc(store_message_count(trace), sizeof *send);
	OWNED uint32_t *recv = xcalloc(build_recv_count(b), sizeof *recv);
	const struct match_turn *turn;

	vec_each (turn, &turns->sends)
		send[turn->row] = (uint32_t)(turn - turns->sends.data) + 1;
	vec_each (turn, &turns->recvs)
		recv[turn->row] = (uint32_t)(turn - turns->recvs.data) + 1;
	/* One thread may have posted what another completed. */
	for (uint32_t l = 0; l < trace->locations.n; l++)
		find_calls(trace, l, turns, &(struct turn_index){ send, recv });
}

/* ---- whose turn it is ---- */

ORDERING(by_begin, struct match_turn, channel, begin, location, nth)

/* A receive by the time at which it must have had its message: its completion, or that of one that
 * its thread posted later. */
struct match_due {
	int64_t time;
	uint32_t turn;
};

ORDERING(by_due, struct match_due, time, turn)

/* One channel: its turns, how many messages they make, and which of these are guessed. */
struct shared_channel {
	const struct match_turn *sends, *recvs;
	uint32_t n_sends, n_recvs;
	struct match_due *due; /* [n_recvs] */
	uint8_t *guessed;      /* [n_sends or n_recvs, the larger] */
	uint32_t *order;       /* [n_recvs]: the receive of each message */
};

static uint32_t pairs_of(const struct shared_channel *ch)
{
	return ch->n_sends < ch->n_recvs ? ch->n_sends : ch->n_recvs;
}

/* Marks runs of overlapping calls that are of several locations. */
static void mark_overlaps(const struct match_turn *turns, uint32_t n, uint8_t *guessed)
{
	for (uint32_t first = 0, i; first < n; first = i) {
		int64_t reach = turns[first].until;
		bool several = false;
		for (i = first + 1; i < n && turns[i].begin < reach; i++) {
			several = several || turns[i].location != turns[first].location;
			if (turns[i].until > reach)
				reach = turns[i].until;
		}
		for (uint32_t k = first; several && k < i; k++)
			guessed[k] = 1;
	}
}

/* `least` [locations]: INT64_MAX, and so again afterwards. */
static void order_by_due(const struct shared_channel *ch, int64_t *least)
{
	for (uint32_t i = ch->n_recvs; i-- > 0;) {
		int64_t *of_location = &least[ch->recvs[i].location];
		if (ch->recvs[i].done < *of_location)
			*of_location = ch->recvs[i].done;
		ch->due[i] = (struct match_due){ *of_location, i };
	}
	for (uint32_t i = 0; i < ch->n_recvs; i++)
		least[ch->recvs[i].location] = INT64_MAX;
	SORT(ch->due, ch->n_recvs, by_due);
}

/* How many messages of a block are reversed, in the order they were posted, or by completion. */
static uint32_t reversed(const struct shared_channel *ch, uint32_t first, uint32_t end, bool by_due)
{
	uint32_t n = 0;

	for (uint32_t i = first; i < end && i < ch->n_sends; i++)
		n += ch->recvs[by_due ? ch->due[i].turn : i].done < ch->sends[i].begin;
	return n;
}

/* Blocks of the same receives in both orders take the one that reverses fewer messages. */
static void choose_order(const struct shared_channel *ch)
{
	uint32_t most = 0;

	for (uint32_t i = 0, first = 0; i < ch->n_recvs; i++) {
		bool moved;
		if (ch->due[i].turn > most)
			most = ch->due[i].turn;
		if (most > i)
			continue;
		moved = reversed(ch, first, i + 1, true) < reversed(ch, first, i + 1, false);
		for (; first <= i; first++) {
			ch->order[first] = moved ? ch->due[first].turn : first;
			ch->guessed[first] |= moved;
		}
	}
}

static uint64_t pair_channel(struct builder *b, const struct shared_channel *ch)
{
	uint64_t guessed = 0;

	for (uint32_t i = 0; i < pairs_of(ch); i++) {
		const uint32_t row = ch->sends[i].row;
		build_join(b->trace, row, build_recv(b, ch->recvs[ch->order[i]].row));
		if (!ch->guessed[i])
			continue;
		store_message(b->trace, row)->flags |= MSG_TURN_GUESSED;
		guessed++;
	}
	return guessed;
}

static uint32_t run_of(const struct match_turn *turns, size_t n, size_t first)
{
	size_t i = first;

	while (i < n && turns[i].channel == turns[first].channel)
		i++;
	return (uint32_t)(i - first);
}

static uint64_t match_channel(struct builder *b, struct shared_channel ch, int64_t *least)
{
	const uint32_t most = ch.n_sends > ch.n_recvs ? ch.n_sends : ch.n_recvs;
	OWNED uint8_t *guessed = xcalloc(most, 1);
	OWNED uint32_t *order = xmalloc(ch.n_recvs * sizeof *order);
	OWNED struct match_due *due = xmalloc(ch.n_recvs * sizeof *due);

	ch.guessed = guessed;
	ch.order = order;
	ch.due = due;
	mark_overlaps(ch.sends, ch.n_sends, guessed);
	mark_overlaps(ch.recvs, ch.n_recvs, guessed);
	order_by_due(&ch, least);
	choose_order(&ch);
	return pair_channel(b, &ch);
}

void match_threads(struct builder *b, struct match_turns *turns)
{
	const uint32_t locations = (uint32_t)b->trace->locations.n;
	OWNED int64_t *least = xmalloc(locations * sizeof *least);
	uint64_t guessed = 0;
	size_t s = 0, r = 0;

	for (uint32_t l = 0; l < locations; l++)
		least[l] = INT64_MAX;
	find_all_calls(b, turns);
	vec_sort(&turns->sends, by_begin);
	vec_sort(&turns->recvs, by_begin);
	while (s < turns->sends.n && r < turns->recvs.n) {
		const struct match_turn *send = &turns->sends.data[s];
		const struct match_turn *recv = &turns->recvs.data[r];
		const uint32_t sends = run_of(turns->sends.data, turns->sends.n, s);
		const uint32_t recvs = run_of(turns->recvs.data, turns->recvs.n, r);
		if (send->channel == recv->channel)
			guessed += match_channel(b,
						 (struct shared_channel){ .sends = send,
									  .recvs = recv,
									  .n_sends = sends,
									  .n_recvs = recvs },
						 least);
		s += send->channel <= recv->channel ? sends : 0;
		r += recv->channel <= send->channel ? recvs : 0;
	}
	store_finding(b->trace, FINDING_GUESS, "guessed-turn", 0, guessed,
		      "threads of a rank send or receive at once with one tag on one communicator, "
		      "which MPI does not order: paired by time");
}
