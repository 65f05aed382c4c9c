#!/bin/sh
# Traces of a run that goes on: tview_trigger(), and tvrun --trigger. The program goes on until the trace is there
# (programs/triggered.c), so no time matters.
. tests/cli/tap.sh
program=$out/tests/capture/programs/triggered
command -v mpiexec.mpich >/dev/null && [ -x "$program" ] || { skip "tvrun" "there is no mpiexec.mpich"; done_testing; }

# run NAME KIND [OPTION...]
run() {
	name=$1 kind=$2
	shift 2
	timeout 120 "$out/tvrun" --yield -o "$tmp/$name.trc" "$@" mpiexec.mpich -n 3 "$program" "$tmp/$name.1.trc" "$kind" \
		>"$tmp/$name.log" 2>&1 </dev/null
}
has() { printf '%s\n' "$1" | grep -q -- "$2" || { printf '%s\n' "$1"; return 1; }; }
has_not() { ! has "$@" >/dev/null || { printf '%s\n' "$1"; return 1; }; }
visits() { "$tview" export profile "$tmp/$1.trc" -f csv | awk -F, -v r="$2" '$1 == r { n = $2 } END { print n + 0 }'; }
marks() { "$tview" export events "$tmp/$1.trc" -f csv | awk -F, '$4 == "mark" && $5 == "tview_trigger" { print $2 }' | tr '\n' ' '; }
property() { grep -a "^%.*\b$2\b" "$tmp/$1.trc"; }
refused() { "$out/tvrun" "$@" true 2>&1; [ $? = 125 ]; }

check "call: the program's status" run call call
check "call: at the moment of the trace all ranks go on" has "$("$tview" report "$tmp/call.1.trc")" \
	"The run goes on: all records up to 20..-..-.. ..:..:.. UTC read"
check "call: the trace can be read whole" "$tview" check "$tmp/call.1.trc"
check "call: why it was made" has "$("$tview" report "$tmp/call.1.trc")" "rank 1 called tview_trigger()"
check "call: which tvrun says" has "$(cat "$tmp/call.log")" "call.1.trc: .*rank 1 called tview_trigger()"
check "call: what comes later is not in it" is "$(visits call.1 after)" 0
check "call: rank 1 has the marks" is "$(marks call)" "1 1 1 "
check "call: two more within ten seconds make none" is "$(find "$tmp" -name 'call.*.trc' | wc -l)" 1
check "call: that is said" has "$(cat "$tmp/call.log")" \
	"2 triggers made no trace (at most one in 10.0 s, and 10 of a run: --trigger-pause, --trigger-most)"
check "call: the trace of the run has all" is "$(visits call after)" 1
check "call: and was not asked for" has_not "$("$tview" report "$tmp/call.trc")" "called tview_trigger()"

check "most: none are allowed" sh -c "timeout 60 '$out/tvrun' --yield --trigger-most 0 -o '$tmp/most.trc' mpiexec.mpich \
	-n 2 '$program' / call >'$tmp/most.log' 2>&1"
check "most: there are none" is "$(find "$tmp" -name 'most.*.trc' | wc -l)" 0
check "most: all are counted" has "$(cat "$tmp/most.log")" "3 triggers made no trace"

check "alone: statistics alone have a trace, too" run alone call --statistics
check "alone: as far as they went" has "$("$tview" report "$tmp/alone.1.trc")" "rank 1 called tview_trigger()"

# Only rank 1 is in the region, and for so long: whatever it waits for comes when the trace is there.
check "region: the program's status" run region region --trigger 'region == "long wait" && dur > 1s'
check "region: who was where, and for how long" has "$(cat "$tmp/region.log")" \
	"region.1.trc: .*rank 1 has been in long wait for [0-9. a-z]* s"
check "region: it goes on in the trace" is "$(visits region.1 'long wait')" 1
check "region: no second trace at its end" is "$(find "$tmp" -name 'region.*.trc' | wc -l)" 1
check "region: nor was one asked for" has_not "$(cat "$tmp/region.log")" "made no trace"

check "function: the program's status" run function loops --trigger 'region =~ /^aw.it$/ && rank == 2 && dur > 500ms'
check "function: who was where" has "$(cat "$tmp/function.log")" "function.1.trc: .*rank 2 has been in await for"
check "ended: the program's status" run ended loops --trigger 'region == look && dur < 100s' --last 60s
check "ended: such a visit has to end" has "$(cat "$tmp/ended.log")" "ended.1.trc: .*rank 0 was in look for"
check "mpi: the program's status" run mpi loops --trigger 'region == MPI_Barrier && rank == 1'
check "mpi: who was where" has "$(cat "$tmp/mpi.log")" "mpi.1.trc: .*rank 1 .* MPI_Barrier for"

check "what is not known then is refused" has "$(refused --trigger 'tag == 7')" \
	"filter, column 1: .*only region, rank, thread and dur of a visit are known, not tag"
check "and what is not a filter" has "$(refused --trigger 'region =~')" "filter, column"
check "and where there are no visits" has "$(refused --statistics --trigger 'dur > 1s')" "but --statistics keeps none"
done_testing
