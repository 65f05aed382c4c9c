#include "patterns/analysis/mismatch.h"

#include <string.h>

#include "model/trace/detail.h"
#include "model/trace/message.h"
#include "model/trace/region_meaning.h"

/* ---- calls and roots ---- */

/* The number of earlier calls of which nothing was recorded. */
static uint32_t calls_before(const struct trace *trace, uint32_t begin)
{
	const struct event_attribute *before = trace_event_attribute(trace, begin, CALLS_BEFORE);

	return before ? (uint32_t)before->value : 0;
}

/* The number of the call among its first member's calls on the communicator. */
static uint32_t position_of(const struct trace *trace, uint32_t id)
{
	const struct collective *c = trace_collective(trace, id);
	const uint32_t begin = trace_member(trace, c->first)->begin;
	const uint32_t location = trace_event_location(trace, begin);
	uint32_t position = 1 + calls_before(trace, begin);

	for (uint32_t i = 0; i < trace_collective_count(trace); i++) {
		const struct collective *other = trace_collective(trace, i);
		for (uint32_t m = 0; m < other->members && other->comm == c->comm; m++) {
			const uint32_t event = trace_member(trace, other->first + m)->begin;
			position += event != EVENT_NONE && event < begin &&
				    trace_event_location(trace, event) == location;
		}
	}
	return position;
}

static bool could_be(const struct trace *trace, uint32_t id)
{
	const struct collective *c = trace_collective(trace, id);

	return c->flags & COLL_GUESSED && c->members &&
	       trace_member(trace, c->first)->begin != EVENT_NONE;
}

static bool differ(const struct trace *trace, uint32_t one, uint32_t other, struct mismatch *out)
{
	const struct collective *a = trace_collective(trace, one);
	const struct collective *b = trace_collective(trace, other);
	uint32_t position;

	if (a->comm != b->comm || !could_be(trace, other))
		return false;
	position = position_of(trace, one);
	if (position != position_of(trace, other))
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
static enum byte_rule side_of(const struct trace *trace, uint32_t collective, uint32_t member,
			      uint64_t *bytes)
{
	const struct meaning m = region_meaning(trace, trace_collective(trace, collective)->region);
	const struct member *row = trace_member(trace, member);
	const bool any = !is_sum(m.sent) && !is_sum(m.received);

	if (any && same_for_all(m.received)) {
		*bytes = row->received;
		return m.received;
	}
	*bytes = any && same_for_all(m.sent) ? row->sent : UINT64_MAX;
	return *bytes == UINT64_MAX ? BYTES_NONE : m.sent;
}

static uint64_t bytes_of(const struct trace *trace, uint32_t collective, uint32_t member)
{
	uint64_t bytes;

	side_of(trace, collective, member, &bytes);
	return bytes;
}

uint64_t mismatch_part(const struct trace *trace, uint32_t collective, uint32_t member)
{
	const uint64_t ranks = trace_comm(trace, trace_collective(trace, collective)->comm)->size;
	uint64_t bytes;

	if (side_of(trace, collective, member, &bytes) != BYTES_PARTS || ranks < 2)
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

static bool sizes_differ(const struct trace *trace, uint32_t id, struct mismatch *out)
{
	const struct collective *c = trace_collective(trace, id);
	const uint32_t ranks = trace_comm(trace, c->comm)->size;

	for (uint32_t i = 1; i < c->members; i++)
		if (!fits(bytes_of(trace, id, c->first), bytes_of(trace, id, c->first + i),
			  ranks)) {
			*out = (struct mismatch){ MISMATCH_BYTES, c->first, c->first + i, id,
						  position_of(trace, id) };
			return true;
		}
	return false;
}

/* ---- types and operations ---- */

const char *mismatch_operand(const struct trace *trace, enum mismatch_kind kind, uint32_t member)
{
	const uint32_t begin = trace_member(trace, member)->begin;
	const struct event_attribute *a =
		begin == EVENT_NONE
			? NULL
			: trace_event_attribute(trace, begin,
						kind == MISMATCH_TYPE ? COLLECTIVE_TYPE
								      : COLLECTIVE_OPERATION);

	/* The value of a forged trace may be anything. */
	return a && attribute_kind(trace, a) == FIELD_STRING && a->value < trace_string_count(trace)
		       ? trace_string(trace, (uint32_t)a->value)
		       : NULL;
}

static bool fits_all(const char *type)
{
	return !strcmp(type, TYPE_OWN) || !strcmp(type, "MPI_PACKED");
}

static bool operands_differ(const struct trace *trace, uint32_t id, enum mismatch_kind kind,
			    struct mismatch *out)
{
	const struct collective *c = trace_collective(trace, id);
	const char *first = NULL;
	uint32_t one = 0;

	for (uint32_t i = c->first; i < c->first + c->members; i++) {
		const char *operand = mismatch_operand(trace, kind, i);
		const bool reduces = mismatch_operand(trace, MISMATCH_OPERATION, i) != NULL;
		if (!operand || (!reduces && fits_all(operand)))
			continue;
		if (!first) {
			first = operand;
			one = i;
		} else if (strcmp(first, operand) != 0) {
			*out = (struct mismatch){ kind, one, i, id, position_of(trace, id) };
			return true;
		}
	}
	return false;
}

/* What does not fit among the members of one collective. */
static uint32_t find_within(const struct trace *trace, uint32_t id, struct mismatch *out,
			    uint32_t most)
{
	uint32_t found = 0;

	if (trace_comm(trace, trace_collective(trace, id)->comm)->kind != COMM_PROCESSES)
		return 0;
	for (enum mismatch_kind kind = MISMATCH_BYTES; kind <= MISMATCH_OPERATION && found < most;
	     kind++)
		found += kind == MISMATCH_BYTES ? sizes_differ(trace, id, &out[found])
						: operands_differ(trace, id, kind, &out[found]);
	return found;
}

uint32_t mismatches_find(const struct trace *trace, const uint32_t *open, uint32_t n,
			 struct mismatch *out)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n && found < MISMATCHES_MOST; i++) {
		found += find_within(trace, open[i], &out[found], MISMATCHES_MOST - found);
		for (uint32_t j = i + 1; j < n && could_be(trace, open[i]); j++)
			if (found < MISMATCHES_MOST && differ(trace, open[i], open[j], &out[found]))
				found++;
	}
	return found;
}
