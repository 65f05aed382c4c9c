/* The chain of causes of a wait state in sentences. */
#include <stdio.h>
#include <string.h>

#include "ui/explaining.h"
#include "ui/theme.h"
#include "ui/wait_find.h"
#include "ui/wait_sums.h"

/* A wait that is to be explained. */
struct node {
	uint32_t location, wait;
	double scale; /* ticks of the first wait that a tick of this one explains */
	unsigned depth;
};

/* What a location has to answer for. */
struct blame {
	uint32_t location;
	uint32_t path; /* with the most of it */
	double ticks, most;
};

enum { BLAMES = 3 };

struct chain {
	struct explain *e;
	const struct query *query;
	const struct analysis *analysis;
	const struct causes *causes;
	VEC(struct node) open; /* a stack: depth first */
	VEC(struct node) seen;
	VEC(struct blame) blames;
	double all, explained;
	struct str text;
};

static const struct wait *wait_at(const struct chain *c, uint32_t location, uint32_t wait)
{
	size_t n;
	const struct wait *waits = analysis_waits(c->analysis, location, &n);

	return wait < n ? &waits[wait] : NULL;
}

static void add_value(const struct chain *c, struct explain_line *line, double ticks)
{
	struct str text = STR_INIT;

	explain_time_text(&text, c->query, ticks);
	snprintf(line->value, sizeof line->value, "%.20s %3.0f %%", text.text,
		 c->all > 0 ? 100 * ticks / c->all : 0);
	str_fini(&text);
}

/* ---- the head ---- */

/* What the one waited for did: "rank 3 sent late". */
static void add_fault(const struct chain *c, struct str *out, const struct wait *w,
		      uint32_t delayer)
{
	explain_who(out, c->query->trace, delayer, false);
	switch (w->metric) {
	case CUBE_MPI_LATERECEIVER: str_add(out, " received late"); break;
	case CUBE_MPI_BARRIER_WAIT:
	case CUBE_MPI_WAIT_NXN:
	case CUBE_MPI_FINALIZE_WAIT: str_add(out, " came last"); break;
	case CUBE_MPI_EARLYREDUCE: str_add(out, " gave its part last"); break;
	case CUBE_MPI_EARLYSCAN: str_add(out, ", before it in the order, came late"); break;
	case CUBE_MPI_LATEBROADCAST: str_add(out, ", the root, came late"); break;
	default:
		str_add(out, wait_kind_of(w) == WAIT_SENDER ? " sent late" : " was not there yet");
		break;
	}
}

static uint32_t delayer_of(const struct chain *c, const struct wait *w, const struct explanation *x)
{
	if (x && x->delayer != UINT32_MAX)
		return x->delayer;
	return w->partner == EVENT_NONE ? UINT32_MAX
					: trace_event_location(c->query->trace, w->partner);
}

static void add_head(struct chain *c, const struct node *n, const struct wait *w, uint32_t delayer)
{
	struct explain_line *line;

	explain_who(&c->text, c->query->trace, n->location, false);
	str_add(&c->text, " waited ");
	explain_time_text(&c->text, c->query, (double)w->length);
	str_add(&c->text, " in ");
	explain_call(&c->text, c->query->trace, w->path);
	str_add(&c->text, ": ");
	add_fault(c, &c->text, w, delayer);
	str_add_char(&c->text, '.');
	if (w->flags & WAIT_WRONG_ORDER)
		str_add_fmt(&c->text,
			    " The message came in the wrong order (%s): another order of receives "
			    "would have avoided it.",
			    w->flags & WAIT_SAME_SOURCE ? "from the same source"
							: "from different sources");
	if (w->flags & WAIT_EXTENDED)
		str_add(&c->text, " (By extension of the formula: non-blocking or neighbourhood "
				  "collective, persistent request.)");
	line = explain_add(c->e, &c->text, 0, ROLE_VALUE);
	line->location = n->location;
	line->time = w->begin;
	line->wait = n->wait;
	snprintf(line->value, sizeof line->value, "%.32s",
		 cube_metric_info((enum cube_metric)w->metric)->title);
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

static bool was_seen(const struct chain *c, uint32_t location, uint32_t wait)
{
	for (size_t i = 0; i < c->seen.n; i++)
		if (c->seen.data[i].location == location && c->seen.data[i].wait == wait)
			return true;
	return false;
}

static void say_work(struct chain *c, const struct node *n, const struct reason *r)
{
	str_add(&c->text, "spent ");
	explain_time_text(&c->text, c->query, r->excess);
	str_add(&c->text, " more than ");
	explain_who(&c->text, c->query->trace, n->location, false);
	str_add(&c->text, " in ");
	explain_call(&c->text, c->query->trace, r->path);
}

static void say_wait(struct chain *c, const struct reason *r)
{
	const struct wait *w = wait_at(c, r->location, r->wait);
	struct explanation x;
	const bool known = w && causes_explain(c->causes, r->location, r->wait, &x);

	str_add(&c->text, "waited ");
	explain_time_text(&c->text, c->query, r->excess);
	str_add(&c->text, " for ");
	explain_who(&c->text, c->query->trace, w ? delayer_of(c, w, known ? &x : NULL) : UINT32_MAX,
		    false);
	if (w) {
		str_add(&c->text, " in ");
		explain_call(&c->text, c->query->trace, w->path);
	}
}

/* Why the one that was waited for was late. */
static void add_reason(struct chain *c, const struct node *n, const struct reason *r,
		       unsigned *said)
{
	const double ticks = r->share * n->scale;
	struct explain_line *line;

	if (r->kind == REASON_UNEXPLAINED || (r->location == UINT32_MAX))
		return;
	if (*said == 0) {
		explain_who(&c->text, c->query->trace, r->location, true);
		str_add(&c->text, " was late because it ");
	} else {
		str_add(&c->text, "and ");
	}
	if (r->kind == REASON_WORK)
		say_work(c, n, r);
	else
		say_wait(c, r);
	++*said;
	line = explain_add(c->e, &c->text, n->depth + 1, ROLE_DEFAULT);
	add_value(c, line, ticks);
	if (r->kind == REASON_WORK) {
		explain_lead(line, c->query, r->event);
		c->explained += ticks;
		blame(c, r, ticks);
	} else {
		const struct wait *w = wait_at(c, r->location, r->wait);

		line->location = r->location;
		line->wait = r->wait;
		line->time = w ? w->begin : 0;
	}
}

/* What its own waits are to be explained by, the largest first: the stack hands them out from its end. */
static void push_waits(struct chain *c, const struct node *n, const struct explanation *x)
{
	for (unsigned i = x->n; i-- > 0;) {
		const struct reason *r = &x->reasons[i];
		const struct wait *w;

		if (r->kind != REASON_WAIT)
			continue;
		w = wait_at(c, r->location, r->wait);
		if (w && w->length > 0 && n->depth + 1 < EXPLAIN_DEPTH)
			vec_push(&c->open, ((struct node){ r->location, r->wait,
							   n->scale * r->share / (double)w->length,
							   n->depth + 1 }));
	}
}

static void explain_node(struct chain *c, const struct node *n)
{
	struct explanation x;
	unsigned said = 0;
	const struct wait *w = wait_at(c, n->location, n->wait);
	const bool known = w && c->causes && causes_explain(c->causes, n->location, n->wait, &x);

	if (!w)
		return;
	if (c->seen.n == 0) {
		c->all = (double)w->length;
		add_head(c, n, w, delayer_of(c, w, known ? &x : NULL));
	}
	vec_push(&c->seen, *n);
	for (unsigned i = 0; known && i < x.n; i++)
		add_reason(c, n, &x.reasons[i], &said);
	if (known)
		push_waits(c, n, &x);
}

/* ---- the sum ---- */

/* "explained 40.6 of 41.2 ms: rank 3 by 28.0 ms of compute(), rank 1 by 12.6 ms of read_mesh()". */
static void add_sum(struct chain *c)
{
	struct explain_line *line;

	str_add(&c->text, "explained ");
	explain_time_text(&c->text, c->query, c->explained);
	str_add(&c->text, " of ");
	explain_time_text(&c->text, c->query, c->all);
	for (int i = 0; i < BLAMES; i++) {
		struct blame *best = NULL;

		for (size_t k = 0; k < c->blames.n; k++)
			if (c->blames.data[k].ticks > 0 &&
			    (!best || c->blames.data[k].ticks > best->ticks))
				best = &c->blames.data[k];
		if (!best)
			break;
		str_add(&c->text, i ? ", " : ": ");
		explain_who(&c->text, c->query->trace, best->location, false);
		str_add(&c->text, " deviates by ");
		explain_time_text(&c->text, c->query, best->ticks);
		str_add(&c->text, ", most of it in ");
		explain_call(&c->text, c->query->trace, best->path);
		best->ticks = 0;
	}
	line = explain_add(c->e, &c->text, 0, ROLE_HEADER);
	add_value(c, line, c->explained);
}

void explain_chain(struct explain *e, const struct query *query, const struct analysis *analysis,
		   const struct causes *causes)
{
	struct chain c = { .e = e,
			   .query = query,
			   .analysis = analysis,
			   .causes = causes,
			   .open = VEC_INIT,
			   .seen = VEC_INIT,
			   .blames = VEC_INIT,
			   .text = STR_INIT };

	vec_push(&c.open, ((struct node){ e->subject.location, e->subject.wait, 1, 0 }));
	while (c.open.n > 0) {
		const struct node n = vec_pop(&c.open);

		if (c.seen.n < EXPLAIN_NODES && !was_seen(&c, n.location, n.wait))
			explain_node(&c, &n);
	}
	if (causes)
		add_sum(&c);
	e->sum = (struct explain_sum){ c.all, c.explained };
	vec_fini(&c.open);
	vec_fini(&c.seen);
	vec_fini(&c.blames);
	str_fini(&c.text);
}
