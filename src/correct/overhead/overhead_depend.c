/* Events that depend on other locations: receives and ends of collectives. Times are relative to
 * the measured time of the event that is placed, so that they are small numbers. */
#include <math.h>
#include <string.h>

#include "correct/overhead/overhead_paper.h"
#include "correct/overhead/overhead_replay.h"
#include "model/trace/region_meaning.h"
#include "model/trace/store.h"

enum {
	LARGE_MESSAGE = 65536, /* bytes: beyond the eager limit of most MPI libraries */
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

static double arrival_by_paper(const struct arrival *a, int way)
{
	const struct paper_receive receive = { a->send,        a->exit_send,    a->enter, 0,
					       a->send_a[way], a->enter_a[way], a->copy };

	return way == UPPER ? paper_receive_upper(&receive) : paper_receive_lower(&receive);
}

/* The end of a call, of whose sides there are none yet. What may have come between because the run
 * took longer is not in the lower time. */
static void begin_sides(const struct overhead_replay *r, double interrupted,
			struct call_sides *sides)
{
	double until[WAYS];

	for (int way = 0; way < WAYS; way++)
		until[way] = -depend_call_cost(r, way);
	until[LOWER] -= r->survey->interrupted * interrupted;
	sides_begin(sides, until);
}

/* `last`: no other receive completes in the call. */
static void arrive(const struct overhead_replay *r, const struct arrival *a,
		   struct call_sides *sides, bool last, double *gone)
{
	double end[WAYS] = { arrival_best(a, depend_call_cost(r, BEST)) };

	arrival_sender(a, sides);
	end[LOWER] = sides->low;
	end[UPPER] = sides->high;
	if (last)
		sides_end(sides, end);
	for (int way = 0; way < WAYS; way++)
		gone[way] = r->paper ? -arrival_by_paper(a, way) : -end[way];
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

/* Where a receive was posted before the call that completes it: the message may have been taken
 * then. */
static void posted(const struct overhead_replay *r, uint32_t message, uint64_t bytes, int64_t m,
		   struct call_sides *sides)
{
	const uint32_t event = r->posts[message];
	struct quantiles taking;
	double a[WAYS];

	if (event == EVENT_NONE)
		return;
	for (int way = 0; way < WAYS; way++)
		a[way] = (double)(store_event_time(r->trace, way_base[way], event) - m);
	if (latency_sampled(&r->survey->latency, OF_RECEIVE, 0, bytes, &taking))
		sides_add(sides, (double)(sent_at(r, event) - m), a, 0, taking.most);
	else
		sides_add(sides, (double)(sent_at(r, event) - m), a, 0, INFINITY);
}

/* The time of a receive's send. */
static int64_t send_time(const struct overhead_replay *r, const struct replay_step *step, int way)
{
	const struct send_times *said = step->value;

	return said ? said->t[way]
		    : store_event_time(r->trace, way_base[way],
				       trace_message(r->trace, step->row)->send);
}

bool depend_receive(struct overhead_replay *r, struct overhead_place *place, int64_t m,
		    uint32_t event, const struct replay_step *step, double *gone)
{
	const struct message *row = trace_message(r->trace, step->row);
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
		a.send_a[way] = (double)(send_time(r, step, way) - m);
	a.copy = cost_of_copy(r->cost, bytes);
	a.overlaid = place->receives > 1 && sent < place->latest_send;
	a.latency_known = latency_of(&r->survey->latency, from, to, bytes, &a.latency);
	a.within = latency_within(&r->survey->latency, from, to, bytes);
	a.receive_known = latency_sampled(&r->survey->latency, request ? OF_COMPLETION : OF_RECEIVE,
					  0, bytes, &a.receive);
	r->extended += request || place->sent != UINT32_MAX;
	r->violations += m < measured_time(r, row->send);
	if (place->received) { /* the call does not end before a message that it received */
		memcpy(earlier, gone, sizeof earlier);
	} else {
		begin_sides(r, arrival_interrupted(&a, depend_call_cost(r, BEST)), &place->sides);
		arrival_receiver(&a, &place->sides);
	}
	if (request)
		posted(r, step->row, bytes, m, &place->sides);
	place->received++;
	arrive(r, &a, &place->sides, place->received >= place->receives, gone);
	for (int way = 0; way < WAYS && place->received > 1; way++)
		gone[way] = fmin(gone[way], earlier[way]);
	if (!place->call)
		place->received = 0;
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
	latest->most = latest->any ? fmax(latest->most, begin->most) : begin->most;
	latest->least = latest->any ? fmin(latest->least, begin->least) : begin->least;
	latest->any = true;
}

static void note_begin(const struct replay_step *step, const struct begin_times *begin)
{
	struct overhead_group *state = step->state;

	((struct begin_times *)step->parties)[step->party] = *begin;
	take_later(&state->latest, begin);
}

void depend_begin(const struct overhead_replay *r, const struct overhead_place *place,
		  uint32_t event, const struct replay_step *step)
{
	const int64_t until = place->call ? place->call_begin + place->inside : place->last;
	struct begin_times own = { .any = true };

	own.m = (place->last > until ? place->last : until) + pause_ahead(r, place, event, until);
	for (int way = 0; way < WAYS; way++)
		own.t[way] = place->t[way];
	own.most = (double)(own.m - own.t[LOWER]);
	own.least = (double)(own.m - own.t[UPPER]);
	if (step->value)
		*(struct begin_times *)step->value = own;
	else
		note_begin(step, &own);
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

/* The earliest end of a group's receivers, measured: once a group. */
static int64_t first_end(const struct overhead_replay *r, const struct replay_step *step)
{
	const struct group *group = step->group;
	struct overhead_group *state = step->state;

	if (state->ended)
		return state->first_end;
	state->ended = true;
	state->first_end = NO_TIME;
	for (uint32_t i = 0; i < group->n; i++) {
		const struct party *party = &group->parties[i];
		if (!party->receives || party->end == EVENT_NONE)
			continue;
		const int64_t end = measured_time(r, party->end);
		if (state->first_end == NO_TIME || end < state->first_end)
			state->first_end = end;
	}
	return state->first_end;
}

/* Of a group that is evaluated here. */
static struct needed_begins find_needed(const struct overhead_replay *r,
					const struct replay_step *step)
{
	const struct group *group = step->group;
	const struct overhead_group *state = step->state;
	const struct begin_times *parties = step->parties;
	struct needed_begins needed = { .root_end = NO_TIME,
					.first_end = NO_TIME,
					.bytes = group->bytes,
					.parties = group->n };

	switch (group->cls) {
	case LOGICAL_ONE_TO_N:
	case LOGICAL_FORK:
		if (group->root >= group->n)
			break;
		needed.latest = parties[group->root];
		if (group->cls != LOGICAL_FORK && group->parties[group->root].end != EVENT_NONE)
			needed.root_end = measured_time(r, group->parties[group->root].end);
		break;
	case LOGICAL_PREFIX: needed.latest = latest_before(step); break;
	case LOGICAL_NEIGHBOURS: needed.latest = latest_of_neighbours(step); break;
	default:
		needed.latest = state->latest;
		if (r->alike)
			needed.first_end = first_end(r, step);
	}
	return needed;
}

static struct needed_begins needed_of(const struct overhead_replay *r,
				      const struct replay_step *step)
{
	return step->value ? *(const struct needed_begins *)step->value : find_needed(r, step);
}

void depend_home(const struct overhead_replay *r, const struct replay_step *step)
{
	if (step->part == PART_BEGIN)
		note_begin(step, step->value);
	else if (step->part == PART_END)
		*(struct needed_begins *)step->value = find_needed(r, step);
}

/* One root, many receivers: a message each, from the root's begin to the end (paper 3, section
 * 3.3). */
static bool end_of_one_to_n(struct overhead_replay *r, const struct overhead_place *place,
			    int64_t m, uint32_t what, enum logical_class cls,
			    const struct needed_begins *needed, double *gone)
{
	const struct begin_times *root = &needed->latest;
	const uint32_t parties = (uint32_t)needed->parties;
	uint64_t bytes = needed->bytes;
	struct arrival a = { .within = INFINITY };
	struct call_sides sides;

	if (!root->any)
		return false;
	if (what_kind(what) == EV_COLLECTIVE_END)
		bytes = trace_member(r->trace, what_id(what))->received;
	own_begin(place, m, &a);
	a.send = a.latest = (double)(root->m - m);
	a.exit_send = needed->root_end == NO_TIME ? 0 : (double)(needed->root_end - m);
	for (int way = 0; way < WAYS; way++)
		a.send_a[way] = (double)(root->t[way] - m);
	a.copy = cost_of_copy(r->cost, bytes);
	a.latency_known = latency_sampled(&r->survey->latency, OF_ROOT, parties, bytes, &a.latency);
	a.receive_known =
		latency_sampled(&r->survey->latency, OF_ROOT_RECEIVE, parties, bytes, &a.receive);
	r->violations += m < root->m;
	r->extended += cls == LOGICAL_FORK;
	begin_sides(r, arrival_interrupted(&a, depend_call_cost(r, BEST)), &sides);
	arrival_receiver(&a, &sides);
	arrive(r, &a, &sides, true, gone);
	return true;
}

/* (13): the time after the latest begin is what the operation itself takes. (12): until the first
 * one ended. */
static void synchronise(const struct overhead_replay *r, int64_t m, int64_t end,
			const struct begin_times *latest, int way, double *gone)
{
	const double measured = (double)(m - latest->m) - depend_call_cost(r, way);
	const double after =
		r->paper ? paper_n_to_n((double)end, (double)latest->m, 0) : fmax(0, measured);

	*gone = (double)(m - latest->t[way]) - fmax(0, after);
}

static bool is_init(const struct overhead_replay *r, uint32_t path)
{
	return region_meaning(r->trace, r->paths->list[path].region).collective == COLLECTIVE_INIT;
}

/* All ranks wait for all: the own begin counts, too. */
static bool end_of_n_to_n(struct overhead_replay *r, const struct overhead_place *place, int64_t m,
			  const struct needed_begins *needed, bool sends, double *gone)
{
	/* MPI need not let all wait for all. */
	const bool may_not_wait = place->call && is_init(r, place->call);
	const double alone[WAYS] = { gone[BEST], gone[LOWER], gone[UPPER] };
	struct begin_times latest = needed->latest;
	const int64_t end = needed->first_end == NO_TIME ? m : needed->first_end;
	struct arrival a = { 0 };

	if (!latest.any)
		return false;
	if (!sends && place->call) { /* it sends nothing, but must take part nevertheless */
		own_begin(place, m, &a);
		if (begin_of(place) > latest.m)
			latest.m = begin_of(place);
		for (int way = 0; way < WAYS; way++)
			latest.t[way] =
				(int64_t)fmax((double)latest.t[way], (double)m + a.enter_a[way]);
	}
	r->violations += m < latest.m;
	for (int way = 0; way < WAYS; way++)
		synchronise(r, m, end, &latest, way, &gone[way]);
	if (may_not_wait) {
		gone[LOWER] = fmax(gone[LOWER], alone[LOWER]);
		gone[LOWER] = fmin(gone[LOWER], (double)(m - latest.t[LOWER]));
		gone[UPPER] = fmin(gone[UPPER], alone[UPPER]);
	}
	return true;
}

/* For ends that need some others. If one of these came last: as above. If the party itself did:
 * independent, but not before any of them. */
static double best_of_some(const struct overhead_replay *r, int64_t m, double begin, double copied,
			   const struct begin_times *latest, double gone)
{
	double by_others = (double)(m - latest->t[BEST]);

	if ((double)(latest->m - m) <= begin)
		return fmin(by_others, gone);
	synchronise(r, m, m, latest, BEST, &by_others);
	return fmin(by_others, -copied);
}

/* How long each of the others takes until the party can end is not known: all that came before may
 * have let it end, so bounds are those of the latest, and of the time taken out of each. */
static bool end_of_some(struct overhead_replay *r, const struct overhead_place *place, int64_t m,
			uint32_t what, const struct begin_times *latest, double *gone)
{
	uint64_t bytes = 0;
	struct call_sides sides;
	struct arrival a;
	double end[WAYS], others[WAYS], copy;

	if (!latest->any)
		return false;
	if (what_kind(what) == EV_COLLECTIVE_END)
		bytes = trace_member(r->trace, what_id(what))->received;
	copy = cost_of_copy(r->cost, bytes);
	own_begin(place, m, &a);
	r->violations += m < latest->m;
	end[BEST] = -best_of_some(r, m, a.enter, a.enter_a[BEST] + copy, latest, gone[BEST]);
	begin_sides(r, 0, &sides);
	if (place->begun)
		sides_add(&sides, a.enter, a.enter_a, copy, INFINITY);
	for (int way = 0; way < WAYS; way++)
		others[way] = (double)(latest->t[way] - m);
	sides_add_some(&sides, others, latest->least, latest->most);
	sides_end(&sides, end);
	for (int way = 0; way < WAYS; way++)
		gone[way] = -end[way];
	return true;
}

/* Whether the party of a step has begun. */
static bool has_begun(const struct overhead_replay *r, const struct replay_step *step)
{
	if (step->value)
		return logical_far(r->logical, step->row - logical_group_count(r->logical))->sends;
	return ((const struct begin_times *)step->parties)[step->party].any;
}

bool depend_end(struct overhead_replay *r, const struct overhead_place *place, int64_t m,
		uint32_t what, const struct replay_step *step, double *gone)
{
	const struct needed_begins needed = needed_of(r, step);

	switch (step->cls) {
	case LOGICAL_ONE_TO_N:
	case LOGICAL_FORK: return end_of_one_to_n(r, place, m, what, step->cls, &needed, gone);
	case LOGICAL_N_TO_ONE:
	case LOGICAL_JOIN:
	case LOGICAL_PREFIX:
	case LOGICAL_NEIGHBOURS:
		r->extended += needed.latest.any;
		return end_of_some(r, place, m, what, &needed.latest, gone);
	default:
		r->extended += needed.latest.any && step->cls != LOGICAL_N_TO_N;
		return end_of_n_to_n(r, place, m, &needed, has_begun(r, step), gone);
	}
}

void depend_at_least(const struct overhead_replay *r, int64_t m, const struct replay_step *step,
		     double *gone)
{
	struct needed_begins needed;

	if (step->part == PART_RECV) {
		for (int way = 0; way < WAYS; way++)
			gone[way] = fmin(gone[way], (double)(m - send_time(r, step, way)));
		return;
	}
	needed = needed_of(r, step);
	for (int way = 0; way < WAYS && needed.latest.any; way++)
		gone[way] = fmin(gone[way], (double)(m - needed.latest.t[way]));
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
