#include "patterns/analysis/group_sets.h"

#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"

enum set_kind { SET_MEMBERS, SET_MET, SETS };

enum { BITS = 32 };

/* Of a set of the group that has the row: a member's location, in their order; or which of the next
 * 32 members met. */
struct set_row {
	uint32_t row, kind;
	uint32_t index, value;
};

typedef VEC(uint32_t) uint32_list;

struct far_sets {
	const struct trace *trace;
	/* At home: of the group, values of each kind, those to be told (told[kind]), and the
	 * processes that were. */
	uint32_list values[SETS];
	bool told[SETS];
	uint32_t *stamps, stamp; /* [processes] */
	VEC(struct set_row) rows;
	VEC(uint32_t) to;
	/* At the parties. */
	size_t next; /* row that was not asked for yet */
	uint32_list members, met;
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
	for (int kind = 0; kind < SETS; kind++)
		vec_fini(&sets->values[kind]);
	vec_fini(&sets->members);
	vec_fini(&sets->met);
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
	uint32_list *met = &sets->values[SET_MET];
	uint32_t n_met = 0;

	sets->stamp++;
	sets->values[SET_MEMBERS].n = met->n = 0;
	for (uint32_t i = 0; i < group->n; i++) {
		const bool meets = sync_is_single(group) ||
				   (group->parties[i].sync && !(directed && i == group->blame));
		vec_push(&sets->values[SET_MEMBERS], group->parties[i].location);
		if (i % BITS == 0)
			vec_push(met, 0);
		*vec_last(met) |= (uint32_t)meets << i % BITS;
		n_met += meets;
	}
	sets->told[SET_MEMBERS] = !is_usual(sets, group);
	sets->told[SET_MET] = n_met < group->n;
}

void far_sets_tell(struct far_sets *sets, uint32_t location, uint32_t row)
{
	const uint32_t process = trace_process_of(sets->trace, location);

	if (sets->stamps[process] == sets->stamp)
		return;
	sets->stamps[process] = sets->stamp;
	for (uint32_t kind = 0; kind < SETS; kind++)
		for (uint32_t i = 0; sets->told[kind] && i < sets->values[kind].n; i++) {
			vec_push(&sets->rows,
				 ((struct set_row){ row, kind, i, sets->values[kind].data[i] }));
			vec_push(&sets->to, process);
		}
}

/* ---- at the parties ---- */

ORDERING(by_row, struct set_row, row, kind, index)

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

/* Those of the members whose bits are set. */
static void add_met(struct far_sets *sets, uint32_t comm, bool listed, const struct set_row *word)
{
	for (uint32_t bit = 0; bit < BITS; bit++) {
		const uint32_t i = word->index * BITS + bit;
		if (word->value >> bit & 1)
			vec_push(&sets->met,
				 listed ? sets->members.data[i]
					: groups_location(sets->trace,
							  trace_comm(sets->trace, comm), i));
	}
}

void far_sets_of(struct far_sets *sets, uint32_t comm, uint32_t first, uint32_t n,
		 struct sync_far *far)
{
	bool listed = false, partial = false;

	sets->members.n = sets->met.n = 0;
	vec_reserve(&sets->met, 1);
	while (sets->next < sets->rows.n && sets->rows.data[sets->next].row < first)
		sets->next++;
	for (; sets->next < sets->rows.n && sets->rows.data[sets->next].row < first + n;
	     sets->next++) {
		const struct set_row *row = &sets->rows.data[sets->next];
		if (row->kind == SET_MEMBERS) {
			listed = true;
			vec_push(&sets->members, row->value);
		} else {
			partial = true;
			add_met(sets, comm, listed, row);
		}
	}
	*far = (struct sync_far){
		.members = listed ? sets->members.data : NULL,
		.met = partial ? sets->met.data : NULL,
		.n_members = (uint32_t)sets->members.n,
		.n_met = (uint32_t)sets->met.n,
	};
}
