#!/bin/sh
# tvrun --counters: functions that touch so many fresh pages, sleep so often, compute for so long, and print it
# (tests/capture/mpi/counted.c). Only what the kernel counts is needed: virtual machines have no hardware counters.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks=2

record() { # COUNTERS OPTIONS...
	counters=$1
	shift
	timeout 120 "$out/tvrun" -q --yield --counters "$counters" -o "$tmp/c.trc" "$@" "mpiexec.$mpi" $oversubscribe -n $ranks \
		"$tmp/$program" >"$tmp/said" 2>"$tmp/log" || { cat "$tmp/said" "$tmp/log"; return 1; }
	profile "$tmp/c.trc"
}
profile() { "$tview" export profile --no-cache "$1" -f csv >"$tmp/profile"; }
said() { awk -v what="$1" -v name="$2" '$1 == what && $2 == name { n += $3 } END { print n + 0 }' "$tmp/said"; }
# The cell of a region.
cell() { # REGION COLUMN
	awk -F, -v region="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		$1 == region { print at ? $at : "no column" }' "$tmp/profile"
}
at_least() { awk "BEGIN { exit !($1 >= $2) }"; }
check_faults() { # WHAT
	for name in touch outer recurse in_thread; do
		check "$1: $name has the page faults of its own pages" is "$(cell $name minor-faults_exclusive)" \
			"$(said faults $name)"
	done
	check "$1: an outer function has those of the inner ones, too" is "$(cell outer minor-faults_inclusive)" \
		$((ranks * 44))
	check "$1: a recursion has its own once" is "$(cell recurse minor-faults_inclusive)" $((ranks * 12))
}
refuses() { # PATTERN OPTIONS...
	pattern=$1
	shift
	"$out/tvrun" "$@" true 2>&1 | grep -q -- "$pattern"
}
lists() { "$out/tvrun" --list-counters | grep -q "^$1 *$2"; }
trace_says() { "$tview" check --no-cache "$tmp/c.trc" | tr '\n' ' ' | tr -s ' ' | grep -q -- "$1"; }
round_trip() {
	"$tview" convert "$tmp/c.trc" "$tmp/c.otf2" && "$tview" convert "$tmp/c.otf2" "$tmp/back.trc" &&
		cmp "$tmp/c.trc" "$tmp/back.trc" && mv "$tmp/profile" "$tmp/before" && profile "$tmp/c.otf2" &&
		cmp "$tmp/before" "$tmp/profile"
}

check "statistics have no counters" refuses '--statistics keeps none' --counters page-faults --statistics
check "names are needed" refuses 'needs names' --counters ,
check "blanks are refused" refuses 'without blanks' --counters 'page-faults, cycles'
check "there is a limit" refuses 'at most 16' --counters "$(printf 'r%d,' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17)"
check "the list has the kernel's counters" lists minor-faults .
if ! lists minor-faults 'counted$'; then
	skip "counters" "the kernel does not let this user count"
	done_testing
fi
for mpi in mpich openmpi; do
	program=counted
	mpi_is_there || continue
	mpicc.$mpi -O1 -g -finstrument-functions -o "$tmp/counted" tests/capture/mpi/counted.c -pthread
	check "$mpi: it is recorded" record minor-faults,task-clock,context-switches
	check_faults "$mpi"
	check "$mpi: a function that sleeps is switched away each time" \
		at_least "$(cell nap context-switches_exclusive)" "$(said switches nap)"
	check "$mpi: the kernel's clock has the CPU time of a function" \
		at_least "$(cell burn task-clock_exclusive_s)" "0.95 * $(said cpu burn)"
	check "$mpi: and no more than was spent in it" \
		at_least "1.02 * $(cell burn inclusive_s)" "$(cell burn task-clock_exclusive_s)"
	check "$mpi: nothing is missing" is "$("$tview" check "$tmp/c.trc" | grep -c 'not counted\|damage \|guess ')" 0
done
mpi=mpich oversubscribe='' program=counted
if command -v mpicc.mpich >/dev/null; then
	mpicc.mpich -O1 -g -finstrument-functions -o "$tmp/counted" tests/capture/mpi/counted.c -pthread
	check "the other counters go on without one that is not known" record minor-faults,no-such-thing
	check "tvrun says which, and why" grep -q 'warning: no-such-thing is not counted: no counter has this name' "$tmp/log"
	check "the trace says so" trace_says 'no-such-thing was not counted on 2 ranks: no counter has this name'
	check_faults "without one"
	check "PICL and OTF2 have the same counts" round_trip
	check "a filter is taken" sh -c "'$tview' export profile --no-cache '$tmp/c.trc' --filter 'region == outer' -f csv >'$tmp/profile'"
	check "a filter leaves the counts of its visits" is "$(cell outer minor-faults_inclusive)" $((ranks * 44))
	# A number that no processor has.
	check "an event that the processor does not have" record minor-faults,rffffffffffffffff
	check "it is named" grep -q 'warning: rffffffffffffffff is not counted: ' "$tmp/log"
	check_faults "without hardware"
	check "user code alone" record minor-faults:u,context-switches
	check "the column says so" is "$(cell touch minor-faults:u_exclusive)" "$(said faults touch)"
	check "only the last seconds" record minor-faults --last 60s
	check_faults "last"
	check "without functions" record minor-faults --no-functions
	check "calls of MPI are counted" at_least "$(cell MPI_Init minor-faults_inclusive)" 1
	check "functions are not there" is "$(cell touch minor-faults_exclusive)" ""
	check "only some functions" record minor-faults --only touch
	check "chosen functions are counted" is "$(cell touch minor-faults_exclusive)" "$(said faults touch)"
fi
if command -v mpicc.mpich >/dev/null && [ -x "$out/tvcc" ]; then
	mpicc.mpich -cc="$out/tvcc" -O1 -g -o "$tmp/probes" tests/capture/mpi/counted.c -pthread
	program=probes
	check "tvcc: it is recorded" record minor-faults
	for name in touch recurse in_thread; do
		check "tvcc: $name has the page faults of its own pages" is "$(cell $name minor-faults_inclusive)" \
			"$(said faults $name)"
	done
fi
done_testing
