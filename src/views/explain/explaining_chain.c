/* The chain of causes of a wait state in sentences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/core_wait.h"
#include "model/trace/gap.h"
#include "model/trace/halo.h"
#include "views/explain/explaining_chain.h"

/* Parts of a wait that are named one by one, and followed, are at least so large. */
static const double NAMED = 0.02, FOLLOWED = 0.005; /* of the first wait */
static const double MOSTLY = 0.5;                   /* of the time that it worked longer */

enum { BLAMES = 3 };

/* In the process of the location. */
static struct chain_wait wait_at(const struct chain *c, uint32_t location, uint32_t wait)
{
	size_t n;
	const struct wait *waits = analysis_waits(c->analysis, location, &n);

	if (wait >= n)
		return (struct chain_wait){ .known = false };
	return (struct chain_wait){ true, wait_partner(c->query->trace, &waits[wait]),
				    waits[wait] };
}

/* All processes take what that of a location has. */
void chain_share(const struct chain *c, uint32_t location, void *value, size_t bytes)
{
	const struct trace *trace = c->query->trace;

	exchange_from(trace_exchange(trace), trace_process_of(trace, location), value, bytes);
}

static void add_value(const struct chain *c, struct explain_line *line, double ticks)
{
	snprintf(line->value, sizeof line->value, "%.20s %3.0f %%", phrase_time(&c->e->p, ticks),
		 c->all > 0 ? 100 * ticks / c->all : 0);
	line->ticks = ticks;
}

uint32_t chain_delayer(const struct chain *c, const struct chain_node *n,
		       const struct chain_wait *w)
{
	const uint32_t step = n ? n->step : CHAIN_NO_NODE;

	return step != CHAIN_NO_NODE && c->steps.data[step].x.delayer != UINT32_MAX
		       ? c->steps.data[step].x.delayer
		       : w->partner;
}

/* ---- reasons ---- */

static void blame(struct chain *c, const struct reason *r, double ticks)
{
	size_t i = 0;

	while (i < c->blames.n && c->blames.data[i].location != r->location)
		i++;
	if (i == c->blames.n)
		vec_push(&c->blames, ((struct blame){ r->location, r->path, 0, 0 }));
	c->blames.data[i].ticks += ticks;
	if (ticks > c->blames.data[i].most) {
		c->blames.data[i].most = ticks;
		c->blames.data[i].path = r->path;
	}
}

static const char *wait_text_of(struct chain *c, const struct reason *r, const struct chain_wait *w,
				uint32_t below)
{
	struct phrases *p = &c->e->p;
	uint32_t delayer = UINT32_MAX;

	if (w->known)
		delayer =
			chain_delayer(c, below == CHAIN_NO_NODE ? NULL : &c->nodes.data[below], w);
	return phrase(p, "waited %s for %s%s%s", phrase_time(p, r->excess), explain_who(p, delayer),
		      w->known ? " in " : "", w->known ? phrase_path(p, w->wait.path) : "");
}

/* ---- following: the heaviest first ---- */

static bool was_seen(const struct chain *c, uint32_t location, uint32_t wait)
{
	for (size_t i = 0; i < c->nodes.n; i++)
		if (c->nodes.data[i].location == location && c->nodes.data[i].wait == wait)
			return true;
	return false;
}

static uint32_t add_below(struct chain *c, uint32_t node, const struct step *step, unsigned i)
{
	const struct chain_node n = c->nodes.data[node];
	const struct reason *r = &step->x.reasons[i];
	const struct chain_wait *w = &step->waits[i];
	const double weight = r->share * n.scale;

	if (r->kind != REASON_WAIT || !w->known || w->wait.length <= 0 ||
	    n.depth + 1 >= EXPLAIN_DEPTH || weight < FOLLOWED * c->all ||
	    was_seen(c, r->location, r->wait))
		return CHAIN_NO_NODE;
	vec_push(&c->nodes,
		 ((struct chain_node){ r->location, r->wait, *w, weight / (double)w->wait.length,
				       weight, n.depth + 1, CHAIN_NO_NODE, node, i }));
	return (uint32_t)(c->nodes.n - 1);
}

/* The waits among the reasons, all of the delayer; an unknown location has none. */
static void take_waits(const struct chain *c, struct step *step)
{
	const uint32_t delayer = step->x.delayer;

	memset(step->waits, 0, sizeof step->waits);
	if (delayer == UINT32_MAX)
		return;
	for (unsigned i = 0; i < step->x.n && trace_has_location(c->query->trace, delayer); i++)
		if (step->x.reasons[i].kind == REASON_WAIT)
			step->waits[i] = wait_at(c, delayer, step->x.reasons[i].wait);
	chain_share(c, delayer, step->waits, sizeof step->waits);
}

/* Ticks that a location waited for a core, as its process knows. */
static int64_t core_waited(const struct chain *c, uint32_t location, int64_t from, int64_t to)
{
	const struct query *q = c->query;
	int64_t ticks = -1;

	if (location == UINT32_MAX || trace_core_wait_set(q->trace) == UINT32_MAX)
		return -1;
	if (trace_has_location(q->trace, location))
		ticks = trace_core_waited_in(q->trace, q->base, location, from, to);
	chain_share(c, location, &ticks, sizeof ticks);
	return ticks;
}

static void follow(struct chain *c, uint32_t node)
{
	const struct chain_node n = c->nodes.data[node];
	struct step step = { .core = -1, .others_core = -1 };

	c->nodes.data[node].weight = 0; /* not again */
	if (!c->causes || !causes_explain(c->causes, n.location, n.wait, &step.x))
		return;
	take_waits(c, &step);
	step.core = core_waited(c, step.x.delayer, step.x.from, step.x.to);
	step.others_core = core_waited(c, n.location, step.x.others_from, step.x.others_to);
	for (unsigned i = 0; i < step.x.n; i++) {
		const struct reason *r = &step.x.reasons[i];

		step.line[i] = CHAIN_NO_LINE;
		step.below[i] = add_below(c, node, &step, i);
		if (r->kind != REASON_WORK)
			continue;
		if (!explain_is_work(c->query->trace, r)) {
			c->inside += r->share * n.scale;
			c->late += r->share * n.scale * explain_late_share(r);
			continue;
		}
		c->explained += r->share * n.scale;
		blame(c, r, r->share * n.scale);
	}
	c->nodes.data[node].step = (uint32_t)c->steps.n;
	vec_push(&c->steps, step);
}

static void follow_all(struct chain *c)
{
	for (int followed = 0; followed < EXPLAIN_NODES; followed++) {
		uint32_t best = CHAIN_NO_NODE;

		for (uint32_t i = 0; i < c->nodes.n; i++)
			if (c->nodes.data[i].weight > 0 &&
			    (best == CHAIN_NO_NODE ||
			     c->nodes.data[i].weight > c->nodes.data[best].weight))
				best = i;
		if (best == CHAIN_NO_NODE)
			return;
		follow(c, best);
	}
}

/* ---- the lines ---- */

/* A node whose lines are being added. */
struct told_node {
	uint32_t node;
	unsigned next; /* reason */
	unsigned said;
};

const char *chain_reason_text(struct chain *c, const struct chain_node *n, unsigned i)
{
	const struct step *step = &c->steps.data[n->step];
	const struct reason *r = &step->x.reasons[i];

	return r->kind == REASON_WORK ? explain_work_text(&c->e->p, n->location, r)
				      : wait_text_of(c, r, &step->waits[i], step->below[i]);
}

/* Why the one that was waited for was late. */
static void add_reason(struct chain *c, const struct chain_node *n, unsigned i, unsigned said)
{
	struct step *step = &c->steps.data[n->step];
	const struct reason *r = &step->x.reasons[i];
	const struct chain_wait *w = &step->waits[i];
	struct phrases *p = &c->e->p;
	const char *why = chain_reason_text(c, n, i);
	struct explain_line *line;

	step->line[i] = c->e->lines.n;
	if (said)
		line = explain_add(c->e, n->depth + 1, TEXT_PLAIN, "and %s", why);
	else
		line = explain_add(c->e, n->depth + 1, TEXT_PLAIN, "%s was late because it %s",
				   phrase_capital(p, explain_who(p, r->location)), why);
	add_value(c, line, r->share * n->scale);
	line->path = r->path;
	if (r->kind == REASON_WORK && r->event != EVENT_NONE) {
		explain_lead(line, c->query, r->event);
	} else if (r->kind == REASON_WORK) { /* among more events than were looked at */
		line->location = r->location;
		line->time = step->x.to;
	} else {
		line->location = r->location;
		line->wait = r->wait;
		line->time = w->known ? w->wait.begin : 0;
		line->path = w->known ? w->wait.path : UINT32_MAX;
	}
}

static bool is_said(const struct chain *c, const struct chain_node *n, const struct reason *r)
{
	return r->kind != REASON_UNEXPLAINED && r->location != UINT32_MAX &&
	       r->share * n->scale >= NAMED * c->all;
}

/* How much longer than the waiting one it worked, as far as it is said. */
static double said_work(const struct chain *c, const struct chain_node *n)
{
	const struct explanation *x = &c->steps.data[n->step].x;
	double ticks = 0;

	for (unsigned i = 0; i < x->n; i++)
		if (x->reasons[i].kind == REASON_WORK && is_said(c, n, &x->reasons[i]) &&
		    explain_is_work(c->query->trace, &x->reasons[i]))
			ticks += x->reasons[i].share;
	return ticks;
}

const char *chain_core_text(struct chain *c, const struct chain_node *n)
{
	const struct step *step = &c->steps.data[n->step];
	struct phrases *p = &c->e->p;
	const char *who = explain_who(p, step->x.delayer);
	const double work = said_work(c, n);
	const double longer =
		(double)(step->core - (step->others_core > 0 ? step->others_core : 0));
	const char *other = "";

	if (work <= 0 || step->core <= step->others_core ||
	    (double)step->core * n->scale < NAMED * c->all)
		return "";
	if (step->others_core > 0)
		other = phrase(p, ", %s %s", explain_who(p, n->location),
			       phrase_time(p, (double)step->others_core));
	return longer >= MOSTLY * work
		       ? phrase(p,
				"mostly it had no core: %s waited %s for one%s; in which function "
				"is not known",
				who, phrase_time(p, (double)step->core), other)
		       : phrase(p,
				"%s waited %s for a core meanwhile%s; in which function is not "
				"known",
				who, phrase_time(p, (double)step->core), other);
}

/* "and 7 smaller causes". */
static void add_rest(struct chain *c, const struct chain_node *n, const struct step *step,
		     unsigned said)
{
	double ticks = 0;
	unsigned rest = 0;

	for (unsigned i = 0; i < step->x.n; i++) {
		const struct reason *r = &step->x.reasons[i];

		if (r->kind == REASON_UNEXPLAINED || is_said(c, n, r))
			continue;
		ticks += r->share * n->scale;
		rest++;
	}
	if (ticks < FOLLOWED * c->all)
		return;
	add_value(c,
		  explain_add(c->e, n->depth + 1, TEXT_MUTED, "%s%u smaller %s", said ? "and " : "",
			      rest, rest == 1 ? "cause" : "causes"),
		  ticks);
}

static void add_core(struct chain *c, const struct chain_node *n)
{
	const struct explanation *x = &c->steps.data[n->step].x;
	const char *text = chain_core_text(c, n);
	struct explain_line *line;

	if (!*text)
		return;
	line = explain_add(c->e, n->depth + 1, TEXT_MUTED, "%s", text);
	line->location = x->delayer;
	line->time = x->from;
}

/* Depth first: what made a rank wait comes below its wait. */
static void add_all_reasons(struct chain *c)
{
	OWNED_VEC(struct told_node) stack = VEC_INIT;

	vec_push(&stack, ((struct told_node){ 0, 0, 0 }));
	while (stack.n > 0) {
		struct told_node *s = &stack.data[stack.n - 1];
		const struct chain_node *n = &c->nodes.data[s->node];
		const struct step *step = n->step == CHAIN_NO_NODE ? NULL : &c->steps.data[n->step];
		const unsigned i = s->next++;

		if (!step || i >= step->x.n) {
			if (step) {
				add_rest(c, n, step, s->said);
				add_core(c, n);
			}
			stack.n--;
			continue;
		}
		if (!is_said(c, n, &step->x.reasons[i]))
			continue;
		add_reason(c, n, i, s->said++);
		if (step->below[i] != CHAIN_NO_NODE)
			vec_push(&stack, ((struct told_node){ step->below[i], 0, 0 }));
	}
}

/* ---- the sum ---- */

static struct blame *largest_blame(struct chain *c)
{
	struct blame *best = NULL;

	for (size_t k = 0; k < c->blames.n; k++)
		if (c->blames.data[k].ticks > 0 && (!best || c->blames.data[k].ticks > best->ticks))
			best = &c->blames.data[k];
	return best;
}

/* "Explained: 40.6 ms of 41.2 ms. Rank 3 took 28.0 ms longer, mostly in compute(); rank 1 took
 * ..." */
static void add_sum(struct chain *c)
{
	struct phrases *p = &c->e->p;
	const char *text = phrase(p, "Explained: %s of %s.", phrase_time(p, c->explained),
				  phrase_time(p, c->all));
	struct blame *b;

	for (int i = 0; i < BLAMES && (b = largest_blame(c)) != NULL; i++) {
		const char *who = explain_who(p, b->location);

		text = phrase(p, "%s%s%s took %s longer, mostly in %s", text, i ? "; " : " ",
			      i ? who : phrase_capital(p, who), phrase_time(p, b->ticks),
			      phrase_path(p, b->path));
		b->ticks = 0;
	}
	add_value(c, explain_add(c->e, 0, TEXT_HEADER, "%s", text), c->explained);
	if (c->explained < 0.99 * c->all)
		add_value(
			c,
			explain_add(c->e, 0, TEXT_MUTED, "%s",
				    c->steps.data[0].x.delayer == UINT32_MAX
					    ? "the trace does not say which rank was late"
				    : c->late > (c->all - c->explained) / 2
					    ? "no rank's work: mostly messages and operations that "
					      "were late inside MPI"
				    : c->inside > (c->all - c->explained) / 2
					    ? "not explained: mostly time inside MPI in which no "
					      "wait was found"
					    : "not explained: waits not followed further, latency, "
					      "clock errors"),
			c->all - c->explained);
}

/* "In short: rank 3 waited for rank 2, which waited for rank 1, which spent 4.5 ms more than rank 2
 * in produce() (x.c:12)": along the largest reason of each wait; nothing if the first is work. */
static void add_short(struct chain *c)
{
	struct phrases *p = &c->e->p;
	const struct chain_node *n = &c->nodes.data[0];
	const char *text = phrase(p, "In short: %s", explain_who(p, n->location));
	unsigned hops = 0;

	for (;; hops++) {
		const struct step *step = n->step == CHAIN_NO_NODE ? NULL : &c->steps.data[n->step];
		text = phrase(p, "%s%s %s", text, hops ? ", which waited for" : " waited for",
			      explain_who(p, chain_delayer(c, n, &n->of)));
		if (!step || !step->x.n || !is_said(c, n, &step->x.reasons[0]))
			break;
		if (step->x.reasons[0].kind == REASON_WORK) {
			text = phrase(p, "%s, which %s", text,
				      explain_work_text(p, n->location, &step->x.reasons[0]));
			break;
		}
		if (step->below[0] == CHAIN_NO_NODE)
			break;
		n = &c->nodes.data[step->below[0]];
	}
	if (hops > 0)
		explain_add(c->e, 0, TEXT_PLAIN, "%s", text);
}

void explain_chain(struct explain *e, const struct query *query, const struct analysis *analysis,
		   const struct causes *causes, const struct wait_bounds *bounds)
{
	struct chain c = { .e = e,
			   .query = query,
			   .analysis = analysis,
			   .causes = causes,
			   .bounds = bounds,
			   .nodes = VEC_INIT,
			   .steps = VEC_INIT,
			   .blames = VEC_INIT };
	const uint32_t location = e->subject.location;
	struct chain_node first = { .location = location,
				    .wait = e->subject.wait,
				    .scale = 1,
				    .step = CHAIN_NO_NODE,
				    .above = CHAIN_NO_NODE };

	if (trace_has_location(query->trace, location))
		first.of = wait_at(&c, location, e->subject.wait);
	chain_share(&c, location, &first.of, sizeof first.of);
	if (!first.of.known)
		return;
	e->p.trace = query->trace;
	c.all = first.weight = (double)first.of.wait.length;
	vec_push(&c.nodes, first);
	follow_all(&c);
	chain_add_wait(&c, &c.nodes.data[0]);
	if (c.steps.n > 0) {
		add_sum(&c);
		add_short(&c);
	}
	add_all_reasons(&c);
	chain_add_hops(&c);
	e->sum = (struct explain_sum){ c.all, c.explained, c.inside, NAN, NAN };
	if (!trace_has_location(query->trace, location) ||
	    !wait_range(bounds, location, &first.of.wait, &e->sum.low, &e->sum.high))
		e->sum.low = e->sum.high = NAN;
	chain_share(&c, location, &e->sum, sizeof e->sum);
	vec_fini(&c.nodes);
	vec_fini(&c.steps);
	vec_fini(&c.blames);
}
