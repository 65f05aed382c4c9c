#!/bin/sh
# Regions that the program begins itself (tview.h, module tview) among the statements of tvcc, functions with hooks, and alone: in
# the graph each is where it was begun, and own times add up to the whole time, with events and without.
. tests/cli/tap.sh
export TVIEW_CC=mpicc.mpich

if ! command -v mpicc.mpich >/dev/null; then
	skip "regions among statements" "MPICH is not installed"
	done_testing
fi
# A nap is a millisecond at least. inner() naps 3 times, one of them in "inside"; outer() 3 times, 2 of them in "around",
# and calls inner() 4 times in it, 3 of these in "step".
cat >"$tmp/regions.c" <<'C'
#include <mpi.h>
#include <time.h>
#include "tview.h"
#define NAP() nanosleep(&(struct timespec){ 0, 1000000 }, NULL)
static void inner(void)
{
	NAP();
	tview_begin("inside");
	NAP();
	tview_end("inside");
	NAP();
}
static void outer(void)
{
	NAP();
	tview_begin("around");
	NAP();
	inner();
	for (int i = 0; i < 3; i++) {
		tview_begin("step");
		inner();
		tview_end("step");
	}
	NAP();
	tview_end("around");
}
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	tview_begin("all");
	outer();
	MPI_Barrier(MPI_COMM_WORLD);
	tview_end("all");
	outer();
	MPI_Finalize();
	return 0;
}
C
"$out/tvcc" --all -O1 -g -Iinclude "$tmp/regions.c" -o "$tmp/tvcc" || exit 1
mpicc.mpich -O1 -g -Iinclude -finstrument-functions "$tmp/regions.c" -o "$tmp/hooks" || exit 1
mpicc.mpich -O1 -g -Iinclude "$tmp/regions.c" -o "$tmp/plain" || exit 1

record() { "$out/tvrun" -q -o "$tmp/t.trc" "$@" && "$tview" export graph "$tmp/t.trc" -f csv >"$tmp/graph"; }
# own NAME: of a procedure, in whole naps, and how often it was there
own() { awk -F, -v name="$1" '$2 == "procedure" && $3 == name { print ($8 >= .001 * '"$2"' ? "enough" : $8), $6 }' "$tmp/graph"; }
# Each visit is on one place of the stack: what is in none is the program's own.
adds_up() {
	awk -F, '$2 == "program" { all = $7 } $2 != "call" { own += $8 }
		END { if (all <= 0 || own < .99 * all || own > 1.01 * all) { print own, "of", all; exit 1 } }' "$tmp/graph"
}
# begun PATH COUNT: the place where a region is begun
begun() { awk -F, -v path="$1" '$2 == "call" && $1 == path { n += $6 } END { print n + 0 }' "$tmp/graph"; }

for program in tvcc hooks plain; do
	for way in --statistics ""; do
		check "$program ${way:-with events}" record $way timeout 60 mpiexec.mpich -n 1 "$tmp/$program"
		check "own times add up to the whole" adds_up
		check "inside" is "$(own inside 8)" "enough 8"
		check "all" is "$(own all 0)" "enough 1"
		case $program in
		plain)
			check "around has all in it that is in no other" is "$(own around 8)" "enough 2"
			check "step, too" is "$(own step 12)" "enough 6"
			check "and is in it" is "$(begun 'around/step()')" 6
			;;
		tvcc)
			check "around" is "$(own around 4)" "enough 2"
			check "step has nothing of its own" is "$(own step 0)" "enough 6"
			check "inner" is "$(own inner 16)" "enough 8"
			check "all is begun in main" is "$(begun 'main/all()')" 1
			check "around in outer" is "$(begun 'outer/around()')" 2
			check "step in its loop" is "$(begun 'outer/for:19/step()')" 6
			check "inside in inner" is "$(begun 'inner/inside()')" 8
			check "tview.h is not the program's" is "$(grep -c 'tview_\(api\|begin\|end\)' "$tmp/graph")" 0
			;;
		hooks)
			check "around" is "$(own around 4)" "enough 2"
			check "inner" is "$(own inner 16)" "enough 8"
			check "step in around" is "$(begun 'around/step()')" 6
			check "each that is begun in a function is at its line" is \
				"$(begun 'main/all():30') $(begun 'outer/around():16') $(begun 'inner/inside():8')" "1 2 8"
			;;
		esac
	done
done

# The same in Fortran, where the module may have hooks as well. Its work() computes for a millisecond at least, once in each
# of both regions.
cat >"$tmp/regions.f90" <<'F'
program regions
  use mpi
  use tview
  integer :: e, s
  call mpi_init(e)
  do s = 1, 20
    call tview_begin('step')
    call work()
    call tview_begin('inside')
    call work()
    call tview_end('inside')
    call tview_end('step')
  end do
  call mpi_finalize(e)
contains
  subroutine work()
    integer(8) :: now, end, rate
    call system_clock(end, rate)
    end = end + rate / 1000
    do
      call system_clock(now)
      if (now >= end) exit
    end do
  end subroutine
end program
F
# lasts NAME: of a procedure, in whole milliseconds of work, and how often it was there
lasts() { awk -F, -v name="$1" '$2 == "procedure" && $3 == name { print ($7 >= .001 * '"$2"' ? "enough" : $7), $6 }' "$tmp/graph"; }
command -v mpifort.mpich >/dev/null || { skip "regions in Fortran" "no compiler"; done_testing; }
mpifort.mpich -O1 -g -finstrument-functions -J "$tmp" include/tview.f90 "$tmp/regions.f90" -o "$tmp/hooks" || exit 1
TVIEW_FC=mpifort.mpich "$out/tvfc" -O1 -g -J "$tmp" include/tview.f90 "$tmp/regions.f90" -o "$tmp/tvfc" || exit 1
for program in tvfc hooks; do
	within=regions
	[ $program = tvfc ] && within=regions/do:6
	for way in --statistics ""; do
		check "Fortran, $program ${way:-with events}" record $way timeout 60 mpiexec.mpich -n 1 "$tmp/$program"
		check "own times add up to the whole" adds_up
		check "step" is "$(lasts step 40)" "enough 20"
		check "inside" is "$(lasts inside 20)" "enough 20"
		check "work, an internal procedure, has its name" is "$(lasts work 40)" "enough 40"
		check "step is begun in the program" is "$(begun "$within/step()")" 20
		check "inside in it" is "$(begun 'step/inside()')" 20
		check "the module is not the program's" is "$(grep -c 'call_named\|tview_\(begin\|end\)' "$tmp/graph")" 0
	done
done
done_testing
