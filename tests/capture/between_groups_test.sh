#!/bin/sh
# Collectives of two groups (tests/capture/mpi/between_groups.c): a rank waits for the other group only, and for no rank
# that has nothing to send.
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
. tests/capture/mpi/record.sh

record_4() {
	"$out/tvrun" -q --yield -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n 4 "$tmp/groups" >"$tmp/log" 2>&1
}
# partners LINE RANKS: for whom these ranks wait in the collective of that line
partners() {
	"$tview" export waits "$1" -f csv | awk -F, -v line=":$2\$" -v ranks="$3" '
		$5 ~ line && index(ranks, $3) { print $3 ">" $6 }' | sort -u | tr '\n' ' '
}
none_in() { ! partners "$1" 17 0123 | grep -E '0>1|1>0|2>3|3>2'; }
first_sends_nothing() { [ "$(partners "$1" 18 23)" = "" ]; }

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -o "$tmp/groups" "$sources/between_groups.c"
	check "$mpi: is recorded" record_4
	"$tview" convert "$tmp/t.trc" "$tmp/t.otf2"
	for trace in t.trc t.otf2; do
		check "$mpi: $trace: the groups" is \
			"$("$tview" export definitions "$tmp/$trace" | sed -n 's/^communicator *inter 2 *//p')" \
			"between 2 ranks: 0-1 and 2 ranks: 2-3"
		check "$mpi: $trace: ranks 2 and 3 wait for rank 1" is "$(partners "$tmp/$trace" 17 23)" "2>1 3>1 "
		check "$mpi: $trace: no rank waits for its own group" none_in "$tmp/$trace"
		check "$mpi: $trace: nor for a group that sends nothing" first_sends_nothing "$tmp/$trace"
		"$tview" check "$tmp/$trace" >"$tmp/check"
		check "$mpi: $trace: 24 have to arrive: in the barrier and in MPI_Finalize" grep -q ': 0 of 24 messages' "$tmp/check"
	done
done
done_testing
