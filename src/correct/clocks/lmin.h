/* lmin: the least time a message needs, by whether both ends are on one node (clock condition:
 * receive >= send + lmin; paper 4, eq. 1). From the options, else the trace's header
 * (tview:lmin-inter, tview:lmin-intra, seconds), else 1 us between nodes and 0.1 us inside one
 * (A11), or less where the trace's own fastest messages say so, which is marked: too large a value
 * moves events that are right, too small a one hides a violation.
 *
 * The estimate: of two locations that send to each other, (fastest there + fastest back) / 2, in
 * which a constant offset of their clocks cancels; the 10 % quantile over the pairs, halved. It is
 * ignored unless it is above 0. If a location's node is unknown, the smaller of both values
 * holds. */
#pragma once

#include "correct/clocks/logical.h"

enum lmin_source { LMIN_DEFAULT, LMIN_OPTION, LMIN_HEADER, LMIN_ESTIMATED, LMIN_FITTED };

struct lmin_options {
	double inter, intra; /* seconds; negative: not given */
};
#define LMIN_DEFAULTS  \
	{              \
		-1, -1 \
	}

struct lmin {
	int64_t inter, intra, omp; /* ticks */
	enum lmin_source inter_source, intra_source;
	const struct trace *trace;
};

/* "default", "option", "header", "estimated", "smallest fitted". */
const char *lmin_source_name(enum lmin_source source);
/* The messages are looked at in the times of `base`. O(messages). */
struct lmin lmin_make(const struct logical *logical, enum time_base base,
		      const struct lmin_options *options);
/* Between two locations. */
int64_t lmin_between(const struct lmin *lmin, uint32_t from, uint32_t to, enum logical_class cls);
