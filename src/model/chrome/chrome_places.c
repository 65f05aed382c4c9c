/* Processes and threads, by their pid and tid, numbers or texts. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/chrome/chrome_state.h"

uint32_t chrome_process_of(struct chrome_reading *c, const struct str *pid)
{
	const uint32_t text = builder_string(c->builder, pid->text, pid->n);
	uint32_t row;

	if (keymap_new(&c->process_of, KEY_OF(text), (uint32_t)c->processes.n, &row))
		vec_push(&c->processes, ((struct chrome_process){ .pid = text }));
	return row;
}

uint32_t chrome_place_of(struct chrome_reading *c, const struct chrome_record *r)
{
	const uint32_t process = chrome_process_of(c, &r->pid);
	const uint32_t tid = builder_string(c->builder, r->tid.text, r->tid.n);
	uint32_t row;

	if (keymap_new(&c->place_of, KEY_OF(process, tid), (uint32_t)c->places.n, &row))
		vec_push(&c->places, ((struct chrome_place){ .process = process, .tid = tid }));
	return row;
}

static uint32_t text_of(struct chrome_reading *c, const struct chrome_arg *arg)
{
	return builder_string(c->builder, arg->value.text, arg->value.n);
}

static bool name_process(struct chrome_reading *c, const struct chrome_record *r)
{
	const struct chrome_arg *name = chrome_record_arg(r, "name");
	const struct chrome_arg *sort = chrome_record_arg(r, "sort_index");
	const uint32_t row = chrome_process_of(c, &r->pid);
	struct chrome_process *process = &c->processes.data[row];

	if (strcmp(r->name.text, "process_name") == 0 && name)
		process->name = text_of(c, name);
	else if (strcmp(r->name.text, "process_sort_index") == 0 && sort)
		process->sort = strtoll(sort->value.text, NULL, 10);
	else
		return false;
	return true;
}

static bool name_thread(struct chrome_reading *c, const struct chrome_record *r)
{
	const struct chrome_arg *name = chrome_record_arg(r, "name");
	const struct chrome_arg *sort = chrome_record_arg(r, "sort_index");
	const bool names = strcmp(r->name.text, "thread_name") == 0 && name;
	const bool sorts = strcmp(r->name.text, "thread_sort_index") == 0 && sort;
	uint32_t row;

	if (!names && !sorts)
		return false;
	row = chrome_place_of(c, r);
	if (names)
		c->places.data[row].name = text_of(c, name);
	else
		c->places.data[row].sort = strtoll(sort->value.text, NULL, 10);
	return true;
}

void chrome_name(struct chrome_reading *c, const struct chrome_record *r)
{
	if (!name_process(c, r) && !name_thread(c, r))
		c->counts.arguments++;
}

/* ---- the order of ranks and threads ---- */

/* By what the file says, then by number, then as they came. */
struct turn {
	int64_t sort, number;
	uint32_t process, row;
};

ORDERING(by_process_turn, struct turn, process, sort, number, row)

static int64_t number_of(const struct chrome_reading *c, uint32_t text)
{
	return strtoll(builder_text(c->builder, text), NULL, 10);
}

/* "rank 3", as tview writes it: all processes are named so and each differently, or ranks follow
 * the order. */
static bool rank_in_name(const struct chrome_reading *c, uint32_t process, int32_t *rank)
{
	const char *name = builder_text(c->builder, c->processes.data[process].name);
	char *end;
	long value;

	if (strncmp(name, "rank ", 5) != 0 || name[5] < '0' || name[5] > '9')
		return false;
	value = strtol(name + 5, &end, 10);
	*rank = (int32_t)value;
	return *end == '\0' && value < RANK_HOST;
}

static bool ranks_in_names(struct chrome_reading *c)
{
	ENDED_BY(keymap_fini) struct keymap seen = { NULL, 0, 0 };

	for (uint32_t p = 0; p < c->processes.n; p++) {
		int32_t rank;
		uint32_t *other;
		if (!rank_in_name(c, p, &rank))
			return false;
		other = keymap_add(&seen, KEY_OF((uint32_t)rank));
		if (*other != UINT32_MAX)
			return false;
		*other = p;
		c->processes.data[p].rank = rank;
	}
	return true;
}

static void number_processes(struct chrome_reading *c)
{
	OWNED struct turn *turns = xmalloc((c->processes.n + 1) * sizeof *turns);

	if (ranks_in_names(c))
		return;
	for (uint32_t p = 0; p < c->processes.n; p++)
		turns[p] = (struct turn){ c->processes.data[p].sort,
					  number_of(c, c->processes.data[p].pid), 0, p };
	SORT(turns, c->processes.n, by_process_turn);
	for (uint32_t i = 0; i < c->processes.n; i++)
		c->processes.data[turns[i].row].rank = (int32_t)i;
}

/* "python: thread 17", "rank 0 (pid 1234)": what the file has of names. */
static uint32_t name_of(struct chrome_reading *c, const struct chrome_place *place)
{
	const struct chrome_process *process = &c->processes.data[place->process];
	OWNED_STR text = STR_INIT;
	int32_t rank;

	if (place->name)
		return place->name;
	if (rank_in_name(c, place->process, &rank))
		return 0;
	if (process->name)
		str_add(&text, builder_text(c->builder, process->name));
	else
		str_add_fmt(&text, "process %s", builder_text(c->builder, process->pid));
	if (builder_text(c->builder, place->tid)[0])
		str_add_fmt(&text, " thread %s", builder_text(c->builder, place->tid));
	return builder_string(c->builder, text.text, text.n);
}

static void make_location(struct chrome_reading *c, struct chrome_place *place, int32_t thread)
{
	const struct location location = {
		.rank = c->processes.data[place->process].rank,
		.process = -1,
		.thread = thread,
		.name = name_of(c, place),
		.owner = UINT32_MAX,
	};

	place->location = UINT32_MAX;
	if (!load_part_has_rank(&c->options->part, location.rank))
		return;
	place->location = builder_location(c->builder, &location);
	if (!place->has_states)
		builder_location_owner(c->builder, place->location, UINT32_MAX, LOCATION_METRICS,
				       0);
}

void chrome_make_locations(struct chrome_reading *c)
{
	OWNED struct turn *turns = xmalloc((c->places.n + 1) * sizeof *turns);
	OWNED int32_t *threads = xcalloc(c->processes.n + 1, sizeof *threads);
	const struct chrome_row *row;
	size_t n = 0;

	number_processes(c);
	vec_each (row, &c->rows)
		c->places.data[row->place].has_states |= row->kind != ROW_COUNTER;
	for (uint32_t p = 0; p < c->places.n; p++) {
		const struct chrome_place *place = &c->places.data[p];
		turns[n++] = (struct turn){ place->sort, number_of(c, place->tid),
					    (uint32_t)c->processes.data[place->process].rank, p };
	}
	SORT(turns, n, by_process_turn);
	for (size_t i = 0; i < n; i++) {
		struct chrome_place *place = &c->places.data[turns[i].row];
		make_location(c, place, threads[place->process]++);
	}
}
