#include "patterns/causes/planned_run.h"

#include <inttypes.h>
#include <string.h>

#include "harness/built.h"
#include "harness/notation.h"
#include "model/trace/core_wait.h"
#include "model/trace/detail.h"

enum { LATENCY = 10000, CALL = 2000, START = 1000000 };

void planned_run_init(struct planned_run *run, int32_t ranks)
{
	*run = (struct planned_run){ .ranks = ranks, .scale = 1 };
	for (int32_t r = 0; r < ranks; r++) {
		run->number[r] = r;
		run->now[r] = START;
	}
}

static int64_t scaled(const struct planned_run *run, int64_t ticks)
{
	return run->scale * ticks;
}

void planned_run_work(struct planned_run *run, int32_t rank, const char *function, int64_t ticks)
{
	const int64_t from = run->now[rank];

	run->now[rank] += ticks;
	str_add_fmt(&run->text[rank], " %s@%" PRId64 "-%" PRId64, function, scaled(run, from),
		    scaled(run, run->now[rank]));
}

void planned_run_record_cores(struct planned_run *run)
{
	run->cores = true;
}

void planned_run_work_without(struct planned_run *run, int32_t rank, const char *function,
			      int64_t ticks, int64_t without_core)
{
	planned_run_work(run, rank, function, ticks);
	run->core[rank] += scaled(run, without_core);
}

void planned_run_meet_without(struct planned_run *run, int32_t rank, int64_t without_core)
{
	run->core_inside[rank] = scaled(run, without_core);
}

void planned_run_nest(struct planned_run *run, int32_t rank, const char *outer, const char *inner,
		      int n, int64_t ticks)
{
	str_add_fmt(&run->text[rank], " %s@%" PRId64 " {", outer, scaled(run, run->now[rank]));
	for (int i = 0; i < n; i++)
		planned_run_work(run, rank, inner, ticks);
	str_add_fmt(&run->text[rank], " } @%" PRId64, scaled(run, run->now[rank]));
}

void planned_run_recur(struct planned_run *run, int32_t rank, const char *function, int depth,
		       int64_t ticks)
{
	for (int i = 0; i < depth; i++) {
		str_add_fmt(&run->text[rank], " %s@%" PRId64 " {", function,
			    scaled(run, run->now[rank]));
		run->now[rank] += ticks;
	}
	for (int i = 0; i < depth; i++)
		str_add_fmt(&run->text[rank], " } @%" PRId64, scaled(run, run->now[rank]));
}

/* At the begin of a call, and where it was without a core inside just before its end. */
static void record_core(struct planned_run *run, int32_t rank, int64_t end)
{
	str_add_fmt(&run->text[rank], " [metric 0 %" PRId64 " @%" PRId64 "]", run->core[rank],
		    scaled(run, run->now[rank]));
	if (!run->core_inside[rank])
		return;
	run->core[rank] += run->core_inside[rank];
	run->core_inside[rank] = 0;
	str_add_fmt(&run->text[rank], " [metric 0 %" PRId64 " @%" PRId64 "]", run->core[rank],
		    scaled(run, end) - 1);
}

static void meet(struct planned_run *run, const char *call, int line)
{
	int64_t last = 0;

	for (int32_t r = 0; r < run->ranks; r++)
		last = run->now[r] > last ? run->now[r] : last;
	for (int32_t r = 0; r < run->ranks; r++) {
		str_add_fmt(&run->text[r], " %s:%d@%" PRId64 "-%" PRId64 " all 8B", call, line,
			    scaled(run, run->now[r]), scaled(run, last + LATENCY));
		if (run->cores)
			record_core(run, r, last + LATENCY);
		run->now[r] = last + LATENCY;
	}
}

void planned_run_meet_at(struct planned_run *run, int line)
{
	meet(run, "MPI_Allreduce", line);
}

void planned_run_meet(struct planned_run *run)
{
	planned_run_meet_at(run, 7);
}

void planned_run_barrier(struct planned_run *run)
{
	meet(run, "MPI_Barrier", 8);
}

void planned_run_send_tag(struct planned_run *run, int32_t from, int32_t to, int tag, int64_t bytes,
			  int64_t ticks)
{
	const int64_t at = run->now[from];

	run->sent[from][to][tag] = at;
	str_add_fmt(&run->text[from],
		    " MPI_Send:5@%" PRId64 "-%" PRId64 " ->%d tag %d %" PRId64 "B", scaled(run, at),
		    scaled(run, at + CALL + ticks), (int)run->number[to], tag, bytes);
	if (run->cores)
		record_core(run, from, at + CALL + ticks);
	run->now[from] = at + CALL + ticks;
}

void planned_run_receive_tag(struct planned_run *run, int32_t to, int32_t from, int tag,
			     int64_t bytes)
{
	const int64_t at = run->now[to], there = run->sent[from][to][tag] + LATENCY;

	run->now[to] = (at > there ? at : there) + CALL;
	str_add_fmt(&run->text[to], " MPI_Recv:6@%" PRId64 "-%" PRId64 " <-%d tag %d %" PRId64 "B",
		    scaled(run, at), scaled(run, run->now[to]), (int)run->number[from], tag, bytes);
}

void planned_run_send(struct planned_run *run, int32_t from, int32_t to, int64_t bytes,
		      int64_t ticks)
{
	planned_run_send_tag(run, from, to, 0, bytes, ticks);
}

void planned_run_receive(struct planned_run *run, int32_t to, int32_t from, int64_t bytes)
{
	planned_run_receive_tag(run, to, from, 0, bytes);
}

/* Set 0 of metrics. */
static void define_core_waits(struct builder *b)
{
	const uint32_t metric =
		builder_metric(b, &(struct metric){ .name = built_string(b, CORE_WAIT_METRIC),
						    .unit = built_string(b, "s"),
						    .mode = METRIC_ABSOLUTE_POINT,
						    .value = FIELD_UINT,
						    .base = 10,
						    .exponent = -9 });

	assert_int_equal(builder_metric_set(b, &(struct metric_set){ .n = 1,
								     .metrics = &metric,
								     .recorder = UINT32_MAX }),
			 0);
}

struct trace *planned_run_end(struct planned_run *run)
{
	OWNED_STR text = STR_INIT;
	struct notation n;

	str_add_fmt(&text,
		    "ranks %d\nregion MPI_Allreduce class collective\n"
		    "region MPI_Barrier class sync\nregion MPI_Init class startend\n"
		    "region MPI_Finalize class startend\n",
		    (int)run->ranks);
	for (int32_t r = 0; r < run->ranks; r++) {
		str_add_fmt(&text, "rank %d: main@0 { MPI_Init@0-%" PRId64 "%s",
			    (int)run->number[r], scaled(run, START), run->text[r].text);
		str_add_fmt(&text, " MPI_Finalize@%" PRId64 "-%" PRId64 " } @%" PRId64 "\n",
			    scaled(run, run->now[r]), scaled(run, run->now[r] + CALL),
			    scaled(run, run->now[r] + CALL));
		str_fini(&run->text[r]);
	}
	notation_begin(&n, 1000000000);
	if (run->cores)
		define_core_waits(n.b);
	notation_write(&n, "%s", text.text);
	return notation_finish(&n);
}
