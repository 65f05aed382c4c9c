#include "patterns/topology/sweep.h"

#include <string.h>

#include "base/vec.h"

/* Each process must take this share of the steps that the busiest one takes in a direction. */
static const double taken_share = 0.5;

void sweeps_init(struct sweeps *s, unsigned dims, uint8_t below, uint8_t above, bool keyed)
{
	*s = (struct sweeps){ .dims = dims, .below = below, .above = above, .keyed = keyed };
}

void sweeps_fini(struct sweeps *s)
{
	vec_fini(&s->all);
	vec_fini(&s->tokens);
	vec_fini(&s->last);
}

/* ---- steps (1.3) ---- */

enum parsed { PARSED, FAILED, OPEN };

static bool same_key(const struct sweep_key *a, const struct sweep_key *b)
{
	return a->region == b->region && a->around == b->around && a->comm == b->comm;
}

static bool take_key(bool *known, struct sweep_key *key, const struct sweep_key *found)
{
	if (*known)
		return same_key(key, found);
	*known = true;
	*key = *found;
	return true;
}

/* Number of messages in a step of a direction: one per neighbour. */
static unsigned step_size(const struct sweeps *s)
{
	unsigned size = 0;

	for (unsigned d = 0; d < s->dims; d++)
		size += (s->below >> d & 1u) + (s->above >> d & 1u);
	return size;
}

/* The step that begins at tokens[0]; OPEN: the tokens end before it does. */
static enum parsed parse_step(const struct sweeps *s, const struct sweep_token *tokens, unsigned n,
			      struct sweep_step *step)
{
	const unsigned all = (1u << s->dims) - 1, size = step_size(s);
	unsigned taken[2] = { 0, 0 }, signs = 0;

	*step = (struct sweep_step){ 0 };
	for (unsigned i = 0; i < n; i++) {
		const struct sweep_token *t = &tokens[i];
		const unsigned bit = 1u << t->dim;
		if (t->kind == SWEEP_BREAK || taken[t->kind] & bit)
			return FAILED;
		if (signs & bit && ((unsigned)step->direction >> t->dim & 1u) != (t->up ? 1u : 0u))
			return FAILED;
		if (t->kind == SWEEP_RECV && taken[SWEEP_SEND])
			return FAILED;
		if (s->keyed &&
		    !(t->kind == SWEEP_RECV ? take_key(&step->received, &step->recv, &t->key)
					    : take_key(&step->sent, &step->send, &t->key)))
			return FAILED;
		taken[t->kind] |= bit;
		signs |= bit;
		if (t->up)
			step->direction = (uint8_t)(step->direction | bit);
		step->n++;
		if (signs == all && step->n == size)
			return PARSED;
	}
	return OPEN;
}

static bool same_step(const struct sweep_step *a, const struct sweep_step *b)
{
	return a->direction == b->direction && a->received == b->received && a->sent == b->sent &&
	       same_key(&a->recv, &b->recv) && same_key(&a->send, &b->send);
}

/* ---- sweeps (1.4) ---- */

bool sweeps_ends_here(const struct sweeps *s, uint8_t direction)
{
	/* Downstream is above where it travels up, else below. */
	return !((s->above & direction) | (s->below & ~direction & ((1u << s->dims) - 1)));
}

static void drop(struct sweeps *s, unsigned n)
{
	memmove(s->buffer, s->buffer + n, (s->n_buffer - n) * sizeof *s->buffer);
	s->n_buffer -= n;
}

/* Adds the step at the head of the buffer to the sweep, and removes it from the buffer. */
static void take_step(struct sweeps *s, const struct sweep_step *step)
{
	vec_last(&s->all)->steps++;
	s->steps[step->direction]++;
	for (unsigned i = 0; sweeps_ends_here(s, step->direction) && i < step->n; i++) {
		struct sweep_token token = s->buffer[i];
		token.dim = step->direction;
		vec_push(&s->last, token);
	}
	drop(s, step->n);
}

static void begin_sweep(struct sweeps *s, const struct sweep_step *step)
{
	const bool change = s->all.n == 0 || vec_last(&s->all)->direction != step->direction;

	vec_push(&s->all, ((struct sweep){ .direction = step->direction,
					   .change = change,
					   .refill = change || !s->quiet,
					   .first = (uint32_t)s->tokens.n,
					   .n_first = step->n }));
	for (unsigned i = 0; i < step->n; i++)
		vec_push(&s->tokens, s->buffer[i]);
	s->as = *step;
	s->inside = s->quiet = true;
}

/* Outside of a sweep: whether two equal steps are at the head. */
static enum parsed parse_sweep(const struct sweeps *s, struct sweep_step *step)
{
	struct sweep_step next;
	enum parsed parsed = parse_step(s, s->buffer, s->n_buffer, step);

	if (parsed != PARSED)
		return parsed;
	parsed = parse_step(s, s->buffer + step->n, s->n_buffer - step->n, &next);
	return parsed == PARSED && !same_step(step, &next) ? FAILED : parsed;
}

static void settle(struct sweeps *s, bool end)
{
	struct sweep_step step;

	for (;;) {
		const enum parsed parsed = s->inside ? parse_step(s, s->buffer, s->n_buffer, &step)
						     : parse_sweep(s, &step);
		if (parsed == OPEN && !end)
			return;
		if (s->inside) {
			if (parsed == PARSED && same_step(&step, &s->as))
				take_step(s, &step);
			else
				s->inside = false;
		} else if (parsed == PARSED) {
			begin_sweep(s, &step);
		} else if (s->n_buffer) {
			/* Not part of a sweep: moves on by one token only, or an exchange of
			 * borders would put pairs out of step for good. */
			drop(s, 1);
			s->quiet = false;
		} else {
			return;
		}
	}
}

void sweeps_push(struct sweeps *s, const struct sweep_token *token)
{
	s->buffer[s->n_buffer++] = *token;
	settle(s, false);
}

void sweeps_end(struct sweeps *s)
{
	settle(s, true);
}

void sweep_steps_init(struct sweep_steps *steps)
{
	for (int d = 0; d < SWEEP_DIRECTIONS; d++) {
		steps->least[d] = UINT64_MAX;
		steps->most[d] = 0;
	}
}

static void add_steps(struct sweep_steps *steps, int direction, uint64_t least, uint64_t most)
{
	if (least < steps->least[direction])
		steps->least[direction] = least;
	if (most > steps->most[direction])
		steps->most[direction] = most;
}

void sweep_steps_add(struct sweep_steps *steps, const struct sweeps *process)
{
	for (int d = 0; d < SWEEP_DIRECTIONS; d++)
		add_steps(steps, d, process->steps[d], process->steps[d]);
}

void sweep_steps_join(struct sweep_steps *steps, const struct sweep_steps *others)
{
	for (int d = 0; d < SWEEP_DIRECTIONS; d++)
		add_steps(steps, d, others->least[d], others->most[d]);
}

unsigned sweeps_taken(const struct sweep_steps *steps, unsigned dims)
{
	unsigned taken = 0;

	for (unsigned d = 0; d < 1u << dims; d++)
		if (steps->most[d] > 0 && steps->least[d] > 0 &&
		    (double)steps->least[d] >= taken_share * (double)steps->most[d])
			taken |= 1u << d;
	return taken;
}
