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
check "a loop whose inner one continues it" is "$(loop named | cut -d' ' -f1)" 1
check "the inner one of that" is "$(loop left)" "3 "
# 15 iterations of note(j) add 35, search adds 15, while 1+3+4+5+6, left 6, shared 2: 77, up to 101.
check "DO without control" is "$(loop forever)" "1 24"
check "a loop on one line is said to be unknown" grep -q "its line has several statements" "$tmp/graph.csv"
check "a loop of a pure procedure, too" grep -q "in a pure or elemental procedure" "$tmp/graph.csv"
check "MPI is in its loop" grep -q "^loops/do:[0-9]*/MPI_Barrier" "$tmp/graph.csv"

# Messages are those of the plain compiler.
printf 'program p\n integer :: i, unused\n do i = 1, 3\n  call s(i)\n  x = y +\n end do\nend\n' >"$tmp/wrong.f90"
messages() { (cd "$tmp" && "$@" -Wall -c wrong.f90 2>&1); }
plain=$(messages gfortran)
check "errors are the compiler's own" is "$(TVIEW_FC=gfortran messages "$out/tvfc")" "$plain"
printf 'program p\n integer :: i, unused\n do i = 1, 3\n  call s(i)\n end do\nend\n' >"$tmp/wrong.f90"
plain=$(messages gfortran)
check "warnings, too" is "$(TVIEW_FC=gfortran messages "$out/tvfc")" "$plain"

printf 'module m\n integer :: n = 0\nend module\n' >"$tmp/nothing.f90"
nothing() { (cd "$tmp" && TVIEW_FC=gfortran "$out/tvfc" -c nothing.f90 && ! grep -q unknown nothing.o); }
check "a module without procedures has no unknown loops" nothing

# Files that the compiler preprocesses have procedures, and the graph says that their loops are unknown.
cp "$source" "$tmp/loops.F90"
preprocessed() {
	TVIEW_FC=mpifort.mpich "$out/tvfc" -c -o "$tmp/pre.o" -J"$tmp" "$tmp/loops.F90" 2>"$tmp/words" &&
		"$out/tview" graph "$tmp/pre.o" -f csv >"$tmp/pre.csv"
}
check "a file with a preprocessor is compiled" preprocessed
check "its procedures have hooks" sh -c "nm '$tmp/pre.o' | grep -q __cyg_profile_func_enter"
check "its loops are said to be unknown" grep -q "loops unknown" "$tmp/pre.csv"
done_testing
