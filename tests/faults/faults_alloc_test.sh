#!/bin/sh
# Each place in the recorder that allocates memory finds none, in all ranks or in one: the program runs as it would, and
# what is missing of the trace is said. FAULTS=places (make faults): every place of every run; else some.
. tests/cli/tap.sh
command -v mpiexec.mpich >/dev/null || { skip "memory of the recorder" "there is no mpiexec.mpich"; done_testing; }
fail_alloc=$out/tests/faults/fail_alloc.so
# UCX replaces mmap() in each library, and would be what is asked.
export FAIL_ALLOC_OF=libtvcapture UCX_MEM_MMAP_HOOK_MODE=none UCX_MEM_EVENTS=n

# record N OPTIONS PROGRAM
record() {
	run=$(mktemp -d "$tmp/run.XXXXXX")
	LD_PRELOAD=$fail_alloc timeout 60 "$out/tvrun" --yield -q -o "$run/t.trc" $2 mpiexec.mpich -n "$1" "$3" >"$tmp/out" 2>"$tmp/said"
}
# The numbers of messages and of calls, where events are recorded.
counts() {
	"$tview" export messages "$1" -f csv | wc -l
	"$tview" export profile "$1" -f csv --columns region,count | grep MPI | sort
} 2>"$tmp/counting"

# Of $status, $run, $tmp/said and what a whole run had.
recorded() {
	[ "$status" = 0 ] || { echo "status $status"; return 1; }
	[ "$(wc -l <"$tmp/out")" = "$lines" ] || { echo "the program's output differs"; return 1; }
	[ -s "$tmp/said" ] && return
	[ -e "$run/t.trc" ] || { echo "no trace, and not a word"; return 1; }
	"$tview" check "$run/t.trc" >"$tmp/check" 2>&1 || return 0 # which says it
	counts "$run/t.trc" | cmp -s - "$tmp/whole" || { echo "records are missing, and not a word"; return 1; }
}

# each NAME N OPTIONS PROGRAM
each() {
	name=$1 tried=0 failed=0
	shift
	: >"$tmp/places"
	FAIL_ALLOC_LOG=$tmp/places record "$@" || { check "$name: runs" cat "$tmp/said"; return; }
	lines=$(wc -l <"$tmp/out")
	counts "$run/t.trc" >"$tmp/whole"
	sort -u "$tmp/places" | awk -v all="${FAULTS:-}" 'all || NR % 8 == 3' >"$tmp/chosen"
	while read -r place; do
		for rank in "" 1; do
			if [ "$rank" ]; then export FAIL_ALLOC_RANK=$rank; else unset FAIL_ALLOC_RANK; fi
			FAIL_ALLOC_AT=$place record "$@" </dev/null
			status=$?
			why=$(recorded)
			good=$?
			rm -rf "$run"
			tried=$((tried + 1))
			[ $good = 0 ] && continue
			failed=$((failed + 1))
			echo "# $place ${rank:+rank $rank}: $why ($(head -c 300 "$tmp/said" | tr '\n' ' '))"
		done
	done <"$tmp/chosen"
	unset FAIL_ALLOC_RANK
	echo "# $name: $(sort -u "$tmp/places" | wc -l) places, $tried tried, $failed failed"
	check "$name: the program runs as it would, what is missing is said" [ "$tried" -gt 0 -a "$failed" = 0 ]
}

each "messages" 2 "" "$out/programs/ring"
[ "${FAULTS:-}" ] || done_testing
each "collectives" 4 "" "$out/programs/collectives"
each "requests" 2 "" "$out/programs/stencil"
each "statistics" 2 "--statistics" "$out/programs/stencil"
each "statistics, waiting" 2 "--statistics --fore-monitor" "$out/programs/ring"
each "virtual time" 4 "--virtual-time" "$out/programs/farm"
each "the last second" 2 "--last 1s" "$out/programs/ring"
each "counters" 2 "--counters task-clock" "$out/programs/ring"
each "samples" 2 "--sample 1ms --callstack 8" "$out/programs/stencil"
each "chosen functions" 2 "--only main --exclude f*" "$out/programs/stencil"
done_testing
