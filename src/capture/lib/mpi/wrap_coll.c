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
#include "capture/lib/calling.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/mpi/operand_numbers.h"
#include "capture/lib/mpi/refused.h"
#include "capture/lib/own_line.h"

struct volume {
	struct tv_comm *comm;
	uint64_t n;   /* partners: ranks of the communicator, or of the other group */
	uint64_t own; /* 1: this rank is one of them and its own part counts */
	bool is_root;
	uint64_t sent, received;
	uint32_t operands; /* operands.h */
	uint64_t ticket;   /* carry.h */
	uint64_t begun;    /* tv_thread.now */
	struct tv_neighbours near;
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

/* The counts of a call: int, or large ones. */
struct counts {
	const int *small;
	const MPI_Count *large;
};

static struct counts small_counts(const int *counts)
{
	return (struct counts){ counts, NULL };
}

static struct counts large_counts(const MPI_Count *counts)
{
	return (struct counts){ NULL, counts };
}

static MPI_Count count_at(struct counts counts, uint64_t i)
{
	return counts.small ? counts.small[i] : counts.large[i];
}

static uint64_t sum(const struct volume *v, struct counts counts, MPI_Datatype type)
{
	uint64_t all = 0;

	for (uint64_t i = 0; i < v->n; i++)
		if (v->comm->remote || v->own || i != me(v))
			all += (uint64_t)count_at(counts, i);
	return all * tv_type_size(type);
}

static uint64_t sum_types(const struct volume *v, struct counts counts, const MPI_Datatype *types)
{
	uint64_t all = 0;

	for (uint64_t i = 0; i < v->n; i++)
		if (v->comm->remote || v->own || i != me(v))
			all += tv_bytes(count_at(counts, i), types[i]);
	return all;
}

/* Whether it gets something from each other rank, and so cannot end before all have begun; `types`
 * may be NULL. */
static uint32_t from_all(const struct volume *v, struct counts counts, const MPI_Datatype *types)
{
	if (v->comm->remote || !v->received)
		return 0;
	for (uint64_t i = 0; i < v->n; i++)
		if (i != me(v) && (count_at(counts, i) <= 0 || (types && !tv_type_size(types[i]))))
			return 0;
	return TV_OPERANDS_FROM_ALL;
}

/* Neighbours that are there: a grid that is not periodic ends. */
static uint64_t parts_of(const int *ranks, int n)
{
	uint64_t all = 0;

	for (int i = 0; i < n; i++)
		all += ranks[i] >= 0;
	return all;
}

static uint64_t sum_of(const int *ranks, int n, struct counts counts, MPI_Datatype type)
{
	uint64_t all = 0;

	for (int i = 0; i < n; i++)
		all += ranks[i] >= 0 ? (uint64_t)count_at(counts, (uint64_t)i) : 0;
	return all * tv_type_size(type);
}

static uint64_t sum_of_types(const int *ranks, int n, struct counts counts,
			     const MPI_Datatype *types)
{
	uint64_t all = 0;

	for (int i = 0; i < n; i++)
		all += ranks[i] >= 0 ? tv_bytes(count_at(counts, (uint64_t)i), types[i]) : 0;
	return all;
}

/* A rank of the non-root side of a rooted collective between groups takes part; the root's own
 * group does not. */
static bool takes_part(const struct volume *v, int root)
{
	return !v->comm->remote || root >= 0;
}

/* One rank waits for none, which statistics say, too. */
static bool is_met(const struct volume *v)
{
	return v->comm->size > 1 || v->comm->remote || tv.statistics;
}

/* Between two groups no rank of the root's own group names it, but the root. */
static bool is_beside(const struct tv_comm *comm, enum virtual_rule rule)
{
	return comm->remote && (rule == VIRTUAL_FROM_ROOT || rule == VIRTUAL_TO_ROOT);
}

static void note_begin(struct tv_thread *t, uint32_t call, int root, struct volume *v)
{
	const uint32_t upper = root >= 0                                 ? (uint32_t)root
			       : is_beside(v->comm, tv_carry_rule(call)) ? TV_ROOT_BESIDE
									 : TV_NO_ROOT;
	/* Between groups the two sides may differ. */
	const uint64_t received = tv_size_make(v->received, v->comm->remote ? 0 : v->operands);

	v->begun = t->now;
	tv_comm_sources(t, v->comm, &v->near);
	t->with.peer = root >= 0 ? root : -1;
	t->with.comm = v->comm->id;
	t->with.sent = v->sent;
	t->with.received = v->received;
	tv_calling_collective(t, v->comm, root, v->sent, received);
	if (TV_UNLIKELY(tv.carries) && is_met(v))
		v->ticket = tv_carry_enter(v->comm, v->comm->turns++, root, tv_call_entry(t));
	if (TV_UNLIKELY(tv.line) && v->ticket && tv_line_tells(t))
		tv_line_meets(t, v->comm, v->ticket, call, root);
	if (TV_UNLIKELY(tv.fore_monitor) && !v->ticket && tv_carry_all(call)) {
		tv_mpi.Barrier(tv_handle_of(v->comm->handle));
		tv_detect(t);
	}
	tv_write_long(t, t->now,
		      (struct tv_contents){ .what = TV_COLL_BEGIN | call << 16 |
						    (uint64_t)v->comm->id << 32,
					    .second = tv_size_make(v->sent, upper),
					    .third = received });
}

static void learn_members(struct tv_thread *t, uint32_t call, int root, const struct volume *v)
{
	const enum virtual_rule rule = tv_carry_rule(call);
	const struct virtual_entry e =
		tv_carry_latest(v->comm, v->ticket, rule, root, tv_call_entry(t));

	tv_learn(t, (uint64_t)e.time);
	if (tv.virtual_time)
		tv_virtual_together(t, v->comm, v->ticket, rule, root, v->sent + v->received);
}

/* Others count it no more than MPI does. */
static void take_back(struct volume *v, bool called)
{
	if (v->ticket)
		v->comm->turns--;
	if (called)
		tv_calling_uncount(v->comm);
}

static void note_end(struct tv_thread *t, uint32_t call, int root, struct volume *v, int rc)
{
	const uint64_t now = tv_returned(t);

	if (tv_refused(t, call, v->begun, rc)) {
		take_back(v, true);
		tv_end_at(t, call, now);
		return;
	}
	if (v->ticket)
		learn_members(t, call, root, v);
	tv_write(t, now, TV_COLL_END, 0, call, v->comm->id);
	tv_end_at(t, call, now);
}

/* A collective that a later call completes: `persistent` ones begin with MPI_Start. */
static void note_request(struct tv_thread *t, uint32_t call, enum virtual_rule rule, int root,
			 const struct volume *v, MPI_Request request, bool persistent)
{
	const uint32_t nth = persistent ? v->comm->persistents++ : 0;
	struct tv_comm *comm = persistent ? tv_comm_copy(t, v->comm, TV_COMM_PERSISTENT) : v->comm;

	tv_comm_sources(t, comm, &v->near);
	if (!persistent)
		tv_calling_count(v->comm);
	tv_request_add(t, request,
		       (struct tv_request){ .comm = comm,
					    .bytes = v->sent,
					    .received = v->received,
					    .root = root >= 0                  ? root
						    : is_beside(v->comm, rule) ? TV_REQUEST_BESIDE
									       : -1,
					    .kind = TV_REQUEST_COLLECTIVE,
					    .mode = (uint8_t)rule,
					    .from_all = v->operands == TV_OPERANDS_FROM_ALL,
					    .nth = nth,
					    .ticket = v->ticket,
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
		note_end(t, CALL_##name, root_, &v, rc);   \
		return rc;                                 \
	}

/* Its members are as far as their starts. */
static uint64_t started(struct tv_thread *t, MPI_Comm handle, int root)
{
	struct tv_comm *comm = tv_comm(t, handle);

	return tv_carry_enter(comm, comm->turns++, root, tv_call_entry(t));
}

/* `blocking`: the form that says who depends on whom. */
#define REQUESTED(blocking, name, persistent, params, args, root_, in_place, ...)                 \
	int tv_wrap_##name params                                                                 \
	{                                                                                         \
		struct tv_thread *t = TV_BEGIN(name);                                             \
		uint64_t ticket = 0;                                                              \
		int rc;                                                                           \
		if (t && !persistent && TV_UNLIKELY(tv.virtual_time))                             \
			ticket = started(t, comm, root_);                                         \
		rc = TV_NEXT(name) args;                                                          \
		if (t && rc == MPI_SUCCESS) {                                                     \
			struct volume v = volume_of(t, comm, root_, in_place);                    \
			v.ticket = ticket;                                                        \
			__VA_ARGS__;                                                              \
			note_request(t, CALL_##name, tv_carry_rule(CALL_##blocking), root_, &v,   \
				     *request, persistent);                                       \
		}                                                                                 \
		if (t && tv_refused(t, CALL_##name, t->now, rc))                                  \
			take_back(&(struct volume){ .comm = tv_comm(t, comm), .ticket = ticket }, \
				  false);                                                         \
		if (t)                                                                            \
			tv_end(t, CALL_##name);                                                   \
		return rc;                                                                        \
	}

#define BARE(...) __VA_ARGS__

/* All forms of a collective (collectives.def); the names come with what large counts add. */
#define FORMS(name, iname, init, params, args, ...)                                           \
	BLOCKING(name, params, args, __VA_ARGS__)                                             \
	REQUESTED(name, iname, 0, (BARE params, MPI_Request * request), (BARE args, request), \
		  __VA_ARGS__)                                                                \
	REQUESTED(name, init, 1, (BARE params, MPI_Info info, MPI_Request * request),         \
		  (BARE args, info, request), __VA_ARGS__)

#define COLLECTIVE(name, iname, ...)                               \
	FORMS(TV_JOIN(name, TV_SUFFIX), TV_JOIN(iname, TV_SUFFIX), \
	      TV_JOIN(name##_init, TV_SUFFIX), __VA_ARGS__)

#define NEIGHBOURS(name, iname, params, args, ...)                            \
	COLLECTIVE(name, iname, params, args, NO_ROOT, false, {               \
		const struct tv_neighbours near = tv_comm_neighbours(v.comm); \
		v.near = near;                                                \
		__VA_ARGS__;                                                  \
	})

#define NO_ROOT                               (-1)
#define IN_PLACE(b)                           ((b) == MPI_IN_PLACE)
#define SUM(v, counts, type)                  sum(v, TV_COUNTS(counts), type)
#define SUM_TYPES(v, counts, types)           sum_types(v, TV_COUNTS(counts), types)
#define FROM_ALL(v, counts, types)            from_all(v, TV_COUNTS(counts), types)
#define SUM_OF(ranks, n, counts, type)        sum_of(ranks, n, TV_COUNTS(counts), type)
#define SUM_OF_TYPES(ranks, n, counts, types) sum_of_types(ranks, n, TV_COUNTS(counts), types)

#define TV_SUFFIX
#define TV_NUMBER int
#define TV_PLACE  int
#define TV_COUNTS small_counts
COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), NO_ROOT, false, (void)0)
#include "capture/lib/mpi/collectives.def"
#undef TV_SUFFIX
#undef TV_NUMBER
#undef TV_PLACE
#undef TV_COUNTS

#define TV_SUFFIX _c
#define TV_NUMBER MPI_Count
#define TV_PLACE  MPI_Aint
#define TV_COUNTS large_counts
#include "capture/lib/mpi/collectives.def"
