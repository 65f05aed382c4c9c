#!/bin/sh
# Recordings of three ranks that meet by persistent or partitioned operations alone, one clock 30 ms ahead: without its offset
# records the trace is inconsistent, and corrected.
. tests/cli/tap.sh
. tests/capture/mpi/record.sh
# record_kind KIND: without what was measured of the clocks
record_kind() {
	"$out/tvrun" -q --yield --clock monotonic --clock-domain rank -o "$tmp/r.trc" "mpiexec.$mpi" $oversubscribe -n 3 \
		"$tmp/wrong_clock" "$1" && grep -av tview:offset= "$tmp/r.trc" >"$tmp/t.trc"
}
# inconsistent N: more than a quarter of at least N messages arrive before they are sent, and none in the corrected times
inconsistent() {
	"$tview" check "$tmp/t.trc" >"$tmp/said" || return 1
	awk -v least="$1" '{ gsub(",", "") }
		/^Measured times: .* arrive before .* by up to (29|30)\.[0-9]* ms/ { before = $5 >= least && 4 * $3 >= $5 }
		/^After correction/ { after = $5 == 0 }
		END { exit !(before && after) }' "$tmp/said" || { cat "$tmp/said"; return 1; }
}
# clock RANK OFFSET: the one that is taken for it, to 1 ms; where ranks waited for a core, within its bounds of 10 ms
clock() {
	"$tview" export corrections-clocks "$tmp/t.trc" -f csv >"$tmp/clocks" &&
		awk -F, -v rank="rank $1" -v offset="$2" '$1 == rank { d = offset - $4
			good = d * d < 1e-6 || ($6 <= d && d <= $7 && $7 - $6 < 0.01) } END { exit !good }' \
			"$tmp/clocks" || { cat "$tmp/clocks"; return 1; }
}
# kind KIND N
kind() {
	check "$mpi, $1: recorded" record_kind "$1"
	check "$mpi, $1: inconsistent, and corrected" inconsistent "$2"
	check "$mpi, $1: the clock that is wrong" clock 1 -0.030
	check "$mpi, $1: the one that is not" clock 2 0
}

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -w -o "$tmp/wrong_clock" tests/capture/mpi/wrong_clock.c || exit 1
	[ $mpi = openmpi ] && kinds="send ways allreduce neighbours" ||
		kinds="send ssend bsend rsend any ways parts barrier allreduce alltoall bcast scan neighbours"
	for kind in $kinds; do
		kind "$kind" 120
	done
done
done_testing
