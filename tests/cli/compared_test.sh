#!/bin/sh
# Two traces: simulated runs of which one has a slower rank, and what tview says of them.
. tests/cli/tap.sh
simulate=$out/simulate
export XDG_CACHE_HOME="$tmp" XDG_STATE_HOME="$tmp"

run() { "$simulate" --program stencil --ranks 8 --steps 20 "$@" >/dev/null; }
run --seed 1 -o "$tmp/old.trc"
run --seed 2 -o "$tmp/again.trc"
run --seed 3 -o "$tmp/third.trc"
run --seed 5 -o "$tmp/fourth.trc"
run --seed 6 -o "$tmp/fifth.trc"
run --seed 4 --slow 5:1.5 -o "$tmp/new.trc"
"$simulate" --program stencil --ranks 16 --steps 20 --seed 1 -o "$tmp/wide.trc" >/dev/null

# report STATUS ARGUMENTS...: output in $tmp/out and $tmp/err
report() {
	want=$1
	shift
	(cd "$tmp" && "$tview" report "$@" >out 2>err </dev/null)
	got=$?
	[ "$got" = "$want" ] || { echo "status $got, not $want"; cat "$tmp/err"; return 1; }
}
prints() { grep -q -- "$1" "$tmp/out" || { cat "$tmp/out"; return 1; }; }
says() { grep -q -- "^tview: .*$1" "$tmp/err" || { cat "$tmp/err"; return 1; }; }

names_it() {
	report 0 old.trc new.trc --baseline again.trc,third.trc,fourth.trc,fifth.trc &&
		prints '^  Computation on rank 5 grew by' && prints '^Old values are means of 5 runs' &&
		sed -n '/^Ranks$/{n;p;}' "$tmp/out" | grep -q '^  Computation on rank 5 grew by'
}
check "the slower rank and what it computed are named first" names_it

# 20 steps of 100 us, of which rank 5 takes half as much again: 1 ms (the noise of the work is below 10 %).
exact() {
	"$tview" export difference "$tmp/old.trc" "$tmp/new.trc" -f csv >"$tmp/all.csv" || return 1
	head -n 1 "$tmp/all.csv" |
		grep -q '^metric,callpath,rank,old,new,difference,percent,of_difference,unit,noise' || return 1
	awk -F, '$1 == "time" && $2 == "main > relax" && $3 == 5 { d = $6 }
		END { if (d < 0.0008 || d > 0.0013) { print d; exit 1 } }' "$tmp/all.csv"
}
check "by as much as it was made slower" exact

sums() {
	for by in metric callpath rank; do
		"$tview" export difference "$tmp/old.trc" "$tmp/new.trc" -f csv --by $by
	done | awk -F, '$1 == "time" { sum[$2 ? 2 : $3 != "" ? 3 : 1] += $6 }
		END { for (i in sum) { d = sum[i] - sum[1]; n++
			if (d > 1e-9 || d < -1e-9) { print i, sum[i], sum[1]; exit 1 } }
			exit n != 3 }'
}
check "by metric, by call path and by rank the difference is the same" sums

alike() { report 0 old.trc old.trc && prints 'No difference\.$' && ! grep -q 'grew\|shrank by' "$tmp/out"; }
check "a trace less itself is nothing" alike
again() {
	"$tview" export difference "$tmp/old.trc" "$tmp/old.trc" -f csv | awk -F, 'NR > 1 && $6 != 0 { exit 1 }'
}
check "in every row" again

wide() {
	report 0 old.trc wide.trc && prints '8 locations before and 16 now' &&
		prints 'ranks 7 : 14-15\|ranks [0-7] : [0-9]*-[0-9]*'
}
check "other numbers of ranks are compared by position" wide

json() {
	report 0 old.trc new.trc -f json && /usr/bin/env python3 - "$tmp/out" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["runs"]["old"] == "old.trc" and d["runs"]["new"] == "new.trc"
rows = d["locations"]["rows"]
assert rows[0]["rank"] == "rank 5" and rows[0]["metric"] == "comp", rows[0]
for r in rows:
    assert abs(r["new"] - r["old"] - r["difference"]) < 1e-9
assert {r["name"] for r in d["efficiencies"]["rows"]} >= {"load balance", "parallel efficiency"}
P
}
check "as JSON" json
markdown() { report 0 old.trc new.trc -f md && prints '^|.*comp.*rank 5'; }
check "as Markdown" markdown

holds() {
	report 1 old.trc new.trc --fail-on 'comp > 1.02x || visits > 2x' && says 'comp is .*more than 1.02x' &&
		! grep -q visits "$tmp/err"
}
check "--fail-on that holds: status 1, and which part it was" holds
holds_not() { report 0 old.trc again.trc --fail-on 'time > 1.1x' && [ ! -s "$tmp/err" ]; }
check "that does not: status 0, and nothing said" holds_not
one() { report 1 new.trc --fail-on 'mpi > 5% && load_balance < 99%' && says 'load_balance is'; }
check "of one trace" one
nonsense() {
	report 2 old.trc new.trc --fail-on 'mpi_latesendr > 5%' && says "did you mean 'mpi_latesender'" &&
		report 2 new.trc --fail-on 'time > 1.1x' && says 'one trace only' && [ ! -s "$tmp/out" ]
}
check "nonsense: status 2" nonsense

damaged() { report 0 old.trc "$OLDPWD/traces/bad/truncated.trc"; }
OLDPWD=$PWD
check "a damaged trace is compared as far as it goes" damaged
missing() { report 3 old.trc none.trc && says 'none.trc'; }
check "one that is not there" missing
alone() { report 3 old.trc --baseline again.trc && says "no baseline 'again.trc'.*OLD TRACE"; }
check "--baseline with a trace, but without an older one" alone
two_views() {
	"$tview" export profile "$tmp/old.trc" "$tmp/new.trc" 2>"$tmp/err"
	[ $? = 2 ] && says 'takes one trace'
}
check "of two traces other views are refused" two_views

# Of the slow rank alone: its computation grew by half, 1 ms.
ranks() {
	"$tview" export difference "$tmp/old.trc" "$tmp/new.trc" --ranks 5 --by metric -f csv | awk -F, '
		$1 == "comp" { p = $7 } END { if (p < 40 || p > 60) { print p; exit 1 } }' &&
		report 1 new.trc --ranks 5 --fail-on 'comp < 4ms && comp > 2ms' && report 0 new.trc --fail-on 'comp < 4ms'
}
check "of chosen ranks" ranks

# What measuring took of each region, as figure 2 of paper 3 has it: by two time bases of the measured run, and by
# the measured run less one that was never measured, which the simulator knows. To 1 % of all of it.
pi() {
	"$simulate" --program pi --ranks 8 --steps 20 --calls 200 --tiny 2e-7 --overhead 1e-7 --insitu 0.1 \
		-o "$tmp/pi.trc" >/dev/null
	"$tview" export difference "$tmp/pi.trc" -f csv >"$tmp/bases.csv"
	"$tview" export difference "$tmp/pi-true.trc" "$tmp/pi.trc" --by callpath -f csv >"$tmp/traces.csv"
	awk -F, 'FNR == 1 { file++; next }
		file == 1 { bases[$1] = $4; all += $4 > 0 ? $4 : 0; next }
		$1 == "time" { n = split($2, path, " > "); traces[path[n]] += $6 }
		END {
			if (all < 0.02 || bases["get_coords"] < 0.05 * all) { print "nothing taken out"; exit 1 }
			for (r in bases) traces[r] += 0
			for (r in traces) {
				d = traces[r] - bases[r]
				if (d > 0.01 * all || d < -0.01 * all) { print r, traces[r], bases[r]; exit 1 }
			}
		}' "$tmp/bases.csv" "$tmp/traces.csv"
}
check "what measuring took of pi: two bases and two traces say the same" pi

# The same by metric and call path (paper 3, section 5): shares of the difference of all time add up to it, and get_coords has as
# much as by region.
algebra() {
	"$tview" export difference "$tmp/pi.trc" --by callpath -f csv >"$tmp/paths.csv" &&
		"$tview" export difference "$tmp/pi.trc" --by metric -f csv >"$tmp/metrics.csv" || return 1
	awk -F, 'FNR == 1 { file++; next }
		file == 1 { regions[$1] = $4; next }
		file == 2 && $1 == "time" { shares += $8; n = split($2, path, " > "); paths[path[n]] -= $6 }
		file == 3 && $1 == "execution" { execution = $8 }
		file == 3 && $1 == "overhead" { overhead = $8 }
		END {
			d = paths["get_coords"] - regions["get_coords"]
			if (d > 1e-9 || d < -1e-9) { print "get_coords", paths["get_coords"], regions["get_coords"]; exit 1 }
			if (shares < 99.99 || shares > 100.01) { print shares; exit 1 }
			if (execution + overhead < 99.99 || execution + overhead > 100.01) { print execution, overhead; exit 1 }
		}' "$tmp/bases.csv" "$tmp/paths.csv" "$tmp/metrics.csv"
}
check "two bases by metric and call path: shares of the difference" algebra
bases_of_a_window() { "$tview" export difference "$tmp/pi.trc" --by metric --time 0:1ms 2>"$tmp/err"; [ $? = 2 ] && says 'whole run'; }
check "of a window there are none" bases_of_a_window
done_testing
