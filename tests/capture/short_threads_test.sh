#!/bin/sh
# Short threads take the room on the disk that their records take: 600 of them fit into 4 MiB.
. tests/cli/tap.sh

if ! command -v mpicc.mpich >/dev/null; then
	skip "short threads" "MPICH is not installed"
	done_testing
fi
mpicc.mpich -o "$tmp/short" tests/capture/mpi/short_threads.c -lpthread
check "600 threads" timeout 60 "$out/tvrun" -q --max-size 4M -o "$tmp/run.trc" mpiexec.mpich -n 1 "$tmp/short" 600
check "all their calls are there" is "$("$tview" export profile "$tmp/run.trc" -f csv | awk -F, '$1 == "MPI_Barrier" { print $2 }')" 5400
check "nothing is missing" sh -c "! '$tview' check '$tmp/run.trc' | grep 'Not everything was recorded'"
done_testing
