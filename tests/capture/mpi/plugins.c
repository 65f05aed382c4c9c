/* plugins N FILE...: opens and closes plug-ins in turn, N times each; odd ranks begin with the second one. Says how many of the
 * loads were not at the address of the load before. With N = 0 it is killed in the first one. DEEP in the
 * environment: with RTLD_DEEPBIND, LAZY, not empty: with RTLD_LAZY, UNASKED: without dlsym(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
void (*plugin_run)(void);
int main(int argc, char **argv)
{
	void *at = NULL;
	const int rounds = atoi(argv[1]), files = argc - 2;
	const char *lazy = getenv("LAZY") ? getenv("LAZY") : "";
	const int how = (*lazy ? RTLD_LAZY : RTLD_NOW) | (getenv("DEEP") ? RTLD_DEEPBIND : 0);
	int rank, moved = -1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < files * rounds || i == 0; i++) {
		void *plugin = dlopen(argv[2 + (i + rank) % files], RTLD_LOCAL | how);
		void (*run)(void) = !plugin ? NULL : getenv("UNASKED") ? plugin_run : (void (*)(void))dlsym(plugin, "run");
		if (!run) { puts(dlerror()); MPI_Abort(MPI_COMM_WORLD, 2); }
		run();
		moved += at != (void *)run;
		at = (void *)run;
		if (!rounds) raise(SIGKILL);
		dlclose(plugin);
	}
	printf("%d moved\n", moved);
	MPI_Finalize();
	return 0;
}
