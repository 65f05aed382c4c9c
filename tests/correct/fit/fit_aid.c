#include "correct/fit/fit_aid.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "harness/random.h"
#include "model/build/builder.h"

enum { WALK_STEPS = 256, BOTH_ENDS = 2, OTHER_TAG = 100 };

enum what { SEND, RECV, BEGIN, END, ENTER, LEAVE };

struct happening {
	double t; /* ns, true */
	enum what what;
	uint32_t which; /* partner, operation, region */
	int tag;
	int32_t root;
};

struct rank {
	VEC(struct happening) events;
	double now;
	/* its clock */
	double offset, drift, amplitude, period, phase, step_at, step;
	double *walk; /* [WALK_STEPS + 1] */
};

struct world {
	const struct aid_run *run;
	struct rng rng;
	struct rank *ranks;
	uint32_t n, columns; /* of the grid */
	double end;
};

enum { REGION_MAIN, REGION_INIT, REGION_FINALIZE, REGIONS };
enum { OP_BARRIER, OP_BCAST, OP_REDUCE, OP_ALLREDUCE, OPS };

static double uniform(struct world *w)
{
	return ((double)(rng_next(&w->rng) & 0xffffffff) + 0.5) / 4294967296.0;
}

static double exponential(struct world *w, double mean)
{
	return -mean * log(uniform(w));
}

/* As on a machine with more ranks than cores: mostly some us, at times a time slice. */
static double latency(struct world *w)
{
	double t = 1e3 + exponential(w, 8e3);

	if (uniform(w) < 0.05)
		t += exponential(w, 1e6);
	return t;
}

static void note(struct world *w, uint32_t rank, enum what what, uint32_t which, int tag,
		 int32_t root)
{
	vec_push(&w->ranks[rank].events,
		 ((struct happening){ w->ranks[rank].now, what, which, tag, root }));
}

static double send(struct world *w, uint32_t from, uint32_t to, int tag)
{
	note(w, from, SEND, to, tag, -1);
	w->ranks[from].now += 500;
	return w->ranks[from].now - 500;
}

static void receive(struct world *w, uint32_t to, uint32_t from, int tag, double sent)
{
	w->ranks[to].now = fmax(w->ranks[to].now, sent + latency(w)) + 200;
	note(w, to, RECV, from, tag, -1);
}

/* The n-th event of a kind with a partner and tag, SIZE_MAX without. */
static size_t nth_of(const struct rank *rank, enum what what, uint32_t which, int tag, uint32_t n)
{
	for (size_t i = 0; i < rank->events.n; i++) {
		const struct happening *h = &rank->events.data[i];
		if (h->what == what && h->which == which && h->tag % OTHER_TAG == tag && n-- == 0)
			return i;
	}
	return SIZE_MAX;
}

/* Tags of their own make a receive and its sender's next message a pair. */
static void mismatch(struct world *w, uint32_t to, size_t i, int tag)
{
	struct happening *recv = &w->ranks[to].events.data[i], *send;
	struct rank *from = &w->ranks[recv->which];
	uint32_t n = 0;
	size_t next;

	for (size_t j = 0; j < i; j++) {
		const struct happening *h = &w->ranks[to].events.data[j];
		n += h->what == RECV && h->which == recv->which &&
		     h->tag % OTHER_TAG == recv->tag % OTHER_TAG;
	}
	next = nth_of(from, SEND, to, recv->tag % OTHER_TAG, n + 1);
	if (next == SIZE_MAX || recv->tag >= OTHER_TAG)
		return;
	send = &from->events.data[next];
	if (send->tag >= OTHER_TAG)
		return;
	send->tag += tag;
	recv->tag += tag;
}

static void mismatch_some(struct world *w)
{
	int tag = 0;

	for (uint32_t r = 0; r < w->n && w->run->wrong > 0; r++)
		for (size_t i = 0; i < w->ranks[r].events.n; i++)
			if (w->ranks[r].events.data[i].what == RECV && uniform(w) < w->run->wrong)
				mismatch(w, r, i, tag += OTHER_TAG);
}

static void compute(struct world *w, uint32_t rank)
{
	w->ranks[rank].now += w->run->compute * 0.5 + exponential(w, w->run->compute * 0.5);
}

static void compute_all(struct world *w)
{
	for (uint32_t r = 0; r < w->n; r++)
		compute(w, r);
}

static void collective(struct world *w, int op, uint32_t root)
{
	double last = 0, root_begin;

	for (uint32_t r = 0; r < w->n; r++) {
		note(w, r, BEGIN, (uint32_t)op, 0,
		     op == OP_BCAST || op == OP_REDUCE ? (int32_t)root : -1);
		last = fmax(last, w->ranks[r].now);
	}
	root_begin = w->ranks[root].now;
	for (uint32_t r = 0; r < w->n; r++) {
		double *now = &w->ranks[r].now;
		if (op == OP_BCAST)
			*now = fmax(*now + 500, r == root ? 0 : root_begin + latency(w));
		else if (op == OP_REDUCE)
			*now = r == root ? last + latency(w) : *now + 500;
		else
			*now = last + latency(w);
		note(w, r, END, (uint32_t)op, 0,
		     op == OP_BCAST || op == OP_REDUCE ? (int32_t)root : -1);
	}
}

/* ---- programs ---- */

/* Everybody to the ranks `to` says, then everybody from those. */
struct exchange {
	uint32_t from, to;
	double sent;
};

static void exchange_all(struct world *w, uint32_t directions,
			 uint32_t (*to)(const struct world *w, uint32_t rank, uint32_t direction))
{
	VEC(struct exchange) list = VEC_INIT;

	for (uint32_t r = 0; r < w->n; r++)
		for (uint32_t d = 0; d < directions; d++) {
			const uint32_t there = to(w, r, d);
			if (there == r || there == UINT32_MAX)
				continue;
			vec_push(&list, ((struct exchange){ r, there, send(w, r, there, 0) }));
		}
	for (size_t i = 0; i < list.n; i++)
		receive(w, list.data[i].to, list.data[i].from, 0, list.data[i].sent);
	vec_fini(&list);
}

static uint32_t in_ring(const struct world *w, uint32_t rank, uint32_t direction)
{
	return (rank + (direction ? w->n - 1 : 1)) % w->n;
}

static uint32_t next_only(const struct world *w, uint32_t rank, uint32_t direction)
{
	(void)direction;
	return rank + 1 < w->n ? rank + 1 : UINT32_MAX;
}

static uint32_t in_grid(const struct world *w, uint32_t rank, uint32_t direction)
{
	const uint32_t x = rank % w->columns, y = rank / w->columns;

	switch (direction) {
	case 0: return x + 1 < w->columns && rank + 1 < w->n ? rank + 1 : UINT32_MAX;
	case 1: return x > 0 ? rank - 1 : UINT32_MAX;
	case 2: return rank + w->columns < w->n ? rank + w->columns : UINT32_MAX;
	default: return y > 0 ? rank - w->columns : UINT32_MAX;
	}
}

/* A pipeline of blocks from one corner to the opposite one. */
static void sweep(struct world *w, uint32_t corner, uint32_t blocks)
{
	const uint32_t forward[2] = { corner & 1 ? 1 : 0, corner & 2 ? 3 : 2 };
	const uint32_t backward[2] = { corner & 1 ? 0 : 1, corner & 2 ? 2 : 3 };
	double *sent = xcalloc((size_t)w->n * 2, sizeof *sent);

	for (uint32_t b = 0; b < blocks; b++)
		for (uint32_t i = 0; i < w->n; i++) {
			const uint32_t rows = w->n / w->columns;
			const uint32_t x = i % w->columns, y = i / w->columns;
			const uint32_t r = (corner & 1 ? w->columns - 1 - x : x) +
					   (corner & 2 ? rows - 1 - y : y) * w->columns;
			for (int d = 0; d < 2; d++) {
				const uint32_t from = in_grid(w, r, backward[d]);
				if (from != UINT32_MAX)
					receive(w, r, from, d, sent[from * 2 + (uint32_t)d]);
			}
			compute(w, r);
			for (int d = 0; d < 2; d++) {
				const uint32_t to = in_grid(w, r, forward[d]);
				if (to != UINT32_MAX)
					sent[r * 2 + (uint32_t)d] = send(w, r, to, d);
			}
		}
	free(sent);
}

static void farm(struct world *w)
{
	double *asked = xcalloc(w->n, sizeof *asked);

	for (uint32_t r = 1; r < w->n; r++)
		asked[r] = send(w, r, 0, 1);
	for (uint32_t i = 0; i < w->run->rounds * (w->n - 1); i++) {
		uint32_t first = 1;
		for (uint32_t r = 2; r < w->n; r++)
			if (asked[r] < asked[first])
				first = r;
		receive(w, 0, first, 1, asked[first]);
		receive(w, first, 0, 2, send(w, 0, first, 2));
		compute(w, first);
		asked[first] = send(w, first, 0, 1);
	}
	for (uint32_t r = 1; r < w->n; r++)
		receive(w, 0, r, 1, asked[r]);
	free(asked);
}

static void play(struct world *w)
{
	for (uint32_t i = 0; i < w->run->rounds; i++) {
		switch (w->run->program) {
		case AID_RING:
			compute_all(w);
			exchange_all(w, 2, in_ring);
			break;
		case AID_ONE_WAY:
			compute_all(w);
			exchange_all(w, 1, next_only);
			break;
		case AID_STENCIL:
			compute_all(w);
			exchange_all(w, 4, in_grid);
			if (i % 10 == 9)
				collective(w, OP_ALLREDUCE, 0);
			break;
		case AID_WAVEFRONT:
			if (i % 8 == 0)
				sweep(w, i / 8 % 4, 8);
			break;
		case AID_COLLECTIVES:
			compute_all(w);
			collective(w, (int)(i % OPS), i / OPS % w->n);
			break;
		default: farm(w); return;
		}
	}
}

/* ---- clocks ---- */

static void set_clock(struct world *w, struct rank *rank, uint32_t r, double length)
{
	const enum aid_clocks clocks = w->run->clocks;
	double rate = 0, at = 0;

	rank->offset = rank->drift = rank->amplitude = rank->step = 0;
	rank->period = 1;
	if (clocks == AID_PERFECT)
		return;
	rank->offset = w->run->apart * (2 * uniform(w) - 1);
	rank->drift = 50e-6 * (2 * uniform(w) - 1);
	if (clocks == AID_SINUS) {
		rank->amplitude = 300e3 * (0.5 + uniform(w) / 2);
		rank->period = length * (0.7 + 0.8 * uniform(w));
		rank->phase = 6.28318530718 * uniform(w);
	}
	if (clocks == AID_STEP && r % 2 == 1) {
		rank->step = 300e3;
		rank->step_at = length / 2;
	}
	if (clocks != AID_WALK)
		return;
	rank->walk = xcalloc(WALK_STEPS + 1, sizeof *rank->walk);
	for (int i = 1; i <= WALK_STEPS; i++) {
		rate += 20e3 / WALK_STEPS * 2 * (2 * uniform(w) - 1) * 4;
		at += rate;
		rank->walk[i] = at;
	}
}

static double local(const struct world *w, const struct rank *rank, double t)
{
	double value = t + rank->offset + rank->drift * t;

	if (rank->amplitude > 0)
		value += rank->amplitude * sin(6.28318530718 * t / rank->period + rank->phase);
	if (rank->step > 0 && t >= rank->step_at)
		value += rank->step;
	if (rank->walk) {
		const double u = fmin(fmax(t / w->end, 0), 1) * WALK_STEPS;
		const int k = u >= WALK_STEPS ? WALK_STEPS - 1 : (int)u;
		value += rank->walk[k] + (u - k) * (rank->walk[k + 1] - rank->walk[k]);
	}
	return value;
}

/* ---- the trace ---- */

static void offsets(struct world *w, struct builder *b)
{
	const double tick = (double)w->run->tick;
	const int n = w->run->offsets < 0 ? BOTH_ENDS : w->run->offsets;

	for (uint32_t r = 0; r < w->n; r++)
		for (int i = 0; i < n; i++) {
			const double t = i == 0 ? 50e3 : w->end;
			const double here = local(w, &w->ranks[r], t);
			const double noise = w->run->noise * 1.7320508 * (2 * uniform(w) - 1);
			const double offset = r == 0 || w->run->offsets < 0
						      ? 0
						      : local(w, &w->ranks[0], t) - here + noise;
			builder_offset(b, &(struct offset){ .location = r,
							    .time = llround(here / tick),
							    .offset = llround(offset / tick),
							    .rtt = -1 });
		}
}

static int64_t put(struct world *w, struct builder *b, uint32_t rank, const struct happening *h,
		   int64_t before, const uint32_t *regions, const uint32_t *sites)
{
	static const uint64_t bytes = 1024;
	int64_t t = (int64_t)floor(local(w, &w->ranks[rank], h->t) / (double)w->run->tick);
	const struct message_end end = {
		.rank = (int32_t)h->which, .process = -1, .tag = h->tag, .bytes = bytes
	};

	if (t < before)
		t = before;
	switch (h->what) {
	case SEND: builder_send(b, rank, t, &end); break;
	case RECV: builder_recv(b, rank, t, &end); break;
	case BEGIN:
		builder_collective_begin(b, rank, t, 0, regions[h->which], h->root, bytes, bytes);
		break;
	case END: builder_collective_end(b, rank, t, bytes, bytes); break;
	case ENTER: builder_enter(b, rank, t, sites[h->which]); break;
	case LEAVE: builder_leave(b, rank, t, sites[h->which]); break;
	}
	return t;
}

static struct trace *write_trace(struct world *w, struct aid_truth *truth)
{
	static const char *const ops[OPS] = { "MPI_Barrier", "MPI_Bcast", "MPI_Reduce",
					      "MPI_Allreduce" };
	static const char *const names[REGIONS] = { "main", "MPI_Init", "MPI_Finalize" };
	const struct timescale scale = { 1000000000 / w->run->tick, 9 };
	struct err err = ERR_INIT;
	struct builder *b = builder_new("simulated.trc", &scale, &err);
	uint32_t regions[OPS], sites[REGIONS];

	for (uint32_t i = 0; i < REGIONS; i++)
		sites[i] = builder_site(b,
					builder_region(b, names[i],
						       i ? CLASS_MPI_OTHER : CLASS_USER, 1),
					0, 0, 1);
	for (uint32_t i = 0; i < OPS; i++)
		regions[i] = builder_region(b, ops[i], CLASS_COLLECTIVE, (int32_t)i + 2);
	for (uint32_t r = 0; r < w->n; r++)
		builder_location(b, &(struct location){ .rank = (int32_t)r, .process = -1 });
	offsets(w, b);
	*truth = (struct aid_truth){ w->n, xcalloc(w->n, sizeof *truth->t), 0 };
	for (uint32_t r = 0; r < w->n; r++) {
		int64_t last = INT64_MIN;
		truth->t[r] = xcalloc(w->ranks[r].events.n, sizeof **truth->t);
		for (size_t i = 0; i < w->ranks[r].events.n; i++) {
			const struct happening *h = &w->ranks[r].events.data[i];
			last = put(w, b, r, h, last, regions, sites);
			truth->t[r][i] = local(w, &w->ranks[0], h->t);
			truth->messages += h->what == RECV;
		}
	}
	return builder_finish(b, NULL, NULL, &err);
}

static void region(struct world *w, uint32_t which, double length)
{
	for (uint32_t r = 0; r < w->n; r++) {
		note(w, r, ENTER, which, 0, -1);
		w->ranks[r].now += length;
		note(w, r, LEAVE, which, 0, -1);
	}
}

struct trace *aid_make(const struct aid_run *run, struct aid_truth *truth)
{
	struct world w = { .run = run, .rng = { run->seed * 2654435761u + 1 }, .n = run->ranks };
	struct trace *trace;

	for (int i = 0; i < 8; i++)
		rng_next(&w.rng);
	w.ranks = xcalloc(w.n, sizeof *w.ranks);
	for (w.columns = (uint32_t)sqrt(w.n); w.n % w.columns != 0;)
		w.columns--;
	region(&w, REGION_INIT, 100e3);
	play(&w);
	for (uint32_t r = 0; r < w.n; r++)
		w.end = fmax(w.end, w.ranks[r].now);
	for (uint32_t r = 0; r < w.n; r++) {
		w.ranks[r].now = w.end + 1e3;
		set_clock(&w, &w.ranks[r], r, w.end);
	}
	region(&w, REGION_FINALIZE, 100e3);
	mismatch_some(&w);
	trace = write_trace(&w, truth);
	for (uint32_t r = 0; r < w.n; r++) {
		vec_fini(&w.ranks[r].events);
		free(w.ranks[r].walk);
	}
	free(w.ranks);
	return trace;
}

void aid_truth_fini(struct aid_truth *truth)
{
	for (uint32_t r = 0; r < truth->ranks; r++)
		free(truth->t[r]);
	free(truth->t);
	*truth = (struct aid_truth){ 0 };
}

const char *aid_program_name(enum aid_program program)
{
	static const char *const names[AID_PROGRAMS] = { "ring",        "stencil", "wavefront",
							 "collectives", "farm",    "one way" };

	return names[program];
}

const char *aid_clocks_name(enum aid_clocks clocks)
{
	static const char *const names[AID_CLOCKS] = { "perfect", "linear", "sinus", "walk",
						       "step" };

	return names[clocks];
}

double aid_rms(const struct trace *trace, enum time_base base, const struct aid_truth *truth)
{
	const double ns = 1e9 / (double)trace_scale(trace)->per_second;
	double sum = 0;
	uint64_t n = 0;

	for (uint32_t r = 0; r < truth->ranks; r++) {
		struct cursor c;
		size_t i = 0;
		for (bool ok = cursor_first(&c, trace, base, r); ok; ok = cursor_next(&c)) {
			const double off = (double)cursor_time(&c) * ns - truth->t[r][i++];
			sum += off * off;
			n++;
		}
	}
	return sqrt(sum / (double)n) / 1e3;
}
