/* A trace that several processes share, each with the events of some locations (base/exchange.h):
 * what one found out becomes known to all. */
#include "base/exchange.h"
#include "base/order.h"
#include "model/build/build.h"
#include "model/build/nesting.h"

/* ---- findings ---- */

void build_findings_apart(struct builder *b)
{
	if (!b->trace->exchange)
		return;
	memcpy(&b->found_by_all, &b->trace->findings, sizeof b->found_by_all);
	memset(&b->trace->findings, 0, sizeof b->trace->findings);
}

void builder_use_exchange(struct builder *b, struct exchange *x, const uint32_t *process)
{
	b->trace->exchange = x;
	if (!x)
		return;
	b->trace->halo = halo_new(process, b->trace->locations.n);
	build_findings_apart(b); /* the definitions are the same in all processes */
}

void builder_leave_out(struct builder *b, uint32_t location)
{
	b->tails.data[location].elsewhere = true;
}

void builder_left_out(struct builder *b, struct exchange *x, const uint32_t *process)
{
	b->trace->exchange = x;
	b->trace->halo = halo_new(process, b->trace->locations.n);
	builder_share_findings(b);
}

void builder_share_records(struct builder *b, struct exchange *x)
{
	exchange_rows(x, &b->trace->statement_records);
}

void builder_share_findings(struct builder *b)
{
	const struct finding *f;
	OWNED_VEC(struct finding) found = VEC_INIT;

	if (!b->trace->exchange)
		return;
	memcpy(&found, &b->trace->findings, sizeof found);
	memcpy(&b->trace->findings, &b->found_by_all, sizeof b->trace->findings);
	memset(&b->found_by_all, 0, sizeof b->found_by_all);
	exchange_rows(b->trace->exchange, &found);
	vec_each (f, &found)
		store_finding_join(b->trace, f);
}

/* ---- locations ---- */

struct shared_location {
	uint64_t at;
	struct location location;
};

void build_share_locations(struct builder *b)
{
	struct trace *trace = b->trace;
	OWNED_VEC(struct shared_location) rows = VEC_INIT;
	const struct shared_location *row;

	if (!trace->exchange)
		return;
	for (uint32_t l = 0; l < trace->locations.n; l++)
		if (trace->lists.data[l].n > 0) {
			struct shared_location *mine = vec_add(&rows);
			mine->at = l;
			mine->location = trace->locations.data[l];
		}
	exchange_rows(trace->exchange, &rows);
	vec_each (row, &rows)
		trace->locations.data[row->at] = row->location;
	trace->events = exchange_count(trace->exchange, trace->events);
}

/* ---- call paths ---- */

ORDERING(by_location, struct shared_path, location, id)

void build_share_paths(struct exchange *x, const struct shared_paths *mine,
		       struct shared_paths *all)
{
	struct exchange_parts parts;
	const struct shared_path *rows;

	x->gather(x, mine->data, mine->n * sizeof *mine->data, &parts);
	rows = (const struct shared_path *)(const void *)parts.data;
	for (uint32_t p = 0; p < x->processes; p++)
		for (size_t i = parts.first[p] / sizeof *rows;
		     i < parts.first[p + 1] / sizeof *rows; i++) {
			vec_push(all, rows[i]);
			vec_last(all)->process = p;
		}
	exchange_parts_fini(&parts);
	vec_sort(all, by_location);
}
