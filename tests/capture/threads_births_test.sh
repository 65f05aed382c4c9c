#!/bin/sh
# Threads are locations from their birth to their end, POSIX's and C11's (tests/capture/threads/births.c), and those that MPI
# makes for itself are not; of a program with MPI and OpenMP (hybrid.c) the thread is named that all others wait for.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# record RANKS COMMAND...
record() {
	ranks=$1
	shift
	"$out/tvrun" -q -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n "$ranks" "$@" &&
		"$tview" export events "$tmp/t.trc" -f csv >"$tmp/events"
}
# Numbers of the event and its call path follow the location.
locations() { awk -F, 'NR > 1 { n += !seen[$(NF - 2)]++ } END { print n }' "$tmp/events"; }
# events KIND REGION: of threads beside the first
events() { awk -F, -v kind="$1" -v region="$2" 'NR > 1 && $3 > 0 && $4 == kind && $5 == region { n++ } END { print n + 0 }' "$tmp/events"; }
# at_least_1_ms: each of those threads from its first to its last event
at_least_1_ms() {
	awk -F, 'NR == 1 { next } $3 > 0 && !($3 in first) { first[$3] = $1 } $3 > 0 { last[$3] = $1 }
		END { for (t in first) if (last[t] - first[t] < 0.001) { print t, first[t], last[t]; exit 1 } }' "$tmp/events"
}
whole() { "$tview" check "$tmp/t.trc" | grep '^No damage, no guesses'; }
# waits METRIC RANK THREAD: its ms, of all call paths
waits() {
	"$tview" export patterns "$tmp/t.trc" -f csv |
		awk -F, -v metric="$1" -v rank="$2" -v thread="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$at["metric"] == metric && $at["rank"] == rank && $at["thread"] == thread { sum += $at["severity"] }
			END { print int(sum * 1000) }'
}
# between LOW VALUE HIGH
between() { [ "$1" -le "$2" ] && [ "$2" -le "$3" ] || { echo "$2 is not in $1 to $3"; return 1; }; }
names() { "$tview" report "$tmp/t.trc" | tr '\n' ' ' | tr -s ' ' | grep "$1"; }

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -w -g -pthread -o "$tmp/births" tests/capture/threads/births.c
	check "$mpi: six threads, one after the other" record 1 "$tmp/births" 5
	check "$mpi: are six locations beside the first" is "$(locations)" 7
	check "$mpi: each runs its function from birth to end" is \
		"$(events enter work) $(events leave work) $(events enter work_too) $(events leave work_too)" "5 5 1 1"
	check "$mpi: each ends" is "$(events tracing_on tracenode) $(events tracing_off tracenode)" "6 6"
	check "$mpi: each lasts as long as it works" at_least_1_ms
	check "$mpi: nothing is guessed" whole

	mpicc.$mpi -w -g -fopenmp -o "$tmp/hybrid" tests/capture/threads/hybrid.c
	check "$mpi: two ranks of two threads" record 2 "$tmp/hybrid"
	check "$mpi: are four locations" is "$(locations)" 4
	check "$mpi: the first thread of rank 1 waits 5 x 20 ms at the end of its teams" \
		between 60 "$(waits omp_ibarrier_wait 1 0)" 400
	check "$mpi: the cause is named" \
		names 'ank 1 thread 1 takes .*!$omp parallel @hybrid.c:19'
	check "$mpi: nothing is guessed of them" whole
done
done_testing
