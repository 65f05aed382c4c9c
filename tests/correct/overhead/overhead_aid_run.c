#include "correct/overhead/overhead_aid_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/random.h"

enum { COLLECTIVES = 1024 };

struct message_queue {
	VEC(int64_t) departures;
	size_t taken;
};

/* A rank in a run. */
struct runner {
	struct aid_pass *run;
	const struct aid_program *p;
	uint32_t rank;
	int64_t now;
	size_t at; /* next step */
	bool skipping;
	uint32_t noted; /* records of the gap that is under way */
	int opened;     /* 1 + function opened in the segment without probes */
	bool in_call;   /* its enter is recorded */
	aid_notes notes;
	struct message_queue *from; /* [ranks] */
	VEC(int) posted;            /* partners */
	uint64_t posted_bytes;
	int64_t next_request;
	uint64_t random;
	/* the collective under way: all ranks pass the same ones in the same order */
	int64_t begun[COLLECTIVES]; /* time of the nth collective's begin, -1 not yet */
	uint32_t collectives;       /* passed */
};

/* ---- recording ---- */

static void note(struct runner *k, enum event_kind kind, uint32_t region, int peer, int64_t request,
		 uint64_t bytes)
{
	vec_push(&k->notes, ((struct aid_note){ k->now, kind, region, peer, request, bytes }));
}

/* What measuring takes. */
static void spend(struct runner *k, int64_t ticks)
{
	k->now += k->run->measured ? ticks : 0;
}

/* A record: half of its cost before the stamp, half behind it. */
static void record(struct runner *k, enum event_kind kind, uint32_t region, int64_t cost)
{
	spend(k, cost / 2);
	note(k, kind, region, 0, 0, 0);
	spend(k, cost - cost / 2);
}

/* In a gap the clock is read for the last of 16 records. */
enum { BLIND = 16 };

static int64_t function_cost(struct runner *k, int function)
{
	if (!k->skipping || ++k->noted % BLIND == 0)
		return k->p->function[function];
	return k->p->note;
}

/* Its records are made when it ends: a region of the measurement's own. */
static void end_gap(struct runner *k)
{
	note(k, EV_DATA, 0, 0, k->noted, k->noted / BLIND);
	note(k, EV_ENTER, R_FLUSH, 0, 0, 0);
	spend(k, k->p->call + 30000 * (int64_t)k->noted);
	note(k, EV_LEAVE, R_FLUSH, 0, 0, 0);
	spend(k, k->p->call);
	k->noted = 0;
}

/* The enter of an MPI call ends the segment. */
static void enter_call(struct runner *k, uint32_t region)
{
	spend(k, k->p->call / 2);
	if (k->skipping && k->p->note)
		end_gap(k);
	else if (k->skipping)
		note(k, EV_LEAVE, R_UNRECORDED, 0, 0, 0);
	if (k->opened) /* what is open behind a gap was entered at its end */
		note(k, EV_ENTER, (uint32_t)k->opened - 1, 0, 0, 0);
	k->opened = 0;
	k->skipping = false;
	note(k, EV_ENTER, region, 0, 0, 0);
}

static void behind_enter(struct runner *k)
{
	spend(k, k->p->call - k->p->call / 2);
}

static void before_leave(struct runner *k)
{
	spend(k, k->p->call / 2);
}

/* A level that the segment to come will leave before it enters one: 1 + function, 0 none. */
static int will_close(const struct runner *k)
{
	for (size_t i = k->at + 1; i < k->p->steps[k->rank].n; i++) {
		const struct aid_step *s = &k->p->steps[k->rank].data[i];
		if (s->op == AID_CLOSE)
			return s->partner + 1;
		if (s->op == AID_OPEN || s->op > AID_FLUSH)
			return 0;
	}
	return 0;
}

static void leave_call(struct runner *k, uint32_t region)
{
	note(k, EV_LEAVE, region, 0, 0, 0);
	/* The same draw in both runs. */
	k->skipping = (double)xorshift_below(&k->random, 1000000) < k->p->skip * 1e6;
	if (k->skipping && !k->p->note) {
		const int closes = will_close(k);
		if (closes)
			note(k, EV_LEAVE, (uint32_t)closes - 1, 0, 0, 0);
		note(k, EV_ENTER, R_UNRECORDED, 0, 0, 0);
	}
	spend(k, k->p->call - k->p->call / 2);
}

/* ---- steps ---- */

static void depart(struct runner *k, int to)
{
	vec_push(&k->run->runners[to].from[k->rank].departures, k->now);
}

static bool has_message(const struct runner *k, int from, size_t ahead)
{
	return k->from[from].taken + ahead < k->from[from].departures.n;
}

/* When a message that is taken now is there. */
static int64_t take(struct runner *k, int from)
{
	return k->from[from].departures.data[k->from[from].taken++] + k->p->latency;
}

static void wait_until(struct runner *k, int64_t time, int64_t least)
{
	if (k->now + least > time)
		time = k->now + least;
	k->run->wait += time - k->now;
	k->now = time;
}

static bool do_send(struct runner *k, const struct aid_step *s)
{
	enter_call(k, R_SEND);
	note(k, EV_SEND, 0, s->partner, 0, s->bytes);
	behind_enter(k);
	depart(k, s->partner);
	k->now += s->ticks;
	before_leave(k);
	leave_call(k, R_SEND);
	return true;
}

static bool do_recv(struct runner *k, const struct aid_step *s)
{
	if (!has_message(k, s->partner, 0))
		return false;
	enter_call(k, R_RECV);
	behind_enter(k);
	wait_until(k, take(k, s->partner), k->p->receive);
	before_leave(k);
	note(k, EV_RECV, 0, s->partner, 0, s->bytes);
	leave_call(k, R_RECV);
	return true;
}

static bool do_irecv(struct runner *k, const struct aid_step *s)
{
	enter_call(k, R_IRECV);
	note(k, EV_RECV_REQUEST, 0, s->partner, ++k->next_request, s->bytes);
	behind_enter(k);
	k->now += 50000;
	before_leave(k);
	leave_call(k, R_IRECV);
	vec_push(&k->posted, s->partner);
	k->posted_bytes = s->bytes;
	return true;
}

static bool do_waitall(struct runner *k)
{
	const size_t n = k->posted.n;
	const int64_t first = k->next_request - (int64_t)n + 1;
	int64_t last = 0;

	for (size_t i = 0; i < n; i++) {
		size_t ahead = 0;
		for (size_t j = 0; j < i; j++)
			ahead += k->posted.data[j] == k->posted.data[i];
		if (!has_message(k, k->posted.data[i], ahead))
			return false;
	}
	enter_call(k, R_WAITALL);
	behind_enter(k);
	for (size_t i = 0; i < n; i++) {
		const int64_t there = take(k, k->posted.data[i]);
		last = there > last ? there : last;
	}
	wait_until(k, last, k->p->receive);
	before_leave(k);
	for (size_t i = 0; i < n; i++)
		note(k, EV_RECV, 1, k->posted.data[i], first + (int64_t)i, k->posted_bytes);
	leave_call(k, R_WAITALL);
	k->posted.n = 0;
	return true;
}

static bool do_sendrecv(struct runner *k, const struct aid_step *s)
{
	/* Both halves: the send first, once. */
	if (!k->in_call) {
		enter_call(k, R_SENDRECV);
		note(k, EV_SEND, 0, s->partner, 0, s->bytes);
		behind_enter(k);
		depart(k, s->partner);
		k->in_call = true;
	}
	if (!has_message(k, s->partner2, 0))
		return false;
	wait_until(k, take(k, s->partner2), k->p->receive);
	before_leave(k);
	note(k, EV_RECV, 0, s->partner2, 0, s->bytes);
	leave_call(k, R_SENDRECV);
	k->in_call = false;
	return true;
}

static bool do_self(struct runner *k)
{
	const struct aid_step s = { AID_SEND, (int)k->rank, 0, 40000, 8 };

	do_send(k, &s);
	k->from[k->rank].taken++;
	enter_call(k, R_RECV);
	behind_enter(k);
	k->now += k->p->receive;
	before_leave(k);
	note(k, EV_RECV, 0, (int)k->rank, 0, 8);
	leave_call(k, R_RECV);
	return true;
}

/* True with the time at which the others let it go, and the least time it takes. */
static bool others_are_there(const struct runner *k, const struct aid_step *s, int64_t *time,
			     int64_t *least)
{
	const uint32_t root = (uint32_t)s->partner, n = k->p->ranks;
	const bool bcast = s->op == AID_BCAST, reduce = s->op == AID_REDUCE;
	const bool scan = s->op == AID_SCAN, all = !bcast && !reduce && !scan;
	/* whom it waits for, itself among them where that changes nothing */
	const uint32_t from = bcast ? root : 0, to = bcast ? root + 1 : scan ? k->rank : n;
	const bool waits = all || (bcast && k->rank != root) || (reduce && k->rank == root) ||
			   (scan && k->rank > 0);

	*time = 0;
	*least = all ? 0 : k->p->receive;
	for (uint32_t i = from; i < to && waits; i++) {
		const int64_t begun = k->run->runners[i].begun[k->collectives];
		if (i == root && reduce)
			continue;
		if (begun < 0)
			return false;
		if (begun > *time)
			*time = begun;
	}
	if (waits)
		*time += bcast ? k->p->latency : k->p->sync;
	return true;
}

static bool do_flush(struct runner *k, const struct aid_step *s)
{
	record(k, EV_ENTER, R_FLUSH, k->p->call);
	spend(k, s->ticks);
	record(k, EV_LEAVE, R_FLUSH, k->p->call);
	return true;
}

static bool do_collective(struct runner *k, const struct aid_step *s)
{
	const uint32_t region = R_BARRIER + (uint32_t)(s->op - AID_BARRIER);
	int64_t time, least;

	assert(k->collectives < COLLECTIVES);
	if (!k->in_call) {
		enter_call(k, region);
		note(k, EV_COLLECTIVE_BEGIN, region, s->partner, 0, s->bytes);
		behind_enter(k);
		if (s->ticks)
			do_flush(k, s);
		k->begun[k->collectives] = k->now;
		k->in_call = true;
	}
	if (!others_are_there(k, s, &time, &least))
		return false;
	wait_until(k, time, least);
	before_leave(k);
	note(k, EV_COLLECTIVE_END, region, s->partner, 0, s->bytes);
	leave_call(k, region);
	k->in_call = false;
	k->collectives++;
	return true;
}

static bool do_function(struct runner *k, const struct aid_step *s)
{
	if (k->skipping && !k->p->note) {
		k->now += s->ticks;
		return true;
	}
	record(k, EV_ENTER, (uint32_t)s->partner, function_cost(k, s->partner));
	k->now += s->ticks;
	record(k, EV_LEAVE, (uint32_t)s->partner, function_cost(k, s->partner));
	return true;
}

static bool do_level(struct runner *k, const struct aid_step *s)
{
	const bool opens = s->op == AID_OPEN;

	if (k->skipping && !k->p->note)
		k->opened = opens ? s->partner + 1 : 0;
	else
		record(k, opens ? EV_ENTER : EV_LEAVE, (uint32_t)s->partner,
		       function_cost(k, s->partner));
	return true;
}

/* False where it has to wait for others. */
static bool do_step(struct runner *k)
{
	const struct aid_step *s = &k->p->steps[k->rank].data[k->at];

	switch (s->op) {
	case AID_WORK: k->now += s->ticks; return true;
	case AID_FUNCTION: return do_function(k, s);
	case AID_OPEN:
	case AID_CLOSE: return do_level(k, s);
	case AID_INTERRUPT: spend(k, s->ticks); return true;
	case AID_FLUSH: return do_flush(k, s);
	case AID_SEND: return do_send(k, s);
	case AID_RECV: return do_recv(k, s);
	case AID_IRECV: return do_irecv(k, s);
	case AID_WAITALL: return do_waitall(k);
	case AID_SENDRECV: return do_sendrecv(k, s);
	case AID_SELF: return do_self(k);
	default: return do_collective(k, s);
	}
}

void aid_pass_begin(struct aid_pass *r, const struct aid_program *p, bool measured)
{
	bool moved = true;

	*r = (struct aid_pass){ p, measured, xcalloc(p->ranks, sizeof *r->runners), 0 };
	for (uint32_t i = 0; i < p->ranks; i++) {
		struct runner *k = &r->runners[i];
		*k = (struct runner){ .run = r, .p = p, .rank = i };
		k->from = xcalloc(p->ranks, sizeof *k->from);
		k->random = p->seed * 0x9e3779b97f4a7c15u + i + 1;
		memset(k->begun, -1, sizeof k->begun);
	}
	while (moved) {
		moved = false;
		for (struct runner *k = r->runners; k < r->runners + p->ranks; k++)
			while (k->at < p->steps[k->rank].n && do_step(k)) {
				k->at++;
				moved = true;
			}
	}
	for (struct runner *k = r->runners; k < r->runners + p->ranks; k++) {
		assert(k->at == p->steps[k->rank].n); /* else the program waits for itself */
		if (k->skipping && !k->p->note) {     /* nothing ends it: it is empty */
			k->now = vec_last(&k->notes)->time;
			note(k, EV_LEAVE, R_UNRECORDED, 0, 0, 0);
		}
	}
}

void aid_pass_end(struct aid_pass *r)
{
	for (struct runner *k = r->runners; k < r->runners + r->p->ranks; k++) {
		for (uint32_t i = 0; i < r->p->ranks; i++)
			vec_fini(&k->from[i].departures);
		vec_fini(&k->notes);
		vec_fini(&k->posted);
		free(k->from);
	}
	free(r->runners);
}

const aid_notes *aid_pass_notes(const struct aid_pass *r, uint32_t rank)
{
	return &r->runners[rank].notes;
}
