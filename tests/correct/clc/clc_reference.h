/* clc_reference: the controlled logical clock as its specification has it (correction and patterns,
 * sections 2 to 4.2), slow and plain: edges between all pairs, the forward pass by recursion, the
 * backward pass by looking at everything again. Nothing of it is shared with what it checks. */
#pragma once

#include "base/vec.h"
#include "model/trace/trace.h"

/* A logical message. */
struct edge {
	uint32_t send, recv;       /* index in events */
	uint32_t send_id, recv_id; /* events of the trace */
	int64_t lmin;              /* ticks */
};

struct reference_event {
	uint32_t id;
	uint32_t location;
	uint32_t before; /* index of the one before on its location, EVENT_NONE */
	int64_t in;
	double forward, final; /* ticks */
	double jump;           /* of a receive that violates, else 0 */
	bool known, sends, open;
};

struct reference {
	VEC(struct reference_event) events; /* by location, in order */
	VEC(struct edge) edges;
	uint32_t *index; /* [event id] in events */
	bool impossible; /* a receive waits for itself */
	double max_slope;
};

struct reference_options {
	int64_t inter, intra; /* ticks */
	double gamma, slope, delta;
	bool whole; /* senders' times count to the nearest tick */
};

/* Events and edges, in the times of a base. */
struct reference *reference_new(const struct trace *trace, enum time_base base,
				const struct reference_options *options);
void reference_forward(struct reference *r, const struct reference_options *options);
/* Starts at the forward times (to the nearest tick where `whole`). */
void reference_backward(struct reference *r, const struct reference_options *options);
void reference_free(struct reference *r);
