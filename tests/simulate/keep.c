/* Virtual time as a recorder keeps it (capture/lib/virtual_keeper.h): of probes it knows the mean
 * cost, of delays and its own work around calls how long they took, and it learns latencies. */
#include "base/mem.h"
#include "engine_impl.h"

enum { PER_MILLE = 1000, SYNCHRONOUS = 2 };

/* As after MPI_Init: some messages to and fro, and to itself. */
static void learn_first(struct engine *e, uint32_t rank)
{
	enum { ROUNDS = 16, THERE = 4, BYTES = 8 };
	const int64_t take = letter_copying(e, BYTES) + pico(e->settings->take);
	struct latencies *of = &e->actors[rank].learnt->messages;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		const int64_t way = letter_latency(e, rank, rank ? 0 : 1) +
				    letter_delay(e, CHANCE_OFFSET, rank, i) +
				    pico(BYTES / e->settings->bandwidth);
		latency_learn(of, BYTES, 0, 1, 1 + way);
	}
	for (int i = 0; i < THERE; i++)
		latency_learn(of, BYTES, PICO, 0, PICO + take);
}

/* Probes cost up to overhead, and `spread` of that less. */
void keep_begin(struct engine *e)
{
	const struct settings *s = e->settings;

	if (!s->keep || !e->measured)
		return;
	e->costs = (struct virtual_costs){
		.probe = (uint64_t)(pico(s->overhead * (1 - s->spread / 2)) * PER_MILLE),
		.probe_error = (uint64_t)(pico(s->overhead * s->spread / 2) * PER_MILLE),
		.between = (uint64_t)(pico(s->keep_between) * PER_MILLE),
		.call = (uint64_t)(pico(s->keep_call) * PER_MILLE),
		.call_error = (uint64_t)(pico(s->keep_call * s->keep_spread + s->keep_between) *
					 PER_MILLE),
	};
	for (uint32_t r = 0; r < s->ranks; r++) {
		struct actor *a = &e->actors[r];
		a->learnt = xcalloc(1, sizeof *a->learnt);
		a->learnt->waits = UINT64_MAX;
		learn_first(e, r);
	}
}

void keep_end(struct engine *e)
{
	for (uint32_t r = 0; r < e->settings->ranks; r++)
		free(e->actors[r].learnt);
}

/* ---- own work ---- */

void keep_delay(struct engine *e, uint32_t rank)
{
	const struct settings *s = e->settings;
	struct actor *a = &e->actors[rank];
	int64_t delay = 0;

	if (!a->learnt)
		return;
	if (s->delay > 0)
		delay = pico(s->delay * (1 + s->delay_spread * chance_delay(s->seed, CHANCE_DELAY,
									    rank, a->stamps)));
	delay += letter_nap(e, CHANCE_DELAY, rank, a->stamps);
	engine_intrude(e, rank, delay);
	keeper_probe(&a->keeper, (uint64_t)delay);
}

void keep_enter(struct engine *e, uint32_t rank, int64_t time)
{
	struct actor *a = &e->actors[rank];

	if (!a->learnt)
		return;
	engine_intrude(e, rank,
		       e->cost[a->op.region] / 2 + letter_nap(e, CHANCE_CALL, rank, 2 * a->calls));
	keeper_begin(&a->keeper, &e->costs, time, a->now);
	engine_intrude(e, rank, pico(e->settings->keep_between));
}

void keep_leave(struct engine *e, uint32_t rank, int64_t time)
{
	const struct settings *s = e->settings;
	struct actor *a = &e->actors[rank];
	const double differs =
		s->keep_spread * (2 * chance_share(s->seed, CHANCE_CALL, rank, a->calls) - 1);
	const int64_t timed =
		e->cost[a->op.region] / 2 + letter_nap(e, CHANCE_CALL, rank, 2 * a->calls + 1);
	const int64_t after = timed + pico(s->keep_call);
	struct kept_call kept;

	if (!a->learnt)
		return;
	keeper_learn_messages(&a->keeper, a->learnt, time);
	keeper_leave(&a->keeper, &e->costs, a->entered - a->keeper.before, time, 0);
	kept = (struct kept_call){ .entered = a->entered,
				   .before = a->keeper.before,
				   .left = a->keeper.left,
				   .unsure = a->keeper.unsure,
				   .error = a->keeper.error,
				   .timed = a->keeper.stretch,
				   .inside = a->keeper.own.time - a->entered,
				   .after = after };
	vec_push(&e->run->of[rank].kept, kept);
	keeper_after(&a->keeper, after);
	engine_intrude(e, rank, timed + pico(s->keep_call * (1 + differs)));
}

/* ---- partners ---- */

void keep_held(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];

	if (a->learnt)
		keeper_held(&a->keeper, a->now);
}

void keep_receive(struct engine *e, uint32_t rank, const struct wanted *w)
{
	struct actor *a = &e->actors[rank];

	if (a->learnt)
		keeper_sender(&a->keeper, a->learnt, &w->kept_partner, w->bytes, a->now);
}

void keep_rendezvous(struct engine *e, uint32_t rank, const struct wanted *w)
{
	struct actor *a = &e->actors[rank];

	if (a->learnt)
		keeper_receiver(&a->keeper, a->learnt, &w->kept_post, true, w->bytes, SYNCHRONOUS,
				a->now);
}

void keep_meeting(struct engine *e, uint32_t rank, const struct meeting *m, enum virtual_rule rule)
{
	struct actor *a = &e->actors[rank];
	struct latency l;
	int64_t latest = 0;

	if (!a->learnt)
		return;
	l = keeper_rooted(a->learnt, a->op.bytes, (int)e->settings->ranks);
	for (uint32_t r = 0; r < e->settings->ranks; r++) {
		if (!virtual_depends(rule, a->op.peer, (int)rank, (int)r))
			continue;
		latest = virtual_max(latest, m->kept[r].time);
		if (rule == VIRTUAL_ALL)
			keeper_together(&a->keeper, &m->kept[r], a->now);
		else
			keeper_awaited(&a->keeper, &l, &m->kept[r], a->now);
	}
	if (rule != VIRTUAL_ALL)
		keeper_learn(&a->keeper, &a->learnt->rooted, a->op.bytes, latest, a->now);
}
