// Rank 1 ends in the way that the argument says, while rank 0 waits for it for ever; in some it recovers, and both go on.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <setjmp.h>
#include <stdexcept>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int zero, *nowhere;

static void recover(int)
{
	siglongjmp(back, 1);
}

static int deeper(volatile int n)
{
	volatile char room[4096];

	room[n % 4096] = (char)n;
	return n < 0 ? 0 : deeper(n + 1) + room[0]; // line of: overflow
}

static void *abort_here(void *)
{
	abort();
}

static void *fault_here(void *)
{
	usleep(50000);
	*nowhere = 1; // line of: pthread_exit
	return nullptr;
}

static void fault_and_recover()
{
	if (sigsetjmp(back, 1) == 0)
		*nowhere = 1;
}

static void past_the_end()
{
	FILE *file = tmpfile();
	volatile char *at = (volatile char *)mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);

	zero = at[0]; // line of: bus
}

static void child_dies()
{
	const pid_t child = fork();
	int status;

	if (child == 0)
		*nowhere = 1;
	waitpid(child, &status, 0);
}

static void killed_by_another()
{
	const pid_t self = getpid();

	if (fork() == 0) {
		kill(self, SIGKILL);
		_exit(0);
	}
	pause();
}

static void too_long()
{
	const rlimit second = { 1, 2 };

	setrlimit(RLIMIT_CPU, &second);
	for (;;)
		zero = 0; // line of: cpu
}

// Files of this process may not grow any more: only its recorder writes any.
static void write_much()
{
	const rlimit little = { 64 << 10, 64 << 10 };
	int flag;

	setrlimit(RLIMIT_FSIZE, &little);
	for (int i = 0; i < 50000; i++)
		MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void alarm_soon()
{
	const itimerval moment = { {}, { 0, 100000 } };

	setitimer(ITIMER_REAL, &moment, nullptr);
}

static void end(const char *way)
{
	pthread_t thread;
	int data;

	if (atoi(way))
		raise(atoi(way));
	else if (!strcmp(way, "segv"))
		*nowhere = 1; // line of: segv
	else if (!strcmp(way, "fpe"))
		zero = 7 / zero; // line of: fpe
	else if (!strcmp(way, "ill"))
		__asm__ volatile("ud2"); // line of: ill
	else if (!strcmp(way, "bus"))
		past_the_end();
	else if (!strcmp(way, "overflow"))
		deeper(0);
	else if (!strcmp(way, "throw"))
		throw std::runtime_error("nobody catches this");
	else if (!strcmp(way, "recv")) {
		alarm_soon();
		MPI_Recv(&data, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // line of: recv
	} else if (!strcmp(way, "thread")) {
		pthread_create(&thread, nullptr, abort_here, nullptr);
		pthread_join(thread, nullptr);
	} else if (!strcmp(way, "pthread_exit")) {
		pthread_create(&thread, nullptr, fault_here, nullptr);
		pthread_exit(nullptr);
	} else if (!strcmp(way, "cpu"))
		too_long();
	else if (!strcmp(way, "killed"))
		killed_by_another();
	else if (!strcmp(way, "MPI_Abort"))
		MPI_Abort(MPI_COMM_WORLD, 7); // line of: MPI_Abort
	else if (!strcmp(way, "exit"))
		exit(7); // line of: exit
	else if (!strcmp(way, "_exit"))
		_exit(7); // line of: _exit
	else if (!strcmp(way, "child"))
		child_dies();
	else if (!strcmp(way, "file_limit"))
		write_much();
	else if (!strcmp(way, "recovers") || !strcmp(way, "recovers_late") || !strcmp(way, "recovers_then_exit"))
		fault_and_recover();
	if (!strcmp(way, "recovers_then_exit"))
		exit(7); // line of: recovers_then_exit
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "segv";
	int rank, data = 0, provided;

	if (!strcmp(way, "recovers") || !strcmp(way, "recovers_then_exit"))
		signal(SIGSEGV, recover);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (!strcmp(way, "recovers_late"))
		signal(SIGSEGV, recover);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!strcmp(way, "all"))
		printf("ready\n"), fflush(stdout), sleep(20);
	if (rank == 1) {
		end(way);
		MPI_Send(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	} else if (rank == 0) {
		MPI_Recv(&data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
