! Loops of Fortran, left in every way; the program counts visits and iterations itself and prints
! what each line of a DO must have.
module counted
	implicit none
	integer :: ended = 0, parts = 0
contains
	subroutine note(n)
		integer, intent(in) :: n
		ended = ended + n
	end subroutine note
	subroutine search(n)
		integer, intent(in) :: n
		integer :: i
		do i = 1, 10 ! return
			call note(1)
			if (i == n) return
		end do
	contains
		subroutine inside
			parts = parts + 1
		end subroutine inside
	end subroutine search
	pure integer function twice(n)
		integer, intent(in) :: n
		integer :: i
		twice = 0
		do i = 1, n ! pure
			twice = twice + 2
		end do
	end function twice
end module counted
program loops
	use mpi
	use counted
	implicit none
	integer :: ierr, i, j, k
	call MPI_Init(ierr)
	do i = 1, 5 ! outer
		do j = 1, & ! inner
			i
			call note(j)
		end do
		call search(3)
		call MPI_Barrier(MPI_COMM_WORLD, ierr) ! barrier
	end do
	k = 0
	do while (k < 7) ! while
		k = k + 1
		if (k == 2) cycle
		call note(k)
		if (k == 6) exit
	end do
	named: do i = 1, 3 ! named
		do j = 1, 4 ! left
			call note(1)
			if (j == 2) cycle named
		end do
	end do named
	do i = 1, 2; call note(1); end do ! shared
	if (twice(3) /= 6) stop 1
	do ! forever
		call note(1)
		if (ended > 100) exit
	end do
	print '(a,i0)', 'ended ', ended
	call MPI_Finalize(ierr)
end program loops
