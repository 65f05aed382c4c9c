/* Sweeps in the messages of each process of made-up wavefront codes, whose directions and first
 * steps are known. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/random.h"
#include "harness/test.h"
#include "patterns/topology/sweep.h"

enum { MOST = 64 };

struct grid {
	unsigned dims;
	int size[SWEEP_DIMS], n;
};

/* One process: its machine, and what it should find. */
struct process {
	struct sweeps found;
	int at[SWEEP_DIMS];
	uint32_t events;       /* tokens so far */
	uint32_t first[64];    /* event of each sweep's first token */
	uint8_t direction[64]; /* of each sweep */
	uint64_t steps[64];
	bool change[64];
	unsigned n;
};

static void place(const struct grid *g, int index, int *at)
{
	for (unsigned d = 0; d < g->dims; d++) {
		at[d] = index % g->size[d];
		index /= g->size[d];
	}
}

static struct process *processes(struct grid *g, bool keyed)
{
	struct process *p;

	g->n = 1;
	for (unsigned d = 0; d < g->dims; d++)
		g->n *= g->size[d];
	p = xcalloc((size_t)g->n, sizeof *p);
	for (int i = 0; i < g->n; i++) {
		uint8_t below = 0, above = 0;
		place(g, i, p[i].at);
		for (unsigned d = 0; d < g->dims; d++) {
			below |= (uint8_t)((p[i].at[d] > 0) << d);
			above |= (uint8_t)((p[i].at[d] < g->size[d] - 1) << d);
		}
		sweeps_init(&p[i].found, g->dims, below, above, keyed);
	}
	return p;
}

static void forget(const struct grid *g, struct process *p)
{
	for (int i = 0; i < g->n; i++)
		sweeps_fini(&p[i].found);
	free(p);
}

static void push(struct process *p, enum sweep_kind kind, unsigned dim, bool up, uint32_t region)
{
	sweeps_push(&p->found,
		    &(struct sweep_token){ .kind = (uint8_t)kind,
					   .dim = (uint8_t)dim,
					   .up = up,
					   .key = { region + (kind == SWEEP_SEND), 1, 0 },
					   .event = p->events++ });
}

static bool neighbour(const struct grid *g, const struct process *p, unsigned d, bool above)
{
	return above ? p->at[d] < g->size[d] - 1 : p->at[d] > 0;
}

/* All processes sweep in a direction; dimensions are received and sent in an order of their own. */
static void sweep(const struct grid *g, struct process *p, unsigned direction, unsigned steps,
		  uint32_t region, unsigned turn)
{
	for (int i = 0; i < g->n; i++) {
		p[i].first[p[i].n] = p[i].events;
		p[i].direction[p[i].n] = (uint8_t)direction;
		p[i].change[p[i].n] = p[i].n == 0 || p[i].direction[p[i].n - 1] != direction;
		p[i].steps[p[i].n++] = steps;
		for (unsigned s = 0; s < steps; s++)
			for (unsigned kind = 0; kind < 2; kind++)
				for (unsigned k = 0; k < g->dims; k++) {
					const unsigned d = (k + turn + kind) % g->dims;
					const bool up = direction >> d & 1;
					if (neighbour(g, &p[i], d, kind == 1 ? up : !up))
						push(&p[i], kind == 1 ? SWEEP_SEND : SWEEP_RECV, d,
						     up, region);
				}
	}
}

/* Each sends its border to all neighbours and receives theirs: in the calls of a function of its
 * own, or of the sweep's. */
static void exchange(const struct grid *g, struct process *p, uint32_t region)
{
	for (int i = 0; i < g->n; i++)
		for (unsigned kind = 2; kind-- > 0;)
			for (unsigned d = 0; d < g->dims; d++)
				for (unsigned above = 0; above < 2; above++)
					if (neighbour(g, &p[i], d, above))
						push(&p[i], kind == 1 ? SWEEP_SEND : SWEEP_RECV, d,
						     kind == 1 ? above : !above, region);
}

static void collective(const struct grid *g, struct process *p)
{
	for (int i = 0; i < g->n; i++)
		push(&p[i], SWEEP_BREAK, 0, false, 0);
}

/* Two halves, as two processes would say it. */
static unsigned taken(const struct grid *g, struct process *p)
{
	struct sweep_steps halves[2];

	sweep_steps_init(&halves[0]);
	sweep_steps_init(&halves[1]);
	for (int i = 0; i < g->n; i++) {
		sweeps_end(&p[i].found);
		sweep_steps_add(&halves[i % 2], &p[i].found);
	}
	sweep_steps_join(&halves[0], &halves[1]);
	return sweeps_taken(&halves[0], p[0].found.dims);
}

/* Every process found exactly the sweeps that there were, each from its first token on. */
static void expect_exact(const struct grid *g, struct process *p)
{
	for (int i = 0; i < g->n; i++) {
		assert_int_equal(p[i].found.all.n, p[i].n);
		for (unsigned k = 0; k < p[i].n; k++) {
			const struct sweep *s = &p[i].found.all.data[k];
			assert_int_equal(s->direction, p[i].direction[k]);
			assert_int_equal(s->steps, p[i].steps[k]);
			assert_int_equal(s->change, p[i].change[k]);
			assert_true(s->refill);
			assert_true(s->n_first > 0);
			assert_int_equal(p[i].found.tokens.data[s->first].event, p[i].first[k]);
		}
	}
}

static const struct grid grids[] = {
	{ 1, { 3 }, 0 },       { 1, { 7 }, 0 },    { 2, { 2, 2 }, 0 },    { 2, { 4, 4 }, 0 },
	{ 2, { 2, 4 }, 0 },    { 2, { 8, 3 }, 0 }, { 3, { 2, 2, 2 }, 0 }, { 3, { 3, 3, 3 }, 0 },
	{ 3, { 2, 3, 4 }, 0 }, { 2, { 8, 8 }, 0 },
};

TEST(corners_in_any_order)
{
	struct rng rng = { 31 };

	for (unsigned round = 0; round < 200; round++) {
		struct grid g = grids[round % (sizeof grids / sizeof *grids)];
		struct process *p = processes(&g, true);
		const unsigned all = 1u << g.dims;
		unsigned last = all, directions = 0;
		for (unsigned i = 0; i < 12; i++) {
			unsigned direction = rng_below(&rng, all);
			if (direction == last) /* as much again would be the same sweep */
				direction = (direction + 1) % all;
			sweep(&g, p, direction, 2 + rng_below(&rng, 6), 10, round % 3);
			directions |= 1u << direction;
			last = direction;
		}
		/* A direction that is taken is one that everybody takes as often. */
		assert_int_equal(taken(&g, p), directions);
		expect_exact(&g, p);
		forget(&g, p);
	}
}

/* Behind a collective the pipeline fills again, in the same direction or another. */
TEST(collectives_drain_the_pipeline)
{
	struct grid g = { 2, { 4, 3 }, 0 };
	struct process *p = processes(&g, true);

	sweep(&g, p, 3, 4, 10, 0);
	collective(&g, p);
	sweep(&g, p, 3, 4, 10, 0);
	collective(&g, p);
	sweep(&g, p, 0, 3, 10, 0);
	assert_int_equal(taken(&g, p), 1u << 3 | 1u << 0);
	expect_exact(&g, p);
	forget(&g, p);
}

/* An exchange of borders in another function: what lies between, and nothing more. */
TEST(borders_are_no_sweeps)
{
	for (unsigned i = 0; i < sizeof grids / sizeof *grids; i++) {
		struct grid g = grids[i];
		struct process *p = processes(&g, true);
		const unsigned all = 1u << g.dims;
		for (unsigned k = 0; k < 6; k++) {
			exchange(&g, p, 50);
			sweep(&g, p, k % all, 5, 10, k % 2);
			exchange(&g, p, 50);
			exchange(&g, p, 50);
			sweep(&g, p, k % all, 5, 10, k % 2);
		}
		assert_int_equal(taken(&g, p), (1u << (all < 6 ? all : 6)) - 1);
		expect_exact(&g, p);
		forget(&g, p);
	}
}

/* Exchanges alone, however often, are no wavefront code, with keys or without. */
TEST(exchanges_alone_are_no_wavefronts)
{
	for (unsigned i = 0; i < sizeof grids / sizeof *grids; i++)
		for (unsigned keyed = 0; keyed < 2; keyed++) {
			struct grid g = grids[i];
			struct process *p = processes(&g, keyed);
			for (unsigned k = 0; k < 20; k++) {
				exchange(&g, p, 50);
				if (k % 5 == 0)
					collective(&g, p);
			}
			/* On a line of processes an interior one receives and sends both ways. */
			assert_int_equal(taken(&g, p), 0);
			forget(&g, p);
		}
}

/* A step alone, between collectives: no pipeline. */
TEST(one_step_is_no_sweep)
{
	struct grid g = { 2, { 3, 3 }, 0 };
	struct process *p = processes(&g, true);

	for (unsigned k = 0; k < 8; k++) {
		sweep(&g, p, k % 4, 1, 10, 0);
		collective(&g, p);
	}
	assert_int_equal(taken(&g, p), 0);
	for (int i = 0; i < g.n; i++)
		assert_int_equal(p[i].found.all.n, 0);
	forget(&g, p);
}

/* The corner that a direction reaches last only receives: all its receives are kept. */
TEST(the_last_corner_keeps_its_receives)
{
	struct grid g = { 2, { 3, 3 }, 0 };
	struct process *p = processes(&g, true);

	sweep(&g, p, 3, 4, 10, 0); /* from the south-west: the north-east is last */
	sweep(&g, p, 1, 4, 10, 0); /* from the north-west: the south-east is last */
	taken(&g, p);
	for (int i = 0; i < g.n; i++) {
		const unsigned last = i == 8 || i == 2;
		assert_int_equal(p[i].found.last.n, last * 8);
		assert_int_equal(sweeps_ends_here(&p[i].found, 3), i == 8);
		assert_int_equal(sweeps_ends_here(&p[i].found, 1), i == 2);
	}
	forget(&g, p);
}

/* Horizontal and vertical edges received in functions of their own: found when keys are left
 * out. */
TEST(keys_can_hide_it)
{
	for (unsigned keyed = 0; keyed < 2; keyed++) {
		struct grid g = { 2, { 3, 3 }, 0 };
		struct process *p = processes(&g, keyed);
		for (unsigned step = 0; step < 8; step++)
			for (int i = 0; i < g.n; i++)
				for (unsigned kind = 0; kind < 2; kind++)
					for (unsigned d = 0; d < 2; d++)
						if (neighbour(&g, &p[i], d, kind))
							push(&p[i], kind ? SWEEP_SEND : SWEEP_RECV,
							     d, true, 10 * (1 + d));
		assert_int_equal(taken(&g, p), keyed ? 0 : 1u << 3);
		forget(&g, p);
	}
}

/* Anything at all: it ends, its buffer holds, sweeps have two steps or more. */
TEST(random_tokens)
{
	struct rng rng = { 77 };

	for (unsigned round = 0; round < 500; round++) {
		ENDED_BY(sweeps_fini) struct sweeps s;
		const unsigned dims = 1 + rng_below(&rng, 3), all = (1u << dims) - 1;
		const uint8_t below = (uint8_t)(rng_next(&rng) & all),
			      above = (uint8_t)(rng_next(&rng) & all);
		uint64_t steps = 0;
		sweeps_init(&s, dims, below, above, round % 2);
		for (uint32_t i = 0; i < 300; i++) {
			struct sweep_token t = { .kind = (uint8_t)rng_below(&rng, 2),
						 .dim = (uint8_t)rng_below(&rng, dims),
						 .up = rng_below(&rng, 8) < 6,
						 .event = i };
			const bool upper = (t.kind == SWEEP_SEND) == t.up;
			if (rng_below(&rng, 40) == 0)
				t.kind = SWEEP_BREAK;
			else if (!((upper ? above : below) >> t.dim & 1))
				continue; /* nobody is there */
			sweeps_push(&s, &t);
			assert_true(s.n_buffer < SWEEP_TOKENS);
		}
		sweeps_end(&s);
		assert_int_equal(s.n_buffer, 0);
		for (size_t i = 0; i < s.all.n; i++) {
			assert_true(s.all.data[i].steps >= SWEEP_LEAST);
			steps += s.all.data[i].steps;
		}
		for (unsigned d = 0; d <= all; d++)
			steps -= s.steps[d];
		assert_int_equal(steps, 0);
	}
}
