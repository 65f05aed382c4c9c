#!/bin/sh
# A job is looked at while it runs: what is seen is what it does, and it does not notice.
. tests/cli/tap.sh
command -v mpiexec.mpich >/dev/null || { skip "tview live" "there is no mpiexec.mpich"; done_testing; }
hang=$out/tests/capture/programs/hang

# begin NAME HANG [TVRUN-OPTION...]: starts a job. Jobs start, and the traces of those that end are made, while others are
# looked at: four at most.
begin() {
	name=$1 hangs=$2
	shift 2
	"$out/tvrun" --yield -o "$tmp/$name.trc" "$@" mpiexec.mpich -n 4 "$hang" "$hangs" </dev/null >"$tmp/$name.log" 2>&1 &
	echo $! >"$tmp/$name.run"
}
# look_at NAME: waits until each of its ranks says "ready"
look_at() {
	run=$(cat "$tmp/$1.run")
	until_is 4 grep -c ready "$tmp/$1.log"
	folder=$(echo "$tmp/$1".trc.ranks-*)
}
# until_is TEXT COMMAND ...: for 30 s at most
until_is() {
	wanted=$1
	shift
	tries=0
	until [ "$("$@" 2>/dev/null)" = "$wanted" ] || [ $((tries += 1)) -ge 300 ]; do sleep 0.1; done
}
waiting() { "$tview" live "$run" --rollcall | grep -c "^3 ranks wait for rank 1"; }
end() { kill -INT "$run"; }
has() { printf '%s\n' "$1" | grep -q -- "$2" || { printf '%s\n' "$1"; return 1; }; }
has_not() { ! has "$@" >/dev/null || { printf '%s\n' "$1"; return 1; }; }
status() { "$@" >"$tmp/out" 2>&1; echo $?; }
field() { "$tview" live -f json | /usr/bin/python3 -c 'import json, sys
print([r for r in json.load(sys.stdin) if r["folder"] == sys.argv[1]][0][sys.argv[2]])' "$folder" "$1"; }

begin barrier barrier
begin loop loop
begin keep barrier --statistics
begin ring ring

links=/tmp/tview-$(id -u)
mkdir -p "$links" "$tmp/empty"
chmod 700 "$links"
ln -sfn "$tmp/empty" "$links/999999999"
check "a folder that a tvrun is just making, or removing, is no run yet" has_not "$("$tview" live 2>&1)" 999999999
check "nor in JSON" is "$("$tview" live -f json | /usr/bin/python3 -c 'import json, sys
print([r["run"] for r in json.load(sys.stdin) if r["run"] == 999999999])')" "[]"
rm "$links/999999999"
printf 'command ./app\nnumbers 0 0 1 0 5 7 6 8 0\n' >"$tmp/empty/tvrun.settings"
ln -sfn "$tmp/empty" "$links/$$"
check "a run whose program has ended while its tvrun goes on is being merged" has "$("$tview" live)" "^ *$$ .* being merged  *./app"
printf 'command ./app\nnumbers 0 0 1 0 5 7 0 0 0\n' >"$tmp/empty/tvrun.settings"
check "before that it is not" has "$("$tview" live)" "^ *$$ .* starting  *./app"
rm "$links/$$"
/usr/bin/python3 -c 'import os, time
child = os.fork() or os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(child, flush=True)
time.sleep(600)' >"$tmp/dead" &
parent=$!
until_is 1 grep -c . "$tmp/dead"
ln -sfn "$tmp/empty" "$links/$(cat "$tmp/dead")"
check "nor is one whose tvrun is dead, though its parent has not asked for it" has "$("$tview" live)" \
	"^ *$(cat "$tmp/dead") .* ended, not merged  *./app"
kill $parent
rm "$links/$(cat "$tmp/dead")" "$tmp/empty/tvrun.settings"

look_at barrier
until_is 1 waiting
check "the list has it" has "$("$tview" live)" "^ *$run  *4  .* running  .*hang barrier"
check "and so has JSON" is "$(field run) $(field ranks) $(field state)" "$run 4 running"
page=$("$tview" live "$run" --summary)
check "its number names it: who is waited for" has "$page" "3 ranks wait for rank 1, which is in compute()"
check "it has not ended" has_not "$page" "when the trace ended\|ended without\|Trace complete"
check "that is said" has "$page" "The run goes on: all records up to 20..-..-.. ..:..:.. UTC read"
check "so does its folder" has "$("$tview" live "$folder" --summary)" "3 ranks wait for rank 1"
# Three of four ranks wait in MPI_Barrier, before that the ranks start.
check "the share of waiting lately, beside that of the run" is "$("$tview" live "$run" --summary -f json | /usr/bin/python3 -c '
import json, sys
r = json.load(sys.stdin)["recent"]
print(0 < r["waiting_whole"] <= r["waiting"] < 0.76, r["whole"])')" "True run"
check "in words" has "$page" "^  The ranks wait [0-9.]* % of the time ([0-9.]* % in the whole run so far)"
check "every view takes it" is "$("$tview" export profile "live:$folder" -f csv | awk -F, '$1 == "MPI_Barrier" { print $2 }')" 7
check "since when is a duration" has "$page" "Ranks 0,2,3 (3) are in MPI_Barrier (hang.c:[0-9]*), the longest for [0-9.]* "
first=$("$tview" export rollcall "live:$folder" -f csv | awk -F, 'NR == 2 { print $6 }')
sleep 0.3
later=$("$tview" export rollcall "live:$folder" -f csv | awk -F, 'NR == 2 { print $6 }')
check "its waits go on" awk "BEGIN { exit !($later - $first >= 0.25) }"
check "a trace of up to now is written" "$tview" live "$run" --save "$tmp/part.trc"
check "it opens" has "$("$tview" report "$tmp/part.trc")" "3 ranks wait for rank 1"
check "nothing in it is damaged" is "$(status "$tview" check "$tmp/part.trc")" 0
check "a run of another name is none" has "$("$tview" live 1 --summary 2>&1)" "no run of yours on this machine has the number"
check "the roll-call alone" has "$("$tview" live "$run" --rollcall)" "^3 ranks wait for rank 1, which is in compute()"
check "which is no verdict" is "$(status "$tview" live "$run" --rollcall)" 0
until_is 1 status "$tview" live "$run" --fail-if-stuck 500ms
check "nothing has moved for half a second" has "$(cat "$tmp/out")" "^Stuck: no rank has begun or ended a call of MPI for"
check "but not for an hour" is "$(status "$tview" live "$run" --fail-if-stuck 3600)" 0
check "and when it was is said" has "$(cat "$tmp/out")" "^Not stuck: the latest call of MPI began or ended .* ago"
for moment in 0.003 0.006 0.01 0.015 0.02 0.03 0.05; do
	timeout -s KILL "$moment" "$tview" live "$run" --summary >/dev/null 2>&1
	true
done
check "readers that are killed at any moment do not matter to the job" has "$("$tview" live "$run" --rollcall)" \
	"^3 ranks wait for rank 1"
end
wait "$run"
check "the trace is whole afterwards" has "$("$tview" report "$tmp/barrier.trc")" "3 ranks wait for rank 1"
check "and the run is not listed" has_not "$("$tview" live)" "^ *$run "

begin calls calls
look_at loop
until_is 1 status "$tview" live "$run" --fail-if-stuck 300ms
check "an endless loop is stuck" has "$(cat "$tmp/out")" "^Stuck: no rank has begun or ended a call of MPI for [0-9.]* "
stack=$("$tview" live "$run" --stack)
if printf '%s\n' "$stack" | grep -q ptrace_scope; then
	skip "the calls of each rank" "this machine forbids to look into processes"
else
	line=$(grep -n 'usleep(1000);' tests/capture/programs/hang.c | head -n 1 | cut -d: -f1)
	check "three ranks make the same calls, told once, without MPI's own" has "$(printf '%s\n' "$stack" | head -n 2 |
		tr '\n' ' ')" "^Ranks 0,2,3:   MPI_Barrier $"
	check "and a function that is not recorded is found with its line" has "$(printf '%s\n' "$stack" |
		sed '1,/^Rank 1:$/d')" "^  spin() (hang.c:$line)$\|^  spin() (hang.c:$((line - 1)))$"
	check "and who called it" has "$(printf '%s\n' "$stack" | sed '1,/spin/d')" "^  barrier() (hang.c:"
fi
check "nothing has come of it" has "$("$tview" live "$run" --rollcall)" "3 ranks wait for rank 1"
end

begin roots roots
look_at keep
check "statistics alone can be looked at" has "$("$tview" export graph "live:$folder" -f csv)" "^main,procedure,main,[^,]*,[0-9]*,4,"
first=$(sed -n '/^static void barrier(/,/^}/=' tests/capture/programs/hang.c | sed -n 3p)
check "calls that have ended are in them, too" has "$("$tview" export graph "live:$folder" -f csv)" "^barrier/MPI_Barrier:$first,communication,MPI_Barrier,[^,]*,$first,4,"
check "and in their last second three of four ranks wait" is "$("$tview" live "$run" --summary -f json | /usr/bin/python3 -c '
import json, sys
r = json.load(sys.stdin)["recent"]
print(1 <= r["seconds"], 0.74 < r["waiting"] < 0.76)')" "True True"
kill -KILL "$run"
for file in "$folder"/*.tvrank; do kill -KILL "$(expr "$file" : '.*-\([0-9]*\)\.tvrank')" 2>/dev/null; done
wait "$run" 2>/dev/null
until_is "ended, not merged" field state
check "of a tvrun that was killed the records are told" has "$("$tview" live)" "tvrun --merge $folder"
check "and seen as it ended" has "$("$tview" report "live:$folder")" "statistics"
check "ranks without an end are told as such" has "$("$tview" check "live:$folder" 2>&1)" \
	": 4 ranks have no end: killed, or ended without MPI_Finalize; see tview check"
check "in the list of findings" has "$("$tview" check "live:$folder" 2>&1)" "^  missing not-finalised  *4  "
check "nothing is damaged, but it is not whole" is "$(status "$tview" check "live:$folder") $(grep -c amaged "$tmp/out")" "1 0"
"$out/tvrun" --merge "$folder" >/dev/null 2>&1
check "once merged it is not listed" has_not "$("$tview" live)" "$folder"

# Each hang, and the job to begin meanwhile: the verdict with its status, and why.
while read -r how next text; do
	[ "$next" = - ] || begin "$next" "$next"
	look_at "$how"
	until_is 1 status "$tview" live "$run" --rollcall --fail-if-stuck 300ms
	check "$how is stuck" is "$(status "$tview" live "$run" --rollcall --fail-if-stuck 300ms)" 1
	check "$how: the verdict" has "$(cat "$tmp/out")" "^Stuck: .* for [0-9.]* "
	check "$how: why" has "$(cat "$tmp/out")" "$text"
	end
done <<'WAYS'
ring orders Stuck: they have waited for each other
calls ahead MPI_Bcast on ranks 0-2, but MPI_Reduce on rank 3
roots lengths with root 3 on ranks 0-2, but with root 0 on rank 3
orders polls in different orders
ahead - Rank 0 is in MPI_Waitall .*, waiting for rank 2 (tag 51)
lengths - MPI_Allreduce with 16 B on ranks 0,2, but with 8 B on rank 1
WAYS

begin off barrier --off
look_at polls
long() { "$tview" live "$run" --rollcall | grep -c "^Ranks 1-3 (3) are in MPI_Barrier .*, the longest for [0-9.]* s"; }
until_is 1 long
check "where one rank goes on nothing is stuck" is "$(status "$tview" live "$run" --fail-if-stuck 1s)" 0
end

look_at off
not_known() { status "$tview" live "$run" --fail-if-stuck 1s; grep -c "4 ranks are not" "$tmp/out"; }
until_is "4
1" not_known
check "where nothing is recorded it cannot be known" has "$(cat "$tmp/out")" "^Whether it is stuck is not known: 4 ranks are not recorded now"
end
wait
done_testing
