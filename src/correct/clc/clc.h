/* clc: controlled logical clock (paper 4): forward amortisation with a control variable, backward
 * amortisation limited by sends, integer write-back that cannot bring a violation back. A trace
 * without violations comes back bit-identical; no event moves backward; order within a location is
 * kept. O(events + messages). */
#pragma once

#include "correct/clocks/lmin.h"
#include "correct/clocks/logical.h"

/* Largest share of its run by which a clock may be ahead at the end without another pass. */
#define CLC_LEAD_MOST 0.05

/* A writer held a location's events at a time (of the input) back: how long the interval after them
 * is, is not known, and a shift does not outlast it. */
struct clc_gap {
	uint32_t location;
	int64_t time;
};

struct clc_options {
	double gamma; /* 0: 0.99999, 0.9999, 0.999, then 0.9 of the one before, by pass (A20) */
	int passes;   /* at most; 0: 1 (A6) */
	double slope; /* of the backward ramp; 0: 0.01 */
	const struct clc_gap *gaps; /* [n_gaps] by location */
	size_t n_gaps;
};

struct clc_location {
	uint64_t violated, corrected; /* receives, events */
	int64_t max_move;             /* ticks, final times against the input */
	uint32_t max_event;           /* where */
	int64_t lead;                 /* ticks that its last event is ahead of the input (A20) */
};

struct clc_report {
	bool done;                          /* false: nothing was violated */
	enum time_base from;                /* the input */
	int passes;                         /* made */
	double gamma;                       /* of the last pass */
	uint64_t violated[LOGICAL_CLASSES]; /* by class, follow-ups included (A11) */
	uint64_t violated_all;
	uint64_t corrected;       /* events that the forward pass moved */
	uint64_t corrected_final; /* events that differ from the input in the end */
	uint64_t events;
	double max_error;      /* ticks: largest forward move */
	double error_at_final; /* 0..1 (section 3.1) */
	double max_slope;
	uint64_t messages_moved; /* p2p messages of which an end moved */
	uint64_t forced;         /* receives that went on before their senders (A9) */
	uint32_t n_locations;
	struct clc_location *locations; /* [n_locations] */
};

/* Makes BASE_CLC from base `from`. False where progress dropped it or with err (no memory). Without
 * a violation no base is made. */
bool clc_run(struct clc_report *report, struct trace *trace, const struct logical *logical,
	     enum time_base from, const struct lmin *lmin, const struct clc_options *options,
	     const struct progress *progress, struct err *err);
void clc_report_fini(struct clc_report *report);
