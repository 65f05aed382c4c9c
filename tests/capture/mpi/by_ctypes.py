# by_ctypes: MPICH's library, named on the command line, called without mpi4py: 3 barriers in barrier() (line 10), which
# outer() calls (line 14). Prints how many.
import ctypes
import sys

WORLD = 0x44000000
mpi = ctypes.CDLL(sys.argv[1])

def barrier():
    mpi.MPI_Barrier(WORLD); return 1

def outer(n):
    for i in range(n):
        sys.stdout.write("barrier\n" * barrier())

mpi.MPI_Init(None, None)
outer(3)
mpi.MPI_Finalize()
