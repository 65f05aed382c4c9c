! The forms of Fortran 2008: inject.h says how a wait is put into an operation, and inject.c what is printed.
module injected
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08
    implicit none
    integer, parameter :: ranks = 4, late = 1, turns = 2, numbers = 8
    character(len=64) :: name
    integer :: rank, to(numbers * ranks) = 1, from(numbers * ranks)
    real(real64) :: came, left, truth = 0
    type(MPI_Request) :: request
    type(MPI_Comm) :: ring

    type, bind(C) :: timespec
        integer(c_long) :: seconds, nanoseconds
    end type
    interface
        integer(c_int) function nanosleep(time, rest) bind(C)
            import :: c_int, timespec, c_ptr
            type(timespec), intent(in) :: time
            type(c_ptr), value :: rest
        end function
    end interface

contains
    real(real64) function now()
        integer(int64) :: count, rate

        call system_clock(count, rate)
        now = real(count, real64) / real(rate, real64)
    end function

    subroutine delay()
        integer(c_int) :: rc

        rc = nanosleep(timespec(0, 50000000), c_null_ptr)
    end subroutine

    subroutine begins()
        if (rank == late) call delay()
        came = now()
    end subroutine

    subroutine waits()
        if (rank /= late) came = now()
    end subroutine

    subroutine completes()
        call waits()
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        left = now()
    end subroutine
end module

program inject_f08
    use injected
    implicit none
    integer :: turn, size, r
    real(real64) :: notes(2), all(2, ranks), truths(ranks)

    call get_command_argument(1, name)
    if (name == '--list') then
        call list()
        stop
    end if
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    if (size /= ranks) call MPI_Abort(MPI_COMM_WORLD, 2)
    ! Ranks do not begin at once: another kind of wait than the operation's.
    if (index(name, 'arrier') > 0) then
        call MPI_Allreduce(to, from, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    else
        call MPI_Barrier(MPI_COMM_WORLD)
    end if
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
    do turn = 1, turns
        call MPI_Barrier(MPI_COMM_WORLD)
        left = 0
        select case (name)
        case ('f08/MPI_Recv')
            call run_1()
        case ('f08/MPI_Ssend')
            call run_2()
        case ('f08/MPI_Sendrecv')
            call run_3()
        case ('f08/MPI_Irecv/Wait')
            call run_4()
        case ('f08/MPI_Probe')
            call run_5()
        case ('f08/MPI_Barrier')
            call run_6()
        case ('f08/MPI_Bcast')
            call run_7()
        case ('f08/MPI_Scatter')
            call run_8()
        case ('f08/MPI_Gather')
            call run_9()
        case ('f08/MPI_Reduce')
            call run_10()
        case ('f08/MPI_Allreduce')
            call run_11()
        case ('f08/MPI_Allgather')
            call run_12()
        case ('f08/MPI_Alltoall')
            call run_13()
        case ('f08/MPI_Scan')
            call run_14()
        case ('f08/MPI_Ibarrier/Wait')
            call run_15()
        case ('f08/MPI_Ibcast/Wait')
            call run_16()
        case ('f08/MPI_Iallreduce/Wait')
            call run_17()
        case ('f08/MPI_Neighbor_allgather/grid')
            call run_18()
        case ('f08/MPI_Comm_dup')
            call run_19()
        case default
            call MPI_Abort(MPI_COMM_WORLD, 2)
        end select
        if (left <= 0) left = now()
        notes = [came, left]
        call MPI_Allgather(notes, 2, MPI_DOUBLE_PRECISION, all, 2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        truth = truth + max(0.0_real64, min(left, all(1, late + 1)) - came)
    end do
    call MPI_Gather(truth, 1, MPI_DOUBLE_PRECISION, truths, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    do r = 1, merge(ranks, 0, rank == 0)
        print '(i0, 1x, f0.9)', r - 1, truths(r)
    end do
    call MPI_Finalize()

contains
    subroutine list()
        print '(a)', 'f08/MPI_Recv mpi_latesender 1 0 run_1'
        print '(a)', 'f08/MPI_Ssend mpi_latereceiver 1 0 run_2'
        print '(a)', 'f08/MPI_Sendrecv mpi_latesender 1 0 run_3'
        print '(a)', 'f08/MPI_Irecv/Wait mpi_latesender 1 0 run_4'
        print '(a)', 'f08/MPI_Probe mpi_probe_wait 1 0 run_5'
        print '(a)', 'f08/MPI_Barrier mpi_barrier_wait 1 0,2,3 run_6'
        print '(a)', 'f08/MPI_Bcast mpi_latebroadcast 1 0,2,3 run_7'
        print '(a)', 'f08/MPI_Scatter mpi_latebroadcast 1 0,2,3 run_8'
        print '(a)', 'f08/MPI_Gather mpi_earlyreduce 1 0 run_9'
        print '(a)', 'f08/MPI_Reduce mpi_earlyreduce 1 0 run_10'
        print '(a)', 'f08/MPI_Allreduce mpi_wait_nxn 1 0,2,3 run_11'
        print '(a)', 'f08/MPI_Allgather mpi_wait_nxn 1 0,2,3 run_12'
        print '(a)', 'f08/MPI_Alltoall mpi_wait_nxn 1 0,2,3 run_13'
        print '(a)', 'f08/MPI_Scan mpi_earlyscan 1 2,3 run_14'
        print '(a)', 'f08/MPI_Ibarrier/Wait mpi_barrier_wait 1 0,2,3 run_15'
        print '(a)', 'f08/MPI_Ibcast/Wait mpi_latebroadcast 1 0,2,3 run_16'
        print '(a)', 'f08/MPI_Iallreduce/Wait mpi_wait_nxn 1 0,2,3 run_17'
        print '(a)', 'f08/MPI_Neighbor_allgather/grid mpi_wait_nxn 1 0,2 run_18'
        print '(a)', 'f08/MPI_Comm_dup mpi_comm_wait 1 0,2,3 run_19'
    end subroutine

    subroutine run_1()
        call begins()
        if (rank == late) call MPI_Send(to, numbers, MPI_INTEGER, 0, 7, MPI_COMM_WORLD)
        if (rank == 0) call MPI_Recv(from, numbers, MPI_INTEGER, late, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    subroutine run_2()
        call begins()
        if (rank == 0) call MPI_Ssend(to, numbers, MPI_INTEGER, late, 7, MPI_COMM_WORLD)
        if (rank == late) call MPI_Recv(from, numbers, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    subroutine run_3()
        call begins()
        if (rank < 2) call MPI_Sendrecv(to, numbers, MPI_INTEGER, 1 - rank, 7, from, numbers, MPI_INTEGER, 1 - rank, 7, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    subroutine run_4()
        request = MPI_REQUEST_NULL
        call begins()
        if (rank == late) call MPI_Send(to, numbers, MPI_INTEGER, 0, 7, MPI_COMM_WORLD)
        if (rank == 0) call MPI_Irecv(from, numbers, MPI_INTEGER, late, 7, MPI_COMM_WORLD, request)
        call completes()
    end subroutine

    subroutine run_5()
        call begins()
        if (rank == late) call MPI_Send(to, numbers, MPI_INTEGER, 0, 7, MPI_COMM_WORLD)
        if (rank == 0) call MPI_Probe(late, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        left = now()
        if (rank == 0) call MPI_Recv(from, numbers, MPI_INTEGER, late, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    subroutine run_6()
        call begins()
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine

    subroutine run_7()
        call begins()
        call MPI_Bcast(to, numbers, MPI_INTEGER, late, MPI_COMM_WORLD)
    end subroutine

    subroutine run_8()
        call begins()
        call MPI_Scatter(to, numbers, MPI_INTEGER, from, numbers, MPI_INTEGER, late, MPI_COMM_WORLD)
    end subroutine

    subroutine run_9()
        call begins()
        call MPI_Gather(to, numbers, MPI_INTEGER, from, numbers, MPI_INTEGER, 0, MPI_COMM_WORLD)
    end subroutine

    subroutine run_10()
        call begins()
        call MPI_Reduce(to, from, numbers, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
    end subroutine

    subroutine run_11()
        call begins()
        call MPI_Allreduce(to, from, numbers, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end subroutine

    subroutine run_12()
        call begins()
        call MPI_Allgather(to, numbers, MPI_INTEGER, from, numbers, MPI_INTEGER, MPI_COMM_WORLD)
    end subroutine

    subroutine run_13()
        call begins()
        call MPI_Alltoall(to, numbers, MPI_INTEGER, from, numbers, MPI_INTEGER, MPI_COMM_WORLD)
    end subroutine

    subroutine run_14()
        call begins()
        call MPI_Scan(to, from, numbers, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end subroutine

    subroutine run_15()
        call begins()
        call MPI_Ibarrier(MPI_COMM_WORLD, request)
        call completes()
    end subroutine

    subroutine run_16()
        call begins()
        call MPI_Ibcast(to, numbers, MPI_INTEGER, late, MPI_COMM_WORLD, request)
        call completes()
    end subroutine

    subroutine run_17()
        call begins()
        call MPI_Iallreduce(to, from, numbers, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
        call completes()
    end subroutine

    subroutine run_18()
        call begins()
        call MPI_Neighbor_allgather(to, numbers, MPI_INTEGER, from, numbers, MPI_INTEGER, ring)
    end subroutine

    subroutine run_19()
        type(MPI_Comm) :: made

        call begins()
        call MPI_Comm_dup(MPI_COMM_WORLD, made)
        left = now()
        call MPI_Comm_free(made)
    end subroutine
end program
