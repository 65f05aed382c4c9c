/* Feeds the builder a made-up trace, as a reader would, and says what a step costs: appending,
 * finishing, asking. Without parsing, so that the store shows alone.
 *
 *	store_feed [EVENTS [RANKS [JOBS]]]
 *
 * Without JOBS the ranks are fed by turns, as a file sorted by time would be; with it location by
 * location, each thread its child. Then the time of the main thread stands beside that of all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/jobs.h"
#include "bench/programs/cost.h"
#include "model/build/builder.h"
#include "model/sums/profile.h"
#include "model/sums/shading.h"

static long peak_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

struct feed {
	struct builder *b, *child[JOBS_MOST];
	uint64_t turns; /* of each rank */
	uint32_t compute, inner, send, recv, reduce, reduce_region;
	uint32_t ranks;
};

/* One turn of a rank: 14 events. A ring: everybody sends to the right and receives from the
 * left. */
static void turn(const struct feed *f, struct builder *b, uint32_t rank, int64_t t)
{
	struct message_end out = {
		.rank = (int32_t)((rank + 1) % f->ranks), .process = -1, .tag = 7, .bytes = 1024
	};
	struct message_end in = { .rank = (int32_t)((rank + f->ranks - 1) % f->ranks),
				  .process = -1,
				  .tag = 7,
				  .bytes = 1024 };

	builder_enter(b, rank, t, f->compute);
	builder_enter(b, rank, t + 100, f->inner);
	builder_leave(b, rank, t + 400, f->inner);
	builder_leave(b, rank, t + 500, f->compute);
	builder_enter(b, rank, t + 510, f->send);
	builder_send(b, rank, t + 510, &out);
	builder_leave(b, rank, t + 530, f->send);
	builder_enter(b, rank, t + 540, f->recv);
	builder_recv(b, rank, t + 600, &in);
	builder_leave(b, rank, t + 600, f->recv);
	builder_enter(b, rank, t + 610, f->reduce);
	builder_collective_begin(b, rank, t + 610, 0, f->reduce_region, -1, 8, UINT64_MAX);
	builder_collective_end(b, rank, t + 700, UINT64_MAX, 8);
	builder_leave(b, rank, t + 700, f->reduce);
}

static void feed_rank(void *context, unsigned worker, size_t rank)
{
	const struct feed *f = context;

	for (uint64_t i = 0; i < f->turns; i++)
		turn(f, f->child[worker], (uint32_t)rank, (int64_t)i * 1000);
}

static void feed(struct feed *f, uint64_t events, unsigned jobs)
{
	f->compute = builder_site(f->b, builder_region(f->b, "compute", CLASS_USER, 1), 0, 0, 1);
	f->inner = builder_site(f->b, builder_region(f->b, "inner", CLASS_USER, 2), 0, 0, 2);
	f->send = builder_site(f->b, builder_region(f->b, "send", CLASS_P2P, -21), 0, 0, -21);
	f->recv = builder_site(f->b, builder_region(f->b, "recv", CLASS_P2P, -51), 0, 0, -51);
	f->reduce_region = builder_region(f->b, "allreduce", CLASS_COLLECTIVE, -782);
	f->reduce = builder_site(f->b, f->reduce_region, 0, 0, -782);
	for (uint32_t r = 0; r < f->ranks; r++)
		builder_location(f->b, &(struct location){ .rank = (int32_t)r, .process = -1 });
	if (jobs == 0) {
		for (uint64_t i = 0; i < events / 14; i++)
			turn(f, f->b, (uint32_t)(i % f->ranks), (int64_t)(i / f->ranks) * 1000);
		return;
	}
	f->turns = events / 14 / f->ranks;
	for (unsigned i = 0; i < jobs; i++)
		f->child[i] = builder_fork(f->b);
	jobs_run(jobs, f->ranks, feed_rank, f);
}

/* What a frame, a window's messages and a profile take; n events. */
static bool time_queries(struct trace *trace, uint32_t ranks, double n)
{
	enum { CELLS = 200, ROWS = 50 };
	static uint64_t sums[CELLS * SHADING_SLOTS];
	static int64_t edges[CELLS + 1];
	struct err err = ERR_INIT;
	struct profile profile;
	int64_t begin, end;
	uint32_t row, hits = 0;
	struct span_query q;
	double t0;

	trace_span(trace, BASE_MEASURED, &begin, &end);
	for (int zoom = 0; zoom < 3; zoom++) {
		for (int i = 0; i <= CELLS; i++)
			edges[i] = begin + (end - begin) / 3 +
				   ((end - begin) >> (8 * zoom)) * i / CELLS / 3;
		t0 = cpu_ms();
		for (int k = 0; k < 10; k++)
			for (uint32_t r = 0; r < ROWS; r++)
				shading_sweep(trace_class_shading(trace, BASE_MEASURED), r % ranks,
					      edges, CELLS, sums);
		printf("frame %dx%d of 1/%d: %.2f ms\n", CELLS, ROWS, 3 << (8 * zoom),
		       (cpu_ms() - t0) / 10);
	}
	t0 = cpu_ms();
	messages_in_window(&q, trace, BASE_MEASURED, end / 2, end / 2 + 2000);
	while (span_query_next(&q, &row))
		hits++;
	printf("%u messages in a window: %.3f ms\n", hits, cpu_ms() - t0);
	t0 = cpu_ms();
	if (!profile_make(&profile, trace, BASE_MEASURED, PROFILE_REGION, NULL, 0, INT64_MIN,
			  INT64_MAX, NULL, &err))
		return false;
	printf("profile of all: %.1f ns/event\n", 1e6 * (cpu_ms() - t0) / n);
	profile_fini(&profile);
	return true;
}

int main(int argc, char **argv)
{
	const uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	struct feed f = { .ranks = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 16 };
	struct err err = ERR_INIT;
	const unsigned jobs = argc > 3 ? jobs_count(atoi(argv[3])) : 0;
	const long before = peak_kib();
	struct trace *trace;
	double t0, t1, t2, t1_own, t2_own;

	t0 = cpu_ms();
	f.b = builder_new("feed", &units_nanoseconds, &err);
	if (!f.b) {
		fprintf(stderr, "store_feed: %s\n", err.text);
		return 1;
	}
	feed(&f, events, jobs);
	const double fed = cpu_ms(), fed_own = ms_of(CLOCK_THREAD_CPUTIME_ID);
	if (jobs > 0)
		builder_join(f.b, f.child, jobs);
	t1 = cpu_ms();
	t1_own = ms_of(CLOCK_THREAD_CPUTIME_ID);
	printf("appended, peak %ld KiB\n", peak_kib() - before);
	trace = builder_finish(f.b, &(struct builder_options){ .jobs = jobs ? (int)jobs : 1 }, NULL,
			       &err);
	t2 = cpu_ms();
	t2_own = ms_of(CLOCK_THREAD_CPUTIME_ID);
	if (!trace) {
		fprintf(stderr, "store_feed: %s\n", err.text);
		return 1;
	}
	const double n = (double)trace_event_count(trace);
	printf("%.0f events, %u messages, %u collectives\n", n, trace_message_count(trace),
	       trace_collective_count(trace));
	printf("append %.1f ns/event, finish %.1f ns/event, peak %ld KiB: %.1f B/event\n",
	       1e6 * (t1 - t0) / n, 1e6 * (t2 - t1) / n, peak_kib() - before,
	       1024.0 * (double)(peak_kib() - before) / n);

	if (jobs > 0)
		printf("of these %.1f joining; main thread: append %.1f, join %.1f, finish %.1f ns/event\n",
		       1e6 * (t1 - fed) / n, 1e6 * fed_own / n, 1e6 * (t1_own - fed_own) / n,
		       1e6 * (t2_own - t1_own) / n);
	if (!time_queries(trace, f.ranks, n))
		return 1;
	trace_free(trace);
	return 0;
}
