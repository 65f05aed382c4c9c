#include "patterns/analysis/mismatch.h"

#include <string.h>

#include "model/trace/message.h"
#include "model/trace/region_meaning.h"

/* ---- calls and roots ---- */

static bool could_be(const struct open_calls *calls, const struct open_call *call)
{
	return call->flags & COLL_GUESSED && call->n &&
	       calls->members.data[call->first].location != UINT32_MAX;
}

static bool differ(const struct open_calls *calls, uint32_t one, uint32_t other,
		   struct mismatch *out)
{
	const struct open_call *a = &calls->list.data[one], *b = &calls->list.data[other];
	const uint32_t position = calls->members.data[a->first].position;

	if (a->comm != b->comm || !could_be(calls, b) ||
	    position != calls->members.data[b->first].position)
		return false;
	*out = (struct mismatch){ a->region != b->region ? MISMATCH_CALL : MISMATCH_ROOT, one,
				  other, one, position };
	return true;
}

/* ---- sizes ---- */

static bool same_for_all(enum byte_rule rule)
{
	return rule == BYTES_PART || rule == BYTES_PARTS;
}

static bool is_sum(enum byte_rule rule)
{
	return rule == BYTES_SUM || rule == BYTES_ROOT_SUM;
}

/* The rule of the side that is the same for all, and how many bytes a member has there. Where parts
 * may differ, one side is a sum. */
static enum byte_rule side_of(const struct trace *trace, const struct open_call *call,
			      const struct open_member *member, uint64_t *bytes)
{
	const struct meaning m = region_meaning(trace, call->region);
	const bool any = !is_sum(m.sent) && !is_sum(m.received);

	if (any && same_for_all(m.received)) {
		*bytes = member->received;
		return m.received;
	}
	*bytes = any && same_for_all(m.sent) ? member->sent : UINT64_MAX;
	return *bytes == UINT64_MAX ? BYTES_NONE : m.sent;
}

static uint64_t bytes_of(const struct trace *trace, const struct open_call *call,
			 const struct open_member *member)
{
	uint64_t bytes;

	side_of(trace, call, member, &bytes);
	return bytes;
}

uint64_t mismatch_part(const struct trace *trace, const struct open_call *call,
		       const struct open_member *member)
{
	const uint64_t ranks = trace_comm(trace, call->comm)->size;
	uint64_t bytes;

	if (side_of(trace, call, member, &bytes) != BYTES_PARTS || ranks < 2)
		return bytes;
	return bytes % ranks ? bytes / (ranks - 1) : bytes / ranks;
}

/* With MPI_IN_PLACE a rank leaves out its own part, which is all that a root contributes to a
 * gather. */
static bool fits(uint64_t a, uint64_t b, uint32_t ranks)
{
	return a == b || a == UINT64_MAX || b == UINT64_MAX || !a || !b ||
	       a * (ranks - 1) == b * ranks || b * (ranks - 1) == a * ranks;
}

/* Two members of a call, by their index. */
static struct mismatch within(const struct open_calls *calls, enum mismatch_kind kind, uint32_t id,
			      uint32_t one, uint32_t other)
{
	const struct open_call *call = &calls->list.data[id];

	return (struct mismatch){ kind, one, other, id, calls->members.data[call->first].position };
}

static bool sizes_differ(const struct trace *trace, const struct open_calls *calls, uint32_t id,
			 struct mismatch *out)
{
	const struct open_call *call = &calls->list.data[id];
	const struct open_member *members = &calls->members.data[call->first];
	const uint32_t ranks = trace_comm(trace, call->comm)->size;

	for (uint32_t i = 1; i < call->n; i++)
		if (!fits(bytes_of(trace, call, &members[0]), bytes_of(trace, call, &members[i]),
			  ranks)) {
			*out = within(calls, MISMATCH_BYTES, id, call->first, call->first + i);
			return true;
		}
	return false;
}

/* ---- types and operations ---- */

const char *mismatch_operand(const struct trace *trace, enum mismatch_kind kind,
			     const struct open_member *member)
{
	const uint32_t text = kind == MISMATCH_TYPE ? member->type : member->operation;

	return text == UINT32_MAX ? NULL : trace_string(trace, text);
}

static bool fits_all(const char *type)
{
	return !strcmp(type, TYPE_OWN) || !strcmp(type, "MPI_PACKED");
}

static bool operands_differ(const struct trace *trace, const struct open_calls *calls, uint32_t id,
			    enum mismatch_kind kind, struct mismatch *out)
{
	const struct open_call *call = &calls->list.data[id];
	const char *first = NULL;
	uint32_t one = 0;

	for (uint32_t i = call->first; i < call->first + call->n; i++) {
		const struct open_member *member = &calls->members.data[i];
		const char *operand = mismatch_operand(trace, kind, member);
		const bool reduces = member->operation != UINT32_MAX;
		if (!operand || (!reduces && fits_all(operand)))
			continue;
		if (!first) {
			first = operand;
			one = i;
		} else if (strcmp(first, operand) != 0) {
			*out = within(calls, kind, id, one, i);
			return true;
		}
	}
	return false;
}

/* What does not fit among the members of one call. */
static uint32_t find_within(const struct trace *trace, const struct open_calls *calls, uint32_t id,
			    struct mismatch *out, uint32_t most)
{
	uint32_t found = 0;

	if (trace_comm(trace, calls->list.data[id].comm)->kind != COMM_PROCESSES)
		return 0;
	for (enum mismatch_kind kind = MISMATCH_BYTES; kind <= MISMATCH_OPERATION && found < most;
	     kind++)
		found += kind == MISMATCH_BYTES
				 ? sizes_differ(trace, calls, id, &out[found])
				 : operands_differ(trace, calls, id, kind, &out[found]);
	return found;
}

uint32_t mismatches_find(const struct trace *trace, const struct open_calls *calls,
			 const uint32_t *open, uint32_t n, struct mismatch *out)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n && found < MISMATCHES_MOST; i++) {
		found += find_within(trace, calls, open[i], &out[found], MISMATCHES_MOST - found);
		for (uint32_t j = i + 1; j < n && could_be(calls, &calls->list.data[open[i]]); j++)
			if (found < MISMATCHES_MOST && differ(calls, open[i], open[j], &out[found]))
				found++;
	}
	return found;
}
