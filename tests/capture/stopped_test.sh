#!/bin/sh
# Programs that end with exit() in main(), or with STOP, after MPI_Finalize: that is no crash, and nothing is open.
. tests/cli/tap.sh
command -v mpiexec.mpich >/dev/null || { skip "programs that stop" "there is no mpiexec.mpich"; done_testing; }

cat >"$tmp/stops.c" <<'END_C'
#include <mpi.h>
#include <stdlib.h>
static _Noreturn __attribute__((noinline)) void stop(void) { exit(0); }
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	stop();
}
END_C
cat >"$tmp/stops.f90" <<'END_F'
program stops
use mpi
integer :: error
call MPI_Init(error)
call MPI_Barrier(MPI_COMM_WORLD, error)
call MPI_Finalize(error)
stop
end program
END_F

# run COMPILER OPTIONS...: a trace of the program so compiled
run() {
	"$@" -g -O2 -o "$tmp/stops" && "$out/tvrun" -q --yield -o "$tmp/t.trc" mpiexec.mpich -n 2 "$tmp/stops" >"$tmp/log" 2>&1 &&
		"$tview" export graph "$tmp/t.trc" -f csv >"$tmp/graph.csv" && "$tview" check "$tmp/t.trc" >"$tmp/check" &&
		"$tview" report "$tmp/t.trc" >"$tmp/report"
}
# The program's procedures and how often each was visited.
procedures() { awk -F, '$2 == "procedure" && $3 !~ /^tview_/ { print $3, $6 }' "$tmp/graph.csv" | sort | tr '\n' ' '; }
ended() { ! grep -E "still open|trace ends inside|without symbols" "$tmp/check" && ! grep "when the trace ended" "$tmp/report"; }

check "exit(), hooks: a program is recorded" run mpicc.mpich -finstrument-functions "$tmp/stops.c"
check "it came to its end" ended
check "its procedures are those of the source" is "$(procedures)" "main 2 stop 2 "
# The mark of what was open at the end, in statistics.
marked() {
	"$out/tvrun" -q --statistics -o "$tmp/s.trc" mpiexec.mpich -n 2 "$tmp/stops" >"$tmp/log" 2>&1 &&
		"$tview" export graph "$tmp/s.trc" -f csv | awk -F, '$2 == "procedure" && $3 !~ /^tview_/ { print $3, $6, $28 }' | sort | tr '\n' ' '
}
check "they did not return" is "$(marked)" "main 2 unreturned stop 2 unreturned "
export TVIEW_CC=mpicc.mpich
check "exit(), tvcc: a program is recorded" run "$out/tvcc" --all "$tmp/stops.c"
check "it came to its end, too" ended
check "with the same procedures" is "$(procedures)" "main 2 stop 2 "
check "STOP, hooks: a program is recorded" run mpifort.mpich -finstrument-functions "$tmp/stops.f90"
check "it came to its end as well" ended
check "with main and the program" is "$(procedures)" "main 2 stops 2 "
done_testing
