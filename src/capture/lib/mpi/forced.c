#include "capture/lib/mpi/forced.h"

#include <stdlib.h>

#include "capture/lib/choices.h"
#include "capture/lib/mpi/any_source.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/replay_board.h"

/* In the order of their starts. */
static struct {
	struct tv_forced *list;
	int n, cap;
	bool asked; /* the latest calls asked for one of a rank that has departed: since then */
	struct tv_board_wait wait;
} forced;

void tv_forced_add(const struct tv_thread *t, struct tv_forced one)
{
	if (tv.multi && t->number != 0)
		return;
	if (forced.n == forced.cap) {
		const int more = forced.cap ? forced.cap * 2 : 64;
		void *larger = realloc(forced.list, (size_t)more * sizeof *forced.list);
		if (!larger)
			return;
		forced.list = larger;
		forced.cap = more;
	}
	forced.list[forced.n++] = one;
}

static bool is_complete(MPI_Request request)
{
	int flag = 1;

	return tv_mpi.Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag;
}

/* Which of the requests it is, -1: none. */
static int among(const struct tv_forced *one, int count, const MPI_Request requests[])
{
	for (int i = 0; i < count; i++)
		if (requests[i] == one->request)
			return i;
	return -1;
}

/* Drops those of the call that are complete; the first of it that is not, NULL: none. */
static struct tv_forced *first_open(int count, const MPI_Request requests[])
{
	struct tv_forced *first = NULL;
	int n = 0;

	for (int i = 0; i < forced.n; i++) {
		const bool is = among(&forced.list[i], count, requests) >= 0;
		if (is && is_complete(forced.list[i].request))
			continue;
		forced.list[n] = forced.list[i];
		first = is && !first ? &forced.list[n] : first;
		n++;
	}
	forced.n = n;
	return first;
}

static bool any_complete(int count, const MPI_Request requests[])
{
	for (int i = 0; i < count; i++)
		if (requests[i] != MPI_REQUEST_NULL && is_complete(requests[i]))
			return true;
	return false;
}

/* Unless its message has come meanwhile. */
static void start_again(const struct tv_forced *one, MPI_Request *request)
{
	const MPI_Request before = *request;
	struct tv_request *moved;
	MPI_Status status;
	int flag = 0;

	if (tv_mpi.Cancel(request) != MPI_SUCCESS)
		return;
	while (!flag)
		if (tv_mpi.Request_get_status(*request, &flag, &status) != MPI_SUCCESS)
			return;
	if (!tv_status_cancelled(&status))
		return;
	tv_mpi.Wait(request, MPI_STATUS_IGNORE);
	if (one->large)
		tv_mpi.Irecv_c(one->buf, one->count, one->type, MPI_ANY_SOURCE, one->tag, one->comm,
			       request);
	else
		tv_mpi.Irecv(one->buf, (int)one->count, one->type, MPI_ANY_SOURCE, one->tag,
			     one->comm, request);
	moved = tv_request_move(before, *request);
	if (moved)
		moved->peer = TV_PEER_ANYBODY;
}

static void free_all(int count, MPI_Request requests[])
{
	int n = 0;

	for (int i = 0; i < forced.n; i++) {
		const int at = among(&forced.list[i], count, requests);
		if (at >= 0)
			start_again(&forced.list[i], &requests[at]);
		else
			forced.list[n++] = forced.list[i];
	}
	forced.n = n;
}

void tv_forced_wait(struct tv_thread *t, int count, MPI_Request requests[], bool all)
{
	const struct tv_forced *one;
	enum tv_depart_why why = TV_DEPART_NONE;
	struct tv_board_wait wait;

	if (!forced.n || (tv.multi && t->number != 0) || !tv.board || !first_open(count, requests))
		return;
	tv_board_wait_begin(&wait);
	while (!why && (all || !any_complete(count, requests)) &&
	       (one = first_open(count, requests))) {
		int there = 0;
		tv_mpi.Iprobe(MPI_ANY_SOURCE, one->tag, one->comm, &there, MPI_STATUS_IGNORE);
		tv_hold_pause(tv_now() - wait.began);
		why = tv_board_wait_look(&wait, tv_comm_world_rank(one->known, one->source), there);
	}
	tv_board_wait_end();
	if (!why)
		return;
	tv_order_depart(t, why);
	free_all(count, requests);
}

void tv_forced_ask(const struct tv_thread *t, int count, MPI_Request requests[])
{
	const struct tv_forced *one;

	if (!forced.n || (tv.multi && t->number != 0) || !tv.board)
		return;
	one = first_open(count, requests);
	if (one && !forced.asked)
		tv_board_wait_begin(&forced.wait);
	forced.asked = one != NULL;
	if (one &&
	    tv_board_wait_look(&forced.wait, tv_comm_world_rank(one->known, one->source), true))
		free_all(count, requests);
}

/* The first one that is not complete; -1: all are. */
static int incomplete(int count, const MPI_Request requests[], const struct tv_choice *which, int n)
{
	for (int i = 0; i < (which ? n : count); i++) {
		const int at = which ? which[i].what : i;
		if (requests[at] != MPI_REQUEST_NULL && !is_complete(requests[at]))
			return at;
	}
	return -1;
}

bool tv_forced_await(struct tv_thread *t, int count, MPI_Request requests[],
		     const struct tv_choice *which, int n, bool asks)
{
	enum tv_depart_why why = TV_DEPART_NONE;
	struct tv_board_wait wait;
	int at = incomplete(count, requests, which, n);

	if (at < 0)
		return true;
	tv_board_wait_begin(&wait);
	while (!why && (at = incomplete(count, requests, which, n)) >= 0) {
		tv_hold_pause(tv_now() - wait.began);
		why = tv_board_wait_look(&wait, tv_request_sender(requests[at]),
					 asks || any_complete(count, requests));
	}
	tv_board_wait_end();
	if (!why)
		return true;
	tv_order_depart(t, why);
	free_all(count, requests);
	return false;
}
