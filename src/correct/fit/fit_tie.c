/* One clock for each node. Ranks of one node nearly always read one clock, and the offsets measured
 * between them are noise. They count as one clock if there are enough messages in both directions,
 * none of them is reversed in measured times, and the offsets are within the error of a
 * measurement. */
#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "correct/fit/fit_state.h"
#include "model/trace/store.h"

enum { EACH_WAY = 15 }; /* messages of a clock, to and from others of its node */

/* ns: what an offset without a known round trip may be wrong by where interpolated times reverse
 * messages, and where they do not. */
#define WRONG_AT_MOST 300e3
#define WRONG_EASILY  50e3

/* Messages and offsets inside one node. */
struct tie_node {
	uint32_t leader;           /* clock: its first member */
	uint32_t members;          /* clocks with enough messages */
	uint64_t reversed, linear; /* messages inside it, in measured and in linear times */
	double round_trip;         /* ns: the longest measured, 0 none */
	double apart;              /* ns: offsets of members against the leader's, at most */
	double least;              /* ns: the fastest message inside, measured */
	bool round_trips;          /* each measurement has one */
};

struct tying {
	const struct clocks *clocks;
	struct tie_node *nodes; /* [strings of nodes] */
	uint32_t *node_of;      /* [clocks] string, 0: none, or several */
	uint32_t *in, *out;     /* [clocks] messages inside the node */
	uint32_t n;
};

static struct tie_node *inside(const struct tying *t, const struct fit_edge *e)
{
	const uint32_t node = t->node_of[e->from];

	return node != 0 && node == t->node_of[e->to] ? &t->nodes[node] : NULL;
}

static void look_at_measured(void *context, const struct fit_edge *e)
{
	struct tying *t = context;
	struct tie_node *node = inside(t, e);

	if (!node)
		return;
	node->reversed += e->recv < e->send;
	node->least = fmin(node->least, e->recv - e->send);
	t->out[e->from]++;
	t->in[e->to]++;
}

static void look_at_linear(void *context, const struct fit_edge *e)
{
	struct tie_node *node = inside(context, e);

	if (node)
		node->linear += e->recv < e->send;
}

static bool is_member(const struct tying *t, uint32_t clock)
{
	return t->node_of[clock] != 0 && t->in[clock] >= EACH_WAY && t->out[clock] >= EACH_WAY;
}

/* False: no node has two clocks. */
static bool find_nodes(struct tying *t)
{
	const struct trace *trace = t->clocks->trace;
	uint32_t *seen;
	bool several = false;

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (trace_location(trace, l)->node >= t->n)
			t->n = trace_location(trace, l)->node + 1;
	t->nodes = xcalloc(t->n + 1u, sizeof *t->nodes);
	for (uint32_t i = 0; i < t->n; i++)
		t->nodes[i] = (struct tie_node){ .leader = UINT32_MAX, .least = INFINITY };
	for (uint32_t c = 0; c < t->clocks->n; c++)
		t->node_of[c] = trace_location(trace, t->clocks->location[c])->node;
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (trace_location(trace, l)->node != t->node_of[t->clocks->of[l]])
			t->node_of[t->clocks->of[l]] = 0;
	seen = xcalloc(t->n + 1u, sizeof *seen);
	for (uint32_t c = 0; c < t->clocks->n; c++)
		several = several || (t->node_of[c] && seen[t->node_of[c]]++ > 0);
	free(seen);
	return several;
}

static void find_members(struct tying *t)
{
	for (uint32_t c = 0; c < t->clocks->n; c++) {
		struct tie_node *node = &t->nodes[t->node_of[c]];
		if (!is_member(t, c))
			continue;
		if (node->members++ == 0)
			node->leader = c;
		node->round_trips = true;
	}
}

/* How far the offsets of members are from their leader's. */
static void compare_offsets(struct tying *t)
{
	const struct trace *trace = t->clocks->trace;
	const double ns = t->clocks->ns;

	for (size_t i = 0; i < trace_offset_count(trace); i++) {
		const struct offset *o = trace_offset(trace, i);
		const uint32_t clock = t->clocks->of[o->location];
		struct tie_node *node = &t->nodes[t->node_of[clock]];
		int64_t leader;
		if (!is_member(t, clock))
			continue;
		node->round_trip = fmax(node->round_trip, (double)o->rtt * ns);
		node->round_trips = node->round_trips && (o->rtt >= 0 || clock == 0);
		leader = offset_apply(trace, t->clocks->location[node->leader], o->time);
		node->apart = fmax(node->apart, fabs((double)(o->time + o->offset - leader)) * ns);
	}
}

/* A member's offset, and the leader's unless it is the reference, are each wrong by half a round
 * trip at most. */
static bool is_one_clock(const struct tie_node *node)
{
	double most = node->linear ? WRONG_AT_MOST : WRONG_EASILY;

	if (node->round_trips && node->round_trip > 0)
		most = node->leader == 0 ? node->round_trip / 2 : node->round_trip;
	return node->members > 1 && node->reversed == 0 && node->apart <= most;
}

static void tie(struct ties *ties, const struct tying *t)
{
	const struct clocks *clocks = t->clocks;
	const uint32_t locations = trace_location_count(clocks->trace);

	for (uint32_t i = 1; i < t->n; i++) {
		if (!is_one_clock(&t->nodes[i]))
			continue;
		ties->nodes++;
		ties->reversed += t->nodes[i].linear;
		ties->noise = fmax(ties->noise, t->nodes[i].apart);
		ties->least = fmin(ties->least, t->nodes[i].least);
	}
	if (ties->nodes == 0)
		return;
	ties->leader = xcalloc(locations + 1u, sizeof *ties->leader);
	for (uint32_t l = 0; l < locations; l++) {
		const struct tie_node *node = &t->nodes[t->node_of[clocks->of[l]]];
		ties->leader[l] = is_member(t, clocks->of[l]) && is_one_clock(node)
					  ? clocks->location[node->leader]
					  : NOT_TIED;
	}
}

/* What a process that shares the trace saw of a node's messages. */
struct tie_seen {
	uint64_t node, reversed, linear;
	double least;
};

static void share_nodes(struct tying *t, struct exchange *x)
{
	OWNED_VEC(struct tie_seen) rows = VEC_INIT;
	const struct tie_seen *row;

	for (uint32_t i = 1; i < t->n; i++) {
		struct tie_node *node = &t->nodes[i];
		if (isinf(node->least))
			continue; /* no message */
		vec_push(&rows,
			 ((struct tie_seen){ i, node->reversed, node->linear, node->least }));
		node->reversed = node->linear = 0;
	}
	exchange_rows(x, &rows);
	vec_each (row, &rows) {
		struct tie_node *node = &t->nodes[row->node];
		node->reversed += row->reversed;
		node->linear += row->linear;
		node->least = fmin(node->least, row->least);
	}
}

static void share(struct tying *t, struct exchange *x)
{
	const uint32_t n = t->clocks->n;
	OWNED int128 *sums = xmalloc((2 * (size_t)n + 1) * sizeof *sums);

	if (!x)
		return;
	share_nodes(t, x);
	for (uint32_t c = 0; c < n; c++) {
		sums[2 * c] = t->in[c];
		sums[2 * c + 1] = t->out[c];
	}
	exchange_sum(x, sums, 2 * (size_t)n);
	for (uint32_t c = 0; c < n; c++) {
		t->in[c] = (uint32_t)sums[2 * c];
		t->out[c] = (uint32_t)sums[2 * c + 1];
	}
}

/* False: dropped. */
static bool look(struct tying *t, struct clocks *measured, struct clocks *linear,
		 const struct logical *logical, const struct progress *progress)
{
	if (!edges_each(measured, logical, progress, look_at_measured, t) ||
	    !edges_each(linear, logical, progress, look_at_linear, t))
		return false;
	share(t, trace_exchange(measured->trace));
	find_members(t);
	compare_offsets(t);
	return true;
}

bool ties_find(struct ties *ties, const struct trace *trace, const struct logical *logical,
	       enum time_base base, const struct progress *progress)
{
	struct clocks measured, linear;
	struct tying t = { .clocks = &measured };
	bool ok = true;

	*ties = (struct ties){ .least = INFINITY };
	clocks_make(&measured, trace, BASE_MEASURED, NULL);
	clocks_make(&linear, trace, base, NULL);
	t.node_of = xcalloc(measured.n + 1u, sizeof *t.node_of);
	t.in = xcalloc(measured.n + 1u, sizeof *t.in);
	t.out = xcalloc(measured.n + 1u, sizeof *t.out);
	if (find_nodes(&t)) {
		ok = look(&t, &measured, &linear, logical, progress);
		if (ok)
			tie(ties, &t);
	}
	free_all(t.nodes, t.node_of, t.in, t.out);
	clocks_fini(&measured);
	clocks_fini(&linear);
	return ok;
}

void ties_fini(struct ties *ties)
{
	free(ties->leader);
	*ties = (struct ties){ 0 };
}
