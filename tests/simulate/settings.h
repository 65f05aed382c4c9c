/* settings: what a simulated run is made of. Times here are seconds; the simulation itself counts
 * picoseconds in 64 bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PICO 1000000000000LL /* a second */

struct settings {
	const char *program;
	const char *const *script; /* [ranks] of program "script": what each does (program.h) */
	uint32_t ranks;
	uint32_t steps;
	uint32_t every;   /* so many steps the ranks exchange something; 0: in each */
	uint32_t islands; /* of program "halo": groups of ranks that exchange nothing; 0: one */
	uint32_t calls;   /* of a tiny function in a step; 0: as the program likes */
	uint64_t seed;

	/* The machine. */
	uint32_t node_ranks;           /* ranks of a node */
	double latency, latency_intra; /* of a message between nodes, inside one */
	double latency_spread;         /* links between nodes are slower by up to this share */
	double latency_down;           /* of a message to a lower rank; 0: the same */
	double late_rank, late;        /* a rank to which messages take so much longer */
	double jitter;                 /* mean of an exponential addition to each latency */
	double tail;                   /* scale of a Pareto one (exponent 1.1) to each message's */
	double bandwidth;              /* bytes a second on the way */
	double copy;                   /* seconds a byte into and out of buffers */
	double call;                   /* an MPI call's own time */
	double send, take;             /* of a send, of a receive, beside copying */
	double nap, nap_share; /* more ranks than cores: mean of an exponential time without one, in
	                          so many of the deliveries, receives and records */
	double work;           /* a step's computation */
	double tiny;           /* a call of a tiny function */
	double slow_rank, slow;           /* a rank that computes so many times as long; 0: none */
	double noise;                     /* mean of an exponential addition to it, as a share */
	double sleep_before, sleep_after; /* between the offset measurements and the program */

	/* The clocks: the largest value of a rank; rank 0 is the reference and has none. */
	double clock_offset;
	double clock_drift;
	double sine, sine_period;        /* seconds; amplitude, period */
	double slew, slew_interval;      /* largest change of rate, mean time between changes */
	double walk, walk_interval;      /* rms change of the rate in each interval */
	double jump, jump_at;            /* odd ranks jump by so much, so long after the start */
	double step_rank, step_at, step; /* one rank's clock is set by so much then, also back */
	bool step_node;                  /* the clocks of all ranks of its node are, each its own */
	double clock_jitter;             /* largest error of one reading, of all ranks */
	double resolution;               /* 0: a tick */
	bool clock_of_node;              /* ranks of a node share a clock */

	/* The measurement. */
	double offset_noise;   /* rms error of an offset measurement beyond its round trips' */
	double offset_rtt;     /* round trip that is written; 0: as it was */
	bool offset_links;     /* over the links of messages, which may differ by direction */
	uint32_t offset_count; /* measurements that are written: 0, 1 (the first), 2 */
	double overhead;       /* a record in a loop: what the header says */
	double spread;         /* functions hide up to this share of it */
	double guard;          /* a probe that is left out */
	double insitu;         /* share of the segments between MPI calls without probes, or */
	double gap_note;       /* above 0: that may be gaps, where a note costs that */
	uint64_t flush_every;  /* records, 0 never */
	double flush;          /* a flush's duration */
	bool keep;             /* ranks keep virtual time as a recorder does, which measures the
	                          means below; records of calls are after their time stamps */
	double keep_between;   /* of the record of a call: what is not timed before it, */
	double keep_call;      /* and after it, */
	double keep_spread;    /* which differs by up to this share */
	double delay;          /* before a function's record, timed, */
	double delay_spread;   /* and an exponential addition to it: its mean, as a share */
	bool control;          /* holds receives from any source for the message that is first
	                          in virtual time */
	int64_t ticks;         /* a second, in the traces; divides 10^12 */
};

#define SETTINGS_DEFAULTS                                                                      \
	{                                                                                      \
		.program = "stencil", .ranks = 8, .steps = 100, .seed = 1, .node_ranks = 1,    \
		.latency = 5e-6, .latency_intra = 5e-7, .latency_spread = 0.5, .jitter = 1e-6, \
		.bandwidth = 1e9, .copy = 1e-10, .call = 2e-7, .work = 1e-4, .tiny = 2e-8,     \
		.noise = 0.05, .sine_period = 1, .step_rank = -1, .late_rank = -1,             \
		.slew_interval = 1, .walk_interval = 1, .offset_count = 2, .ticks = 1000000000 \
	}

static inline int64_t pico(double seconds)
{
	return (int64_t)(seconds * (double)PICO + (seconds < 0 ? -0.5 : 0.5));
}
