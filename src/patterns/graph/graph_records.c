/* Rows from the trace's own records: all of them, or those that events do not give. Records have
 * waiting and transfer of communication statements only; containers get shares: of all waiting in a
 * procedure, the fraction of its time that was spent when called from the statement. */

#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "patterns/graph/graph_state.h"

#define LONGEST (INT64_MAX / 4)

/* ---- reading them ---- */

/* A file may have any value. */
static void bound(int64_t *time)
{
	*time = *time < 0 ? 0 : *time > LONGEST ? LONGEST : *time;
}

static void bound_times(struct statement_record *r)
{
	bound(&r->time);
	bound(&r->exclusive);
	bound(&r->min);
	bound(&r->max);
	bound(&r->trans);
	bound(&r->sync);
}

bool graph_record_take(const struct graph *graph, const struct statement_record *record,
		       struct graph_row *row)
{
	const struct graph_node *node;

	if (record->statement >= graph->statements ||
	    record->location >= trace_location_count(graph->trace))
		return false;
	*row = (struct graph_row){ .r = *record };
	row->r.statement = record->statement + 1;
	node = graph_at(graph, row->r.statement);
	if (node->kind == GRAPH_KIND_CALL)
		return false;
	if (node->kind != GRAPH_KIND_COMMUNICATION) {
		row->r.partner = 0;
		row->r.comm = UINT32_MAX;
		row->r.trans = row->r.sync = 0;
	}
	row->r.from = node->kind == GRAPH_KIND_PROCEDURE && record->from < graph->statements &&
				      graph_at(graph, record->from + 1)->kind == GRAPH_KIND_CALL
			      ? record->from + 1
			      : GRAPH_NONE;
	row->r.inner = record->inner < record->count ? record->inner : record->count;
	row->told = record->carried;
	row->happened = record->count > 0;
	bound_times(&row->r);
	return true;
}

/* Whether the record's container is the program itself. */
static bool is_outermost(const struct graph *graph, const struct statement_record *r)
{
	const struct graph_node *node = graph_at(graph, r->statement);

	return node->kind == GRAPH_KIND_PROCEDURE ? r->from == GRAPH_NONE
						  : node->parent == GRAPH_PROGRAM;
}

/* The program's time is that of the location's life if that is known, and not that of its last
 * events alone (tvrun --last), which is less than its statements took. What of it is in no
 * statement is its own: exclusive times are disjoint, while it is not known of all records what
 * they are in (functions that a library calls, regions that the program begins). */
static void add_program(struct graph *graph, uint32_t location)
{
	const struct location *l = trace_location(graph->trace, location);
	struct graph_rows *rows = &graph->made[location];
	struct graph_row program = { .r = { .statement = GRAPH_PROGRAM,
					    .location = location,
					    .from = GRAPH_NONE,
					    .comm = UINT32_MAX,
					    .count = 1 } };
	int64_t below = 0, unmeasured = 0, known = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct statement_record *r = &rows->data[i].r;
		if (is_outermost(graph, r))
			graph_add(r->count ? &below : &unmeasured, r->time);
		if (r->count)
			graph_add(&known, r->exclusive);
	}
	/* Measured statements may contain unmeasured ones, which must not count twice. */
	below = below ? below : unmeasured;
	program.r.time = l->end > l->begin && l->end - l->begin > below ? l->end - l->begin : below;
	known = known ? known : below;
	program.r.exclusive = program.r.time > known ? program.r.time - known : 0;
	vec_push(rows, program);
}

void graph_records_take(struct graph *graph)
{
	const size_t n = trace_statement_record_count(graph->trace);

	for (size_t i = 0; i < n; i++) {
		struct graph_row row;
		if (graph_record_take(graph, trace_statement_record(graph->trace, i), &row) &&
		    graph->chosen[row.r.location])
			vec_push(&graph->made[row.r.location], row);
	}
}

void graph_records_program(struct graph *graph)
{
	for (uint32_t l = 0; l < trace_location_count(graph->trace); l++)
		if (graph->made[l].n)
			add_program(graph, l);
}

/* ---- completing the rows of events ---- */

bool graph_run_next(const struct graph *graph, struct graph_run *run)
{
	const size_t n = trace_statement_record_count(graph->trace);
	const struct graph_rows *rows;

	keymap_fini(&run->rows);
	do {
		run->first = run->end;
		if (run->first >= n)
			return false;
		run->location = trace_statement_record(graph->trace, run->first)->location;
		while (run->end < n &&
		       trace_statement_record(graph->trace, run->end)->location == run->location)
			run->end++;
	} while (run->location >= trace_location_count(graph->trace) ||
		 !graph->made[run->location].n);
	rows = &graph->made[run->location];
	for (size_t i = 0; i < rows->n; i++) {
		const struct statement_record *r = &rows->data[i].r;
		const uint8_t kind = graph_at(graph, r->statement)->kind;
		if (kind == GRAPH_KIND_PROCEDURE || kind == GRAPH_KIND_LOOP)
			*keymap_add(&run->rows, KEY_OF(r->statement, r->from)) = (uint32_t)i;
	}
	return true;
}

struct completing {
	struct graph *graph;
	struct graph_run run;
	struct keymap late; /* node -> 0: statements that are limited on the location */
	struct keymap owed; /* container of such statements -> index in `amounts` */
	VEC(int64_t) amounts;
};

static struct graph_row *row_like(struct completing *c, const struct statement_record *r)
{
	struct graph_rows *rows = &c->graph->made[c->run.location];
	uint32_t at;

	if (keymap_new(&c->run.rows, KEY_OF(r->statement, r->from), rows->n, &at))
		vec_push(rows, ((struct graph_row){ .r = { .statement = r->statement,
							   .location = c->run.location,
							   .from = r->from,
							   .comm = UINT32_MAX } }));
	return &rows->data[at];
}

static void complete_loop(struct completing *c, const struct graph_row *record)
{
	const uint32_t *at = keymap_find(&c->run.rows, KEY_OF(record->r.statement, record->r.from));
	struct statement_record *r;

	if (!at) {
		if (graph_at(c->graph, record->r.statement)->flags & GRAPH_UNTIMED)
			vec_push(&c->graph->made[c->run.location], *record);
		return;
	}
	r = &c->graph->made[c->run.location].data[*at].r;
	r->iterations = record->r.iterations;
	r->quickest = record->r.quickest;
	r->slowest = record->r.slowest;
	r->flags |= record->r.flags & RECORD_ITERATED;
}

static void note_limited(struct completing *c, const struct graph_row *record)
{
	if (record->r.flags & RECORD_LIMITED)
		*keymap_add(&c->late, KEY_OF(record->r.statement)) = 0;
}

/* The time that events do not show was counted as that of its container. */
static void replace(struct completing *c, const struct graph_row *record)
{
	const struct graph *graph = c->graph;
	const uint32_t within = graph_row_within(graph, &record->r);
	struct graph_row *row = row_like(c, &record->r);
	const struct graph_row before = *row;
	uint32_t owed;

	if (keymap_new(&c->owed, KEY_OF(within), c->amounts.n, &owed))
		vec_push(&c->amounts, 0);
	graph_add(&c->amounts.data[owed], record->r.time - before.r.time);
	*row = *record;
	row->r.trans = before.r.trans;
	row->r.sync = before.r.sync;
	row->r.flags |= RECORD_LIMITED;
	graph_at(graph, record->r.statement)->flags |= GRAPH_LIMITED;
}

/* Rows give up in their order what their node owes, as far as they have it. */
static void pay(struct completing *c)
{
	struct graph_rows *rows = &c->graph->made[c->run.location];

	for (size_t i = 0; i < rows->n; i++) {
		struct statement_record *r = &rows->data[i].r;
		const uint32_t *owed = keymap_find(&c->owed, KEY_OF(r->statement));
		int64_t part;
		if (!owed || keymap_find(&c->late, KEY_OF(r->statement)))
			continue;
		part = c->amounts.data[*owed];
		part = part > r->exclusive ? r->exclusive : part;
		if (part > 0) {
			r->exclusive -= part;
			c->amounts.data[*owed] -= part;
		}
	}
}

static void each_record(struct completing *c,
			void (*use)(struct completing *c, const struct graph_row *record),
			enum graph_kind kind, bool limited)
{
	for (size_t i = c->run.first; i < c->run.end; i++) {
		struct graph_row row;
		if (!graph_record_take(c->graph, trace_statement_record(c->graph->trace, i),
				       &row) ||
		    graph_at(c->graph, row.r.statement)->kind != kind ||
		    (limited && !keymap_find(&c->late, KEY_OF(row.r.statement))))
			continue;
		use(c, &row);
	}
}

static void complete_location(struct completing *c)
{
	each_record(c, note_limited, GRAPH_KIND_PROCEDURE, false);
	each_record(c, note_limited, GRAPH_KIND_LOOP, false);
	each_record(c, complete_loop, GRAPH_KIND_LOOP, false);
	if (c->late.n) {
		each_record(c, replace, GRAPH_KIND_PROCEDURE, true);
		each_record(c, replace, GRAPH_KIND_LOOP, true);
		pay(c);
	}
	keymap_fini(&c->late);
	keymap_fini(&c->owed);
	c->amounts.n = 0;
}

static void count_limited(struct graph *graph)
{
	for (uint32_t node = 1; node <= graph->statements; node++)
		graph->origin.limited += (graph_at(graph, node)->flags & GRAPH_LIMITED) != 0;
}

void graph_records_complete(struct graph *graph)
{
	struct completing c = { .graph = graph };

	while (graph_run_next(graph, &c.run))
		complete_location(&c);
	vec_fini(&c.amounts);
	count_limited(graph);
}

/* ---- shares ---- */

struct below {
	int64_t trans, sync;
	struct cost_range probes;
};

/* The nodes of a location, inner ones and callees first. */
struct shared_node {
	uint32_t group, depth, node;
	bool procedure;
};

/* A row of a procedure. */
struct record_entry {
	uint32_t group, row;
};

struct sharing {
	struct graph *graph;
	struct graph_probes *probes; /* NULL: their cost is not known */
	struct graph_rows *rows;
	uint32_t *depth;     /* [nodes] loops around it */
	struct below *below; /* [nodes] in it, so far */
	uint32_t *stamp;     /* [nodes] 1 + the location that it was last met on */
	VEC(struct shared_node) nodes;
	VEC(struct record_entry) entries; /* in the order of groups */
};

static int inner_first(const void *a, const void *b)
{
	const struct shared_node *x = a, *y = b;

	ORDER_BY(x->group, y->group);
	if (x->procedure != y->procedure)
		return x->procedure ? 1 : -1;
	ORDER_BY(y->depth, x->depth);
	return ORDER(x->node, y->node);
}

/* Adds the containers of a statement, out to the procedure. */
static void meet(struct sharing *s, uint32_t node, uint32_t location)
{
	const struct graph *graph = s->graph;

	while (node != GRAPH_PROGRAM && node != GRAPH_NONE && s->stamp[node] != location + 1) {
		const struct graph_node *n = graph_at(graph, node);
		const bool procedure = n->kind == GRAPH_KIND_PROCEDURE;
		s->stamp[node] = location + 1;
		s->below[node] = (struct below){ 0 };
		if (procedure || n->kind == GRAPH_KIND_LOOP)
			vec_push(&s->nodes,
				 ((struct shared_node){ graph->group[graph->owner.data[node]],
							s->depth[node], node, procedure }));
		if (procedure)
			break;
		node = n->parent;
	}
}

static void add_to(struct below *sum, const struct below *more)
{
	graph_add(&sum->trans, more->trans);
	graph_add(&sum->sync, more->sync);
	sum->probes = cost_sum(sum->probes, more->probes, 1);
}

static void add_probes(struct sharing *s, uint32_t node, struct cost_range probes)
{
	s->below[node].probes = cost_sum(s->below[node].probes, probes, 1);
}

ORDERING(by_group, struct record_entry, group, row)

int64_t graph_share_of(int64_t all, int64_t part, int64_t whole)
{
	const double exact = whole > 0 ? (double)all * ((double)part / (double)whole) : 0;

	return exact >= (double)all ? all : (int64_t)exact;
}

static struct statement_record *entry_of(const struct sharing *s, size_t i)
{
	return &s->rows->data[s->entries.data[i].row].r;
}

/* Divides what is in a group of procedures among their callers, by time; the last one gets the
 * rest. */
static void hand_out(struct sharing *s, size_t from, size_t to, struct below all)
{
	int64_t whole = 0;
	struct below left = all;
	size_t last = to;

	for (size_t i = from; i < to; i++)
		if (!graph_is_inside(s->graph, entry_of(s, i))) {
			graph_add(&whole, entry_of(s, i)->time);
			last = i;
		}
	for (size_t i = from; i < to; i++) {
		struct graph_row *row = &s->rows->data[s->entries.data[i].row];
		struct statement_record *r = &row->r;
		if (graph_is_inside(s->graph, r))
			continue;
		r->trans = i == last ? left.trans : graph_share_of(all.trans, r->time, whole);
		r->sync = i == last ? left.sync : graph_share_of(all.sync, r->time, whole);
		left.trans -= r->trans;
		left.sync -= r->sync;
		if (whole > 0)
			row->probes =
				cost_sum(row->probes, all.probes, (double)r->time / (double)whole);
		if (r->from != GRAPH_NONE)
			add_to(&s->below[graph_at(s->graph, r->from)->parent],
			       &(struct below){ r->trans, r->sync, row->probes });
	}
}

static void meet_all(struct sharing *s, uint32_t location)
{
	s->nodes.n = s->entries.n = 0;
	s->below[GRAPH_PROGRAM] = (struct below){ 0 };
	for (size_t i = 0; i < s->rows->n; i++) {
		const struct statement_record *r = &s->rows->data[i].r;
		if (r->statement == GRAPH_PROGRAM)
			continue;
		meet(s, r->statement, location);
		if (r->from != GRAPH_NONE)
			meet(s, graph_at(s->graph, r->from)->parent, location);
		if (graph_at(s->graph, r->statement)->kind == GRAPH_KIND_PROCEDURE)
			vec_push(&s->entries, ((struct record_entry){ s->graph->group[r->statement],
								      (uint32_t)i }));
	}
	vec_sort(&s->nodes, inner_first);
	vec_sort(&s->entries, by_group);
}

/* The cost of a row's probes goes to its container, except the part inside a procedure's own time,
 * which stays with the row and is not shared. Returns all of it. */
static struct cost_range start_probes(struct sharing *s, struct graph_row *row)
{
	const struct statement_record *r = &row->r;
	const uint32_t within = graph_row_within(s->graph, r);
	struct cost_range inside, around;

	graph_probes_of(s->probes, row, &inside, &around);
	add_probes(s, within, around);
	switch (graph_at(s->graph, r->statement)->kind) {
	case GRAPH_KIND_PROCEDURE:
		if (graph_is_inside(s->graph, r))
			add_probes(s, within, inside);
		else
			row->probes = inside;
		break;
	case GRAPH_KIND_LOOP: add_probes(s, r->statement, inside); break;
	default:
		row->probes = inside;
		add_probes(s, within, inside);
		break;
	}
	return cost_sum(inside, around, 1);
}

static struct below start(struct sharing *s)
{
	struct below all = { 0 };

	for (size_t i = 0; i < s->rows->n; i++) {
		struct graph_row *row = &s->rows->data[i];
		const struct statement_record *r = &row->r;
		const struct graph_node *n = graph_at(s->graph, r->statement);
		if (n->kind == GRAPH_KIND_COMMUNICATION) {
			const struct below talk = { r->trans, r->sync, { 0, 0, 0 } };
			add_to(&s->below[n->parent], &talk);
			add_to(&all, &talk);
		}
		if (s->probes && r->statement != GRAPH_PROGRAM)
			all.probes = cost_sum(all.probes, start_probes(s, row), 1);
	}
	return all;
}

static void share_groups(struct sharing *s)
{
	const struct graph *graph = s->graph;
	size_t entry = 0;

	for (size_t i = 0; i < s->nodes.n;) {
		const uint32_t group = s->nodes.data[i].group;
		struct below all = { 0 };
		size_t end = entry;
		for (; i < s->nodes.n && s->nodes.data[i].group == group; i++) {
			const struct shared_node *n = &s->nodes.data[i];
			const struct below below = s->below[n->node];
			add_to(n->procedure ? &all : &s->below[graph_at(graph, n->node)->parent],
			       &below);
		}
		while (end < s->entries.n && s->entries.data[end].group == group)
			end++;
		hand_out(s, entry, end, all);
		entry = end;
	}
}

static void share_location(struct sharing *s, uint32_t location)
{
	struct below all;

	s->rows = &s->graph->made[location];
	if (!s->rows->n)
		return;
	meet_all(s, location);
	if (s->probes)
		graph_probes_count(s->probes, s->rows);
	all = start(s);
	share_groups(s);
	for (size_t i = 0; i < s->rows->n; i++) {
		struct statement_record *r = &s->rows->data[i].r;
		const uint8_t kind = graph_at(s->graph, r->statement)->kind;
		if (kind == GRAPH_KIND_LOOP) {
			r->trans = s->below[r->statement].trans;
			r->sync = s->below[r->statement].sync;
			s->rows->data[i].probes = s->below[r->statement].probes;
		} else if (kind == GRAPH_KIND_PROGRAM) {
			r->trans = all.trans;
			r->sync = all.sync;
			s->rows->data[i].probes = all.probes;
		}
	}
	if (s->probes)
		graph_probes_take(s->probes, s->rows);
}

void graph_records_share(struct graph *graph)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;
	struct graph_probes probes;
	struct sharing s = { .graph = graph };

	if (graph_probes_begin(&probes, graph))
		s.probes = &probes;
	s.depth = xcalloc(nodes, sizeof *s.depth);
	s.below = xcalloc(nodes, sizeof *s.below);
	s.stamp = xcalloc(nodes, sizeof *s.stamp);
	for (uint32_t node = 1; node < nodes; node++)
		if (graph_at(graph, node)->kind == GRAPH_KIND_LOOP)
			s.depth[node] = s.depth[graph_at(graph, node)->parent] + 1;
	for (uint32_t l = 0; l < trace_location_count(graph->trace); l++)
		share_location(&s, l);
	if (s.probes)
		graph_probes_end(s.probes);
	free_all(s.depth, s.below, s.stamp);
	vec_fini(&s.nodes);
	vec_fini(&s.entries);
}
