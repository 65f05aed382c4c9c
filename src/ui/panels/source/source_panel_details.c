/* The view of sources: what the line of the cursor cost, in words: how often and how long, what of
 * it was waiting, on which locations, to whom, from where. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/panels/source/source_panel_state.h"
#include "views/facts/graph_text.h"
#include "views/facts/graph_time.h"
#include "views/facts/place_words.h"

/* Nodes of a line that are told about, and parts of one. */
enum { NODES = 16, PARTS = 4 };

static void add(struct source_panel *p, struct str *text, enum role role)
{
	vec_push(&p->details, ((struct source_detail){ xstrdup(text->text), (uint8_t)role }));
	str_clear(text);
}

static void add_time(const struct source_panel *p, struct str *out, int64_t ticks)
{
	units_human_time(out, ticks, trace_scale(p->panel.session->trace), 4);
}

static void add_node_name(const struct graph *graph, uint32_t id, struct str *out)
{
	const struct graph_node *node = graph_node(graph, id);

	if (node->kind == GRAPH_KIND_LOOP)
		str_add(out, "loop ");
	str_add_clean_text(out, graph_name(graph, id));
	if (node->kind == GRAPH_KIND_LOOP && node->end_line > node->line)
		str_add_fmt(out, " %u-%u", node->line, node->end_line);
}

/* "sweep.c:40"; if the line is unknown, what contains it: "main/step". */
static void add_node_place(const struct source_panel *p, const struct graph *graph, uint32_t id,
			   struct str *out)
{
	const struct graph_node *node = graph_node(graph, id);

	if (!node->line || !words_source(p->panel.session->trace, node->file, node->line, out))
		graph_path(graph, node->kind == GRAPH_KIND_CALL ? node->parent : id, out);
}

/* ---- one node ---- */

static void add_iterations(const struct source_panel *p, const struct graph_node *node,
			   const struct graph_values *v, struct str *out)
{
	if (node->kind != GRAPH_KIND_LOOP)
		return;
	if (node->flags & GRAPH_UNCOUNTED) {
		str_add(out, "  iterations not counted");
		return;
	}
	if (!v->iterations)
		return;
	str_add(out, "  ");
	units_count(out, v->iterations);
	str_add(out, v->iterations == 1 ? " iteration" : " iterations");
	if (node->flags & GRAPH_UNTIMED) {
		str_add(out, ", not timed");
		return;
	}
	str_add(out, " of ");
	add_time(p, out, (int64_t)llround((double)v->time / (double)v->iterations));
	if (v->slowest > v->quickest) {
		str_add(out, v->flags & RECORD_ITERATED ? " (" : " (by visit ");
		add_time(p, out, llround(v->quickest));
		str_add(out, " to ");
		add_time(p, out, llround(v->slowest));
		str_add(out, ")");
	}
}

static void add_share(struct str *out, struct time_parts part, struct time_parts whole)
{
	if (part.hosts + part.streams <= 0 || whole.hosts + whole.streams <= 0)
		return;
	str_add(out, " (");
	units_share(out, time_share(part, whole));
	str_add_fmt(out, " of %s)", time_share_of(part, whole));
}

static void add_waiting(const struct source_panel *p, const struct graph_values *v, struct str *out)
{
	if (v->trans == 0 && v->sync == 0)
		return;
	str_add(out, "  transfer ");
	add_time(p, out, v->trans);
	str_add(out, ", waiting ");
	add_time(p, out, v->sync);
}

/* "  1,024 times"; nothing where that is not known. */
static void add_visits(const struct graph_values *values, const struct graph_node *node,
		       const char *before, struct str *out)
{
	if (!graph_counts_visits(node))
		return;
	str_add(out, before);
	graph_words_visits(values, out);
}

/* "MPI_Send  1,024 times  412 ms (28 % of the run)  transfer ...". */
static void tell_sum(struct source_panel *p, const struct graph *graph, uint32_t id,
		     const char *before)
{
	const struct graph_node *node = graph_node(graph, id);
	struct graph_values v;
	OWNED_STR s = STR_INIT;

	graph_values(graph, id, &v);
	str_add(&s, before);
	add_node_name(graph, id, &s);
	add_visits(&v, node, "  ", &s);
	add_iterations(p, node, &v, &s);
	if (node->flags & GRAPH_CYCLE && v.time == 0) {
		str_add(&s, "  recursive: counted at the outermost call");
	} else {
		str_add(&s, "  ");
		add_time(p, &s, v.time);
		add_share(&s, graph_time_parts(graph, id, v.time, p->whole), p->whole);
	}
	if (node->kind == GRAPH_KIND_LOOP || node->kind == GRAPH_KIND_PROCEDURE) {
		str_add(&s, "  own ");
		add_time(p, &s, v.exclusive);
	}
	add_waiting(p, &v, &s);
	add(p, &s, ROLE_VALUE);
}

static void add_location(const struct source_panel *p, uint32_t location, struct str *out)
{
	const struct trace *trace = p->panel.session->trace;

	str_add_clean_text(out, trace_string(trace, trace_location(trace, location)->name));
}

/* "least 10 ms (rank 3), most 200 ms (rank 0), mean 103 ms; one of them 1 us to 3 ms". */
static void tell_spread(struct source_panel *p, const struct graph *graph, uint32_t id)
{
	struct graph_values v;
	struct graph_spread spread;
	OWNED_STR s = STR_INIT;

	graph_values(graph, id, &v);
	if (!v.count || v.time <= 0)
		return;
	graph_spread(graph, id, &spread);
	str_add(&s, "    by location: mean ");
	add_time(p, &s, (int64_t)llround(spread.mean));
	str_add(&s, ", least ");
	add_time(p, &s, spread.min);
	str_add(&s, " (");
	add_location(p, spread.min_at, &s);
	str_add(&s, "), most ");
	add_time(p, &s, spread.max);
	str_add(&s, " (");
	add_location(p, spread.max_at, &s);
	str_add(&s, ")");
	if (v.count > 1) {
		str_add(&s, "; one visit ");
		add_time(p, &s, v.min);
		str_add(&s, " to ");
		add_time(p, &s, v.max);
	}
	add(p, &s, ROLE_DEFAULT);
}

static void add_partner(int32_t partner, struct str *out)
{
	if (partner == PARTNER_MANY)
		str_add(out, "all of the communicator");
	else
		rank_name(partner, "unknown", out);
}

/* Parts with most time first: "    with: rank 1 200 ms, rank 2 100 ms, and 2 more". */
static void tell_parts(struct source_panel *p, const struct graph *graph, uint32_t id,
		       const struct graph_part *parts, uint32_t n, const char *before,
		       bool partners)
{
	OWNED_STR s = STR_INIT;

	str_add(&s, before);
	for (uint32_t i = 0; i < n && i < PARTS; i++) {
		str_add(&s, i ? ", " : " ");
		if (partners)
			add_partner(parts[i].partner, &s);
		else if (parts[i].node == GRAPH_NONE)
			str_add(&s, "outside");
		else
			add_node_place(p, graph, parts[i].node, &s);
		if (parts[i].values.count)
			add_visits(&parts[i].values, graph_node(graph, id), " ", &s);
		str_add(&s, " ");
		add_time(p, &s, parts[i].values.time);
	}
	if (n > PARTS)
		str_add_fmt(&s, ", and %u more", n - PARTS);
	add(p, &s, ROLE_DEFAULT);
}

static void tell_calls(struct source_panel *p, const struct graph *graph, uint32_t id)
{
	OWNED struct graph_part *parts = NULL;
	const uint32_t n = graph_callees(graph, id, UINT32_MAX, &parts);
	OWNED_STR s = STR_INIT;

	for (uint32_t i = 0; i < n && i < PARTS; i++) {
		if (parts[i].node == GRAPH_NONE)
			continue;
		str_add(&s, s.n ? ", " : "    calls ");
		str_add_clean_text(&s, graph_name(graph, parts[i].node));
		if (graph_node(graph, parts[i].node)->line) {
			str_add(&s, " at ");
			add_node_place(p, graph, parts[i].node, &s);
		}
		if (n > 1) {
			str_add(&s, " ");
			add_time(p, &s, parts[i].values.time);
		}
	}
	if (n > PARTS)
		str_add_fmt(&s, ", and %u more", n - PARTS);
	if (s.n) {
		str_add_fmt(&s, " (%s goes %s)", session_key(p->panel.session, ACTION_ENTER).text,
			    n > 1 ? "to the first" : "there");
		add(p, &s, ROLE_DEFAULT);
	}
}

static void tell_more(struct source_panel *p, const struct graph *graph, uint32_t id)
{
	const struct graph_node *node = graph_node(graph, id);
	OWNED struct graph_part *parts = NULL;
	OWNED_STR s = STR_INIT;
	uint32_t n;

	switch ((enum graph_kind)node->kind) {
	case GRAPH_KIND_PROCEDURE:
		n = graph_callers(graph, id, UINT32_MAX, &parts);
		if (n)
			tell_parts(p, graph, id, parts, n, "    called from", false);
		break;
	case GRAPH_KIND_COMMUNICATION:
		n = graph_destinations(graph, id, UINT32_MAX, &parts);
		if (n > 1 || (n == 1 && parts[0].partner != RANK_UNKNOWN))
			tell_parts(p, graph, id, parts, n, "    with", true);
		break;
	case GRAPH_KIND_CALL: tell_calls(p, graph, id); break;
	default: break;
	}
	if (node->flags & GRAPH_ALONE) {
		const char *reason = trace_string(p->panel.session->trace, node->reason);
		str_add(&s, "    not instrumented: ");
		str_add_clean_text(&s, *reason ? reason : "no reason was given");
		add(p, &s, ROLE_WARNING);
	}
}

/* ---- the line ---- */

/* For a line without costs: the innermost loop or procedure that contains it. */
static uint32_t around(const struct source_panel *p, const struct graph *graph, uint32_t line)
{
	uint32_t best = GRAPH_NONE;

	for (size_t i = source_costs_from(&p->costs, line); i-- > 0;) {
		const struct source_mark *mark = &p->costs.marks.data[i];
		for (uint32_t k = mark->n; k-- > 0;) {
			const uint32_t id = p->costs.nodes.data[mark->first + k];
			const struct graph_node *node = graph_node(graph, id);
			const bool procedure = node->kind == GRAPH_KIND_PROCEDURE;
			if ((procedure || node->kind == GRAPH_KIND_LOOP) &&
			    (node->end_line >= line || (procedure && !node->end_line)))
				return id;
			if (procedure)
				return best;
		}
	}
	return best;
}

static void tell_around(struct source_panel *p, const struct graph *graph, uint32_t line)
{
	const uint32_t id = around(p, graph, line);
	OWNED_STR s = STR_INIT;

	if (id == GRAPH_NONE) {
		str_add(&s, p->costs.marks.n ? "nothing recorded on this line"
					     : "nothing recorded in this file");
		add(p, &s, ROLE_MUTED);
	} else {
		tell_sum(p, graph, id, "in ");
	}
}

void source_panel_describe(struct source_panel *p)
{
	const struct graph *graph = p->graph;
	const uint32_t line = source_panel_line(p, p->row);
	const struct source_mark *mark = source_costs_at(&p->costs, line);
	OWNED_STR s = STR_INIT;

	for (size_t i = 0; i < p->details.n; i++)
		free(p->details.data[i].text);
	p->details.n = 0;
	if (p->unknown[0]) {
		str_add(&s, p->unknown);
		add(p, &s, ROLE_WARNING);
	}
	if (graph && p->place.file && !mark)
		tell_around(p, graph, line);
	for (uint32_t i = 0; graph && mark && i < mark->n && i < NODES; i++) {
		const uint32_t id = p->costs.nodes.data[mark->first + i];
		tell_sum(p, graph, id, "");
		tell_spread(p, graph, id);
		tell_more(p, graph, id);
	}
}
