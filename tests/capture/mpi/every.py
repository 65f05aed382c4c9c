# every: messages of a buffer and of pickled objects (Mprobe and Mrecv), and two collectives, by mpi4py.
from mpi4py import MPI
import array
c = MPI.COMM_WORLD
r, n = c.rank, c.size
a, b = array.array('b', [0] * 100), array.array('b', [0] * 100)
for i in range(10):
    q = c.Irecv([b, MPI.BYTE], source=(r - 1) % n, tag=1)
    c.Send([a, MPI.BYTE], dest=(r + 1) % n, tag=1)
    q.Wait()
s = c.allreduce(r)
v = c.bcast({'a': 1}, root=0)
for i in range(3):
    if r == 0: c.send({'x': i}, dest=1, tag=5)
    elif r == 1: c.recv(source=0, tag=5)
print(s, v)
