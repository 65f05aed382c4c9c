#!/bin/sh
# A program without debug information, as distributions have it: calls of MPI are told by the function that they are
# in, in the graph, in other views and in other formats. tests/capture/mpi/unlined.cc says how often.
. tests/cli/tap.sh

# counts TRACE: "halo::Grid::exchange/MPI_Bcast 28;..." of two ranks, those below a procedure
counts() {
	"$tview" export graph "$1" -f csv | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$1 ~ /\/MPI_/ && $1 !~ /^main/ { print $1, $column["count"] }' | sort | tr '\n' ';'
}
# rows TRACE: each row of a collective, and its count
rows() {
	"$tview" export graph "$1" -f csv | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$1 ~ /MPI_(Allreduce|Barrier|Bcast)/ { print $1, $column["count"] }' | sort | tr '\n' ';'
}
# cells TRACE PATH COLUMN...
cells() {
	"$tview" export graph "$1" -f csv | /usr/bin/python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
	if row["path"] == sys.argv[1]:
		print(*["%s=%s" % (column, row[column]) for column in sys.argv[2:]])' "$2" "$3" "$4"
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
expected="halo::Grid::exchange/MPI_Allreduce 14;halo::Grid::exchange/MPI_Bcast 28;sum_up/MPI_Allreduce 22;sum_up/MPI_Barrier 2;"
for mpi in mpich openmpi; do
	if ! command -v mpicxx.$mpi >/dev/null; then
		skip "$mpi: functions without lines" "it is not installed"
		continue
	fi
	mpicxx.$mpi -O1 -o "$tmp/unlined" tests/capture/mpi/unlined.cc
	run() { timeout 100 "$out/tvrun" -q -o "$@" "mpiexec.$mpi" -n 2 "$tmp/unlined"; }
	check "$mpi: a run" run "$tmp/t.trc"
	check "$mpi: the graph, from events" is "$(counts "$tmp/t.trc")" "$expected"
	check "$mpi: how often a function without a probe was entered is not known" is \
		"$(cells "$tmp/t.trc" sum_up count flags)" "count= flags=unvisited"
	check "$mpi: nor whom MPI_Init waits for" is "$(cells "$tmp/t.trc" main/MPI_Init count sync_s)" "count=2 sync_s="
	check "$mpi: the events say in which function" sh -c \
		"'$tview' export events '$tmp/t.trc' -f csv | grep -q 'MPI_Barrier.*sum_up()'"
	"$tview" convert "$tmp/t.trc" "$tmp/t.otf2" >"$tmp/log" 2>&1
	check "$mpi: the same from OTF2" is "$(counts "$tmp/t.otf2")" "$expected"
	check "$mpi: a run with statistics alone" run "$tmp/s.trc" --statistics
	check "$mpi: the same of statistics" is "$(counts "$tmp/s.trc")" "$expected"
	strip "$tmp/unlined"
	check "$mpi: a run without names" run "$tmp/n.trc"
	check "$mpi: a call has one row" is "$(rows "$tmp/n.trc")" "MPI_Allreduce 36;MPI_Barrier 2;MPI_Bcast 28;"
done
done_testing
