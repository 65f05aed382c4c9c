/* Events that depend on other locations: receives and ends of collectives. Times are relative to
 * the measured time of the event that is placed, so that they are small numbers. */
#include <math.h>
#include <string.h>

#include "correct/overhead/overhead_paper.h"
#include "correct/overhead/overhead_replay.h"
#include "model/trace/store.h"

enum {
	LARGE_MESSAGE = 65536, /* bytes: beyond the eager limit of most MPI libraries */
	CALL_AHEAD = 16,       /* events that are searched for tool regions inside a call */
	MODE_SYNCHRONOUS = 2,
};

const enum time_base way_base[WAYS] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };

double depend_call_cost(const struct overhead_replay *r, int way)
{
	if (r->paper) /* the paper does not take it out of communication times */
		return 0;
	return r->cost->pair[COST_MPI_ENTER][COST_MPI_LEAVE] * r->ways[way].calls;
}

static int64_t measured_time(const struct overhead_replay *r, uint32_t event)
{
	return store_event_time(r->trace, r->from, event);
}

/* When the call of a send, or of a party, went on into MPI. */
static int64_t sent_at(const struct overhead_replay *r, uint32_t event)
{
	return measured_time(r, event) + timed_inside(r->timed, r->trace, r->paths, r->from, event);
}

static uint64_t bytes_of(const struct message *m)
{
	return m->flags & MSG_NO_BYTES ? UINT64_MAX : message_bytes(m);
}

/* ---- one sender, one receiver ---- */

/* A receive and what it depends on, relative to its measured time. */
struct arrival {
	double send, exit_send, enter; /* measured */
	double send_a[WAYS], enter_a[WAYS];
	double copy;
	bool latency_known, receive_known;
	struct quantiles latency, receive;
	double latest; /* send of the last message that the call received */
	bool overlaid; /* it is another's: what was measured contains waiting for that */
};

static double arrival_by_paper(const struct arrival *a, int way)
{
	const struct paper_receive receive = { a->send,        a->exit_send,    a->enter, 0,
					       a->send_a[way], a->enter_a[way], a->copy };

	return way == UPPER ? paper_receive_upper(&receive) : paper_receive_lower(&receive);
}

static double quantile_of(const struct quantiles *q, int way)
{
	return way == LOWER ? q->low : way == UPPER ? q->high : q->middle;
}

/* What determined a receive's measured time: the message, or the receiving itself. It is always one
 * of both, so that without overhead nothing moves; neither only for messages that were followed by
 * another one in the same call. */
struct belief {
	bool latency; /* send to receive is what the message took */
	bool receive; /* enter to receive is what receiving took: the message was there */
	bool sure;    /* else the lower bound does not build on it */
};

/* If the receive certainly waited, it was the message. If the message is known to have arrived
 * before the receive began, it was the receiving. Otherwise both durations decide: receives of
 * messages that have arrived are short, and messages seldom take twice as long as nearly all of
 * them; calls that also send, and receives that the system delayed, last longer. If nothing is
 * known it is, as in the paper, the message if both operations overlap. */
static struct belief believe(const struct arrival *a, double call_cost)
{
	const double took = -a->enter - call_cost, passed = -a->send - call_cost;
	const bool overlap = a->enter <= a->exit_send;

	if (a->overlaid)
		return (struct belief){ false, false, false };
	/* A location's first event has nothing else to wait for. */
	if (a->enter <= a->send || a->enter_a[BEST] == -INFINITY)
		return (struct belief){ true, false, true };
	if (a->latency_known) {
		const bool there = a->enter - a->send >= a->latency.high;
		const bool brief = a->receive_known && took <= 2 * a->receive.low;
		const bool in_flight = !there && !brief && passed <= 2 * a->latency.high;
		return (struct belief){ in_flight, !in_flight, true };
	}
	if (a->receive_known && took <= a->receive.high)
		return (struct belief){ false, true, false };
	return (struct belief){ overlap, !overlap, false };
}

/* Time from the send to the receive if neither is late. */
static double communication(const struct arrival *a, int way, double call_cost, struct belief b)
{
	const double measured = fmax(0, -(way == UPPER ? a->send : a->latest) - call_cost);

	if (b.latency && (b.sure || way != LOWER))
		return measured;
	if (way == UPPER && (a->enter <= a->exit_send || !a->latency_known))
		return measured;
	if (a->latency_known)
		return fmin(measured, quantile_of(&a->latency, way));
	return a->overlaid && way == BEST ? measured : fmin(measured, 2 * a->copy);
}

/* Time of a receive whose message has arrived; it cannot be more than it took. */
static double receiving(const struct arrival *a, int way, double call_cost, struct belief b)
{
	const double took = fmax(0, -a->enter - call_cost);

	if (b.receive && (b.sure || way != LOWER))
		return took;
	if (!a->receive_known)
		return fmin(a->copy, took);
	return fmin(took, fmax(a->copy, way == LOWER ? a->receive.low : a->receive.middle));
}

static void arrive(const struct overhead_replay *r, const struct arrival *a, double *gone)
{
	const struct belief b = believe(a, depend_call_cost(r, BEST));

	for (int way = 0; way < WAYS; way++) {
		const double call_cost = depend_call_cost(r, way);
		struct belief of = b;
		/* The message may have been there: what it took is not what was measured. */
		of.sure &= a->enter > a->send || a->send_a[way] >= a->enter_a[way];
		if (r->paper)
			gone[way] = -arrival_by_paper(a, way);
		else
			gone[way] = -fmax(a->send_a[way] + communication(a, way, call_cost, of),
					  a->enter_a[way] + receiving(a, way, call_cost, of));
	}
}

/* Measured time at which the open operation began; tool overhead inside it came first. */
static int64_t begin_of(const struct overhead_place *place)
{
	return place->call ? place->call_begin + place->call_pause : place->last;
}

/* When the operation that an event belongs to began on its own location. */
static void own_begin(const struct overhead_place *place, int64_t m, struct arrival *a)
{
	const double *gone = place->call ? place->call_gone : place->gone;
	const double pause = place->call ? (double)place->call_pause : 0;

	a->enter = (double)(begin_of(place) - m);
	for (int way = 0; way < WAYS; way++) /* nothing holds a location's first event back */
		a->enter_a[way] = place->begun ? a->enter - pause - gone[way] : -INFINITY;
}

/* Looks once at the receives that complete in the open call, from its first one on: they have one
 * time, which tells only how long the message took that was sent last. */
static void look_at_receives(const struct overhead_replay *r, struct overhead_place *place,
			     uint32_t event)
{
	struct cursor c;

	place->looked = place->call != 0;
	place->receives = 0;
	place->latest_send = INT64_MIN;
	cursor_at(&c, r->trace, r->from, event);
	do {
		const uint32_t what = cursor_what(&c);
		const struct message *m;
		if (what_kind(what) == EV_LEAVE)
			break;
		if (what_kind(what) != EV_RECV || !logical_message(r->logical, what_id(what)))
			continue;
		m = trace_message(r->trace, what_id(what));
		const int64_t sent = sent_at(r, m->send);
		place->receives++;
		if (sent > place->latest_send)
			place->latest_send = sent;
	} while (place->call && cursor_next(&c));
}

bool depend_receive(struct overhead_replay *r, struct overhead_place *place, int64_t m,
		    uint32_t event, uint32_t message, double *gone)
{
	const struct message *row = trace_message(r->trace, message);
	const uint64_t bytes = bytes_of(row);
	const bool request = row->flags & MSG_RECV_REQUEST;
	const uint32_t from = store_event_block(r->trace, row->send)->location;
	const uint32_t to = store_event_block(r->trace, event)->location;
	const int64_t sent = sent_at(r, row->send);
	struct arrival a = { .send = (double)(sent - m) };
	double earlier[WAYS];

	if (!place->looked)
		look_at_receives(r, place, event);
	own_begin(place, m, &a);
	a.latest = (double)((place->latest_send > sent ? place->latest_send : sent) - m);
	a.exit_send = (double)(call_exit(r->trace, r->paths, r->from, row->send) - m);
	for (int way = 0; way < WAYS; way++)
		a.send_a[way] = (double)(store_event_time(r->trace, way_base[way], row->send) - m);
	a.copy = cost_of_copy(r->cost, bytes);
	a.overlaid = place->receives > 1 && sent < place->latest_send;
	a.latency_known = latency_of(&r->survey->latency, from, to, bytes, &a.latency);
	a.receive_known = latency_sampled(&r->survey->latency, request ? OF_COMPLETION : OF_RECEIVE,
					  0, bytes, &a.receive);
	r->extended += request || place->sent != UINT32_MAX;
	r->violations += m < measured_time(r, row->send);
	if (place->received) /* the call does not end before a message that it received */
		memcpy(earlier, gone, sizeof earlier);
	arrive(r, &a, gone);
	for (int way = 0; way < WAYS && place->received; way++)
		gone[way] = fmin(gone[way], earlier[way]);
	place->received = place->call != 0;
	return true;
}

/* ---- collectives ---- */

static void take_later(struct begin_times *latest, const struct begin_times *begin)
{
	if (!begin->any)
		return;
	if (!latest->any || begin->m > latest->m)
		latest->m = begin->m;
	for (int way = 0; way < WAYS; way++)
		if (!latest->any || begin->t[way] > latest->t[way])
			latest->t[way] = begin->t[way];
	latest->any = true;
}

/* Ticks of tool overhead that are still to come in the call around an event, as far as the next
 * events show them; but for what ends by `until`, which was timed. */
static int64_t pause_ahead(const struct overhead_replay *r, uint32_t event, int64_t until)
{
	int64_t sum = 0, begin = 0;
	uint32_t open = 0;
	struct cursor c;

	cursor_at(&c, r->trace, r->from, event);
	for (int i = 0; i < CALL_AHEAD && cursor_next(&c); i++) {
		const uint32_t what = cursor_what(&c), path = what_id(what);
		if (what_kind(what) == EV_ENTER && !open &&
		    r->paths->list[path].role == PATH_MEASURING) {
			open = path;
			begin = cursor_time(&c);
		} else if (what_kind(what) == EV_LEAVE && open && path_ends(r->paths, path, open)) {
			open = 0;
			if (cursor_time(&c) > until)
				sum += cursor_time(&c) - begin + (int64_t)depend_call_cost(r, BEST);
		} else if (what_kind(what) == EV_LEAVE && !open) {
			break;
		}
	}
	return sum;
}

void depend_begin(const struct overhead_replay *r, const struct overhead_place *place,
		  uint32_t event, const struct replay_step *step)
{
	struct begin_times *own = (struct begin_times *)step->parties + step->party;
	struct overhead_group *state = step->state;

	const int64_t until = place->call ? place->call_begin + place->inside : place->last;

	own->any = true;
	own->m = (place->last > until ? place->last : until) + pause_ahead(r, event, until);
	for (int way = 0; way < WAYS; way++)
		own->t[way] = place->t[way];
	take_later(&state->latest, own);
}

/* The latest begin of all parties before one: each is folded into its follower once. */
static struct begin_times latest_before(const struct replay_step *step)
{
	struct begin_times *parties = step->parties;
	struct overhead_group *state = step->state;

	while (state->done + 1 < step->party) {
		take_later(&parties[state->done + 1], &parties[state->done]);
		state->done++;
	}
	return step->party ? parties[step->party - 1] : (struct begin_times){ 0 };
}

static struct begin_times latest_of_neighbours(const struct replay_step *step)
{
	const struct begin_times *parties = step->parties;
	struct begin_times latest = { 0 };
	uint32_t n;
	const uint32_t *list = neighbours_of(step->group->neighbourhood, step->party, &n);

	for (uint32_t i = 0; i < n; i++)
		take_later(&latest, &parties[list[i]]);
	return latest;
}

/* One root, many receivers: a message each, from the root's begin to the end (paper 3, section
 * 3.3). */
static bool end_of_one_to_n(struct overhead_replay *r, const struct overhead_place *place,
			    int64_t m, uint32_t what, const struct replay_step *step, double *gone)
{
	const struct group *group = step->group;
	const struct begin_times *root = (struct begin_times *)step->parties + group->root;
	const struct party *party = &group->parties[group->root];
	uint64_t bytes = group->bytes;
	struct arrival a = { 0 };

	if (group->root >= group->n || !root->any)
		return false;
	if (what_kind(what) == EV_COLLECTIVE_END)
		bytes = trace_member(r->trace, what_id(what))->received;
	own_begin(place, m, &a);
	a.send = a.latest = (double)(root->m - m);
	a.exit_send = group->cls == LOGICAL_FORK || party->end == EVENT_NONE
			      ? 0
			      : (double)(measured_time(r, party->end) - m);
	for (int way = 0; way < WAYS; way++)
		a.send_a[way] = (double)(root->t[way] - m);
	a.copy = cost_of_copy(r->cost, bytes);
	a.latency_known =
		latency_sampled(&r->survey->latency, OF_ROOT, group->n, bytes, &a.latency);
	a.receive_known =
		latency_sampled(&r->survey->latency, OF_ROOT_RECEIVE, group->n, bytes, &a.receive);
	r->violations += m < root->m;
	r->extended += group->cls == LOGICAL_FORK;
	arrive(r, &a, gone);
	return true;
}

/* (13): the time after the latest begin is what the operation itself takes. */
static void synchronise(const struct overhead_replay *r, int64_t m,
			const struct begin_times *latest, int way, double *gone)
{
	const double measured = (double)(m - latest->m) - depend_call_cost(r, way);
	const double after =
		r->paper ? paper_n_to_n((double)m, (double)latest->m, 0) : fmax(0, measured);

	*gone = (double)(m - latest->t[way]) - fmax(0, after);
}

/* All ranks wait for all: the own begin counts, too. */
static bool end_of_n_to_n(struct overhead_replay *r, const struct overhead_place *place, int64_t m,
			  const struct replay_step *step, double *gone)
{
	const struct overhead_group *state = step->state;
	const struct begin_times *own = (struct begin_times *)step->parties + step->party;
	struct begin_times latest = state->latest;
	struct arrival a = { 0 };

	if (!latest.any)
		return false;
	if (!own->any && place->call) { /* it sends nothing, but must take part nevertheless */
		own_begin(place, m, &a);
		if (begin_of(place) > latest.m)
			latest.m = begin_of(place);
		for (int way = 0; way < WAYS; way++)
			latest.t[way] =
				(int64_t)fmax((double)latest.t[way], (double)m + a.enter_a[way]);
	}
	r->violations += m < latest.m;
	for (int way = 0; way < WAYS; way++)
		synchronise(r, m, &latest, way, &gone[way]);
	return true;
}

/* For ends that need some others. If one of these came last: as above. If the party itself did:
 * independent, but not before any of them. */
static bool end_of_some(struct overhead_replay *r, const struct overhead_place *place, int64_t m,
			uint32_t what, const struct begin_times *latest, double *gone)
{
	const int64_t begin = begin_of(place);
	uint64_t bytes = 0;
	struct arrival a;

	if (!latest->any)
		return false;
	if (what_kind(what) == EV_COLLECTIVE_END)
		bytes = trace_member(r->trace, what_id(what))->received;
	own_begin(place, m, &a);
	r->violations += m < latest->m;
	for (int way = 0; way < WAYS; way++) {
		const double copied = a.enter_a[way] + cost_of_copy(r->cost, bytes);
		double by_others = (double)(m - latest->t[way]);
		if (latest->m > begin) {
			synchronise(r, m, latest, way, &by_others);
			gone[way] = fmin(by_others, -copied);
		} else {
			gone[way] = fmin(by_others, gone[way]);
		}
	}
	return true;
}

bool depend_end(struct overhead_replay *r, const struct overhead_place *place, int64_t m,
		uint32_t what, const struct replay_step *step, double *gone)
{
	const struct overhead_group *state = step->state;
	struct begin_times before;

	switch (step->group->cls) {
	case LOGICAL_ONE_TO_N:
	case LOGICAL_FORK: return end_of_one_to_n(r, place, m, what, step, gone);
	case LOGICAL_N_TO_ONE:
	case LOGICAL_JOIN:
		r->extended++;
		return end_of_some(r, place, m, what, &state->latest, gone);
	case LOGICAL_PREFIX:
		r->extended++;
		before = latest_before(step);
		return end_of_some(r, place, m, what, &before, gone);
	case LOGICAL_NEIGHBOURS:
		r->extended++;
		before = latest_of_neighbours(step);
		return end_of_some(r, place, m, what, &before, gone);
	default:
		r->extended += step->group->cls != LOGICAL_N_TO_N;
		return end_of_n_to_n(r, place, m, step, gone);
	}
}

void depend_at_least(const struct overhead_replay *r, int64_t m, const struct replay_step *step,
		     double *gone)
{
	const struct overhead_group *state = step->state;
	uint32_t send;

	for (int way = 0; way < WAYS; way++) {
		if (step->part == PART_RECV) {
			send = trace_message(r->trace, step->row)->send;
			gone[way] =
				fmin(gone[way],
				     (double)(m - store_event_time(r->trace, way_base[way], send)));
		} else if (state->latest.any) {
			gone[way] = fmin(gone[way], (double)(m - state->latest.t[way]));
		}
	}
}

/* ---- sends that wait ---- */

int64_t depend_blocking(const struct overhead_replay *r, const struct overhead_place *place,
			int64_t m)
{
	const struct message *row;
	bool synchronous;

	if (place->sent == UINT32_MAX)
		return 0;
	row = trace_message(r->trace, place->sent);
	if (!message_arrived(row))
		return 0;
	synchronous = (row->flags & MSG_MODE_MASK) >> MSG_MODE_SHIFT == MODE_SYNCHRONOUS;
	if (!synchronous && (row->flags & MSG_NO_BYTES || message_bytes(row) < LARGE_MESSAGE))
		return 0;
	if (call_begin(r->trace, r->paths, r->from, row->recv) >= m)
		return 0;
	return m - place->call_begin;
}
