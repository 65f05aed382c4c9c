# nested: calls of MPI from nested functions of Python, by mpi4py. On each rank: 4 barriers in relax() (line 18), which
# step() calls (line 19) for run() (line 24), 3 times and deeper each time, and for a method (line 30); 2 barriers of the
# module itself (line 45), 3 of a thread (line 34) while another one computes, 1 when the interpreter ends (line 38).
# Rank 0 prints how often relax() and the thread were at it.

import atexit
import threading
from mpi4py import MPI

comm = MPI.COMM_WORLD
calls = {"relax": 0, "thread": 0}
done = threading.Event()


def step():
    def relax():
        calls["relax"] += 1
        comm.Barrier()
    relax()


def run(n):
    if n > 0:
        step()
        run(n - 1)


class Größe:
    def messen(self):
        step()

def beside():
    for i in range(3):
        MPI.COMM_SELF.Barrier(); calls["thread"] += 1
    done.set()

def last():
    MPI.COMM_SELF.Barrier()

run(3)
Größe().messen()
threading.Thread(target=beside).start()
while not done.is_set():
    sum(range(100))
comm.Barrier(); comm.Barrier()
atexit.register(last)
if comm.rank == 0:
    print(calls["relax"], calls["thread"])
