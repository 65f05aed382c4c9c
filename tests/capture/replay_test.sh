#!/bin/sh
# Choices that depend on time (tvrun --order, --replay-order): senders that come in one order are received in it, or in that of
# another run, or of a text written by hand; where that cannot be, it is said, and the program ends. Times of each rank are units
# of 50 ms, as in orders_test.sh.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unit=50

# run OPTIONS PROGRAMS...: what each rank received, in $tmp/said: "0: 1 2;1:;2:;"; all that was printed, in $tmp/log
run() {
	options=$1
	shift
	timeout 60 "$out/tvrun" --yield $options -o "$tmp/t.trc" "mpiexec.$mpi" $more -n $# "$tmp/orders.$mpi" $unit "$@" >"$tmp/log" 2>&1
	ended=$?
	grep '^[0-9]*:' "$tmp/log" | sed 's/ t .*//' | sort | tr '\n' ';' >"$tmp/said"
	return $ended
}
# takes WHAT OPTIONS PROGRAMS...: that is what they receive, and they end
takes() {
	want=$1
	shift
	run "$@" && is "$(cat "$tmp/said")" "$want" || { cat "$tmp/log"; return 1; }
}
follows() { grep -q "note: all $1 choices* made as recorded" "$tmp/log" || { cat "$tmp/log"; return 1; }; }
text() { grep -v '^#' "$tmp/order"; }

for mpi in mpich openmpi; do
	if ! command -v mpicc.$mpi >/dev/null; then
		skip "replay on $mpi" "not installed"
		continue
	fi
	mpicc.$mpi -g -O1 -o "$tmp/orders.$mpi" tests/capture/mpi/orders.c
	more=
	[ $mpi = openmpi ] && more=--oversubscribe
	check "$mpi: MPI_Recv takes what comes first" takes '0: 1 2;1:;2:;' "--order $tmp/order" 'c1 a a' 'c5 s0' 'c10 s0'
	check "$mpi: as text" is "$(text)" "0 1 MPI_Recv 0 1 7 0
0 2 MPI_Recv 0 2 7 0"
	mv "$tmp/t.trc" "$tmp/first.trc"
	check "$mpi: another run takes something else" takes '0: 2 1;1:;2:;' "" 'c1 a a' 'c10 s0' 'c5 s0'
	check "$mpi: it takes the same again, from the trace" takes '0: 1 2;1:;2:;' "--replay-order $tmp/first.trc" 'c1 a a' 'c10 s0' 'c5 s0'
	check "$mpi: which is said" follows 2
	check "$mpi: and from the text" takes '0: 1 2;1:;2:;' "--replay-order $tmp/order" 'c1 a a' 'c10 s0' 'c5 s0'
	check "$mpi: the replay's own trace has the order" grep -q "0 1: MPI_Recv 0 1 7 0; MPI_Recv 0 2 7 0" "$tmp/t.trc"
	printf '# by hand\n0 1 MPI_Recv 0 3 7 0\n0 2 MPI_Recv 0 1 7 0\n\n0 3 MPI_Recv 0 2 7 0\n' >"$tmp/hand"
	check "$mpi: an order by hand" takes '0: 3 1 2;1:;2:;3:;' "--replay-order $tmp/hand" 'c1 a a a' 'c1 s0' 'c2 s0' 'c6 s0'
done
done_testing
