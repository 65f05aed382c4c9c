! Innermost loops without CALL, and those around them: visits and iterations, worked out by hand, are in
! the comment of their DO, with three threads. What the loops do is compared at the end.
module work
  implicit none
  integer :: asked = 0, sum(20) = 0
  integer :: first(4) = [1, 4, 4, 9]
contains
  integer function last(n)
    integer, intent(in) :: n
    asked = asked + 1
    last = n
  end function last
  subroutine nest(n)
    integer, intent(in) :: n
    integer :: i, j, k
    do k = 1, n ! nest-k 4 3
      do j = k, n ! nest-j 3 6
        do i = 1, 5 ! nest-i 6 30
          sum(1) = sum(1) + 1
        end do
        do i = j, 1, -2 ! nest-down 6 9
          sum(2) = sum(2) + 1
        end do
      end do
    end do
  end subroutine nest
  integer function found(n)
    integer, intent(in) :: n
    integer :: i
    found = 0
    do i = 1, 10 ! returned
      if (i == n) return
      found = i
    end do
  end function found
  recursive subroutine again(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n ! again 4 6
      sum(3) = sum(3) + 1
    end do
    if (n > 0) call again(n - 1)
  end subroutine again
end module work
program innermost
  use mpi
  use work
  implicit none
  integer :: i, j, k, n, ierr
  call MPI_Init(ierr)
  call nest(3)
  call again(3)
  if (found(4) + found(20) /= 13) stop 1
  do i = 1, 3 ! rows 1 3
    do k = first(i), first(i + 1) - 1 ! rows-inner 3 8
      sum(4) = sum(4) + 1
    end do
  end do
  do i = 1, last(7) ! asked 1 7
    sum(5) = sum(5) + 1
  end do
  do i = 5, 1 ! zero 1
    sum(6) = sum(6) + 1
  end do
  n = 4
  do i = 1, n ! changed 1 4
    n = 100
    sum(7) = sum(7) + 1
  end do
  outer: do j = 1, 4 ! outer 1 4
    do i = 1, 10 ! left 4 12
      sum(8) = sum(8) + 1
      if (i == 3) cycle outer
    end do
    sum(9) = 1
  end do outer
  do j = 1, 2 ! exits 1 2
    do i = 1, 10 ! exit 2 8
      sum(10) = sum(10) + 1
      if (i == 4) exit
    end do
  end do
  k = 20
  do while (k > 1) ! while 1 4
    k = k / 2
    if (mod(k, 2) == 1) cycle
    sum(11) = sum(11) + 1
  end do
  do ! forever 1 8
    k = k + 1
    if (k == 9) exit
  end do
  do j = 1, 3 ! calls 1 3
    call nest(0)
    do i = 1, j ! beside 3 6
      sum(12) = sum(12) + 1
    end do
  end do
  !$omp parallel do private(i) reduction(+:sum)
  do j = 1, 8 ! team 1
    do i = 1, j ! team-inner 8 36
      sum(13) = sum(13) + 1
    end do
  end do
  do k = 1, 2 ! around 1 2
    !$omp parallel private(i) reduction(+:sum)
    !$omp do
    do j = 1, 6 ! shared 6 12
      do i = 1, 3 ! shared-inner 12 36
        sum(14) = sum(14) + 1
      end do
    end do
    !$omp end do
    !$omp end parallel
  end do
  if (any(sum /= [30, 9, 6, 8, 7, 0, 4, 12, 0, 8, 2, 6, 36, 36, 0, 0, 0, 0, 0, 0]) .or. asked /= 1) stop 2
  call MPI_Finalize(ierr)
end program innermost
