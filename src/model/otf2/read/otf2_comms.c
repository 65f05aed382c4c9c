/* Groups, communicators and Cartesian topologies, with their ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/otf2/read/otf2_own_read.h"

enum {
	SELF_ROWS = 1 << 22, /* rows of all communicators of single processes */
	COORDS_MOST = 1 << 26,
};

struct members {
	int32_t *values;
	uint32_t n;
	uint8_t kind; /* COMM_PROCESSES, COMM_SELF, COMM_THREADS */
};

/* Groups by id. If the list of all locations and a communicator's group have the same id,
 * communicators mean the latter. */
static void find_groups(struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.groups.n; i++) {
		const struct otf2_group_def *def = &a->defs.groups.data[i];
		if (def->type == OTF2_GROUP_TYPE_COMM_LOCATIONS && a->lists[def->paradigm] == 0)
			a->lists[def->paradigm] = (uint32_t)i + 1;
		if (def->type != OTF2_GROUP_TYPE_COMM_LOCATIONS ||
		    otf2_ids_get(&a->group_rows, def->id) == UINT32_MAX)
			otf2_ids_set(&a->group_rows, def->id, (uint32_t)i);
	}
}

/* The list of locations that the groups of a paradigm number. */
static const struct otf2_group_def *locations_of(const struct otf2_archive *a, uint8_t paradigm)
{
	return a->lists[paradigm] ? &a->defs.groups.data[a->lists[paradigm] - 1] : NULL;
}

static bool names_locations(const struct otf2_group_def *def)
{
	return def->flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS ||
	       def->type == OTF2_GROUP_TYPE_LOCATIONS ||
	       def->type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
}

static int32_t rank_of(const struct otf2_archive *a, const struct otf2_group_def *def, uint32_t i)
{
	const struct otf2_place *place;

	if (!names_locations(def))
		return def->members[i] < (uint64_t)a->ranks
			       ? otf2_world_rank(a, (uint32_t)def->members[i])
			       : RANK_UNKNOWN;
	place = otf2_place(a, def->members[i]);
	return place ? place->rank : RANK_UNKNOWN;
}

static int32_t location_of(const struct otf2_archive *a, const struct otf2_group_def *def,
			   const struct otf2_group_def *list, uint32_t i)
{
	uint64_t id = def->members[i];
	const struct otf2_place *place;

	if (!names_locations(def)) {
		if (!list || id >= list->n)
			return -1;
		id = list->members[id];
	}
	place = otf2_place(a, id);
	return place ? (int32_t)place->location : -1;
}

static struct members members_of(const struct otf2_archive *a, const struct otf2_group_def *def)
{
	const bool processes = def->paradigm == a->world_paradigm;
	const struct otf2_group_def *list = processes ? NULL : locations_of(a, def->paradigm);
	struct members m = { NULL, def->n, processes ? COMM_PROCESSES : COMM_THREADS };

	if (def->type == OTF2_GROUP_TYPE_COMM_SELF) {
		m.kind = COMM_SELF;
		m.n = 0;
		return m;
	}
	m.values = xmalloc(((size_t)m.n + 1) * sizeof *m.values);
	for (uint32_t i = 0; i < m.n; i++)
		m.values[i] = processes ? rank_of(a, def, i) : location_of(a, def, list, i);
	return m;
}

/* ---- communicators ---- */

static bool is_whole_world(const struct otf2_archive *a, const struct members *m)
{
	if (m->kind != COMM_PROCESSES || m->n != (uint32_t)a->ranks || m->n == 0)
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		if (m->values[i] != otf2_world_rank(a, i))
			return false;
	return true;
}

/* The definition that is the trace's world: of those with all ranks in order the one with the
 * world's name, else the first without a parent. */
static size_t find_world(const struct otf2_archive *a)
{
	size_t found = SIZE_MAX;

	if (a->own && a->ranks > 0)
		return 0; /* tview writes it first */
	for (size_t i = 0; i < a->defs.comms.n; i++) {
		const struct otf2_comm_def *def = &a->defs.comms.data[i];
		const uint32_t group = otf2_ids_get(&a->group_rows, def->group);
		struct members m;
		bool whole;
		if (def->inter || group == UINT32_MAX ||
		    a->defs.groups.data[group].n != (uint32_t)a->ranks)
			continue;
		m = members_of(a, &a->defs.groups.data[group]);
		whole = is_whole_world(a, &m);
		free(m.values);
		if (!whole)
			continue;
		if (strstr(otf2_text(&a->defs, def->name), "WORLD"))
			return i;
		if (found == SIZE_MAX && def->parent == OTF2_UNDEFINED_COMM)
			found = i;
	}
	return found;
}

ORDERING_OF_NUMBERS(by_value, int32_t)

static const int32_t *sorted_copy(const int32_t *values, uint32_t n)
{
	int32_t *copy = xmalloc(((size_t)n + 1) * sizeof *copy);

	if (n)
		memcpy(copy, values, n * sizeof *copy);
	SORT(copy, n, by_value);
	return copy;
}

struct comm_maker {
	size_t world;     /* row of defs.comms */
	uint32_t *id;     /* [comms] what each becomes */
	uint32_t *parent; /* [comms] row of its parent's definition */
	uint32_t self_left;
};

static void add_self(struct otf2_archive *a, const struct otf2_comm_def *def, struct comm_maker *m,
		     struct otf2_comm *comm)
{
	comm->size = (uint32_t)a->ranks;
	if (comm->size > m->self_left)
		comm->size = m->self_left;
	if (comm->size < (uint32_t)a->ranks)
		builder_finding(a->builder, FINDING_ODDITY, "self-communicators", 0,
				"there are more communicators of single processes than tview keeps "
				"apart");
	m->self_left -= comm->size;
	for (uint32_t i = 0; i < comm->size; i++) {
		const int32_t rank = (int32_t)i;
		const uint32_t id =
			builder_comm_define(a->builder,
					    &(struct comm){ .name = otf2_string(a, def->name),
							    .size = 1,
							    .ranks = &rank,
							    .parent = UINT32_MAX,
							    .kind = COMM_SELF,
							    .flags = def->flags });
		if (i == 0)
			comm->id = id;
	}
}

static void add_comm(struct otf2_archive *a, size_t i, struct comm_maker *m)
{
	const struct otf2_comm_def *def = &a->defs.comms.data[i];
	const uint32_t group = otf2_ids_get(&a->group_rows, def->group);
	const uint32_t remote = otf2_ids_get(&a->group_rows, def->remote);
	struct otf2_comm comm = { 0 };
	struct members members = { 0 }, others = { 0 };
	int32_t *strangers;
	uint32_t n;

	if (group != UINT32_MAX)
		members = members_of(a, &a->defs.groups.data[group]);
	else
		builder_finding(a->builder, FINDING_ODDITY, "group-undefined", 0,
				"a communicator's group is not defined: its members are unknown");
	if (def->inter && remote != UINT32_MAX)
		others = members_of(a, &a->defs.groups.data[remote]);
	strangers = otf2_own_members(a, def->id, &n);
	if (strangers) {
		free(members.values);
		members.values = strangers;
		members.n = n;
	}
	comm.kind = def->inter ? COMM_INTER : members.kind;
	comm.size = members.n;
	comm.ranks = members.values;
	comm.remote_size = others.n;
	comm.remote = others.values;
	if (def->inter)
		comm.sorted = sorted_copy(comm.ranks, comm.size);
	if (comm.kind == COMM_SELF)
		add_self(a, def, m, &comm);
	else if (i != m->world)
		comm.id = builder_comm_define(
			a->builder,
			&(struct comm){ .name = otf2_string(a, def->name),
					.size = comm.size,
					.ranks = comm.ranks,
					.remote_size = comm.remote_size,
					.remote = comm.remote,
					.parent = m->parent[i] == UINT32_MAX ? UINT32_MAX
									     : m->id[m->parent[i]],
					.kind = comm.kind,
					.picl_subset = (int32_t)otf2_own_of(a, OTF2_OWN_SUBSETS,
									    KEY_OF(def->id), 0),
					.flags = def->flags });
	m->id[i] = comm.id;
	otf2_ids_set(&a->comm_ids, def->id, (uint32_t)a->comms.n);
	vec_push(&a->comms, comm);
}

/* EZTrace 2.0 records every receive that ends in a wait or a test on the world, whichever
 * communicator it was posted on. So messages of communicators that have all ranks of the world are
 * matched as if they were on it. */
static void mend_eztrace(struct otf2_archive *a)
{
	bool is = false;

	for (size_t i = 0; i < a->defs.regions.n && !is; i++)
		is = strncmp(otf2_text(&a->defs, a->defs.regions.data[i].name), "EZTrace", 7) == 0;
	for (size_t i = 0; i < a->comms.n; i++) {
		struct otf2_comm *comm = &a->comms.data[i];
		const struct members m = { (int32_t *)(uintptr_t)comm->ranks, comm->size,
					   comm->kind };
		comm->messages = is && is_whole_world(a, &m) ? 0 : comm->id;
	}
}

/* Parents first. */
static void add_comms(struct otf2_archive *a)
{
	const size_t n = a->defs.comms.n;
	struct comm_maker m = { .world = find_world(a), .self_left = SELF_ROWS };
	struct otf2_ids rows = { 0 };
	uint32_t *order;

	m.id = xcalloc(n + 1, sizeof *m.id);
	m.parent = xmalloc((n + 1) * sizeof *m.parent);
	for (size_t i = 0; i < n; i++)
		otf2_ids_set(&rows, a->defs.comms.data[i].id, (uint32_t)i);
	for (size_t i = 0; i < n; i++)
		m.parent[i] = otf2_ids_get(&rows, a->defs.comms.data[i].parent);
	order = otf2_parents_first(m.parent, n);
	for (size_t i = 0; i < n; i++)
		add_comm(a, order[i], &m);
	otf2_ids_fini(&rows);
	free_all(order, m.id, m.parent);
}

/* ---- topologies ---- */

struct cart {
	struct topology topology;
	int32_t *size, *coords;
	uint8_t *periodic;
	uint32_t members; /* of its communicator */
};

static bool cart_begin(struct otf2_archive *a, const struct otf2_cart_def *def,
		       const struct otf2_ids *dims, struct cart *cart, size_t *left)
{
	const struct otf2_comm *comm = otf2_comm(a, def->comm);
	size_t coords;

	if (!comm)
		return false;
	cart->members = comm->kind == COMM_SELF ? 1 : comm->size;
	coords = (size_t)cart->members * def->n;
	if (coords > *left || def->n == 0)
		return false;
	*left -= coords;
	cart->size = xcalloc(def->n, sizeof *cart->size);
	cart->periodic = xcalloc(def->n, 1);
	cart->coords = xmalloc((coords + 1) * sizeof *cart->coords);
	memset(cart->coords, 0xff, (coords + 1) * sizeof *cart->coords);
	for (uint8_t k = 0; k < def->n; k++) {
		const uint32_t row = otf2_ids_get(dims, def->dims[k]);
		if (row == UINT32_MAX)
			continue;
		cart->size[k] = (int32_t)a->defs.dimensions.data[row].size;
		cart->periodic[k] =
			a->defs.dimensions.data[row].periodicity == OTF2_CART_PERIODIC_TRUE;
	}
	cart->topology = (struct topology){ .name = otf2_string(a, def->name),
					    .comm = comm->id,
					    .dims = def->n,
					    .size = cart->size,
					    .periodic = cart->periodic,
					    .coords = cart->coords };
	return true;
}

static void add_carts(struct otf2_archive *a)
{
	struct otf2_defs *d = &a->defs;
	struct otf2_ids dims = { 0 }, rows = { 0 };
	OWNED struct cart *carts = xcalloc(d->carts.n + 1, sizeof *carts);
	size_t left = COORDS_MOST;
	uint32_t topologies = 0;

	for (size_t i = 0; i < d->dimensions.n; i++)
		otf2_ids_set(&dims, d->dimensions.data[i].id, (uint32_t)i);
	for (size_t i = 0; i < d->carts.n; i++)
		if (cart_begin(a, &d->carts.data[i], &dims, &carts[i], &left))
			otf2_ids_set(&rows, d->carts.data[i].id, (uint32_t)i);
	for (size_t i = 0; i < d->coords.n; i++) {
		const struct otf2_coord_def *def = &d->coords.data[i];
		const uint32_t row = otf2_ids_get(&rows, def->cart);
		struct cart *cart = row == UINT32_MAX ? NULL : &carts[row];
		if (!cart || def->rank >= cart->members || def->n != cart->topology.dims)
			continue;
		for (uint8_t k = 0; k < def->n; k++)
			cart->coords[(size_t)def->rank * def->n + k] = (int32_t)def->at[k];
	}
	for (size_t i = 0; i < d->carts.n; i++) {
		d->carts.data[i].topology = carts[i].coords ? topologies++ : UINT32_MAX;
		if (carts[i].coords)
			builder_topology(a->builder, &carts[i].topology, carts[i].members);
		else
			builder_finding(
				a->builder, FINDING_ODDITY, "topology", 0,
				"a topology's communicator is not defined, or it is too large: "
				"skipped");
		free_all(carts[i].size, carts[i].periodic, carts[i].coords);
	}
	otf2_ids_fini(&dims);
	otf2_ids_fini(&rows);
}

void otf2_comms(struct otf2_archive *a)
{
	find_groups(a);
	add_comms(a);
	mend_eztrace(a);
	add_carts(a);
}
