! Functions in Fortran that MPI calls back. Each rank calls mpi_reduce_local with an operation that exchanges a
! message with itself, 3 times; it duplicates a communicator whose attribute does the same when it is copied, and calls
! mpi_barrier when it is deleted, twice; it deletes that
! attribute once more, and a send with a wrong rank calls a handler that calls mpi_barrier.
module called_back
  use mpi
  implicit none
contains
  subroutine exchange(tag)
    integer, intent(in) :: tag
    integer :: v, w, ierror
    v = tag
    call mpi_sendrecv(v, 1, MPI_INTEGER, 0, tag, w, 1, MPI_INTEGER, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
  end subroutine
  subroutine combine(in, inout, n, kind)
    integer :: n, kind
    integer :: in(n), inout(n)
    call exchange(1)
    inout = inout + in
  end subroutine
  subroutine copy(comm, key, extra, in, out, flag, ierror)
    integer :: comm, key, ierror
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    call exchange(2)
    out = in
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete(comm, key, attribute, extra, ierror)
    integer :: comm, key, ierror
    integer(MPI_ADDRESS_KIND) :: attribute, extra
    call mpi_barrier(MPI_COMM_SELF, ierror)
  end subroutine
  subroutine handle(comm, code)
    integer :: comm, code, ierror
    call mpi_barrier(MPI_COMM_SELF, ierror)
  end subroutine
end module
program callbacks
  use called_back
  implicit none
  integer :: ierror, op, key, made, handler, i, v(2), w(2)
  integer(MPI_ADDRESS_KIND) :: attribute = 3
  call mpi_init(ierror)
  call mpi_op_create(combine, .true., op, ierror)
  v = 1
  w = 1
  do i = 1, 3
    call mpi_reduce_local(v, w, 2, MPI_INTEGER, op, ierror)
  end do
  call mpi_comm_create_keyval(copy, delete, key, attribute, ierror)
  call mpi_comm_set_attr(MPI_COMM_WORLD, key, attribute, ierror)
  do i = 1, 2
    call mpi_comm_dup(MPI_COMM_WORLD, made, ierror)
    call mpi_comm_free(made, ierror)
  end do
  call mpi_comm_delete_attr(MPI_COMM_WORLD, key, ierror)
  call mpi_comm_create_errhandler(handle, handler, ierror)
  call mpi_comm_set_errhandler(MPI_COMM_WORLD, handler, ierror)
  call mpi_send(v, 1, MPI_INTEGER, 9999, 0, MPI_COMM_WORLD, ierror)
  call mpi_comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)
  print '(i0)', w(1)
  call mpi_finalize(ierror)
end program
