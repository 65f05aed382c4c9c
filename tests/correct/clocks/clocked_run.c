#include "correct/clocks/clocked_run.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "harness/random.h"
#include "model/build/builder.h"

enum { MOST_LOCATIONS = 64, COMMS = 3, WAITING = 8 };

/* 0 .. 1 */
static double clocked_part(uint64_t *state)
{
	return (double)xorshift_below(state, 1 << 24) / (1 << 24);
}

struct clocked_options clocked_options(uint64_t seed, bool consistent)
{
	static const int64_t rates[] = { 1000000, 1000000000, 2600000000, 1000000000000 };
	uint64_t r = seed * 0x9e3779b97f4a7c15u + 1;
	struct clocked_options o = { .seed = seed };

	for (int i = 0; i < 8; i++)
		xorshift_below(&r, 2);
	o.locations = 2 + (uint32_t)xorshift_below(&r, 6);
	o.operations = 5 + (uint32_t)xorshift_below(&r, 120);
	o.per_second = rates[xorshift_below(&r, 4)];
	o.nodes = (uint32_t)xorshift_below(&r, 4);
	o.latency = 1 + o.per_second / 500000;
	o.step = 1 + (int64_t)xorshift_below(&r, 4) * o.latency;
	o.no_groups = xorshift_below(&r, 4) == 0;
	o.coarse = 1;
	if (xorshift_below(&r, 4) == 0)
		o.coarse = 1 + (int64_t)xorshift_below(&r, (uint64_t)o.latency);
	if (consistent)
		return o;
	if (xorshift_below(&r, 2))
		o.offset = clocked_part(&r) * 20 * (double)o.latency;
	if (xorshift_below(&r, 3) == 0)
		o.drift = clocked_part(&r) * 0.01;
	if (xorshift_below(&r, 3) == 0)
		o.jump = clocked_part(&r) * 30 * (double)o.latency;
	if (xorshift_below(&r, 3) == 0)
		o.jitter = clocked_part(&r) * 3 * (double)o.latency;
	o.impossible = xorshift_below(&r, 8) == 0;
	return o;
}

/* A message on its way. */
struct flight {
	uint32_t from, to;
	int32_t tag;
	double arrives;
	bool posted;
	int64_t request;
};

struct run {
	const struct clocked_options *o;
	uint64_t random;
	struct builder *b;
	double now[MOST_LOCATIONS]; /* true */
	double offset[MOST_LOCATIONS], drift[MOST_LOCATIONS];
	int64_t last[MOST_LOCATIONS]; /* as written */
	uint32_t comm[COMMS], size[COMMS];
	int32_t ranks[COMMS][MOST_LOCATIONS];
	uint32_t user, init, finalize;
	struct flight flights[WAITING];
	int in_flight;
	int64_t next_request;
};

static double spread(struct run *run, double most)
{
	return (2 * clocked_part(&run->random) - 1) * most;
}

static void pass(struct run *run, uint32_t l)
{
	run->now[l] += (double)xorshift_below(&run->random, (uint64_t)(2 * run->o->step));
}

/* What a location's clock shows. */
static int64_t read_clock(struct run *run, uint32_t l)
{
	const struct clocked_options *o = run->o;
	double t;
	int64_t ticks;

	if (o->jump > 0 && xorshift_below(&run->random, 20) == 0)
		run->offset[l] += clocked_part(&run->random) * o->jump;
	t = run->now[l] + run->offset[l] + run->drift[l] * run->now[l];
	if (o->jitter > 0)
		t += clocked_part(&run->random) * o->jitter;
	ticks = (int64_t)t / o->coarse * o->coarse;
	if (ticks < run->last[l])
		ticks = run->last[l];
	run->last[l] = ticks;
	return ticks;
}

static void local(struct run *run, uint32_t l)
{
	pass(run, l);
	builder_mark(run->b, l, read_clock(run, l), run->user);
}

static struct message_end end_of(uint32_t peer, int32_t tag, bool request, int64_t id)
{
	return (struct message_end){ .rank = (int32_t)peer,
				     .process = -1,
				     .tag = tag,
				     .bytes = 8,
				     .has_request = request,
				     .request = id };
}

static void send(struct run *run, uint32_t from, uint32_t to, int32_t tag)
{
	const bool request = xorshift_below(&run->random, 3) == 0;
	struct message_end end = end_of(to, tag, request, run->next_request);

	pass(run, from);
	end.flags = request ? MSG_SEND_REQUEST : 0;
	builder_send(run->b, from, read_clock(run, from), &end);
	if (request) {
		pass(run, from);
		builder_send_complete(run->b, from, read_clock(run, from), run->next_request++, 0);
	}
}

static void receive(struct run *run, const struct flight *f)
{
	struct message_end end = end_of(f->from, f->tag, f->posted, f->request);

	pass(run, f->to);
	if (run->now[f->to] < f->arrives)
		run->now[f->to] = f->arrives;
	end.flags = f->posted ? MSG_RECV_REQUEST : 0;
	builder_recv(run->b, f->to, read_clock(run, f->to), &end);
}

/* A receive is posted before the send, or the message is taken by a blocking one. */
static void start_message(struct run *run)
{
	struct flight *f = &run->flights[run->in_flight];
	struct message_end any;

	f->from = (uint32_t)xorshift_below(&run->random, run->o->locations);
	f->to = (uint32_t)xorshift_below(&run->random, run->o->locations);
	f->tag = (int32_t)run->next_request; /* one of its own: overtaking is another test's */
	f->posted = xorshift_below(&run->random, 3) == 0;
	f->request = run->next_request++;
	if (f->posted) {
		any = end_of(f->from, f->tag, true, f->request);
		if (xorshift_below(&run->random, 2)) { /* a wildcard: the completion knows */
			any.rank = RANK_UNKNOWN;
			any.tag = 0;
			any.flags = MSG_NO_TAG;
		}
		any.flags |= MSG_RECV_REQUEST;
		pass(run, f->to);
		builder_recv_request(run->b, f->to, read_clock(run, f->to), &any);
	}
	if (run->o->impossible && f->from != f->to && xorshift_below(&run->random, 4) == 0) {
		/* Both receive before they send. */
		const struct flight back = { .from = f->to, .to = f->from, .tag = -f->tag - 1 };
		receive(run, f);
		receive(run, &back);
		send(run, f->from, f->to, f->tag);
		send(run, back.from, back.to, back.tag);
		return;
	}
	send(run, f->from, f->to, f->tag);
	f->arrives = run->now[f->from] + (double)run->o->latency;
	run->in_flight++;
}

static void end_message(struct run *run)
{
	const int which = (int)xorshift_below(&run->random, (uint64_t)run->in_flight);

	receive(run, &run->flights[which]);
	run->flights[which] = run->flights[--run->in_flight];
}

/* ---- collectives ---- */

enum shape { ALL, FROM_ROOT, TO_ROOT, LOWER, NEXT };

static const struct {
	const char *name;
	enum shape shape;
} kinds[] = {
	{ "MPI_Barrier", ALL },
	{ "MPI_Bcast", FROM_ROOT },
	{ "MPI_Scatter", FROM_ROOT },
	{ "MPI_Reduce", TO_ROOT },
	{ "MPI_Gather", TO_ROOT },
	{ "MPI_Allreduce", ALL },
	{ "MPI_Allgatherv", ALL },
	{ "MPI_Scan", LOWER },
	{ "MPI_Exscan", LOWER },
	{ "MPI_Alltoallv", ALL },
	{ "MPI_Neighbor_allgather", NEXT },
};

static bool waits_for(enum shape shape, uint32_t from, uint32_t to, uint32_t root)
{
	switch (shape) {
	case FROM_ROOT: return from == root;
	case TO_ROOT: return to == root;
	case LOWER: return from < to;
	case NEXT: return from + 1 == to || to + 1 == from;
	default: return true;
	}
}

static void collective(struct run *run)
{
	const size_t kind = xorshift_below(&run->random, sizeof kinds / sizeof *kinds);
	const uint32_t c = (uint32_t)xorshift_below(&run->random, COMMS), n = run->size[c];
	const uint32_t root = (uint32_t)xorshift_below(&run->random, n);
	const bool rooted = kinds[kind].shape == FROM_ROOT || kinds[kind].shape == TO_ROOT;
	const uint32_t region =
		builder_region(run->b, kinds[kind].name, CLASS_COLLECTIVE, (int32_t)(100 + kind));
	const int32_t name = rooted ? run->ranks[c][root] : -1;
	double begin[MOST_LOCATIONS];
	uint64_t bytes[MOST_LOCATIONS][2];

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t l = (uint32_t)run->ranks[c][i];
		for (int way = 0; way < 2; way++)
			bytes[i][way] = xorshift_below(&run->random, 6) == 0 ? 0 : 8;
		if (xorshift_below(&run->random, 20) == 0)
			bytes[i][0] = UINT64_MAX;
		pass(run, l);
		begin[i] = run->now[l];
		builder_collective_begin(run->b, l, read_clock(run, l), run->comm[c], region, name,
					 bytes[i][0], bytes[i][1]);
		if (xorshift_below(&run->random, 4) == 0)
			local(run, l);
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t l = (uint32_t)run->ranks[c][i];
		pass(run, l);
		for (uint32_t j = 0; j < n; j++)
			if (j != i && waits_for(kinds[kind].shape, j, i, root) &&
			    run->now[l] < begin[j] + (double)run->o->latency)
				run->now[l] = begin[j] + (double)run->o->latency;
		builder_collective_end(run->b, l, read_clock(run, l), bytes[i][0], bytes[i][1]);
	}
}

/* All enter, then all leave. */
static void world_call(struct run *run, uint32_t site)
{
	const uint32_t n = run->o->locations;
	double latest = 0;

	for (uint32_t l = 0; l < n; l++) {
		pass(run, l);
		builder_enter(run->b, l, read_clock(run, l), site);
		latest = run->now[l] > latest ? run->now[l] : latest;
	}
	for (uint32_t l = 0; l < n; l++) {
		run->now[l] = latest + (double)run->o->latency;
		pass(run, l);
		builder_leave(run->b, l, read_clock(run, l), site);
	}
}

/* ---- the run ---- */

/* The ranks of a communicator form a line; not those of the world. */
static void define_line(struct run *run, uint32_t c)
{
	const int32_t size = (int32_t)run->size[c];
	const uint8_t periodic = 0;
	int32_t coords[MOST_LOCATIONS];
	const struct topology line = { .comm = run->comm[c],
				       .dims = 1,
				       .size = &size,
				       .periodic = &periodic,
				       .coords = coords };

	for (int32_t i = 0; i < size; i++)
		coords[i] = i;
	builder_topology(run->b, &line, run->size[c]);
}

static void define(struct run *run)
{
	const struct clocked_options *o = run->o;
	struct builder *b = run->b;

	run->user = builder_site(b, builder_region(b, "work", CLASS_USER, 1), 0, 0, 1);
	run->init = builder_site(b, builder_region(b, "MPI_Init", CLASS_MPI_OTHER, 2), 0, 0, 2);
	run->finalize =
		builder_site(b, builder_region(b, "MPI_Finalize", CLASS_MPI_OTHER, 3), 0, 0, 3);
	for (uint32_t l = 0; l < o->locations; l++) {
		char name[8] = "node0";
		builder_location(b, &(struct location){ .rank = (int32_t)l, .process = -1 });
		if (o->nodes) {
			name[4] = (char)('0' + l % o->nodes);
			builder_location_node(b, l, builder_string(b, name, 5));
		}
		run->offset[l] = spread(run, o->offset);
		run->drift[l] = clocked_part(&run->random) * o->drift;
		run->now[l] = (double)(100 * o->latency);
		run->last[l] = INT64_MIN / 8;
	}
	for (uint32_t c = 0; c < COMMS; c++) {
		run->size[c] = c == 0 ? o->locations
				      : 1 + (uint32_t)xorshift_below(&run->random, o->locations);
		for (uint32_t i = 0; i < run->size[c]; i++)
			run->ranks[c][i] = (int32_t)i;
		if (c == 0)
			continue;
		for (uint32_t i = 0; i < run->size[c]; i++) { /* some, in some order */
			const uint32_t with = (uint32_t)xorshift_below(&run->random, run->size[c]);
			const int32_t was = run->ranks[c][i];
			run->ranks[c][i] = run->ranks[c][with];
			run->ranks[c][with] = was;
		}
		run->comm[c] = builder_comm(b, "some", run->ranks[c], run->size[c], (int32_t)c);
		define_line(run, c);
	}
}

static void operate(struct run *run)
{
	const uint32_t l = (uint32_t)xorshift_below(&run->random, run->o->locations);

	switch (xorshift_below(&run->random, 8)) {
	case 0:
	case 1: local(run, l); break;
	case 2:
		if (!run->o->no_groups)
			collective(run);
		break;
	case 3:
		if (xorshift_below(&run->random, 8) == 0) /* nobody receives it */
			send(run, l, (l + 1) % run->o->locations, 100000 + run->in_flight);
		break;
	case 4:
	case 5:
		if (run->in_flight < WAITING)
			start_message(run);
		break;
	default:
		if (run->in_flight)
			end_message(run);
	}
}

struct trace *clocked_run(const struct clocked_options *options)
{
	const struct timescale scale = { options->per_second, 9 };
	struct run *run = xcalloc(1, sizeof *run);
	struct err err = ERR_INIT;
	struct trace *trace;

	assert(options->locations <= MOST_LOCATIONS);
	run->o = options;
	run->random = options->seed * 0x9e3779b97f4a7c15u | 1;
	run->b = builder_new("random", &scale, &err);
	define(run);
	for (uint32_t l = 0; l < options->locations; l++)
		local(run, l);
	if (!options->no_groups)
		world_call(run, run->init);
	for (uint32_t i = 0; i < options->operations; i++)
		operate(run);
	while (run->in_flight)
		end_message(run);
	if (!options->no_groups)
		world_call(run, run->finalize);
	trace = builder_finish(run->b, NULL, NULL, &err);
	free(run);
	assert(trace);
	return trace;
}
