! A Fortran program that calls MPI from known lines: the tests look for the comments.
subroutine exchange(rank, n)
  use mpi
  implicit none
  integer, intent(in) :: rank, n
  integer :: ierr, i, value(n), status(MPI_STATUS_SIZE)
  value = rank
  do i = 1, 3
    if (rank == 0) then
      call MPI_Send(value, n, MPI_INTEGER, 1, i, MPI_COMM_WORLD, ierr) ! send
    else if (rank == 1) then
      call MPI_Recv(value, n, MPI_INTEGER, 0, i, MPI_COMM_WORLD, status, ierr) ! receive
    end if
  end do
end subroutine exchange

program lines
  use mpi
  implicit none
  integer :: ierr, rank, total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call exchange(rank, 10) ! first
  call exchange(rank, 20) ! second
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr) ! reduce
  if (rank == 0) print *, total
  call MPI_Finalize(ierr)
end program lines
