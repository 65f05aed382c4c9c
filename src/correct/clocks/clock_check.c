#include "correct/clocks/clock_check.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "correct/clocks/check_group.h"
#include "model/trace/store.h"

enum { AHEAD = 16, STEP = 1 << 16 };

struct checking {
	struct check *check;
	const struct logical *logical;
	const struct trace *trace;
	enum time_base base;
	const struct lmin *lmin;
	struct keymap map; /* (from, to): pair */
	VEC(struct check_pair) pairs;
	struct check_group group;
};

static struct check_sum *sum_of_pair(struct checking *c, uint32_t from, uint32_t to)
{
	uint32_t at;

	if (keymap_new(&c->map, KEY_OF(from, to), c->pairs.n, &at))
		vec_push(&c->pairs, ((struct check_pair){ from, to, check_sum_nothing }));
	return &c->pairs.data[at].sum;
}

/* ---- messages ---- */

/* Checks one logical message between two events. Returns the sum of the pair of locations if the
 * message violates the condition, else NULL. */
static struct check_sum *check_message(struct checking *c, enum logical_class cls, uint32_t send,
				       uint32_t recv)
{
	struct check_sum *sum = &c->check->by_class[cls], *pair;
	const int64_t early = store_event_time(c->trace, c->base, send) -
			      store_event_time(c->trace, c->base, recv);
	uint32_t from, to;
	int64_t late;

	sum->messages++;
	/* Nearly all are in order: only look up the latency for the others. */
	if (early + c->lmin->inter <= 0 && early + c->lmin->intra <= 0)
		return NULL;
	from = store_event_block(c->trace, send)->location;
	to = store_event_block(c->trace, recv)->location;
	late = early + lmin_between(c->lmin, from, to, cls);
	if (late <= 0)
		return NULL;
	pair = sum_of_pair(c, from, to);
	check_sum_violation(sum, c->trace, early, late, send, recv);
	check_sum_violation(pair, c->trace, early, late, send, recv);
	return pair;
}

static bool check_messages(struct checking *c, const struct progress *progress)
{
	const uint32_t n = trace_message_count(c->trace);

	for (uint32_t row = 0; row < n; row++) {
		if (row % STEP == 0 && !progress_step(progress, "clocks", row, n))
			return false;
		if (row + AHEAD < n) {
			const struct message *next = store_message(c->trace, row + AHEAD);
			if (!(next->flags & MSG_NO_RECV))
				store_prefetch_times(c->trace, c->base, next->recv / BLOCK_EVENTS);
		}
		if (!logical_message_here(c->logical, row))
			continue;
		const struct message *m = store_message(c->trace, row);
		check_message(c, LOGICAL_P2P, m->send, m->recv);
	}
	return true;
}

/* Counts all messages of the pairs that have a violation. */
static bool count_pairs(struct checking *c, const struct progress *progress)
{
	const uint32_t n = trace_message_count(c->trace);

	for (uint32_t row = 0; row < n && c->pairs.n; row++) {
		const struct message *m = store_message(c->trace, row);
		const uint32_t *at;
		if (row % STEP == 0 && !progress_step(progress, "clocks", row, n))
			return false;
		if (!logical_message_here(c->logical, row))
			continue;
		at = keymap_find(&c->map, KEY_OF(store_event_block(c->trace, m->send)->location,
						 store_event_block(c->trace, m->recv)->location));
		if (at)
			c->pairs.data[*at].sum.messages++;
	}
	return true;
}

/* ---- groups ---- */

/* Charges each late receive of a group to the pair with its worst sender. */
static void blame(struct checking *c)
{
	const struct check_group *g = &c->group;

	for (size_t i = 0; i < g->blamed.n; i++) {
		const struct check_blame *b = &g->blamed.data[i];
		const struct party *from = &g->group.parties[b->from];
		const struct party *to = &g->group.parties[b->to];
		struct check_sum *pair = sum_of_pair(c, from->location, to->location);
		pair->messages++;
		check_sum_violation(pair, c->trace, b->early, b->late, from->begin, to->end);
	}
}

/* Neighbours are few, so each pair is checked separately. */
static void check_neighbours(struct checking *c, const struct group *group)
{
	for (uint32_t to = 0; to < group->n; to++) {
		uint32_t n;
		const uint32_t *list = neighbours_of(group->neighbourhood, to, &n);
		for (uint32_t i = 0; i < n; i++) {
			struct check_sum *pair = NULL;
			if (group_sends_to(group, list[i], to))
				pair = check_message(c, group->cls, group->parties[list[i]].begin,
						     group->parties[to].end);
			if (pair)
				pair->messages++;
		}
	}
}

static bool check_groups(struct checking *c, const struct progress *progress)
{
	const uint32_t n = logical_group_count(c->logical);

	for (uint32_t id = 0; id < n; id++) {
		if (id % 1024 == 0 && !progress_step(progress, "clocks", id, n))
			return false;
		if (!logical_group(c->logical, id, &c->group.group))
			continue;
		if (c->group.group.cls == LOGICAL_NEIGHBOURS) {
			check_neighbours(c, &c->group.group);
			continue;
		}
		check_group(&c->group, c->trace, c->base, c->lmin);
		check_sum_add(&c->check->by_class[c->group.group.cls], c->trace, &c->group.sum);
		blame(c);
	}
	return true;
}

static int worst_first(const void *a, const void *b)
{
	const struct check_pair *x = a, *y = b;

	ORDER_BY(y->sum.worst_violation, x->sum.worst_violation);
	ORDER_BY(x->from, y->from);
	return ORDER(x->to, y->to);
}

/* ---- several processes ---- */

/* Of processes that share the trace none has more pairs than are wanted of all. */
static void keep_worst(struct check *check, struct check_pair *pairs, size_t n)
{
	check->n_pairs = n < CHECK_PAIRS ? n : CHECK_PAIRS;
	check->more_pairs += n - check->n_pairs;
	SORT(pairs, n, worst_first);
	check->pairs = pairs;
	if (check->n_pairs < n)
		check->pairs = xrealloc(pairs, check->n_pairs * sizeof *pairs);
}

static void share_classes(struct checking *c, struct exchange *x)
{
	OWNED_VEC(struct check_sum) sums = VEC_INIT;

	for (int i = 0; i < LOGICAL_CLASSES; i++) {
		struct check_sum *sum = &c->check->by_class[i];
		sum->send = sum->recv = EVENT_NONE;
		vec_push(&sums, *sum);
		*sum = check_sum_nothing;
	}
	exchange_rows(x, &sums);
	for (size_t i = 0; i < sums.n; i++)
		check_sum_add(&c->check->by_class[i % LOGICAL_CLASSES], c->trace, &sums.data[i]);
}

/* Each pair is put together by one of the processes, and the worst of all are brought together. */
static void share_pairs(struct checking *c, struct exchange *x)
{
	OWNED uint32_t *to = xmalloc((c->pairs.n + 1) * sizeof *to);
	struct exchange_parts parts;
	const struct check_pair *theirs;

	for (size_t i = 0; i < c->pairs.n; i++) {
		struct check_pair *pair = &c->pairs.data[i];
		pair->sum.send = pair->sum.recv = EVENT_NONE;
		to[i] = key_share(KEY_OF(pair->from, pair->to), x->processes);
	}
	exchange_deal(x, c->pairs.data, c->pairs.n, sizeof *theirs, to, &parts);
	theirs = (const struct check_pair *)(const void *)parts.data;
	c->pairs.n = 0;
	keymap_fini(&c->map);
	for (size_t i = 0; i < parts.first[x->processes] / sizeof *theirs; i++)
		check_sum_add(sum_of_pair(c, theirs[i].from, theirs[i].to), c->trace,
			      &theirs[i].sum);
	exchange_parts_fini(&parts);
	keep_worst(c->check, c->pairs.data, c->pairs.n);
	c->check->more_pairs = exchange_count(x, c->check->more_pairs);
	c->pairs.data = c->check->pairs;
	c->pairs.n = c->pairs.cap = c->check->n_pairs;
	exchange_rows(x, &c->pairs);
}

bool check_make(struct check *check, const struct logical *logical, enum time_base base,
		const struct lmin *lmin, const struct progress *progress)
{
	struct checking c = { .check = check,
			      .logical = logical,
			      .trace = logical_trace(logical),
			      .base = base,
			      .lmin = lmin };
	bool ok;

	*check = (struct check){ .all = check_sum_nothing };
	for (int i = 0; i < LOGICAL_CLASSES; i++)
		check->by_class[i] = check_sum_nothing;
	ok = check_messages(&c, progress) && count_pairs(&c, progress) &&
	     check_groups(&c, progress);
	check_group_fini(&c.group);
	if (!ok) {
		keymap_fini(&c.map);
		vec_fini(&c.pairs);
		*check = (struct check){ 0 };
		return false;
	}
	if (trace_exchange(c.trace)) {
		share_classes(&c, trace_exchange(c.trace));
		share_pairs(&c, trace_exchange(c.trace));
	}
	for (int i = 0; i < LOGICAL_CLASSES; i++)
		check_sum_add(&check->all, c.trace, &check->by_class[i]);
	keymap_fini(&c.map);
	keep_worst(check, c.pairs.data, c.pairs.n);
	return true;
}

void check_fini(struct check *check)
{
	free(check->pairs);
	*check = (struct check){ 0 };
}
