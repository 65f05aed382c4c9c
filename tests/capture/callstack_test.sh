#!/bin/sh
# Functions around calls of MPI, of a program that was not compiled for it: tests/capture/mpi/stacked.c says which call it.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# visits PROGRAM OPTIONS...: "first 6;..." of two ranks; "-": not known
visits() {
	program=$1
	shift
	"$out/tvrun" -q -o "$tmp/t.trc" "$@" "mpiexec.$mpi" $oversubscribe -n 2 "$tmp/$program" >"$tmp/log" 2>&1 || cat "$tmp/log"
	"$tview" export profile "$tmp/t.trc" -f csv | awk -F, '{ n[$1] = $2 } END {
		k = split("first second shared main MPI_Barrier MPI_Comm_rank", name, " ")
		for (i = 1; i <= k; i++) if (name[i] in n) printf "%s %s;", name[i], n[name[i]] == "" ? "-" : n[name[i]] }'
}
paths() {
	"$tview" export callpaths "$tmp/t.trc" -f csv | grep -o '[a-z]* > shared > MPI_Barrier,[0-9]*' | sort | tr '\n' ';'
}
whole() { ! "$tview" check "$tmp/t.trc" | grep 'damage \|oddity \|guess '; }
calls="MPI_Barrier 10;MPI_Comm_rank 4;"

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -O2 -o "$tmp/plain" tests/capture/mpi/stacked.c
	mpicc.$mpi -g -finstrument-functions -o "$tmp/hooks" tests/capture/mpi/stacked.c
	check "$mpi: no functions are known" is "$(visits plain)" "$calls"
	check "$mpi: two around each call" is "$(visits plain --callstack 2)" "first -;second -;shared -;main -;$calls"
	check "$mpi: calls have paths" is "$(paths)" "first > shared > MPI_Barrier,6;second > shared > MPI_Barrier,4;"
	check "$mpi: nothing is damaged" whole
	check "$mpi: functions that hooks tell of come once" is "$(visits hooks --callstack 2)" \
		"first 6;second 4;shared 10;main 2;$calls"
	check "$mpi: and so do they with all that is around main" is "$(visits hooks --callstack 64)" \
		"first 6;second 4;shared 10;main 2;$calls"
	check "$mpi: which is not inside of it" is "$(paths)" "first > shared > MPI_Barrier,6;second > shared > MPI_Barrier,4;"
	export TVIEW_CC=mpicc.$mpi
	"$out/tvcc" --all --quiet -g -O2 -o "$tmp/probes" tests/capture/mpi/stacked.c
	check "$mpi: functions with probes, too" is "$(visits probes --callstack 64)" "first 6;second 4;shared 10;main 2;$calls"
	check "$mpi: with the same paths" is "$(paths)" "first > shared > MPI_Barrier,6;second > shared > MPI_Barrier,4;"
done
done_testing
