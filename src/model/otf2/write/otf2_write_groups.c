/* Regions, and whatever groups things: the world and its communicators, thread teams, topologies,
 * classes of regions. Refs count up in the order of writing, as readers want it. */
#include <stdlib.h>

#include <xxhash.h>

#include "base/mem.h"
#include "model/otf2/write/otf2_writer.h"

/* ---- communicators: refs and places, before the events ---- */

static bool has_world(const struct otf2_writer *w)
{
	return trace_comm(w->trace, 0)->size > 0;
}

void otf2_out_comms_init(struct otf2_writer *w)
{
	const uint32_t n = trace_comm_count(w->trace);
	ENDED_BY(keymap_fini) struct keymap selves = { NULL, 0, 0 };
	uint32_t next = 0;

	w->comms = xcalloc(n, sizeof *w->comms);
	for (uint32_t c = 0; c < n; c++) {
		const struct comm *comm = trace_comm(w->trace, c);
		uint32_t *self;
		w->comms[c].ref = OTF2_UNDEFINED_COMM;
		if (c == 0 && !has_world(w))
			continue;
		if (comm->kind == COMM_SELF) { /* a row for each rank, one definition */
			self = keymap_add(&selves, KEY_OF(comm->name));
			if (*self == UINT32_MAX)
				*self = next++;
			else
				w->comms[c].again = true;
			w->comms[c].ref = *self;
			continue;
		}
		w->comms[c].ref = next++;
	}
}

/* ---- groups ---- */

/* What identifies a group, except for its name, so that a communicator finds the group that the
 * trace has for it. */
static struct key group_key(OTF2_GroupType type, OTF2_Paradigm paradigm, uint32_t n,
			    const uint64_t *members)
{
	const uint64_t hash = XXH64(members, n * sizeof *members, 0);

	return KEY_OF((uint32_t)type << 8 | paradigm, n, (uint32_t)hash, (uint32_t)(hash >> 32));
}

static uint32_t write_group(struct otf2_writer *w, uint32_t name, OTF2_GroupType type,
			    OTF2_Paradigm paradigm, uint32_t flags, uint32_t n,
			    const uint64_t *members)
{
	uint32_t *known = keymap_add(&w->known_groups, group_key(type, paradigm, n, members));

	if (*known == UINT32_MAX)
		*known = w->groups;
	OTF2_DEFINE(Group, w->groups, name, type, paradigm, flags, n, members);
	return w->groups++;
}

static uint32_t *find_group(struct otf2_writer *w, OTF2_GroupType type, OTF2_Paradigm paradigm,
			    uint32_t n, const uint64_t *members)
{
	return keymap_find(&w->known_groups, group_key(type, paradigm, n, members));
}

/* The group, written if there is none like it. */
static uint32_t have_group(struct otf2_writer *w, uint32_t name, OTF2_GroupType type,
			   OTF2_Paradigm paradigm, uint32_t n, const uint64_t *members)
{
	const uint32_t *known = find_group(w, type, paradigm, n, members);

	return known ? *known : write_group(w, name, type, paradigm, 0, n, members);
}

static void write_world_locations(struct otf2_writer *w)
{
	const struct comm *world = trace_comm(w->trace, 0);
	OWNED uint64_t *members = xmalloc((world->size + 1) * sizeof *members);
	size_t absent = 0;

	for (uint32_t i = 0; i < world->size; i++) {
		const uint32_t l = trace_location_of_rank(w->trace, world->ranks[i]);
		members[i] = l == UINT32_MAX ? w->first_absent + absent++ : w->locations[l].ref;
	}
	have_group(w, otf2_out_string(w, "MPI"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
		   world->size, members);
}

/* The group of some of the world's ranks: places in the world. */
static uint32_t have_ranks(struct otf2_writer *w, uint32_t name, const int32_t *ranks, uint32_t n)
{
	OWNED uint64_t *members = xmalloc(((size_t)n + 1) * sizeof *members);
	uint32_t ref, kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t place = otf2_out_place(w, 0, ranks[i]);
		if (place != OTF2_UNDEFINED_UINT32)
			members[kept++] = place;
	}
	ref = have_group(w, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, kept, members);
	return ref;
}

/* ---- teams of threads: places in a list of locations, of which a paradigm has one ---- */

struct thread_list {
	uint8_t paradigm;
	struct keymap places; /* location: place */
};

struct thread_lists {
	VEC(struct thread_list) lists;
};

static void add_thread_list(struct thread_lists *all, uint8_t paradigm, const uint64_t *locations,
			    uint32_t n)
{
	struct thread_list list = { paradigm, { NULL, 0, 0 } };
	const struct thread_list *known;

	vec_each (known, &all->lists)
		if (known->paradigm == paradigm)
			return;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *place = keymap_add(&list.places, KEY_OF((uint32_t)locations[i]));
		if (*place == UINT32_MAX)
			*place = i;
	}
	vec_push(&all->lists, list);
}

/* Finds the lists that the trace has. */
static void find_thread_lists(struct otf2_writer *w, struct thread_lists *all)
{
	for (uint32_t i = 0; i < trace_object_count(w->trace); i++) {
		const struct object *o = trace_object(w->trace, i);
		const uint64_t *v = trace_detail_values(w->trace, &o->detail);
		if (o->detail.type == OBJECT_GROUP && v[0] == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
		    v[1] != OTF2_PARADIGM_MPI)
			add_thread_list(all, (uint8_t)v[1], v + 3, o->detail.n - 3);
	}
}

/* Writes a list of all locations, for teams that fit none of the trace's lists. */
static void write_thread_list(struct otf2_writer *w, struct thread_lists *all)
{
	const uint32_t n = trace_location_count(w->trace);
	OWNED uint64_t *members = xmalloc(((size_t)n + 1) * sizeof *members);

	for (uint32_t i = 0; i < n; i++)
		members[i] = i;
	add_thread_list(all, OTF2_PARADIGM_PTHREAD, members, n);
	for (uint32_t i = 0; i < n; i++)
		members[i] = w->locations[i].ref;
	write_group(w, otf2_out_string(w, "threads"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
		    OTF2_PARADIGM_PTHREAD, 0, n, members);
}

/* Members' places in a list; false where one has none. */
static bool places_in(const struct thread_list *list, const struct comm *comm, uint64_t *members)
{
	for (uint32_t i = 0; i < comm->size; i++) {
		const uint32_t *place =
			keymap_find(&list->places, KEY_OF((uint32_t)comm->ranks[i]));
		if (!place)
			return false;
		members[i] = *place;
	}
	return true;
}

static uint32_t have_team(struct otf2_writer *w, struct thread_lists *all, const struct comm *comm)
{
	OWNED uint64_t *members = xmalloc(((size_t)comm->size + 1) * sizeof *members);
	const struct thread_list *list, *fit = NULL;
	uint32_t ref, *known = NULL;

	vec_each (list, &all->lists) {
		if (!places_in(list, comm, members))
			continue;
		known = find_group(w, OTF2_GROUP_TYPE_COMM_GROUP, list->paradigm, comm->size,
				   members);
		fit = fit && !known ? fit : list;
		if (known)
			break;
	}
	if (!fit) {
		write_thread_list(w, all);
		fit = vec_last(&all->lists);
	}
	if (!known)
		places_in(fit, comm, members);
	ref = known ? *known
		    : have_group(w, comm->name, OTF2_GROUP_TYPE_COMM_GROUP, fit->paradigm,
				 comm->size, members);
	return ref;
}

/* ---- communicators ---- */

static void write_comm(struct otf2_writer *w, struct thread_lists *lists, uint32_t id)
{
	const struct comm *comm = trace_comm(w->trace, id);
	const uint32_t ref = w->comms[id].ref;
	const bool has_parent = id != 0 && comm->parent < trace_comm_count(w->trace);
	const uint32_t parent = has_parent ? w->comms[comm->parent].ref : OTF2_UNDEFINED_COMM;
	/* The store has one world; OTF2's readers know it by this name. */
	const uint32_t name = id == 0 ? otf2_out_string(w, "MPI_COMM_WORLD") : comm->name;
	uint32_t group, other;

	switch ((enum comm_kind)comm->kind) {
	case COMM_SELF:
		group = have_group(w, comm->name, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0,
				   NULL);
		break;
	case COMM_THREADS: group = have_team(w, lists, comm); break;
	case COMM_INTER:
		group = have_ranks(w, comm->name, comm->ranks, comm->size);
		other = have_ranks(w, comm->name, comm->remote, comm->remote_size);
		OTF2_DEFINE(InterComm, ref, comm->name, group, other, parent, comm->flags);
		return;
	default: group = have_ranks(w, name, comm->ranks, comm->size); break;
	}
	OTF2_DEFINE(Comm, ref, name, group, parent, comm->flags);
}

static void write_comms(struct otf2_writer *w)
{
	struct thread_lists lists = { VEC_INIT };
	struct thread_list *list;

	if (has_world(w))
		write_world_locations(w);
	find_thread_lists(w, &lists);
	for (uint32_t c = 0; c < trace_comm_count(w->trace) && !w->failed; c++)
		if (w->comms[c].ref != OTF2_UNDEFINED_COMM && !w->comms[c].again)
			write_comm(w, &lists, c);
	vec_each (list, &lists.lists)
		keymap_fini(&list->places);
	vec_fini(&lists.lists);
}

/* ---- topologies ---- */

static void write_coordinates(struct otf2_writer *w, uint32_t ref, const struct topology *t)
{
	const uint32_t size = trace_comm(w->trace, t->comm)->size;
	OWNED uint32_t *at = xmalloc((t->dims + 1) * sizeof *at);

	for (uint32_t rank = 0; rank < size; rank++) {
		bool known = true;
		for (uint32_t d = 0; d < t->dims; d++) {
			const int32_t c = t->coords[(size_t)rank * t->dims + d];
			known = known && c >= 0;
			at[d] = (uint32_t)c;
		}
		if (known)
			OTF2_DEFINE(CartCoordinate, ref, rank, (uint8_t)t->dims, at);
	}
}

static void find_dimension_names(const struct otf2_writer *w, struct keymap *names)
{
	for (uint32_t i = 0; i < trace_object_count(w->trace); i++) {
		const struct object *o = trace_object(w->trace, i);
		const uint64_t *v = trace_detail_values(w->trace, &o->detail);
		if (o->detail.type == OBJECT_DIMENSION)
			*keymap_add(names, KEY_OF((uint32_t)v[0], (uint32_t)v[1])) = o->name;
	}
}

static void write_topologies(struct otf2_writer *w)
{
	ENDED_BY(keymap_fini) struct keymap names = { NULL, 0, 0 };
	uint32_t next = 0;

	find_dimension_names(w, &names);

	for (uint32_t i = 0; i < trace_topology_count(w->trace); i++) {
		const struct topology *t = trace_topology(w->trace, i);
		uint32_t dims[UINT8_MAX];
		if (t->dims > UINT8_MAX) /* no such record in OTF2 */
			continue;
		for (uint32_t d = 0; d < t->dims; d++) {
			const uint32_t *name = keymap_find(&names, KEY_OF(i, d));
			dims[d] = next++;
			OTF2_DEFINE(CartDimension, dims[d], name ? *name : 0, (uint32_t)t->size[d],
				    t->periodic[d] ? OTF2_CART_PERIODIC_TRUE
						   : OTF2_CART_PERIODIC_FALSE);
		}
		OTF2_DEFINE(CartTopology, i, t->name, w->comms[t->comm].ref, (uint8_t)t->dims,
			    dims);
		write_coordinates(w, i, t);
	}
}

/* ---- regions ---- */

static bool is_made_up(const struct region *r)
{
	return r->role == OTF2_REGION_ROLE_UNKNOWN && r->paradigm == OTF2_PARADIGM_UNKNOWN;
}

static OTF2_RegionRole collective_role(const char *name)
{
	switch (otf2_operation_of(name)) {
	case OTF2_COLLECTIVE_OP_BARRIER: return OTF2_REGION_ROLE_BARRIER;
	case OTF2_COLLECTIVE_OP_BCAST:
	case OTF2_COLLECTIVE_OP_SCATTER:
	case OTF2_COLLECTIVE_OP_SCATTERV: return OTF2_REGION_ROLE_COLL_ONE2ALL;
	case OTF2_COLLECTIVE_OP_GATHER:
	case OTF2_COLLECTIVE_OP_GATHERV:
	case OTF2_COLLECTIVE_OP_REDUCE: return OTF2_REGION_ROLE_COLL_ALL2ONE;
	case OTF2_COLLECTIVE_OP_ALLGATHER:
	case OTF2_COLLECTIVE_OP_ALLGATHERV:
	case OTF2_COLLECTIVE_OP_ALLREDUCE:
	case OTF2_COLLECTIVE_OP_ALLTOALL:
	case OTF2_COLLECTIVE_OP_ALLTOALLV:
	case OTF2_COLLECTIVE_OP_ALLTOALLW: return OTF2_REGION_ROLE_COLL_ALL2ALL;
	default: return OTF2_REGION_ROLE_COLL_OTHER;
	}
}

/* Role and paradigm, which other tools need, of a region whose source has none. */
static void make_up(const struct trace *trace, const struct region *r, OTF2_RegionRole *role,
		    OTF2_Paradigm *paradigm)
{
	*role = OTF2_REGION_ROLE_FUNCTION;
	*paradigm = OTF2_PARADIGM_MPI;
	switch ((enum region_class)r->cls) {
	case CLASS_P2P: *role = OTF2_REGION_ROLE_POINT2POINT; break;
	case CLASS_SYNC:
	case CLASS_COLLECTIVE: *role = collective_role(trace_string(trace, r->name)); break;
	case CLASS_IO: *role = OTF2_REGION_ROLE_FILE_IO; break;
	case CLASS_RMA: *role = OTF2_REGION_ROLE_RMA; break;
	case CLASS_START_END:
	case CLASS_MPI_OTHER: break;
	case CLASS_OVERHEAD:
		*role = OTF2_REGION_ROLE_ARTIFICIAL;
		*paradigm = OTF2_PARADIGM_MEASUREMENT_SYSTEM;
		break;
	default: *paradigm = r->file ? OTF2_PARADIGM_COMPILER : OTF2_PARADIGM_USER; break;
	}
}

void otf2_out_regions(struct otf2_writer *w)
{
	for (uint32_t i = 0; i < trace_region_count(w->trace) && !w->failed; i++) {
		const struct region *r = trace_region(w->trace, i);
		OTF2_RegionRole role = r->role;
		OTF2_Paradigm paradigm = r->paradigm;
		if (is_made_up(r))
			make_up(w->trace, r, &role, &paradigm);
		OTF2_DEFINE(Region, i, r->name, r->canonical, r->description, role, paradigm,
			    r->flags, r->file ? r->file : OTF2_UNDEFINED_STRING, r->line,
			    r->end_line);
	}
}

/* The regions of which `is` holds, as a group, if there are any. */
static void write_regions_that(struct otf2_writer *w, const char *name,
			       bool (*is)(const struct region *r, int which), int which)
{
	const uint32_t n = trace_region_count(w->trace);
	OWNED uint64_t *members = xmalloc(((size_t)n + 1) * sizeof *members);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (is(trace_region(w->trace, i), which))
			members[kept++] = i;
	if (kept)
		write_group(w, otf2_out_string(w, name), OTF2_GROUP_TYPE_REGIONS,
			    OTF2_PARADIGM_UNKNOWN, 0, kept, members);
}

static bool is_of_class(const struct region *r, int cls)
{
	return r->cls == cls;
}

static bool is_unsaid(const struct region *r, int which)
{
	(void)which;
	return is_made_up(r);
}

static void write_region_groups(struct otf2_writer *w)
{
	for (int cls = 0; cls < CLASS_OUTSIDE; cls++) {
		OWNED_STR name = STR_INIT;
		str_add(&name, OTF2_GROUP_CLASS);
		str_add(&name, region_class_name((enum region_class)cls));
		write_regions_that(w, name.text, is_of_class, cls);
	}
	write_regions_that(w, OTF2_GROUP_MADE_UP, is_unsaid, 0);
}

/* ---- all ---- */

static uint64_t member_ref(const struct otf2_writer *w, uint64_t type, uint64_t member)
{
	switch (type) {
	case OTF2_GROUP_TYPE_LOCATIONS:
	case OTF2_GROUP_TYPE_COMM_LOCATIONS: return otf2_location_ref(w, member);
	case OTF2_GROUP_TYPE_METRIC: return otf2_metric_ref(w, member);
	default: return member; /* of the world, of another list, regions */
	}
}

static void write_object_group(struct otf2_writer *w, const struct object *o)
{
	const uint64_t *v = trace_detail_values(w->trace, &o->detail);
	const uint32_t n = o->detail.n - 3;
	OWNED uint64_t *members = xmalloc(((size_t)n + 1) * sizeof *members);

	for (uint32_t i = 0; i < n; i++)
		members[i] = member_ref(w, v[0], v[3 + i]);
	write_group(w, o->name, (uint8_t)v[0], (uint8_t)v[1], (uint32_t)v[2], n, members);
}

static bool lists_locations(const struct otf2_writer *w, const struct object *o)
{
	return trace_detail_values(w->trace, &o->detail)[0] == OTF2_GROUP_TYPE_COMM_LOCATIONS;
}

/* The groups that the trace has, lists of locations first: other groups refer to their places. */
void otf2_out_group_refs(struct otf2_writer *w)
{
	uint32_t next = 0;

	for (int lists = 1; lists >= 0; lists--)
		for (uint32_t i = 0; i < trace_object_count(w->trace); i++) {
			const struct object *o = trace_object(w->trace, i);
			if (o->detail.type == OBJECT_GROUP && lists_locations(w, o) == lists)
				w->object_refs[i] = next++;
		}
	w->objects_of[OBJECT_GROUP] = next;
}

static void write_object_groups(struct otf2_writer *w)
{
	for (int lists = 1; lists >= 0; lists--)
		for (uint32_t i = 0; i < trace_object_count(w->trace) && !w->failed; i++) {
			const struct object *o = trace_object(w->trace, i);
			if (o->detail.type == OBJECT_GROUP && lists_locations(w, o) == lists)
				write_object_group(w, o);
		}
}

void otf2_out_groups(struct otf2_writer *w)
{
	write_object_groups(w);
	write_comms(w);
	write_region_groups(w);
	write_topologies(w);
}
