/* difference: what a time base did to the times: which base it is compared with, in which steps
 * that is drawn, and what it is called.
 *
 * The clocks' bases (fitted, clc) are compared with linear where offsets were measured: seconds
 * between two clocks would drown the microseconds that were corrected. Where all ranks share one
 * clock the offsets were noise, and measured is compared with. Linear is compared with measured.
 * What compensation took out (compensated, lower, upper) is compared with the best synchronised
 * base, which it began from; there the time that was taken out adds up, so that it is shown by
 * cell: as a share. */
#pragma once

#include "model/sums/moves.h"
#include "views/query/view.h"

/* The base that one is compared with; itself where there is nothing to compare with (measured).
 * `corrections` may be NULL: not made. */
enum time_base difference_reference(const struct trace *trace,
				    const struct corrections *corrections, enum time_base base);
/* Is it compensated, lower or upper? */
bool difference_is_share(enum time_base base);
/* Appends what is shown: "shift from linear to clc, one colour per factor of 10", or that
 * nothing can be. */
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

/* Share of some time of the reference that was taken out, `width` being the time left of it in the
 * base; negative: time was put in (longer waits), as a share of the time in the base. In ticks. */
double difference_share(double taken_out, double width);

/* "+12.3 us". */
void difference_move_text(struct str *out, int64_t ticks, const struct timescale *scale,
			  int digits);
