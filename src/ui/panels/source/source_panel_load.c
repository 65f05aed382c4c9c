/* The view of sources: which file, its text, what its lines cost. */
#include <stdlib.h>
#include <string.h>

#include "ui/panels/source/source_panel_state.h"
#include "views/facts/graph_time.h"

static bool has_text(const struct source_panel *p)
{
	return p->text.bytes != NULL;
}

uint32_t source_panel_rows(const struct source_panel *p)
{
	return has_text(p) ? source_text_lines(&p->text) : (uint32_t)p->costs.marks.n;
}

uint32_t source_panel_line(const struct source_panel *p, uint32_t row)
{
	if (row >= source_panel_rows(p))
		return 0;
	return has_text(p) ? row + 1 : p->costs.marks.data[row].line;
}

uint32_t source_panel_row_of(const struct source_panel *p, uint32_t line)
{
	const uint32_t rows = source_panel_rows(p);
	const uint32_t row =
		has_text(p) ? (line ? line - 1 : 0) : (uint32_t)source_costs_from(&p->costs, line);

	return rows == 0 ? 0 : row < rows ? row : rows - 1;
}

void source_panel_text(const struct source_panel *p, uint32_t row, struct str *out)
{
	const struct graph *graph = p->graph;
	const struct source_mark *mark;

	if (has_text(p)) {
		source_text_line(&p->text, row + 1, out);
		return;
	}
	str_clear(out);
	if (row >= p->costs.marks.n || !graph)
		return;
	mark = &p->costs.marks.data[row];
	for (uint32_t i = 0; i < mark->n && i < 8; i++) {
		str_add(out, i ? ", " : "");
		str_add_clean_text(out, graph_name(graph, p->costs.nodes.data[mark->first + i]));
	}
}

/* ---- text ---- */

static void read_text(struct source_panel *p)
{
	const struct session *s = p->panel.session;
	struct source_roots roots;
	struct err err = ERR_INIT;

	source_found_fini(&p->found);
	source_text_fini(&p->text);
	if (s->source_text) {
		source_text_of(&p->text, s->source_text);
		p->trouble[0] = '\0';
		return;
	}
	source_roots_of(&roots, s->trace, s->source_path);
	if (source_find(&roots, trace_string(s->trace, p->place.file), &p->found, &err))
		source_text_read(&p->text, p->found.path, &err);
	source_roots_fini(&roots);
	memcpy(p->trouble, err.text, sizeof p->trouble);
	/* A file without a line is one. */
	if (p->text.bytes && !p->text.lines.n)
		vec_push(&p->text.lines, 0);
}

/* ---- costs ---- */

static void find_costs(struct source_panel *p)
{
	struct session *s = p->panel.session;
	struct err err = ERR_INIT;
	const struct graph *graph = session_graph(s, &err);

	if (!graph && !err_is_set(&err))
		return; /* a key goes first */
	source_costs_fini(&p->costs);
	memcpy(p->unknown, err.text, sizeof p->unknown - 1);
	graph_free(p->graph);
	p->graph = graph_share(graph);
	p->generation = s->generation;
	if (!graph)
		return;
	const struct query query = session_query(s);
	p->whole = graph_time_whole(&query, graph);
	source_costs_make(&p->costs, graph, p->place.file);
}

/* ---- where ---- */

/* Keeps the line in the middle third of the page. */
static void show_row(struct source_panel *p, uint32_t row)
{
	const uint32_t body = (uint32_t)source_panel_body(p, p->panel.area);

	p->row = row;
	p->top = row > body / 3 ? row - body / 3 : 0;
}

/* Initial file and line: where most of the time is. */
static void choose(struct source_panel *p)
{
	struct err err = ERR_INIT;
	const struct graph *graph = session_graph(p->panel.session, &err);
	const uint32_t node = graph ? source_hottest(graph) : GRAPH_NONE;

	if (node != GRAPH_NONE)
		source_of_node(graph, node, &p->place);
}

void source_panel_go(struct source_panel *p, const struct source_place *place)
{
	const bool other = place->file != p->place.file || !p->begun;
	const uint32_t line = place->line;

	p->place = *place;
	if (!p->place.file)
		choose(p);
	p->begun = true;
	if (other) {
		p->shift = 0;
		source_costs_fini(&p->costs);
		read_text(p);
		find_costs(p);
	}
	show_row(p, source_panel_row_of(p, p->place.file == place->file ? line : p->place.line));
	source_panel_describe(p);
}

void source_panel_follow(struct source_panel *p)
{
	const struct session *s = p->panel.session;
	uint32_t line;

	if (p->asked != s->asked.sources || !p->begun) {
		/* Asked for by another view, which Backspace returns to. */
		p->befores.n = 0;
		p->asked = s->asked.sources;
		source_panel_go(p, &s->asked.source);
		if (p->generation == s->generation)
			return;
	}
	line = source_panel_line(p, p->row);
	if (p->found.path && has_text(p) && source_text_stale(&p->text, p->found.path))
		read_text(p);
	if (p->generation != s->generation)
		find_costs(p);
	p->row = source_panel_row_of(p, line);
	source_panel_describe(p);
}

void source_panel_drop(struct source_panel *p)
{
	source_found_fini(&p->found);
	source_text_fini(&p->text);
	source_costs_fini(&p->costs);
	graph_free(p->graph);
	matcher_free(p->matcher);
	vec_fini(&p->befores);
	for (size_t i = 0; i < p->details.n; i++)
		free(p->details.data[i].text);
	vec_fini(&p->details);
}
