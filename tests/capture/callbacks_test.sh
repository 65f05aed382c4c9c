#!/bin/sh
# Functions of the program that MPI calls, and calls of MPI in them: the comment of tests/capture/mpi/callbacks.c says how many.
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

record() {
	"$out/tvrun" -q $options -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n 2 "$tmp/callbacks" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
}
# visits PATH...: of call paths below main, of both ranks together
visits() {
	for path; do
		"$tview" export callpaths "$tmp/t.trc" -f csv | awk -F, -v path="main > $path" '$1 == path { n += $2 } END { printf "%d ", n }'
	done
}
not_recorded() { "$tview" check "$tmp/t.trc" | tr -s '\n ' '  ' | grep -o '[0-9]* calls of [A-Za-z0-9_, ]* were not recorded'; }
for mpi in mpich openmpi; do
	oversubscribe=
	[ $mpi = openmpi ] && oversubscribe=--oversubscribe
	if ! command -v mpicc.$mpi >/dev/null || ! command -v mpiexec.$mpi >/dev/null; then
		skip "$mpi" "it is not installed"
		continue
	fi
	mpicc.$mpi -g -finstrument-functions -o "$tmp/callbacks" "$sources/callbacks.c"
	want="22 calls of MPI_Barrier, 6 of MPI_Comm_free, 4 of MPI_Comm_dup and 4 of MPI_Sendrecv were not recorded"
	for options in --no-insitu ""; do
		check "$mpi: MPI calls back $options" record
		check "$mpi: functions are inside the call $options" is "$(visits 'MPI_Allreduce > combine > work' 'MPI_Comm_dup > copy > work' \
			'MPI_Comm_free > delete > work' 'delete > work' 'MPI_Send > handle > work' 'MPI_Wait > query > work' 'MPI_Wait > release > work')" \
			"6 4 4 2 8 4 4 "
		check "$mpi: calls of MPI around them are recorded once $options" is "$(visits MPI_Allreduce MPI_Comm_dup MPI_Comm_free MPI_Send MPI_Wait MPI_Barrier)" \
			"6 6 4 8 4 2 "
		check "$mpi: what they call of MPI is counted $options" is "$(not_recorded)" "$want"
		check "$mpi: only two messages were sent $options" is "$("$tview" export messages "$tmp/t.trc" -f csv | awk -F, 'NR > 1 { print $3 $4, $5 }' | sort | tr '\n' ' ')" "01 6 10 6 "
	done
	options=--statistics
	check "$mpi: statistics alone" record
	check "$mpi: they lack the same" is "$(not_recorded)" "$want"
done
done_testing
