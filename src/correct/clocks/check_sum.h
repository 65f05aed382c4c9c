/* check_sum: counts of logical messages that violate the clock condition. Nothing in it depends on
 * the order in which messages are added: the sum is exact, and of equally late messages the worst
 * is the one of the lowest sending location, then of its first send, then of the lowest receiving
 * location. */
#pragma once

#include "base/fixed.h"
#include "model/trace/trace.h"

struct check_sum {
	uint64_t messages;       /* logical */
	uint64_t reversed;       /* receive < send */
	uint64_t violating;      /* receive < send + lmin; reversed ones included */
	int64_t worst;           /* ticks: largest send - receive of the reversed, 0 without */
	int128 sum;              /* ticks: of send - receive over the reversed */
	int64_t worst_violation; /* ticks: largest send + lmin - receive */
	uint32_t send, recv;     /* events of the worst violation, EVENT_NONE without, and where
				    several processes share the trace: they may be elsewhere */
};

extern const struct check_sum check_sum_nothing;

/* Counts a message as violating: `early` = send - receive, `late` = early + lmin > 0 (ticks). */
void check_sum_violation(struct check_sum *sum, const struct trace *trace, int64_t early,
			 int64_t late, uint32_t send, uint32_t recv);
/* Makes the message the worst violation if it is. */
void check_sum_worst(struct check_sum *sum, const struct trace *trace, int64_t late, uint32_t send,
		     uint32_t recv);
void check_sum_add(struct check_sum *to, const struct trace *trace, const struct check_sum *from);
/* Ticks: mean of send - receive over the reversed, 0 without. */
double check_sum_mean(const struct check_sum *sum);
