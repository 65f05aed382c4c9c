/* System tree, processes and locations, with the rank of each. */
#include <string.h>

#include "base/mem.h"
#include "model/otf2/read/otf2_own_read.h"

/* ---- system tree ---- */

/* Parents come before their children, whatever the archive's order. */
static void add_tree(struct otf2_archive *a)
{
	const size_t n = a->defs.tree.n;
	uint32_t *parent = xmalloc((n + 1) * sizeof *parent);
	uint32_t *made = xmalloc((n + 1) * sizeof *made), *order;

	for (size_t i = 0; i < n; i++)
		otf2_ids_set(&a->tree_rows, a->defs.tree.data[i].id, (uint32_t)i);
	for (size_t i = 0; i < n; i++)
		parent[i] = otf2_ids_get(&a->tree_rows, a->defs.tree.data[i].parent);
	order = otf2_parents_first(parent, n);
	for (size_t i = 0; i < n; i++) {
		const uint32_t at = order[i];
		const struct otf2_tree_def *def = &a->defs.tree.data[at];
		struct tree_node node = { otf2_string(a, def->name), otf2_string(a, def->cls),
					  UINT32_MAX };
		made[at] = UINT32_MAX;
		if (otf2_own_of(a, OTF2_OWN_NODES, KEY_OF(def->id), false))
			continue;
		if (parent[at] != UINT32_MAX)
			node.parent = made[parent[at]];
		made[at] = builder_tree_node(a->builder, &node);
		otf2_ids_set(&a->tree, def->id, made[at]);
	}
	free_all(parent, made, order);
}

/* The name of the node that a tree node is on: the nearest of class "node" at or above it, else its
 * own. Chains are short; 64 levels are enough for any. */
static uint32_t node_name(const struct otf2_archive *a, uint32_t id)
{
	uint32_t at = otf2_ids_get(&a->tree_rows, id);
	const uint32_t own = at;

	for (int level = 0; at != UINT32_MAX && level < 64; level++) {
		const struct otf2_tree_def *def = &a->defs.tree.data[at];
		if (strcmp(otf2_text(&a->defs, def->cls), "node") == 0)
			return otf2_string(a, def->name);
		at = otf2_ids_get(&a->tree_rows, def->parent);
	}
	if (own == UINT32_MAX || otf2_own_of(a, OTF2_OWN_NODES, KEY_OF(id), false))
		return 0;
	return otf2_string(a, a->defs.tree.data[own].name);
}

/* ---- processes ---- */

/* Processes that tview made up for an archive are not part of the trace. */
static void add_processes(struct otf2_archive *a)
{
	const size_t n = a->defs.processes.n;
	OWNED uint32_t *creator = xmalloc((n + 1) * sizeof *creator);
	uint32_t next = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t id = a->defs.processes.data[i].id;
		otf2_ids_set(&a->process_rows, id, (uint32_t)i);
		if (!otf2_own_of(a, OTF2_OWN_PROCESSES, KEY_OF(id), false))
			otf2_ids_set(&a->processes, id, next++);
	}
	for (size_t i = 0; i < n; i++)
		creator[i] = otf2_ids_get(&a->process_rows, a->defs.processes.data[i].creator);
	otf2_break_cycles(creator, n);
	for (size_t i = 0; i < n; i++) {
		const struct otf2_process_def *def = &a->defs.processes.data[i];
		if (otf2_own_of(a, OTF2_OWN_PROCESSES, KEY_OF(def->id), false))
			continue;
		if (creator[i] != UINT32_MAX)
			creator[i] =
				otf2_ids_get(&a->processes, a->defs.processes.data[creator[i]].id);
		builder_process(a->builder,
				&(struct process){ .name = otf2_string(a, def->name),
						   .node = otf2_ids_get(&a->tree, def->parent),
						   .type = def->type,
						   .creator = creator[i] });
	}
}

/* ---- ranks ---- */

/* The group that lists the locations of the world's ranks. */
static const struct otf2_group_def *world_group(struct otf2_archive *a)
{
	const struct otf2_group_def *found = NULL;

	for (size_t i = 0; i < a->defs.groups.n; i++) {
		const struct otf2_group_def *def = &a->defs.groups.data[i];
		if (def->type != OTF2_GROUP_TYPE_COMM_LOCATIONS)
			continue;
		if (def->paradigm == OTF2_PARADIGM_MPI) {
			found = def;
			break;
		}
		if (!found &&
		    (def->paradigm == OTF2_PARADIGM_SHMEM || def->paradigm == OTF2_PARADIGM_GASPI ||
		     def->paradigm == OTF2_PARADIGM_UPC))
			found = def;
	}
	if (found && found->n > INT32_MAX / 2) /* no machine has as many */
		found = NULL;
	return found;
}

struct ranks {
	int32_t *of_process; /* [processes] */
	int32_t *of_place;   /* [places]: ranks of locations that represent one by themselves */
	int32_t *threads;    /* [ranks] handed out so far */
};

/* The numbers of the world's ranks, which PICL may choose freely. */
static void number_own_world(struct otf2_archive *a, const struct otf2_group_def *world)
{
	int32_t *numbers = xmalloc(((size_t)world->n + 1) * sizeof *numbers);

	for (uint32_t i = 0; i < world->n; i++)
		numbers[i] = (int32_t)otf2_own_of_place(a, world->members[i], OTF2_PLACE_RANK, i);
	a->world = numbers;
}

static void number_ranks(struct otf2_archive *a, struct ranks *r)
{
	const struct otf2_group_def *world = world_group(a);
	struct otf2_defs *d = &a->defs;

	for (size_t i = 0; i < d->processes.n; i++)
		r->of_process[i] = RANK_UNKNOWN;
	for (size_t i = 0; i < a->places.n; i++)
		r->of_place[i] = RANK_UNKNOWN;
	a->ranks = world ? (int32_t)world->n : 0;
	a->world_paradigm = world ? world->paradigm : OTF2_PARADIGM_MPI;
	if (a->own && world)
		number_own_world(a, world);
	for (int32_t rank = 0; rank < a->ranks; rank++) {
		const uint64_t id = world->members[rank];
		const struct otf2_place *place = otf2_place(a, id);
		uint32_t process;
		size_t row;
		if (!place)
			continue;
		row = (size_t)(place - a->places.data);
		if (r->of_place[row] == RANK_UNKNOWN)
			r->of_place[row] = rank;
		process = otf2_ids_get(&a->process_rows, d->locations.data[place->def].process);
		if (process != UINT32_MAX && r->of_process[process] == RANK_UNKNOWN)
			r->of_process[process] = rank;
	}
	/* An accelerator's context belongs to the process that made it. */
	for (size_t i = 0; i < d->processes.n; i++) {
		const uint32_t creator =
			otf2_ids_get(&a->process_rows, d->processes.data[i].creator);
		if (r->of_process[i] == RANK_UNKNOWN && creator != UINT32_MAX)
			r->of_process[i] = r->of_process[creator];
	}
}

/* ---- locations ---- */

/* The name of a location that has none, as "metrics 3". */
static void say_sort(uint8_t type, int32_t number, struct str *out)
{
	static const char *const sorts[] = { "location", "thread", "stream", "metrics" };

	str_add_fmt(out, "%s %d", sorts[type < 4 ? type : 0], number);
}

static void say_name(const struct otf2_archive *a, const struct otf2_location_def *def,
		     int32_t rank, int32_t thread, bool alone, struct str *out)
{
	const char *name = otf2_text(&a->defs, def->name);
	const uint32_t process = otf2_ids_get(&a->process_rows, def->process);

	str_clear(out);
	if (rank != RANK_UNKNOWN) {
		str_add_fmt(out, "rank %d", rank);
		if (thread == 0)
			return;
		str_add_char(out, ' ');
		if (def->type == OTF2_LOCATION_TYPE_CPU_THREAD || !*name)
			say_sort(def->type, thread, out);
		else
			str_add(out, name);
	} else if (!*name) {
		say_sort(def->type, thread, out);
	} else {
		if (!alone && process != UINT32_MAX)
			str_add_fmt(out, "%s ",
				    otf2_text(&a->defs, a->defs.processes.data[process].name));
		str_add(out, name);
	}
}

static void add_location(struct otf2_archive *a, struct ranks *r, size_t i, struct keymap *names,
			 struct str *name)
{
	struct otf2_place *place = &a->places.data[i];
	const struct otf2_location_def *def = &a->defs.locations.data[place->def];
	const uint32_t process = otf2_ids_get(&a->process_rows, def->process);
	const uint32_t source_name = otf2_string(a, def->name);
	const bool alone = *keymap_find(names, KEY_OF(source_name)) == 1;
	struct location location = { .process = -1, .source_name = source_name };
	const bool own = r->of_place[i] != RANK_UNKNOWN;

	location.rank = own                     ? r->of_place[i]
			: process == UINT32_MAX ? RANK_UNKNOWN
						: r->of_process[process];
	/* The first thread of a rank is the one its group names. */
	if (location.rank == RANK_UNKNOWN)
		location.thread = (int32_t)i;
	else if (!own)
		location.thread = ++r->threads[location.rank];
	say_name(a, def, location.rank, location.thread, alone, name);
	location.name = builder_string(a->builder, name->text, name->n);
	if (process != UINT32_MAX)
		location.node = node_name(a, a->defs.processes.data[process].parent);
	place->rank = location.rank;
	place->name = xstrdup(name->text);
	place->location = builder_location(a->builder, &location);
	builder_location_owner(a->builder, place->location,
			       otf2_ids_get(&a->processes, def->process), def->type, def->id);
}

/* A location that tview's own archive identifies. */
static bool add_own_location(struct otf2_archive *a, size_t i)
{
	struct otf2_place *place = &a->places.data[i];
	const struct otf2_location_def *def = &a->defs.locations.data[place->def];
	const uint32_t row = otf2_ids_get(&a->process_rows, def->process);
	const int64_t rank = otf2_own_of_place(a, place->id, OTF2_PLACE_RANK, INT64_MIN);
	const int64_t name = otf2_own_of_place(a, place->id, OTF2_PLACE_NAME, -1);
	const int64_t type = otf2_own_of_place(a, place->id, OTF2_PLACE_TYPE, -1);
	struct location location = { .rank = (int32_t)rank, .name = otf2_string(a, def->name) };

	place->absent = otf2_own_of_place(a, place->id, OTF2_PLACE_ABSENT, false);
	if (rank == INT64_MIN)
		return false;
	place->rank = location.rank;
	place->name = xstrdup(otf2_text(&a->defs, def->name));
	if (place->absent)
		return true;
	location.process = (int32_t)otf2_own_of_place(a, place->id, OTF2_PLACE_PROCESS, -1);
	location.thread = (int32_t)otf2_own_of_place(a, place->id, OTF2_PLACE_THREAD, 0);
	if (name >= 0 || otf2_own_of_place(a, place->id, OTF2_PLACE_ONE_NAME, false))
		location.source_name = location.name;
	if (name >= 0)
		location.name = otf2_string(a, (uint32_t)name);
	if (row != UINT32_MAX)
		location.node = node_name(a, a->defs.processes.data[row].parent);
	place->location = builder_location(a->builder, &location);
	if (type >= 0)
		builder_location_owner(a->builder, place->location,
				       otf2_ids_get(&a->processes, def->process), (uint8_t)type,
				       (uint64_t)otf2_own_of_place(a, place->id, OTF2_PLACE_ID,
								   (int64_t)place->id));
	return true;
}

static void add_locations(struct otf2_archive *a, struct ranks *r)
{
	ENDED_BY(keymap_fini) struct keymap names = { 0 };
	OWNED_STR name = STR_INIT;

	for (size_t i = 0; i < a->places.n; i++) {
		const uint32_t def = a->places.data[i].def;
		uint32_t *count =
			keymap_add(&names,
				   KEY_OF(otf2_string(a, a->defs.locations.data[def].name)));
		*count = *count == UINT32_MAX ? 1 : *count + 1;
	}
	for (size_t i = 0; i < a->places.n; i++)
		if (!add_own_location(a, i))
			add_location(a, r, i, &names, &name);
}

static void add_world(struct otf2_archive *a)
{
	OWNED int32_t *ranks = xmalloc(((size_t)a->ranks + 1) * sizeof *ranks);

	for (int32_t i = 0; i < a->ranks; i++)
		ranks[i] = otf2_world_rank(a, (uint32_t)i);
	builder_world(a->builder, ranks, (uint32_t)a->ranks);
}

/* One place for each location, however often it is defined: the last definition counts. */
static void list_places(struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.locations.n; i++) {
		const struct otf2_location_def *def = &a->defs.locations.data[i];
		const struct key key = otf2_place_key(def->id);
		uint32_t *row = keymap_add(&a->place_rows, key);
		if (*row == UINT32_MAX) {
			*row = (uint32_t)a->places.n;
			vec_add(&a->places);
		}
		a->places.data[*row] =
			(struct otf2_place){ .id = def->id,
					     .events = def->events,
					     .def = (uint32_t)i,
					     .other_clock = keymap_find(&a->other_clocks, key) };
	}
}

void otf2_places(struct otf2_archive *a)
{
	struct ranks r;

	list_places(a);
	add_tree(a);
	add_processes(a);
	r.of_process = xmalloc((a->defs.processes.n + 1) * sizeof *r.of_process);
	r.of_place = xmalloc((a->places.n + 1) * sizeof *r.of_place);
	number_ranks(a, &r);
	r.threads = xcalloc((size_t)a->ranks + 1, sizeof *r.threads);
	add_locations(a, &r);
	add_world(a);
	free_all(r.of_process, r.of_place, r.threads);
}
