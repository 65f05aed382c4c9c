#include "ui/tutor/tutor_trace.h"

#include "model/build/builder.h"

/* The lines of the source that the trace names; a test compares them. */
enum {
	LINE_SMOOTH = 6,
	LINE_RELAX = 18,
	LINE_CALL_SMOOTH = 24,
	LINE_EXCHANGE = 28,
	LINE_SEND = 30,
	LINE_RECV = 31,
	LINE_MAIN = 34,
	LINE_INIT = 39,
	LINE_RANK = 40,
	LINE_SIZE = 41,
	LINE_CALL_RELAX = 43,
	LINE_CALL_EXCHANGE = 44,
	LINE_ALLREDUCE = 45,
	LINE_FINALIZE = 47
};

static const char source[] =
	"/* heat.c: heat in a rod. Each rank has a piece of it. This is the tutor's program. */\n"
	"#include <mpi.h>\n"
	"\n"
	"enum { CELLS = 1000, STEPS = 10 };\n"
	"\n"
	"static double smooth(double *rod)\n"
	"{\n"
	"	double change = 0;\n"
	"\n"
	"	for (int i = 1; i < CELLS; i++) {\n"
	"		const double mean = (rod[i - 1] + rod[i] + rod[i + 1]) / 3;\n"
	"		change += (mean - rod[i]) * (mean - rod[i]);\n"
	"		rod[i] = mean;\n"
	"	}\n"
	"	return change;\n"
	"}\n"
	"\n"
	"static double relax(double *rod, int rank)\n"
	"{\n"
	"	double change = 0;\n"
	"	const int times = rank == 2 ? 3 : 1; /* why? */\n"
	"\n"
	"	for (int i = 0; i < times; i++)\n"
	"		change = smooth(rod);\n"
	"	return change;\n"
	"}\n"
	"\n"
	"static void exchange(double *rod, int left, int right)\n"
	"{\n"
	"	MPI_Send(&rod[CELLS - 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);\n"
	"	MPI_Recv(&rod[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
	"}\n"
	"\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	double rod[CELLS + 1] = { 0 }, change = 0, sum;\n"
	"	int rank, size;\n"
	"\n"
	"	MPI_Init(&argc, &argv);\n"
	"	MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
	"	MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
	"	for (int step = 0; step < STEPS; step++) {\n"
	"		change = relax(rod, rank);\n"
	"		exchange(rod, (rank + size - 1) % size, (rank + 1) % size);\n"
	"		MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n"
	"	}\n"
	"	MPI_Finalize();\n"
	"	return 0;\n"
	"}\n";

const char *tutor_source(void)
{
	return source;
}

/* ns. Ranks need not take the same time to the nanosecond for the same work. */
enum {
	TICK_INIT = 1200000,
	TICK_SMOOTH = 1000000,
	TICK_MPI = 12000,
	TICK_SHORT = 400,
	TICK_FINALIZE = 600000
};

enum { SENT_BYTES = 8 };

struct maker {
	struct builder *b;
	uint32_t file;
	uint32_t allreduce; /* region */
	/* sites */
	uint32_t main, relax, smooth, exchange, init, rank, size, send, recv, reduce, finalize;
	uint32_t locations[TUTOR_RANKS];
	int64_t now[TUTOR_RANKS];
};

static uint32_t user(struct maker *m, const char *name, uint32_t line, uint32_t call)
{
	const uint32_t region = builder_region(m->b, name, CLASS_USER, -1);

	builder_region_source(m->b, region, "heat.c", line);
	return builder_site(m->b, region, call ? m->file : 0, call, -1);
}

static uint32_t mpi(struct maker *m, const char *name, enum region_class cls, uint32_t call)
{
	return builder_site(m->b, builder_region(m->b, name, cls, -1), m->file, call, -1);
}

static void define(struct maker *m)
{
	m->file = builder_string(m->b, "heat.c", 6);
	m->main = user(m, "main", LINE_MAIN, 0);
	m->smooth = user(m, "smooth", LINE_SMOOTH, LINE_CALL_SMOOTH);
	m->relax = user(m, "relax", LINE_RELAX, LINE_CALL_RELAX);
	m->exchange = user(m, "exchange", LINE_EXCHANGE, LINE_CALL_EXCHANGE);
	m->init = mpi(m, "MPI_Init", CLASS_START_END, LINE_INIT);
	m->rank = mpi(m, "MPI_Comm_rank", CLASS_MPI_OTHER, LINE_RANK);
	m->size = mpi(m, "MPI_Comm_size", CLASS_MPI_OTHER, LINE_SIZE);
	m->send = mpi(m, "MPI_Send", CLASS_P2P, LINE_SEND);
	m->recv = mpi(m, "MPI_Recv", CLASS_P2P, LINE_RECV);
	m->reduce = mpi(m, "MPI_Allreduce", CLASS_COLLECTIVE, LINE_ALLREDUCE);
	m->finalize = mpi(m, "MPI_Finalize", CLASS_START_END, LINE_FINALIZE);
	m->allreduce = builder_site_region(m->b, m->reduce);
	for (int r = 0; r < TUTOR_RANKS; r++)
		m->locations[r] = builder_location(m->b, &(struct location){ .rank = r,
									     .process = -1,
									     .owner = UINT32_MAX });
	builder_property(m->b, "program", "./heat");
}

/* The rank is in a function for so long. */
static void spend(struct maker *m, int rank, uint32_t site, int64_t ticks)
{
	builder_enter(m->b, m->locations[rank], m->now[rank], site);
	m->now[rank] += ticks;
	builder_leave(m->b, m->locations[rank], m->now[rank], site);
}

/* Some per cent more or less, the same in each run. */
static int64_t smoothing(int rank, int step, int time)
{
	const unsigned scatter = (unsigned)(rank * 37 + step * 53 + time * 29) % 41;

	return TICK_SMOOTH + ((int64_t)scatter - 20) * 2000;
}

static struct message_end end_of(int partner)
{
	return (struct message_end){ .rank = partner, .process = -1, .bytes = SENT_BYTES };
}

static void work_and_send(struct maker *m, int rank, int step, int64_t *sent)
{
	const int times = rank == TUTOR_LATE_RANK ? TUTOR_MORE : 1;
	const struct message_end end = end_of((rank + 1) % TUTOR_RANKS);

	builder_enter(m->b, m->locations[rank], m->now[rank], m->relax);
	for (int i = 0; i < times; i++) {
		m->now[rank] += TICK_SHORT;
		spend(m, rank, m->smooth, smoothing(rank, step, i));
	}
	m->now[rank] += TICK_SHORT;
	builder_leave(m->b, m->locations[rank], m->now[rank], m->relax);
	builder_enter(m->b, m->locations[rank], m->now[rank], m->exchange);
	m->now[rank] += TICK_SHORT;
	builder_enter(m->b, m->locations[rank], m->now[rank], m->send);
	builder_send(m->b, m->locations[rank], m->now[rank], &end);
	*sent = m->now[rank];
	m->now[rank] += TICK_MPI;
	builder_leave(m->b, m->locations[rank], m->now[rank], m->send);
}

/* Until the message is there, which was sent at that time. */
static void receive(struct maker *m, int rank, int64_t sent)
{
	const struct message_end end = end_of((rank + TUTOR_RANKS - 1) % TUTOR_RANKS);

	m->now[rank] += TICK_SHORT;
	builder_enter(m->b, m->locations[rank], m->now[rank], m->recv);
	m->now[rank] = (m->now[rank] > sent ? m->now[rank] : sent) + TICK_MPI;
	builder_recv(m->b, m->locations[rank], m->now[rank], &end);
	builder_leave(m->b, m->locations[rank], m->now[rank], m->recv);
	m->now[rank] += TICK_SHORT;
	builder_leave(m->b, m->locations[rank], m->now[rank], m->exchange);
	m->now[rank] += TICK_SHORT;
}

/* All leave it when the last one has come. */
static void reduce(struct maker *m)
{
	int64_t last = 0;

	for (int r = 0; r < TUTOR_RANKS; r++) {
		last = m->now[r] > last ? m->now[r] : last;
		builder_enter(m->b, m->locations[r], m->now[r], m->reduce);
		builder_collective_begin(m->b, m->locations[r], m->now[r], 0, m->allreduce, -1,
					 SENT_BYTES, SENT_BYTES);
	}
	for (int r = 0; r < TUTOR_RANKS; r++) {
		m->now[r] = last + TICK_MPI + r * TICK_SHORT;
		builder_collective_end(m->b, m->locations[r], m->now[r], SENT_BYTES, SENT_BYTES);
		builder_leave(m->b, m->locations[r], m->now[r], m->reduce);
		m->now[r] += TICK_SHORT;
	}
}

static void run(struct maker *m)
{
	for (int r = 0; r < TUTOR_RANKS; r++) {
		builder_enter(m->b, m->locations[r], 0, m->main);
		m->now[r] = TICK_SHORT;
		spend(m, r, m->init, TICK_INIT);
		spend(m, r, m->rank, TICK_SHORT);
		spend(m, r, m->size, TICK_SHORT);
	}
	for (int step = 0; step < TUTOR_STEPS; step++) {
		int64_t sent[TUTOR_RANKS];

		for (int r = 0; r < TUTOR_RANKS; r++)
			work_and_send(m, r, step, &sent[r]);
		for (int r = 0; r < TUTOR_RANKS; r++)
			receive(m, r, sent[(r + TUTOR_RANKS - 1) % TUTOR_RANKS]);
		reduce(m);
	}
	for (int r = 0; r < TUTOR_RANKS; r++) {
		spend(m, r, m->finalize, TICK_FINALIZE);
		m->now[r] += TICK_SHORT;
		builder_leave(m->b, m->locations[r], m->now[r], m->main);
	}
}

struct trace *tutor_trace(struct err *err)
{
	struct maker m = { .b = builder_new("tutor", &units_nanoseconds, err) };

	if (!m.b)
		return NULL;
	define(&m);
	run(&m);
	return builder_finish(m.b, &(struct builder_options){ .jobs = 1 }, NULL, err);
}
