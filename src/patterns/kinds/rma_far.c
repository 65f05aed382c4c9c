/* Windows of traces that several processes share (base/exchange.h): the records of a window go to
 * one of them, its home, which looks at it as if alone; what it finds goes back to those that have
 * the locations. */
#include "base/exchange.h"
#include "model/trace/halo.h"
#include "patterns/kinds/rma.h"

void rma_share_records(const struct trace *trace, rma_records *records)
{
	const struct rma_record *r;
	OWNED_VEC(uint32_t) to = VEC_INIT;

	vec_each (r, records)
		vec_push(&to, trace_home(trace, r->window, 0));
	exchange_deal_rows(trace_exchange(trace), records, to.data);
}

static void add_wait(struct analysis *analysis, const struct rma_result *r)
{
	struct wait wait = r->wait;

	if (r->partner_location != UINT32_MAX &&
	    !trace_has_location(analysis_trace(analysis), r->partner_location)) {
		wait.partner = r->partner_location;
		wait.flags |= WAIT_ELSEWHERE;
		analysis_elsewhere(analysis, r->location, wait.event, r->partner_number);
	}
	analysis_found(analysis, r->location, &wait);
}

void rma_share_results(struct analysis *analysis, rma_results *results)
{
	const struct trace *trace = analysis_trace(analysis);
	const struct rma_result *r;
	OWNED_VEC(uint32_t) to = VEC_INIT;

	vec_each (r, results)
		vec_push(&to, trace_process_of(trace, r->location));
	exchange_deal_rows(trace_exchange(trace), results, to.data);
	vec_each (r, results)
		if (r->wait.length)
			add_wait(analysis, r);
		else
			rma_count_pairs(analysis, r);
}
