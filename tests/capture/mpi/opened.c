/* MPI by dlopen and dlsym alone, as Julia does: no MPI is linked, mpi.h is MPI's of the build. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#define GET(name) __typeof__(&MPI_##name) name = (__typeof__(&MPI_##name))dlsym(lib, "MPI_" #name)
int main(int argc, char **argv)
{
	void *lib = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "global") ? RTLD_LOCAL : RTLD_GLOBAL));
	if (!lib) { puts(dlerror()); return 2; }
	GET(Init); GET(Comm_rank); GET(Comm_size); GET(Irecv); GET(Send); GET(Wait); GET(Barrier); GET(Finalize);
	int rank, n; char from[100], to[100];
	Init(&argc, &argv);
#ifdef OPEN_MPI
	MPI_Comm world = (MPI_Comm)dlsym(lib, "ompi_mpi_comm_world");
	MPI_Datatype byte = (MPI_Datatype)dlsym(lib, "ompi_mpi_byte");
#else
	MPI_Comm world = MPI_COMM_WORLD; MPI_Datatype byte = MPI_BYTE;
#endif
	MPI_Request r;
	Comm_rank(world, &rank); Comm_size(world, &n);
	for (int i = 0; i < 10; i++) {
		Irecv(to, 100, byte, (rank + n - 1) % n, 1, world, &r);
		Send(from, 100, byte, (rank + 1) % n, 1, world);
		Wait(&r, MPI_STATUS_IGNORE);
	}
	Barrier(world);
	Finalize();
	return 0;
}
