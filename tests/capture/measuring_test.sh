#!/bin/sh
# tvrun --statistics takes out what its probes took: the hottest procedure of a program with a leaf that is called ten
# million times is the one that computes, as in the program itself (0.02 s of the leaf, five times as much of the other).
# The clock runs on where other programs take the core, which highest niceness keeps out where it may: else there is
# nothing to compare with.
set -u
. tests/cli/tap.sh
out=build/release
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

first=
nice -n -20 true 2>/dev/null && [ "$(nice -n -20 nice)" = -20 ] && first="nice -n -20"

compiles() {
	TVIEW_CC=mpicc.mpich "$out/tvcc" --all -O2 -g -o "$tmp/leaf" tests/capture/programs/busy_leaf.c
}
alone() { # the run had its core
	awk '$1 == "wall" { exit !($2 < 1.1 * $4) }' "$tmp/log"
}
quiet_run() {
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2086
		$first timeout 60 "$out/tvrun" -q --statistics -o "$tmp/run.trc" "$tmp/leaf" >"$tmp/log" 2>&1 || return 1
		"$out/tview" export graph --no-cache -f csv "$tmp/run.trc" >"$tmp/graph" || return 1
		"$out/tview" report --no-cache -f json "$tmp/run.trc" >"$tmp/report" || return 1
		alone && return 0
	done
	return 2
}
column() { # NAME: its number
	head -n 1 "$tmp/graph" | tr ',' '\n' | grep -n "^$1\$" | cut -d: -f1
}
count_is_exact() {
	[ "$(awk -F, '$1 == "leaf" && $2 == "procedure" { print $6 }' "$tmp/graph")" = 10000000 ]
}
# Each time is between its bounds, and with what measuring took it was measured.
bounds_are_in_order() {
	awk -F, -v t="$(column time_s)" -v low="$(column time_low_s)" -v high="$(column time_high_s)" -v took="$(column overhead_s)" '
		NR > 1 && $t != "" && !($low - 1e-6 <= $t && $t <= $high + 1e-6 && $took >= 0) { wrong = 1 }
		END { exit wrong || NR < 2 }' "$tmp/graph"
}
hottest_is() { # PATH
	hottest=$(awk -F, -v own="$(column exclusive_s)" '($2 == "procedure" || $2 == "loop") && $own > most { most = $own; at = $1 } END { print at }' "$tmp/graph")
	# shellcheck disable=SC2254 # a pattern
	case $hottest in
	$1) ;;
	*) cat "$tmp/graph" && return 1 ;;
	esac
}
# What a probe costs is measured before the program runs: where the machine is shared, its speed may change in between.
hottest_of_three_is() { # PATH
	hottest_is "$1" >/dev/null || { quiet_run && hottest_is "$1" >/dev/null; } || { quiet_run && hottest_is "$1"; }
}
share_is_said() {
	grep -q '"overhead_share": 0\.[2-9]' "$tmp/report" && grep -q 'warning: measurement took .* leaf (busy_leaf.c:[0-9]*' "$tmp/report"
}

if ! command -v mpiexec.mpich >/dev/null; then
	skip "statistics" "there is no mpiexec.mpich here: install the package mpich"
	done_testing
fi
check "it compiles" compiles
quiet_run
ran=$?
check "it runs" [ $ran -ne 1 ]
check "every visit counts" count_is_exact
check "bounds hold times" bounds_are_in_order
if [ $ran -eq 2 ]; then
	skip "the hottest is what computes" "other programs take the core"
	skip "what measuring took is said" "other programs take the core"
else
	check "the hottest is what computes" hottest_of_three_is 'hot/for:*'
	check "what measuring took is said" share_is_said
fi
done_testing
