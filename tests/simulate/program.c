#include "program.h"

#include <math.h>
#include <string.h>

#include "chance.h"

#define FUNCTION(name, line)                           \
	{                                              \
		(name), CLASS_USER, PART_NONE, (line), \
	}
#define CALL(name, cls, part)               \
	{                                   \
		(name), (cls), (part), (0), \
	}

const struct region_info region_info[REGIONS] = {
	[REGION_MAIN] = FUNCTION("main", 10),
	[REGION_SLEEP] = FUNCTION("sleep", 20),
	[REGION_STEP] = FUNCTION("step", 30),
	[REGION_EXCHANGE] = FUNCTION("exchange", 40),
	[REGION_RELAX] = FUNCTION("relax", 50),
	[REGION_POINT] = FUNCTION("point", 60),
	[REGION_CHECK] = FUNCTION("check", 70),
	[REGION_SWEEP] = FUNCTION("sweep", 80),
	[REGION_CELL] = FUNCTION("cell", 90),
	[REGION_GET_COORDS] = FUNCTION("get_coords", 100),
	[REGION_TASK] = FUNCTION("task", 110),
	[REGION_PIECE] = FUNCTION("piece", 120),
	[REGION_COMPUTE] = FUNCTION("compute", 130),
	[REGION_ATOM] = FUNCTION("atom", 140),
	[REGION_UNRECORDED] = FUNCTION("tview_unrecorded", 0),
	[REGION_GAP] = CALL("tview_gap", CLASS_OVERHEAD, PART_NONE),
	[REGION_OFFSETS] = CALL("tview_offsets", CLASS_OVERHEAD, PART_NONE),
	[REGION_BUFFER] = CALL("tview_buffer", CLASS_OVERHEAD, PART_NONE),
	[REGION_INIT] = CALL("MPI_Init", CLASS_MPI_OTHER, PART_ALL),
	[REGION_FINALIZE] = CALL("MPI_Finalize", CLASS_MPI_OTHER, PART_ALL),
	[REGION_SEND] = CALL("MPI_Send", CLASS_P2P, PART_NONE),
	[REGION_SSEND] = CALL("MPI_Ssend", CLASS_P2P, PART_NONE),
	[REGION_RECV] = CALL("MPI_Recv", CLASS_P2P, PART_NONE),
	[REGION_ISEND] = CALL("MPI_Isend", CLASS_P2P, PART_NONE),
	[REGION_IRECV] = CALL("MPI_Irecv", CLASS_P2P, PART_NONE),
	[REGION_WAITALL] = CALL("MPI_Waitall", CLASS_P2P, PART_NONE),
	[REGION_BARRIER] = CALL("MPI_Barrier", CLASS_SYNC, PART_ALL),
	[REGION_ALLREDUCE] = CALL("MPI_Allreduce", CLASS_COLLECTIVE, PART_ALL),
	[REGION_ALLTOALL] = CALL("MPI_Alltoall", CLASS_COLLECTIVE, PART_ALL),
	[REGION_BCAST] = CALL("MPI_Bcast", CLASS_COLLECTIVE, PART_FROM_ROOT),
	[REGION_SCATTER] = CALL("MPI_Scatter", CLASS_COLLECTIVE, PART_FROM_ROOT),
	[REGION_REDUCE] = CALL("MPI_Reduce", CLASS_COLLECTIVE, PART_TO_ROOT),
	[REGION_GATHER] = CALL("MPI_Gather", CLASS_COLLECTIVE, PART_TO_ROOT),
	[REGION_SCAN] = CALL("MPI_Scan", CLASS_COLLECTIVE, PART_UPWARDS),
};

/* ---- operations ---- */

static void enter(struct plan *plan, enum region_id region)
{
	vec_push(&plan->ops, ((struct op){ .kind = OP_ENTER, .region = (uint8_t)region }));
}

static void leave(struct plan *plan, enum region_id region)
{
	vec_push(&plan->ops, ((struct op){ .kind = OP_LEAVE, .region = (uint8_t)region }));
}

/* Seconds of computation, with the machine's noise. */
static void work(struct plan *plan, double seconds)
{
	if (plan->settings->slow > 0 && plan->rank == (uint32_t)plan->settings->slow_rank)
		seconds *= plan->settings->slow;
	if (plan->settings->noise > 0)
		seconds *=
			1 + plan->settings->noise * chance_delay(plan->settings->seed, CHANCE_WORK,
								 plan->rank, plan->drawn++);
	vec_push(&plan->ops, ((struct op){ .kind = OP_WORK, .work = pico(seconds) }));
}

static void message(struct plan *plan, enum op_kind kind, enum region_id region, int32_t peer,
		    uint16_t tag, uint32_t bytes)
{
	vec_push(&plan->ops, ((struct op){ .kind = (uint8_t)kind,
					   .region = (uint8_t)region,
					   .peer = peer,
					   .tag = tag,
					   .bytes = bytes }));
}

static void send(struct plan *plan, int32_t peer, uint16_t tag, uint32_t bytes)
{
	message(plan, OP_SEND, REGION_SEND, peer, tag, bytes);
}

static void receive(struct plan *plan, int32_t peer, uint16_t tag)
{
	message(plan, OP_RECV, REGION_RECV, peer, tag, 0);
}

static void collective(struct plan *plan, enum region_id region, uint32_t root, uint32_t bytes)
{
	message(plan, OP_COLLECTIVE, region, (int32_t)root, 0, bytes);
}

static void call(struct plan *plan, enum op_kind kind, enum region_id region)
{
	message(plan, kind, region, 0, 0, 0);
}

/* A function that calls a tiny one again and again. */
static void tiny_calls(struct plan *plan, enum region_id tiny, uint32_t otherwise, double scale)
{
	const uint32_t n = plan->settings->calls ? plan->settings->calls : otherwise;

	for (uint32_t i = 0; i < n; i++) {
		enter(plan, tiny);
		work(plan, plan->settings->tiny * scale);
		leave(plan, tiny);
	}
}

/* ---- programs: a step each ---- */

/* A token goes round. */
static void step_ring(struct plan *plan)
{
	const int32_t n = (int32_t)plan->settings->ranks, me = (int32_t)plan->rank;

	enter(plan, REGION_STEP);
	if (me > 0)
		receive(plan, me - 1, 1);
	enter(plan, REGION_COMPUTE);
	work(plan, plan->settings->work);
	leave(plan, REGION_COMPUTE);
	send(plan, (me + 1) % n, 1, 1024);
	if (me == 0)
		receive(plan, n - 1, 1);
	leave(plan, REGION_STEP);
}

/* Each sends to the next one, and nothing comes back. */
static void step_chain(struct plan *plan)
{
	work(plan, plan->settings->work);
	if (plan->rank + 1 < plan->settings->ranks)
		send(plan, (int32_t)plan->rank + 1, 1, 1024);
	if (plan->rank > 0)
		receive(plan, (int32_t)plan->rank - 1, 1);
}

/* The neighbour in a direction, ANY where there is none. */
static int32_t neighbour(const struct plan *plan, int32_t dx, int32_t dy)
{
	const int32_t columns = (int32_t)plan->program->columns,
		      rows = (int32_t)plan->program->rows;
	const int32_t x = (int32_t)plan->rank % columns + dx,
		      y = (int32_t)plan->rank / columns + dy;

	return x < 0 || y < 0 || x >= columns || y >= rows ? ANY : y * columns + x;
}

/* Both neighbours on the ring of an island. */
static void step_halo(struct plan *plan)
{
	const uint32_t islands = plan->settings->islands ? plan->settings->islands : 1;
	const uint32_t size = plan->settings->ranks / islands;
	const uint32_t island = plan->rank / size < islands ? plan->rank / size : islands - 1;
	const uint32_t first = island * size;
	const uint32_t n = island + 1 < islands ? size : plan->settings->ranks - first;
	const uint32_t up = first + (plan->rank - first + 1) % n;
	const uint32_t down = first + (plan->rank - first + n - 1) % n;

	enter(plan, REGION_EXCHANGE);
	message(plan, OP_IRECV, REGION_IRECV, (int32_t)up, 1, 0);
	message(plan, OP_IRECV, REGION_IRECV, (int32_t)down, 2, 0);
	message(plan, OP_ISEND, REGION_ISEND, (int32_t)down, 1, 8);
	message(plan, OP_ISEND, REGION_ISEND, (int32_t)up, 2, 8);
	call(plan, OP_WAITALL, REGION_WAITALL);
	leave(plan, REGION_EXCHANGE);
	enter(plan, REGION_RELAX);
	work(plan, plan->settings->work);
	leave(plan, REGION_RELAX);
}

/* Relaxation on a grid with its halo, and a check now and then. */
static void step_stencil(struct plan *plan)
{
	static const int8_t way[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
	/* Uneven by rank: somebody is always late. */
	const double share = 1 + 0.1 * (plan->rank % 5);

	enter(plan, REGION_EXCHANGE);
	for (uint16_t i = 0; i < 4; i++) {
		const int32_t peer = neighbour(plan, way[i][0], way[i][1]);
		if (peer != ANY)
			message(plan, OP_IRECV, REGION_IRECV, peer, i ^ 1, 0);
	}
	for (uint16_t i = 0; i < 4; i++) {
		const int32_t peer = neighbour(plan, way[i][0], way[i][1]);
		if (peer != ANY)
			message(plan, OP_ISEND, REGION_ISEND, peer, i, i < 2 ? 2048 : 8192);
	}
	call(plan, OP_WAITALL, REGION_WAITALL);
	leave(plan, REGION_EXCHANGE);
	enter(plan, REGION_RELAX);
	tiny_calls(plan, REGION_POINT, 4, share);
	work(plan, plan->settings->work * share);
	leave(plan, REGION_RELAX);
	if (plan->step % 10 == 0) {
		enter(plan, REGION_CHECK);
		collective(plan, REGION_ALLREDUCE, 0, 8);
		leave(plan, REGION_CHECK);
	}
}

/* Wavefronts over the grid from its four corners, plane by plane. */
static void step_sweep(struct plan *plan)
{
	enum { PLANES = 4 };
	static const int8_t corner[4][2] = { { 1, 1 }, { -1, 1 }, { 1, -1 }, { -1, -1 } };
	const int8_t *way = corner[plan->step % 4];
	const int32_t from_x = neighbour(plan, -way[0], 0), from_y = neighbour(plan, 0, -way[1]);
	const int32_t to_x = neighbour(plan, way[0], 0), to_y = neighbour(plan, 0, way[1]);

	enter(plan, REGION_SWEEP);
	for (int i = 0; i < PLANES; i++) {
		if (from_x != ANY)
			receive(plan, from_x, 1);
		if (from_y != ANY)
			receive(plan, from_y, 2);
		tiny_calls(plan, REGION_CELL, 4, 1);
		work(plan, plan->settings->work);
		if (to_x != ANY)
			send(plan, to_x, 1, 1536);
		if (to_y != ANY)
			send(plan, to_y, 2, 1536);
	}
	leave(plan, REGION_SWEEP);
}

/* Every collective there is, the root going round. */
static void step_collectives(struct plan *plan)
{
	static const enum region_id all[] = { REGION_BARRIER, REGION_ALLREDUCE, REGION_BCAST,
					      REGION_REDUCE,  REGION_GATHER,    REGION_SCATTER,
					      REGION_SCAN,    REGION_ALLTOALL };

	enter(plan, REGION_STEP);
	for (uint64_t i = 0; i < sizeof all / sizeof *all; i++) {
		enter(plan, REGION_COMPUTE);
		tiny_calls(plan, REGION_ATOM, 1, 1);
		work(plan, plan->settings->work *
				   (1 + 0.2 * (double)((plan->rank + plan->step + i) % 4)));
		leave(plan, REGION_COMPUTE);
		collective(plan, all[i], (uint32_t)((plan->step * 8 + i) % plan->settings->ranks),
			   all[i] == REGION_BARRIER ? 0 : 256);
	}
	leave(plan, REGION_STEP);
}

/* Monte-Carlo: workers throw darts, each with a tiny function, the master adds up. */
static void step_pi(struct plan *plan)
{
	const int32_t n = (int32_t)plan->settings->ranks;

	enter(plan, REGION_STEP);
	if (plan->rank == 0) {
		for (int32_t i = 1; i < n; i++)
			send(plan, i, 1, 64);
		for (int32_t i = 1; i < n; i++)
			receive(plan, i, 2);
	} else {
		receive(plan, 0, 1);
		tiny_calls(plan, REGION_GET_COORDS, 1000, 1);
		send(plan, 0, 2, 64);
	}
	leave(plan, REGION_STEP);
}

enum { TAG_TASK = 1, TAG_ASK = 2, NO_TASK = 4 /* bytes that say: go home */, A_TASK = 4096 };

/* The master gives a task to whoever asks first, as many as steps times workers. */
static void serve(struct plan *plan)
{
	const uint64_t workers = plan->settings->ranks - 1, tasks = workers * plan->settings->steps;

	if (plan->source != ANY) {
		const bool more = plan->tasks < tasks;
		send(plan, plan->source, TAG_TASK, more ? A_TASK : NO_TASK);
		plan->tasks += more;
		plan->ended += !more;
	}
	plan->source = ANY;
	if (plan->ended < workers)
		receive(plan, ANY, TAG_ASK);
	plan->over = plan->ended == workers;
}

static void step_farm(struct plan *plan)
{
	if (plan->rank == 0) {
		serve(plan);
		return;
	}
	plan->over = plan->bytes == NO_TASK;
	if (plan->over)
		return;
	if (plan->bytes == A_TASK) {
		enter(plan, REGION_TASK);
		tiny_calls(plan, REGION_PIECE, 8, 1);
		work(plan, plan->settings->work *
				   (1 + 0.1 * (double)((plan->rank * 7 + plan->step * 3) % 10)));
		leave(plan, REGION_TASK);
	}
	send(plan, 0, TAG_ASK, 512);
	receive(plan, 0, TAG_TASK);
}

/* ---- programs by text ---- */

/* A word of a script: a letter, a number, a tag. */
static void script_word(struct plan *plan, char letter, double number, uint16_t tag)
{
	static const struct {
		char letter;
		enum op_kind kind;
		enum region_id region;
	} calls[] = {
		{ 's', OP_SEND, REGION_SEND },          { 'S', OP_SSEND, REGION_SSEND },
		{ 'i', OP_ISEND, REGION_ISEND },        { 'r', OP_RECV, REGION_RECV },
		{ 'j', OP_IRECV, REGION_IRECV },        { 'w', OP_WAITALL, REGION_WAITALL },
		{ 'b', OP_COLLECTIVE, REGION_BARRIER }, { 'B', OP_COLLECTIVE, REGION_BCAST },
		{ 'R', OP_COLLECTIVE, REGION_REDUCE },  { 'A', OP_COLLECTIVE, REGION_ALLREDUCE },
		{ 'P', OP_COLLECTIVE, REGION_SCAN },
	};

	if (letter == 'f') {
		const enum region_id region = (enum region_id)(REGION_POINT + plan->tasks++ % 4);
		enter(plan, region);
		vec_push(&plan->ops, ((struct op){ .kind = OP_WORK, .work = pico(number * 1e-6) }));
		leave(plan, region);
		return;
	}
	if (letter == 'c' || letter == 'p') {
		vec_push(&plan->ops, ((struct op){ .kind = letter == 'c' ? OP_WORK : OP_PROBE,
						   .work = pico(number * 1e-6) }));
		return;
	}
	if (letter == 'a') {
		receive(plan, ANY, tag);
		return;
	}
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i].letter == letter)
			message(plan, calls[i].kind, calls[i].region, (int32_t)number, tag,
				letter == 'b' ? 0 : 8);
}

static void fill_script(struct plan *plan)
{
	const char *at = plan->settings->script[plan->rank];

	while (*at) {
		const char letter = *at++;
		double number = 0;
		uint16_t tag = 0;
		char *end;

		if (letter == ' ')
			continue;
		if (*at != '.') {
			/* Ranks have no fraction: what is after their point is a tag. */
			number = strchr("cpf", letter) ? strtod(at, &end)
						       : (double)strtol(at, &end, 10);
			at = end;
		}
		if (*at == '.') {
			tag = (uint16_t)strtol(at + 1, &end, 10);
			at = end;
		}
		script_word(plan, letter, number, tag);
	}
}

/* ---- all of a rank ---- */

static const struct {
	const char *name;
	void (*step)(struct plan *plan);
	uint32_t least; /* ranks */
} programs[] = {
	{ "ring", step_ring, 2 },   { "stencil", step_stencil, 1 },
	{ "sweep", step_sweep, 1 }, { "collectives", step_collectives, 1 },
	{ "pi", step_pi, 2 },       { "farm", step_farm, 2 },
	{ "chain", step_chain, 2 }, { "halo", step_halo, 2 },
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

const char *program_names(void)
{
	return "ring, stencil, sweep, collectives, pi, farm, chain, halo";
}

bool program_init(struct program *program, const struct settings *settings)
{
	memset(program, 0, sizeof *program);
	program->settings = settings;
	program->scripted = strcmp(settings->program, "script") == 0;
	/* As square as it can be. */
	program->columns = (uint32_t)sqrt((double)settings->ranks);
	while (settings->ranks % program->columns)
		program->columns--;
	program->rows = settings->ranks / program->columns;
	for (size_t i = 0; i < PROGRAMS; i++)
		if (strcmp(programs[i].name, settings->program) == 0 &&
		    settings->ranks >= programs[i].least)
			program->step = programs[i].step;
	return program->step != NULL || (program->scripted && settings->script);
}

static void begin(struct plan *plan)
{
	/* mpiexec starts one process after the other. */
	work(plan, 20e-6 * (double)(plan->rank % 64));
	enter(plan, REGION_MAIN);
	call(plan, OP_INIT, REGION_INIT);
	call(plan, OP_MEASURE, REGION_OFFSETS);
	if (plan->settings->sleep_before > 0) {
		enter(plan, REGION_SLEEP);
		work(plan, plan->settings->sleep_before);
		leave(plan, REGION_SLEEP);
	}
}

static void end(struct plan *plan)
{
	if (plan->settings->sleep_after > 0) {
		enter(plan, REGION_SLEEP);
		work(plan, plan->settings->sleep_after);
		leave(plan, REGION_SLEEP);
	}
	call(plan, OP_FINALIZE, REGION_FINALIZE);
	leave(plan, REGION_MAIN);
}

bool plan_fill(struct plan *plan)
{
	const struct program *program = plan->program;
	const bool farm = program->step == step_farm;

	plan->ops.n -= plan->at;
	if (plan->ops.n)
		memmove(plan->ops.data, plan->ops.data + plan->at,
			plan->ops.n * sizeof *plan->ops.data);
	plan->at = 0;
	if (program->scripted) {
		if (plan->step)
			return false;
		fill_script(plan);
	} else if (plan->step == 0) {
		plan->source = ANY;
		begin(plan);
	} else if (!plan->over) {
		plan->over = !farm && plan->step > plan->settings->steps;
		if (!plan->over && plan->settings->every > 1 && plan->step % plan->settings->every)
			work(plan, plan->settings->work);
		else if (!plan->over)
			program->step(plan);
		if (plan->over)
			end(plan);
	} else {
		return false;
	}
	plan->step++;
	return true;
}
