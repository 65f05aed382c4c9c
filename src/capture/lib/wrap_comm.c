/* Calls that make and free communicators. */
#include "capture/lib/comms.h"
#include "capture/lib/wrap.h"

/* MADE(name, parameters, arguments, the new one): notes the communicator that the call made. */
#define MADE_BY(how, name, params, args)                \
	int MPI_##name params                           \
	{                                               \
		struct tv_thread *t = TV_BEGIN(name);   \
		const int rc = tv_mpi.name args;        \
		const uint64_t now = t ? tv_now() : 0;  \
		if (t && rc == MPI_SUCCESS)             \
			how(t, *made);                  \
		if (t)                                  \
			tv_end_at(t, CALL_##name, now); \
		return rc;                              \
	}
#define MADE(name, params, args)      MADE_BY(tv_comm_made, name, params, args)
#define MADE_CART(name, params, args) MADE_BY(tv_comm_made_cart, name, params, args)

MADE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MADE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
     (comm, group, tag, made))
MADE(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MADE(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MADE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MADE(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
     (comm, type, key, info, made))
MADE(Intercomm_create,
     (MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm *made),
     (local, leader, peer, remote_leader, tag, made))
MADE(Intercomm_merge, (MPI_Comm inter, int high, MPI_Comm *made), (inter, high, made))
MADE_CART(Cart_create,
	  (MPI_Comm comm, int dims, const int size[], const int periodic[], int reorder,
	   MPI_Comm *made),
	  (comm, dims, size, periodic, reorder, made))
MADE_CART(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made))
MADE(Graph_create,
     (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *made),
     (comm, nodes, index, edges, reorder, made))
MADE(Dist_graph_create,
     (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
      const int weights[], MPI_Info info, int reorder, MPI_Comm *made),
     (comm, n, sources, degrees, destinations, weights, info, reorder, made))
MADE(Dist_graph_create_adjacent,
     (MPI_Comm comm, int in, const int sources[], const int source_weights[], int out,
      const int destinations[], const int destination_weights[], MPI_Info info, int reorder,
      MPI_Comm *made),
     (comm, in, sources, source_weights, out, destinations, destination_weights, info, reorder,
      made))

TV_WRAP(Comm_free, (MPI_Comm * comm), (comm), tv_comm_gone(*comm), TV_NOTHING)
TV_WRAP(Comm_disconnect, (MPI_Comm * comm), (comm), tv_comm_gone(*comm), TV_NOTHING)
TV_WRAP(Comm_set_name, (MPI_Comm comm, const char *name), (comm, name), TV_NOTHING, {
	if (rc == MPI_SUCCESS)
		tv_comm_named(t, comm, name);
})
