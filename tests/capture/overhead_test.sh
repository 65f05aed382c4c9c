#!/bin/sh
# Overhead taken out of real runs: what is left is what the programs take that are not measured. On a machine that is busy
# there is nothing to compare with, and the test says so.
. tests/cli/tap.sh

right() { # PROGRAM
	sed -n "s/^$1 //p" "$tmp/verdicts"
	grep -q "^$1 ok" "$tmp/verdicts"
}

scripts/bench-overhead build/release check >"$tmp/verdicts" 2>&1
for program in pi mix; do
	if grep -q "^overhead: not measured" "$tmp/verdicts"; then
		skip "$program" "$(head -n 1 "$tmp/verdicts")"
	elif grep -q "^$program noisy" "$tmp/verdicts"; then
		skip "$program" "the three smallest runs differ by more than 5 %: the machine is busy"
	else
		check "$program: 85 % of the overhead is taken out, the plain run is within the bounds" right $program
	fi
done
done_testing
