! every: what every.c does but the cancelled receive, in the three ways that Fortran calls MPI: -DF08, -DUSE_MPI, neither.
program every
#ifdef F08
use mpi_f08
implicit none
type(MPI_Request) :: r(2)
type(MPI_Status) :: s(2), st
type(MPI_Comm) :: copy
#else
#ifdef USE_MPI
use mpi
implicit none
#else
implicit none
include 'mpif.h'
#endif
integer :: r(2), s(MPI_STATUS_SIZE, 2), st(MPI_STATUS_SIZE), copy
#endif
integer :: rank, n, next, last, i, ierr, one, total
integer :: counts(2) = [1, 1], places(2) = [0, 1], gets(2)
integer, asynchronous :: from(1024), to(1024)
call MPI_Init(ierr)
call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
next = mod(rank + 1, n)
last = mod(rank + n - 1, n)
from = 0
do i = 1, 10
call MPI_Irecv(to, 1024, MPI_INTEGER, last, 1, MPI_COMM_WORLD, r(1), ierr)
call MPI_Send(from, 25 * i, MPI_INTEGER, next, 1, MPI_COMM_WORLD, ierr)
call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
end do
do i = 1, 5
call MPI_Irecv(to, 250, MPI_INTEGER, last, 2, MPI_COMM_WORLD, r(1), ierr)
call MPI_Isend(from, 250, MPI_INTEGER, next, 2, MPI_COMM_WORLD, r(2), ierr)
call MPI_Waitall(2, r, s, ierr)
end do
call MPI_Sendrecv(from, 16, MPI_INTEGER, next, 3, to, 16, MPI_INTEGER, last, 3, MPI_COMM_WORLD, st, ierr)
one = 1
call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
do i = 1, 3
call MPI_Barrier(MPI_COMM_WORLD, ierr)
end do
call MPI_Bcast(total, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
do i = 1, 7
call MPI_Alltoallv(from, counts, places, MPI_INTEGER, gets, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr) ! vector
end do
call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
call MPI_Comm_free(copy, ierr)
call MPI_Finalize(ierr)
end program
