#!/bin/sh
# Looks at running jobs of many kinds by readers under the sanitizers, which start and are killed at any moment: no reader
# stumbles over what it reads, and the job ends as without them, with a whole trace. Ranks that fork, exec, exit and crash
# while they are read are among them.
. tests/cli/tap.sh
reader=build/asan/tview
command -v mpiexec.mpich >/dev/null && [ -x "$reader" ] || { skip "readers of running jobs" "no mpiexec.mpich, or no $reader"; done_testing; }
export ASAN_OPTIONS=detect_leaks=1

# look VERB OPTIONS...: one reader. A folder that is just made or removed is no error of it.
look() {
	"$reader" "$@" >"$tmp/page" 2>"$tmp/said"
	status=$?
	grep -q 'Sanitizer\|runtime error' "$tmp/said" && cat "$tmp/said" >>"$tmp/errors"
	[ $status -le 4 ] || echo "status $status: $*" >>"$tmp/errors"
	grep -q 'run goes on\|are in\|is in' "$tmp/page" && echo "$*" >>"$tmp/looks"
	return 0
}
# Readers of one kind after another, over all jobs, and beside them those that are killed.
while_it_runs() {
	while kill -0 "$run" 2>/dev/null; do
		for moment in 0.03 0.2 0.06 0.4 0.1 0.3; do
			timeout -s KILL $moment "$reader" report "live:$run" >/dev/null 2>"$tmp/killed"
			grep -q 'Sanitizer\|runtime error' "$tmp/killed" && cat "$tmp/killed" >>"$tmp/errors"
			kill -0 "$run" 2>/dev/null || break
		done
	done &
	killed=$!
	while kill -0 "$run" 2>/dev/null; do
		case $((kind = (kind + 1) % 5)) in
		0) look live "$run" --rollcall ;;
		1) look report "live:$run" ;;
		2) look export events "live:$run" -f csv ;;
		3) look live "$run" --save "$tmp/part.trc" ;;
		4) look export graph "live:$run" -f csv ;;
		esac
	done
	wait $killed
}
# reads STATUS RANKS PROGRAM...: its status is that, and what it leaves can be read
reads() {
	want=$1 ranks=$2
	shift 2
	: >"$tmp/errors"
	"$out/tvrun" --yield -q -o "$tmp/job.trc" mpiexec.mpich -n "$ranks" "$@" </dev/null >"$tmp/log" 2>&1 &
	run=$!
	while_it_runs
	wait $run
	got=$?
	[ "$want" = any ] || [ $got = "$want" ] || echo "the job's status is $got, not $want" >>"$tmp/errors"
	"$tview" check "$tmp/job.trc" >"$tmp/check"
	[ "$want" = any ] || grep -q "^No damage\|^Not everything was recorded" "$tmp/check" || cat "$tmp/check" >>"$tmp/errors"
	[ ! -s "$tmp/errors" ] || { cat "$tmp/errors" "$tmp/log"; return 1; }
}

: >"$tmp/looks"
kind=0
while read -r want ranks program arguments; do
	# shellcheck disable=SC2086 # words
	check "$program $arguments" reads "$want" "$ranks" "$out/$program" $arguments
done <<'END_OF_JOBS'
0 4 programs/ring 300 1024 10000
0 4 programs/stencil 64 300
0 4 programs/farm 1000 10000
0 4 programs/collectives 16 4 20000
0 2 tests/capture/programs/requests
0 2 tests/capture/programs/threads
any 2 tests/capture/programs/die work 11
any 2 tests/capture/programs/die work exec
END_OF_JOBS
cat >"$tmp/forks.c" <<'END'
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	MPI_Init(NULL, NULL);
	for (int i = 0; i < 100; i++) {
		const pid_t child = fork();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
		usleep(3000);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
END
mpicc.mpich -g -finstrument-functions -o "$tmp/forks" "$tmp/forks.c"
check "ranks that fork" reads 0 2 "$tmp/forks"
check "jobs were seen while they ran" test -s "$tmp/looks"
done_testing
