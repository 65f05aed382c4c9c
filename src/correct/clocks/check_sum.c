#include "correct/clocks/check_sum.h"

#include "base/order.h"
#include "model/trace/store.h"

const struct check_sum check_sum_nothing = { .send = EVENT_NONE, .recv = EVENT_NONE };

/* Of two equally late messages, neither of which is EVENT_NONE. */
static int place_order(const struct trace *trace, uint32_t send, uint32_t recv,
		       const struct check_sum *sum)
{
	ORDER_BY(store_event_block(trace, send)->location,
		 store_event_block(trace, sum->send)->location);
	ORDER_BY(send, sum->send);
	return ORDER(store_event_block(trace, recv)->location,
		     store_event_block(trace, sum->recv)->location);
}

void check_sum_worst(struct check_sum *sum, const struct trace *trace, int64_t late, uint32_t send,
		     uint32_t recv)
{
	if (late < sum->worst_violation || late <= 0)
		return;
	if (late == sum->worst_violation &&
	    (send == EVENT_NONE || place_order(trace, send, recv, sum) >= 0))
		return;
	sum->worst_violation = late;
	sum->send = send;
	sum->recv = recv;
}

void check_sum_violation(struct check_sum *sum, const struct trace *trace, int64_t early,
			 int64_t late, uint32_t send, uint32_t recv)
{
	sum->violating++;
	if (early > 0) {
		sum->reversed++;
		sum->sum += early;
		if (early > sum->worst)
			sum->worst = early;
	}
	check_sum_worst(sum, trace, late, send, recv);
}

void check_sum_add(struct check_sum *to, const struct trace *trace, const struct check_sum *from)
{
	to->messages += from->messages;
	to->reversed += from->reversed;
	to->violating += from->violating;
	to->sum += from->sum;
	if (from->worst > to->worst)
		to->worst = from->worst;
	if (from->violating)
		check_sum_worst(to, trace, from->worst_violation, from->send, from->recv);
}

double check_sum_mean(const struct check_sum *sum)
{
	return sum->reversed ? (double)sum->sum / (double)sum->reversed : 0;
}
