/* sweep: the sweeps of wavefronts that one process takes part in, found in the order of its
 * messages to and from its neighbours on a grid (doc/references.md).
 *
 * A wavefront that travels in a direction has each process, block after block, receive from those
 * upstream and send to those downstream: a step. Two steps of a kind in a row, with the same calls,
 * are a sweep; a sweep after something else refills the pipeline.
 *
 *	struct sweeps s;
 *	sweeps_init(&s, 2, below, above, true);
 *	sweeps_push(&s, &(struct sweep_token){ SWEEP_RECV, 0, true, key, row, event });
 *	sweeps_end(&s);
 *	use(s.all.data, s.all.n);
 *	sweeps_fini(&s);
 *
 * Cost: O(dimensions) a token; memory O(sweeps), and at the corner that a direction reaches last
 * O(receives). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWEEP_DIMS = 3, SWEEP_DIRECTIONS = 1 << SWEEP_DIMS };
/* Least steps of a sweep: one alone looks like an exchange of borders. */
enum { SWEEP_LEAST = 2, SWEEP_TOKENS = SWEEP_LEAST * 2 * SWEEP_DIMS };

enum sweep_kind { SWEEP_RECV, SWEEP_SEND, SWEEP_BREAK /* the end of a collective */ };

/* Where a message was sent or received: loops of other places are not steps of this one. */
struct sweep_key {
	uint32_t region; /* of the call */
	uint32_t around; /* region around it */
	uint32_t comm;
};

struct sweep_token {
	uint8_t kind; /* enum sweep_kind */
	uint8_t dim;  /* along which the message travels */
	bool up;      /* towards higher coordinates */
	struct sweep_key key;
	uint32_t row;   /* message */
	uint32_t event; /* here */
};

struct sweep {
	uint8_t direction;       /* bit d: towards higher coordinates of dimension d */
	bool change;             /* another direction than the sweep before, or the first */
	bool refill;             /* change, or something else lay between */
	uint32_t first, n_first; /* the tokens of the first step, in `tokens` */
	uint64_t steps;
};

struct sweep_step {
	uint8_t direction, n;
	bool received, sent; /* keys are known */
	struct sweep_key recv, send;
};

struct sweeps {
	unsigned dims;
	uint8_t below, above; /* bit d: there is a neighbour */
	bool keyed;
	bool inside;          /* a sweep goes on */
	bool quiet;           /* nothing lay between the last sweep and now */
	struct sweep_step as; /* its steps */
	unsigned n_buffer;
	struct sweep_token buffer[SWEEP_TOKENS];
	struct {
		struct sweep *data;
		size_t n, cap;
	} all;
	struct {
		struct sweep_token *data;
		size_t n, cap;
	} tokens; /* of first steps */
	struct {
		struct sweep_token *data;
		size_t n, cap;
	} last; /* receives of sweeps that end here: their sweep's direction is in `dim` */
	uint64_t steps[SWEEP_DIRECTIONS];
};

void sweeps_init(struct sweeps *s, unsigned dims, uint8_t below, uint8_t above, bool keyed);
void sweeps_fini(struct sweeps *s);
void sweeps_push(struct sweeps *s, const struct sweep_token *token);
/* No more tokens come. */
void sweeps_end(struct sweeps *s);
/* Whether a direction reaches this process last: it has no rank to send to. */
bool sweeps_ends_here(const struct sweeps *s, uint8_t direction);

/* The least and most steps of a run's processes, by direction. */
struct sweep_steps {
	uint64_t least[SWEEP_DIRECTIONS], most[SWEEP_DIRECTIONS];
};

void sweep_steps_init(struct sweep_steps *steps);
void sweep_steps_add(struct sweep_steps *steps, const struct sweeps *process);
void sweep_steps_join(struct sweep_steps *steps, const struct sweep_steps *others);
/* The directions that a run takes (1.5): every block passes every process. Bits 1 << direction. */
unsigned sweeps_taken(const struct sweep_steps *steps, unsigned dims);
