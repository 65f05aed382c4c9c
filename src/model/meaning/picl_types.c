#include "model/meaning/picl_types.h"

#include <stddef.h>
#include <string.h>

#include "base/order.h"
#include "model/meaning/meaning.h"

#define PLAIN                    ROLE_PLAIN, 0, false
#define P2P(role, mode, blocked) ROLE_##role, mode, blocked
#define COLL(role)               ROLE_##role, 0, false
#define FILE_IO                  ROLE_IO, 0, false
#define TRACING                  ROLE_TRACING, 0, false

/* Descending. Numbers that the published tables leave out but their alphabetical order implies
 * (-781, -784, -787 ...) are here too. */
static const struct picl_type types[] = {
	{ -1, TRACING, "all events", NULL },
	{ -11, PLAIN, "open0", "MPI_Init" },
	{ -12, PLAIN, "close0", "MPI_Finalize" },
	{ -13, PLAIN, "who0", NULL },
	{ -14, PLAIN, "recvinfo0", NULL },
	{ -15, PLAIN, "MPI_Buffer_attach", "MPI_Buffer_attach" },
	{ -16, PLAIN, "communication status", NULL },
	{ -21, P2P(SEND, 0, false), "send0", "MPI_Send" },
	{ -22, P2P(SEND, 1, false), "MPI_Bsend", "MPI_Bsend" },
	{ -23, P2P(SEND, 2, false), "MPI_Ssend", "MPI_Ssend" },
	{ -24, P2P(SEND, 3, false), "MPI_Rsend", "MPI_Rsend" },
	{ -27, P2P(SEND_BEGIN, 0, false), "sendbegin0", "MPI_Isend" },
	{ -28, P2P(SEND_DONE, 0, false), "sendstatus0", "MPI_Test" },
	{ -29, P2P(SEND_TEST, 0, false), "sendstatus0", "MPI_Test" },
	{ -30, P2P(SEND_DONE, 0, false), "sendend0", "MPI_Wait" },
	{ -31, P2P(SEND_DONE, 0, true), "sendend0", "MPI_Wait" },
	{ -32, P2P(SEND_CANCEL, 0, false), "MPI_Cancel", "MPI_Cancel" },
	{ -33, P2P(SEND_BEGIN, 1, false), "MPI_Ibsend", "MPI_Ibsend" },
	{ -34, P2P(SEND_DONE, 1, false), "MPI_Test", "MPI_Test" },
	{ -35, P2P(SEND_TEST, 1, false), "MPI_Test", "MPI_Test" },
	{ -36, P2P(SEND_DONE, 1, false), "MPI_Wait", "MPI_Wait" },
	{ -37, P2P(SEND_DONE, 1, true), "MPI_Wait", "MPI_Wait" },
	{ -38, P2P(SEND_CANCEL, 1, false), "MPI_Cancel", "MPI_Cancel" },
	{ -39, P2P(SEND_BEGIN, 2, false), "MPI_Issend", "MPI_Issend" },
	{ -40, P2P(SEND_DONE, 2, false), "MPI_Test", "MPI_Test" },
	{ -41, P2P(SEND_TEST, 2, false), "MPI_Test", "MPI_Test" },
	{ -42, P2P(SEND_DONE, 2, false), "MPI_Wait", "MPI_Wait" },
	{ -43, P2P(SEND_DONE, 2, true), "MPI_Wait", "MPI_Wait" },
	{ -44, P2P(SEND_CANCEL, 2, false), "MPI_Cancel", "MPI_Cancel" },
	{ -45, P2P(SEND_BEGIN, 3, false), "MPI_Irsend", "MPI_Irsend" },
	{ -46, P2P(SEND_DONE, 3, false), "MPI_Test", "MPI_Test" },
	{ -47, P2P(SEND_TEST, 3, false), "MPI_Test", "MPI_Test" },
	{ -48, P2P(SEND_DONE, 3, false), "MPI_Wait", "MPI_Wait" },
	{ -49, P2P(SEND_DONE, 3, true), "MPI_Wait", "MPI_Wait" },
	{ -50, P2P(SEND_CANCEL, 3, false), "MPI_Cancel", "MPI_Cancel" },
	{ -51, P2P(RECV, 0, false), "recv0", "MPI_Recv" },
	{ -52, P2P(RECV, 0, true), "recv0", "MPI_Recv" },
	{ -53, P2P(PROBE, 0, false), "probe0", "MPI_Iprobe" },
	{ -54, P2P(PROBE, 0, false), "probe0", "MPI_Iprobe" },
	{ -55, P2P(PROBE, 0, false), "wait0", "MPI_Probe" },
	{ -56, P2P(PROBE, 0, true), "wait0", "MPI_Probe" },
	{ -57, P2P(RECV_BEGIN, 0, false), "recvbegin0", "MPI_Irecv" },
	{ -58, P2P(RECV_DONE, 0, false), "recvstatus0", "MPI_Test" },
	{ -59, P2P(RECV_TEST, 0, false), "recvstatus0", "MPI_Test" },
	{ -60, P2P(RECV_DONE, 0, false), "recvend0", "MPI_Wait" },
	{ -61, P2P(RECV_DONE, 0, true), "recvend0", "MPI_Wait" },
	{ -62, P2P(RECV_CANCEL, 0, false), "MPI_Cancel", "MPI_Cancel" },
	{ -201, FILE_IO, "file open", NULL },
	{ -202, FILE_IO, "file close", NULL },
	{ -221, FILE_IO, "file write", NULL },
	{ -251, FILE_IO, "file read", NULL },
	{ -401, PLAIN, "clocksync0", NULL },
	{ -402, COLL(BARRIER), "sync0", "MPI_Barrier" },
	{ -501, PLAIN, "open0", NULL },
	{ -502, PLAIN, "close0", NULL },
	{ -503, PLAIN, "load0", NULL },
	{ -601, PLAIN, "idle", NULL },
	{ -602, PLAIN, "system overhead", NULL },
	{ -603, PLAIN, "user overhead", NULL },
	{ -756, PLAIN, "MPI_Pack", "MPI_Pack" },
	{ -773, PLAIN, "MPI_Unpack", "MPI_Unpack" },
	{ -780, COLL(COLLECTIVE), "MPI_Allgather", "MPI_Allgather" },
	{ -781, COLL(COLLECTIVE), "MPI_Allgatherv", "MPI_Allgatherv" },
	{ -782, COLL(COLLECTIVE), "MPI_Allreduce", "MPI_Allreduce" },
	{ -783, COLL(COLLECTIVE), "MPI_Alltoall", "MPI_Alltoall" },
	{ -784, COLL(COLLECTIVE), "MPI_Alltoallv", "MPI_Alltoallv" },
	{ -785, COLL(ROOTED), "MPI_Bcast", "MPI_Bcast" },
	{ -786, COLL(ROOTED), "MPI_Gather", "MPI_Gather" },
	{ -787, COLL(ROOTED), "MPI_Gatherv", "MPI_Gatherv" },
	{ -788, PLAIN, "MPI_Op_create", "MPI_Op_create" },
	{ -789, PLAIN, "MPI_Op_free", "MPI_Op_free" },
	{ -790, COLL(ROOTED), "MPI_Reduce", "MPI_Reduce" },
	{ -791, COLL(COLLECTIVE), "MPI_Reduce_scatter", "MPI_Reduce_scatter" },
	{ -792, COLL(COLLECTIVE), "MPI_Scan", "MPI_Scan" },
	{ -793, COLL(ROOTED), "MPI_Scatter", "MPI_Scatter" },
	{ -794, COLL(ROOTED), "MPI_Scatterv", "MPI_Scatterv" },
	{ -803, PLAIN, "MPI_Comm_compare", "MPI_Comm_compare" },
	{ -804, PLAIN, "MPI_Comm_create", "MPI_Comm_create" },
	{ -805, PLAIN, "MPI_Comm_dup", "MPI_Comm_dup" },
	{ -806, PLAIN, "MPI_Comm_free", "MPI_Comm_free" },
	{ -812, PLAIN, "MPI_Comm_split", "MPI_Comm_split" },
	{ -826, PLAIN, "MPI_Intercomm_create", "MPI_Intercomm_create" },
	{ -827, PLAIN, "MPI_Intercomm_merge", "MPI_Intercomm_merge" },
	{ -841, PLAIN, "MPI_Cart_create", "MPI_Cart_create" },
	{ -842, PLAIN, "MPI_Cart_get", "MPI_Cart_get" },
	{ -846, PLAIN, "MPI_Cart_sub", "MPI_Cart_sub" },
	{ -849, PLAIN, "MPI_Graph_create", "MPI_Graph_create" },
	{ -901, TRACING, "tracenode", NULL },
	{ -902, PLAIN, "traceevents", NULL },
	{ -903, PLAIN, "tracefiles", NULL },
	{ -904, PLAIN, "tracelevel", NULL },
	{ -905, PLAIN, "traceinfo", NULL },
	{ -911, PLAIN, "tracemsg", NULL },
	{ -912, PLAIN, "traceflush", NULL },
	{ -913, PLAIN, "buffer full", NULL },
	{ -914, PLAIN, "overwriting buffer", NULL },
	{ -1001, PLAIN, "user events", NULL },
	{ -1002, PLAIN, "system events", NULL },
	{ -1011, PLAIN, "communication events", NULL },
	{ -1012, PLAIN, "send events", NULL },
	{ -1013, PLAIN, "receive events", NULL },
	{ -1014, PLAIN, "blocked send and receive events", NULL },
	{ -1201, PLAIN, "file events", NULL },
	{ -1401, PLAIN, "synchronization events", NULL },
	{ -1501, PLAIN, "resource events", NULL },
	{ -1601, PLAIN, "generic events", NULL },
	{ -1901, PLAIN, "tracing events", NULL },
	{ -1902, PLAIN, "trace flushing events", NULL },
};

enum { TYPES = sizeof types / sizeof *types };

const struct picl_type *picl_type_find(int32_t type)
{
	size_t low = 0, high = TYPES;

	BISECT(low, high, middle, types[middle].type > type);
	return low < TYPES && types[low].type == type ? &types[low] : NULL;
}

const char *picl_type_name(int32_t type)
{
	const struct picl_type *found = picl_type_find(type);

	return found ? found->name : NULL;
}

/* What its block of numbers is for. */
static enum region_class class_of_block(int32_t type)
{
	static const struct {
		int32_t last;
		enum region_class cls;
	} blocks[] = { { 0, CLASS_USER },         { -1, CLASS_OVERHEAD },
		       { -20, CLASS_MPI_OTHER },  { -80, CLASS_P2P },
		       { -200, CLASS_MPI_OTHER }, { -400, CLASS_IO },
		       { -500, CLASS_SYNC },      { -600, CLASS_MPI_OTHER },
		       { -700, CLASS_USER },      { -900, CLASS_MPI_OTHER },
		       { -1000, CLASS_OVERHEAD } };

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (type >= blocks[i].last)
			return blocks[i].cls;
	return CLASS_USER;
}

enum region_class picl_type_class(int32_t type)
{
	const struct picl_type *found = picl_type_find(type);
	struct meaning meaning;

	if (found &&
	    ((found->mpi && meaning_of_mpi(found->mpi, &meaning)) ||
	     meaning_of_picl(found->name, &meaning) || meaning_of_mpi(found->name, &meaning)))
		return meaning.cls;
	return class_of_block(type);
}

int32_t picl_type_of_mpi(const char *function)
{
	/* Which number represents these depends on the request, which only its user knows. */
	static const char *const unclear[] = { "MPI_Wait", "MPI_Test", "MPI_Cancel", "MPI_Iprobe" };

	for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++)
		if (strcmp(function, unclear[i]) == 0)
			return 0;
	if (strcmp(function, "MPI_Init_thread") == 0)
		return -11;
	if (strcmp(function, "MPI_Buffer_detach") == 0)
		return -15;
	for (size_t i = 0; i < TYPES; i++)
		if (types[i].mpi && strcmp(types[i].mpi, function) == 0)
			return types[i].type;
	return 0;
}

bool picl_subset_holds(int32_t subset, int32_t type)
{
	static const struct {
		int32_t subset, first, last;
	} ranges[] = { { -1001, INT32_MAX, 0 }, { -1002, -2, -1000 },  { -1011, -11, -200 },
		       { -1012, -21, -50 },     { -1013, -51, -80 },   { -1201, -201, -400 },
		       { -1401, -401, -500 },   { -1501, -501, -600 }, { -1601, -601, -700 },
		       { -1901, -901, -1000 },  { -1902, -911, -912 } };
	const struct picl_type *found;

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (ranges[i].subset == subset)
			return type <= ranges[i].first && type >= ranges[i].last;
	found = picl_type_find(type);
	return subset == -1014 && found && found->blocked;
}
