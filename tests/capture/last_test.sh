#!/bin/sh
# tvrun --last: the disk is bounded however long the run is, what is kept is whole from where it begins, and nothing is
# paired with a record of another message because its own one was overwritten. Message I of a tag has I % 1000 + 1 bytes,
# on both sides (programs/last.c).
. tests/cli/tap.sh
program=$out/tests/capture/programs/last
command -v mpiexec.mpich >/dev/null && [ -x "$program" ] || { skip "tvrun" "there is no mpiexec.mpich"; done_testing; }

# run NAME RANKS ROUNDS KIND [OPTION...]
run() {
	name=$1 ranks=$2 rounds=$3 kind=$4
	shift 4
	timeout 120 "$out/tvrun" --yield --keep --buffer-dir "$tmp/$name.buffers" -o "$tmp/$name.trc" "$@" \
		mpiexec.mpich -n "$ranks" "$program" "$rounds" "$kind" >"$tmp/$name.log" 2>&1 </dev/null
}
begin() { mkdir "$tmp/$1.buffers"; }
said() { "$tview" check "$tmp/$1.trc" | tr -s ' \n' ' ' | grep -q "$2" || { "$tview" check "$tmp/$1.trc"; return 1; }; }
silent() { ! "$tview" check "$tmp/$1.trc" | grep "$2"; }
counted() { "$tview" export graph "$tmp/$1.trc" -f csv | awk -F, -v r="$2" '$3 == r && !n { n = $6 } END { print n + 0 }'; }
messages() { "$tview" export messages "$tmp/$1.trc" -f csv | awk 'NR > 1' | wc -l; }
rollcall() { "$tview" export rollcall "$tmp/$1.trc" -f csv | awk -F, -v r="$2" '$1 == r { print $3, $4, $7, $8 }'; }

in_order() { "$tview" export events "$tmp/$1.trc" -f csv | awk -v channels="$2" -f tests/capture/programs/last.awk; }
# Each rank has the same collectives as rank 0, at the end of the trace.
collectives() {
	"$tview" export events "$tmp/$1.trc" -f csv | awk -F, '
		$4 == "collective_begin" && $5 == "MPI_Allreduce" { all[$2] = all[$2] " " $8 "/" $9 }
		END { for (r in all) if (all[r] != all[0]) { print "rank " r ":" all[r]; bad = 1 }; exit bad || all[0] == "" }'
}
bounded() { # each file has its 3 MiB, and the memory that is mapped: 4 chunks, 1 more, 2 ledgers
	find "$tmp/$1.buffers" -name '*.tvrank' -size +5M | grep . && return 1
	[ "$(find "$tmp/$1.buffers" -name '*.tvrank' | wc -l)" = "$2" ]
}

# Rank 0 writes 600 x 3,000 visits, 27 MiB and more; the others 6 MiB.
begin end
check "end: the program's status" run end 3 600 end --last 60s --max-size 3M
check "end: the disk is bounded" bounded end 3
check "end: messages have their partners" in_order end 18
check "end: and collectives" collectives end
check "end: the last message of a channel has 3,600 % 1,000 bytes" is \
	"$("$tview" export messages "$tmp/end.trc" -f csv | awk -F, '$3 == 1 && $5 == 2 && $7 == "world" { b = $6 } END { print b }')" 600
check "end: nothing is unmatched or left open" silent end 'unmatched\|incomplete\|stray\|open-at-start\|unclosed'
check "end: no message is received before it is sent" said end 'Linear times: 0 of'
check "end: what is missing" said end 'Only the last events of 3 ranks were kept (tvrun --last): those of .* of rank time before are missing; statistics are of the whole run'
check "end: all visits are counted" is "$(counted end step)" 2400000
check "end: and all calls" is "$(counted end MPI_Allreduce)" 1800

begin whole
check "whole: the program's status" run whole 2 20 end --last 600s
check "whole: a short run is there from its start" is "$(messages whole)" $((2 * 20 * 36))
check "whole: nothing is missing" silent whole 'Only the last events'

# Of the last 2 s there is one round.
begin late
check "late: the program's status" run late 2 50 late --last 2s
check "late: the messages of the last round" is "$(messages late)" $((2 * 36))
check "late: they have their partners" in_order late 12
check "late: nothing is unmatched or left open" silent late 'unmatched\|incomplete\|stray\|open-at-start\|unclosed'

begin kill
run kill 4 600 kill --last 60s --max-size 3M
check "kill: rank 1 is where it died" is "$(rollcall kill 1)" "computing end  "
# Rank 1 dies after its own exchange: messages of the others may be under way.
check "kill: messages have their partners" in_order kill 0
check "kill: nothing is unmatched" silent kill 'unmatched\|stray\|open-at-start'

# What is said last is written before the rank waits.
begin hang
run hang 4 600 hang --last 60s --max-size 3M &
at=$!
for _ in $(seq 600); do grep -q ready "$tmp/hang.log" 2>/dev/null && break; sleep .1; done
sleep .3
for pid in $(find "$tmp/hang.buffers" -name '*.tvrank' | sed 's/.*-\([0-9]*\)\.tvrank/\1/'); do kill -TERM "$pid"; done
wait $at
check "hang: rank 0 sends to rank 1" is "$(rollcall hang 0)" "sending MPI_Ssend 1 77"
check "hang: rank 1 is outside of MPI" is "$(rollcall hang 1)" "computing end  "
check "hang: the others wait" is "$(rollcall hang 2)$(rollcall hang 3)" "collective MPI_Allreduce  collective MPI_Allreduce  "
check "hang: messages have their partners" in_order hang 24

fails() { ! "$@" 2>"$tmp/said"; }
check "not with --statistics" fails "$out/tvrun" --last 30s --statistics true
check "which is said" grep -q 'last keeps the last events, but --statistics keeps none' "$tmp/said"
check "not of less than a second" fails "$out/tvrun" --last 10ms true
done_testing
