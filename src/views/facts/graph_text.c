#include "views/facts/graph_text.h"

#include <math.h>
#include <string.h>

#include "views/facts/graph_time.h"
#include "views/facts/phrases.h"

enum { DIGITS = 4 };

static const char *time_text(struct phrases *p, int64_t ticks)
{
	return phrase_time(p, (double)ticks);
}

static const char *share_text(struct phrases *p, int64_t part, int64_t whole)
{
	return whole > 0 ? phrase_share(p, (double)part / (double)whole) : "-";
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
		{ GRAPH_OVERHEAD, "overhead" },    { GRAPH_UNTIMED, "not timed" },
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

static const char *times_text(struct phrases *p, const struct graph_node *node,
			      const struct graph_values *v)
{
	const char *split = "";

	if (node->flags & GRAPH_UNSPLIT)
		split = "   waiting not known";
	else if (v->trans || v->sync)
		split = phrase(p, "   transfer %s   waiting %s", time_text(p, v->trans),
			       time_text(p, v->sync));
	return phrase(p, "   own %s%s", time_text(p, v->exclusive), split);
}

/* "from this call 0.8 of 1.2 s". */
static const char *via_text(struct phrases *p, const struct graph *graph, uint32_t via,
			    const struct graph_values *all)
{
	struct graph_values v;

	graph_values(graph, via, &v);
	if (graph_node(graph, via)->flags & GRAPH_CYCLE)
		return "   from this call: recursive: counted at the outermost call";
	return phrase(p, "   from this call: %s of %s", time_text(p, v.time),
		      time_text(p, all->time));
}

static const char *iterations_text(struct phrases *p, const struct graph_values *v)
{
	const char *spread = "";

	if (!v->iterations)
		return "";
	/* Means of whole executions, unless a probe timed each iteration. */
	if (v->slowest > 0)
		spread = phrase(p, " (%s%s to %s)", v->flags & RECORD_ITERATED ? "" : "means ",
				phrase_part(p, v->quickest), phrase_part(p, v->slowest));
	const char *count = phrase_count(p, v->iterations, "iteration", "iterations");
	if (!v->time)
		return count; /* not timed */
	return phrase(p, "%s of %s%s", count, phrase_part(p, graph_iteration_time(v)), spread);
}

static const char *visits_text(struct phrases *p, const struct graph_values *v)
{
	const char *times =
		v->count || !v->earlier ? phrase_count(p, v->count, "time", "times") : "";

	if (!v->earlier)
		return times;
	return phrase(p, "%s%s%s from before the window", times, v->count ? " and " : "",
		      phrase_number(p, v->earlier));
}

void graph_words_visits(const struct graph_values *values, struct str *out)
{
	struct phrases p = { .digits = DIGITS };

	str_add(out, visits_text(&p, values));
	phrases_fini(&p);
}

void graph_words_values(const struct graph *graph, const struct trace *trace, uint32_t node,
			uint32_t via, struct time_parts whole, struct str *out)
{
	struct phrases p = { .trace = trace, .digits = DIGITS };
	const uint8_t kind = graph_node(graph, node)->kind;
	struct graph_values v;

	graph_values(graph, node, &v);
	if (kind == GRAPH_KIND_PROGRAM)
		str_add_fmt(out, "%s in all", time_text(&p, v.time));
	else
		str_add_fmt(out, "%s   %s (%s)", visits_text(&p, &v), time_text(&p, v.time),
			    phrase_time_share(&p, graph_time_parts(graph, node, v.time, whole),
					      whole));
	str_add(out, times_text(&p, graph_node(graph, node), &v));
	if (via != GRAPH_NONE)
		str_add(out, via_text(&p, graph, via, &v));
	if (kind == GRAPH_KIND_LOOP && v.iterations)
		str_add_fmt(out, "   %s", iterations_text(&p, &v));
	phrases_fini(&p);
}

/* ---- source of the numbers ---- */

/* True if a tenth of the segments between MPI calls may have run without probes, to learn what
 * these cost. */
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
	struct phrases p = { .trace = trace };
	struct graph_origin o;

	graph_origin(graph, &o);
	if (o.records)
		str_add(out, o.unsplit ? "whole run, from statistics, without waiting"
				       : "whole run, from statistics");
	else
		str_add_fmt(out, "from the events of the %s%s, %s times",
			    window ? "window" : "whole run", filter ? " that match" : "",
			    time_base_name(base));
	if (o.whole)
		str_add(out, window && filter ? ": without window and filter"
			     : filter         ? ": without the filter"
					      : ": without the window");
	if (o.limited)
		str_add_fmt(out, "; %s",
			    phrase_count(&p, o.limited, "statement limited", "statements limited"));
	if (o.alone > o.callless)
		str_add_fmt(out, "; %s",
			    phrase_count(&p, o.alone - o.callless, "statement not instrumented",
					 "statements not instrumented"));
	if (o.loopless)
		str_add_fmt(out, "; loops unknown in %s",
			    phrase_count(&p, o.loopless, "file", "files"));
	if (o.callless)
		str_add_fmt(out, "; calls unknown in %s",
			    phrase_count(&p, o.callless, "place", "places"));
	if (o.untimed)
		str_add_fmt(out, "; %s not timed (tvcc --all)",
			    phrase_count(&p, o.untimed, "small procedure or inner loop",
					 "small procedures and inner loops"));
	phrases_fini(&p);
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

/* ---- the current node in one line ---- */

/* Appends text, three blanks after earlier text. */
static void also(struct str *out, const char *text)
{
	str_add_fmt(out, "%s%s", out->n ? "   " : "", text);
}

static void add_cycle(struct phrases *p, const struct graph *graph, uint32_t cycle, struct str *out)
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
	str_add_fmt(out, ": %s to its callers", time_text(p, v.time));
}

static void add_communication(struct phrases *p, const struct graph_values *v, struct str *out)
{
	if (v->time > 0 && v->sync > 0)
		also(out, phrase(p, "%s waiting for partners", share_text(p, v->sync, v->time)));
	if (v->sent)
		also(out, phrase(p, "sent %s", phrase_bytes(p, v->sent)));
	if (v->received)
		also(out, phrase(p, "received %s", phrase_bytes(p, v->received)));
	if (v->count && v->own + v->told == 0 && v->sync == 0)
		also(out, "waiting not known");
	else if (v->count && v->own + v->told < v->count)
		also(out,
		     phrase(p, "waiting known for %s of %s", phrase_number(p, v->own + v->told),
			    phrase_count(p, v->count, "call", "calls")));
	if (v->carried)
		also(out, phrase(p, "from times in messages: %s", phrase_number(p, v->carried)));
}

static void add_each(struct phrases *p, const struct graph_values *v, struct str *out)
{
	const char *range = "";

	if (!v->count && v->earlier)
		also(out, visits_text(p, v));
	if (!v->count)
		return;
	if (v->max > 0)
		range = phrase(p, " (%s to %s)", time_text(p, v->min), time_text(p, v->max));
	also(out,
	     phrase(p, "each %s%s", phrase_part(p, (double)v->time / (double)v->count), range));
}

static void add_callee(struct phrases *p, const struct graph *graph, uint32_t call,
		       const struct graph_values *v, struct str *out)
{
	const uint32_t callee = graph_node(graph, call)->callee;
	OWNED_STR place = STR_INIT;
	struct graph_values all;

	if (callee == GRAPH_NONE)
		return;
	graph_values(graph, callee, &all);
	str_add(out, "of ");
	graph_words_short(graph, callee, out);
	graph_words_place(graph, p->trace, callee, &place);
	str_add_fmt(out, "%s%s", place.n ? " " : "", place.text);
	str_add_fmt(out, ": %s of all its calls", share_text(p, v->time, all.time));
}

static void add_more(struct phrases *p, const struct graph *graph, uint32_t node, struct str *out)
{
	const struct graph_node *n = graph_node(graph, node);
	struct graph_values v;

	graph_values(graph, node, &v);
	if (n->kind == GRAPH_KIND_CALL)
		add_callee(p, graph, node, &v, out);
	else if (n->kind == GRAPH_KIND_COMMUNICATION)
		add_communication(p, &v, out);
	else if (n->kind == GRAPH_KIND_LOOP && (n->flags & GRAPH_UNCOUNTED))
		str_add(out, "iterations are not counted");
	else if (n->kind == GRAPH_KIND_LOOP)
		str_add(out, iterations_text(p, &v));
	if (n->flags & GRAPH_UNVISITED)
		also(out, "known by the calls in it: no count, no time of its own");
	if (n->flags & GRAPH_UNPLACED)
		also(out, "not known which of these calls were here: see the call without a line");
	else if (n->flags & GRAPH_UNTIMED)
		also(out, "not timed (tvcc --all)");
	else
		add_each(p, &v, out);
	if (v.flags & RECORD_LOST)
		str_add(out,
			"   some did not return: longjmp left them, or the program ended there");
	if (v.flags & RECORD_TORN)
		str_add(out, "   was being changed when its process died: up to one execution off");
}

void graph_words_more(const struct graph *graph, const struct trace *trace, uint32_t node,
		      struct str *out)
{
	struct phrases p = { .trace = trace, .digits = DIGITS };
	const struct graph_node *n = graph_node(graph, node);

	if (n->flags & GRAPH_ALONE) {
		const char *reason = trace_string(trace, n->reason);
		str_add(out, "not instrumented, no counts");
		str_add(out, *reason ? ": " : "");
		str_add_clean(out, reason, strlen(reason));
	} else if (n->cycle != GRAPH_NONE) {
		add_cycle(&p, graph, n->cycle, out);
	} else if (n->kind == GRAPH_KIND_CALL && (n->flags & GRAPH_CYCLE)) {
		str_add(out, "recursive: counted at the outermost call");
	} else {
		add_more(&p, graph, node, out);
	}
	phrases_fini(&p);
}

void graph_words_spread(const struct graph *graph, const struct trace *trace, uint32_t node,
			struct str *out)
{
	struct phrases p = { .trace = trace, .digits = DIGITS };
	struct graph_spread s;

	graph_spread(graph, node, &s);
	str_add_fmt(out, "on %s of %s", phrase_number(&p, s.there),
		    phrase_count(&p, s.of, "location", "locations"));
	if (s.there)
		str_add_fmt(out, ": %s (%s) to %s (%s), mean %s", time_text(&p, s.min),
			    phrase_location(&p, s.min_at), time_text(&p, s.max),
			    phrase_location(&p, s.max_at), phrase_part(&p, s.mean));
	phrases_fini(&p);
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

/* Mean inclusive time of some locations. */
static double mean_of(const struct graph *graph, uint32_t node, const uint32_t *locations,
		      uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t l = from; l < to; l++) {
		struct graph_values v;
		graph_values_at(graph, node, locations[l], &v);
		sum += (double)v.time;
	}
	return to > from ? sum / (to - from) : 0;
}

void graph_words_histogram(const struct graph *graph, uint32_t node, const uint32_t *locations,
			   uint32_t n, int width, struct table_chart *chart)
{
	const uint32_t room = width < TABLE_CHART_MOST ? (uint32_t)width : TABLE_CHART_MOST;
	OWNED uint32_t *reached = xmalloc((n + 1) * sizeof *reached);
	double most = 0;
	uint32_t cells;

	n = graph_reach(graph, node, locations, n, reached);
	cells = n < room ? n : room;
	for (uint32_t i = 0; i < cells; i++) {
		const uint32_t from = (uint32_t)((uint64_t)n * i / cells);
		const uint32_t to = (uint32_t)((uint64_t)n * (i + 1) / cells);
		chart->values[i] = mean_of(graph, node, reached, from, to);
		most = fmax(most, chart->values[i]);
	}
	chart->parts = NULL;
	chart->n = most > 0 ? cells : 0;
	for (uint32_t i = 0; i < chart->n; i++)
		chart->values[i] /= most;
}
