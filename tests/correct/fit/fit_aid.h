/* fit_aid: traces of made-up programs whose true times are known: a small simulator with clocks
 * that go wrong in a known way, and offsets that were measured badly. The same arguments give the
 * same trace. */
#pragma once

#include "model/trace/trace.h"

enum aid_program {
	AID_RING,        /* both directions, every round */
	AID_STENCIL,     /* four neighbours, now and then an allreduce */
	AID_WAVEFRONT,   /* sweeps from the four corners: one direction at a time */
	AID_COLLECTIVES, /* barrier, broadcast, reduction, allreduce */
	AID_FARM,        /* a master, workers that ask for work */
	AID_ONE_WAY,     /* every rank sends to the next one, nothing comes back */
	AID_PROGRAMS
};

enum aid_clocks {
	AID_PERFECT, /* one clock, although every rank has offsets */
	AID_LINEAR,  /* within 50 ppm */
	AID_SINUS,   /* that, and 300 us to and fro, in about the length of the run */
	AID_WALK,    /* rates that wander */
	AID_STEP,    /* every second clock jumps by 300 us in the middle */
	AID_CLOCKS
};

struct aid_run {
	enum aid_program program;
	enum aid_clocks clocks;
	uint32_t ranks, rounds;
	double compute; /* ns, mean, between communications */
	double noise;   /* ns: of a measured offset */
	int offsets;    /* measured per rank: 0, 1, 2; negative: given as 0, twice */
	double apart;   /* ns: clocks start within +- this */
	double wrong;   /* share of receives that look as if they got their sender's next message */
	int64_t tick;   /* ns */
	uint64_t seed;
};
#define AID_RUN                                                                           \
	{                                                                                 \
		.ranks = 8, .rounds = 300, .compute = 200e3, .noise = 42e3, .offsets = 2, \
		.apart = 1e6, .tick = 1, .seed = 1                                        \
	}

/* True times on the reference's clock, ns, of a location's events in their order. */
struct aid_truth {
	uint32_t ranks;
	double **t;
	uint64_t messages;
};

struct trace *aid_make(const struct aid_run *run, struct aid_truth *truth);
void aid_truth_fini(struct aid_truth *truth);

const char *aid_program_name(enum aid_program program);
const char *aid_clocks_name(enum aid_clocks clocks);

/* us: root of the mean square of a base's error over all events. */
double aid_rms(const struct trace *trace, enum time_base base, const struct aid_truth *truth);
