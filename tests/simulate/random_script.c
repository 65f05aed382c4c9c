#include "random_script.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OPS = 160, AHEAD = 8, COLLECTIVE_EVERY = 12, FROM_ANY = 1, STARTED = 2, FROM_ONE = 3 };

struct drawing {
	struct random_script *d;
	uint64_t seed, probes_seed;
	enum script_probes probes;
};

/* A message, which is received at step `at`. */
struct due {
	uint32_t from, to;
	int at;
	char kind; /* a from any, r from one, j of a started receive */
};

uint64_t random_script_draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*seed >> 33) % below;
}

static void say(struct drawing *g, uint32_t rank, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct drawing *g, uint32_t rank, const char *format, ...)
{
	char word[64];
	va_list args;

	va_start(args, format);
	vsnprintf(word, sizeof word, format, args);
	va_end(args);
	str_add(&g->d->text[rank], word);
}

/* Work in four parts with probes between them; odd ranks have more. */
static void compute(struct drawing *g, uint32_t rank)
{
	const double work = (double)(1 + random_script_draw(&g->seed, 20000)) * 1e-3;

	for (int i = 0; i < 4; i++) {
		say(g, rank, "c%.6f ", work / 4);
		if (g->probes == SCRIPT_COSTS)
			say(g, rank, "p%.6f ",
			    (double)random_script_draw(&g->probes_seed, rank % 2 ? 9000 : 1500) *
				    1e-3);
		else if (g->probes == SCRIPT_VISITS)
			for (uint64_t n = random_script_draw(&g->probes_seed, rank % 2 ? 7 : 3);
			     n > 0; n--)
				say(g, rank, "f%.6f ",
				    (double)(1 + random_script_draw(&g->seed, 500)) * 1e-3);
	}
}

static void send(struct drawing *g, const struct due *m)
{
	static const char sends[] = "isssS";
	const int tag = m->kind == 'a' ? FROM_ANY : m->kind == 'r' ? FROM_ONE : STARTED;
	/* Synchronous where the receive is posted already. */
	const uint64_t ways = g->probes == SCRIPT_VISITS && m->kind == 'j' ? 5 : 4;

	compute(g, m->from);
	/* Started receives are posted before, and may find their message there. */
	if (m->kind == 'j')
		say(g, m->to, "j%u.%d ", m->from, STARTED);
	say(g, m->from, "%c%u.%d ", sends[random_script_draw(&g->seed, ways)], m->to, tag);
}

static void receive(struct drawing *g, const struct due *m)
{
	if (random_script_draw(&g->seed, 2))
		compute(g, m->to);
	if (m->kind == 'a')
		say(g, m->to, "a.%d ", FROM_ANY);
	else if (m->kind == 'r')
		say(g, m->to, "r%u.%d ", m->from, FROM_ONE);
	else
		say(g, m->to, "w ");
}

static void collective(struct drawing *g)
{
	static const char collectives[] = "bBRAP";
	const char kind = collectives[random_script_draw(&g->seed, 5)];
	const uint32_t root = (uint32_t)random_script_draw(&g->seed, g->d->ranks);

	for (uint32_t r = 0; r < g->d->ranks; r++)
		say(g, r, "%c%u ", kind, root);
}

void random_script_init(struct random_script *d, uint64_t seed, enum script_probes probes,
			uint64_t probes_seed)
{
	struct drawing g = { d, seed, probes_seed, probes };
	const int ops = probes == SCRIPT_VISITS ? OPS : 40;
	struct due due[OPS] = { { 0 } };

	memset(d, 0, sizeof *d);
	d->ranks = 2 + (uint32_t)random_script_draw(&g.seed, SCRIPT_RANKS - 1);
	for (uint32_t r = 0; r < d->ranks && probes == SCRIPT_VISITS; r++)
		say(&g, r, "b0 ");
	for (int at = 0; at < ops + AHEAD + 1; at++) {
		if (at < ops) {
			struct due *m = &due[at];
			m->from = (uint32_t)random_script_draw(&g.seed, d->ranks);
			m->to = (m->from + 1 +
				 (uint32_t)random_script_draw(&g.seed, d->ranks - 1)) %
				d->ranks;
			m->at = at + 1 + (int)random_script_draw(&g.seed, AHEAD);
			m->kind = "aaarj"[random_script_draw(&g.seed, 5)];
			send(&g, m);
		}
		for (int i = 0; i < at && i < ops; i++)
			if (due[i].at == at)
				receive(&g, &due[i]);
		if (at % COLLECTIVE_EVERY == COLLECTIVE_EVERY - 1)
			collective(&g);
	}
	for (uint32_t r = 0; r < d->ranks; r++) {
		say(&g, r, "w c0.5 b0");
		d->script[r] = d->text[r].text;
	}
}

void random_script_fini(struct random_script *d)
{
	for (uint32_t r = 0; r < d->ranks; r++)
		str_fini(&d->text[r]);
}
