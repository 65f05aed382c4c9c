#include "program.h"

#include <stdlib.h>

#include "base/mem.h"

/* PICL's own numbers where it has one; the others are free user events. */
const struct region_info region_info[REGIONS] = {
	[REGION_MAIN] = { "main", ROLE_USER, 20, 1 },
	[REGION_SET_UP] = { "set_up", ROLE_USER, 40, 2 },
	[REGION_TIME_STEP] = { "time_step", ROLE_USER, 60, 3 },
	[REGION_EXCHANGE] = { "exchange", ROLE_USER, 80, 4 },
	[REGION_RELAX] = { "relax", ROLE_USER, 120, 5 },
	[REGION_KERNEL] = { "kernel", ROLE_USER, 140, 6 },
	[REGION_RESIDUAL] = { "residual", ROLE_USER, 160, 7 },
	[REGION_SWEEP] = { "sweep", ROLE_USER, 180, 8 },
	[REGION_TRANSPOSE] = { "transpose", ROLE_USER, 220, 9 },
	[REGION_OUTPUT] = { "output", ROLE_USER, 260, 10 },
	[REGION_INIT] = { "MPI_Init", ROLE_OTHER, 24, -11 },
	[REGION_FINALIZE] = { "MPI_Finalize", ROLE_OTHER, 33, -12 },
	[REGION_SPLIT] = { "MPI_Comm_split", ROLE_OTHER, 44, -812 },
	[REGION_ISEND] = { "MPI_Isend", ROLE_P2P, 88, -27 },
	[REGION_IRECV] = { "MPI_Irecv", ROLE_P2P, 84, -57 },
	[REGION_WAITALL] = { "MPI_Waitall", ROLE_P2P, 93, 11 },
	[REGION_SEND] = { "MPI_Send", ROLE_P2P, 194, -21 },
	[REGION_RECV] = { "MPI_Recv", ROLE_P2P, 186, -51 },
	[REGION_BARRIER] = { "MPI_Barrier", ROLE_BARRIER, 270, -402 },
	[REGION_ALLREDUCE] = { "MPI_Allreduce", ROLE_TO_ALL, 164, -782 },
	[REGION_ALLTOALL] = { "MPI_Alltoall", ROLE_TO_ALL, 226, -783 },
	[REGION_BCAST] = { "MPI_Bcast", ROLE_FROM_ROOT, 48, -785 },
	[REGION_GATHER] = { "MPI_Gather", ROLE_TO_ROOT, 264, -786 },
};
const char source_file[] = "src/made_up.c";

enum {
	STEP_EVENTS = 96,  /* more than any step has */
	KERNELS = 6,       /* at most, in one relax */
	STAGE = 4000,      /* ns from one rank of a sweep to the next */
	LATENCY = 1200,    /* ns of a message */
	SHORTEST = 120000, /* ns of a step */
	SETUP = 40000,     /* ns before the first step, and again behind the last */
};

enum work { WORK_STENCIL, WORK_SWEEP, WORK_TRANSPOSE, WORKS };
enum meeting { MEET_NONE, MEET_WORLD, MEET_ROW, MEET_BCAST, MEET_OUTPUT };

struct stream {
	const struct program *program;
	uint32_t rank;
	uint64_t step; /* 0: set up; 1 ... steps; steps + 1: the end */
	int64_t start; /* of the step */
	uint64_t requests;
	uint32_t n, at;
	struct happening buffer[STEP_EVENTS];
};

/* ---- what follows from (seed, rank, step) ---- */

/* splitmix64's mixing: every bit of the result depends on every bit of the arguments. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* A number below `limit`, `salt` telling the questions of one step apart. */
static int64_t noise(const struct program *p, uint64_t step, uint32_t rank, uint32_t salt,
		     int64_t limit)
{
	const uint64_t h = mix(p->seed ^ mix(step * 64 + salt) ^ mix((uint64_t)rank << 32));

	return (int64_t)((h >> 32) * (uint64_t)limit >> 32);
}

static enum work work_of(const struct program *p, uint64_t step)
{
	return (enum work)((step - 1) / p->phase % WORKS);
}

static enum meeting meeting_of(const struct program *p, uint64_t step)
{
	if (step % 32 == 0)
		return MEET_OUTPUT;
	switch (work_of(p, step)) {
	case WORK_STENCIL: return step % 4 == 0 ? MEET_WORLD : MEET_NONE;
	case WORK_SWEEP: return MEET_ROW;
	default: return step % 8 == 0 ? MEET_BCAST : MEET_NONE;
	}
}

static uint32_t kernels_of(const struct program *p, uint64_t step, uint32_t rank)
{
	return 1 + (uint32_t)noise(p, step, rank, 1, KERNELS);
}

/* Length of a step: long enough that what is late, and a whole row's sweep, fit in. */
static int64_t length_of(const struct program *p, uint64_t step)
{
	int64_t length = SHORTEST + noise(p, step, 0, 2, SHORTEST / 2);

	if (work_of(p, step) == WORK_SWEEP)
		length += 3 * (int64_t)p->width * STAGE;
	return length;
}

/* How much more than the fastest a rank has to do, in ns of at most a quarter of the step: a few
 * ranks with much more in stencils, a ramp in sweeps, one half in transposes, and chance
 * everywhere. */
static int64_t load_of(const struct program *p, uint64_t step, uint32_t rank)
{
	const int64_t most = SHORTEST / 4;
	int64_t load = noise(p, step, rank, 3, most / 4);

	switch (work_of(p, step)) {
	case WORK_STENCIL:
		if (mix(p->seed ^ rank ^ (step / p->phase) << 32) % 16 == 0)
			load += most / 2;
		break;
	case WORK_SWEEP: load += most / 2 * rank / p->ranks; break;
	default: load += rank < p->ranks / 2 ? most / 3 : 0; break;
	}
	return load;
}

/* How late a rank begins a step: nobody is after a meeting, others by what they had to do
 * before. */
static int64_t late_of(const struct program *p, uint64_t step, uint32_t rank)
{
	if (step <= 1 || step > p->steps || meeting_of(p, step - 1) != MEET_NONE)
		return noise(p, step, rank, 4, 500);
	return load_of(p, step - 1, rank);
}

/* ---- communicators ---- */

uint32_t program_comm_count(const struct program *program)
{
	return 1 + program->rows + program->width;
}

void program_comm(const struct program *p, uint32_t comm, uint32_t *first, uint32_t *stride,
		  uint32_t *size)
{
	if (comm == 0) {
		*first = 0;
		*stride = 1;
		*size = p->ranks;
	} else if (comm <= p->rows) {
		*first = (comm - 1) * p->width;
		*stride = 1;
		*size = p->ranks - *first < p->width ? p->ranks - *first : p->width;
	} else {
		*first = comm - 1 - p->rows;
		*stride = p->width;
		*size = (p->ranks - *first + p->width - 1) / p->width;
	}
}

static uint32_t row_of(const struct program *p, uint32_t rank)
{
	return 1 + rank / p->width;
}

static uint32_t column_of(const struct program *p, uint32_t rank)
{
	return 1 + p->rows + rank % p->width;
}

/* ---- a step's events ---- */

static struct happening *push(struct stream *s, int64_t time, enum happening_kind kind,
			      enum region region)
{
	struct happening *h = &s->buffer[s->n++];

	*h = (struct happening){ .time = time, .kind = (uint8_t)kind, .region = (uint8_t)region };
	return h;
}

static void visit(struct stream *s, int64_t from, int64_t to, enum region region)
{
	push(s, from, HAPPEN_ENTER, region);
	push(s, to, HAPPEN_LEAVE, region);
}

static void collective(struct stream *s, int64_t from, int64_t to, enum region region,
		       uint32_t comm, uint32_t root, uint32_t bytes)
{
	static const enum happening_kind kinds[] = { HAPPEN_BEGIN, HAPPEN_END };
	const enum role role = region_info[region].role;
	const bool is_root = s->rank == root;

	push(s, from, HAPPEN_ENTER, region);
	for (int i = 0; i < 2; i++) {
		struct happening *h = push(s, i == 0 ? from : to, kinds[i], region);
		h->comm = comm;
		h->partner = root;
		h->bytes = role == ROLE_FROM_ROOT && !is_root ? 0 : bytes;
		h->received = role == ROLE_TO_ROOT && !is_root ? 0 : bytes;
	}
	push(s, to, HAPPEN_LEAVE, region);
}

static void message(struct happening *h, uint32_t partner, uint16_t tag, uint32_t bytes,
		    uint32_t comm)
{
	h->partner = partner;
	h->tag = tag;
	h->bytes = bytes;
	h->comm = comm;
}

static void blocking_send(struct stream *s, int64_t time, uint32_t to, uint16_t tag, uint32_t comm)
{
	push(s, time, HAPPEN_ENTER, REGION_SEND);
	message(push(s, time, HAPPEN_SEND, REGION_SEND), to, tag, 4096, comm);
	push(s, time + 400, HAPPEN_LEAVE, REGION_SEND);
}

static void blocking_recv(struct stream *s, int64_t from, int64_t time, uint32_t source,
			  uint16_t tag, uint32_t comm)
{
	message(push(s, from, HAPPEN_ENTER, REGION_RECV), source, tag, 0, comm);
	message(push(s, time, HAPPEN_RECV, REGION_RECV), source, tag, 4096, comm);
	push(s, time, HAPPEN_LEAVE, REGION_RECV);
}

static void relax(struct stream *s, int64_t from, int64_t to)
{
	const uint32_t kernels = kernels_of(s->program, s->step, s->rank);
	const int64_t each = (to - from - 200) / kernels;

	push(s, from, HAPPEN_ENTER, REGION_RELAX);
	for (uint32_t i = 0; i < kernels; i++) {
		const int64_t begin = from + 100 + i * each;
		visit(s, begin,
		      begin + each - 1 - noise(s->program, s->step, s->rank, 8 + i, each / 3),
		      REGION_KERNEL);
	}
	push(s, to, HAPPEN_LEAVE, REGION_RELAX);
}

enum { ISEND_AFTER = 700 }; /* ns from a stencil step's start to its first MPI_Isend */

/* When a rank sends in a stencil step: to its left (0) or right (1) neighbour. */
static int64_t isend_time(const struct program *p, uint64_t step, int64_t start, uint32_t rank,
			  int way)
{
	return start + late_of(p, step, rank) + ISEND_AFTER + way * 500 +
	       noise(p, step, rank, 16 + (uint32_t)way, 200);
}

/* Receives from and sends to both neighbours of a ring; gives when that is done. */
static int64_t exchange(struct stream *s, int64_t t)
{
	const struct program *p = s->program;
	const uint32_t beside[2] = { (s->rank + p->ranks - 1) % p->ranks,
				     (s->rank + 1) % p->ranks };
	const uint32_t bytes = 1024u << (s->step / p->phase % 6);
	const uint64_t first = s->requests + 1;
	int64_t done, arrival[2];

	push(s, t + 50, HAPPEN_ENTER, REGION_EXCHANGE);
	for (int way = 0; way < 2; way++) {
		message(push(s, t + 100 + way * 250, HAPPEN_ENTER, REGION_IRECV), beside[way],
			(uint16_t)!way, 0, 0);
		push(s, t + 200 + way * 250, HAPPEN_IRECV, REGION_IRECV)->request = ++s->requests;
		push(s, t + 200 + way * 250, HAPPEN_LEAVE, REGION_IRECV);
	}
	for (int way = 0; way < 2; way++) {
		const int64_t at = isend_time(p, s->step, s->start, s->rank, way);
		struct happening *h;
		push(s, at, HAPPEN_ENTER, REGION_ISEND);
		h = push(s, at, HAPPEN_ISEND, REGION_ISEND);
		message(h, beside[way], (uint16_t)way, bytes, 0);
		h->request = ++s->requests;
		push(s, at + 250, HAPPEN_LEAVE, REGION_ISEND);
	}
	t += ISEND_AFTER + 1000;
	push(s, t, HAPPEN_ENTER, REGION_WAITALL);
	for (int way = 0; way < 2; way++)
		push(s, t + 20 + way * 20, HAPPEN_ISEND_DONE, REGION_WAITALL)->request =
			first + 2 + (uint64_t)way;
	/* What the left neighbour sent to its right comes from the left. */
	done = t + 60;
	for (int way = 0; way < 2; way++) {
		const int64_t sent = isend_time(p, s->step, s->start, beside[way], !way);
		struct happening *h;
		arrival[way] = sent + LATENCY + bytes / 8;
		done = arrival[way] > done ? arrival[way] : done;
		h = push(s, done, HAPPEN_IRECV_DONE, REGION_WAITALL);
		message(h, beside[way], (uint16_t)!way, bytes, 0);
		h->request = first + (uint64_t)way;
	}
	push(s, done + 40, HAPPEN_LEAVE, REGION_WAITALL);
	push(s, done + 60, HAPPEN_LEAVE, REGION_EXCHANGE);
	return done + 60;
}

/* When the rank at a place of its row hands the sweep on. */
static int64_t sweep_time(const struct program *p, uint64_t step, int64_t start, uint32_t rank)
{
	return start + SHORTEST / 4 + 1000 + (int64_t)(rank % p->width + 1) * STAGE +
	       noise(p, step, rank, 18, STAGE / 4);
}

static int64_t sweep(struct stream *s, int64_t t)
{
	const struct program *p = s->program;
	const uint32_t place = s->rank % p->width;
	const bool last = place + 1 == p->width || s->rank + 1 == p->ranks;
	const int64_t hand_on = sweep_time(p, s->step, s->start, s->rank);

	push(s, t + 50, HAPPEN_ENTER, REGION_SWEEP);
	if (place > 0) {
		const int64_t sent = sweep_time(p, s->step, s->start, s->rank - 1);
		blocking_recv(s, t + 100, sent + LATENCY, s->rank - 1, 7, row_of(p, s->rank));
		t = sent + LATENCY;
	}
	visit(s, t + 150, hand_on - 50, REGION_KERNEL);
	if (!last)
		blocking_send(s, hand_on, s->rank + 1, 7, row_of(p, s->rank));
	push(s, hand_on + 450, HAPPEN_LEAVE, REGION_SWEEP);
	return hand_on + 450;
}

/* Alltoall in the row and in the column, and a blocking exchange of pairs in which the even rank
 * begins. */
static int64_t transpose(struct stream *s, int64_t t)
{
	const struct program *p = s->program;
	const uint32_t pair = s->rank ^ 1;
	const int64_t met = s->start + SHORTEST / 4 + 2000;
	const int64_t first = met + 12500 + noise(p, s->step, s->rank & ~1u, 19, 2000);

	push(s, t + 50, HAPPEN_ENTER, REGION_TRANSPOSE);
	collective(s, t + 100, met + noise(p, s->step, s->rank, 20, 300), REGION_ALLTOALL,
		   row_of(p, s->rank), 0, 2048);
	visit(s, met + 400, met + 5000 + noise(p, s->step, s->rank, 21, 4000), REGION_KERNEL);
	collective(s, met + 9500, met + 12000 + noise(p, s->step, s->rank, 22, 300),
		   REGION_ALLTOALL, column_of(p, s->rank), 0, 2048);
	if (pair >= p->ranks) {
		visit(s, first, first + 500, REGION_KERNEL);
	} else if (s->rank < pair) {
		blocking_send(s, first, pair, 9, 0);
		blocking_recv(s, first + 500, first + 2 * LATENCY + 500, pair, 9, 0);
	} else {
		blocking_recv(s, met + 12350, first + LATENCY, pair, 9, 0);
		blocking_send(s, first + LATENCY + 400, pair, 9, 0);
	}
	push(s, first + 2 * LATENCY + 600, HAPPEN_LEAVE, REGION_TRANSPOSE);
	return first + 2 * LATENCY + 600;
}

/* The collective at a step's end. Ranks come by their load; it ends for all at about the same
 * time. */
static void meet(struct stream *s, enum meeting meeting, int64_t come, int64_t end)
{
	const struct program *p = s->program;
	const int64_t away = end + noise(p, s->step, s->rank, 24, 300);

	switch (meeting) {
	case MEET_WORLD:
		push(s, come, HAPPEN_ENTER, REGION_RESIDUAL);
		collective(s, come + 100, away, REGION_ALLREDUCE, 0, 0, 8);
		push(s, away + 100, HAPPEN_LEAVE, REGION_RESIDUAL);
		break;
	case MEET_ROW:
		collective(s, come, away, REGION_ALLREDUCE, row_of(p, s->rank), 0, 64);
		break;
	case MEET_BCAST:
		collective(s, come, away, REGION_BCAST, 0, (uint32_t)(s->step % p->ranks), 16384);
		break;
	case MEET_OUTPUT:
		push(s, come, HAPPEN_ENTER, REGION_OUTPUT);
		collective(s, come + 100, end - 3000, REGION_GATHER, 0, 0, 512);
		collective(s, end - 2500, away, REGION_BARRIER, 0, 0, 0);
		push(s, away + 100, HAPPEN_LEAVE, REGION_OUTPUT);
		break;
	case MEET_NONE: break;
	}
}

static void fill_step(struct stream *s)
{
	static int64_t (*const works[WORKS])(struct stream *, int64_t) = { exchange, sweep,
									   transpose };
	const struct program *p = s->program;
	const int64_t length = length_of(p, s->step), next = s->start + length;
	const enum meeting meeting = meeting_of(p, s->step);
	const int64_t begin = s->start + late_of(p, s->step, s->rank);
	const int64_t end =
		next + (meeting == MEET_NONE ? late_of(p, s->step + 1, s->rank) : 0) - 300;
	const int64_t come = next - SHORTEST / 8 * 3 + load_of(p, s->step, s->rank);
	int64_t t;

	push(s, begin, HAPPEN_ENTER, REGION_TIME_STEP);
	t = works[work_of(p, s->step)](s, begin);
	relax(s, t + 100, meeting == MEET_NONE ? end - 100 : come - 100);
	meet(s, meeting, come, next - 1000);
	push(s, end, HAPPEN_LEAVE, REGION_TIME_STEP);
	s->start = next;
}

static void fill_start(struct stream *s)
{
	const struct program *p = s->program;
	const int64_t born = noise(p, 0, s->rank, 25, 2000);

	push(s, born, HAPPEN_ENTER, REGION_MAIN);
	visit(s, born + 100, 12000 + noise(p, 0, s->rank, 26, 1000), REGION_INIT);
	push(s, 14000, HAPPEN_ENTER, REGION_SET_UP);
	visit(s, 14200, 17000, REGION_SPLIT);
	visit(s, 17200, 19000, REGION_SPLIT);
	collective(s, 20000 + noise(p, 0, s->rank, 27, 5000), 30000, REGION_BCAST, 0, 0, 65536);
	push(s, 31000, HAPPEN_LEAVE, REGION_SET_UP);
	s->start = SETUP;
}

static void fill_end(struct stream *s)
{
	const int64_t t = s->start + SHORTEST / 2;

	visit(s, t, t + SETUP - 200, REGION_FINALIZE);
	push(s, t + SETUP - 100, HAPPEN_LEAVE, REGION_MAIN);
}

struct stream *stream_new(const struct program *program, uint32_t rank)
{
	struct stream *s = xcalloc(1, sizeof *s);

	s->program = program;
	s->rank = rank;
	return s;
}

void stream_free(struct stream *stream)
{
	free(stream);
}

/* Fills the buffer with a step's events; false behind the last. */
static bool stream_step(struct stream *s)
{
	s->n = s->at = 0;
	if (s->step > s->program->steps + 1)
		return false;
	if (s->step == 0)
		fill_start(s);
	else if (s->step <= s->program->steps)
		fill_step(s);
	else
		fill_end(s);
	s->step++;
	return true;
}

const struct happening *stream_next(struct stream *s)
{
	while (s->at == s->n)
		if (!stream_step(s))
			return NULL;
	return &s->buffer[s->at++];
}

/* ---- the plan ---- */

/* Events of all ranks at a step, as fill_step() makes them. */
static uint64_t step_events(const struct program *p, uint64_t step)
{
	static const uint8_t of_meeting[] = { [MEET_NONE] = 0,
					      [MEET_WORLD] = 6,
					      [MEET_ROW] = 4,
					      [MEET_BCAST] = 4,
					      [MEET_OUTPUT] = 10 };
	const uint64_t ranks = p->ranks, handed_on = ranks - p->rows;
	uint64_t n = ranks * (2 + 2 + of_meeting[meeting_of(p, step)]);

	for (uint32_t r = 0; r < p->ranks; r++)
		n += 2 * kernels_of(p, step, r);
	switch (work_of(p, step)) {
	case WORK_STENCIL: return n + ranks * 20;
	case WORK_SWEEP: return n + ranks * 4 + handed_on * 6;
	default: return n + ranks * 12 + (ranks & ~1ull) * 6 + ranks % 2 * 2;
	}
}

static uint32_t square_root(uint32_t x)
{
	uint32_t root = 1;

	while ((uint64_t)(root + 1) * (root + 1) <= x)
		root++;
	return root;
}

void program_init(struct program *p, uint64_t seed, uint32_t ranks, uint64_t events)
{
	const uint64_t of_ends = 2 + 2 + 2 + 2 + 2 + 4 + 2, about = events / ranks / 36;

	*p = (struct program){ .seed = mix(seed), .ranks = ranks, .width = square_root(ranks) };
	p->rows = (ranks + p->width - 1) / p->width;
	p->phase = about < 24 ? 2 : about > 12 * 1024 ? 1024 : (uint32_t)(about / 12);
	p->events = of_ends * ranks;
	p->end = SETUP;
	while (p->events < events) {
		p->steps++;
		p->events += step_events(p, p->steps);
		p->end += length_of(p, p->steps);
	}
	p->end += SHORTEST / 2 + SETUP;
}
