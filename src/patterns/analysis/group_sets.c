#include "patterns/analysis/group_sets.h"

#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"

enum set_kind { SET_MEMBERS, SET_MET, SETS };

/* A location of a set of the group that has the row. */
struct set_row {
	uint32_t row, kind;
	uint32_t location; /* UINT32_MAX: this says that there is such a set, which may be empty */
};

typedef VEC(uint32_t) location_list;

struct far_sets {
	const struct trace *trace;
	/* At home: of the group, those to be told (told[kind]), and the processes that were. */
	location_list sets[SETS];
	bool told[SETS];
	uint32_t *stamps, stamp; /* [processes] */
	VEC(struct set_row) rows;
	VEC(uint32_t) to;
	/* At the parties. */
	size_t next; /* row that was not asked for yet */
	location_list of[SETS];
	bool given[SETS];
};

struct far_sets *far_sets_new(const struct trace *trace)
{
	struct far_sets *sets = xcalloc(1, sizeof *sets);

	sets->trace = trace;
	sets->stamps = xcalloc(exchange_processes(trace_exchange(trace)), sizeof *sets->stamps);
	return sets;
}

void far_sets_free(struct far_sets *sets)
{
	for (int kind = 0; kind < SETS; kind++) {
		vec_fini(&sets->sets[kind]);
		vec_fini(&sets->of[kind]);
	}
	vec_fini(&sets->rows);
	vec_fini(&sets->to);
	free_all(sets->stamps, sets);
}

/* ---- at home ---- */

/* Whether the parties are at the first location of each member. */
static bool is_usual(const struct far_sets *sets, const struct sync_group *group)
{
	const struct comm *comm;

	if (group->comm == UINT32_MAX)
		return false;
	comm = trace_comm(sets->trace, group->comm);
	for (uint32_t i = 0; i < group->n; i++)
		if (group->parties[i].location != groups_location(sets->trace, comm, i))
			return false;
	return true;
}

void far_sets_begin(struct far_sets *sets, const struct sync_group *group, bool directed)
{
	sets->stamp++;
	sets->sets[SET_MEMBERS].n = sets->sets[SET_MET].n = 0;
	for (uint32_t i = 0; i < group->n; i++) {
		vec_push(&sets->sets[SET_MEMBERS], group->parties[i].location);
		if (group->parties[i].sync && !(directed && i == group->blame))
			vec_push(&sets->sets[SET_MET], group->parties[i].location);
	}
	sets->told[SET_MEMBERS] = !is_usual(sets, group);
	sets->told[SET_MET] = sets->sets[SET_MET].n < group->n;
}

static void add_row(struct far_sets *sets, uint32_t process, struct set_row row)
{
	vec_push(&sets->rows, row);
	vec_push(&sets->to, process);
}

void far_sets_tell(struct far_sets *sets, uint32_t location, uint32_t row)
{
	const uint32_t process = trace_process_of(sets->trace, location);

	if (sets->stamps[process] == sets->stamp)
		return;
	sets->stamps[process] = sets->stamp;
	for (uint32_t kind = 0; kind < SETS; kind++) {
		if (!sets->told[kind])
			continue;
		add_row(sets, process, (struct set_row){ row, kind, UINT32_MAX });
		for (size_t i = 0; i < sets->sets[kind].n; i++)
			add_row(sets, process,
				(struct set_row){ row, kind, sets->sets[kind].data[i] });
	}
}

/* ---- at the parties ---- */

ORDERING(by_row, struct set_row, row, kind, location)

void far_sets_deal(struct far_sets *sets, struct exchange *x)
{
	struct exchange_parts parts;

	exchange_deal(x, sets->rows.data, sets->rows.n, sizeof *sets->rows.data, sets->to.data,
		      &parts);
	vec_fini(&sets->rows);
	vec_fini(&sets->to);
	sets->rows.data = (struct set_row *)(void *)parts.data;
	sets->rows.n = sets->rows.cap = parts.first[x->processes] / sizeof *sets->rows.data;
	free(parts.first);
	vec_sort(&sets->rows, by_row);
}

void far_sets_of(struct far_sets *sets, uint32_t first, uint32_t n, struct sync_far *far)
{
	const struct set_row *row;

	for (int kind = 0; kind < SETS; kind++) {
		vec_reserve(&sets->of[kind], 1);
		sets->of[kind].n = 0;
		sets->given[kind] = false;
	}
	while (sets->next < sets->rows.n && sets->rows.data[sets->next].row < first)
		sets->next++;
	for (; sets->next < sets->rows.n && sets->rows.data[sets->next].row < first + n;
	     sets->next++) {
		row = &sets->rows.data[sets->next];
		sets->given[row->kind] = true;
		if (row->location != UINT32_MAX)
			vec_push(&sets->of[row->kind], row->location);
	}
	*far = (struct sync_far){
		.members = sets->given[SET_MEMBERS] ? sets->of[SET_MEMBERS].data : NULL,
		.met = sets->given[SET_MET] ? sets->of[SET_MET].data : NULL,
		.n_members = (uint32_t)sets->of[SET_MEMBERS].n,
		.n_met = (uint32_t)sets->of[SET_MET].n,
	};
}
