#include "views/facts/graph_text.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 4 };

static void add_time(struct str *out, const struct trace *trace, int64_t ticks)
{
	units_human_time(out, ticks, trace_scale(trace), DIGITS);
}

static void add_part(struct str *out, const struct trace *trace, double ticks)
{
	units_human_part(out, ticks, trace_scale(trace), DIGITS);
}

static void add_count(struct str *out, uint64_t n, const char *one, const char *many)
{
	units_count(out, n);
	str_add_fmt(out, " %s", n == 1 ? one : many);
}

static void add_share(struct str *out, int64_t part, int64_t whole)
{
	if (whole > 0)
		units_share(out, (double)part / (double)whole);
	else
		str_add_char(out, '-');
}

static void add_location(struct str *out, const struct trace *trace, uint32_t location)
{
	const char *name = location < trace_location_count(trace)
				   ? trace_string(trace, trace_location(trace, location)->name)
				   : "";

	if (*name)
		str_add_clean(out, name, strlen(name));
	else
		str_add_fmt(out, "location %u", location);
}

/* ---- names ---- */

const char *graph_words_kind(const struct graph *graph, uint32_t node)
{
	static const char *const words[] = {
		[GRAPH_KIND_PROGRAM] = "all",        [GRAPH_KIND_PROCEDURE] = "proc",
		[GRAPH_KIND_LOOP] = "loop",          [GRAPH_KIND_CALL] = "call",
		[GRAPH_KIND_COMMUNICATION] = "comm",
	};

	return words[graph_node(graph, node)->kind];
}

void graph_words_short(const struct graph *graph, uint32_t node, struct str *out)
{
	const char *name = graph_name(graph, node);

	if (node == GRAPH_PROGRAM)
		str_add(out, "program");
	else
		str_add_clean(out, name, strlen(name));
}

void graph_words_name(const struct graph *graph, uint32_t node, struct str *out)
{
	static const struct {
		unsigned flag;
		const char *mark;
	} marks[] = {
		{ GRAPH_CYCLE, "in a recursion" }, { GRAPH_POINTER, "indirect call" },
		{ GRAPH_LIMITED, "limited" },      { GRAPH_ALONE, "not instrumented" },
		{ GRAPH_OVERHEAD, "overhead" },
	};
	const struct graph_node *n = graph_node(graph, node);

	graph_words_short(graph, node, out);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (n->flags & marks[i].flag)
			str_add_fmt(out, "  %s", marks[i].mark);
}

void graph_words_place(const struct graph *graph, const struct trace *trace, uint32_t node,
		       struct str *out)
{
	const struct graph_node *n = graph_node(graph, node);
	const char *file = trace_string(trace, n->file), *slash = strrchr(file, '/');

	if (!n->line && !*file)
		return;
	file = slash && slash[1] ? slash + 1 : file;
	str_add_clean(out, file, strlen(file));
	if (n->line)
		str_add_fmt(out, *file ? ":%u" : "line %u", n->line);
}

/* ---- the current node ---- */

static void add_times(const struct graph_values *v, const struct trace *trace, struct str *out)
{
	str_add(out, "   own ");
	add_time(out, trace, v->exclusive);
	if (!v->trans && !v->sync)
		return;
	str_add(out, "   transfer ");
	add_time(out, trace, v->trans);
	str_add(out, "   waiting ");
	add_time(out, trace, v->sync);
}

/* "from this call 0.8 of 1.2 s". */
static void add_via(const struct graph *graph, const struct trace *trace, uint32_t via,
		    const struct graph_values *all, struct str *out)
{
	struct graph_values v;

	graph_values(graph, via, &v);
	str_add(out, "   from this call: ");
	if (graph_node(graph, via)->flags & GRAPH_CYCLE) {
		str_add(out, "recursive: counted at the outermost call");
		return;
	}
	add_time(out, trace, v.time);
	str_add(out, " of ");
	add_time(out, trace, all->time);
}

static void add_iterations(const struct graph_values *v, const struct trace *trace, struct str *out)
{
	if (!v->iterations)
		return;
	add_count(out, v->iterations, "iteration", "iterations");
	str_add(out, " of ");
	add_part(out, trace, graph_iteration_time(v));
	if (v->slowest > 0) {
		/* Without a probe at each, they are the means of whole executions. */
		str_add(out, v->flags & RECORD_ITERATED ? " (" : " (means ");
		add_part(out, trace, v->quickest);
		str_add(out, " to ");
		add_part(out, trace, v->slowest);
		str_add_char(out, ')');
	}
}

/* "3 times", "3 times and 1 from before the window", "1 from before the window". */
static void add_visits(const struct graph_values *v, struct str *out)
{
	if (v->count || !v->earlier)
		add_count(out, v->count, "time", "times");
	if (v->earlier) {
		str_add(out, v->count ? " and " : "");
		units_count(out, v->earlier);
		str_add(out, " from before the window");
	}
}

void graph_words_values(const struct graph *graph, const struct trace *trace, uint32_t node,
			uint32_t via, struct str *out)
{
	const struct graph_node *n = graph_node(graph, node);
	struct graph_values v, whole;

	graph_values(graph, node, &v);
	graph_values(graph, GRAPH_PROGRAM, &whole);
	if (n->kind != GRAPH_KIND_PROGRAM) {
		add_visits(&v, out);
		str_add(out, "   ");
	}
	add_time(out, trace, v.time);
	if (n->kind != GRAPH_KIND_PROGRAM) {
		str_add(out, " (");
		add_share(out, v.time, whole.time);
		str_add(out, ")");
	} else {
		str_add(out, " in all");
	}
	add_times(&v, trace, out);
	if (via != GRAPH_NONE)
		add_via(graph, trace, via, &v, out);
	if (n->kind == GRAPH_KIND_LOOP && v.iterations) {
		str_add(out, "   ");
		add_iterations(&v, trace, out);
	}
}

/* ---- where the numbers are from ---- */

/* A tenth of the segments between calls of MPI may have gone without probes, so that their cost
 * is known. */
static bool lacks_functions(const struct trace *trace)
{
	const char *insitu = trace_property_value(trace, "insitu");

	return insitu && strcmp(insitu, "on") == 0;
}

static bool has_procedures(const struct graph *graph)
{
	for (uint32_t node = 0; node < graph_node_count(graph); node++)
		if (graph_node(graph, node)->kind == GRAPH_KIND_PROCEDURE)
			return true;
	return false;
}

bool graph_words_origin(const struct graph *graph, const struct trace *trace, enum time_base base,
			bool window, bool filter, struct str *out)
{
	struct graph_origin o;

	graph_origin(graph, &o);
	if (o.records)
		str_add(out, "whole run, from statistics");
	else
		str_add_fmt(out, "from the events of the %s%s, %s times",
			    window ? "window" : "whole run", filter ? " that match" : "",
			    time_base_name(base));
	if (o.whole)
		str_add(out, window && filter ? ": without window and filter"
			     : filter         ? ": without the filter"
					      : ": without the window");
	if (o.limited) {
		str_add(out, "; ");
		add_count(out, o.limited, "statement limited", "statements limited");
	}
	if (o.alone) {
		str_add(out, "; ");
		add_count(out, o.alone, "statement not instrumented",
			  "statements not instrumented");
	}
	if (o.incomplete)
		str_add(out, "; incomplete: events are missing");
	else if (!has_procedures(graph))
		str_add(out, "; compile with tvcc to see more than MPI");
	else if (!o.records && lacks_functions(trace))
		str_add(out, "; a tenth of the segments has no functions");
	else if (!o.tables && !o.records)
		str_add(out, "; statements by call paths");
	return o.whole || o.incomplete;
}

/* ---- the node that is chosen ---- */

static void add_cycle(const struct graph *graph, const struct trace *trace, uint32_t cycle,
		      struct str *out)
{
	enum { NAMED = 4 };
	uint32_t n;
	const uint32_t *procedures = graph_cycle(graph, cycle, &n);
	struct graph_values v;

	str_add(out, "recursion of ");
	for (uint32_t i = 0; i < n && i < NAMED; i++) {
		str_add(out, i ? ", " : "");
		graph_words_short(graph, procedures[i], out);
	}
	if (n > NAMED)
		str_add_fmt(out, " and %u more", n - NAMED);
	graph_cycle_values(graph, cycle, &v);
	str_add(out, ": ");
	add_time(out, trace, v.time);
	str_add(out, " to its callers");
}

static void add_communication(const struct graph_values *v, struct str *out)
{
	if (v->time > 0 && v->sync > 0) {
		add_share(out, v->sync, v->time);
		str_add(out, " waiting for partners");
	}
	if (v->sent) {
		str_add(out, out->n ? "   sent " : "sent ");
		units_bytes(out, v->sent);
	}
	if (v->received) {
		str_add(out, out->n ? "   received " : "received ");
		units_bytes(out, v->received);
	}
	if (v->count && v->own + v->told < v->count) {
		str_add(out, out->n ? "   " : "");
		str_add(out, "waiting known for ");
		units_count(out, v->own + v->told);
		str_add(out, " of ");
		add_count(out, v->count, "call", "calls");
	}
	if (v->carried) {
		str_add(out, out->n ? "   " : "");
		str_add(out, "from times in messages: ");
		units_count(out, v->carried);
	}
}

static void add_each(const struct graph_values *v, const struct trace *trace, struct str *out)
{
	if (!v->count)
		return;
	str_add(out, out->n ? "   " : "");
	str_add(out, "each ");
	add_part(out, trace, (double)v->time / (double)v->count);
	if (v->max > 0) {
		str_add(out, " (");
		add_time(out, trace, v->min);
		str_add(out, " to ");
		add_time(out, trace, v->max);
		str_add_char(out, ')');
	}
}

static void add_callee(const struct graph *graph, const struct trace *trace, uint32_t call,
		       const struct graph_values *v, struct str *out)
{
	const uint32_t callee = graph_node(graph, call)->callee;
	struct graph_values all;

	if (callee == GRAPH_NONE)
		return;
	graph_values(graph, callee, &all);
	str_add(out, "of ");
	graph_words_short(graph, callee, out);
	str_add(out, " ");
	graph_words_place(graph, trace, callee, out);
	str_add(out, ": ");
	add_share(out, v->time, all.time);
	str_add(out, " of all its calls");
}

void graph_words_more(const struct graph *graph, const struct trace *trace, uint32_t node,
		      struct str *out)
{
	const struct graph_node *n = graph_node(graph, node);
	struct graph_values v;

	graph_values(graph, node, &v);
	if (n->flags & GRAPH_ALONE) {
		const char *reason = trace_string(trace, n->reason);
		str_add(out, "not instrumented, no counts");
		str_add(out, *reason ? ": " : "");
		str_add_clean(out, reason, strlen(reason));
		return;
	}
	if (n->cycle != GRAPH_NONE) {
		add_cycle(graph, trace, n->cycle, out);
		return;
	}
	if (n->kind == GRAPH_KIND_CALL && (n->flags & GRAPH_CYCLE)) {
		str_add(out, "recursive: counted at the outermost call");
		return;
	}
	if (n->kind == GRAPH_KIND_CALL)
		add_callee(graph, trace, node, &v, out);
	else if (n->kind == GRAPH_KIND_COMMUNICATION)
		add_communication(&v, out);
	else if (n->kind == GRAPH_KIND_LOOP && (n->flags & GRAPH_UNCOUNTED))
		str_add(out, "iterations are not counted");
	else if (n->kind == GRAPH_KIND_LOOP)
		add_iterations(&v, trace, out);
	add_each(&v, trace, out);
	if (v.flags & RECORD_LOST)
		str_add(out, "   some were left by longjmp, or by the end of the run");
}

void graph_words_spread(const struct graph *graph, const struct trace *trace, uint32_t node,
			uint32_t chosen, struct str *out)
{
	struct graph_spread s;

	graph_spread(graph, node, &s);
	str_add(out, "on ");
	units_count(out, s.there);
	str_add(out, " of ");
	add_count(out, chosen, "location", "locations");
	if (!s.there)
		return;
	str_add(out, ": ");
	add_time(out, trace, s.min);
	str_add(out, " (");
	add_location(out, trace, s.min_at);
	str_add(out, ") to ");
	add_time(out, trace, s.max);
	str_add(out, " (");
	add_location(out, trace, s.max_at);
	str_add(out, "), mean ");
	add_part(out, trace, s.mean);
}

/* ---- pictures ---- */

const struct chart_part graph_words_parts[GRAPH_WORDS_PARTS] = {
	{ "other", TEXT_CLASS + CLASS_USER },
	{ "transfer", TEXT_CLASS + CLASS_P2P },
	{ "waiting", TEXT_WAIT },
};

void graph_words_bar(const struct graph_values *v, int64_t whole, struct table_chart *chart)
{
	const double comm = (double)v->trans + (double)v->sync, time = (double)v->time;
	const double own = time > comm ? time - comm : 0, trans = fmin((double)v->trans, time);
	const double parts[GRAPH_WORDS_PARTS] = { own, trans, fmax(time - own - trans, 0) };

	chart->parts = graph_words_parts;
	chart->n = GRAPH_WORDS_PARTS;
	for (int p = 0; p < GRAPH_WORDS_PARTS; p++)
		chart->values[p] = whole > 0 ? parts[p] / (double)whole : 0;
}

/* The mean of some locations' inclusive times. */
static double mean_of(const struct graph *graph, uint32_t node, const uint32_t *locations,
		      uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t l = from; l < to; l++) {
		struct graph_values v;
		graph_values_at(graph, node, locations ? locations[l] : l, &v);
		sum += (double)v.time;
	}
	return to > from ? sum / (to - from) : 0;
}

void graph_words_histogram(const struct graph *graph, uint32_t node, const uint32_t *locations,
			   uint32_t n, int width, struct table_chart *chart)
{
	const uint32_t room = width < TABLE_CHART_MOST ? (uint32_t)width : TABLE_CHART_MOST;
	const uint32_t cells = n < room ? n : room;
	double most = 0;

	for (uint32_t i = 0; i < cells; i++) {
		const uint32_t from = (uint32_t)((uint64_t)n * i / cells);
		const uint32_t to = (uint32_t)((uint64_t)n * (i + 1) / cells);
		chart->values[i] = mean_of(graph, node, locations, from, to);
		most = fmax(most, chart->values[i]);
	}
	chart->parts = NULL;
	chart->n = most > 0 ? cells : 0;
	for (uint32_t i = 0; i < chart->n; i++)
		chart->values[i] /= most;
}
