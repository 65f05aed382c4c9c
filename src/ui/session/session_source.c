/* State shared by the source views: the place shown, and the program graph. */
#include "ui/session/session.h"
#include "views/query/view_common.h"

void session_show_source(struct session *session, const struct source_place *place)
{
	session->asked.source = *place;
	session->asked.sources++;
	session->asked.goto_view = "source";
}

static bool has_lines(const struct trace *trace)
{
	for (uint32_t r = 0; r < trace_region_count(trace); r++)
		if (trace_region(trace, r)->line)
			return true;
	for (uint32_t s = 0; s < trace_site_count(trace); s++)
		if (trace_site(trace, s)->line)
			return true;
	return false;
}

void session_no_line(struct session *session)
{
	session_notice(session, false,
		       has_lines(session->trace) ? "no source line is known of this"
						 : "no source line recorded; compile with -g");
}

static bool is_current(const struct session *session)
{
	return session->graph && session->graph_of.base == session->base &&
	       session->graph_of.window.t0 == session->window.t0 &&
	       session->graph_of.window.t1 == session->window.t1 &&
	       session->graph_of.rows == session->rows_generation;
}

/* The analysis may have made the graph of the whole run already. */
static struct graph *make(const struct query *query, struct err *err)
{
	const bool whole = query_is_whole(query) && !query->filter && !query->locations;
	struct graph *graph = whole ? analyses_take_graph(query->analyses, query->base) : NULL;

	return graph ? graph : query_graph(query, err);
}

const struct graph *session_graph(struct session *session, struct err *err)
{
	struct graph *graph;

	if (is_current(session))
		return session->graph;
	const struct query query = session_query(session);
	graph = make(&query, err);
	if (!graph)
		return NULL;
	graph_free(session->graph);
	session->graph = graph;
	session->graph_of.base = session->base;
	session->graph_of.window = session->window;
	session->graph_of.rows = session->rows_generation;
	return graph;
}
