/* A plug-in: built twice, as left and as right, with the same code at the same addresses. A run of left calls left_step 3 times
 * and MPI_Barrier once, one of right right_step 5 times and MPI_Barrier twice; both have a function twice_named of their own.
 * A program with a plugin_run gets the address of run when it opens one. */
#include <mpi.h>
#ifdef LEFT
#define STEP left_step
enum { STEPS = 3, BARRIERS = 1 };
#else
#define STEP right_step
enum { STEPS = 5, BARRIERS = 2 };
#endif
volatile int done;
void STEP(int n) { done += n; }
void twice_named(int n) { done -= n; }
void run(void)
{
	volatile int steps = STEPS, barriers = BARRIERS;
	for (int i = 0; i < steps; i++)
		STEP(i);
	twice_named(1);
	for (int i = 0; i < barriers; i++)
#ifdef LEFT
#line 101
		MPI_Barrier(MPI_COMM_SELF);
#else
#line 201
		MPI_Barrier(MPI_COMM_SELF);
#endif
}
#line 301
extern void (*plugin_run)(void) __attribute__((weak));
__attribute__((constructor, no_instrument_function)) static void announce(void)
{
	if (&plugin_run)
		plugin_run = run;
}
