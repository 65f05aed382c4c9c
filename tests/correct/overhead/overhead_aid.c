#include "correct/overhead/overhead_aid.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/build/builder.h"

enum { ANY_TAG = 7, COLLECTIVES = 1024 };

static const struct timescale picoseconds = { 1000000000000, 12 };

/* An event as the trace will have it. */
struct note {
	int64_t time;
	enum event_kind kind;
	uint32_t region; /* index in regions[], or 0 */
	int peer;
	int64_t request;
	uint64_t bytes;
};

typedef VEC(struct note) notes;

struct message_queue {
	VEC(int64_t) departures;
	size_t taken;
};

/* One run of the program, measured or not. */
struct run {
	const struct aid_program *p;
	bool measured;
	int64_t *now;   /* [ranks] */
	size_t *at;     /* [ranks] next step */
	bool *skipping; /* [ranks] */
	int *opened;    /* [ranks] 1 + function opened in the segment without probes */
	bool *in_call;  /* [ranks] its enter is recorded */
	notes *notes;   /* [ranks] */
	struct message_queue *queues; /* [from * ranks + to] */
	VEC(int) * posted;            /* [ranks] partners */
	uint64_t *posted_bytes;       /* [ranks] */
	int64_t *next_request;        /* [ranks] */
	uint64_t *random;             /* [ranks] */
	int64_t wait;
	/* the collective under way: all ranks pass the same ones in the same order */
	int64_t (*begun)[COLLECTIVES]; /* [ranks] time of the nth collective's begin, -1 not yet */
	uint32_t *collectives;         /* [ranks] passed */
};

static const char *const region_names[] = {
	"f0",
	"f1",
	"f2",
	"f3",
	"MPI_Send",
	"MPI_Recv",
	"MPI_Irecv",
	"MPI_Waitall",
	"MPI_Sendrecv",
	"MPI_Barrier",
	"MPI_Allreduce",
	"MPI_Bcast",
	"MPI_Reduce",
	"MPI_Scan",
	"flush",
	"tview_unrecorded",
};
enum {
	R_SEND = AID_FUNCTIONS,
	R_RECV,
	R_IRECV,
	R_WAITALL,
	R_SENDRECV,
	R_BARRIER,
	R_ALLREDUCE,
	R_BCAST,
	R_REDUCE,
	R_SCAN,
	R_FLUSH,
	R_UNRECORDED,
	REGIONS
};

uint64_t aid_below(uint64_t *state, uint64_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1du % n;
}

/* ---- programs ---- */

struct aid_program *aid_new(uint32_t ranks)
{
	struct aid_program *p = xcalloc(1, sizeof *p);

	p->ranks = ranks;
	p->steps = xcalloc(ranks, sizeof *p->steps);
	p->latency = 900000;
	p->receive = 120000;
	p->sync = 700000;
	p->seed = 1;
	return p;
}

void aid_free(struct aid_program *p)
{
	for (uint32_t r = 0; r < p->ranks; r++)
		vec_fini(&p->steps[r]);
	free_all(p->steps, p);
}

void aid_add(struct aid_program *p, uint32_t rank, struct aid_step step)
{
	vec_push(&p->steps[rank], step);
}

void aid_call(struct aid_program *p, uint32_t rank, int function, int64_t ticks, int n)
{
	for (int i = 0; i < n; i++)
		aid_add(p, rank, (struct aid_step){ AID_FUNCTION, function, 0, ticks, 0 });
}

/* ---- recording ---- */

static void note(struct run *r, uint32_t rank, enum event_kind kind, uint32_t region, int peer,
		 int64_t request, uint64_t bytes)
{
	vec_push(&r->notes[rank],
		 ((struct note){ r->now[rank], kind, region, peer, request, bytes }));
}

/* A record: half of its cost before the stamp, half behind it. */
static void record(struct run *r, uint32_t rank, enum event_kind kind, uint32_t region,
		   int64_t cost)
{
	if (r->measured)
		r->now[rank] += cost / 2;
	note(r, rank, kind, region, 0, 0, 0);
	if (r->measured)
		r->now[rank] += cost - cost / 2;
}

/* The enter of an MPI call ends the segment. */
static void enter_call(struct run *r, uint32_t rank, uint32_t region)
{
	if (r->measured)
		r->now[rank] += r->p->call / 2;
	if (r->skipping[rank])
		note(r, rank, EV_LEAVE, R_UNRECORDED, 0, 0, 0);
	if (r->opened[rank]) /* what is open behind a gap was entered at its end */
		note(r, rank, EV_ENTER, (uint32_t)r->opened[rank] - 1, 0, 0, 0);
	r->opened[rank] = 0;
	r->skipping[rank] = false;
	note(r, rank, EV_ENTER, region, 0, 0, 0);
}

static void behind_enter(struct run *r, uint32_t rank)
{
	if (r->measured)
		r->now[rank] += r->p->call - r->p->call / 2;
}

static void before_leave(struct run *r, uint32_t rank)
{
	if (r->measured)
		r->now[rank] += r->p->call / 2;
}

/* A level that the segment to come will leave before it enters one: 1 + function, 0 none. */
static int will_close(const struct run *r, uint32_t rank)
{
	for (size_t i = r->at[rank] + 1; i < r->p->steps[rank].n; i++) {
		const struct aid_step *s = &r->p->steps[rank].data[i];
		if (s->op == AID_CLOSE)
			return s->partner + 1;
		if (s->op == AID_OPEN || s->op > AID_FLUSH)
			return 0;
	}
	return 0;
}

static void leave_call(struct run *r, uint32_t rank, uint32_t region)
{
	note(r, rank, EV_LEAVE, region, 0, 0, 0);
	/* The same draw in both runs. */
	r->skipping[rank] = (double)aid_below(&r->random[rank], 1000000) < r->p->skip * 1e6;
	if (r->skipping[rank]) {
		const int closes = will_close(r, rank);
		if (closes)
			note(r, rank, EV_LEAVE, (uint32_t)closes - 1, 0, 0, 0);
		note(r, rank, EV_ENTER, R_UNRECORDED, 0, 0, 0);
	}
	if (r->measured)
		r->now[rank] += r->p->call - r->p->call / 2;
}

/* ---- steps ---- */

static struct message_queue *queue(struct run *r, uint32_t from, uint32_t to)
{
	return &r->queues[from * r->p->ranks + to];
}

static void depart(struct run *r, uint32_t from, uint32_t to, uint64_t bytes)
{
	struct message_queue *q = queue(r, from, to);

	(void)bytes;
	vec_push(&q->departures, r->now[from]);
}

static bool has_message(struct run *r, uint32_t from, uint32_t to, size_t ahead)
{
	struct message_queue *q = queue(r, from, to);

	return q->taken + ahead < q->departures.n;
}

/* When a message that is taken now is there. */
static int64_t take(struct run *r, uint32_t from, uint32_t to)
{
	struct message_queue *q = queue(r, from, to);

	return q->departures.data[q->taken++] + r->p->latency;
}

static void wait_until(struct run *r, uint32_t rank, int64_t time, int64_t least)
{
	if (r->now[rank] + least > time)
		time = r->now[rank] + least;
	r->wait += time - r->now[rank];
	r->now[rank] = time;
}

static bool do_send(struct run *r, uint32_t rank, const struct aid_step *s)
{
	enter_call(r, rank, R_SEND);
	note(r, rank, EV_SEND, 0, s->partner, 0, s->bytes);
	behind_enter(r, rank);
	depart(r, rank, (uint32_t)s->partner, s->bytes);
	r->now[rank] += s->ticks;
	before_leave(r, rank);
	leave_call(r, rank, R_SEND);
	return true;
}

static bool do_recv(struct run *r, uint32_t rank, const struct aid_step *s)
{
	const uint32_t from = (uint32_t)s->partner;

	if (!has_message(r, from, rank, 0))
		return false;
	enter_call(r, rank, R_RECV);
	behind_enter(r, rank);
	wait_until(r, rank, take(r, from, rank), r->p->receive);
	before_leave(r, rank);
	note(r, rank, EV_RECV, 0, s->partner, 0, s->bytes);
	leave_call(r, rank, R_RECV);
	return true;
}

static bool do_irecv(struct run *r, uint32_t rank, const struct aid_step *s)
{
	enter_call(r, rank, R_IRECV);
	note(r, rank, EV_RECV_REQUEST, 0, s->partner, ++r->next_request[rank], s->bytes);
	behind_enter(r, rank);
	r->now[rank] += 50000;
	before_leave(r, rank);
	leave_call(r, rank, R_IRECV);
	vec_push(&r->posted[rank], s->partner);
	r->posted_bytes[rank] = s->bytes;
	return true;
}

static bool do_waitall(struct run *r, uint32_t rank)
{
	const size_t n = r->posted[rank].n;
	const int64_t first = r->next_request[rank] - (int64_t)n + 1;
	int64_t last = 0;

	for (size_t i = 0; i < n; i++) {
		size_t ahead = 0;
		for (size_t k = 0; k < i; k++)
			ahead += r->posted[rank].data[k] == r->posted[rank].data[i];
		if (!has_message(r, (uint32_t)r->posted[rank].data[i], rank, ahead))
			return false;
	}
	enter_call(r, rank, R_WAITALL);
	behind_enter(r, rank);
	for (size_t i = 0; i < n; i++) {
		const int64_t there = take(r, (uint32_t)r->posted[rank].data[i], rank);
		last = there > last ? there : last;
	}
	wait_until(r, rank, last, r->p->receive);
	before_leave(r, rank);
	for (size_t i = 0; i < n; i++)
		note(r, rank, EV_RECV, 1, r->posted[rank].data[i], first + (int64_t)i,
		     r->posted_bytes[rank]);
	leave_call(r, rank, R_WAITALL);
	r->posted[rank].n = 0;
	return true;
}

static bool do_sendrecv(struct run *r, uint32_t rank, const struct aid_step *s)
{
	const uint32_t from = (uint32_t)s->partner2;

	/* Both halves: the send first, once. */
	if (!r->in_call[rank]) {
		enter_call(r, rank, R_SENDRECV);
		note(r, rank, EV_SEND, 0, s->partner, 0, s->bytes);
		behind_enter(r, rank);
		depart(r, rank, (uint32_t)s->partner, s->bytes);
		r->in_call[rank] = true;
	}
	if (!has_message(r, from, rank, 0))
		return false;
	wait_until(r, rank, take(r, from, rank), r->p->receive);
	before_leave(r, rank);
	note(r, rank, EV_RECV, 0, s->partner2, 0, s->bytes);
	leave_call(r, rank, R_SENDRECV);
	r->in_call[rank] = false;
	return true;
}

static bool do_self(struct run *r, uint32_t rank)
{
	const struct aid_step s = { AID_SEND, (int)rank, 0, 40000, 8 };

	do_send(r, rank, &s);
	queue(r, rank, rank)->taken++;
	enter_call(r, rank, R_RECV);
	behind_enter(r, rank);
	r->now[rank] += r->p->receive;
	before_leave(r, rank);
	note(r, rank, EV_RECV, 0, (int)rank, 0, 8);
	leave_call(r, rank, R_RECV);
	return true;
}

/* The latest begin of ranks from .. to - 1 in the nth collective, -1 where one is missing. */
static int64_t latest_begin(const struct run *r, uint32_t nth, uint32_t from, uint32_t to,
			    uint32_t except)
{
	int64_t latest = 0;

	for (uint32_t i = from; i < to; i++) {
		if (i == except)
			continue;
		if (r->begun[i][nth] < 0)
			return -1;
		if (r->begun[i][nth] > latest)
			latest = r->begun[i][nth];
	}
	return latest;
}

/* True with the time at which the others let it go, and the least time it takes. */
static bool others_are_there(const struct run *r, uint32_t rank, const struct aid_step *s,
			     uint32_t nth, int64_t *time, int64_t *least)
{
	const uint32_t root = (uint32_t)s->partner, n = r->p->ranks;

	*least = r->p->receive;
	switch (s->op) {
	case AID_BCAST:
		*time = rank == root ? 0 : latest_begin(r, nth, root, root + 1, n);
		if (*time >= 0 && rank != root)
			*time += r->p->latency;
		break;
	case AID_REDUCE:
		*time = rank == root ? latest_begin(r, nth, 0, n, root) : 0;
		if (rank == root && *time >= 0)
			*time += r->p->sync;
		break;
	case AID_SCAN:
		*time = rank ? latest_begin(r, nth, 0, rank, n) : 0;
		if (rank && *time >= 0)
			*time += r->p->sync;
		break;
	default:
		*time = latest_begin(r, nth, 0, n, n);
		if (*time >= 0)
			*time += r->p->sync;
		*least = 0;
	}
	return *time >= 0;
}

static bool do_flush(struct run *r, uint32_t rank, const struct aid_step *s)
{
	record(r, rank, EV_ENTER, R_FLUSH, r->p->call);
	if (r->measured)
		r->now[rank] += s->ticks;
	record(r, rank, EV_LEAVE, R_FLUSH, r->p->call);
	return true;
}

static bool do_collective(struct run *r, uint32_t rank, const struct aid_step *s)
{
	const uint32_t region = R_BARRIER + (uint32_t)(s->op - AID_BARRIER);
	const uint32_t nth = r->collectives[rank];
	int64_t time, least;

	assert(nth < COLLECTIVES);
	if (!r->in_call[rank]) {
		enter_call(r, rank, region);
		note(r, rank, EV_COLLECTIVE_BEGIN, region, s->partner, 0, s->bytes);
		behind_enter(r, rank);
		if (s->ticks)
			do_flush(r, rank, s);
		r->begun[rank][nth] = r->now[rank];
		r->in_call[rank] = true;
	}
	if (!others_are_there(r, rank, s, nth, &time, &least))
		return false;
	wait_until(r, rank, time, least);
	before_leave(r, rank);
	note(r, rank, EV_COLLECTIVE_END, region, s->partner, 0, s->bytes);
	leave_call(r, rank, region);
	r->in_call[rank] = false;
	r->collectives[rank]++;
	return true;
}

static bool do_function(struct run *r, uint32_t rank, const struct aid_step *s)
{
	const int64_t cost = r->p->function[s->partner];

	if (r->skipping[rank]) {
		r->now[rank] += s->ticks;
		return true;
	}
	record(r, rank, EV_ENTER, (uint32_t)s->partner, cost);
	r->now[rank] += s->ticks;
	record(r, rank, EV_LEAVE, (uint32_t)s->partner, cost);
	return true;
}

static bool do_level(struct run *r, uint32_t rank, const struct aid_step *s)
{
	const bool opens = s->op == AID_OPEN;

	if (r->skipping[rank])
		r->opened[rank] = opens ? s->partner + 1 : 0;
	else
		record(r, rank, opens ? EV_ENTER : EV_LEAVE, (uint32_t)s->partner,
		       r->p->function[s->partner]);
	return true;
}

/* False where it has to wait for others. */
static bool do_step(struct run *r, uint32_t rank)
{
	const struct aid_step *s = &r->p->steps[rank].data[r->at[rank]];

	switch (s->op) {
	case AID_WORK: r->now[rank] += s->ticks; return true;
	case AID_FUNCTION: return do_function(r, rank, s);
	case AID_OPEN:
	case AID_CLOSE: return do_level(r, rank, s);
	case AID_FLUSH: return do_flush(r, rank, s);
	case AID_SEND: return do_send(r, rank, s);
	case AID_RECV: return do_recv(r, rank, s);
	case AID_IRECV: return do_irecv(r, rank, s);
	case AID_WAITALL: return do_waitall(r, rank);
	case AID_SENDRECV: return do_sendrecv(r, rank, s);
	case AID_SELF: return do_self(r, rank);
	default: return do_collective(r, rank, s);
	}
}

static struct run run_new(const struct aid_program *p, bool measured)
{
	const size_t n = p->ranks;
	struct run r = { .p = p, .measured = measured };

	r.now = xcalloc(n, sizeof *r.now);
	r.at = xcalloc(n, sizeof *r.at);
	r.skipping = xcalloc(n, sizeof *r.skipping);
	r.opened = xcalloc(n, sizeof *r.opened);
	r.in_call = xcalloc(n, sizeof *r.in_call);
	r.notes = xcalloc(n, sizeof *r.notes);
	r.queues = xcalloc(n * n, sizeof *r.queues);
	r.posted = xcalloc(n, sizeof *r.posted);
	r.posted_bytes = xcalloc(n, sizeof *r.posted_bytes);
	r.next_request = xcalloc(n, sizeof *r.next_request);
	r.random = xcalloc(n, sizeof *r.random);
	r.begun = xmalloc(n * sizeof *r.begun);
	memset(r.begun, -1, n * sizeof *r.begun);
	r.collectives = xcalloc(n, sizeof *r.collectives);
	for (size_t i = 0; i < n; i++)
		r.random[i] = p->seed * 0x9e3779b97f4a7c15u + i + 1;
	return r;
}

static void run_all(struct run *r)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < r->p->ranks; i++)
			while (r->at[i] < r->p->steps[i].n && do_step(r, i)) {
				r->at[i]++;
				moved = true;
			}
	}
	for (uint32_t i = 0; i < r->p->ranks; i++) {
		assert(r->at[i] == r->p->steps[i].n); /* else the program waits for itself */
		if (r->skipping[i]) {                 /* nothing ends it: it is empty */
			r->now[i] = vec_last(&r->notes[i])->time;
			note(r, i, EV_LEAVE, R_UNRECORDED, 0, 0, 0);
		}
	}
}

static void run_fini(struct run *r)
{
	for (uint32_t i = 0; i < r->p->ranks; i++) {
		vec_fini(&r->notes[i]);
		vec_fini(&r->posted[i]);
	}
	for (uint32_t i = 0; i < r->p->ranks * r->p->ranks; i++)
		vec_fini(&r->queues[i].departures);
	free_all(r->now, r->at, r->skipping, r->opened, r->in_call, r->notes, r->queues, r->posted,
		 r->posted_bytes, r->next_request, r->random, r->begun, r->collectives);
}

/* ---- traces ---- */

static enum region_class class_of(uint32_t region)
{
	if (region < AID_FUNCTIONS || region == R_UNRECORDED)
		return CLASS_USER;
	if (region == R_FLUSH)
		return CLASS_OVERHEAD;
	if (region == R_BARRIER)
		return CLASS_SYNC;
	return region > R_BARRIER ? CLASS_COLLECTIVE : CLASS_P2P;
}

static void header(struct builder *b, const struct aid_program *p)
{
	const int64_t function = p->loop, call = p->call, mixed = (p->loop + p->call) / 2;
	char text[512];
	int at = 0;

	if (!p->loop)
		return;
	for (int i = 0; i < 16; i++) {
		const bool first = i / 4 < 2, second = i % 4 < 2;
		at += snprintf(text + at, sizeof text - (size_t)at, "%s%" PRId64, i ? " " : "",
			       first && second   ? function
			       : first || second ? mixed
						 : call);
	}
	builder_property(b, "cost-pairs-ps", text);
	builder_property(b, "cost-guard", "inline");
}

static void feed(struct builder *b, uint32_t location, const struct note *n, const uint32_t *sites,
		 const uint32_t *regions)
{
	const struct message_end end = { .rank = n->peer,
					 .process = -1,
					 .tag = ANY_TAG,
					 .bytes = n->bytes,
					 .has_request = n->request != 0,
					 .request = n->request };
	int32_t root = -1;

	switch (n->kind) {
	case EV_ENTER: builder_enter(b, location, n->time, sites[n->region]); break;
	case EV_LEAVE: builder_leave(b, location, n->time, sites[n->region]); break;
	case EV_SEND: builder_send(b, location, n->time, &end); break;
	case EV_RECV: builder_recv(b, location, n->time, &end); break;
	case EV_RECV_REQUEST: builder_recv_request(b, location, n->time, &end); break;
	case EV_COLLECTIVE_BEGIN:
		if (n->region == R_BCAST || n->region == R_REDUCE)
			root = n->peer;
		builder_collective_begin(b, location, n->time, 0, regions[n->region], root,
					 n->bytes, n->bytes);
		break;
	default: builder_collective_end(b, location, n->time, n->bytes, n->bytes);
	}
}

static struct trace *build(const struct run *r)
{
	struct err err = ERR_INIT;
	struct builder *b = builder_new("overhead.trc", &picoseconds, &err);
	uint32_t sites[REGIONS], regions[REGIONS];
	struct trace *trace;

	header(b, r->p);
	for (uint32_t i = 0; i < REGIONS; i++) {
		regions[i] = builder_region(b, region_names[i], class_of(i), (int32_t)i + 1);
		sites[i] = builder_site(b, regions[i], 0, i, (int32_t)i + 1);
	}
	for (uint32_t l = 0; l < r->p->ranks; l++)
		builder_location(b, &(struct location){ .rank = (int32_t)l, .process = -1 });
	for (uint32_t l = 0; l < r->p->ranks; l++)
		for (size_t i = 0; i < r->notes[l].n; i++)
			feed(b, l, &r->notes[l].data[i], sites, regions);
	trace = builder_finish(b, NULL, NULL, &err);
	if (!trace)
		fprintf(stderr, "%s\n", err.text);
	assert(trace);
	return trace;
}

struct aid_trace aid_run(const struct aid_program *p)
{
	struct run truth = run_new(p, false), measured = run_new(p, true);
	struct aid_trace t = { .truth = xcalloc(p->ranks, sizeof *t.truth) };

	run_all(&truth);
	run_all(&measured);
	t.trace = build(&measured);
	t.true_wait = truth.wait;
	for (uint32_t l = 0; l < p->ranks; l++) {
		const size_t n = truth.notes[l].n;
		assert(n == measured.notes[l].n);
		t.truth[l] = xmalloc((n + 1) * sizeof **t.truth);
		for (size_t i = 0; i < n; i++)
			t.truth[l][i] = truth.notes[l].data[i].time;
		if (n && t.truth[l][n - 1] > t.true_span)
			t.true_span = t.truth[l][n - 1];
	}
	run_fini(&truth);
	run_fini(&measured);
	return t;
}

void aid_trace_fini(struct aid_trace *t)
{
	for (uint32_t l = 0; l < trace_location_count(t->trace); l++)
		free(t->truth[l]);
	free(t->truth);
	trace_free(t->trace);
}

int64_t aid_error(const struct aid_trace *t, enum time_base base)
{
	struct cursor c;
	int64_t worst = 0, zero;

	cursor_first(&c, t->trace, base, 0);
	zero = cursor_time(&c) - t->truth[0][0];
	for (uint32_t l = 0; l < trace_location_count(t->trace); l++) {
		size_t i = 0;
		for (bool ok = cursor_first(&c, t->trace, base, l); ok; ok = cursor_next(&c), i++) {
			const int64_t off = cursor_time(&c) - zero - t->truth[l][i];
			worst = llabs(off) > worst ? llabs(off) : worst;
		}
	}
	return worst;
}
