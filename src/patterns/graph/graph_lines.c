/* Hooks do not record the call site of a procedure, but its records have it (capture finds the
 * return address). For the whole run the numbers of a call statement without a line are divided
 * among the statements with a line in the same procedure whose records count as often: their counts
 * are taken as they are, times are divided in proportion, so that no sum changes. Of a part of the
 * run, and of a job that runs, whose records are read a moment before or after its events, a call
 * has the line of its only statement. The numbers of statements to which nothing could be given are
 * unknown (GRAPH_UNPLACED), as of a call in a region that the program begins: events have it
 * there. */

#include "base/keymap.h"
#include "base/order.h"
#include "patterns/graph/graph_state.h"

/* A row of a location that may be divided among lines. */
struct line_entry {
	uint32_t call; /* without a line */
	struct statement_record record;
};

struct lines {
	struct graph *graph;
	struct keymap calls; /* (container, procedure) -> call without a line */
	VEC(struct line_entry) entries;
	struct keymap elsewhere; /* procedure -> 0: has a record that says no statement */
	struct graph_run run;
};

static void find_calls(struct lines *s)
{
	const struct graph *graph = s->graph;

	for (uint32_t node = graph->statements + 1; node < graph->nodes.n; node++) {
		const struct graph_node *n = graph_at(graph, node);
		if (n->kind == GRAPH_KIND_CALL && n->line == 0 && n->callee != GRAPH_NONE)
			*keymap_add(&s->calls, KEY_OF(n->parent, n->callee)) = node;
	}
}

/* The call without a line that a record from `from` may be part of. Events do not know loops that
 * have no probe. */
static const uint32_t *call_without_line(const struct lines *s, uint32_t from, uint32_t procedure)
{
	uint32_t within = graph_at(s->graph, from)->parent;

	while (graph_at(s->graph, within)->kind == GRAPH_KIND_LOOP &&
	       graph_at(s->graph, within)->flags & GRAPH_ALONE)
		within = graph_at(s->graph, within)->parent;
	return keymap_find(&s->calls, KEY_OF(within, procedure));
}

static void find_entries(struct lines *s)
{
	struct graph *graph = s->graph;

	for (size_t i = s->run.first; i < s->run.end; i++) {
		struct graph_row row;
		const uint32_t *call;
		if (!graph_record_take(graph, trace_statement_record(graph->trace, i), &row))
			continue;
		if (row.r.from == GRAPH_NONE)
			*keymap_add(&s->elsewhere, KEY_OF(row.r.statement)) = 0;
		if (row.r.from == GRAPH_NONE ||
		    keymap_find(&s->run.rows, KEY_OF(row.r.statement, row.r.from)))
			continue;
		call = call_without_line(s, row.r.from, row.r.statement);
		if (call && keymap_find(&s->run.rows, KEY_OF(row.r.statement, *call)))
			vec_push(&s->entries, ((struct line_entry){ *call, row.r }));
		else if (!call && row.r.count && graph->whole)
			graph_at(graph, row.r.from)->flags |= GRAPH_UNPLACED;
	}
}

ORDERING(by_call, struct line_entry, call, record.from)

/* Takes a part of a sum out of it; the last one takes the rest. */
static int64_t take(int64_t *left, int64_t all, int64_t of, int64_t whole, bool last)
{
	const int64_t taken = last ? *left : graph_share_of(all, of, whole);

	*left -= taken;
	return taken;
}

/* The statements' records have all activations of a row. */
static bool have_all(const struct lines *s, const struct graph_row *row,
		     const struct line_entry *entries, size_t n)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += entries[i].record.count;
	return s->graph->whole && count == row->r.count;
}

/* There is no other statement that the row of a call without a line can be of. */
static bool is_only(const struct lines *s, const struct graph_row *row,
		    const struct line_entry *entries, size_t n)
{
	const bool may_differ = trace_live(s->graph->trace) != NULL;
	const bool part = !s->graph->whole && entries->record.count >= row->r.count;

	return n == 1 && (part || may_differ) &&
	       !keymap_find(&s->elsewhere, KEY_OF(row->r.statement));
}

static void hand_out(struct graph_rows *rows, uint32_t at, const struct line_entry *entries,
		     size_t n)
{
	const struct graph_row all = rows->data[at];
	struct statement_record left = all.r;
	int64_t time = 0, exclusive = 0;

	for (size_t i = 0; i < n; i++) {
		graph_add(&time, entries[i].record.time);
		graph_add(&exclusive, entries[i].record.exclusive);
	}
	for (size_t i = 0; i < n; i++) {
		const struct statement_record *e = &entries[i].record;
		struct graph_row row = all;
		row.r.from = e->from;
		row.r.count = e->count;
		row.r.inner = e->inner;
		row.r.min = e->min;
		row.r.max = e->max;
		row.r.flags |= e->flags;
		row.r.time = take(&left.time, all.r.time, e->time, time, i == n - 1);
		row.r.exclusive =
			take(&left.exclusive, all.r.exclusive, e->exclusive, exclusive, i == n - 1);
		row.r.trans = take(&left.trans, all.r.trans, e->time, time, i == n - 1);
		row.r.sync = take(&left.sync, all.r.sync, e->time, time, i == n - 1);
		if (i == 0)
			rows->data[at] = row;
		else
			vec_push(rows, row);
	}
}

static void tell_call(struct lines *s, struct graph_rows *rows, const struct line_entry *entries,
		      size_t n)
{
	const uint32_t at =
		*keymap_find(&s->run.rows, KEY_OF(entries->record.statement, entries->call));

	if (have_all(s, &rows->data[at], entries, n))
		hand_out(rows, at, entries, n);
	else if (is_only(s, &rows->data[at], entries, n))
		rows->data[at].r.from = entries->record.from;
	else
		for (size_t i = 0; i < n; i++)
			graph_at(s->graph, entries[i].record.from)->flags |= GRAPH_UNPLACED;
}

static void tell_location(struct lines *s, struct graph_rows *rows)
{
	keymap_fini(&s->elsewhere);
	s->entries.n = 0;
	find_entries(s);
	vec_sort(&s->entries, by_call);
	for (size_t i = 0, end; i < s->entries.n; i = end) {
		const struct line_entry *e = &s->entries.data[i];
		for (end = i + 1; end < s->entries.n && s->entries.data[end].call == e->call;)
			end++;
		tell_call(s, rows, e, end - i);
	}
}

/* What got numbers on any location has them. */
static void unmark_placed(struct graph *graph)
{
	for (uint32_t l = 0; l < trace_location_count(graph->trace); l++)
		for (size_t i = 0; i < graph->made[l].n; i++) {
			const uint32_t from = graph->made[l].data[i].r.from;
			if (from != GRAPH_NONE)
				graph_at(graph, from)->flags &= (uint16_t)~GRAPH_UNPLACED;
		}
}

void graph_lines_tell(struct graph *graph)
{
	struct lines s = { .graph = graph };

	find_calls(&s);
	while (s.calls.n && graph_run_next(graph, &s.run))
		tell_location(&s, &graph->made[s.run.location]);
	if (s.calls.n)
		unmark_placed(graph);
	keymap_fini(&s.elsewhere);
	keymap_fini(&s.calls);
	vec_fini(&s.entries);
}
