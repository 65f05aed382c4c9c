#!/bin/sh
# Loops of Fortran by tvfc: visits and iterations are those of the program, and messages the compiler's own.
. tests/cli/tap.sh
source=tests/capture/programs/loops.f90

trace() {
	TVIEW_FC=mpifort.mpich "$out/tvfc" -O2 -o "$tmp/loops" -J"$tmp" "$source" 2>"$tmp/words" &&
		"$out/tvrun" -q --statistics -o "$tmp/loops.trc" mpiexec.mpich -n 1 "$tmp/loops" >"$tmp/log" &&
		"$out/tview" export graph "$tmp/loops.trc" -f csv >"$tmp/graph.csv"
}
# loop COMMENT: visits and iterations of the loop at that comment
loop() {
	line=$(grep -n "! $1\$" "$source" | cut -d: -f1)
	/usr/bin/python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
	if r["kind"] == sys.argv[2] and r["line"] == sys.argv[3]:
		print(r["count"], r["iterations"], sep=" ")' "$tmp/graph.csv" "${2:-loop}" "$line"
}

check "a program with loops is compiled and traced" trace
check "the compiler says nothing" is "$(cat "$tmp/words")" ""
check "an outer loop" is "$(loop outer)" "1 5"
check "an inner one with a continued line" is "$(loop inner)" "5 15"
check "DO WHILE with CYCLE and EXIT" is "$(loop while)" "1 6"
# RETURN leaves it: visits are known, iterations are not claimed.
check "a loop that RETURN leaves" is "$(loop return)" "5 "
check "a loop whose inner one continues it" is "$(loop named)" "1 3"
check "the inner one of that" is "$(loop left)" "3 "
# 15 iterations of note(j) add 35, search adds 15, while 1+3+4+5+6, left 6, shared 2: 77, up to 101.
check "DO without control" is "$(loop forever)" "1 24"
check "a loop on one line is said to be unknown" grep -q "its line has several statements" "$tmp/graph.csv"
check "a loop of a pure procedure, too" grep -q "in a pure or elemental procedure" "$tmp/graph.csv"
check "MPI is in its loop" grep -q "^loops/do:[0-9]*/MPI_Barrier" "$tmp/graph.csv"

# What a rule leaves out by the source's name has no count, not 0: search() is called 5 times, below a loop without a probe.
run() { # OPTIONS...
	"$out/tvrun" -q "$@" -o "$tmp/rules.trc" mpiexec.mpich -n 1 "$tmp/loops" >"$tmp/log" &&
		"$out/tview" export graph "$tmp/rules.trc" -f csv >"$tmp/graph.csv"
}
# counts NAME: kind, count and why there is none, of each statement of that name
counts() {
	/usr/bin/python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
	if r["name"] == sys.argv[2]:
		print(r["kind"], r["count"], r["reason"], end=";")' "$tmp/graph.csv" "$1"
}
left="tvrun --only or --exclude leaves it out"
for level in 1 2; do
	check "-g$level: it is compiled" env TVIEW_FC=mpifort.mpich "$out/tvfc" -g$level -o "$tmp/loops" -J"$tmp" "$source"
	check "-g$level: it runs" run
	check "-g$level: a procedure of a module is one" is "$(counts search)" "procedure 5 ;"
	check "-g$level: its calls are at their line" is "$(counts "search()")" "call 5 ;"
	check "-g$level: it runs without that" run --exclude '^search$'
	check "-g$level: it has no count" is "$(counts search)" "procedure  $left;"
	check "-g$level: nor has its loop" is "$(loop return) $(grep -c "^search/do.*$left" "$tmp/graph.csv")" "  1"
	check "-g$level: nor its calls" is "$(counts "search()")" ""
	check "-g$level: it runs without the main program" run --exclude '^loops$'
	check "-g$level: which has no count" is "$(counts loops | sed 's/region [0-9]* ;//')" "procedure  $left;"
	check "-g$level: nor has it in statistics" run --statistics --exclude '^search$'
	check "-g$level: it has no count" is "$(counts search)" "procedure  $left;"
done

# With the compiler's hooks alone, the main program is known by the debug information; without that it is MAIN__, as in the graph.
main_program() { # FLAGS NAME: kind, count, reason of the main program, count of a procedure
	mpifort.mpich $1 -O0 -finstrument-functions -o "$tmp/loops" -J"$tmp" "$source" && run --exclude "^$2\$" &&
		counts "$2" | sed 's/region [0-9]* ;//' && counts search
}
for flags in -g1 "-g -gdwarf-4" "-g -gdwarf-3 -gstrict-dwarf" "-g -gdwarf-5"; do
	check "$flags: --exclude of the main program by its hook" is "$(main_program "$flags" loops)" "procedure  $left;procedure 5 ;"
done
check "-g0: and as MAIN__" is "$(main_program -g0 MAIN__)" "procedure  $left;"

# Messages are those of the plain compiler.
printf 'program p\n integer :: i, unused\n do i = 1, 3\n  call s(i)\n  x = y +\n end do\nend\n' >"$tmp/wrong.f90"
messages() { (cd "$tmp" && "$@" -Wall -c wrong.f90 2>&1); }
plain=$(messages gfortran)
check "errors are the compiler's own" is "$(TVIEW_FC=gfortran messages "$out/tvfc")" "$plain"
printf 'program p\n integer :: i, unused\n do i = 1, 3\n  call s(i)\n end do\nend\n' >"$tmp/wrong.f90"
plain=$(messages gfortran)
check "warnings, too" is "$(TVIEW_FC=gfortran messages "$out/tvfc")" "$plain"

# Procedures by name; "inside", which is never called, has "in" in it.
chosen() { # OPTIONS: procedures without hooks
	TVIEW_FC=mpifort.mpich "$out/tvfc" "$@" -O0 -c -o "$tmp/chosen.o" -J"$tmp" "$source" 2>"$tmp/words" &&
		"$out/tview" graph "$tmp/chosen.o" | sed -n '/^PL/q; s/^ *[0-9]*  \([a-z]*\)()  *.*instrumented: the options exclude it.*/\1/p' | tr '\n' ' ' &&
		objdump -dr --no-show-raw-insn "$tmp/chosen.o" | awk '/^[0-9a-f]+ <.*>:/ { f = $2 } /cyg_profile_func_enter/ { print f }' | sort -u >"$tmp/hooked"
}
hooked() { grep -c "$1" "$tmp/hooked"; }
check "--exclude of a procedure of Fortran" is "$(chosen --exclude '^search$')" "search "
check "it has no hook" is "$(hooked search) $(hooked note) $(hooked twice)" "0 1 1"
check "--only" is "$(chosen --only '^(note|loops)$')" "search inside twice "
check "the others have none" is "$(hooked search) $(hooked note) $(hooked twice) $(hooked MAIN__)" "0 1 0 1"
sed 's/\<search\>/in/' "$source" >"$tmp/part.f90"
part() { TVIEW_FC=mpifort.mpich "$out/tvfc" --exclude '^in$' -c -o "$tmp/part.o" -J"$tmp" "$tmp/part.f90" 2>&1 | sed 's/.*: \(not excluded.*\)/\1/'; }
check "a name that is a part of another one cannot be excluded" is "$(part)" "not excluded, as their names are parts of others: in"
excluded() {
	TVIEW_FC=mpifort.mpich "$out/tvfc" --exclude '^search$' -O2 -o "$tmp/loops" -J"$tmp" "$source" &&
		"$out/tvrun" -q --statistics -o "$tmp/loops.trc" mpiexec.mpich -n 1 "$tmp/loops" >"$tmp/log" &&
		"$out/tview" export graph "$tmp/loops.trc" -f csv >"$tmp/graph.csv"
}
check "a program without one procedure is traced" excluded
check "its loop is left out, others are not" is "$(loop return)/$(loop outer)" " /1 5"

printf 'module m\n integer :: n = 0\nend module\n' >"$tmp/nothing.f90"
nothing() { (cd "$tmp" && TVIEW_FC=gfortran "$out/tvfc" -c nothing.f90 && ! grep -q unknown nothing.o); }
check "a module without procedures has no unknown loops" nothing

# gfortran 12 does not see in a BLOCK that a name without EXTERNAL is a function. Line 6 has the error, 4 is around it.
cat >"$tmp/outer.f90" <<'F'
program p
  integer :: answer, i, j, s
  s = 0
  do i = 1, 2
    do j = 1, 3
      s = s + answer(j)
    end do
  end do
  do i = 1, 4
    call sub(s)
  end do
  print *, s
end program
integer function answer(n)
  answer = 7 * n
end function
subroutine sub(n)
  integer :: n
  n = n + 1
end subroutine
F
external() {
	TVIEW_FC=gfortran "$out/tvfc" -o "$tmp/outer" "$tmp/outer.f90" 2>"$tmp/words" && [ ! -s "$tmp/words" ] && [ "$("$tmp/outer" | tr -d ' ')" = 88 ] &&
		"$out/tview" graph "$tmp/outer" | sed -n '/^PL/q; s/^ *\([0-9]*\)  *do .*instrumented: \(.*\)/\1 \2/p; s/^ *\([0-9]*\)  *do  to.*/\1/p'
}
check "loops that gfortran rejects stay alone, and no other ones" is "$(external)" "4 the compiler rejects calls around it
5 the compiler rejects calls around it
9"

# Files that the compiler preprocesses, and files that are included. pre.F90: 1+...+4 calls in line 8, line 3 of the included one 5 times 2;
# what __LINE__ and __FILE__ are stays.
cat >"$tmp/pre.F90" <<'F'
#define LAST 4
program pre
   use mpi
   implicit none
   integer :: i, j, ierr
   call MPI_Init(ierr)
   do i = 1, LAST
      do j = 1, i
         call body(__LINE__)
      end do
   end do
#ifdef NEVER
   do i = 1, 100
      call body(0)
   end do
#endif
   include 'part.inc'
#include "part.h"
   if (__LINE__ /= 19 .or. __FILE__ /= 'pre.F90') stop 3
   call MPI_Finalize(ierr)
contains
   subroutine body(n)
      integer, intent(in) :: n
      if (n /= 9 .and. n /= 4) stop 4
   end subroutine body
end program pre
F
printf '! a comment\n      do i = 1, 5\n      do j = 1, 2\n      call body(4)\n      end do\n      end do\n' >"$tmp/part.inc"
printf '      do i = 1, 6; end do\n      do i = 1, 7\n      call body(__LINE__ + 1)\n      end do\n' >"$tmp/part.h"
preprocessed() {
	(cd "$tmp" && TVIEW_FC=mpifort.mpich "$out/tvfc" -O1 "$@" -o pre pre.F90 2>words &&
		"$out/tvrun" -q --statistics -o pre.trc mpiexec.mpich -n 1 ./pre >log &&
		"$out/tview" export graph pre.trc -f csv >graph.csv)
}
# at FILE LINE: visits and iterations of the loop there
at() {
	/usr/bin/python3 -c 'import csv, os, sys
for r in csv.DictReader(open(sys.argv[1])):
	if r["kind"] == "loop" and os.path.basename(r["file"]) == sys.argv[2] and r["line"] == sys.argv[3]:
		print(r["count"], r["iterations"])' "$tmp/graph.csv" "$1" "$2"
}
check "a file with a preprocessor is compiled and traced" preprocessed
check "the compiler says nothing" is "$(cat "$tmp/words")" ""
check "a loop up to a macro" is "$(at pre.F90 7)" "1 4"
check "a loop in it" is "$(at pre.F90 8)" "4 10"
check "no loop of what is left out" is "$(at pre.F90 13)" ""
check "a loop of a file of INCLUDE, at its line there" is "$(at part.inc 2)" "1 5"
check "the loop in that" is "$(at part.inc 3)" "5 10"
check "a loop of a file of #include" is "$(at part.h 2)" "1 7"
check "through a pipe" preprocessed -pipe
check "it has the same loops" is "$(at pre.F90 8) $(at part.inc 3)" "4 10 5 10"

# The same in fixed form, where loops end at labels and lines go on at column 6.
cat >"$tmp/pre.F" <<'F'
#define LAST 4
      PROGRAM PRE
      INCLUDE 'mpif.h'
      CALL MPI_INIT(IERR)
      DO 10 I = 1,
     &   LAST
        DO 20 J = 1, I
          CALL BODY(J)
20      CONTINUE
10    CONTINUE
      DO I = 1, 3
C       A COMMENT
        CALL BODY(I)
      ENDDO
      CALL MPI_FINALIZE(IERR)
      END
      SUBROUTINE BODY(N)
      IF (N .GT. LAST) STOP 4
      END
F
fixed() {
	(cd "$tmp" && TVIEW_FC=mpifort.mpich "$out/tvfc" -O1 -o pre pre.F 2>words &&
		"$out/tvrun" -q --statistics -o pre.trc mpiexec.mpich -n 1 ./pre >log &&
		"$out/tview" export graph pre.trc -f csv >graph.csv)
}
check "fixed form with a preprocessor is compiled and traced" fixed
check "the compiler says nothing" is "$(cat "$tmp/words")" ""
check "a loop with a label" is "$(at pre.F 5)" "1 4"
check "the loop in it" is "$(at pre.F 7)" "4 10"
check "a loop with END DO" is "$(at pre.F 11)" "1 3"

# Innermost loops without CALL are counted: what is in the comments, with every level of optimisation.
inner=tests/capture/programs/innermost.f90
counts() { # OPTIONS: nothing but "LOOP wants ... has ..." of those that differ
	TVIEW_FC=mpifort.mpich "$out/tvfc" "$@" -fopenmp -o "$tmp/inner" -J"$tmp" $inner 2>"$tmp/words" &&
		OMP_NUM_THREADS=3 "$out/tvrun" -q --statistics -o "$tmp/inner.trc" mpiexec.mpich -n 1 "$tmp/inner" >"$tmp/log" 2>&1 &&
		"$out/tview" export graph "$tmp/inner.trc" -f csv >"$tmp/graph.csv" && [ ! -s "$tmp/words" ] || return 1
	/usr/bin/python3 - "$tmp/graph.csv" $inner <<'P'
import csv, re, sys
rows = {r["line"]: r for r in csv.DictReader(open(sys.argv[1])) if r["kind"] == "loop"}
found = 0
for line, text in enumerate(open(sys.argv[2]), 1):
	m = re.search(r"\bdo\b.*! ([a-z]\S*)( \d+)?( \d+)?$", text)
	if m:
		row = rows[str(line)]
		want = [(m[i] or "").strip() for i in (2, 3)]
		has = [row["count"], row["iterations"]]
		found += want == has
		if want != has:
			print(m[1], "wants", want, "has", has)
print(found)
P
}
check "innermost loops, -O0" is "$(counts -O0)" 24
check "innermost loops, -O3" is "$(counts -O3)" 24
check "one that RETURN leaves is said to be unknown" grep -q "RETURN, GO TO, or EXIT or CYCLE with a name" "$tmp/graph.csv"
# Timed, visits are known of all; iterations not where they are left.
check "with --all" is "$(counts --all -O2)" "returned wants ['', ''] has ['2', '']
left wants ['4', '12'] has ['4', '']
22"
done_testing
