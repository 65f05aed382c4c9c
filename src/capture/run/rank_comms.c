/* Merges the ranks' communicators: those with the same members in the same order that the same call
 * on the same communicator made. MPI demands that all members of a communicator call what makes
 * others of it in one order, so no communication was needed to find that out. Where no such order
 * is known the index among equal ones decides. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/run/merge_job.h"

/* Communicators with one list of members and one origin, in the order they were made. The list of
 * an inter-communicator has that group first whose first rank is smaller, so that both sides find
 * the same. */
struct family {
	uint32_t parent, nth, tag;     /* `parent`: the builder's id, UINT32_MAX none */
	const int32_t *first, *second; /* the groups, in the mapped files */
	size_t first_size, second_size;
	VEC(uint32_t) ids;      /* the builder's */
	VEC(uint8_t) has_cart;  /* its topology is known */
	const struct rank *met; /* the rank that is being looked at, */
	size_t times;           /* and how many of the family it had */
	uint32_t next;          /* family with the same hash, UINT32_MAX none */
	uint32_t group;         /* object of these members, UINT32_MAX: no group was of them */
};

struct families {
	struct keymap by_hash; /* -> the first family */
	VEC(struct family) all;
	uint32_t named;        /* names given to communicators, */
	uint32_t groups, made; /* groups, windows */
	struct keymap windows; /* (communicator, index on it) -> object */
};

/* The builder's id of the communicator that it was made of, which has a smaller number. */
static uint32_t parent_of(const struct rank *rank, const struct rank_comm *comm)
{
	const uint32_t parent = comm->def->parent;

	return parent < rank->comms.n && &rank->comms.data[parent] < comm &&
			       rank->comms.data[parent].def
		       ? rank->comms.data[parent].id
		       : UINT32_MAX;
}

static struct family family_of(const struct rank *rank, const struct rank_comm *comm)
{
	const size_t own = (size_t)comm->def->size, other = (size_t)comm->def->remote;
	const bool swap = other && own && comm->members[own] < comm->members[0];

	return (struct family){ .parent = rank ? parent_of(rank, comm) : UINT32_MAX,
				.nth = comm->def->nth,
				.tag = comm->def->tag,
				.first = comm->members + (swap ? own : 0),
				.first_size = swap ? other : own,
				.second = comm->members + (swap ? 0 : own),
				.second_size = swap ? own : other,
				.next = UINT32_MAX,
				.group = UINT32_MAX };
}

static bool same_family(const struct family *a, const struct family *b)
{
	return a->parent == b->parent && a->nth == b->nth && a->tag == b->tag &&
	       a->first_size == b->first_size && a->second_size == b->second_size &&
	       !memcmp(a->first, b->first, a->first_size * sizeof *a->first) &&
	       !memcmp(a->second, b->second, a->second_size * sizeof *a->second);
}

static uint32_t members_hash(const int32_t *members, size_t n, uint32_t hash)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (uint32_t)members[i]) * 0x01000193u;
	return hash;
}

/* `rank` NULL: of members alone. */
static struct family *find_family(struct families *families, const struct rank *rank,
				  const struct rank_comm *comm)
{
	struct family wanted = family_of(rank, comm);
	const uint32_t hash =
		members_hash(wanted.second, wanted.second_size,
			     members_hash(wanted.first, wanted.first_size, 0x811c9dc5u));
	uint32_t *head =
		keymap_add(&families->by_hash, KEY_OF(hash, wanted.parent, wanted.nth, wanted.tag));

	for (uint32_t i = *head; i != UINT32_MAX; i = families->all.data[i].next)
		if (same_family(&families->all.data[i], &wanted))
			return &families->all.data[i];
	wanted.next = *head;
	*head = (uint32_t)families->all.n;
	vec_push(&families->all, wanted);
	return vec_last(&families->all);
}

static void add_topology(struct job *job, const struct rank_comm *comm)
{
	const size_t dims = (size_t)comm->cart[0], size = (size_t)comm->def->size;
	int32_t *extent = xcalloc(dims, sizeof *extent),
		*coords = xcalloc(size * dims, sizeof *coords);
	uint8_t *periodic = xcalloc(dims, sizeof *periodic);

	for (size_t d = 0; d < dims; d++) {
		extent[d] = comm->cart[1 + 2 * d];
		periodic[d] = comm->cart[2 + 2 * d] != 0;
	}
	/* Row-major, as MPI prescribes: the last dimension runs fastest. */
	for (size_t r = 0; r < size; r++) {
		size_t rest = r;
		for (size_t d = dims; d-- > 0;) {
			const size_t n = extent[d] > 0 ? (size_t)extent[d] : 1;
			coords[r * dims + d] = (int32_t)(rest % n);
			rest /= n;
		}
	}
	builder_topology(job->builder,
			 &(struct topology){ .name = builder_string(job->builder, "cart", 4),
					     .comm = comm->id,
					     .dims = (uint32_t)dims,
					     .size = extent,
					     .periodic = periodic,
					     .coords = coords },
			 (uint32_t)size);
	free_all(extent, periodic, coords);
}

static void name_comm(const struct job *job, const struct rank *rank, const struct rank_comm *comm,
		      uint32_t n, struct str *out)
{
	if (comm->name && !job->options->anonymous)
		str_add(out, comm->name);
	else if (comm->def->flags & TV_COMM_PERSISTENT)
		str_add_fmt(out, "persistent collective %u", n);
	else if (comm->def->flags & TV_COMM_FILE)
		str_add_fmt(out, "file %u", n);
	else if (comm->def->flags & TV_COMM_SELF)
		str_add_fmt(out, "MPI_COMM_SELF %d", rank->number);
	else
		str_add_fmt(out, "%s %u",
			    comm->def->remote ? "inter"
			    : comm->cart      ? "cart"
					      : "comm",
			    n);
}

static uint32_t make_comm(struct job *job, const struct rank *rank, const struct rank_comm *comm,
			  const struct family *family, uint32_t *named)
{
	const bool self = (comm->def->flags & (TV_COMM_SELF | TV_COMM_PERSISTENT)) == TV_COMM_SELF;
	struct comm made = { .ranks = family->first,
			     .size = (uint32_t)family->first_size,
			     .parent = UINT32_MAX };
	OWNED_STR name = STR_INIT;

	if (comm->def->remote) {
		made.kind = COMM_INTER;
		made.remote = family->second;
		made.remote_size = (uint32_t)family->second_size;
	}
	name_comm(job, rank, comm, self ? 0 : ++*named, &name);
	made.name = builder_string(job->builder, name.text, name.n);
	return builder_comm_define(job->builder, &made);
}

/* The builder's id of a rank's communicator: a new one, or what another rank already brought. */
static void identify(struct job *job, const struct rank *rank, struct rank_comm *comm,
		     struct families *families)
{
	struct family *family = find_family(families, rank, comm);
	size_t nth;

	if (family->met != rank)
		family->times = 0;
	family->met = rank;
	nth = family->times++;
	if (nth == family->ids.n) {
		vec_push(&family->ids, make_comm(job, rank, comm, family, &families->named));
		vec_push(&family->has_cart, 0);
	}
	comm->id = family->ids.data[nth];
	if (comm->cart && !family->has_cart.data[nth]) {
		add_topology(job, comm);
		family->has_cart.data[nth] = 1;
	}
}

/* ---- one-sided communication ---- */

/* The object of a group's members: one for each list of members. */
static void identify_group(struct job *job, struct rank_group *group, struct families *families)
{
	/* OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI */
	enum { COMM_GROUP = 5, OF_MPI = 4 };
	const struct rank_comm like = { .def = group->def, .members = group->members };
	struct family *family = find_family(families, NULL, &like);
	const size_t n = (size_t)group->def->size;
	struct str name = STR_INIT;
	uint64_t *values;

	if (family->group == UINT32_MAX) {
		values = xcalloc(3 + n, sizeof *values);
		values[0] = COMM_GROUP;
		values[1] = OF_MPI;
		for (size_t i = 0; i < n; i++)
			values[3 + i] = (uint64_t)group->members[i];
		str_add_fmt(&name, "#%u", ++families->groups);
		family->group = builder_object(job->builder, OBJECT_GROUP,
					       builder_string(job->builder, name.text, name.n),
					       values, (uint32_t)(3 + n));
		str_fini(&name);
		free(values);
	}
	group->object = family->group;
}

static uint32_t make_window(struct job *job, const struct rank_window *window, uint32_t comm,
			    uint32_t n)
{
	/* Events say when it is made and destroyed. */
	const uint64_t values[] = { comm, 1 };
	OWNED_STR name = STR_INIT;

	if (window->name && !job->options->anonymous)
		str_add(&name, window->name);
	else
		str_add_fmt(&name, "#%u", n);
	return builder_object(job->builder, OBJECT_RMA_WINDOW,
			      builder_string(job->builder, name.text, name.n), values, 2);
}

/* All ranks of a communicator make their windows in one order: a rank's n-th on it is the n-th of
 * the others. */
static void identify_windows(struct job *job, struct rank *rank, struct families *families)
{
	VEC(uint32_t) counts = { 0 };
	struct rank_window *window;

	vec_each (window, &rank->windows) {
		const uint32_t comm = rank_comm_id(rank, window->comm);
		uint32_t *object;
		if (!window->def)
			continue;
		while (counts.n <= comm)
			vec_push(&counts, 0);
		object = keymap_add(&families->windows, KEY_OF(comm, counts.data[comm]++));
		if (*object == UINT32_MAX)
			*object = make_window(job, window, comm, ++families->made);
		window->object = *object;
	}
	vec_fini(&counts);
}

void job_comms(struct job *job)
{
	struct families families = { 0 };
	struct family *family;
	struct rank_group *group;
	struct rank *rank;

	vec_each (rank, &job->ranks) {
		for (size_t i = 0; i < rank->comms.n; i++) {
			struct rank_comm *comm = &rank->comms.data[i];
			if (comm->def && comm->members)
				identify(job, rank, comm, &families);
		}
	}
	job_graphs(job);
	vec_each (rank, &job->ranks) {
		identify_windows(job, rank, &families);
		vec_each (group, &rank->groups)
			if (group->def)
				identify_group(job, group, &families);
	}
	vec_each (family, &families.all) {
		vec_fini(&family->ids);
		vec_fini(&family->has_cart);
	}
	vec_fini(&families.all);
	keymap_fini(&families.by_hash);
	keymap_fini(&families.windows);
}

int32_t rank_member(const struct rank *rank, uint32_t id, int32_t peer)
{
	const struct rank_comm *comm;

	if (peer < 0 || id >= rank->comms.n)
		return RANK_UNKNOWN;
	comm = &rank->comms.data[id];
	if (!comm->def)
		return RANK_UNKNOWN;
	if (comm->def->flags & TV_COMM_WORLD)
		return peer < comm->def->size ? peer : RANK_UNKNOWN;
	if (!comm->members || peer >= (comm->def->remote ? comm->def->remote : comm->def->size))
		return RANK_UNKNOWN;
	peer = comm->members[peer + (comm->def->remote ? comm->def->size : 0)];
	return peer < 0 ? RANK_UNKNOWN : peer;
}

bool rank_has_member(const struct rank *rank, uint32_t id, int32_t peer)
{
	const struct tv_def_comm *def = id < rank->comms.n ? rank->comms.data[id].def : NULL;

	return !def || peer < (def->remote ? def->remote : def->size);
}

uint32_t rank_comm_id(const struct rank *rank, uint32_t id)
{
	return id < rank->comms.n ? rank->comms.data[id].id : 0;
}
