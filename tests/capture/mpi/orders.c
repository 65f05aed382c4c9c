/* Small programs of receives from any source, one a rank, written as arguments: for the order in
 * virtual time (specification's notation). Each rank prints the senders that it received from.
 *
 *	orders UNIT_MS 'c1 a a' 'c5;10 s0' 'c9 s0'
 *
 *	cD[;N]	computes D units (sleeps), with N visits of a function
 *	sR rR	sends to rank R, receives from it;  lR yR: sends a large message, synchronously
 *	a p m q n	receives from any source: MPI_Recv, after MPI_Probe, by MPI_Mprobe, when MPI_Iprobe is
 *		true, when MPI_Improbe is
 *	zN	MPI_Iprobe for any source, N times
 *	xR XR	MPI_Sendrecv: sends to R, receives from any; MPI_Sendrecv_replace
 *	iR..	MPI_Irecv of each rank, then MPI_Waitany for each;  w: MPI_Irecv from any, MPI_Wait
 *	jR..	the same, MPI_Waitany but once; the others are cancelled
 *	oR.. tR.. vR.. VR..	the same with MPI_Waitsome, MPI_Testany, MPI_Testsome, MPI_Testall; TR
 *		MPI_Test, Q as q: with a pause after each that says no; prints "?N" for N of these
 *	I PR	MPI_Irecv from any, from R, which stays open; sR,T IT: of tag T, or of any (*);
 *		prints "R,T" where it is another one than that of the rest
 *	W Y O E	MPI_Wait for the first open one, MPI_Waitany, MPI_Waitsome for all until one is
 *		complete, YN for the last N, MPI_Waitall;  M N S J: MPI_Test and so on until one is, or all are
 *	G F D	MPI_Request_get_status of the first open one until it is complete; it is freed;
 *		it is cancelled: prints "-"
 *	R Z	as I, but by MPI_Recv_init and MPI_Start, RT of tag T; MPI_Startall of two, with the tags
 *		7 and 8;  CN: one that is started N times, with MPI_Wait each time
 *	dR fR	as I, but by MPI_Isendrecv, which sends to R; by MPI_Isendrecv_replace (MPI 4)
 *	LR g H	MPI_Issend to R, a generalized request that is complete, MPI_Ibarrier: stay open; print ">R",
 *		"g", "b"
 *	b B	barrier of all, of those whose program has a B
 *	+ -	what follows is on a communicator of those with a +, with ranks turned round; on the world
 *	e u k A	the rank ends: exit(0), _exit(0), SIGKILL, MPI_Abort;  KR: it kills rank R
 *	U	it gets a signal that MPICH handles: as if another rank had died
 *
 * "t" at the end of a rank's line: units from the start till its program ended. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLAIN   __attribute__((no_instrument_function))
#define IGNORED MPI_STATUS_IGNORE

enum { LARGE = 1 << 18, TAG = 7, MOST = 64 };

static char data[LARGE], more[LARGE], text[4096];
static double unit, began;
static MPI_Comm comm, part, turned;
static int rank, size, pids[MOST];
static MPI_Request pending[MOST];
static struct {
	MPI_Comm comm;
	bool persistent;
	char word[8]; /* printed; of a receive "", who sent it is */
} about[MOST];
static int opened;

static void __attribute__((noinline)) probed(void)
{
	__asm__ volatile("");
}

PLAIN static void compute(double units, long visits)
{
	const double s = units * unit / 1e3;
	struct timespec span = { (time_t)s, (long)((s - (double)(time_t)s) * 1e9) };

	for (long i = 0; i < visits; i++)
		probed();
	/* MPICH's launcher signals that another rank died. */
	while (nanosleep(&span, &span) != 0)
		;
}

/* Ranks are those of the world. */
PLAIN static int there(int of)
{
	MPI_Group world, group;
	int to;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Comm_group(comm, &group);
	MPI_Group_translate_ranks(world, 1, &of, group, &to);
	MPI_Group_free(&world);
	MPI_Group_free(&group);
	return to;
}

PLAIN static void came_on(MPI_Comm on, int from)
{
	MPI_Group world, group;
	int of;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Comm_group(on, &group);
	MPI_Group_translate_ranks(group, 1, &from, world, &of);
	MPI_Group_free(&world);
	MPI_Group_free(&group);
	snprintf(text + strlen(text), sizeof text - strlen(text), " %d", of);
}

PLAIN static void came(int from)
{
	came_on(comm, from);
}

PLAIN static void of_any(char how, int to)
{
	MPI_Message message;
	MPI_Request request;
	MPI_Status status;

	switch (how) {
	case 'a': MPI_Recv(data, LARGE, MPI_CHAR, MPI_ANY_SOURCE, TAG, comm, &status); break;
	case 'p':
		MPI_Probe(MPI_ANY_SOURCE, TAG, comm, &status);
		MPI_Recv(data, LARGE, MPI_CHAR, status.MPI_SOURCE, TAG, comm, IGNORED);
		break;
	case 'm':
		MPI_Mprobe(MPI_ANY_SOURCE, TAG, comm, &message, &status);
		MPI_Mrecv(data, LARGE, MPI_CHAR, &message, IGNORED);
		break;
	case 'q':
		for (int there = 0; !there;)
			MPI_Iprobe(MPI_ANY_SOURCE, TAG, comm, &there, &status);
		MPI_Recv(data, LARGE, MPI_CHAR, status.MPI_SOURCE, TAG, comm, IGNORED);
		break;
	case 'n':
		for (int there = 0; !there;)
			MPI_Improbe(MPI_ANY_SOURCE, TAG, comm, &there, &message, &status);
		MPI_Mrecv(data, LARGE, MPI_CHAR, &message, IGNORED);
		break;
	case 'w':
		MPI_Irecv(data, LARGE, MPI_CHAR, MPI_ANY_SOURCE, TAG, comm, &request);
		MPI_Wait(&request, &status);
		break;
	case 'X':
		*data = 's';
		MPI_Sendrecv_replace(data, 1, MPI_CHAR, there(to), TAG, MPI_ANY_SOURCE, TAG, comm,
				     &status);
		if (*data == 's')
			MPI_Abort(MPI_COMM_WORLD, 4);
		break;
	default:
		MPI_Sendrecv(more, 1, MPI_CHAR, there(to), TAG, data, LARGE, MPI_CHAR,
			     MPI_ANY_SOURCE, TAG, comm, &status);
		break;
	}
	came(status.MPI_SOURCE);
}

PLAIN static void start(const char *ranks, int n, MPI_Request requests[])
{
	for (int i = 0; i < n; i++)
		MPI_Irecv(data + i, 1, MPI_CHAR, there(ranks[i] - '0'), TAG, comm, &requests[i]);
}

PLAIN static void of_several(const char *ranks, bool all)
{
	MPI_Request requests[MOST];
	MPI_Status status;
	const int n = (int)strlen(ranks);
	int which;

	start(ranks, n, requests);
	for (int i = 0; i < (all ? n : 1); i++) {
		MPI_Waitany(n, requests, &which, &status);
		came(status.MPI_SOURCE);
	}
	for (int i = 0; i < n; i++) {
		if (requests[i] == MPI_REQUEST_NULL)
			continue;
		MPI_Cancel(&requests[i]);
		MPI_Wait(&requests[i], IGNORED);
	}
}

PLAIN static void say_no(int *times)
{
	const struct timespec pause = { 0, 5000000 };

	++*times;
	nanosleep(&pause, NULL);
}

PLAIN static void said_no(int *times)
{
	snprintf(text + strlen(text), sizeof text - strlen(text), " ?%d", *times);
	*times = 0;
}

/* As one: "1+2". */
PLAIN static void came_together(int n, const int *which, const char *ranks)
{
	for (int i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%c%c", i ? '+' : ' ',
			 ranks[which ? which[i] : i]);
}

PLAIN static void polled(char how, const char *ranks)
{
	MPI_Request requests[MOST];
	const int n = (int)strlen(ranks);
	MPI_Status statuses[MOST];
	int times = 0, flag, done, which[MOST];

	start(ranks, n, requests);
	for (int left = n; left > 0;) {
		switch (how) {
		case 'o': MPI_Waitsome(n, requests, &done, which, statuses); break;
		case 'v': MPI_Testsome(n, requests, &done, which, statuses); break;
		case 't':
			MPI_Testany(n, requests, which, &flag, IGNORED);
			done = flag;
			break;
		case 'V':
			MPI_Testall(n, requests, &flag, statuses);
			done = flag ? n : 0;
			break;
		default: MPI_Test(requests, &flag, IGNORED); done = flag;
		}
		if (!done) {
			say_no(&times);
			continue;
		}
		if (how != 'o')
			said_no(&times);
		came_together(done, how == 'V' || how == 'T' ? NULL : which, ranks);
		left -= done;
	}
}

PLAIN static void probed_for_any(void)
{
	MPI_Status status;
	int times = 0, there;

	while (MPI_Iprobe(MPI_ANY_SOURCE, TAG, comm, &there, &status), !there)
		say_no(&times);
	said_no(&times);
	MPI_Recv(data, LARGE, MPI_CHAR, status.MPI_SOURCE, TAG, comm, IGNORED);
	came(status.MPI_SOURCE);
}

/* One that is open is complete. */
PLAIN static void over(int which, const MPI_Status *status)
{
	char *end;

	if (!*about[which].word)
		came_on(about[which].comm, status->MPI_SOURCE);
	if (about[which].persistent)
		MPI_Request_free(&pending[which]);
	end = text + strlen(text);
	if (*about[which].word)
		snprintf(end, sizeof text - strlen(text), " %s", about[which].word);
	else if (status->MPI_TAG != TAG)
		snprintf(end, sizeof text - strlen(text), ",%d", status->MPI_TAG);
}

PLAIN static MPI_Request *opens(const char *word)
{
	about[opened].comm = comm;
	about[opened].persistent = false;
	snprintf(about[opened].word, sizeof about[opened].word, "%s", word);
	return &pending[opened++];
}

/* Forgets those that are complete. */
PLAIN static void closed(void)
{
	int n = 0;

	for (int i = 0; i < opened; i++) {
		if (pending[i] == MPI_REQUEST_NULL)
			continue;
		about[n] = about[i];
		pending[n++] = pending[i];
	}
	opened = n;
}

PLAIN static void one_of_open(char how, int last)
{
	MPI_Status status;
	int which = 0, flag = 0;

	do {
		switch (how) {
		case 'W': flag = MPI_Wait(pending, &status) == MPI_SUCCESS; break;
		case 'Y':
			flag = MPI_Waitany(last, pending + opened - last, &which, &status) ==
			       MPI_SUCCESS;
			break;
		case 'M': MPI_Test(pending, &flag, &status); break;
		default: MPI_Testany(opened, pending, &which, &flag, &status); break;
		}
	} while (!flag);
	over(how == 'Y' ? opened - last + which : which, &status);
	closed();
}

PLAIN static void some_of_open(char how)
{
	MPI_Status statuses[MOST];
	int which[MOST], n = 0, flag = 1;

	do {
		switch (how) {
		case 'O': MPI_Waitsome(opened, pending, &n, which, statuses); break;
		case 'S': MPI_Testsome(opened, pending, &n, which, statuses); break;
		case 'E': MPI_Waitall(n = opened, pending, statuses); break;
		default: MPI_Testall(n = opened, pending, &flag, statuses); break;
		}
	} while (!n || !flag);
	for (int i = 0; i < n; i++)
		over(how == 'E' || how == 'J' ? i : which[i], &statuses[i]);
	closed();
}

PLAIN static void of_open(char how)
{
	MPI_Status status;
	int flag = 0;

	switch (how) {
	case 'G':
		while (!flag)
			MPI_Request_get_status(*pending, &flag, IGNORED);
		return;
	case 'F': MPI_Request_free(pending); break;
	default:
		MPI_Cancel(pending);
		MPI_Wait(pending, &status);
		if (about->persistent)
			MPI_Request_free(pending);
		MPI_Test_cancelled(&status, &flag);
		if (flag)
			strcat(text, " -");
		else
			came(status.MPI_SOURCE);
	}
	closed();
}

PLAIN static int query(void *none, MPI_Status *status)
{
	(void)none;
	MPI_Status_set_elements(status, MPI_CHAR, 0);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

PLAIN static int freed(void *none)
{
	(void)none;
	return MPI_SUCCESS;
}

PLAIN static int cancelled(void *none, int complete)
{
	(void)none, (void)complete;
	return MPI_SUCCESS;
}

PLAIN static void open_other(char how, int to, int tag)
{
	char word[8];
	MPI_Request *request;

	snprintf(word, sizeof word, how == 'L' ? ">%d" : how == 'g' ? "g" : "b", to);
	request = opens(word);
	switch (how) {
	case 'L': MPI_Issend(more, 1, MPI_CHAR, there(to), tag, comm, request); break;
	case 'g':
		MPI_Grequest_start(query, freed, cancelled, NULL, request);
		MPI_Grequest_complete(*request);
		break;
	default: MPI_Ibarrier(comm, request); break;
	}
}

PLAIN static void open_persistent(int n, int first)
{
	MPI_Request *requests = &pending[opened];

	for (int i = 0; i < n; i++) {
		MPI_Datatype type = MPI_CHAR;
		if (n > 1) {
			MPI_Type_contiguous(1, MPI_CHAR, &type);
			MPI_Type_commit(&type);
		}
		MPI_Recv_init(data, LARGE, type, MPI_ANY_SOURCE, n > 1 ? first + i : first, comm,
			      opens(""));
		about[opened - 1].persistent = true;
		/* It lives until the request is freed. */
		if (n > 1)
			MPI_Type_free(&type);
	}
	if (n > 1)
		MPI_Startall(n, requests);
	else
		MPI_Start(requests);
}

#if MPI_VERSION < 4
#define MPI_Isendrecv(from, n, type, to, ...)         MPI_Abort(MPI_COMM_WORLD, to)
#define MPI_Isendrecv_replace(from, n, type, to, ...) MPI_Abort(MPI_COMM_WORLD, to)
#endif

PLAIN static void open_exchange(char how, int to)
{
	static char own[MOST];
	char *at = &own[opened];

	*at = 's';
	if (how == 'd')
		MPI_Isendrecv(more, 1, MPI_CHAR, there(to), TAG, at, 1, MPI_CHAR, MPI_ANY_SOURCE,
			      TAG, comm, opens(""));
	else
		MPI_Isendrecv_replace(at, 1, MPI_CHAR, there(to), TAG, MPI_ANY_SOURCE, TAG, comm,
				      opens(""));
}

PLAIN static void started_again(int times)
{
	MPI_Request request;
	MPI_Status status;

	MPI_Recv_init(data, LARGE, MPI_CHAR, MPI_ANY_SOURCE, TAG, comm, &request);
	for (int i = 0; i < times; i++) {
		MPI_Start(&request);
		MPI_Wait(&request, &status);
		came(status.MPI_SOURCE);
	}
	MPI_Request_free(&request);
}

PLAIN static int tag_of(const char *tag)
{
	return *tag == '*' ? MPI_ANY_TAG : *tag ? atoi(tag) : TAG;
}

PLAIN static void say(void)
{
	printf("%d:%s t %.1f\n", rank, text, (MPI_Wtime() - began) * 1e3 / unit);
	fflush(stdout);
}

PLAIN static void run(const char *word)
{
	const char *visits = strchr(word, ';');
	const char *comma = strchr(word, ',');
	const int other = atoi(word + 1), tag = tag_of(comma ? comma + 1 : "");

	switch (*word) {
	case 'c': compute(atof(word + 1), visits ? atol(visits + 1) : 0); break;
	case 's': MPI_Send(more, 1, MPI_CHAR, there(other), tag, comm); break;
	case 'l': MPI_Send(more, LARGE, MPI_CHAR, there(other), tag, comm); break;
	case 'I':
		MPI_Irecv(data, LARGE, MPI_CHAR, MPI_ANY_SOURCE, tag_of(word + 1), comm, opens(""));
		break;
	case 'P': MPI_Irecv(data, LARGE, MPI_CHAR, there(other), tag, comm, opens("")); break;
	case 'R': open_persistent(1, tag_of(word + 1)); break;
	case 'Z': open_persistent(2, TAG); break;
	case 'C': started_again(other); break;
	case 'd':
	case 'f': open_exchange(*word, other); break;
	case 'L':
	case 'g':
	case 'H': open_other(*word, other, tag); break;
	case 'W':
	case 'Y':
	case 'M':
	case 'N': one_of_open(*word, other ? other : opened); break;
	case 'O':
	case 'S':
	case 'E':
	case 'J': some_of_open(*word); break;
	case 'G':
	case 'F':
	case 'D': of_open(*word); break;
	case 'y': MPI_Ssend(more, 1, MPI_CHAR, there(other), tag, comm); break;
	case 'r': MPI_Recv(data, LARGE, MPI_CHAR, there(other), tag, comm, IGNORED); break;
	case 'i': of_several(word + 1, true); break;
	case 'j': of_several(word + 1, false); break;
	case 'o':
	case 't':
	case 'v':
	case 'V':
	case 'T': polled(*word, word + 1); break;
	case 'Q': probed_for_any(); break;
	case 'z':
		for (int i = 0, there; i < other; i++)
			MPI_Iprobe(MPI_ANY_SOURCE, TAG, comm, &there, IGNORED);
		break;
	case 'b': MPI_Barrier(MPI_COMM_WORLD); break;
	case 'B': MPI_Barrier(part); break;
	case '+': comm = turned; break;
	case '-': comm = MPI_COMM_WORLD; break;
	case 'e': say(); exit(0);
	case 'u': say(); _exit(0);
	case 'k': kill(getpid(), SIGKILL); break;
	case 'K': kill(pids[other], SIGKILL); break;
	case 'U': raise(SIGUSR1); break;
	case 'A': MPI_Abort(MPI_COMM_WORLD, 3); break;
	default: of_any(*word, other); break;
	}
}

PLAIN int main(int argc, char **argv)
{
	const char *program;
	char *words;
	int own;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	comm = MPI_COMM_WORLD;
	unit = atof(argv[1]);
	program = argv[2 + rank];
	MPI_Comm_split(MPI_COMM_WORLD, strchr(program, 'B') ? 1 : MPI_UNDEFINED, rank, &part);
	MPI_Comm_split(MPI_COMM_WORLD, strchr(program, '+') ? 1 : MPI_UNDEFINED, -rank, &turned);
	own = (int)getpid();
	MPI_Allgather(&own, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	began = MPI_Wtime();
	words = strdup(program);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		run(word);
	say();
	free(words);
	MPI_Finalize();
	return 0;
}
