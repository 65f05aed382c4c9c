#!/bin/sh
# Statistics alone tell waiting for the partner from the transfer: what the order of messages enforces holds exactly, and a rank
# that is busy for 20 ms is waited for by the other.
. tests/cli/tap.sh
source=tests/capture/programs/carried.c

trace() {
	"$out/tvrun" -q --yield --statistics -o "$tmp/run.trc" mpiexec.mpich -n 2 \
		"$out/tests/capture/programs/carried" >"$tmp/log" 2>&1 &&
		"$out/tview" export graph "$tmp/run.trc" --by rank -f csv >"$tmp/graph.csv"
}
line() { grep -n "// $1\$" "$source" | cut -d: -f1; }
# of LINE FUNCTION RANK EXPRESSION: prints it, of the row's count, time, trans, sync, told
of() {
	/usr/bin/python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
	if (r["kind"], r["line"], r["name"], r["rank"]) == ("communication", sys.argv[2], sys.argv[3], sys.argv[4]):
		count, told = int(r["count"]), int(r["told"])
		time, trans, sync = (round(float(r[c]) * 1e9) if r[c] else None for c in ("time_s", "trans_s", "sync_s"))
		print(eval(sys.argv[5]))' "$tmp/graph.csv" "$1" "$2" "$3" "$4"
}
is() { [ "$1" = "$2" ] || { echo "got: $1"; echo "want: $2"; cat "$tmp/graph.csv"; return 1; }; }
sums() {
	/usr/bin/python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
	if r["path"].split("/")[0] in ("odd_receivers", "far_ahead", "requests", "between_groups", "nobody_there"):
		continue
	if r["kind"] == "communication" and r["name"] not in ("MPI_Init", "MPI_Finalize", "MPI_Comm_rank"):
		time, trans, sync = (float(r[c]) for c in ("time_s", "trans_s", "sync_s"))
		if r["told"] != r["count"] or abs(time - trans - sync) > 3e-9 or sync < 0 or trans < 0:
			sys.exit("%s" % r)' "$tmp/graph.csv"
}

check "a run with statistics alone" trace
check "no event is kept" is "$("$out/tview" export events "$tmp/run.trc" -f csv | grep -c ,enter,)" 0
check "all is told apart, into transmission and synchronisation" sums
check "a message that was there is not waited for" is "$(of "$(line there)" MPI_Recv 1 'count, sync')" "(5, 0)"
check "nor is a receiver" is "$(of "$(line expected)" MPI_Ssend 0 'count, sync')" "(5, 0)"
# The other is busy for 20 ms behind a barrier: 100 ms in five rounds, of which a loaded machine may take some.
for row in "any MPI_Recv 1" "late MPI_Ssend 0" "all MPI_Allreduce 0" "root MPI_Bcast 1" "leaves MPI_Reduce 0"; do
	set -- $row
	check "$2 waits for the one that is busy" is \
		"$(of "$(line "$1")" "$2" "$3" 'count, 20e6 < sync <= time')" "(5, True)"
done
for row in "all MPI_Allreduce 1" "root MPI_Bcast 0"; do
	set -- $row
	check "and that one does not wait in $2" is "$(of "$(line "$1")" "$2" "$3" 'sync < 40e6')" True
done
check "a leaf of a reduction waits for nobody" is "$(of "$(line leaves)" MPI_Reduce 1 'sync')" 0

for row in "behind MPI_Ssend 0" "between MPI_Recv 1"; do
	set -- $row
	check "$2 waits for the one that is busy, $1" is \
		"$(of "$(line "$1")" "$2" "$3" 'count, told, 20e6 < sync <= time')" "(5, 5, True)"
done
check "a send to a receiver from anybody is not said to have waited for nobody" is \
	"$(of "$(line anybody)" MPI_Ssend 0 'count, told == 0 or sync > told * 1e6')" "(5, True)"
check "nor is one behind more messages than are kept" is \
	"$(of "$(line ahead)" MPI_Ssend 0 'count, told == 0 or sync > told * 1e6')" "(5, True)"

# Whom a statement talks with, how often and how much: what the events of such a run say.
partners() { # FILE
	"$out/tview" export graph "$1" --by destination -f csv | /usr/bin/python3 -c 'import csv, sys
for r in csv.DictReader(sys.stdin):
	if r["kind"] == "communication" and r["line"] not in sys.argv[1:]:
		print(*(r[c] or "-" for c in ("line", "name", "destination", "count", "sent_bytes", "received_bytes")))' \
		"$(line void)" "$(line nobody)" | sort
}
same_partners() {
	"$out/tvrun" -q --yield --no-insitu -o "$tmp/events.trc" mpiexec.mpich -n 2 \
		"$out/tests/capture/programs/carried" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	partners "$tmp/events.trc" >"$tmp/a"
	partners "$tmp/run.trc" >"$tmp/b"
	[ "$(wc -l <"$tmp/a")" -ge 40 ] && diff "$tmp/a" "$tmp/b"
}
check "partners, counts and bytes are those of the events" same_partners

# As if each rank had a node of its own: nothing is known, or what is held back is.
alone() {
	TVIEW_CARRY=0 "$out/tvrun" -q --yield --statistics "$@" -o "$tmp/run.trc" mpiexec.mpich -n 2 \
		"$out/tests/capture/programs/carried" >"$tmp/log" 2>&1 &&
		"$out/tview" export graph "$tmp/run.trc" --by rank -f csv >"$tmp/graph.csv"
}
check "ranks that cannot tell each other" alone
check "say that nothing is told apart" is "$(of "$(line any)" MPI_Recv 1 'count, told, sync')" "(5, 0, None)"
check "the same with a fore-monitor" alone --fore-monitor
for row in "any MPI_Recv 1" "all MPI_Allreduce 0"; do
	set -- $row
	check "which sees how long $2 waits" is \
		"$(of "$(line "$1")" "$2" "$3" 'count, told, 20e6 < sync <= time')" "(5, 5, True)"
done
check "by its own clock, says the record" is "$(sed "/^odd_/d;/^far_/d;/^requests/d;/^between_/d" "$tmp/graph.csv" | grep -c detected)" 8
check "and what it does not hold is not told" is "$(of "$(line late)" MPI_Ssend 0 'count, told')" "(5, 0)"
done_testing
