/* requests: every way to start and complete a message, between rank 0 and rank 1, with the account of it (tally.h). */
#include <string.h>

#include "tally.h"

enum { MANY = 40 }; /* more than the library keeps on its stack */

static int rank, other;
static int in[MANY], out[MANY];

static void recv_some(int n, int tag, MPI_Request *requests)
{
	for (int i = 0; i < n; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, other, tag + i, MPI_COMM_WORLD, &requests[i]);
}

static void send_some(int n, int tag)
{
	for (int i = 0; i < n; i++) {
		MPI_Send(&out[i], 1, MPI_INT, other, tag + i, MPI_COMM_WORLD);
		tally_sent(other, tag + i, 4);
	}
}

static void got(const MPI_Status *status)
{
	int count;

	MPI_Get_count(status, MPI_INT, &count);
	tally_received(status->MPI_SOURCE, status->MPI_TAG, 4L * count);
}

static void wait_family(void)
{
	MPI_Request requests[MANY];
	MPI_Status status, statuses[MANY];
	int index, done, indices[MANY];

	recv_some(3, 100, requests);
	send_some(3, 100);
	for (int i = 0; i < 3; i++) {
		MPI_Waitany(3, requests, &index, &status);
		got(&status);
	}
	MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE); /* nothing left: undefined */

	recv_some(3, 110, requests);
	send_some(3, 110);
	for (int left = 3; left > 0; left -= done) {
		MPI_Waitsome(3, requests, &done, indices, statuses);
		for (int i = 0; i < done; i++)
			got(&statuses[i]);
	}
	recv_some(MANY, 200, requests);
	send_some(MANY, 200);
	MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < MANY; i++)
		tally_received(other, 200 + i, 4);
	recv_some(1, 120, requests);
	send_some(1, 120);
	MPI_Wait(requests, MPI_STATUS_IGNORE);
	tally_received(other, 120, 4);
}

static void test_family(void)
{
	MPI_Request requests[3];
	MPI_Status status, statuses[3];
	int flag = 0, index, done, indices[3];

	/* Nothing can have come before the other one was told to send: these are sure to be incomplete. */
	recv_some(3, 300, requests);
	MPI_Test(&requests[0], &flag, &status);
	MPI_Testall(3, requests, &flag, statuses);
	MPI_Testany(3, requests, &index, &flag, &status);
	MPI_Testsome(3, requests, &done, indices, statuses);
	tally_did("incomplete-tests", 1 + 3 + 3 + 3);
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", -1, 0, 0);
	send_some(3, 300);
	for (flag = 0; !flag;)
		MPI_Test(&requests[0], &flag, &status);
	got(&status);
	for (flag = 0; !flag;)
		MPI_Testany(3, requests, &index, &flag, &status);
	got(&status);
	for (done = 0; done != 1;)
		MPI_Testsome(3, requests, &done, indices, statuses);
	got(&statuses[0]);
	recv_some(3, 310, requests);
	send_some(3, 310);
	for (flag = 0; !flag;)
		MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 3; i++)
		tally_received(other, 310 + i, 4);
}

static void modes(void)
{
	char buffer[4096];
	void *detached;
	int size;
	MPI_Request requests[4];

	recv_some(4, 400, requests);
	MPI_Barrier(MPI_COMM_WORLD); /* the ready send needs its receive */
	tally_collective("MPI_Barrier", -1, 0, 0);
	MPI_Buffer_attach(buffer, (int)sizeof buffer);
	MPI_Bsend(out, 1, MPI_INT, other, 400, MPI_COMM_WORLD);
	MPI_Ssend(out, 1, MPI_INT, other, 401, MPI_COMM_WORLD);
	MPI_Rsend(out, 1, MPI_INT, other, 402, MPI_COMM_WORLD);
	MPI_Send(out, 1, MPI_INT, other, 403, MPI_COMM_WORLD);
	MPI_Buffer_detach(&detached, &size);
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 4; i++) {
		tally_sent(other, 400 + i, 4);
		tally_received(other, 400 + i, 4);
	}
	recv_some(3, 410, requests);
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", -1, 0, 0);
	{
		MPI_Request sends[3];
		MPI_Isend(out, 1, MPI_INT, other, 410, MPI_COMM_WORLD, &sends[0]);
		MPI_Issend(out, 1, MPI_INT, other, 411, MPI_COMM_WORLD, &sends[1]);
		MPI_Irsend(out, 1, MPI_INT, other, 412, MPI_COMM_WORLD, &sends[2]);
		MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
	}
	MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 3; i++) {
		tally_sent(other, 410 + i, 4);
		tally_received(other, 410 + i, 4);
	}
}

static void persistent(void)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Recv_init(in, 1, MPI_INT, other, 500, MPI_COMM_WORLD, &requests[0]);
	MPI_Send_init(out, 1, MPI_INT, other, 500, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, statuses); /* not started: nothing is complete */
	for (int round = 0; round < 3; round++) {
		if (round == 0) {
			MPI_Start(&requests[0]);
			MPI_Start(&requests[1]);
		} else {
			MPI_Startall(2, requests);
		}
		tally_sent(other, 500, 4);
		MPI_Waitall(2, requests, statuses);
		got(&statuses[0]);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

static void wildcards_and_pairs(void)
{
	MPI_Message message;
	MPI_Status status;
	int flag = 0;

	send_some(2, 600);
	MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 600, MPI_COMM_WORLD, &status);
	got(&status);
	MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	got(&status);
	MPI_Sendrecv(out, 3, MPI_INT, other, 610, in, MANY, MPI_INT, other, 610, MPI_COMM_WORLD,
		     &status);
	tally_sent(other, 610, 12);
	got(&status);
	MPI_Sendrecv_replace(out, 2, MPI_INT, other, 611, MPI_ANY_SOURCE, 611, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	tally_sent(other, 611, 8);
	tally_received(other, 611, 8);
	MPI_Sendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 612, in, 1, MPI_INT, MPI_PROC_NULL, 612,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	send_some(2, 620);
	MPI_Mprobe(other, 620, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	MPI_Mrecv(in, 1, MPI_INT, &message, &status);
	got(&status);
	while (!flag)
		MPI_Improbe(other, 621, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
	{
		MPI_Request request;
		MPI_Imrecv(in, 1, MPI_INT, &message, &request);
		MPI_Wait(&request, &status);
	}
	got(&status);
}

/* A receive that nothing will ever match is cancelled; a send is given away and never asked for again. */
static void given_up(void)
{
	MPI_Request request;
	MPI_Status status;
	int cancelled;

	MPI_Irecv(in, 1, MPI_INT, other, 999, MPI_COMM_WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &cancelled);
	tally_did("cancelled", cancelled);
	MPI_Isend(out, 1, MPI_INT, other, 700, MPI_COMM_WORLD, &request);
	tally_sent(other, 700, 4);
	MPI_Request_free(&request);
	MPI_Recv(in, 1, MPI_INT, other, 700, MPI_COMM_WORLD, &status);
	got(&status);
	MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, 701, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 701, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	tally_begin(rank);
	memset(out, 1, sizeof out);
	wait_family();
	test_family();
	modes();
	persistent();
	wildcards_and_pairs();
	given_up();
	tally_end("requests", rank);
	MPI_Finalize();
	return 0;
}
