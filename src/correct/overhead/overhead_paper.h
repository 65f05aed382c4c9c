/* overhead_paper: the formulas of paper 3 ("Trace-based parallel performance overhead
 * compensation", section 3) as functions of numbers, by the paper's own names: m is measured, a
 * approximated. Any unit of time, any origin that m and a have in common each. Pure. */
#pragma once

#include <stdbool.h>

/* The receive of a message, and the send that it depends on. */
struct paper_receive {
	double send_m, exit_send_m, enter_recv_m, recv_m;
	double send_a, enter_recv_a;
	double copy; /* C(size) * size */
};

/* (m.1): both operations overlap, so that what was measured is the time of the communication
 * (A17). */
bool paper_measurable(const struct paper_receive *r);
/* recv_a: (2) to (4) where it is measurable, else the ends of (11), by (5) to (10). */
double paper_receive_lower(const struct paper_receive *r);
double paper_receive_upper(const struct paper_receive *r);
/* (1) without the predecessor: how far an event is after it, at least 0 (the deviation that makes
 * (1) usable; *clamped is counted up then). */
double paper_independent(double distance_m, double cost, unsigned long long *clamped);
/* exit_a of an n-to-n operation: enter_a latest approximated enter, enter_m latest measured enter,
 * and (13) the measured exit of this process, or (12) the earliest of all. */
double paper_n_to_n(double exit_m, double enter_m, double enter_a);
