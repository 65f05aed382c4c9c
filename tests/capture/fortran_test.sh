#!/bin/sh
# Programs in Fortran: calls of MPI are recorded at the lines they stand on, with procedures around them.
. tests/cli/tap.sh
source=tests/capture/programs/lines.f90

trace() {
	mpifort.mpich -g -O1 -finstrument-functions -o "$tmp/lines" "$source" &&
		"$out/tvrun" -q --no-insitu -o "$tmp/lines.trc" mpiexec.mpich -n 2 "$tmp/lines" >"$tmp/log" &&
		"$out/tview" export events "$tmp/lines.trc" -f csv >"$tmp/events.csv"
}
# line COMMENT: the line of the source that ends in it
line() { grep -n "! $1\$" "$source" | cut -d: -f1; }
# calls FUNCTION RANK: LINE xCOUNT of its enters
calls() {
	/usr/bin/python3 -c 'import collections, csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["kind"] == "enter" and
	r["region"] == sys.argv[2] and r["rank"] == sys.argv[3]]
lines = collections.Counter((int(r["line"]) if r["line"] else 0) for r in rows)
print(*["%d x%d" % l for l in sorted(lines.items())])' "$tmp/events.csv" "$1" "$2"
}

check "a program in Fortran is traced" trace
check "and prints what it does without" grep -q "^ *1\$" "$tmp/log"
check "sends are at their line" is "$(calls MPI_Send 0)" "$(line send) x6"
check "receives, too" is "$(calls MPI_Recv 1)" "$(line receive) x6"
check "and collectives" is "$(calls MPI_Allreduce 0)" "$(line reduce) x1"
check "in the subroutine that they stand in" grep -q "main > lines > exchange > MPI_Send" "$tmp/events.csv"
check "messages are matched" is "$("$out/tview" export messages "$tmp/lines.trc" -f csv | tail -n +2 | wc -l)" 6

# The same by tvfc, with statistics alone.
statistics() {
	TVIEW_FC=mpifort.mpich "$out/tvfc" -O1 -o "$tmp/lines" "$source" &&
		"$out/tvrun" -q --statistics -o "$tmp/sums.trc" mpiexec.mpich -n 2 "$tmp/lines" >"$tmp/log" &&
		"$out/tview" export graph "$tmp/sums.trc" -f csv >"$tmp/graph.csv"
}
# cells NAME COLUMN...: of the row of that statement
cells() {
	/usr/bin/python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
	if r["name"] == sys.argv[2] and r["line"] == sys.argv[3]:
		print(*[r[c] for c in sys.argv[4:]])' "$tmp/graph.csv" "$@"
}
check "tvfc compiles it, a run keeps statistics alone" statistics
check "sends have their line and count" is "$(cells MPI_Send "$(line send)" kind count sent_bytes)" "communication 6 360"
check "so have receives" is "$(cells MPI_Recv "$(line receive)" count received_bytes)" "6 360"
check "calls of the subroutine are told apart" is \
	"$(cells 'exchange()' "$(line first)" kind count) $(cells 'exchange()' "$(line second)" count)" "call 2 2"
check "and the loop around them has its visits and iterations" is "$(cells "do" 8 kind count iterations)" "loop 4 12"
done_testing
