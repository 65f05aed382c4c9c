/* Programs drawn from a seed. */
#include "correct/overhead/overhead_aid.h"

#include "harness/random.h"

static void random_functions(struct aid_program *p, uint64_t *s)
{
	for (uint32_t l = 0; l < p->ranks; l++) {
		const int n = (int)xorshift_below(s, 40);
		if (xorshift_below(s, 3) == 0)
			aid_add(p, l,
				(struct aid_step){ AID_WORK, 0, 0,
						   (int64_t)xorshift_below(s, 3000000), 0 });
		aid_call(p, l, (int)xorshift_below(s, AID_FUNCTIONS),
			 2000 + (int64_t)xorshift_below(s, 20000), n);
		if (xorshift_below(s, 30) == 0)
			aid_add(p, l, (struct aid_step){ AID_FLUSH, 0, 0, 5000000, 0 });
		if (xorshift_below(s, 20) == 0)
			aid_add(p, l, (struct aid_step){ AID_SELF, 0, 0, 0, 0 });
	}
}

static void random_messages(struct aid_program *p, uint64_t *s)
{
	const uint32_t a = (uint32_t)xorshift_below(s, p->ranks);
	const uint32_t b = (a + 1 + (uint32_t)xorshift_below(s, p->ranks - 1)) % p->ranks;
	const uint64_t bytes = 8u << xorshift_below(s, 4);
	const int64_t busy = 60000;

	switch (xorshift_below(s, 3)) {
	case 0:
		aid_add(p, a, (struct aid_step){ AID_SEND, (int)b, 0, busy, bytes });
		aid_add(p, b, (struct aid_step){ AID_RECV, (int)a, 0, 0, bytes });
		break;
	case 1: /* everybody sends to its right neighbour */
		for (uint32_t l = 0; l < p->ranks; l++)
			aid_add(p, l,
				(struct aid_step){ AID_SENDRECV, (int)((l + 1) % p->ranks),
						   (int)((l + p->ranks - 1) % p->ranks), 0,
						   bytes });
		break;
	default: /* all to one */
		for (uint32_t l = 0; l < p->ranks; l++)
			if (l != a)
				aid_add(p, a, (struct aid_step){ AID_IRECV, (int)l, 0, 0, bytes });
		for (uint32_t l = 0; l < p->ranks; l++)
			if (l != a)
				aid_add(p, l,
					(struct aid_step){ AID_SEND, (int)a, 0, busy, bytes });
		aid_add(p, a, (struct aid_step){ AID_WAITALL, 0, 0, 0, 0 });
	}
}

struct aid_program *aid_random(uint64_t seed, uint32_t ranks, uint32_t rounds)
{
	struct aid_program *p = aid_new(ranks);
	uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
	uint32_t collectives = 0;

	p->seed = seed;
	for (uint32_t i = 0; i < rounds; i++) {
		random_functions(p, &s);
		if (xorshift_below(&s, 3) || collectives == 60) {
			random_messages(p, &s);
			continue;
		}
		const struct aid_step step = {
			(enum aid_op)(AID_BARRIER + xorshift_below(&s, AID_OPS - AID_BARRIER)),
			(int)xorshift_below(&s, ranks), 0, 0, 64
		};
		for (uint32_t l = 0; l < ranks; l++)
			aid_add(p, l, step);
		collectives++;
	}
	return p;
}
