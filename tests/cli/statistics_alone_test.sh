#!/bin/sh
# Files that have records of statements, or PICL's statistics, and no events: every verb and view takes them, and what they say comes through
# every format.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp/xdg" XDG_STATE_HOME="$tmp/state"

# Another program's: statistics as ORNL/TM-12125 has them.
cat >"$tmp/foreign.trc" <<'END'
-5 0 0.000000000 -1 -1 4 "%c" main
-5 1 0.000000000 -1 -1 5 "%c" solve
-101 -1 1.000000000 0 0 4 "%d%lf" 0 1.0 1 0.6 -21 0.2 -51 0.1
-102 -1 1.000000000 0 0 4 "%d%d" 0 1 1 10 -21 25 -51 5
-103 -1 1.000000000 0 0 2 "%d%d" -21 2500 -51 40
-101 0 1.000000000 0 0 3 "%d%lf" 1 0.6 -21 0.2 -51 0.1
-102 0 1.000000000 0 0 3 "%d%d" 1 10 -21 25 -51 5
-103 0 1.000000000 0 0 2 "%d%d" -21 2500 -51 40
-101 1 1.000000000 0 0 1 "%d%lf" -21 0.15
-102 1 1.000000000 0 0 1 "%d%d" -21 20
-103 1 1.000000000 0 0 1 "%d%d" -21 2000
END
# tview's: two ranks that were traced for a microsecond, and never entered anything.
sed -e '/^-3\|^-4\|^-101\|^-311/d' -e 's/3 2 -2 0 1$/3 2 -2 0 1/' tests/fuzz/picl/statements.trc >"$tmp/own.trc"
cat >>"$tmp/own.trc" <<'END'
-3 -901 0.000000000 0 7 0
-3 -901 0.000000100 1 8 0
-4 -901 0.000001000 0 7 0
-311 -1 0.000001000 0 7 9 2 0 0 1 0 900 600 900 900 -1
-311 -1 0.000001000 0 7 11 2 1 0 1 0 300 260 300 300 9 4607182418800017408 4611686018427387904
-311 -1 0.000001000 0 7 16 2 3 4 9 0 40 40 1 9 1 -2 30 8 1 8 72 0
-4 -901 0.000001100 1 8 0
-311 -1 0.000001100 1 8 9 2 0 0 1 0 800 800 800 800 -1
END

views="overview timeline events messages collectives profile graph callpaths topology matrix histograms utilisation concurrency
	utilisation-ranks queues queues-over-time corrections
	corrections-classes corrections-pairs corrections-clocks corrections-moves corrections-overhead corrections-regions findings
	definitions patterns statistics rollcall waits explain critical-path"
# They show times that no record tells, see below.
timed=' timeline topology utilisation utilisation-ranks concurrency queues queues-over-time critical-path '
every_view() { # TRACE
	for view in $views; do
		case $timed in *" $view "*) continue ;; esac
		"$tview" export $view "$1" >"$tmp/out" 2>"$tmp/err" || { echo "$view:"; cat "$tmp/err"; return 1; }
		"$tview" export $view "$1" -f json 2>"$tmp/err" | /usr/bin/python3 -c 'import json, sys; json.load(sys.stdin)' ||
			{ echo "$view as JSON:"; cat "$tmp/err"; return 1; }
	done
	"$tview" report "$1" >"$tmp/out" && "$tview" check "$1" >"$tmp/out" && "$tview" convert "$1" "$tmp/out.json"
}
for name in foreign own; do
	check "$name: every view and verb" every_view "$tmp/$name.trc"
done

graph() { # TRACE PATH COUNT TIME: what the graph says of a statement
	"$tview" export graph "$1" -f csv --no-cache >"$tmp/graph" || return 1
	grep -q "^$2,[a-z]*,[^,]*,[^,]*,[^,]*,$3,$4," "$tmp/graph" || { cat "$tmp/graph"; return 1; }
}
check "foreign: solve ran ten times, 0.6 s" graph "$tmp/foreign.trc" solve 10 0.600000000
check "foreign: of 25 sends 20 are in solve" graph "$tmp/foreign.trc" solve/send0 20 0.150000000
check "foreign: and 5 in main itself" graph "$tmp/foreign.trc" main/send0 5 0.050000000
check "own: main ran on both" graph "$tmp/own.trc" main 2 0.000001700

# By hand from the records: work has 600 ns on each rank, 450 of them in its loop, and all rows add up to the ranks' 1,000 ns each.
row() { # VIEW ROW
	"$tview" export $1 tests/ui/statistics.trc -f csv --no-cache >"$tmp/rows" 2>/dev/null && grep -q "^$2" "$tmp/rows" || { cat "$tmp/rows"; return 1; }
}
check "profile: work ran 22 times" row profile 'work,22,0.000001200,0.000001200,0.000000030,5.45454545e-08,0.000000300,0.6,'
check "profile: a barrier's waiting" row profile 'MPI_Barrier,2,0.000000200,0.000000200,.*,0.000000180,sync,'
all_is() { "$tview" export profile tests/ui/statistics.trc -f csv --no-cache | awk -F, '{ sum += $4 } END { exit sum < 1.9999e-6 || sum > 2.0001e-6 }'; }
check "profile: own times add up" all_is
check "matrix: 10 messages of 80 B each way" row matrix '0,1,10,800,80,,,$'
check "matrix: and back" row matrix '1,0,10,800,80,,,$'

# Times that no record tells are refused, and the export that the sentence names has rows.
refused() { # VIEW
	for format in text csv; do
		"$tview" export "$1" tests/ui/statistics.trc -f $format --no-cache >"$tmp/rows" 2>"$tmp/said"
		[ $? = 1 ] || return 1
		[ ! -s "$tmp/rows" ] && [ "$(wc -l <"$tmp/said")" = 1 ] && grep -q 'has statistics only, not ' "$tmp/said" || return 1
	done
	instead=$(sed 's/.*use: tview //' "$tmp/said")
	"$tview" $instead --no-cache >"$tmp/rows" && [ "$(wc -l <"$tmp/rows")" -ge 2 ]
}
for view in $timed; do
	check "$view: refused, with another export" refused $view
done

# Of two ranks that were 450 ns each in a loop, one counted its 110 iterations.
sed '/^-311 .* 1 -1 11 2 8 /s/ 110 [0-9]* [0-9]*$/ 0 0 0/' tests/ui/statistics.trc >"$tmp/half.trc"
each() { "$tview" export graph "$tmp/half.trc" | grep -q '^work/while:31 .* 900 ns .* 110  4\.091 ns '; }
check "an iteration takes the time of the rank that counted" each

# PICL as it was, OTF2 and back the same bytes.
through() { # NAME
	"$tview" convert "$tmp/$1.trc" "$tmp/one.trc" && "$tview" convert "$tmp/one.trc" "$tmp/two.otf2" &&
		"$tview" convert "$tmp/two.otf2" "$tmp/three.trc" && cmp "$tmp/one.trc" "$tmp/three.trc" || return 1
	for file in "$tmp/$1.trc" "$tmp/two.otf2"; do
		"$tview" export graph "$file" -f csv --no-cache
	done >"$tmp/both" || return 1
	[ "$(sort "$tmp/both" | uniq -c | awk '$1 != 2' | wc -l)" = 0 ]
}
check "own: PICL, OTF2 and PICL again" through own
as_it_was() {
	"$tview" convert "$tmp/foreign.trc" "$tmp/again.trc" && cmp "$tmp/foreign.trc" "$tmp/again.trc"
}
check "foreign: written as it was read" as_it_was

# A second start takes all from the cache file.
cached() { # NAME
	export TVIEW_CACHE_MIN=0
	"$tview" export graph "$tmp/$1.trc" -f csv --no-cache >"$tmp/plain" && "$tview" export graph "$tmp/$1.trc" -f csv >"$tmp/first" || return 1
	appears "$tmp/.$1.trc.tvcache"
	"$tview" export graph "$tmp/$1.trc" -f csv >"$tmp/second" || return 1
	cmp "$tmp/plain" "$tmp/first" && cmp "$tmp/plain" "$tmp/second"
}
check "own: the same from the cache" cached own
check "foreign: the same from the cache" cached foreign

# Parts: ranks have their own, a span of time has none and says so.
ranks() {
	"$tview" convert --ranks 1 "$tmp/own.trc" "$tmp/part.trc" && [ "$(grep -c '^-311' "$tmp/part.trc")" = 1 ] &&
		grep '^-311' "$tmp/part.trc" | grep -q ' 1 8 9 2 0 0 1 0 800 800 800 800 -1'
}
check "own: of one rank" ranks
span() {
	"$tview" convert --time 200ns:900ns "$tmp/own.trc" "$tmp/part.trc" 2>"$tmp/err" && ! grep -q '^-311' "$tmp/part.trc" &&
		grep -q 'has no statement records' "$tmp/err"
}
check "own: of a span" span

# PICL's own statistics stand beside the records, and are not read as events.
statistics() {
	"$tview" convert "$tmp/own.trc" "$tmp/one.trc" && grep -q '^-102 -1 0.000001000 0 7 2 "%d%ld" -21 9 1 1$' "$tmp/one.trc" || {
		grep '^-10' "$tmp/one.trc"; return 1; }
	! "$tview" export events "$tmp/one.trc" | grep -q statistics
}
check "own: with PICL's statistics" statistics

done_testing
