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
# depth_of PATH...: calls, both ranks together, of programs without probes
depth_of() {
	for path; do
		"$tview" export callpaths "$tmp/t.trc" -f csv | awk -F, -v path="$path" '{ sub(/^.*main > /, "", $1) } $1 == path { n += $2 } END { printf "%d ", n }'
	done
}
# fortran PATH...: calls below the program, without what compilers and MPI put around names
fortran() {
	for path; do
		"$tview" export callpaths "$tmp/t.trc" -f csv | awk -F, -v path="$path" '
			{ sub(/^main > callbacks > /, "", $1); gsub(/__called_back_MOD_|MPI_/, "", $1) } $1 == path { n += $2 } END { printf "%d ", n }'
	done
}
# messages: "SRC DST TAG BYTES xCOUNT ..."
messages() { "$tview" export messages "$tmp/t.trc" -f csv | awk -F, 'NR > 1 { n[$3 " " $4 " " $5 " " $6]++ } END { for (m in n) print m " x" n[m] }' | sort | tr '\n' ' '; }
# depth N: calls of MPI_Comm_free inside N - 1 others
depth() { "$tview" export callpaths "$tmp/t.trc" -f csv | awk -F, -v n="$1" '{ sub(/^.*main > /, "", $1); m = split($1, path, " > ") } m == n && path[1] == "MPI_Comm_free" && path[n] == "MPI_Comm_free" { print $2 }'; }
# seconds COLUMN PATH...: of rows of the graph together
seconds() {
	column=$1
	shift
	for path; do
		"$tview" export graph "$tmp/t.trc" -f csv | awk -F, -v path="$path" -v column="$column" '$1 ~ "^" path "(:[0-9]+)?$" { print $column * 1e9 }'
	done | awk '{ t += $1 } END { printf "%d\n", t }'
}
# apart: the time of MPI_Allreduce is its own and that of combine. The cost of recording is taken out of each; 300 ms are not
apart() {
	off=$(($(seconds 7 main/MPI_Allreduce) - $(seconds 8 main/MPI_Allreduce) - $(seconds 7 combine)))
	[ $off -ge -10000000 ] && [ $off -le 10000000 ] && echo "all of it" || echo "$off ns apart"
}
# own: main itself takes 200 ms at least; the 300 ms of combine are in MPI_Allreduce, and not taken off once more
own() { [ "$(seconds 8 main)" -ge 200000000 ] && echo "once" || seconds 8 main; }

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -finstrument-functions -o "$tmp/callbacks" "$sources/callbacks.c"
	lacks="6 calls of MPI_Barrier were not recorded"
	for options in --no-insitu ""; do
		check "$mpi: MPI calls back $options" record
		check "$mpi: functions are inside the call $options" is "$(visits 'MPI_Allreduce > combine > work' 'MPI_Comm_dup > copy > work' \
			'MPI_Comm_free > delete > work' 'delete > work' 'MPI_Send > handle > work' 'MPI_Wait > query > work' 'MPI_Wait > release > work')" \
			"6 4 4 2 8 4 4 "
		check "$mpi: calls of MPI around them are recorded once $options" is "$(visits MPI_Allreduce MPI_Comm_dup MPI_Comm_free MPI_Send MPI_Wait MPI_Barrier)" \
			"6 6 4 8 4 2 "
		check "$mpi: calls of MPI in them are inside $options" is "$(visits 'MPI_Comm_dup > copy > MPI_Sendrecv' 'MPI_Comm_free > delete > MPI_Comm_dup' \
			'MPI_Comm_free > delete > MPI_Comm_free' 'delete > MPI_Comm_dup' 'delete > MPI_Comm_free' 'MPI_Send > handle > MPI_Barrier' \
			'MPI_Wait > query > MPI_Barrier' 'MPI_Wait > release > MPI_Barrier')" "4 4 6 2 2 8 4 4 "
		check "$mpi: collectives inside a collective are counted $options" is "$(not_recorded)" "$lacks"
		check "$mpi: messages are those of main and copy $options" is "$(messages)" "0 0 4 4 x2 0 1 6 4 x1 1 0 6 4 x1 1 1 4 4 x2 "
		check "$mpi: nothing is odd $options" is "$("$tview" check "$tmp/t.trc" | grep -c 'odd\|damage\|guess')" 0
	done
	options=--statistics
	check "$mpi: statistics alone" record
	check "$mpi: they lack the same" is "$(not_recorded)" "$lacks"
	check "$mpi: the time of what is called back is counted once" is "$(own)" once
	check "$mpi: and is not the call's own" is "$(apart)" "all of it"

	options=
	mpicc.$mpi -o "$tmp/callbacks" "$sources/callbacks_deep.c"
	for options in "" "--callstack 8" "--last 60s"; do
		check "$mpi: calls inside calls $options" record
		check "$mpi: of 12 inside each other 9 are recorded $options" is "$(for n in 1 2 3 4 5 6 7 8 9 10; do depth $n; done | tr '\n' ' ')" \
			"4 2 2 2 2 2 2 2 2 "
		check "$mpi: 3 are counted $options" is "$(not_recorded)" "6 calls of MPI_Comm_free were not recorded"
		check "$mpi: what longjmp left has ended $options" is "$(depth_of 'MPI_Comm_free > MPI_Sendrecv' 'MPI_Comm_free > MPI_Send' 'MPI_Comm_free > MPI_Barrier' \
			MPI_Barrier MPI_Sendrecv MPI_Finalize)" "2 2 2 2 2 2 "
		check "$mpi: messages are right $options" is "$(messages)" "0 0 4 4 x1 0 1 6 4 x1 1 0 6 4 x1 1 1 4 4 x1 "
	done

	options=--no-insitu
	if ! command -v mpifort.$mpi >/dev/null; then
		skip "$mpi: Fortran" "it is not installed"
		continue
	fi
	mpifort.$mpi -g -finstrument-functions -J"$tmp" -o "$tmp/callbacks" "$sources/callbacks.f90"
	check "$mpi: MPI calls Fortran back" record
	check "$mpi: calls are inside" is "$(fortran 'Reduce_local > combine > exchange > Sendrecv' 'Comm_dup > copy > exchange > Sendrecv' 'Comm_free > delete > Barrier' \
		'delete > Barrier' 'Send > handle > Barrier')" "6 4 4 2 2 "
	check "$mpi: they have their messages" is "$(messages)" "0 0 1 4 x3 0 0 2 4 x2 1 1 1 4 x3 1 1 2 4 x2 "
	check "$mpi: nothing is missing" is "$("$tview" check "$tmp/t.trc" | grep -c 'not recorded')" 0
done
done_testing
