#!/bin/sh
# Looks at a job whose ranks overwrite their oldest records all the time (tvrun --last), and a rank that is killed while
# it does: no message is paired with another one's record. Message I of a tag has I % 1000 + 1 bytes, on both sides
# (programs/last.c).
. tests/cli/tap.sh
program=$out/tests/capture/programs/last
command -v mpiexec.mpich >/dev/null && [ -x "$program" ] || { skip "tview live" "there is no mpiexec.mpich"; done_testing; }

# How many there are depends on how long the reader was stopped.
in_order() { "$tview" export events "$1" -f csv | awk -v channels=0 -f tests/capture/programs/last.awk; }
written() { find "$tmp"/run.trc.ranks-* -name '*.tvrank' -size "+$1" 2>/dev/null | wc -l; }

# Rounds for an hour; a rank's file has 3 MiB of copies at most.
timeout 120 "$out/tvrun" --yield --last 1s --max-size 3M -o "$tmp/run.trc" mpiexec.mpich -n 3 "$program" 10000000 end \
	</dev/null >"$tmp/log" 2>&1 &
run=$!
# All have their copies.
for _ in $(seq 600); do [ "$(written 3M)" = 3 ] && break; sleep .1; done
folder=$(echo "$tmp"/run.trc.ranks-*)
for look in 1 2 3; do
	check "look $look: messages have their partners" in_order "live:$folder"
done
last() { "$tview" report "live:$folder" | tr -s ' \n' ' ' | grep -q 'Only the last events of 3 ranks were kept'; }
for _ in $(seq 100); do last && break; sleep .1; done
check "a look has what the ring has: the last events" last
timeout -s KILL 0.1 "$tview" report "live:$folder" >/dev/null 2>&1
first=$(find "$folder" -name '*.tvrank' | head -n 1 | sed 's/.*-\([0-9]*\)\.tvrank/\1/')
kill -KILL "$first"
wait $run
check "a rank that was killed: messages have their partners" in_order "$tmp/run.trc"
check "the others are there, too" is "$("$tview" export events "$tmp/run.trc" -f csv | awk -F, 'NR > 1 { r[$2] } END { for (i in r) n++; print n }')" 3
done_testing
