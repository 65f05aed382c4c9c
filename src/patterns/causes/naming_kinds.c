/* In what a rank differs from the others: calls, their length, bytes. */
#include "patterns/causes/naming.h"
#include "patterns/severity/region_metric.h"

/* Thresholds: doc/patterns.md. */
#define KIND_PART      0.6 /* of the excess that a kind explains */
#define NOT_CALLED     0.05
#define MORE_BYTES     1.5
/* Bytes of a call from which on its time is that of a transfer: of fewer it is latency. */
#define TRANSFER_BYTES 4096.0

bool cause_moves_bytes(const struct trace *trace, uint32_t path)
{
	switch (region_call(trace, trace_callpath_region(trace, path))) {
	case CALL_SEND:
	case CALL_SEND_LOCAL:
	case CALL_RECV:
	case CALL_SENDRECV: return true;
	default: return false;
	}
}

enum cause_kind cause_kind_of_work(const struct named_cause *c)
{
	const double each = c->others_calls > 0 ? c->others_time / c->others_calls : 0;
	const double excess = c->time - c->others_time;

	/* A function that was open all the time, or none. */
	if (c->calls <= 0 && c->others_calls <= 0)
		return CAUSE_LONGER_CALLS;
	if (c->others_calls < NOT_CALLED)
		return CAUSE_OTHER_PATH;
	if ((c->calls - c->others_calls) * each >= KIND_PART * excess)
		return CAUSE_MORE_CALLS;
	if (c->calls > 0 && c->others_calls * (c->time / c->calls - each) >= KIND_PART * excess)
		return CAUSE_LONGER_CALLS;
	return CAUSE_MORE_AND_LONGER;
}

enum cause_kind cause_kind_of_transfer(const struct named_cause *c)
{
	enum cause_kind kind;

	if (c->calls > 0 && c->others_calls > 0 && c->others_bytes > 0 &&
	    c->bytes >= TRANSFER_BYTES * c->calls &&
	    c->bytes / c->calls > MORE_BYTES * c->others_bytes / c->others_calls)
		return CAUSE_MORE_BYTES;
	kind = cause_kind_of_work(c);
	if (kind == CAUSE_MORE_CALLS)
		return kind;
	if (c->bytes < TRANSFER_BYTES * c->calls)
		return CAUSE_KINDS;
	if (c->bytes > MORE_BYTES * c->others_bytes && c->bytes > 0)
		return CAUSE_MORE_BYTES;
	return c->bytes > 0 ? CAUSE_FEWER_BYTES : CAUSE_KINDS;
}
