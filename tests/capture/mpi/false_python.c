/* false_python: has the names of an interpreter of Python 3.11, but not its structures. Makes two barriers for each of
 * some states of the thread that lead nowhere, and prints how many. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREAD = 152, FRAMES = 56, CURRENT = 8, SIZE = 512, STATES = 5 };

char PyCode_Type[64], PyUnicode_Type[64];
static char memory[3][SIZE];
static void *state;

const char *Py_GetVersion(void);
void *PyGILState_GetThisThreadState(void);
int Py_IsInitialized(void);
int PyCode_Addr2Line(const void *code, int at);

const char *Py_GetVersion(void)
{
	return "3.11.99 (of no interpreter)";
}

void *PyGILState_GetThisThreadState(void)
{
	return state;
}

int Py_IsInitialized(void)
{
	return 1;
}

int PyCode_Addr2Line(const void *code, int at)
{
	(void)code;
	return at;
}

static void put(char *object, size_t at, const void *pointer)
{
	memcpy(object + at, &pointer, sizeof pointer);
}

static void choose(int which)
{
	const pthread_t self = pthread_self();

	memcpy(memory[0] + THREAD, &self, sizeof self);
	put(memory[0], FRAMES, memory[1]);
	state = memory[0];
	switch (which) {
	case 0: state = NULL; break;
	case 1: put(memory[1], CURRENT, NULL); break;
	case 2: put(memory[1], CURRENT, (void *)(uintptr_t)16); break;
	case 3: put(memory[1], CURRENT, memory[2]); break;
	default: state = (void *)(uintptr_t)4096; break;
	}
}

int main(int argc, char **argv)
{
	int barriers = 0;

	MPI_Init(&argc, &argv);
	for (int which = 0; which < STATES; which++) {
		choose(which);
		for (int i = 0; i < 2; i++, barriers++)
			MPI_Barrier(MPI_COMM_SELF);
	}
	state = NULL;
	MPI_Finalize();
	printf("%d\n", barriers);
	return 0;
}
