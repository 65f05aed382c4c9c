/* Processes and threads of the files, by their pid and tid, numbers or texts. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/chrome/chrome_state.h"

uint32_t chrome_process_of(struct chrome_reading *c, const struct str *pid)
{
	const uint32_t text = builder_string(c->builder, pid->text, pid->n);
	uint32_t row;

	if (keymap_new(&c->process_of, KEY_OF(c->file, text), (uint32_t)c->processes.n, &row))
		vec_push(&c->processes,
			 ((struct chrome_process){
				 .file = c->file, .pid = text, .owner = UINT32_MAX }));
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

/* ---- the order of threads ---- */

/* Streams after threads; by what the file says, then by number, then as they came. */
struct thread_turn {
	int64_t sort, number;
	uint32_t rank, device, row;
};

ORDERING(by_thread_turn, struct thread_turn, rank, device, sort, number, row)

static int64_t number_of(const struct chrome_reading *c, uint32_t text)
{
	return strtoll(builder_text(c->builder, text), NULL, 10);
}

/* "GPU 1 stream 7"; TensorFlow's "/device:GPU:1 stream 7". */
static void add_stream(const struct chrome_reading *c, const struct chrome_place *place,
		       struct str *text)
{
	const struct chrome_process *process = &c->processes.data[place->process];
	const char *name = builder_text(c->builder, process->name);

	if (strstr(name, "/device:"))
		str_add(text, strstr(name, "/device:") + 8);
	else
		str_add_fmt(text, "GPU %s", builder_text(c->builder, process->pid));
	str_add_fmt(text, " stream %s", builder_text(c->builder, place->tid));
}

/* "python: thread 17": what the file has of names. */
static void add_name(const struct chrome_reading *c, const struct chrome_place *place,
		     struct str *text)
{
	const struct chrome_process *process = &c->processes.data[place->process];

	if (place->name) {
		str_add(text, builder_text(c->builder, place->name));
		return;
	}
	if (process->name)
		str_add(text, builder_text(c->builder, process->name));
	else
		str_add_fmt(text, "process %s", builder_text(c->builder, process->pid));
	if (builder_text(c->builder, place->tid)[0])
		str_add_fmt(text, " thread %s", builder_text(c->builder, place->tid));
}

/* A rank's number is before the name where a file is a rank. 0: that of the rank alone. */
static uint32_t name_of(struct chrome_reading *c, const struct chrome_place *place, int32_t thread)
{
	const struct chrome_process *process = &c->processes.data[place->process];
	const bool ranked = c->files.n > 1 || c->files.data[process->file].profiler;
	OWNED_STR text = STR_INIT;
	int32_t rank;

	if ((ranked && thread == 0) ||
	    (!place->name && !place->device && chrome_rank_in_name(c, place->process, &rank)))
		return 0;
	if (ranked)
		str_add_fmt(&text, "rank %d ", (int)process->rank);
	if (place->device)
		add_stream(c, place, &text);
	else
		add_name(c, place, &text);
	return builder_string(c->builder, text.text, text.n);
}

static uint8_t type_of(const struct chrome_place *place)
{
	return place->device       ? LOCATION_ACCELERATOR
	       : place->has_states ? LOCATION_CPU
				   : LOCATION_METRICS;
}

static void make_location(struct chrome_reading *c, struct chrome_place *place, int32_t thread)
{
	const struct chrome_process *process = &c->processes.data[place->process];
	const struct location location = {
		.rank = process->rank,
		.process = -1,
		.thread = thread,
		.name = name_of(c, place, thread),
		.owner = UINT32_MAX,
	};

	place->location = UINT32_MAX;
	if (place->derived || !load_part_has_rank(&c->options->part, location.rank))
		return;
	place->location = builder_location(c->builder, &location);
	if (!place->has_states || process->owner != UINT32_MAX)
		builder_location_owner(c->builder, place->location, process->owner, type_of(place),
				       0);
	if (c->files.data[process->file].damaged)
		builder_end_lost(c->builder, place->location);
}

/* Of a process with streams, of which each device is a context. */
static void make_owner(struct chrome_reading *c, uint32_t p)
{
	struct chrome_process *process = &c->processes.data[p];
	struct chrome_process *host = &c->processes.data[process->host];
	OWNED_STR text = STR_INIT;

	if (host->owner == UINT32_MAX) {
		str_add_fmt(&text, "rank %d", (int)host->rank);
		host->owner = builder_process(c->builder,
					      &(struct process){
						      builder_string(c->builder, text.text, text.n),
						      UINT32_MAX, 1, UINT32_MAX });
	}
	if (process == host)
		return;
	str_clear(&text);
	str_add_fmt(&text, process->device ? "GPU %s" : "process %s",
		    builder_text(c->builder, process->pid));
	process->owner =
		process->device
			? builder_process(c->builder,
					  &(struct process){
						  builder_string(c->builder, text.text, text.n),
						  UINT32_MAX, 2, host->owner })
			: host->owner;
}

static void look_at_places(struct chrome_reading *c)
{
	OWNED bool *hosts = xcalloc(c->processes.n + 1, sizeof *hosts);
	const struct chrome_row *row;
	const struct chrome_place *place;

	vec_each (row, &c->rows) {
		c->places.data[row->place].has_states |= row->kind != ROW_COUNTER;
		c->counts.tracks += c->places.data[row->place].derived;
	}
	vec_each (place, &c->places)
		if (place->device)
			hosts[c->processes.data[place->process].host] = true;
	for (uint32_t p = 0; p < c->processes.n; p++)
		if (hosts[c->processes.data[p].host])
			make_owner(c, p);
}

void chrome_make_locations(struct chrome_reading *c)
{
	OWNED struct thread_turn *turns = xmalloc((c->places.n + 1) * sizeof *turns);
	OWNED int32_t *threads = xcalloc(c->processes.n + 1, sizeof *threads);
	size_t n = 0;

	look_at_places(c);
	for (uint32_t p = 0; p < c->places.n; p++) {
		const struct chrome_place *place = &c->places.data[p];
		turns[n++] = (struct thread_turn){ place->sort, number_of(c, place->tid),
						   (uint32_t)c->processes.data[place->process].rank,
						   place->device, p };
	}
	SORT(turns, n, by_thread_turn);
	for (size_t i = 0; i < n; i++) {
		struct chrome_place *place = &c->places.data[turns[i].row];
		make_location(c, place, threads[c->processes.data[place->process].host]++);
	}
}
