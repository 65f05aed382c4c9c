#include "correct/clock_cases.h"

#include <string.h>

const struct clock_case clock_cases[] = {
	{ .name = "both ways", .most = 2.5 },
	{ .name = "links differ by half", .spread = 0.5, .most = 7 },
	{ .name = "records wrong by 200 us", .noise = 200e-6, .most = 2.5 },
	{ .name = "good records", .noise = 0.5e-6, .rtt = 3e-6, .most = 1.5 },
	{ .name = "100 us, nothing reversed", .latency = 100e-6, .most = 8 },
	{ .name = "5 us up, 200 us down",
	  .latency = 5e-6,
	  .down = 200e-6,
	  .jitter = 5e-6,
	  .most = 13 },
	{ .name = "the same, a grid of ranks",
	  .program = "stencil",
	  .latency = 5e-6,
	  .down = 200e-6,
	  .jitter = 5e-6,
	  .most = 13 },
	{ .name = "a rank receives 100 us late", .late = 100e-6, .most = 13 },
	{ .name = "heavy tail", .latency = 5e-6, .jitter = 1e-7, .tail = 10e-6, .most = 3 },
	{ .name = "2 us inside pairs, 3 ms between",
	  .node_ranks = 2,
	  .latency = 3e-3,
	  .intra = 2e-6,
	  .jitter = 2e-6,
	  .most = 14 },
	{ .name = "two islands", .islands = 2, .most = 12 },
	{ .name = "one direction only", .program = "chain", .most = 14 },
	{ .name = "three exchanges", .every = 30, .most = 14 },
	{ .name = "collectives", .program = "collectives", .most = 9 },
	{ .name = "sweep", .program = "sweep", .most = 8 },
	{ .name = "sine", .sine = 2e-4, .most = 12 },
	{ .name = "slews", .slew = 5e-4, .most = 8 },
	{ .name = "records over the links", .cristian = true, .most = 1.5 },
	{ .name = "random walk of rates", .walk = 3e-6, .most = 4 },
	/* In the ten minutes to a record clocks wander by 17e-9 (600^3 / 3)^0.5 = 144 us, which is
	 * what interpolation is wrong by; messages of the run itself leave 20 us and random errors of
	 * 10, of which the middle has the smallest ones: a tenth. */
	{ .name = "20 minutes, drifts as measured", .cristian = true, .far = true, .share = 0.1 },
	{ .name = "step of 500 us", .step = 500e-6, .most = 6 },
	/* When a clock was set is known to within a step of the program, which are 200: one of them on
	 * the wrong side, on two ranks of six, is 500 us (2 / 6 / 200)^0.5. */
	{ .name = "step of a node",
	  .node_ranks = 2,
	  .step = 500e-6,
	  .of_node = true,
	  .most = 20.4 },
	{ .name = "step of -20 ms, held back", .step = -20e-3, .most = 250 },
	/* Records are wrong by half of 195 us, all in one direction: interpolation by that times
	 * 5^0.5 / 6. Without MPI_Init and MPI_Finalize, in which ranks wait that come early, nobody
	 * could know; with them the truth is nearer to the other end of the room, whose middle is
	 * half as far off. */
	{ .name = "records over asymmetric links",
	  .latency = 5e-6,
	  .down = 200e-6,
	  .jitter = 5e-6,
	  .cristian = true,
	  .share = 0.5 },
};
const size_t clock_cases_n = sizeof clock_cases / sizeof *clock_cases;

/* A program of less than a second in the middle of 20 minutes, as in the fourth paper (references.md):
 * there interpolation is wrong by tens to hundreds of microseconds. Clocks of 20,000 hosts were
 * wrong by 78 ppm (median), and vary by a few ppm in a day: 17e-9 times the root of seconds. */
static void set_far(struct settings *s)
{
	s->sleep_before = s->sleep_after = 600;
	s->walk = 17e-9;
	s->walk_interval = 1;
}

struct settings clock_case_settings(const struct clock_case *c, uint64_t seed)
{
	struct settings s = SETTINGS_DEFAULTS;

	s.program = c->program ? c->program : "halo";
	s.ranks = 6;
	s.steps = strcmp(s.program, "collectives") == 0 ? 25 : 200;
	s.work = 2e-3;
	s.noise = 0.3;
	s.calls = 1;
	s.seed = seed;
	s.every = c->every;
	s.islands = c->islands;
	s.node_ranks = c->node_ranks ? c->node_ranks : 1;
	s.clock_of_node = c->of_node;
	s.latency = c->latency > 0 ? c->latency : 20e-6;
	s.latency_spread = c->spread;
	s.latency_intra = c->intra > 0 ? c->intra : s.latency;
	s.latency_down = c->down;
	s.jitter = c->jitter > 0 ? c->jitter : 10e-6;
	s.tail = c->tail;
	if (c->late > 0) {
		s.late_rank = 3;
		s.late = c->late;
	}
	s.offset_noise = c->noise > 0 ? c->noise : c->cristian ? 0 : 20e-6;
	s.offset_rtt = c->rtt > 0 ? c->rtt : c->cristian ? 0 : 100e-6;
	s.offset_links = c->cristian;
	s.clock_offset = 1e-3;
	s.clock_drift = c->drift > 0 ? c->drift : 2e-5;
	s.walk = c->walk;
	s.walk_interval = 0.01;
	if (c->far) {
		set_far(&s);
		s.clock_drift = c->drift > 0 ? c->drift : 2 * 78e-6;
	}
	s.sine = c->sine;
	s.sine_period = 0.4;
	s.slew = c->slew;
	s.slew_interval = 0.1;
	if (c->step < 0 || c->step > 0) {
		s.step_rank = c->step_rank < 0 ? 0 : c->step_rank > 0 ? c->step_rank : 2;
		s.step_at = 0.1;
		s.step = c->step;
	}
	return s;
}
