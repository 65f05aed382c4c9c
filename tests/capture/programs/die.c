/* die: rank 1 ends, how and when its arguments say; rank 0 waits for it for ever.
 * When: before MPI_Init; in MPI_Init; at work, when rank 0 has received three messages of it and answered; in MPI_Recv;
 * after MPI_Finalize. How: a signal's number, or a word (below). */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int parent_of(int pid)
{
	char path[64], line[256];
	int parent = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "PPid: %d", &parent) == 1)
			break;
	if (f)
		fclose(f);
	return parent;
}

static int deeper(volatile int n)
{
	volatile char room[4096];

	room[n % 4096] = (char)n;
	return n < 0 ? 0 : deeper(n + 1) + room[0];
}

static void die(const char *how)
{
	const int launcher = parent_of(getppid());

	if (atoi(how))
		raise(atoi(how));
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "overflow"))
		deeper(0);
	else if (!strcmp(how, "_exit"))
		_exit(5);
	else if (!strcmp(how, "exit"))
		exit(5);
	else if (!strcmp(how, "quick_exit"))
		quick_exit(5);
	else if (!strcmp(how, "exec"))
		execlp("false", "false", NULL);
	else if (!strcmp(how, "MPI_Abort"))
		MPI_Abort(MPI_COMM_WORLD, 5);
	else if (!strcmp(how, "mpiexec"))
		kill(launcher, SIGKILL);
	else if (!strcmp(how, "tvrun")) {
		kill(parent_of(launcher), SIGKILL);
		raise(SIGKILL);
	}
	pause();
}

static void soon(void)
{
	const struct itimerval moment = { .it_value = { .tv_usec = 100000 } };

	signal(SIGALRM, SIG_DFL);
	setitimer(ITIMER_REAL, &moment, NULL);
}

int main(int argc, char **argv)
{
	const char *when = argc > 2 ? argv[1] : "work", *how = argc > 2 ? argv[2] : "9";
	const char *number = getenv("PMI_RANK");
	int rank, data = 0;

	if (number && atoi(number) == 1 && !strcmp(when, "before")) {
		usleep(500000); /* rank 0 is in MPI_Init then */
		die(how);
	}
	/* Rank 1 waits in MPI_Init for rank 0, which comes later. */
	if (number && !strcmp(when, "init") && atoi(number) == 0)
		sleep(20);
	if (number && !strcmp(when, "init"))
		soon();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		for (int i = 0; i < 3; i++)
			MPI_Send(&i, 1, MPI_INT, 0, 40 + i, MPI_COMM_WORLD);
		MPI_Recv(NULL, 0, MPI_INT, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (!strcmp(when, "work"))
			die(how);
		if (!strcmp(when, "recv")) {
			soon();
			MPI_Recv(&data, 1, MPI_INT, 0, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	} else {
		for (int i = 0; i < 3; i++)
			MPI_Recv(&data, 1, MPI_INT, 1, 40 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_INT, 1, 50, MPI_COMM_WORLD);
		if (strcmp(when, "after"))
			MPI_Recv(&data, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	if (rank == 1)
		die(how);
	return 0;
}
