/* Collectives: communicator, root and the bytes that this rank gives and gets, as Score-P
 * counts them: a rank's own contribution counts, unless it is in place. n = size of the
 * communicator, me = rank in it, b = bytes of count elements, S and R = sums over counts[]:
 *
 *	call			sent				received
 *	Barrier			0				0
 *	Bcast			root: n b			b
 *	Gather			b				root: n b
 *	Gatherv			b				root: R
 *	Scatter			root: n b			b
 *	Scatterv		root: S				b
 *	Allgather, Alltoall	n b(send)			n b(receive)
 *	Allgatherv		n b				R
 *	Alltoallv, Alltoallw	S				R
 *	Reduce			b				root: n b
 *	Allreduce		n b				n b
 *	Reduce_scatter		S				n b(me)
 *	Reduce_scatter_block	n b				n b
 *	Scan			(n - me) b			(me + 1) b
 *	Exscan			(n - me - 1) b			me b
 *
 * In place: what the rank would give to itself is taken out of both columns (Scan in place is
 * Exscan). Between two groups n is the size of the other group, and only the root's side (MPI_ROOT)
 * counts on the one end and the other group's ranks on the other. */
#include "capture/lib/mpi/inflight.h"

struct volume {
	struct tv_comm *comm;
	uint64_t n;   /* partners: ranks of the communicator, or of the other group */
	uint64_t own; /* 1: this rank is one of them and its own part counts */
	bool is_root;
	uint64_t sent, received;
	uint64_t ticket; /* carry.h */
};

/* Ranks, whether this one is the root, and whether its own part counts. */
static struct volume volume_of(struct tv_thread *t, MPI_Comm handle, int root, bool in_place)
{
	struct tv_comm *comm = tv_comm(t, handle);

	return (struct volume){ .comm = comm,
				.n = (uint64_t)(comm->remote ? comm->remote : comm->size),
				.own = comm->remote || in_place ? 0 : 1,
				.is_root = comm->remote ? root == MPI_ROOT : root == comm->rank };
}

static uint64_t me(const struct volume *v)
{
	return (uint64_t)v->comm->rank;
}

/* Partners that get a part: all, or all but me where it is in place. */
static uint64_t parts(const struct volume *v)
{
	return v->comm->remote ? v->n : v->n - 1 + v->own;
}

static uint64_t sum(const struct volume *v, const int *counts, MPI_Datatype type)
{
	uint64_t all = 0;

	for (uint64_t i = 0; i < v->n; i++)
		if (v->comm->remote || v->own || i != me(v))
			all += (uint64_t)counts[i];
	return all * tv_type_size(type);
}

static uint64_t sum_types(const struct volume *v, const int *counts, const MPI_Datatype *types)
{
	uint64_t all = 0;

	for (uint64_t i = 0; i < v->n; i++)
		if (v->comm->remote || v->own || i != me(v))
			all += tv_bytes(counts[i], types[i]);
	return all;
}

/* Neighbours that are there: a grid that is not periodic ends. */
static uint64_t parts_of(const int *ranks, int n)
{
	uint64_t all = 0;

	for (int i = 0; i < n; i++)
		all += ranks[i] >= 0;
	return all;
}

static uint64_t sum_of(const int *ranks, int n, const int *counts, MPI_Datatype type)
{
	uint64_t all = 0;

	for (int i = 0; i < n; i++)
		all += ranks[i] >= 0 ? (uint64_t)counts[i] : 0;
	return all * tv_type_size(type);
}

static uint64_t sum_of_types(const int *ranks, int n, const int *counts, const MPI_Datatype *types)
{
	uint64_t all = 0;

	for (int i = 0; i < n; i++)
		all += ranks[i] >= 0 ? tv_bytes(counts[i], types[i]) : 0;
	return all;
}

/* A rank of the non-root side of a rooted collective between groups takes part; the root's own
 * group does not. */
static bool takes_part(const struct volume *v, int root)
{
	return !v->comm->remote || root >= 0;
}

static void note_begin(struct tv_thread *t, uint32_t call, int root, struct volume *v)
{
	struct tv_collective *record = tv_room(t, sizeof *record);
	const uint32_t upper = root >= 0 ? (uint32_t)root : TV_NO_ROOT;

	t->with.peer = root >= 0 ? root : -1;
	t->with.comm = v->comm->id;
	t->with.sent = v->sent;
	t->with.received = v->received;
	if (TV_UNLIKELY(tv.statistics))
		v->ticket = tv_carry_enter(v->comm, root, t->now);
	if (TV_UNLIKELY(tv.fore_monitor) && !v->ticket && tv_carry_all(call)) {
		tv_mpi.Barrier(tv_handle_of(v->comm->handle));
		tv_detect(t);
	}
	if (!record)
		return;
	*record = (struct tv_collective){ { t->now, TV_COLL_BEGIN, 0, (uint16_t)call, v->comm->id },
					  tv_size_make(v->sent, upper),
					  tv_size_make(v->received, 0) };
	tv_commit(t, sizeof *record);
}

static void note_end(struct tv_thread *t, uint32_t call, int root, const struct volume *v)
{
	const uint64_t now = tv_now();

	if (v->ticket)
		tv_learn(t, tv_carry_latest(v->comm, v->ticket, call, root, t->now));
	tv_write(t, now, TV_COLL_END, 0, call, v->comm->id);
	tv_end_at(t, call, now);
}

/* A collective that a later call completes: `persistent` ones begin with MPI_Start. */
static void note_request(struct tv_thread *t, uint32_t call, int root, const struct volume *v,
			 MPI_Request request, bool persistent)
{
	tv_request_add(t, request,
		       (struct tv_request){ .comm = v->comm,
					    .bytes = v->sent,
					    .received = v->received,
					    .root = root >= 0 ? root : -1,
					    .kind = TV_REQUEST_COLLECTIVE,
					    .persistent = persistent,
					    .call = (uint16_t)call },
		       t->now);
}

#define BLOCKING(name, params, args, root_, in_place, ...) \
	int tv_wrap_##name params                          \
	{                                                  \
		struct tv_thread *t = TV_BEGIN(name);      \
		struct volume v;                           \
		int rc;                                    \
		if (!t)                                    \
			return TV_NEXT(name) args;         \
		v = volume_of(t, comm, root_, in_place);   \
		__VA_ARGS__;                               \
		note_begin(t, CALL_##name, root_, &v);     \
		rc = TV_NEXT(name) args;                   \
		note_end(t, CALL_##name, root_, &v);       \
		return rc;                                 \
	}

#define REQUESTED(name, persistent, params, args, root_, in_place, ...)                \
	int tv_wrap_##name params                                                      \
	{                                                                              \
		struct tv_thread *t = TV_BEGIN(name);                                  \
		const int rc = TV_NEXT(name) args;                                     \
		if (t && rc == MPI_SUCCESS) {                                          \
			struct volume v = volume_of(t, comm, root_, in_place);         \
			__VA_ARGS__;                                                   \
			note_request(t, CALL_##name, root_, &v, *request, persistent); \
		}                                                                      \
		if (t)                                                                 \
			tv_end(t, CALL_##name);                                        \
		return rc;                                                             \
	}

#define BARE(...) __VA_ARGS__

/* COLLECTIVE(name, non-blocking name, parameters, arguments, root, in place, what sets v.sent and
 * v.received): all three forms of it. */
#define COLLECTIVE(name, iname, params, args, ...)                                      \
	BLOCKING(name, params, args, __VA_ARGS__)                                       \
	REQUESTED(iname, 0, (BARE params, MPI_Request * request), (BARE args, request), \
		  __VA_ARGS__)                                                          \
	REQUESTED(name##_init, 1, (BARE params, MPI_Info info, MPI_Request * request),  \
		  (BARE args, info, request), __VA_ARGS__)

/* The same for one among neighbours; the statements know `near`. */
#define NEIGHBOURS(name, iname, params, args, ...)                            \
	COLLECTIVE(name, iname, params, args, NO_ROOT, false, {               \
		const struct tv_neighbours near = tv_comm_neighbours(v.comm); \
		__VA_ARGS__;                                                  \
	})

#define NO_ROOT     (-1)
#define IN_PLACE(b) ((b) == MPI_IN_PLACE)

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), NO_ROOT, false, (void)0)

COLLECTIVE(Bcast, Ibcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm),
	   (buf, count, type, root, comm), root, false, {
		   v.sent = v.is_root ? v.n * tv_bytes(count, type) : 0;
		   v.received = takes_part(&v, root) ? tv_bytes(count, type) : 0;
	   })

COLLECTIVE(Gather, Igather,
	   (const void *from, int count, MPI_Datatype type, void *to, int to_count,
	    MPI_Datatype to_type, int root, MPI_Comm comm),
	   (from, count, type, to, to_count, to_type, root, comm), root, IN_PLACE(from), {
		   if (v.is_root) {
			   v.sent = v.own * tv_bytes(to_count, to_type);
			   v.received = parts(&v) * tv_bytes(to_count, to_type);
		   } else if (takes_part(&v, root)) {
			   v.sent = tv_bytes(count, type);
		   }
	   })

COLLECTIVE(Gatherv, Igatherv,
	   (const void *from, int count, MPI_Datatype type, void *to, const int counts[],
	    const int at[], MPI_Datatype to_type, int root, MPI_Comm comm),
	   (from, count, type, to, counts, at, to_type, root, comm), root, IN_PLACE(from), {
		   if (v.is_root) {
			   v.sent = v.own ? tv_bytes(counts[me(&v)], to_type) : 0;
			   v.received = sum(&v, counts, to_type);
		   } else if (takes_part(&v, root)) {
			   v.sent = tv_bytes(count, type);
		   }
	   })

COLLECTIVE(Scatter, Iscatter,
	   (const void *from, int count, MPI_Datatype type, void *to, int to_count,
	    MPI_Datatype to_type, int root, MPI_Comm comm),
	   (from, count, type, to, to_count, to_type, root, comm), root, IN_PLACE(to), {
		   if (v.is_root) {
			   v.sent = parts(&v) * tv_bytes(count, type);
			   v.received = v.own * tv_bytes(count, type);
		   } else if (takes_part(&v, root)) {
			   v.received = tv_bytes(to_count, to_type);
		   }
	   })

COLLECTIVE(Scatterv, Iscatterv,
	   (const void *from, const int counts[], const int at[], MPI_Datatype type, void *to,
	    int to_count, MPI_Datatype to_type, int root, MPI_Comm comm),
	   (from, counts, at, type, to, to_count, to_type, root, comm), root, IN_PLACE(to), {
		   if (v.is_root) {
			   v.sent = sum(&v, counts, type);
			   v.received = v.own ? tv_bytes(counts[me(&v)], type) : 0;
		   } else if (takes_part(&v, root)) {
			   v.received = tv_bytes(to_count, to_type);
		   }
	   })

COLLECTIVE(Allgather, Iallgather,
	   (const void *from, int count, MPI_Datatype type, void *to, int to_count,
	    MPI_Datatype to_type, MPI_Comm comm),
	   (from, count, type, to, to_count, to_type, comm), NO_ROOT, IN_PLACE(from), {
		   v.received = parts(&v) * tv_bytes(to_count, to_type);
		   v.sent = IN_PLACE(from) ? v.received : parts(&v) * tv_bytes(count, type);
	   })

COLLECTIVE(Allgatherv, Iallgatherv,
	   (const void *from, int count, MPI_Datatype type, void *to, const int counts[],
	    const int at[], MPI_Datatype to_type, MPI_Comm comm),
	   (from, count, type, to, counts, at, to_type, comm), NO_ROOT, IN_PLACE(from), {
		   v.received = sum(&v, counts, to_type);
		   v.sent = parts(&v) * (IN_PLACE(from) ? tv_bytes(counts[me(&v)], to_type)
							: tv_bytes(count, type));
	   })

COLLECTIVE(Alltoall, Ialltoall,
	   (const void *from, int count, MPI_Datatype type, void *to, int to_count,
	    MPI_Datatype to_type, MPI_Comm comm),
	   (from, count, type, to, to_count, to_type, comm), NO_ROOT, IN_PLACE(from), {
		   v.received = parts(&v) * tv_bytes(to_count, to_type);
		   v.sent = IN_PLACE(from) ? v.received : parts(&v) * tv_bytes(count, type);
	   })

COLLECTIVE(Alltoallv, Ialltoallv,
	   (const void *from, const int counts[], const int at[], MPI_Datatype type, void *to,
	    const int to_counts[], const int to_at[], MPI_Datatype to_type, MPI_Comm comm),
	   (from, counts, at, type, to, to_counts, to_at, to_type, comm), NO_ROOT, IN_PLACE(from), {
		   v.received = sum(&v, to_counts, to_type);
		   v.sent = IN_PLACE(from) ? v.received : sum(&v, counts, type);
	   })

COLLECTIVE(Alltoallw, Ialltoallw,
	   (const void *from, const int counts[], const int at[], const MPI_Datatype types[],
	    void *to, const int to_counts[], const int to_at[], const MPI_Datatype to_types[],
	    MPI_Comm comm),
	   (from, counts, at, types, to, to_counts, to_at, to_types, comm), NO_ROOT, IN_PLACE(from),
	   {
		   v.received = sum_types(&v, to_counts, to_types);
		   v.sent = IN_PLACE(from) ? v.received : sum_types(&v, counts, types);
	   })

COLLECTIVE(Reduce, Ireduce,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root,
	    MPI_Comm comm),
	   (from, to, count, type, op, root, comm), root, IN_PLACE(from), {
		   if (v.is_root) {
			   v.sent = v.own * tv_bytes(count, type);
			   v.received = parts(&v) * tv_bytes(count, type);
		   } else if (takes_part(&v, root)) {
			   v.sent = tv_bytes(count, type);
		   }
	   })

COLLECTIVE(Allreduce, Iallreduce,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, count, type, op, comm), NO_ROOT, IN_PLACE(from),
	   { v.sent = v.received = parts(&v) * tv_bytes(count, type); })

COLLECTIVE(Reduce_scatter, Ireduce_scatter,
	   (const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op,
	    MPI_Comm comm),
	   (from, to, counts, type, op, comm), NO_ROOT, IN_PLACE(from), {
		   /* counts[] runs over the own group, also between groups. */
		   struct volume own = v;
		   own.n = (uint64_t)v.comm->size;
		   v.sent = sum(&own, counts, type);
		   v.received = parts(&v) * tv_bytes(counts[me(&v)], type);
	   })

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, count, type, op, comm), NO_ROOT, IN_PLACE(from),
	   { v.sent = v.received = parts(&v) * tv_bytes(count, type); })

COLLECTIVE(Scan, Iscan,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, count, type, op, comm), NO_ROOT, IN_PLACE(from), {
		   v.sent = (v.n - me(&v) - 1 + v.own) * tv_bytes(count, type);
		   v.received = (me(&v) + v.own) * tv_bytes(count, type);
	   })

COLLECTIVE(Exscan, Iexscan,
	   (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   (from, to, count, type, op, comm), NO_ROOT, IN_PLACE(from), {
		   v.sent = (v.n - me(&v) - 1) * tv_bytes(count, type);
		   v.received = me(&v) * tv_bytes(count, type);
	   })

/* ---- among neighbours: a part for each rank that the topology names ---- */

NEIGHBOURS(Neighbor_allgather, Ineighbor_allgather,
	   (const void *from, int count, MPI_Datatype type, void *to, int to_count,
	    MPI_Datatype to_type, MPI_Comm comm),
	   (from, count, type, to, to_count, to_type, comm), {
		   v.sent = parts_of(near.to, near.out) * tv_bytes(count, type);
		   v.received = parts_of(near.from, near.in) * tv_bytes(to_count, to_type);
	   })

NEIGHBOURS(Neighbor_allgatherv, Ineighbor_allgatherv,
	   (const void *from, int count, MPI_Datatype type, void *to, const int counts[],
	    const int at[], MPI_Datatype to_type, MPI_Comm comm),
	   (from, count, type, to, counts, at, to_type, comm), {
		   v.sent = parts_of(near.to, near.out) * tv_bytes(count, type);
		   v.received = sum_of(near.from, near.in, counts, to_type);
	   })

NEIGHBOURS(Neighbor_alltoall, Ineighbor_alltoall,
	   (const void *from, int count, MPI_Datatype type, void *to, int to_count,
	    MPI_Datatype to_type, MPI_Comm comm),
	   (from, count, type, to, to_count, to_type, comm), {
		   v.sent = parts_of(near.to, near.out) * tv_bytes(count, type);
		   v.received = parts_of(near.from, near.in) * tv_bytes(to_count, to_type);
	   })

NEIGHBOURS(Neighbor_alltoallv, Ineighbor_alltoallv,
	   (const void *from, const int counts[], const int at[], MPI_Datatype type, void *to,
	    const int to_counts[], const int to_at[], MPI_Datatype to_type, MPI_Comm comm),
	   (from, counts, at, type, to, to_counts, to_at, to_type, comm), {
		   v.sent = sum_of(near.to, near.out, counts, type);
		   v.received = sum_of(near.from, near.in, to_counts, to_type);
	   })

NEIGHBOURS(Neighbor_alltoallw, Ineighbor_alltoallw,
	   (const void *from, const int counts[], const MPI_Aint at[], const MPI_Datatype types[],
	    void *to, const int to_counts[], const MPI_Aint to_at[], const MPI_Datatype to_types[],
	    MPI_Comm comm),
	   (from, counts, at, types, to, to_counts, to_at, to_types, comm), {
		   v.sent = sum_of_types(near.to, near.out, counts, types);
		   v.received = sum_of_types(near.from, near.in, to_counts, to_types);
	   })
