/* Counting is order statistics: how many begins are after an end, in all and on the receiver's node
 * (another latency). Two Fenwick trees, over the begins by time and by node and time; prefix
 * operations put the begins in one after the other, all others at once. */
#include "correct/clocks/check_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/trace/store.h"

enum { NO_PARTY = -1 };

/* A begin that is a logical send. */
struct sender {
	int64_t time;
	uint32_t node; /* of check_room */
	uint32_t party;
};

/* The latest begins of a node so far. */
struct top {
	int64_t time[2];
	int32_t party[2]; /* NO_PARTY */
};

struct prefix_node {
	uint32_t string;      /* 0: unknown; the first of the list */
	uint32_t first, last; /* places by node and time, last is exclusive */
	struct top top;
};

struct check_party {
	int64_t begin, end; /* ticks */
	uint32_t node;
	uint32_t time_place, node_place; /* among the senders */
};

struct check_room {
	uint32_t cap;
	struct check_party *parties; /* [n] */
	uint32_t *strings;           /* [n] of their nodes, sorted */
	struct prefix_node *nodes;
	uint32_t n_nodes;
	struct sender *by_time, *by_node;
	uint32_t n_senders;
	uint32_t *time_count, *node_count; /* trees */
	int128 *time_sum;                  /* tree of begin - from */
	int64_t from;                      /* ticks */
	uint32_t inside;                   /* senders that are in the trees */
	int32_t latest[2];                 /* known nodes with the latest begins, NO_PARTY */
	int64_t inter, intra, unknown;     /* latencies */
};

static struct check_room *make_room(struct check_group *g)
{
	struct check_room *room = g->room;
	const uint32_t n = g->group.n;

	if (!room)
		room = g->room = xcalloc(1, sizeof *room);
	if (n <= room->cap)
		return room;
	room->cap = n;
	room->parties = xrealloc(room->parties, n * sizeof *room->parties);
	room->strings = xrealloc(room->strings, n * sizeof *room->strings);
	room->nodes = xrealloc(room->nodes, (n + 1) * sizeof *room->nodes);
	room->by_time = xrealloc(room->by_time, n * sizeof *room->by_time);
	room->by_node = xrealloc(room->by_node, n * sizeof *room->by_node);
	room->time_count = xrealloc(room->time_count, (n + 1) * sizeof *room->time_count);
	room->node_count = xrealloc(room->node_count, (n + 1) * sizeof *room->node_count);
	room->time_sum = xrealloc(room->time_sum, (n + 1) * sizeof *room->time_sum);
	return room;
}

void check_group_fini(struct check_group *g)
{
	struct check_room *room = g->room;

	group_fini(&g->group);
	vec_fini(&g->blamed);
	if (room)
		free_all(room->parties, room->strings, room->nodes, room->by_time, room->by_node,
			 room->time_count, room->node_count, room->time_sum, room);
	*g = (struct check_group){ 0 };
}

/* ---- begins and ends ---- */

/* Sets the times and the number of messages; true if there may be a violation. */
static bool look(struct check_group *g, const struct trace *trace, enum time_base base)
{
	struct check_room *room = g->room;
	const struct group *group = &g->group;
	int64_t latest = INT64_MIN, earliest = INT64_MAX;
	uint64_t senders = 0, receivers = 0, both = 0;

	for (uint32_t i = 0; i < group->n; i++) {
		const struct party *p = &group->parties[i];
		struct check_party *times = &room->parties[i];
		if (p->receives) {
			times->end = store_event_time(trace, base, p->end);
			earliest = times->end < earliest ? times->end : earliest;
			g->sum.messages += group->cls == LOGICAL_PREFIX ? senders : 0;
		}
		if (p->sends) {
			times->begin = store_event_time(trace, base, p->begin);
			latest = times->begin > latest ? times->begin : latest;
		}
		senders += p->sends;
		receivers += p->receives;
		both += p->sends && p->receives;
	}
	if (group->cls != LOGICAL_PREFIX)
		g->sum.messages = senders * receivers - both;
	if (!senders || !receivers)
		return false;
	return latest + (room->inter > room->intra ? room->inter : room->intra) > earliest;
}

ORDERING_OF_NUMBERS(ascending, uint32_t)

/* Lists the nodes of the parties, the unknown one first. */
static void list_nodes(struct check_room *room, const struct group *group,
		       const struct trace *trace)
{
	uint32_t *strings = room->strings;

	for (uint32_t i = 0; i < group->n; i++)
		strings[i] = trace->locations.data[group->parties[i].location].node;
	SORT(strings, group->n, ascending);
	room->nodes[0].string = 0;
	room->n_nodes = 1;
	for (uint32_t i = 0; i < group->n; i++)
		if (strings[i] != room->nodes[room->n_nodes - 1].string)
			room->nodes[room->n_nodes++].string = strings[i];
	for (uint32_t i = 0; i < group->n; i++) {
		const uint32_t string = trace->locations.data[group->parties[i].location].node;
		uint32_t low = 0, high = room->n_nodes - 1;
		BISECT(low, high, middle, room->nodes[middle].string < string);
		room->parties[i].node = low;
	}
}

ORDERING(by_time, struct sender, time, party)

static int by_node(const void *a, const void *b)
{
	const struct sender *x = a, *y = b;

	ORDER_BY(x->node, y->node);
	return by_time(a, b);
}

static void sort_senders(struct check_room *room, const struct group *group)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < group->n; i++)
		if (group->parties[i].sends)
			room->by_time[n++] =
				(struct sender){ room->parties[i].begin, room->parties[i].node, i };
	room->n_senders = n;
	memcpy(room->by_node, room->by_time, n * sizeof *room->by_node);
	SORT(room->by_time, n, by_time);
	SORT(room->by_node, n, by_node);
	room->from = room->by_time[0].time;
	for (uint32_t i = 0; i < room->n_nodes; i++)
		room->nodes[i].first = room->nodes[i].last = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct prefix_node *node = &room->nodes[room->by_node[i].node];
		room->parties[room->by_time[i].party].time_place = i;
		room->parties[room->by_node[i].party].node_place = i;
		if (node->last == 0)
			node->first = i;
		node->last = i + 1;
	}
}

/* ---- the trees ---- */

static void clear(struct check_room *room)
{
	memset(room->time_count, 0, (room->n_senders + 1) * sizeof *room->time_count);
	memset(room->node_count, 0, (room->n_senders + 1) * sizeof *room->node_count);
	memset(room->time_sum, 0, (room->n_senders + 1) * sizeof *room->time_sum);
	for (uint32_t i = 0; i < room->n_nodes; i++)
		room->nodes[i].top = (struct top){ { 0, 0 }, { NO_PARTY, NO_PARTY } };
	room->latest[0] = room->latest[1] = NO_PARTY;
	room->inside = 0;
}

/* The sender that is put in may be its node's latest, and its node that of the latest begin. */
static void note_latest(struct check_room *room, uint32_t at, int64_t time, uint32_t party)
{
	struct top *top = &room->nodes[at].top;
	int32_t *latest = room->latest;

	if (top->party[0] == NO_PARTY || time > top->time[0]) {
		top->time[1] = top->time[0];
		top->party[1] = top->party[0];
		top->time[0] = time;
		top->party[0] = (int32_t)party;
	} else if (top->party[1] == NO_PARTY || time > top->time[1]) {
		top->time[1] = time;
		top->party[1] = (int32_t)party;
	}
	if (at == 0 || (int32_t)at == latest[0])
		return;
	if (latest[0] == NO_PARTY || top->time[0] > room->nodes[latest[0]].top.time[0]) {
		latest[1] = latest[0];
		latest[0] = (int32_t)at;
	} else if (latest[1] == NO_PARTY || top->time[0] > room->nodes[latest[1]].top.time[0]) {
		latest[1] = (int32_t)at;
	}
}

static void put_in(struct check_room *room, uint32_t party)
{
	const struct check_party *p = &room->parties[party];

	for (uint32_t i = p->time_place + 1; i <= room->n_senders; i += i & (0 - i)) {
		room->time_count[i]++;
		room->time_sum[i] += (int128)p->begin - room->from;
	}
	for (uint32_t i = p->node_place + 1; i <= room->n_senders; i += i & (0 - i))
		room->node_count[i]++;
	room->inside++;
	note_latest(room, p->node, p->begin, party);
}

static uint32_t count_before(const uint32_t *tree, uint32_t place)
{
	uint32_t n = 0;

	for (; place; place &= place - 1)
		n += tree[place];
	return n;
}

/* The first place in [first, last) with a time > t. */
static uint32_t place_behind(const struct sender *list, uint32_t first, uint32_t last, int64_t t)
{
	BISECT(first, last, middle, list[middle].time <= t);
	return first;
}

/* Senders in the trees with a begin > t, in all. */
static uint32_t behind(const struct check_room *room, int64_t t, int128 *sum)
{
	const uint32_t place = place_behind(room->by_time, 0, room->n_senders, t);

	if (sum) {
		*sum = 0;
		for (uint32_t i = room->n_senders; i; i &= i - 1)
			*sum += room->time_sum[i];
		for (uint32_t i = place; i; i &= i - 1)
			*sum -= room->time_sum[i];
	}
	return room->inside - count_before(room->time_count, place);
}

/* The same for one node. */
static uint32_t behind_on(const struct check_room *room, uint32_t at, int64_t t)
{
	const struct prefix_node *node = &room->nodes[at];
	const uint32_t place = place_behind(room->by_node, node->first, node->last, t);

	return count_before(room->node_count, node->last) - count_before(room->node_count, place);
}

/* ---- a receive ---- */

/* The latest begin on a node that is not the party's own. */
static int32_t latest_on(const struct check_room *room, int32_t at, uint32_t self)
{
	const struct top *top;

	if (at == NO_PARTY)
		return NO_PARTY;
	top = &room->nodes[at].top;
	return top->party[0] == (int32_t)self ? top->party[1] : top->party[0];
}

struct worst_pair {
	int64_t reversed, late; /* largest begin, and begin + latency */
	int32_t party;          /* of the second */
};

static void consider(struct worst_pair *worst, const struct check_room *room, int32_t party,
		     int64_t latency)
{
	if (party == NO_PARTY)
		return;
	const int64_t time = room->parties[party].begin;
	if (worst->party == NO_PARTY || time > worst->reversed)
		worst->reversed = time;
	if (worst->party == NO_PARTY || time + latency > worst->late ||
	    (time + latency == worst->late && party < worst->party)) {
		worst->late = time + latency;
		worst->party = party;
	}
}

static struct worst_pair find_worst(const struct check_room *room, uint32_t self)
{
	const int32_t node = (int32_t)room->parties[self].node;
	struct worst_pair worst = { 0, 0, NO_PARTY };

	consider(&worst, room, latest_on(room, 0, self), room->unknown);
	for (int i = 0; i < 2; i++)
		if (room->latest[i] != node)
			consider(&worst, room, latest_on(room, room->latest[i], self),
				 node ? room->inter : room->unknown);
	if (node)
		consider(&worst, room, latest_on(room, node, self), room->intra);
	return worst;
}

static uint32_t count_violating(const struct check_room *room, uint32_t self, bool self_inside)
{
	const uint32_t node = room->parties[self].node;
	const int64_t end = room->parties[self].end;
	const int64_t own = node ? room->intra : room->unknown;
	uint32_t n;

	if (node) {
		n = behind(room, end - room->inter, NULL) -
		    behind_on(room, node, end - room->inter) -
		    behind_on(room, 0, end - room->inter);
		n += behind_on(room, node, end - room->intra) +
		     behind_on(room, 0, end - room->unknown);
	} else {
		n = behind(room, end - room->unknown, NULL);
	}
	return n - (self_inside && room->parties[self].begin > end - own);
}

static void add_blame(struct check_group *g, const struct trace *trace, struct check_blame blame)
{
	const struct party *parties = g->group.parties;

	vec_push(&g->blamed, blame);
	check_sum_worst(&g->sum, trace, blame.late, parties[blame.from].begin,
			parties[blame.to].end);
}

static void check_end(struct check_group *g, const struct trace *trace, uint32_t self,
		      bool self_inside)
{
	const struct check_room *room = g->room;
	const int64_t begin = room->parties[self].begin, end = room->parties[self].end;
	const struct worst_pair worst = find_worst(room, self);
	const bool own = self_inside && begin > end;
	uint32_t reversed;
	int128 sum;

	if (worst.party == NO_PARTY || worst.late <= end)
		return;
	g->sum.violating += count_violating(room, self, self_inside);
	add_blame(g, trace,
		  (struct check_blame){ (uint32_t)worst.party, self,
					room->parties[worst.party].begin - end, worst.late - end });
	if (worst.reversed <= end)
		return;
	if (worst.reversed - end > g->sum.worst)
		g->sum.worst = worst.reversed - end;
	reversed = behind(room, end, &sum) - own;
	if (own)
		sum -= (int128)begin - room->from;
	g->sum.reversed += reversed;
	g->sum.sum += sum - reversed * ((int128)end - room->from);
}

void check_group(struct check_group *g, const struct trace *trace, enum time_base base,
		 const struct lmin *lmin)
{
	const struct group *group = &g->group;
	const bool threads = group->cls == LOGICAL_FORK || group->cls == LOGICAL_JOIN ||
			     group->cls == LOGICAL_TEAM;
	const bool prefix = group->cls == LOGICAL_PREFIX;
	struct check_room *room = make_room(g);

	g->sum = check_sum_nothing;
	g->blamed.n = 0;
	room->inter = threads ? lmin->omp : lmin->inter;
	room->intra = threads ? lmin->omp : lmin->intra;
	room->unknown = room->intra < room->inter ? room->intra : room->inter;
	if (!look(g, trace, base))
		return;
	list_nodes(room, group, trace);
	sort_senders(room, group);
	clear(room);
	for (uint32_t i = 0; i < group->n && !prefix; i++)
		if (group->parties[i].sends)
			put_in(room, i);
	for (uint32_t i = 0; i < group->n; i++) {
		if (group->parties[i].receives)
			check_end(g, trace, i, !prefix && group->parties[i].sends);
		if (prefix && group->parties[i].sends)
			put_in(room, i);
	}
}
