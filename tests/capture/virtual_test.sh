#!/bin/sh
# Virtual time of a real run: what recording costs a rank goes on to those that wait for it, exactly, and a wait of the
# program swallows it. Each probe takes at least 1 ms.
. tests/cli/tap.sh
source=tests/capture/programs/virtual.c
probes=40000000 # of a call of slowed(): 20 visits, two records each

"$out/tvrun" -q --yield --virtual-time --probe-delay 1000000 -o "$tmp/run.trc" mpiexec.mpich -n 2 \
	"$out/tests/capture/programs/virtual" >"$tmp/log" 2>&1
ended=$?
for base in measured virtual; do
	"$out/tview" export events "$tmp/run.trc" -b $base -f csv >"$tmp/$base.csv"
done
cat >"$tmp/look.py" <<'END'
import csv, re, sys
source, folder, what = sys.argv[1:4]
probes = int(sys.argv[4])
labels = {n: re.search(r"// (\w+)$", line).group(1) for n, line in enumerate(open(source), 1) if re.search(r"// \w+$", line)}
calls = {}
for r in csv.DictReader(open(folder + "/measured.csv")):
	if r["kind"] == "metric" and r["line"] and int(r["line"]) in labels:
		n = [int(x) for x in re.findall(r"(-?\d+)\*10\^-9", r["text"])]
		end = round(float(r["time_s"]) * 1e9)
		calls[labels[int(r["line"])], int(r["rank"])] = dict(entered=end - n[0], before=n[1], left=n[2], end=end)
def came_last(late, early):
	return late["entered"] > early["entered"] and late["entered"] - late["left"] > early["entered"] - early["before"]
# The end of `waits` depends on `late`, which came last: the intrusion is that of `late`, to what the time stamps of a call cost
# (some 25 ns), which each rank measures by itself. On a machine that
# stood still it may have come first: then it is between both.
def follows(name, late, waits):
	late, waits = calls[name, late], calls[name, waits]
	if came_last(late, waits):
		return abs(late["left"] - waits["left"]) <= 30
	ends = sorted((late["left"], waits["before"]))
	return ends[0] - 2 <= waits["left"] <= waits["end"] - waits["entered"] + ends[1]
if what == "grown":
	ok = calls["swallowed", 1]["before"] >= probes and calls["carried", 0]["before"] - calls["swallowed", 0]["left"] >= probes
elif what == "follows":
	ok = all(follows(*c) for c in (("swallowed", 0, 1), ("carried", 0, 1), ("all", 0, 1), ("back", 1, 0), ("root", 0, 1)))
elif what == "polled": # the time stamps of a call again
	ok = calls["polled", 0]["left"] - 30 <= calls["polled", 1]["left"] <= calls["polled", 1]["before"] + 30
else: # the base: in both, the same events in the same order on each rank, and later by the intrusion
	rows = [[(r["rank"], r["kind"], r["region"], r["line"], round(float(r["time_s"]) * 1e9))
		for r in csv.DictReader(open(folder + "/" + base + ".csv"))] for base in ("measured", "virtual")]
	of = [{rank: [r for r in base if r[0] == rank] for rank in "01"} for base in rows]
	ok = all([r[:4] for r in of[0][k]] == [r[:4] for r in of[1][k]] for k in "01")
	# Virtual zero is that of the first event of the run, as the measured one is.
	for k in "01":
		for m, v in zip(of[0][k], of[1][k]):
			ok = ok and v[4] <= m[4] + 2
			if m[1] == "metric" and m[3] and int(m[3]) in labels and labels[int(m[3])] != "polled":
				ok = ok and abs(m[4] - v[4] - calls[labels[int(m[3])], int(k)]["left"]) <= 2
if not ok:
	for c in sorted(calls.items()):
		print(c)
sys.exit(not ok)
END
look() { /usr/bin/python3 "$tmp/look.py" "$source" "$tmp" "$1" "$probes"; }

check "a run with virtual time" test $ended = 0
check "intrusion grows by what probes take" look grown
check "a call that waits ends with the intrusion of the rank that came last" look follows
check "a loop of tests is one wait" look polled
check "the base virtual is measured time less intrusion" look base
# Set-up is tens of milliseconds.
own() { "$out/tview" export profile "$tmp/run.trc" -b virtual -f csv | awk -F, '/^tview_/ { n++; t += $3 } END { exit !(n > 1 && t < 1e-5) }'; }
check "the tool's own regions take no virtual time" own
# Statistics: slowed() is 40 records of 10 ms, as long as late(). So the receiver that is slowed waits as long as the sender is
# late, which it does not really, and the one whose sender is slowed and late waits as long, not twice as long.
from=$(date +%s%N)
"$out/tvrun" -q --yield --virtual-time --statistics --probe-delay 10000000 -o "$tmp/statistics.trc" mpiexec.mpich -n 2 \
	"$out/tests/capture/programs/virtual" >"$tmp/log" 2>&1
took=$((($(date +%s%N) - from) / 1000000))
"$out/tview" export graph "$tmp/statistics.trc" -f csv >"$tmp/graph.csv"
"$out/tview" report "$tmp/statistics.trc" | tr -s ' \n' ' ' >"$tmp/report"
line() { grep -n "// $1\$" $source | tail -1 | cut -d: -f1; }
# seconds PATH COLUMN LEAST MOST
seconds() {
	awk -F, -v what="$1" -v column="$2" -v least="$3" -v most="$4" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["path"] == what { n++; t += $at[column] }
		END { print what, column, t; exit !(n > 0 && t >= least && t <= most) }' "$tmp/graph.csv"
}
check "statistics: probes take no virtual time" seconds probed time_s 0 0.1
check "statistics: a wait in virtual time, which was none" seconds "main/MPI_Recv:$(line swallowed)" sync_s 0.3 0.6
check "statistics: a wait for a delayed sender, without the delay" seconds "main/MPI_Wait:$(line carried)" sync_s 0.3 0.6
check "statistics: a loop of tests waits for the message" seconds "main/MPI_Test:$(line polled)" sync_s 0.3 0.6
# It has no more than what the probes of rank 0 leave of the run (carried, all and back), nor less than the sleeps.
check "statistics: the program's time is virtual" seconds "" location_max_s 1.2 "$(awk "BEGIN { print $took / 1000 - 0.8 }")"
check "statistics: the report speaks of virtual time" grep -q 'durations in virtual time' "$tmp/report"
"$out/tvrun" -q --yield -o "$tmp/plain.trc" mpiexec.mpich -n 2 "$out/tests/capture/programs/virtual" >"$tmp/log" 2>&1
without() { ! "$tview" export events "$tmp/plain.trc" -b virtual; }
check "a run without has no such base" without
"$out/tvrun" -q --yield --virtual-time --no-functions -o "$tmp/calls.trc" mpiexec.mpich -n 2 "$out/tests/capture/programs/virtual" >"$tmp/log" 2>&1
ended=$?
check "a run without functions ends" test $ended = 0
done_testing
