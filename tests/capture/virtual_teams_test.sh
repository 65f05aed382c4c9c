#!/bin/sh
# Virtual time of the threads of a team of OpenMP (tests/capture/threads/team_times.c). Each probe takes at least 1 ms: what it
# costs a thread goes on to those that wait for it, as far as it comes last without it, too.
. tests/cli/tap.sh
source=tests/capture/threads/team_times.c

cat >"$tmp/look.py" <<'END'
import csv, sys
folder, what = sys.argv[1:3]
MS, CLOSE = 10**6, 10**5 # ns; what records cost
PROBES = 39.9 * MS # 20 visits, two records each; the delay counts ticks, whose rate is a guess when the run begins
TEAMS = ["worker", "swallowed", "barrier"] # in their order: who is slowed in it
rows = [list(csv.DictReader(open("%s/%s.csv" % (folder, base)))) for base in ("measured", "virtual")]
# Of each thread (0: the first one) its events: measured time, intrusion, kind, region
threads = {0: [], 1: []}
for thread in threads:
	of = [[r for r in base if r["location"] == "rank 0" + (" thread 1" if thread else "")] for base in rows]
	for m, v in zip(*of):
		at = round(float(m["time_s"]) * 1e9)
		threads[thread].append((at, at - round(float(v["time_s"]) * 1e9), m["kind"], m["region"]))
def team(label, kind, thread, what="parallel"):
	of = [e for e in threads[thread] if e[2] == kind and e[3].startswith("!$omp %s @" % what)]
	return of[TEAMS.index(label)]
def inside(kind, thread):
	return [e for e in threads[thread] if e[2] == kind and e[3].startswith("!$omp barrier @")][0]
# Both wait for the last one: they go on when that had come, which is earlier by what is between the latest of both really, and
# virtually.
def meets(arrivals, left):
	really = max(a[0] for a in arrivals)
	return abs(left[1] - (really - max(a[0] - a[1] for a in arrivals))) <= CLOSE
def joins(label):
	arrivals = [team(label, "enter", k, "implicit barrier") for k in (0, 1)]
	return meets(arrivals, team(label, "leave", 0, "implicit barrier"))
def grown(label, thread):
	return team(label, "enter", thread, "implicit barrier")[1] - team(label, "enter", thread)[1]
if what == "fork": # what came before it is the intrusion of both, set-up of some milliseconds at least
	ok = all(abs(team(k, "enter", 0)[1] - team(k, "enter", 1)[1]) <= CLOSE for k in ("worker", "swallowed", "barrier"))
	ok = ok and team("worker", "enter", 1)[1] > MS / 10
elif what == "grown":
	ok = grown("worker", 1) >= PROBES and grown("swallowed", 0) >= PROBES and abs(grown("swallowed", 1)) <= CLOSE
elif what == "join":
	ok = joins("worker") and joins("swallowed") and joins("barrier")
elif what == "barrier":
	arrivals = [inside("enter", k) for k in (0, 1)]
	ok = all(meets(arrivals, inside("leave", k)) for k in (0, 1))
	ok = ok and arrivals[0][1] - team("barrier", "enter", 0)[1] >= PROBES
else: # in order on each thread
	ok = all(a[0] - a[1] <= b[0] - b[1] + 2 for of in threads.values() for a, b in zip(of, of[1:]))
if not ok:
	for thread in threads:
		for e in threads[thread]:
			if not "probed" in e[3]:
				print(thread, *e)
sys.exit(not ok)
END
look() { /usr/bin/python3 "$tmp/look.py" "$tmp" "$1"; }
# bounded NAME: all that is slowed, 80 visits, half of them of the worker, has bounds
bounded() {
	"$tview" export difference "$tmp/$1.trc" -b virtual --against compensated --by rank -f csv >"$tmp/bounds" &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$at["region"] == "probed" { n += $at["events"] } END { exit n != 160 }' "$tmp/bounds" || { cat "$tmp/bounds"; return 1; }
}

for compiler in gcc clang-14; do
	if [ $compiler = clang-14 ] && ! { command -v clang-14 >/dev/null && echo 'int main(void) { return 0; }' |
		clang-14 -fopenmp -x c -o "$tmp/probe" - 2>/dev/null; }; then
		skip "virtual time of teams by $compiler" "no OpenMP there"
		continue
	fi
	MPICH_CC=$compiler mpicc.mpich -g -O1 -fopenmp -finstrument-functions -o "$tmp/$compiler" "$source"
	"$out/tvrun" -q --virtual-time --probe-delay 1000000 -o "$tmp/$compiler.trc" mpiexec.mpich -n 1 "$tmp/$compiler" \
		>"$tmp/log" 2>&1
	ended=$?
	check "$compiler: a run with teams" test $ended = 0
	for base in measured virtual; do
		"$tview" export events "$tmp/$compiler.trc" -b $base -f csv >"$tmp/$base.csv"
	done
	check "$compiler: a thread begins with what recording cost the one that forks" look fork
	check "$compiler: its own probes are its own" look grown
	check "$compiler: the join waits for the last one, virtually" look join
	check "$compiler: so does a barrier" look barrier
	check "$compiler: times are in order" look order
	check "$compiler: events of threads have bounds" bounded $compiler
done
done_testing
