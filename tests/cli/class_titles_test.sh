#!/bin/sh
# A class has one title in profile, timeline, legend, report and exports, and one key in JSON and CSV. The trace has 10 ms of
# every class on two ranks; the recording of rank 1 begins 10 ms late.
. tests/cli/tap.sh
titles='user=user code
p2p=point-to-point
collective=collectives
sync=synchronisation
rma=one-sided
io=file I/O
startend=MPI start and end
mpi=other MPI
device=wait for device
overhead=tool overhead
outside=not recorded'

printf '%s\n' "$titles" | awk -F= '
function property(text) { printf "-7 -1 0.0 -1 -1 %d \"%%c\" %s\n", length(text), text }
BEGIN { property("tview:format=1.3"); property("tview:tick=1e-9") }
$1 != "outside" { class[++n] = $1 }
END {
	for (i = 1; i <= n; i++) {
		printf "-5 %d 0.0 -1 -1 %d \"%%c\" of_%s\n", i, length("of_" class[i]), class[i]
		property("tview:region=" i " " class[i] " " i " a.c")
	}
	print "-3 -901 0.00 0 0 0"
	print "-3 -901 0.01 1 0 0"
	for (i = 1; i <= n; i++)
		for (rank = 0; rank < 2; rank++) {
			printf "-3 %d %.2f %d 0 0\n", i, i / 100, rank
			printf "-4 %d %.2f %d 0 0\n", i, (i + 1) / 100, rank
		}
	print "-4 -901 0.12 0 0 0"
	print "-4 -901 0.12 1 0 0"
}' >"$tmp/classes.trc"

"$tview" report "$tmp/classes.trc" --width 200 >"$tmp/report"
"$tview" report "$tmp/classes.trc" -f md >"$tmp/report_md"
"$tview" export overview "$tmp/classes.trc" >"$tmp/overview"
"$tview" export timeline "$tmp/classes.trc" >"$tmp/timeline"
"$tview" export profile "$tmp/classes.trc" >"$tmp/profile"
"$tview" report "$tmp/classes.trc" -f json >"$tmp/json"
"$tview" export profile "$tmp/classes.trc" -f csv >"$tmp/csv"

# Every class has its title in a file, but those that it cannot have.
titled() { # FILE [CLASS]
	printf '%s\n' "$titles" | while IFS='=' read -r key title; do
		[ "$key" = "${2-}" ] || grep -qE "(^|[^a-z])$title" "$tmp/$1" || { echo "no '$title'"; exit 1; }
	done
}
check "the report has the title of every class" titled report
check "so has its Markdown" titled report_md
check "so has the overview" titled overview
check "so has the legend of the timeline, which says what is blank" titled timeline
check "so has the profile, whose regions were all recorded" titled profile outside
keys() {
	for class in user p2p collective sync rma io startend mpi device overhead; do
		grep -q "^of_$class,.*,$class,a.c," "$tmp/csv" || { echo "no '$class'"; return 1; }
	done
}
check "CSV has the keys" keys
shares() { # each class is 20 of 240 ms, what was not recorded 10 ms longer
	/usr/bin/python3 -c '
import json, sys
time = json.load(open(sys.argv[1]))["time"]
shares = [v for k, v in time.items() if k != "lines"]
assert len(shares) == 11, time
assert sorted(round(240 * v) for v in shares) == [10] + [20] * 9 + [50], time' "$tmp/json"
}
check "JSON has the share of each" shares
done_testing
