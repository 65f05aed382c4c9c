#!/bin/sh
# A wait that is not longer than the clocks of both ranks may be wrong is 'uncertain' in the calls as in the waits.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp"

run() {
	"$out/simulate" --program halo --ranks 6 --steps 40 --work 1e-4 --noise 0.3 --calls 1 --latency 2e-5 --jitter 1e-5 \
		--offset-noise 2e-5 --offset-rtt 1e-4 --clock-offset 1e-3 "$@" -o "$tmp/run.otf2" >/dev/null || return 1
	"$tview" export calls "$tmp/run.otf2" -f json >"$tmp/calls" && "$tview" export waits "$tmp/run.otf2" -f json >"$tmp/waits"
}
# The calls that are marked, and those whose longest wait is marked: "rank waited_s".
marked() {
	jq -r '.rows[] | select((.remarks // "") | test("uncertain")) | "\(.rank) \(.waiting_s // .waited_s)"' "$1" | sort
}
same() {
	run && marked "$tmp/calls" >"$tmp/a" && marked "$tmp/waits" >"$tmp/b" && [ -s "$tmp/a" ] && diff "$tmp/a" "$tmp/b"
}
# Clocks here are known to some 60 us.
long() {
	run --work 2e-3 --noise 1 &&
		jq -e '[.rows[] | select(.waiting_s != null and .waiting_s > 5e-4)] | length > 10 and all(.[]; .remarks == null)' "$tmp/calls"
}
# Clocks are compared whatever times are shown: the database of all exports marks the same.
measured() {
	for v in calls waits messages; do
		"$tview" export "$v" --base measured traces/mpicl.trc -f csv >"$tmp/$v" || return 1
		[ "$(grep -c uncertain "$tmp/$v")" = 2 ] || { echo "$v"; return 1; }
	done
}
check "calls and waits mark the same" same
check "measured times are marked, too" measured
check "a wait of half a millisecond is certain" long
done_testing
