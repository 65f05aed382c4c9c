#!/bin/sh
# Programs that hang and are killed: the roll-call of their traces says who waits for whom.
set -u
. tests/cli/tap.sh
out=build/release
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Hangs until the time is over: 124 is timeout's own status, the trace is written all the same.
hang() {
	timeout -s INT 3 "$out/tvrun" --yield --no-insitu -o "$tmp/$1.trc" mpiexec.mpich -n 4 \
		"$out/tests/capture/programs/hang" "$1" </dev/null >"$tmp/log" 2>&1
	[ -s "$tmp/$1.trc" ] || { cat "$tmp/log"; return 1; }
	"$out/tview" export rollcall "$tmp/$1.trc" -f csv >"$tmp/$1.csv" &&
		"$out/tview" check "$tmp/$1.trc" >"$tmp/$1.check"
}
# cells COLUMN: by rank, in a line
cells() {
	/usr/bin/python3 -c 'import csv, sys
rows = sorted(csv.DictReader(open(sys.argv[1])), key=lambda r: int(r["rank"]))
print(*[r[sys.argv[2]] or "-" for r in rows])' "$tmp/$1.csv" "$2"
}
is() { [ "$1" = "$2" ] || { echo "got: $1"; echo "want: $2"; return 1; }; }

check "a ring of synchronous sends hangs" hang ring
check "each waits for the next" is "$(cells ring peer)" "1 2 3 0"
check "all are in the cycle" is "$(cells ring cycle)" "1 2 3 4"
check "which check calls a deadlock" grep -q "deadlock of 4" "$tmp/ring.check"
check "a rank is missing in a barrier" hang barrier
check "and is the only one" is "$(cells barrier state)" "collective computing collective collective"
check "the others wait for it" is "$(cells barrier waiters)" "- 3 - -"
check "in its function" grep -q "Rank 1 is what 3 others wait for: it is in compute()" "$tmp/barrier.check"
check "two wait for messages of each other" hang request
check "as their requests say" is "$(cells request peer)" "1 0 3 2"
check "a deadlock of two" grep -q "deadlock of 2" "$tmp/request.check"
done_testing
