#!/bin/sh
# Calls that MPI refuses (MPI_ERRORS_RETURN) are no collective and no message; a message that is longer than its buffer
# is one, as long as its sender says. tests/capture/mpi/refused.c says what happens.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

record() {
	timeout 100 "$out/tvrun" -q -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n 2 "$tmp/refused.$mpi" >"$tmp/log" 2>&1 ||
		{ cat "$tmp/log"; return 1; }
}
collectives() { # how many of each, with how many ranks
	"$tview" export collectives -f csv "$tmp/t.trc" |
		awk -F, '$2 ~ /^MPI_(Barrier|Bcast|Allreduce)$/ { n[$2 " " $6]++ } END { for (i in n) print i, n[i] }'
}
messages() { # tag and bytes, and what is odd about it
	"$tview" export messages -f csv "$tmp/t.trc" |
		awk -F, 'NR > 1 { print $5, $6, $11 ~ /no-|guess/ ? $11 : "" }' | sort -n | tr '\n' ';'
}
refused() {
	"$tview" report "$tmp/t.trc" -f json | /usr/bin/python3 -c '
import json, sys
rows = json.load(sys.stdin)["trust"].get("rows", [])
for r in sorted((r for r in rows if r["lacks"] == "refused"), key=lambda r: r["what"]):
	print(r["what"], r["count"], end=";")'
}
says_not() { ! "$tview" check "$tmp/t.trc" | grep -iE "$1"; }

for mpi in mpich openmpi; do
	mpi_is_there || continue
	check "$mpi: it compiles" mpicc.$mpi -g -w -o "$tmp/refused.$mpi" tests/capture/mpi/refused.c
	check "$mpi: it runs" record
	check "$mpi: collectives that took place" is "$(collectives)" "MPI_Barrier 2 5"
	check "$mpi: messages that were too long, too" is "$(messages)" \
		"1 40 ;2 40 ;3 40 ;4 40 ;5 40 ;6 20 ;7 40 ;8 40 ;9 20 ;10 40 ;"
	check "$mpi: refused calls are counted" is "$(refused)" \
		"MPI_Allreduce 2;MPI_Bcast 4;MPI_Isend 2;MPI_Recv 2;MPI_Send 4;MPI_Sendrecv 2;"
	check "$mpi: nothing is guessed or unmatched" says_not 'unmatched|different coll|guess|damaged'
done
done_testing
