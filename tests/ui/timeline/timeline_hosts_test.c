/* Streams of devices under the last thread of the process that uses them, locations with nothing but
 * counters without a row: worked out by hand. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/notation.h"
#include "harness/test.h"
#include "model/trace/detail.h"
#include "ui/timeline/picture/timeline_hosts.h"

/* A stream of process B, one of A, counters of A, two threads of A, one of B, a stream of nobody. */
enum { STREAM_B, STREAM_A, COUNTERS_A, ONE_A, TWO_A, ONE_B, STRAY, LOCATIONS };

static struct trace *made(void)
{
	static const uint8_t types[LOCATIONS] = { LOCATION_ACCELERATOR, LOCATION_ACCELERATOR,
						  LOCATION_METRICS,     LOCATION_CPU,
						  LOCATION_CPU,         LOCATION_CPU,
						  LOCATION_ACCELERATOR };
	const struct process program = { .type = 1, .creator = UINT32_MAX };
	struct notation n;
	uint32_t a, b, of[LOCATIONS];

	notation_begin(&n, 1000000000);
	notation_write(&n, "ranks 7");
	a = builder_process(n.b, &program);
	b = builder_process(n.b, &program);
	of[STREAM_A] = builder_process(n.b, &(struct process){ .type = 2, .creator = a });
	of[STREAM_B] = builder_process(n.b, &(struct process){ .type = 2, .creator = b });
	of[COUNTERS_A] = of[ONE_A] = of[TWO_A] = a;
	of[ONE_B] = b;
	of[STRAY] = UINT32_MAX;
	for (uint32_t l = 0; l < LOCATIONS; l++)
		builder_location_owner(n.b, l, of[l], types[l], l);
	return notation_finish(&n);
}

static void assert_order(const struct trace *trace, const uint32_t *given, uint32_t n,
			 const uint32_t *wanted, uint32_t n_wanted)
{
	uint32_t locations[LOCATIONS];
	OWNED uint32_t *hosts = NULL;
	struct timeline_hosted hosted;

	memcpy(locations, given, n * sizeof *given);
	hosts = timeline_hosts(trace, locations, n);
	timeline_hosted_make(&hosted, trace, hosts, locations, n);
	assert_int_equal(timeline_hosts_order(&hosted, trace, hosts, locations, n), n_wanted);
	for (uint32_t i = 0; i < n_wanted; i++)
		assert_int_equal(locations[i], wanted[i]);
	timeline_hosted_fini(&hosted);
}

TEST(streams_are_under_their_hosts)
{
	static const uint32_t all[] = { 0, 1, 2, 3, 4, 5, 6 };
	static const uint32_t ordered[] = { ONE_A, TWO_A, STREAM_A, ONE_B, STREAM_B, STRAY };
	/* Without a host that is shown they have rows of their own, where they are. */
	static const uint32_t some[] = { STREAM_B, STREAM_A, COUNTERS_A, ONE_B };
	static const uint32_t left[] = { STREAM_A, COUNTERS_A, ONE_B, STREAM_B };
	struct trace *trace = made();

	assert_order(trace, all, 7, ordered, 6);
	assert_order(trace, some, 4, left, 4);
	trace_free(trace);
}

TEST(counters_know_their_host)
{
	static const uint32_t all[] = { 0, 1, 2, 3, 4, 5, 6 };
	struct trace *trace = made();
	OWNED uint32_t *hosts = timeline_hosts(trace, all, LOCATIONS);
	struct timeline_hosted hosted;

	assert_int_equal(hosts[COUNTERS_A], TWO_A);
	assert_int_equal(hosts[STREAM_B], ONE_B);
	assert_int_equal(hosts[STRAY], UINT32_MAX);
	assert_int_equal(hosts[ONE_A], UINT32_MAX);
	timeline_hosted_make(&hosted, trace, hosts, all, LOCATIONS);
	assert_int_equal(hosted.first[TWO_A], STREAM_A);
	assert_int_equal(hosted.next[STREAM_A], COUNTERS_A);
	assert_int_equal(hosted.next[COUNTERS_A], UINT32_MAX);
	assert_int_equal(hosted.first[ONE_A], UINT32_MAX);
	timeline_hosted_fini(&hosted);
	trace_free(trace);
}
