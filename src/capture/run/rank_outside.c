/* Processes of other jobs, which MPI_Comm_spawn, MPI_Comm_connect and the like bring together with
 * the ranks of this one. They are not in the trace: messages to and from them are counted, and left
 * out. */
#include "capture/run/merge_job.h"
#include "model/meaning/meaning.h"

static bool has_outside(const struct rank_comm *comm)
{
	if (!comm->def || !comm->members)
		return false;
	for (int64_t i = 0; i < (int64_t)comm->def->size + comm->def->remote; i++)
		if (comm->members[i] < 0)
			return true;
	return false;
}

static bool is_shared(const struct rank *rank, uint32_t comm)
{
	return comm < rank->comms.n && has_outside(&rank->comms.data[comm]);
}

static bool is_partner_outside(const struct rank *rank, uint32_t comm, int32_t peer)
{
	return peer >= 0 && is_shared(rank, comm) && rank_member(rank, comm, peer) == RANK_UNKNOWN;
}

bool rank_is_outside(const struct rank *rank, const struct tv_head *head)
{
	const struct tv_message *m = (const void *)head;

	if (!rank->outside.any)
		return false;
	switch (head->kind) {
	case TV_SEND:
	case TV_RECV:
	case TV_RECV_REQUEST:
		if (is_partner_outside(rank, tv_size_upper(m->size), m->peer))
			return true;
		break;
	case TV_SEND_COMPLETE:
	case TV_REQUEST_TEST:
	case TV_REQUEST_CANCELLED: break;
	default: return false;
	}
	return head->id && keymap_find(&rank->outside.requests, (struct key){ { head->id } });
}

static void count_record(struct rank *rank, const struct tv_head *head)
{
	const struct tv_collective *c = (const void *)head;
	const struct tv_message *m = (const void *)head;

	switch (head->kind) {
	case TV_COLL_BEGIN: rank->outside.collectives += is_shared(rank, head->id); return;
	case TV_COLL_COMPLETE:
		rank->outside.collectives += is_shared(rank, tv_size_upper(c->received_comm));
		return;
	case TV_SEND:
	case TV_RECV:
	case TV_RECV_REQUEST: break;
	default: return;
	}
	if (!is_partner_outside(rank, tv_size_upper(m->size), m->peer))
		return;
	rank->outside.sent += head->kind == TV_SEND;
	rank->outside.received += head->kind == TV_RECV;
	if (head->id)
		*keymap_add(&rank->outside.requests, (struct key){ { head->id } }) = 0;
}

/* As events have them. */
static bool is_collective(const char *name)
{
	struct meaning m;

	return meaning_of_mpi(name, &m) && m.collective != COLLECTIVE_NONE &&
	       m.collective != COLLECTIVE_CREATES && m.collective != COLLECTIVE_RELEASES &&
	       m.collective != COLLECTIVE_FILE;
}

/* The partners of calls that complete several messages, or one from any source, are not known. */
static void count_row(struct rank *rank, const struct tv_statistic *row)
{
	const char *name =
		row->call < rank->file->head->calls ? rank->file->head->call[row->call].name : "";
	const uint32_t comm = row->communication.comm;

	if ((is_shared(rank, comm) && is_collective(name)) ||
	    is_partner_outside(rank, comm, row->communication.peer))
		rank->outside.calls += row->count;
}

void rank_survey_outside(struct rank *rank)
{
	const struct tv_head *head;
	struct tv_statistic row;
	struct rank_stream s;
	struct rank_rows rows;
	uint32_t thread;

	for (uint32_t i = 0; i < rank->comms.n; i++)
		rank->outside.any |= is_shared(rank, i);
	if (!rank->outside.any)
		return;
	if (rank->file->head->state & TV_STATISTICS) {
		rank_rows_begin(&rows, rank->file);
		while (rank_rows_next(&rows, &row, &thread))
			if (row.kind == TV_STAT_COMMUNICATION)
				count_row(rank, &row);
		return;
	}
	for (thread = 0; thread < rank->file->threads; thread++) {
		rank_stream_begin(&s, rank->file, thread);
		while ((head = rank_stream_next(&s)))
			count_record(rank, head);
	}
}
