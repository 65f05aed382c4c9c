#!/bin/sh
# Figures of runs that are kept, and runs compared with them: simulated runs of one program, of which some have a slower
# rank. What differs by chance must be within the noise, and what was made slower must not.
. tests/cli/tap.sh
simulate=$out/simulate
export XDG_CACHE_HOME="$tmp" XDG_STATE_HOME="$tmp" TVIEW_BASELINES="$tmp/kept"

run() { "$simulate" --program stencil --ranks 8 --steps 40 --noise 0.2 "$@" >/dev/null; }
for i in 1 2 3 4 5 6 7 8; do run --seed $i -o "$tmp/$i.trc"; done
run --seed 21 --slow 5:3 -o "$tmp/slow.trc"

# tview_ STATUS ARGUMENTS...: output in $tmp/out and $tmp/err
tview_() {
	want=$1
	shift
	(cd "$tmp" && "$tview" "$@" >out 2>err </dev/null)
	got=$?
	[ "$got" = "$want" ] || { echo "status $got, not $want"; cat "$tmp/err"; return 1; }
}
prints() { grep -q -- "$1" "$tmp/out" || { cat "$tmp/out"; return 1; }; }
says() { grep -q -- "^tview: .*$1" "$tmp/err" || { cat "$tmp/err"; return 1; }; }

none() { tview_ 0 baseline list && prints 'no baselines' && tview_ 3 report 1.trc --baseline main && says "no baseline 'main'"; }
check "there is none at first" none
add() {
	tview_ 0 baseline add main 1.trc 2.trc 3.trc 4.trc 5.trc && prints 'main: 5 runs' &&
		tview_ 0 baseline add main 6.trc && tview_ 0 baseline list && prints '^main  *6 runs  last 20..-..-.. ..:.. UTC$'
}
check "runs are added" add

same() {
	rm -f "$tmp/sum"
	for i in 11 12 13 14 15; do
		run --seed $i -o "$tmp/new.trc"
		tview_ 0 export difference new.trc --baseline main -f csv || return 1
		cut -d, -f11 "$tmp/out" | grep -c 'more\|less\|new\|gone' >>"$tmp/sum"
	done
	[ "$(awk '$1 == 0' "$tmp/sum" | wc -l)" -ge 5 ] || { cat "$tmp/sum"; return 1; }
}
check "another run of the program does not differ" same
slow() {
	tview_ 0 report slow.trc --baseline main && prints '^Old: baseline main, 6 runs, 8 locations' &&
		prints 'Computation on rank 5 grew by' &&
		tview_ 1 report slow.trc --baseline main --fail-on 'comp > 1.1x' && says 'comp is .*more than 1.1x'
}
check "one with a slower rank does" slow
open() {
	tview_ 4 report 7.trc --baseline main --fail-on 'comp > 1.0x' && says 'inconclusive: comp is .*noise of .* includes 1x' &&
		tview_ 0 report 7.trc --baseline main --fail-on 'comp > 1.5x' && [ ! -s "$tmp/err" ]
}
check "what the noise includes is inconclusive: status 4" open

# The mean of the kept runs is what the traces themselves say.
means() {
	tview_ 0 export difference 7.trc --baseline main --by metric -f csv && cp "$tmp/out" "$tmp/kept.csv"
	tview_ 0 export difference 1.trc 7.trc --baseline 2.trc,3.trc,4.trc,5.trc,6.trc --by metric -f csv &&
		cmp "$tmp/out" "$tmp/kept.csv"
}
check "traces and their figures say the same" means
apart() { for i in 1 2 3 4 5 6 7 8; do (TVIEW_BASELINES="$tmp/two" "$tview" baseline add both "$tmp/$i.trc" >/dev/null) & done; wait
	TVIEW_BASELINES="$tmp/two" tview_ 0 baseline list && prints '^both  *8 runs'; }
check "eight processes add at once" apart

window() { tview_ 2 report 7.trc --baseline main --time 0:1ms && says 'whole runs'; }
check "a window of them there is not" window
other() {
	"$simulate" --program stencil --ranks 4 --steps 5 -o "$tmp/four.trc" >/dev/null
	tview_ 0 baseline add main four.trc && tview_ 2 report 7.trc --baseline main && says 'runs of 8 and of 4 locations'
}
check "runs of another size are not mixed" other
removed() { tview_ 0 baseline remove main && tview_ 0 baseline list && prints 'no baselines' && tview_ 3 baseline remove main; }
check "removed" removed
names() {
	for name in ../x .x -x 'a b' ''; do tview_ 2 baseline add -- "$name" 1.trc || return 1; done
	tview_ 2 baseline && tview_ 2 baseline add main && tview_ 2 baseline change main
}
check "names, and words that are none" names
damaged() {
	tview_ 0 baseline add main 1.trc && for f in "$tmp"/kept/main/*; do head -c 2000 "$f" >"$tmp/cut" && mv "$tmp/cut" "$f"; done
	tview_ 3 report 7.trc --baseline main && says 'figures:[0-9]*: .*add the run again'
}
check "a damaged file is named with its line" damaged
full() { [ -e /dev/full ] && TVIEW_BASELINES=/proc/none tview_ 3 baseline add x 1.trc; }
check "a folder that cannot be written" full
done_testing
