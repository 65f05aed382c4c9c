/* difference: how a time base changed the times: the base that it is compared with, the steps in
 * which the change is drawn, and its name.
 *
 * The clocks' bases (fitted, clc) are compared with linear where offsets were measured: seconds
 * between two clocks would drown the microseconds that were corrected. Where all ranks share one
 * clock the offsets were noise, and measured is compared with. Linear is compared with measured.
 * The bases without overhead (compensated, lower, upper) are compared with the best synchronised
 * base, from which they were made. Removed time adds up along the run, so it is shown for each
 * cell, as a share. */
#pragma once

#include "model/sums/moves.h"
#include "views/query/view.h"

/* The base that `base` is compared with; `base` itself if there is none (measured). `corrections`
 * may be NULL: not made. */
enum time_base difference_reference(const struct trace *trace,
				    const struct corrections *corrections, enum time_base base);
/* True for compensated, lower and upper: their change is shown as a share. */
bool difference_is_share(enum time_base base);
/* Appends a sentence on the change that is shown, "shift from linear to clc, one colour per factor
 * of 10", or why none can be shown. */
void difference_sentence(const struct trace *trace, const struct corrections *corrections,
			 enum time_base base, struct str *out);

/* ---- steps ---- */

enum { DIFFERENCE_STEPS = 8 };

/* A move: 0 none, 1 below a microsecond, then by powers of ten, 8 from a second on. */
unsigned difference_move_step(int64_t ticks, const struct timescale *scale);
/* A share of a cell's time: 0 below 0.01 %, 1 up to 1 %, then 2, 5, 10, 20, 35, 50, 8 above. */
unsigned difference_share_step(double share);
/* "< 1 us", "<= 1 %". */
const char *difference_step_name(bool share, unsigned step);

/* The share of a time in the reference that was removed; `width` is the time that is left in the
 * base. Negative: time was added (longer waits), as a share of the time in the base. Both in
 * ticks. */
double difference_share(double taken_out, double width);

/* "+12.3 us". */
void difference_move_text(struct str *out, int64_t ticks, const struct timescale *scale,
			  int digits);
