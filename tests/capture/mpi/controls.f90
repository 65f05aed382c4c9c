! The whole of module tview: on two ranks each rank has
!
!     part      2    (1 more while regions are off, 1 while others are chosen)
!     chosen    1    (with 7 and -3 at its begin, 8 and 0 at its end)
!     marked    1    a mark
!     load      counter: 1.5; pair[0], pair[1]: 10, 20
!
! a trace after these (tview_trigger), which has a mark;
! the text "step 1 of 2", 1 MPI_Barrier (1 more while recording is off), and a ring of 2 ranks, "row".
program controls
  use mpi
  use tview
  implicit none
  type(tview_info) :: info
  integer :: ierr, rank

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) call tview_topology("row", [2], [.true.])
  call tview_coords("row", [rank])
  call part()
  call tview_level(TVIEW_REGIONS, 0)
  call part()
  call tview_get_info(info)
  write (*, '(5i1,l1)') info%recording, info%level, info%stopped, info%room > 0
  call tview_level(TVIEW_REGIONS, 1)
  call tview_only([character(len=8) :: "chosen", "no other"])
  call part()
  call tview_begin_at("chosen", 7, -3)
  call tview_end_at("chosen", 8, 0)
  call tview_all()
  call tview_data("load", 1.5d0)
  call tview_data("pair", [10d0, 20d0])
  call tview_message("step 1 of 2")
  call tview_mark("marked")
  call tview_flush()
  call tview_trigger()
  call tview_off()
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call tview_on()
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call part()
  call MPI_Finalize(ierr)
contains
  subroutine part()
    call tview_begin("part")
    call tview_end("part")
  end subroutine
end program
