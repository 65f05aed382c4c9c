#include "capture/lib/mpi/comms.h"

#include <stdlib.h>
#include <string.h>

#include "capture/lib/carry.h"

/* Handles to communicators, chained in a small table: programs have a handful, and threads cache
 * the latest. */
enum { BUCKETS = 256, SAME_MAX = 1024 };

static struct {
	pthread_mutex_t lock;
	struct tv_comm *bucket[BUCKETS];
	struct tv_comm *freed[BUCKETS]; /* of statistics, by members */
	uint32_t next_id, known;
	MPI_Group world;
	int world_size;
	struct same_members { /* communicators seen with the members of a hash */
		uint32_t hash, n;
	} same[SAME_MAX];
} comms = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct tv_comm unknown = { .id = 0, .size = 1 };

static struct tv_comm **bucket_of(uint64_t handle)
{
	const uint64_t key = handle * UINT64_C(0x9e3779b97f4a7c15);

	return &comms.bucket[key >> 56];
}

static struct tv_comm *lookup(uint64_t handle)
{
	struct tv_comm *comm = *bucket_of(handle);

	while (comm && comm->handle != handle)
		comm = comm->next;
	return comm;
}

void tv_group_members(MPI_Group group, int size, int32_t *ranks)
{
	int *own = calloc((size_t)size * 2 + 1, sizeof *own);

	if (!own)
		tv_no_memory("members of a communicator");
	for (int i = 0; own && i < size; i++)
		own[i] = i;
	if (!own || tv_mpi.Group_translate_ranks(group, size, own, comms.world, own + size) !=
			    MPI_SUCCESS) {
		for (int i = 0; i < size; i++)
			ranks[i] = -1;
	} else {
		for (int i = 0; i < size; i++)
			ranks[i] = own[size + i] == MPI_UNDEFINED ? -1 : own[size + i];
	}
	free(own);
}

/* World ranks of its members, then of the remote group's; -1 if unknown. NULL: no
 * memory. */
static int32_t *members_new(const struct tv_comm *comm, MPI_Comm handle)
{
	const size_t count = (size_t)comm->size + (size_t)comm->remote;
	int32_t *members = malloc((count + 1) * sizeof *members);
	MPI_Group group;

	if (!members) {
		tv_no_memory("members of a communicator");
		return NULL;
	}
	memset(members, 0xff, count * sizeof *members);
	if (tv_mpi.Comm_group(handle, &group) == MPI_SUCCESS) {
		tv_group_members(group, comm->size, members);
		tv_mpi.Group_free(&group);
	}
	if (comm->remote && tv_mpi.Comm_remote_group(handle, &group) == MPI_SUCCESS) {
		tv_group_members(group, comm->remote, members + comm->size);
		tv_mpi.Group_free(&group);
	}
	return members;
}

static const struct tv_origin unknown_origin = { .parent = TV_NO_COMM };

static void describe(struct tv_thread *t, const struct tv_comm *comm, struct tv_origin origin,
		     const int32_t *members)
{
	struct tv_def_comm def = { .flags = comm->remote ? TV_COMM_INTER : 0,
				   .size = comm->size,
				   .rank = comm->rank,
				   .remote = comm->remote,
				   .parent = origin.parent,
				   .nth = origin.nth,
				   .tag = origin.tag };
	const size_t count = (size_t)comm->size + (size_t)comm->remote;

	if (comm->copy) {
		def.flags |= comm->copy;
	} else if (comm->handle == TV_KEY(MPI_COMM_WORLD)) {
		def.flags = TV_COMM_WORLD;
		tv_define(t, TV_DEF_COMM, comm->id, &def, sizeof def, NULL, 0);
		return;
	}
	if (comm->handle == TV_KEY(MPI_COMM_SELF))
		def.flags |= TV_COMM_SELF;
	if (!members || !tv_define(t, TV_DEF_COMM, comm->id, &def, sizeof def, members,
				   count * sizeof *members)) {
		def.flags |= TV_COMM_TOO_LARGE;
		tv_define(t, TV_DEF_COMM, comm->id, &def, sizeof def, NULL, 0);
	}
}

/* FNV-1a (Fowler, Noll, Vo). */
#define HASH_BASIS UINT32_C(2166136261)
#define HASH_PRIME UINT32_C(16777619)

uint32_t tv_members_hash(const int32_t *members, size_t count)
{
	uint32_t hash = HASH_BASIS;

	for (size_t i = 0; members && i < count; i++)
		for (int shift = 0; shift < 32; shift += 8)
			hash = (hash ^ ((uint32_t)members[i] >> shift & 0xffu)) * HASH_PRIME;
	return hash;
}

/* Which communicator it is of those with its members: told by the order of its parent, else by the
 * index among them. */
static void identify(struct tv_comm *comm, struct tv_origin origin)
{
	enum { MIX = 2654435769 };
	const size_t count = (size_t)comm->size + (size_t)comm->remote;
	/* Each side of an inter-communicator calls its own group the first. */
	const uint32_t hash = comm->remote ? tv_members_hash(comm->members, (size_t)comm->size) +
						     tv_members_hash(comm->members + comm->size,
								     (size_t)comm->remote)
					   : tv_members_hash(comm->members, count);
	struct same_members *known = &comms.same[hash % SAME_MAX];

	comm->key = 0;
	comm->turns = 0;
	comm->made = comm->persistents = comm->windows = 0;
	if (origin.nth) {
		comm->key = (hash ^ origin.nth * MIX) + origin.key * MIX;
	} else {
		if (known->n && known->hash != hash)
			return;
		known->hash = hash;
		known->n++;
		comm->key = hash ^ (known->n + origin.tag) * MIX;
	}
	comm->near = true;
	for (size_t i = 0; comm->near && i < count; i++)
		comm->near = tv_carry_reaches(comm->members ? comm->members[i] : (int)i);
}

static struct tv_comm **freed_like(const struct tv_comm *comm, const int32_t *members)
{
	const size_t count = (size_t)comm->size + (size_t)comm->remote;

	return &comms.freed[tv_members_hash(members, count) % BUCKETS];
}

/* One with these members that was freed; NULL: none. */
static struct tv_comm *take_freed(const struct tv_comm *like, const int32_t *members)
{
	const size_t count = (size_t)like->size + (size_t)like->remote;

	for (struct tv_comm **at = freed_like(like, members); *at; at = &(*at)->next) {
		struct tv_comm *comm = *at;
		if (comm->size != like->size || comm->remote != like->remote ||
		    comm->rank != like->rank ||
		    memcmp(comm->members, members, count * sizeof *members) != 0)
			continue;
		*at = comm->next;
		return comm;
	}
	return NULL;
}

/* The hash that identifies it on all ranks. */
static struct tv_comm *introduce(struct tv_thread *t, const struct tv_comm *found,
				 struct tv_origin origin, const int32_t *members)
{
	struct tv_comm *comm = malloc(sizeof *comm);

	if (!comm) {
		tv_no_memory("a communicator");
		return NULL;
	}
	*comm = *found;
	comm->id = comms.next_id++;
	describe(t, comm, origin, members);
	return comm;
}

/* With the lock held. */
static struct tv_comm *add(struct tv_thread *t, struct tv_origin origin, MPI_Comm handle)
{
	struct tv_comm found = { .handle = TV_KEY(handle) }, *comm = NULL;
	struct tv_comm **bucket = bucket_of(TV_KEY(handle));
	int32_t *members;
	int inter = 0;

	tv_mpi.Comm_size(handle, &found.size);
	tv_mpi.Comm_rank(handle, &found.rank);
	if (tv_mpi.Comm_test_inter(handle, &inter) == MPI_SUCCESS && inter)
		tv_mpi.Comm_remote_size(handle, &found.remote);
	members = handle == MPI_COMM_WORLD ? NULL : members_new(&found, handle);
	if (tv.statistics && members)
		comm = take_freed(&found, members);
	if (!comm)
		comm = introduce(t, &found, origin, members);
	if (comm && (tv.carries || tv.replays) && (members || handle == MPI_COMM_WORLD)) {
		/* Those of one that was freed are the same, and another thread may be reading
		 * them. */
		if (comm->members)
			free(members);
		else
			comm->members = members;
		identify(comm, origin);
	} else {
		free(members);
	}
	if (!comm)
		return &unknown;
	comm->handle = TV_KEY(handle);
	comm->order = comms.known++;
	free(comm->neighbours); /* of one that was freed: another grid, maybe */
	comm->neighbours = NULL;
	comm->next = *bucket;
	*bucket = comm;
	return comm;
}

static struct tv_origin origin_on(struct tv_comm *parent)
{
	return tv_origin_nth(parent, __atomic_add_fetch(&parent->made, 1, __ATOMIC_RELAXED));
}

struct tv_origin tv_origin_on(struct tv_thread *t, MPI_Comm parent)
{
	struct tv_comm *comm = tv_comm(t, parent);

	return comm == &unknown ? unknown_origin : origin_on(comm);
}

struct tv_origin tv_origin_tagged(struct tv_thread *t, MPI_Comm parent, uint32_t tag)
{
	const struct tv_comm *comm = tv_comm(t, parent);

	return (struct tv_origin){ .parent = comm == &unknown ? TV_NO_COMM : comm->id, .tag = tag };
}

struct tv_origin tv_origin_named(struct tv_thread *t, const char *name)
{
	uint32_t tag = HASH_BASIS;

	for (; *name; name++)
		tag = (tag ^ (unsigned char)*name) * HASH_PRIME;
	return tv_origin_tagged(t, MPI_COMM_NULL, tag);
}

struct tv_comm *tv_comm_copy(struct tv_thread *t, struct tv_comm *comm, uint32_t what)
{
	struct tv_comm like = *comm, *made;
	struct tv_origin origin;
	int32_t *members;

	/* Statistics do not match what is called. */
	if (tv.statistics || comm == &unknown)
		return comm;
	like.copy = what;
	like.carted = false;
	like.made = 0;
	origin = origin_on(comm);
	members = members_new(&like, tv_handle_of(comm->handle));
	pthread_mutex_lock(&comms.lock);
	made = introduce(t, &like, origin, members);
	pthread_mutex_unlock(&comms.lock);
	free(members);
	return made ? made : comm;
}

void tv_comms_start(struct tv_thread *t)
{
	tv_mpi.Comm_group(MPI_COMM_WORLD, &comms.world);
	pthread_mutex_lock(&comms.lock);
	add(t, unknown_origin, MPI_COMM_WORLD);
	pthread_mutex_unlock(&comms.lock);
}

void tv_comms_world(MPI_Group world)
{
	comms.world = world;
}

void tv_comms_start_group(struct tv_thread *t, MPI_Group world)
{
	struct tv_comm like = { .handle = TV_KEY(MPI_COMM_WORLD) };

	tv_comms_world(world);
	tv_mpi.Group_size(world, &like.size);
	tv_mpi.Group_rank(world, &like.rank);
	pthread_mutex_lock(&comms.lock);
	like.id = comms.next_id++;
	describe(t, &like, unknown_origin, NULL);
	pthread_mutex_unlock(&comms.lock);
}

static struct tv_comm *find(struct tv_thread *t, struct tv_origin origin, MPI_Comm handle)
{
	struct tv_comm *comm;

	if (handle == MPI_COMM_NULL || !(tv.file->state & TV_INITIALISED))
		return &unknown;
	pthread_mutex_lock(&comms.lock);
	comm = lookup(TV_KEY(handle));
	if (!comm)
		comm = add(t, origin, handle);
	t->comm = comm;
	t->comm_handle = TV_KEY(handle);
	t->comm_generation = tv.comm_generation;
	pthread_mutex_unlock(&comms.lock);
	return comm;
}

struct tv_comm *tv_comm_find(struct tv_thread *t, MPI_Comm handle)
{
	return find(t, unknown_origin, handle);
}

void tv_comm_made(struct tv_thread *t, struct tv_origin origin, MPI_Comm handle)
{
	if (handle != MPI_COMM_NULL)
		find(t, origin, handle);
}

void tv_comm_made_cart(struct tv_thread *t, struct tv_origin origin, MPI_Comm handle)
{
	enum { DIMS_MAX = 64 };
	int dims = 0, size[DIMS_MAX], periodic[DIMS_MAX], coords[DIMS_MAX];
	int32_t text[1 + 2 * DIMS_MAX];
	struct tv_comm *comm;

	if (handle == MPI_COMM_NULL)
		return;
	comm = find(t, origin, handle);
	if (comm->carted && tv.statistics)
		return;
	comm->carted = true;
	if (tv_mpi.Cartdim_get(handle, &dims) != MPI_SUCCESS || dims <= 0 || dims > DIMS_MAX ||
	    tv_mpi.Cart_get(handle, dims, size, periodic, coords) != MPI_SUCCESS)
		return;
	text[0] = dims;
	for (int d = 0; d < dims; d++) {
		text[1 + 2 * d] = size[d];
		text[2 + 2 * d] = periodic[d];
	}
	tv_define(t, TV_DEF_CART, comm->id, text, (size_t)(1 + 2 * dims) * sizeof *text, NULL, 0);
}

void tv_comm_named(struct tv_thread *t, MPI_Comm handle, const char *name)
{
	struct tv_comm *comm = tv_comm(t, handle);

	if (tv.anonymous || (comm->named && tv.statistics))
		return;
	comm->named = true;
	tv_define(t, TV_DEF_COMM_NAME, comm->id, name, strlen(name) + 1, NULL, 0);
}

void tv_comm_gone(MPI_Comm handle)
{
	struct tv_comm **at, *comm;

	pthread_mutex_lock(&comms.lock);
	for (at = bucket_of(TV_KEY(handle)); *at && (*at)->handle != TV_KEY(handle);
	     at = &(*at)->next)
		;
	comm = *at;
	if (comm) {
		/* The struct stays (another thread may be using it; it is small): only the handle
		 * is void. */
		*at = comm->next;
		comm->next = NULL;
		__atomic_store_n(&tv.comm_generation, tv.comm_generation + 1, __ATOMIC_RELAXED);
		if (comm->members) {
			struct tv_comm **freed = freed_like(comm, comm->members);
			comm->next = *freed;
			*freed = comm;
		}
	}
	pthread_mutex_unlock(&comms.lock);
}
