#include "engine_impl.h"

int64_t letter_copying(const struct engine *e, uint32_t bytes)
{
	return pico(e->settings->copy * bytes);
}

/* Ranks of two nodes are as far from each other as these two are. */
int64_t letter_latency(const struct engine *e, uint32_t from, uint32_t to)
{
	const struct settings *s = e->settings;
	uint64_t a = from / s->node_ranks, b = to / s->node_ranks;

	if (a == b)
		return pico(s->latency_intra);
	if (a > b) {
		const uint64_t c = a;
		a = b;
		b = c;
	}
	return pico(s->latency *
		    (1 + s->latency_spread * chance_share(s->seed, CHANCE_PAIR, a, b)));
}

int64_t letter_way(const struct engine *e, uint32_t from, uint32_t to)
{
	const struct settings *s = e->settings;

	return (s->latency_down > 0 && to < from ? pico(s->latency_down)
						 : letter_latency(e, from, to)) +
	       (to == s->late_rank ? pico(s->late) : 0);
}

int64_t letter_nap(const struct engine *e, enum chance what, uint64_t who, uint64_t nth)
{
	const struct settings *s = e->settings;
	const uint64_t seed = s->seed ^ CHANCE_NAP << 16;

	if (!(s->nap > 0) || chance_share(seed, what, who, 2 * nth) >= s->nap_share)
		return 0;
	return pico(s->nap * chance_delay(seed, what, who, 2 * nth + 1));
}

int64_t letter_delay(const struct engine *e, enum chance what, uint64_t who, uint64_t nth)
{
	const struct settings *s = e->settings;
	const int64_t nap = letter_nap(e, what, who, nth);

	return nap + (s->jitter > 0 ? pico(s->jitter * chance_delay(s->seed, what, who, nth)) : 0);
}

/* Messages between two ranks do not overtake each other. */
static int64_t not_overtaking(struct engine *e, uint32_t from, uint32_t to, int64_t arrival)
{
	uint32_t *row = keymap_add(&e->pairs, (struct key){ { from, to, 0, 0 } });

	if (*row == UINT32_MAX) {
		*row = (uint32_t)e->last_arrival.n;
		vec_push(&e->last_arrival, 0);
	}
	if (e->last_arrival.data[*row] >= arrival)
		arrival = e->last_arrival.data[*row] + 1;
	return e->last_arrival.data[*row] = arrival;
}

/* What a message takes beyond the size of it: links may differ by direction, and by rank. */
static int64_t way_of(const struct engine *e, uint32_t from, uint32_t to, uint64_t nth)
{
	const struct settings *s = e->settings;
	int64_t way = letter_way(e, from, to) + letter_delay(e, CHANCE_NETWORK, from, nth);

	if (s->tail > 0)
		way += pico(s->tail * pow(chance_share(s->seed, CHANCE_TAIL, from, nth), -1 / 1.1));
	return way;
}

static void send_off(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];
	const uint32_t dest = (uint32_t)a->op.peer;
	int64_t arrival = a->now + way_of(e, rank, dest, a->sent++) +
			  pico(a->op.bytes / e->settings->bandwidth);
	uint32_t id = e->free_letter;

	arrival = not_overtaking(e, rank, dest, arrival);
	if (id == NO_MESSAGE) {
		id = (uint32_t)e->letters.n;
		(void)vec_add(&e->letters);
	} else {
		e->free_letter = e->letters.data[id].next;
	}
	e->letters.data[id] = (struct letter){ .arrival = arrival,
					       .entered = a->entered,
					       .sent = a->now,
					       .intrusion = a->intrusion,
					       .kept = a->keeper.own,
					       .synchronous = a->op.kind == OP_SSEND,
					       .source = (int32_t)rank,
					       .dest = dest,
					       .bytes = a->op.bytes,
					       .tag = a->op.tag,
					       .next = NO_MESSAGE };
	hold_add(e, id);
	queue_push(&e->queue, arrival, dest, id);
	e->run->messages++;
}

static bool fits(const struct wanted *w, const struct letter *letter)
{
	return !w->done && !w->is_send && w->tag == letter->tag &&
	       (w->source == ANY || w->source == letter->source);
}

/* A synchronous send ends with its receive, as seen from the other side. */
static void end_rendezvous(struct engine *e, const struct wanted *w)
{
	const uint32_t rank = (uint32_t)w->source;
	struct actor *a = &e->actors[rank];
	struct virtual_sum sum;

	a->now = w->at;
	a->rendezvous = false;
	virtual_begin(&sum, w->partner, a->now);
	engine_depend(&sum, w->post);
	engine_settle(e, rank, &sum, VIRTUAL_PAIR);
	keep_rendezvous(e, rank, w);
	engine_leave_call(e, rank);
}

/* The receive gets the letter. */
static void hand_over(struct engine *e, struct actor *a, struct wanted *w, uint32_t id)
{
	struct letter *letter = &e->letters.data[id];
	const int64_t take = letter_copying(e, letter->bytes) + pico(e->settings->take) +
			     letter_nap(e, CHANCE_RECEIVE, w->rank, w->nth);
	const int64_t ready = w->at + take;

	hold_remove(e, id);
	w->post = (struct virtual_entry){ w->post.time, w->post.intrusion, take, 0 };
	w->partner = (struct virtual_entry){ letter->sent, letter->intrusion,
					     letter->arrival - letter->sent, 0 };

	w->kept_partner = letter->kept;
	w->source = letter->source;
	w->bytes = letter->bytes;
	w->entered = letter->entered;
	w->at = letter->arrival > ready ? letter->arrival : ready;
	w->done = true;
	a->open--;
	letter->next = e->free_letter;
	e->free_letter = id;
	if (letter->synchronous)
		end_rendezvous(e, w);
}

/* Whose send was the last to be entered. */
static void note_blocked(struct engine *e, uint32_t rank, const struct wanted *of, size_t n)
{
	const struct wanted *late = NULL;

	for (size_t i = 0; i < n; i++)
		if (!of[i].is_send && (!late || of[i].entered > late->entered))
			late = &of[i];
	if (late)
		engine_note_blocked(e, rank, (uint32_t)late->source, late->entered);
}

/* Virtual time where the call ends, which waited for these receives. */
static void settle(struct engine *e, uint32_t rank, struct virtual_entry own,
		   const struct wanted *of, size_t n)
{
	struct virtual_sum sum;

	virtual_begin(&sum, own, e->actors[rank].now);
	for (size_t i = 0; i < n; i++) {
		if (of[i].is_send)
			continue;
		engine_depend(&sum, of[i].partner);
		keep_receive(e, rank, &of[i]);
		if (e->actors[rank].op.kind == OP_WAITALL)
			engine_depend(&sum, of[i].post);
	}
	engine_settle(e, rank, &sum, VIRTUAL_PAIR);
}

/* All that the call waited for is there. */
static void finish_receives(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];
	const struct wanted *w;

	const struct virtual_entry own = { a->now, a->intrusion, 0, 0 };

	a->waits = false;
	if (a->op.kind == OP_RECV) {
		/* The last one is the call's own. */
		w = vec_last(&a->wanted);
		a->now = w->at > a->now ? w->at : a->now;
		a->plan.source = w->source;
		a->plan.bytes = w->bytes;
		if (a->op.peer == ANY)
			vec_push(&e->run->of[rank].sources, w->source);
		note_blocked(e, rank, w, 1);
		settle(e, rank, w->post, w, 1);
		a->wanted.n--;
	}
	vec_each (w, &a->wanted)
		if (a->op.kind == OP_WAITALL && w->at > a->now)
			a->now = w->at;
	if (a->op.kind == OP_WAITALL) {
		note_blocked(e, rank, a->wanted.data, a->wanted.n);
		settle(e, rank, own, a->wanted.data, a->wanted.n);
	}
	engine_leave_call(e, rank);
}

void letter_arrive(struct engine *e, uint32_t rank, uint32_t id)
{
	struct actor *a = &e->actors[rank];
	struct wanted *w;

	vec_each (w, &a->wanted) {
		if (!fits(w, &e->letters.data[id]))
			continue;
		hand_over(e, a, w, id);
		if (a->waits && (a->op.kind == OP_RECV ? vec_last(&a->wanted)->done : !a->open))
			finish_receives(e, rank);
		return;
	}
	if (a->first == NO_MESSAGE)
		a->first = id;
	else
		e->letters.data[a->last].next = id;
	a->last = id;
}

/* Posts a receive; what has arrived is taken at once. */
static void post(struct engine *e, uint32_t rank, uint32_t request, int32_t source)
{
	struct actor *a = &e->actors[rank];
	struct wanted *w = vec_add(&a->wanted);
	uint32_t before = NO_MESSAGE;

	*w = (struct wanted){ .source = source,
			      .tag = a->op.tag,
			      .request = request,
			      .at = a->now,
			      .rank = rank,
			      .nth = a->posts++ };
	w->post = (struct virtual_entry){ a->now, a->intrusion, 0, 0 };
	w->kept_post = a->keeper.own;
	a->open++;
	if (w->source == ANY && e->follow)
		w->source = e->follow->of[rank].sources.data[a->followed++];
	for (uint32_t id = a->first; id != NO_MESSAGE; id = e->letters.data[id].next) {
		const uint32_t next = e->letters.data[id].next;
		if (!fits(w, &e->letters.data[id])) {
			before = id;
			continue;
		}
		if (before == NO_MESSAGE)
			a->first = next;
		else
			e->letters.data[before].next = next;
		if (a->last == id)
			a->last = before;
		hand_over(e, a, w, id);
		return;
	}
}

static void note_send_request(struct actor *a)
{
	struct wanted *w = vec_add(&a->wanted);

	*w = (struct wanted){ .source = a->op.peer,
			      .tag = a->op.tag,
			      .done = true,
			      .is_send = true,
			      .request = a->requests,
			      .bytes = a->op.bytes,
			      .at = a->now };
}

void letter_send(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];

	send_off(e, rank);
	if (a->op.kind == OP_SSEND) {
		a->rendezvous = true;
		return;
	}
	if (a->op.kind == OP_ISEND)
		note_send_request(a);
	else
		a->now += letter_copying(e, a->op.bytes) + pico(e->settings->send);
	engine_leave_call(e, rank);
}

void letter_receive(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];

	if (a->op.kind == OP_IRECV) {
		post(e, rank, a->requests, a->op.peer);
		engine_leave_call(e, rank);
		return;
	}
	if (a->op.peer == ANY && e->measured && e->settings->control)
		hold_receive(e, rank);
	else
		letter_receive_from(e, rank, a->op.peer);
}

void letter_receive_from(struct engine *e, uint32_t rank, int32_t source)
{
	struct actor *a = &e->actors[rank];

	post(e, rank, 0, source);
	a->waits = true;
	if (vec_last(&a->wanted)->done)
		finish_receives(e, rank);
}

void letter_wait(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];

	a->waits = true;
	if (!a->open)
		finish_receives(e, rank);
}
