/* report_records: the report on a run recorded with tvrun --statistics: sums by statement, no
 * events. */
#include <stdlib.h>

#include "views/facts/graph_text.h"
#include "views/report/report_parts.h"

enum { TOP = 3 };

/* Sums over the graph. */
struct sums {
	struct graph_values whole;
	int64_t talking;   /* in communication statements, without what MPI called back; ticks */
	int64_t measuring; /* tool overhead */
	int64_t longest;   /* on one location */
	uint32_t top[TOP]; /* statements and procedures by their own time; GRAPH_NONE */
	int64_t own[TOP];
	uint32_t statements;
};

static void place_top(struct sums *s, uint32_t node, int64_t own)
{
	size_t at = TOP;

	while (at > 0 && (s->top[at - 1] == GRAPH_NONE || s->own[at - 1] < own))
		at--;
	if (at == TOP || own <= 0)
		return;
	for (size_t i = TOP - 1; i > at; i--) {
		s->top[i] = s->top[i - 1];
		s->own[i] = s->own[i - 1];
	}
	s->top[at] = node;
	s->own[at] = own;
}

static void sum_up(struct sums *s, const struct graph *graph)
{
	struct graph_spread spread;

	*s = (struct sums){ .top = { GRAPH_NONE, GRAPH_NONE, GRAPH_NONE } };
	graph_values(graph, GRAPH_PROGRAM, &s->whole);
	graph_spread(graph, GRAPH_PROGRAM, &spread);
	s->longest = spread.max;
	for (uint32_t node = 1; node < graph_node_count(graph); node++) {
		const struct graph_node *n = graph_node(graph, node);
		struct graph_values v;
		graph_values(graph, node, &v);
		if (n->flags & GRAPH_OVERHEAD) {
			s->measuring += n->kind == GRAPH_KIND_PROCEDURE ? v.exclusive : 0;
			continue;
		}
		s->statements += v.count > 0;
		if (n->kind == GRAPH_KIND_COMMUNICATION)
			s->talking += v.exclusive;
		if (n->kind != GRAPH_KIND_CALL)
			place_top(s, node, v.exclusive);
	}
}

/* Limited to the whole, as records may hold any numbers. */
static double share(const struct sums *s, int64_t ticks)
{
	const double part = s->whole.time > 0 ? (double)ticks / (double)s->whole.time : 0;

	return part < 0 ? 0 : part > 1 ? 1 : part;
}

static void write_title(struct report_writer *w, const struct sums *s)
{
	struct phrases *p = w->p;
	const bool picl = trace_statement(w->query->trace, 0)->flags & STATEMENT_STATISTICS;

	report_title(w->report, phrase(p, "%s: %s, %s, records of %s", phrase_trace(p),
				       phrase_members(p, w->query->locations, w->facts->locations),
				       phrase_time(p, (double)s->longest),
				       phrase_count(p, s->statements, "statement", "statements")));
	report_say(w->section, TEXT_PLAIN, "graph",
		   "Only statistics per statement were recorded%s: see the program graph.",
		   picl ? " (PICL's -101 to -105)" : "");
}

static void write_bar(const struct report_writer *w, const struct sums *s, const char *name,
		      const char *key, enum text_role role, int64_t ticks)
{
	report_put_real(w->section, key, REPORT_SECONDS, report_seconds(w, (double)ticks));
	if (share(s, ticks) >= 0.0005)
		report_bar(w->section, role, "graph", share(s, ticks),
			   phrase(w->p, "%-17s %5.1f %%", name, 100 * share(s, ticks)));
}

static void write_time(struct report_writer *w, const struct sums *s)
{
	const int64_t told = s->whole.trans + s->whole.sync;
	struct phrases *p = w->p;

	w->section = report_section(w->report, "time", "Where the time went");
	write_bar(w, s, "computing", "computing", TEXT_CLASS + CLASS_USER,
		  s->whole.time - s->talking - s->measuring);
	write_bar(w, s, "transfer", "transmission", TEXT_CLASS + CLASS_P2P, s->whole.trans);
	write_bar(w, s, "waiting", "synchronisation", TEXT_WAIT, s->whole.sync);
	write_bar(w, s, "other MPI", "mpi_other", TEXT_CLASS + CLASS_MPI_OTHER, s->talking - told);
	write_bar(w, s, "tool overhead", "measurement", TEXT_CLASS + CLASS_OVERHEAD, s->measuring);
	report_say(w->section, TEXT_PLAIN, "graph", "MPI takes %s, %s of total time%s.",
		   phrase_time(p, (double)s->talking), phrase_share(p, share(s, s->talking)),
		   told ? phrase(p, ": transfer %s, waiting %s",
				 phrase_time(p, (double)s->whole.trans),
				 phrase_time(p, (double)s->whole.sync))
			: "");
	report_crowd(w);
}

/* ---- measurement overhead ---- */

/* Finds the statements whose probes took most time; returns how many. */
static unsigned find_causes(const struct graph *graph, uint32_t *nodes)
{
	double most[TOP] = { 0 };
	unsigned n = 0;

	for (uint32_t node = 1; node < graph_node_count(graph); node++) {
		const uint8_t kind = graph_node(graph, node)->kind;
		struct graph_values v;
		unsigned at = n;
		graph_values(graph, node, &v);
		if ((kind != GRAPH_KIND_PROCEDURE && kind != GRAPH_KIND_LOOP) || !(v.caused > 0))
			continue;
		while (at > 0 && most[at - 1] < v.caused)
			at--;
		if (at == TOP)
			continue;
		n += n < TOP;
		for (unsigned i = n - 1; i > at; i--) {
			nodes[i] = nodes[i - 1];
			most[i] = most[i - 1];
		}
		nodes[at] = node;
		most[at] = v.caused;
	}
	return n;
}

/* Advises to leave out probes that cause at least a tenth of the overhead. */
static void warn_of_measuring(struct report_writer *w, const struct graph *graph,
			      const struct sums *s, double part)
{
	struct str text = STR_INIT;
	uint32_t nodes[TOP];

	for (unsigned i = 0, n = find_causes(graph, nodes); i < n; i++) {
		struct graph_values v;
		graph_values(graph, nodes[i], &v);
		if (i > 0 && v.caused < s->whole.probes.best / 10)
			break;
		str_add(&text, i ? ", " : "");
		graph_words_short(graph, nodes[i], &text);
		str_add(&text, " (");
		graph_words_place(graph, w->query->trace, nodes[i], &text);
		str_add_char(&text, ')');
	}
	report_say(w->section, TEXT_WARNING, "graph",
		   "warning: measurement took %s of the time; its largest parts are at %s "
		   "(tvcc --filter-from leaves them out).",
		   phrase_share(w->p, part), text.text);
	str_fini(&text);
}

static void write_measuring(struct report_writer *w, const struct graph *graph,
			    const struct sums *s)
{
	static const double too_much = 0.2;
	const struct cost_range *took = &s->whole.probes;
	const double all = (double)s->whole.time + took->best;
	const double part = all > 0 ? took->best / all : 0;
	struct graph_origin origin;

	graph_origin(graph, &origin);
	/* Virtual time has left it out before rows were written. */
	if (!origin.compensated || trace_property_value(w->query->trace, "virtual-time"))
		return;
	report_put_real(w->section, "overhead", REPORT_SECONDS, report_seconds(w, took->best));
	report_put_real(w->section, "overhead_low", REPORT_SECONDS, report_seconds(w, took->low));
	report_put_real(w->section, "overhead_high", REPORT_SECONDS, report_seconds(w, took->high));
	report_put_real(w->section, "overhead_share", REPORT_SHARE, part);
	report_say(w->section, TEXT_PLAIN, "graph",
		   "Measurement in statements took %s of the time (%s to %s), taken out of all "
		   "times here.",
		   phrase_share(w->p, part), phrase_share(w->p, all > 0 ? took->low / all : 0),
		   phrase_share(w->p, all > 0 ? took->high / all : 0));
	if (part > too_much)
		warn_of_measuring(w, graph, s, part);
}

static void write_top(struct report_writer *w, const struct graph *graph, const struct sums *s)
{
	OWNED_STR text = STR_INIT, place = STR_INIT;

	for (int i = 0; i < TOP && s->top[i] != GRAPH_NONE; i++) {
		str_add(&text, i == 0 ? "Most time: " : i == 1 ? "; then " : ", ");
		graph_words_short(graph, s->top[i], &text);
		str_clear(&place);
		graph_words_place(graph, w->query->trace, s->top[i], &place);
		if (place.n)
			str_add_fmt(&text, " (%s)", place.text);
		str_add_fmt(&text, "%s %s%s", i ? "" : ",", phrase_share(w->p, share(s, s->own[i])),
			    i ? "" : " of total time");
	}
	if (text.n)
		report_say(w->section, TEXT_PLAIN, "graph", "%s.", text.text);
}

static void write_spread(struct report_writer *w, const struct graph *graph)
{
	OWNED_STR text = STR_INIT;

	graph_words_spread(graph, w->query->trace, GRAPH_PROGRAM, &text);
	report_say(w->section, TEXT_PLAIN, "graph", "The program ran %s.", text.text);
}

bool report_records(struct report_writer *w, struct err *err)
{
	const struct query *query = w->query;
	struct graph *graph = query_graph(query, err);
	struct sums sums;

	if (!graph)
		return false;
	sum_up(&sums, graph);
	w->section = report_section(w->report, "run", "");
	report_put_text(w->section, "trace", trace_path(query->trace));
	report_put_text(w->section, "command", trace_property_value(query->trace, "command"));
	report_put_real(w->section, "locations", REPORT_COUNT, w->facts->locations);
	report_put_real(w->section, "events", REPORT_COUNT, 0);
	report_put_real(w->section, "length", REPORT_SECONDS,
			report_seconds(w, (double)sums.longest));
	write_title(w, &sums);
	report_rollcall(w);
	report_recent(w);
	write_time(w, &sums);
	write_measuring(w, graph, &sums);
	write_top(w, graph, &sums);
	write_spread(w, graph);
	report_sizes(w);
	report_trust(w);
	graph_free(graph);
	return true;
}
