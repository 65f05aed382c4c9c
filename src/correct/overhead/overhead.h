/* overhead: how long the program would have run without being measured (paper 3). Makes
 * BASE_COMPENSATED (best estimate), BASE_LOWER and BASE_UPPER from the synchronised times. The
 * reference is the same program with the same functions, unprobed, not inlined. Messages keep the
 * order they were measured in; nothing arrives before it was sent. */
#pragma once

#include "correct/clocks/logical.h"

enum overhead_model {
	OVERHEAD_INSITU,
	OVERHEAD_PAPER,       /* its equation (13) for n-to-n operations */
	OVERHEAD_PAPER_ALIKE, /* (12): all ranks leave them at once */
};
/* "insitu", "paper", "paper-12". */
const char *overhead_model_name(enum overhead_model model);

struct overhead_options {
	enum overhead_model model;
	double event;     /* seconds per record, for all records; negative: from the header */
	double copy_cost; /* seconds per byte; negative: from the header */
};
#define OVERHEAD_DEFAULTS               \
	{                               \
		OVERHEAD_INSITU, -1, -1 \
	}

enum overhead_source {
	OVERHEAD_NONE,    /* no costs are known: nothing was made */
	OVERHEAD_GIVEN,   /* option: an upper limit */
	OVERHEAD_LOOP,    /* header, nothing sampled: not calibrated in the run */
	OVERHEAD_SAMPLED, /* measured in the run */
};

struct overhead_sum {
	int64_t measured, compensated, lower, upper; /* ticks */
	uint64_t records;
};

struct overhead_location {
	struct overhead_sum time; /* first to last event */
	double event;             /* seconds per record that were taken out, mean */
	double carried;           /* 0..1: share of its local time that was spent in deficit */
	double sampled;           /* 0..1: share of segments without probes */
	bool sampled_used;        /* its own samples were used */
	double ratio;             /* of its own, as that of the report */
	double blocking; /* 0..1: share of its time in sends that waited, kept as measured */
};

struct overhead_report {
	bool done;
	char why[160]; /* a sentence: why not; "" */
	enum overhead_model model;
	enum overhead_source source;
	double event;                      /* seconds per record: mean that was taken out */
	double event_low, event_high;      /* range over the classes of segments */
	double loop;                       /* seconds per record in a loop, negative unknown */
	double copy_cost;                  /* seconds per byte at 64 KiB, negative unknown */
	uint32_t classes, classes_sampled; /* of segments; of them with enough samples */
	struct overhead_sum run;           /* begin to end of the run */
	struct overhead_sum local;         /* summed over locations */
	double carried_share, sampled_share;
	double ratio; /* overhead / remaining time outside of MPI calls; above 10: doubtful,
			 above 30: no compensated times */
	double blocking_share; /* of the time of all locations, in large or synchronous sends that
				  waited for their receivers: kept as measured; above 0.1 the
				  bounds do not hold */
	double crowd, crowd_most; /* a record took the run so many times its own cost, because ranks
				     shared cores: estimated, at most; 1 where none did */
	uint64_t clamped;         /* intervals held at 0 (paper's model) */
	uint64_t extended;        /* receives and ends treated beyond the paper */
	uint64_t violations;      /* of the clock condition that were left, and mended */
	uint64_t flushes;
	int64_t flushed; /* ticks taken out whole: flushes, offset measurements */
	uint32_t n_locations;
	struct overhead_location *locations; /* [n_locations] */
	uint32_t n_regions;
	struct overhead_sum *regions; /* [n_regions] exclusive time by region, over all locations */
};

/* `from` is the best synchronised base. False where progress dropped it or with err. */
bool overhead_run(struct overhead_report *report, struct trace *trace,
		  const struct logical *logical, enum time_base from,
		  const struct overhead_options *options, const struct progress *progress,
		  struct err *err);
void overhead_report_fini(struct overhead_report *report);
