#include "correct/overhead/overhead_paper.h"

static double later(double a, double b)
{
	return a > b ? a : b;
}

bool paper_measurable(const struct paper_receive *r)
{
	return r->enter_recv_m <= r->exit_send_m;
}

static double measured(const struct paper_receive *r)
{
	const double comm = r->recv_m - r->send_m; /* (2) */

	if (r->send_a + comm > r->enter_recv_a) /* (a.1) */
		return r->send_a + comm;        /* (3) */
	return r->enter_recv_a + r->copy;       /* (4) */
}

static double bound(const struct paper_receive *r, double comm)
{
	const double least = r->enter_recv_a - r->send_a + r->copy; /* (8) */

	return r->send_a + later(comm, least); /* (9), (10) */
}

double paper_receive_lower(const struct paper_receive *r)
{
	return paper_measurable(r) ? measured(r) : bound(r, 2 * r->copy); /* (6) */
}

double paper_receive_upper(const struct paper_receive *r)
{
	return paper_measurable(r) ? measured(r) : bound(r, r->recv_m - r->send_m); /* (5) */
}

double paper_independent(double distance_m, double cost, unsigned long long *clamped)
{
	if (distance_m < cost) {
		++*clamped;
		return 0;
	}
	return distance_m - cost;
}

double paper_n_to_n(double exit_m, double enter_m, double enter_a)
{
	return enter_a + (exit_m - enter_m);
}
