/* Collectives of training jobs, and the communicators that they name. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/chrome/chrome_state.h"
#include "model/meaning/training.h"

ORDERING_OF_NUMBERS(by_rank, int32_t)

static uint32_t text_of(struct chrome_reading *c, const struct chrome_arg *arg)
{
	return arg ? builder_string(c->builder, arg->value.text, arg->value.n) : 0;
}

static uint64_t bytes_of(const struct chrome_record *r)
{
	static const struct {
		const char *name;
		unsigned bytes;
	} types[] = { { "Float", 4 }, { "Double", 8 }, { "Half", 2 }, { "BFloat16", 2 },
		      { "Int", 4 },   { "Long", 8 },   { "Byte", 1 }, { "Char", 1 },
		      { "Bool", 1 },  { "Short", 2 },  { "float", 4 } };
	const struct chrome_arg *n = chrome_record_arg(r, "In msg nelems");
	const struct chrome_arg *type = chrome_record_arg(r, "dtype");

	for (size_t i = 0; n && type && i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, type->value.text) == 0)
			return strtoull(n->value.text, NULL, 10) * types[i].bytes;
	return UINT64_MAX;
}

uint32_t chrome_group_of(struct chrome_reading *c, const struct chrome_record *r, uint64_t *bytes)
{
	const struct chrome_arg *name = chrome_record_arg(r, "Process Group Name");
	const struct chrome_arg *title = chrome_record_arg(r, "Process Group Description");
	const uint32_t id = text_of(c, name ? name : chrome_record_arg(r, "Process Group ID"));
	const uint32_t ranks = text_of(c, chrome_record_arg(r, "Process Group Ranks"));
	OWNED_STR text = STR_INIT;
	uint32_t row;

	*bytes = bytes_of(r);
	if (!keymap_new(&c->group_of, KEY_OF(id, ranks), (uint32_t)c->groups.n, &row))
		return row;
	if (id)
		str_add_fmt(&text, "group %s", builder_text(c->builder, id));
	if (title)
		str_add_fmt(&text, "%s%s", text.n ? " " : "", title->value.text);
	vec_push(&c->groups,
		 ((struct chrome_group){ builder_string(c->builder, text.text, text.n), 0 }));
	return row;
}

struct group_member {
	uint32_t group;
	int32_t rank;
	uint32_t calls;
};

ORDERING(by_group, struct group_member, group, rank)

/* How often each rank takes part in each group. Only the best records of a file count: a kernel
 * and the call that launched it are one collective. */
static size_t find_members(struct chrome_reading *c, struct group_member **members)
{
	ENDED_BY(keymap_fini) struct keymap map = { NULL, 0, 0 };
	VEC(struct group_member) found = VEC_INIT;
	struct chrome_row *row;

	vec_each (row, &c->rows) {
		const struct chrome_process *process =
			&c->processes.data[c->places.data[row->place].process];
		uint32_t at;
		if (!row->call)
			continue;
		if (row->call != c->files.data[process->file].call ||
		    !load_part_has_rank(&c->options->part, process->rank)) {
			row->call = TRAINING_NONE;
			continue;
		}
		if (keymap_new(&map, KEY_OF(row->tag, (uint32_t)process->rank), (uint32_t)found.n,
			       &at))
			vec_push(&found, ((struct group_member){ row->tag, process->rank, 0 }));
		found.data[at].calls++;
		builder_finding(c->builder, FINDING_INFO, "collectives", 0,
				"part of a collective: those of one group with one name belong "
				"together, in their order");
	}
	vec_sort(&found, by_group);
	*members = found.data;
	return found.n;
}

/* ---- ranks that began to record at different calls ---- */

enum { SHIFT_MOST = 256, CALLS_COMPARED = 256, CALLS_LEAST = 8 };

struct group_call {
	int64_t end;
	uint32_t group, nth;
	int32_t rank;
};

ORDERING(by_end, struct group_call, group, rank, end, nth)
ORDERING_OF_NUMBERS(by_distance, int64_t)

/* The calls of one rank. */
struct rank_calls {
	const struct group_call *data;
	size_t n;
};

static int64_t median_of(int64_t *values, size_t n)
{
	SORT(values, n, by_distance);
	return values[n / 2];
}

/* How much the distances between ends of calls differ if b's first call is a's call `shift`: hardly
 * if they belong together, whatever the clocks show, for steps are never equally long. INT64_MAX:
 * fewer than half of the calls have a partner. */
static int64_t spread(const struct rank_calls *a, const struct rank_calls *b, int64_t shift)
{
	int64_t room[CALLS_COMPARED] = { 0 }, middle;
	size_t n = 0;

	for (size_t i = 0; i < b->n && n < CALLS_COMPARED; i++) {
		const int64_t k = (int64_t)i + shift;
		if (k >= 0 && k < (int64_t)a->n)
			room[n++] = a->data[k].end - b->data[i].end;
	}
	if (2 * n < (a->n < b->n ? a->n : b->n) && n < CALLS_COMPARED)
		return INT64_MAX;
	middle = median_of(room, n);
	for (size_t i = 0; i < n; i++)
		room[i] = llabs(room[i] - middle);
	return median_of(room, n);
}

/* Another shift than 0 has to be clearly better. */
static int64_t best_shift(const struct rank_calls *a, const struct rank_calls *b)
{
	int64_t best = 0, least = spread(a, b, 0) / 4;

	for (int64_t shift = -SHIFT_MOST; shift <= SHIFT_MOST; shift++) {
		const int64_t here = spread(a, b, shift);
		if (here >= least)
			continue;
		least = here;
		best = shift;
	}
	return best;
}

/* Where a group's ranks began to record at different calls. True: some did. */
static bool align_group(struct chrome_reading *c, const struct rank_calls *of, size_t n)
{
	OWNED int64_t *shift = xcalloc(n + 1, sizeof *shift);
	int64_t least = 0, most = 0;

	for (size_t i = 1; i < n; i++) {
		shift[i] = best_shift(&of[0], &of[i]);
		least = shift[i] < least ? shift[i] : least;
		most = shift[i] > most ? shift[i] : most;
	}
	for (size_t i = 0; i < n && most > least; i++)
		*keymap_add(&c->before_of, KEY_OF(of[i].data[0].nth)) =
			(uint32_t)(shift[i] - least);
	return most > least;
}

static void align_groups(struct chrome_reading *c)
{
	VEC(struct group_call) calls = VEC_INIT;
	const struct chrome_row *row;

	vec_each (row, &c->rows)
		if (row->call)
			vec_push(&calls,
				 ((struct group_call){
					 row->end, row->tag, row->nth,
					 c->processes.data[c->places.data[row->place].process]
						 .rank }));
	vec_sort(&calls, by_end);
	for (size_t i = 0, end; i < calls.n; i = end) {
		VEC(struct rank_calls) of = VEC_INIT;
		bool enough = true;
		for (end = i; end < calls.n && calls.data[end].group == calls.data[i].group; end++)
			if (end > i && calls.data[end].rank == calls.data[end - 1].rank)
				vec_last(&of)->n++;
			else
				vec_push(&of, ((struct rank_calls){ &calls.data[end], 1 }));
		for (size_t k = 0; k < of.n; k++)
			enough &= of.data[k].n >= CALLS_LEAST;
		if (enough && align_group(c, of.data, of.n))
			builder_finding(c->builder, FINDING_GUESS, "collectives-aligned", 0,
					"the ranks of a group began to record at different "
					"collectives: those with alike intervals are taken as one");
		vec_fini(&of);
	}
	vec_fini(&calls);
}

/* ---- communicators ---- */

static void make_group(struct chrome_reading *c, const struct group_member *members, size_t n)
{
	OWNED int32_t *ranks = xmalloc((n + 1) * sizeof *ranks);
	struct chrome_group *group = &c->groups.data[members[0].group];
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		ranks[i] = members[i].rank;
		differ |= members[i].calls != members[0].calls;
	}
	SORT(ranks, n, by_rank);
	group->comm = builder_comm(c->builder,
				   group->name ? builder_text(c->builder, group->name) : "ranks",
				   ranks, (uint32_t)n, 0);
	if (differ)
		builder_finding(c->builder, FINDING_GUESS, "collectives-differ", 0,
				"the ranks of a group recorded different numbers of collectives");
}

void chrome_make_groups(struct chrome_reading *c)
{
	OWNED struct group_member *members = NULL;
	const size_t n = find_members(c, &members);

	align_groups(c);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && members[end].group == members[i].group;)
			end++;
		make_group(c, members + i, end - i);
	}
}
