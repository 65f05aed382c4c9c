#include "patterns/kinds/waiting_run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "harness/random.h"

static const struct {
	const char *name;
	enum region_class cls;
} names[WAITING_ALL_CALLS] = {
	[WAITING_INIT] = { "MPI_Init", CLASS_MPI_OTHER },
	[WAITING_FINALIZE] = { "MPI_Finalize", CLASS_MPI_OTHER },
	[WAITING_SEND] = { "MPI_Send", CLASS_P2P },
	[WAITING_SSEND] = { "MPI_Ssend", CLASS_P2P },
	[WAITING_RECV] = { "MPI_Recv", CLASS_P2P },
	[WAITING_ISEND] = { "MPI_Isend", CLASS_P2P },
	[WAITING_IRECV] = { "MPI_Irecv", CLASS_P2P },
	[WAITING_WAIT] = { "MPI_Wait", CLASS_P2P },
	[WAITING_WAITALL] = { "MPI_Waitall", CLASS_P2P },
	[WAITING_PROBE] = { "MPI_Probe", CLASS_P2P },
	[WAITING_IPROBE] = { "MPI_Iprobe", CLASS_P2P },
	[WAITING_BARRIER] = { "MPI_Barrier", CLASS_SYNC },
	[WAITING_ALLREDUCE] = { "MPI_Allreduce", CLASS_COLLECTIVE },
	[WAITING_BCAST] = { "MPI_Bcast", CLASS_COLLECTIVE },
	[WAITING_REDUCE] = { "MPI_Reduce", CLASS_COLLECTIVE },
	[WAITING_DUP] = { "MPI_Comm_dup", CLASS_MPI_OTHER },
	[WAITING_OPEN] = { "MPI_File_open", CLASS_IO },
	[WAITING_SCAN] = { "MPI_Scan", CLASS_COLLECTIVE },
	[WAITING_NEIGHBOURS] = { "MPI_Neighbor_allgather", CLASS_COLLECTIVE },
};

static void enter(struct waiting_run *run, uint32_t l, enum waiting_call call)
{
	builder_enter(run->b, l, run->now[l], run->calls[call]);
}

static void leave(struct waiting_run *run, uint32_t l, enum waiting_call call)
{
	builder_leave(run->b, l, run->now[l], run->calls[call]);
}

static void until(struct waiting_run *run, uint32_t l, int64_t t)
{
	if (run->now[l] < t)
		run->now[l] = t;
}

static void make_line(struct waiting_run *run)
{
	const int32_t size = (int32_t)run->n;
	const uint8_t periodic = 0;
	int32_t ranks[WAITING_LOCATIONS];

	for (int32_t r = 0; r < size; r++)
		ranks[r] = r;
	run->line = builder_comm(run->b, "line", ranks, run->n, 2);
	builder_topology(run->b,
			 &(struct topology){ .name = builder_string(run->b, "line", 4),
					     .comm = run->line,
					     .dims = 1,
					     .size = &size,
					     .periodic = &periodic,
					     .coords = ranks },
			 run->n);
}

/* The begin of the latest of a rank and its neighbours. */
static int64_t latest_beside(const int64_t *begins, uint32_t n, uint32_t l)
{
	int64_t latest = begins[l];

	if (l > 0 && begins[l - 1] > latest)
		latest = begins[l - 1];
	return l + 1 < n && begins[l + 1] > latest ? begins[l + 1] : latest;
}

void waiting_begin(struct waiting_run *run, uint32_t n, bool init)
{
	int32_t ranks[WAITING_LOCATIONS];
	struct err err = ERR_INIT;
	char name[24];

	assert(n <= WAITING_LOCATIONS);
	memset(run, 0, sizeof *run);
	run->n = n;
	run->b = builder_new("waiting", &(struct timescale){ 1000000, 6 }, &err);
	for (uint32_t l = 0; l < n; l++) {
		builder_location(run->b, &(struct location){ .rank = (int32_t)l, .process = -1 });
		ranks[l] = (int32_t)(2 * l);
	}
	run->even = builder_comm(run->b, "even", ranks, (n + 1) / 2, 1);
	make_line(run);
	for (int w = 0; w < WAITING_WORKS; w++) {
		snprintf(name, sizeof name, "work_%d", w);
		run->works[w] =
			builder_site(run->b, builder_region(run->b, name, CLASS_USER, 1 + w), 0, 0,
				     1 + w);
	}
	for (int c = 0; c < WAITING_ALL_CALLS; c++) {
		run->regions[c] = builder_region(run->b, names[c].name, names[c].cls, 100 + c);
		run->calls[c] = builder_site(run->b, run->regions[c], 0, 0, 100 + c);
	}
	for (uint32_t l = 0; init && l < n; l++) {
		enter(run, l, WAITING_INIT);
		leave(run, l, WAITING_INIT);
	}
}

void waiting_work(struct waiting_run *run, uint32_t l, uint32_t work, int64_t ticks)
{
	builder_enter(run->b, l, run->now[l], run->works[work]);
	run->now[l] += ticks;
	builder_leave(run->b, l, run->now[l], run->works[work]);
}

void waiting_idle(struct waiting_run *run, uint32_t l, int64_t ticks)
{
	enter(run, l, WAITING_SEND);
	run->now[l] += ticks;
	leave(run, l, WAITING_SEND);
}

static struct message_end end_of(uint32_t peer, int64_t request, uint16_t flags)
{
	return (struct message_end){ .rank = (int32_t)peer,
				     .process = -1,
				     .tag = 1,
				     .bytes = 8,
				     .flags = flags,
				     .has_request = request != 0,
				     .request = request };
}

void waiting_message(struct waiting_run *run, uint32_t from, uint32_t to, bool synchronous)
{
	const struct message_end out = end_of(to, 0, 0), in = end_of(from, 0, 0);
	const enum waiting_call call = synchronous ? WAITING_SSEND : WAITING_SEND;
	const int64_t sent = run->now[from], posted = run->now[to];

	enter(run, from, call);
	builder_send(run->b, from, run->now[from], &out);
	enter(run, to, WAITING_RECV);
	until(run, to, sent);
	builder_recv(run->b, to, run->now[to], &in);
	leave(run, to, WAITING_RECV);
	if (synchronous && run->now[from] < posted)
		run->now[from] = posted + 1;
	leave(run, from, call);
}

/* Looks of 7 ticks, 13 apart. */
static void poll(struct waiting_run *run, uint32_t l, int64_t sent)
{
	builder_enter(run->b, l, run->now[l], run->works[3]);
	do {
		enter(run, l, WAITING_IPROBE);
		run->now[l] += 7;
		leave(run, l, WAITING_IPROBE);
		run->now[l] += 13;
	} while (run->now[l] - 13 < sent);
	builder_leave(run->b, l, run->now[l], run->works[3]);
}

void waiting_probed(struct waiting_run *run, uint32_t from, uint32_t to, bool polls)
{
	const int64_t sent = run->now[from];

	if (polls) {
		poll(run, to, sent);
	} else {
		enter(run, to, WAITING_PROBE);
		until(run, to, sent);
		leave(run, to, WAITING_PROBE);
	}
	waiting_message(run, from, to, false);
}

void waiting_post(struct waiting_run *run, uint32_t from, uint32_t to)
{
	const int64_t request = ++run->request;
	const struct message_end in = end_of(from, request, MSG_RECV_REQUEST),
				 out = end_of(to, 0, 0);

	if (run->n_posted[to] == WAITING_POSTED)
		waiting_complete(run, to);
	enter(run, to, WAITING_IRECV);
	builder_recv_request(run->b, to, run->now[to], &in);
	leave(run, to, WAITING_IRECV);
	enter(run, from, WAITING_SEND);
	builder_send(run->b, from, run->now[from], &out);
	leave(run, from, WAITING_SEND);
	run->posted[to][run->n_posted[to]++] =
		(struct waiting_posted){ from, request, run->now[from] };
}

void waiting_complete(struct waiting_run *run, uint32_t l)
{
	if (run->n_posted[l] == 0)
		return;
	enter(run, l, WAITING_WAITALL);
	for (uint32_t i = 0; i < run->n_posted[l]; i++)
		until(run, l, run->posted[l][i].arrives);
	for (uint32_t i = 0; i < run->n_posted[l]; i++) {
		const struct message_end in =
			end_of(run->posted[l][i].from, run->posted[l][i].request, MSG_RECV_REQUEST);
		builder_recv(run->b, l, run->now[l], &in);
	}
	leave(run, l, WAITING_WAITALL);
	run->n_posted[l] = 0;
}

/* MPI_Isend, `ticks` of work 0, MPI_Wait until the receiver has come to its receive. */
static void waiting_isend(struct waiting_run *run, uint32_t from, uint32_t to, int64_t ticks)
{
	const int64_t request = ++run->request, sent = run->now[from], posted = run->now[to];
	const struct message_end out = end_of(to, request, MSG_SEND_REQUEST),
				 in = end_of(from, 0, 0);

	enter(run, from, WAITING_ISEND);
	builder_send(run->b, from, run->now[from], &out);
	leave(run, from, WAITING_ISEND);
	waiting_work(run, from, 0, ticks);
	enter(run, to, WAITING_RECV);
	until(run, to, sent);
	builder_recv(run->b, to, run->now[to], &in);
	leave(run, to, WAITING_RECV);
	enter(run, from, WAITING_WAIT);
	if (run->now[from] < posted)
		run->now[from] = posted + 1;
	builder_send_complete(run->b, from, run->now[from], request, 0);
	leave(run, from, WAITING_WAIT);
}

void waiting_collective(struct waiting_run *run, enum waiting_call call, bool even, uint32_t root)
{
	const uint32_t step = even ? 2 : 1;
	const bool rooted = call == WAITING_BCAST || call == WAITING_REDUCE;
	const uint64_t bytes =
		call == WAITING_BARRIER || call == WAITING_DUP || call == WAITING_OPEN ? 0 : 8;
	int64_t latest = 0, before = 0, begin_root = run->now[root];
	int64_t begins[WAITING_LOCATIONS];
	const uint32_t comm = even ? run->even : call == WAITING_NEIGHBOURS ? run->line : 0;

	memcpy(begins, run->now, sizeof begins);
	for (uint32_t l = 0; l < run->n; l += step) {
		enter(run, l, call);
		builder_collective_begin(run->b, l, run->now[l], comm, run->regions[call],
					 rooted ? (int32_t)root : -1, bytes, bytes);
		latest = run->now[l] > latest ? run->now[l] : latest;
	}
	for (uint32_t l = 0; l < run->n; l += step) {
		before = run->now[l] > before ? run->now[l] : before;
		if (call == WAITING_SCAN)
			until(run, l, before);
		else if (call == WAITING_NEIGHBOURS)
			until(run, l, latest_beside(begins, run->n, l));
		else if (!rooted || (call == WAITING_REDUCE && l == root))
			until(run, l, latest);
		else if (call == WAITING_BCAST)
			until(run, l, begin_root);
		builder_collective_end(run->b, l, run->now[l], bytes, bytes);
		leave(run, l, call);
	}
}

struct trace *waiting_end(struct waiting_run *run, bool finalize)
{
	struct err err = ERR_INIT;
	struct trace *trace;
	int64_t latest = 0;

	for (uint32_t l = 0; l < run->n; l++) {
		waiting_complete(run, l);
		latest = run->now[l] > latest ? run->now[l] : latest;
	}
	for (uint32_t l = 0; finalize && l < run->n; l++) {
		enter(run, l, WAITING_FINALIZE);
		until(run, l, latest);
		leave(run, l, WAITING_FINALIZE);
	}
	trace = builder_finish(run->b, &(struct builder_options){ .jobs = 1 }, NULL, &err);
	assert(trace);
	return trace;
}

/* ---- random ---- */

struct trace *waiting_random(uint64_t seed, uint32_t locations, uint32_t steps)
{
	uint64_t r = seed * 0x9e3779b97f4a7c15u + 1;
	struct waiting_run run;

	for (int i = 0; i < 8; i++)
		xorshift_below(&r, 2);
	waiting_begin(&run, locations, xorshift_below(&r, 4) != 0);
	for (uint32_t i = 0; i < steps; i++) {
		const uint32_t a = (uint32_t)xorshift_below(&r, locations);
		const uint32_t b =
			(a + 1 + (uint32_t)xorshift_below(&r, locations - 1)) % locations;
		const uint64_t what = xorshift_below(&r, 32);
		if (what < 12)
			waiting_work(&run, a, (uint32_t)xorshift_below(&r, WAITING_WORKS),
				     (int64_t)xorshift_below(&r, 1000));
		else if (what < 20)
			waiting_message(&run, a, b, xorshift_below(&r, 3) == 0);
		else if (what < 24)
			waiting_post(&run, a, b);
		else if (what < 26)
			waiting_complete(&run, a);
		else if (what < 28)
			waiting_isend(&run, a, b, (int64_t)xorshift_below(&r, 100));
		else if (what < 30) {
			const enum waiting_call call = (enum waiting_call)(
				WAITING_BARRIER +
				xorshift_below(&r, WAITING_ALL_CALLS - WAITING_BARRIER));
			const bool even = xorshift_below(&r, 2) != 0 && call != WAITING_NEIGHBOURS;
			waiting_collective(&run, call, even, even ? a / 2 * 2 : a);
		} else {
			waiting_probed(&run, a, b, what == 31);
		}
	}
	return waiting_end(&run, xorshift_below(&r, 4) != 0);
}

/* ---- impossible ---- */

static void impossible_half(struct waiting_run *run, uint32_t l, int64_t begin)
{
	const struct message_end end = {
		.rank = (int32_t)(1 - l), .process = -1, .tag = 1, .bytes = 8
	};

	builder_enter(run->b, l, begin, run->calls[WAITING_RECV]);
	builder_recv(run->b, l, begin + 9, &end);
	builder_leave(run->b, l, begin + 10, run->calls[WAITING_RECV]);
	builder_enter(run->b, l, begin + 11, run->calls[WAITING_SEND]);
	builder_send(run->b, l, begin + 11, &end);
	builder_leave(run->b, l, begin + 12, run->calls[WAITING_SEND]);
	run->now[l] = begin + 12;
}

struct trace *waiting_impossible(uint32_t rounds)
{
	struct waiting_run run;

	waiting_begin(&run, 2, true);
	for (uint32_t i = 0; i < rounds; i++) {
		impossible_half(&run, 0, 1 + 20 * i);
		impossible_half(&run, 1, 1 + 20 * i);
	}
	return waiting_end(&run, true);
}
