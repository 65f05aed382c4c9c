! tview: marks regions of a program in Fortran in a trace made by tvrun, and controls what is recorded.
! tview.h says what each call does; here they have the same names.
!
!     use tview
!     call tview_begin("assemble")
!     ...
!     call tview_end("assemble")
!
! Compile it with the compiler of the program, as compiled modules fit one compiler only:
!
!     gfortran -c PREFIX/include/tview.f90        tview.mod and tview.o; link the latter
!
! Without tvrun the calls do nothing. Nothing else has to be linked; with C libraries older than glibc 2.34
! add -ldl. Names are given without trailing blanks; the trace has them once.
module tview
  use, intrinsic :: iso_c_binding
  implicit none
  private

  ! Kinds of events, for tview_level().
  integer, parameter, public :: TVIEW_CALLS = 0, TVIEW_REGIONS = 1, TVIEW_FUNCTIONS = 2
  ! Dimensions of a topology, at most.
  integer, parameter, public :: TVIEW_DIMS = 8

  type, bind(c), public :: tview_info
    integer(c_int) :: recording = 0       ! 0 after tview_off()
    integer(c_int) :: level(0:2) = 0      ! of each kind, as tview_level() set them
    integer(c_int) :: stopped = 0         ! 1: this thread's events stopped, as there is no room
    integer(c_long_long) :: room = 0      ! bytes of records that this process may still write out
  end type

  public :: tview_begin, tview_end, tview_mark, tview_on, tview_off, tview_topology, tview_coords
  public :: tview_begin_at, tview_end_at, tview_level, tview_only, tview_all, tview_data, tview_message
  public :: tview_get_info, tview_flush, tview_trigger

  interface tview_data ! one value, or an array of them
    module procedure data_one, data_many
  end interface

  ! struct tview_api of tview.h.
  type, bind(c) :: api_type
    integer(c_int) :: version
    type(c_funptr) :: begin, end, mark, join, part, topology, coords, record
    type(c_funptr) :: begin_at, end_at, level, regions, data, message, info, flush, trigger
  end type

  abstract interface
    subroutine of_name(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine of_place(name, location, parameter) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: location, parameter
    end subroutine
    subroutine of_number(number) bind(c)
      import :: c_int
      integer(c_int), value :: number
    end subroutine
    subroutine of_numbers(one, other) bind(c)
      import :: c_int
      integer(c_int), value :: one, other
    end subroutine
    subroutine of_names(n, names) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: n
      type(c_ptr), intent(in) :: names(*)
    end subroutine
    subroutine of_values(name, n, values) bind(c)
      import :: c_char, c_int, c_double
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: n
      real(c_double), intent(in) :: values(*)
    end subroutine
    subroutine of_grid(name, dims, size, periodic) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: dims
      integer(c_int), intent(in) :: size(*), periodic(*)
    end subroutine
    subroutine of_coords(name, dims, coords) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: dims
      integer(c_int), intent(in) :: coords(*)
    end subroutine
    subroutine of_info(info) bind(c)
      import :: tview_info
      type(tview_info), intent(inout) :: info
    end subroutine
    subroutine of_nothing() bind(c)
    end subroutine
  end interface

  interface
    function dlopen(path, mode) bind(c, name="dlopen")
      import :: c_ptr, c_int
      type(c_ptr), value :: path
      integer(c_int), value :: mode
      type(c_ptr) :: dlopen
    end function
    function dlsym(handle, name) bind(c, name="dlsym")
      import :: c_ptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: dlsym
    end function
  end interface

  type(api_type), pointer, save :: api => null()
  logical, save :: looked = .false.

contains

  ! Whether the library is there and has what came with that version.
  logical function has(version)
    integer, intent(in) :: version
    integer(c_int), parameter :: rtld_lazy = 1
    type(c_ptr) :: at
    type(api_type), pointer :: found

    if (.not. looked) then
      at = dlopen(c_null_ptr, rtld_lazy)
      if (c_associated(at)) at = dlsym(at, "tview_api" // c_null_char)
      if (c_associated(at)) then
        call c_f_pointer(at, found)
        api => found
      end if
      looked = .true.
    end if
    has = .false.
    if (associated(api)) has = api%version >= version
  end function

  function text(name) result(c)
    character(*), intent(in) :: name
    character(len=len_trim(name) + 1, kind=c_char) :: c

    c = trim(name) // c_null_char
  end function

  subroutine call_named(what, name)
    type(c_funptr), intent(in) :: what
    character(*), intent(in) :: name
    procedure(of_name), pointer :: f

    call c_f_procpointer(what, f)
    call f(text(name))
  end subroutine

  subroutine call_placed(what, name, location, parameter)
    type(c_funptr), intent(in) :: what
    character(*), intent(in) :: name
    integer, intent(in) :: location, parameter
    procedure(of_place), pointer :: f

    call c_f_procpointer(what, f)
    call f(text(name), int(location, c_int), int(parameter, c_int))
  end subroutine

  subroutine tview_begin(name)
    character(*), intent(in) :: name

    if (has(1)) call call_named(api%begin, name)
  end subroutine

  subroutine tview_end(name)
    character(*), intent(in) :: name

    if (has(1)) call call_named(api%end, name)
  end subroutine

  subroutine tview_mark(name)
    character(*), intent(in) :: name

    if (has(1)) call call_named(api%mark, name)
  end subroutine

  subroutine tview_begin_at(name, location, parameter)
    character(*), intent(in) :: name
    integer, intent(in) :: location, parameter

    if (has(5)) call call_placed(api%begin_at, name, location, parameter)
  end subroutine

  subroutine tview_end_at(name, location, parameter)
    character(*), intent(in) :: name
    integer, intent(in) :: location, parameter

    if (has(5)) call call_placed(api%end_at, name, location, parameter)
  end subroutine

  subroutine switch(on)
    integer(c_int), intent(in) :: on
    procedure(of_number), pointer :: f

    if (.not. has(4)) return
    call c_f_procpointer(api%record, f)
    call f(on)
  end subroutine

  subroutine tview_off()
    call switch(0_c_int)
  end subroutine

  subroutine tview_on()
    call switch(1_c_int)
  end subroutine

  subroutine tview_level(kind, level)
    integer, intent(in) :: kind, level
    procedure(of_numbers), pointer :: f

    if (.not. has(5)) return
    call c_f_procpointer(api%level, f)
    call f(int(kind, c_int), int(level, c_int))
  end subroutine

  ! tview_regions() of tview.h: regions of these names alone are recorded from here on; tview_all(): all.
  subroutine tview_only(names)
    character(*), intent(in) :: names(:)
    character(len=len(names) + 1, kind=c_char), target :: copy(max(size(names), 1))
    type(c_ptr) :: at(max(size(names), 1))
    procedure(of_names), pointer :: f
    integer :: i

    if (.not. has(5)) return
    do i = 1, size(names)
      copy(i) = text(names(i))
      at(i) = c_loc(copy(i))
    end do
    call c_f_procpointer(api%regions, f)
    call f(int(size(names), c_int), at)
  end subroutine

  subroutine tview_all()
    type(c_ptr) :: none(1)
    procedure(of_names), pointer :: f

    if (.not. has(5)) return
    none(1) = c_null_ptr
    call c_f_procpointer(api%regions, f)
    call f(-1_c_int, none)
  end subroutine

  subroutine data_many(name, values)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: values(:)
    procedure(of_values), pointer :: f

    if (.not. has(5)) return
    call c_f_procpointer(api%data, f)
    call f(text(name), int(size(values), c_int), values)
  end subroutine

  subroutine data_one(name, value)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: value

    call data_many(name, [value])
  end subroutine

  subroutine tview_message(message)
    character(*), intent(in) :: message

    if (has(5)) call call_named(api%message, message)
  end subroutine

  subroutine tview_get_info(info)
    type(tview_info), intent(out) :: info
    procedure(of_info), pointer :: f

    if (.not. has(5)) return
    call c_f_procpointer(api%info, f)
    call f(info)
  end subroutine

  subroutine tview_flush()
    procedure(of_nothing), pointer :: f

    if (.not. has(5)) return
    call c_f_procpointer(api%flush, f)
    call f()
  end subroutine

  subroutine tview_trigger()
    procedure(of_nothing), pointer :: f

    if (.not. has(6)) return
    call c_f_procpointer(api%trigger, f)
    call f()
  end subroutine

  ! The grid has as many dimensions as `sizes` has values, x first. Without `periodic` none is a ring.
  subroutine tview_topology(name, sizes, periodic)
    character(*), intent(in) :: name
    integer, intent(in) :: sizes(:)
    logical, intent(in), optional :: periodic(:)
    integer(c_int) :: rings(size(sizes))
    procedure(of_grid), pointer :: f
    integer :: i

    if (.not. has(3)) return
    rings = 0
    if (present(periodic)) then
      do i = 1, min(size(sizes), size(periodic))
        if (periodic(i)) rings(i) = 1
      end do
    end if
    call c_f_procpointer(api%topology, f)
    call f(text(name), int(size(sizes), c_int), int(sizes, c_int), rings)
  end subroutine

  ! From 0 on in each dimension.
  subroutine tview_coords(name, coords)
    character(*), intent(in) :: name
    integer, intent(in) :: coords(:)
    procedure(of_coords), pointer :: f

    if (.not. has(3)) return
    call c_f_procpointer(api%coords, f)
    call f(text(name), int(size(coords), c_int), int(coords, c_int))
  end subroutine
end module
