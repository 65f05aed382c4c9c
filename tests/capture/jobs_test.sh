#!/bin/sh
# MPI jobs never mix: two under one tvrun become two traces, whichever order their ranks have.
. tests/cli/tap.sh
ring=$out/programs/ring
unset TALLY
command -v mpiexec.mpich >/dev/null || { skip "tvrun" "there is no mpiexec.mpich"; done_testing; }

record() { "$out/tvrun" --yield -o "$tmp/run.trc" sh -c "$1" >"$tmp/log" 2>&1 </dev/null; }
said() { grep -q -- "$1" "$tmp/log" || { cat "$tmp/log"; return 1; }; }
never_said() { ! said "$1" >/dev/null || { cat "$tmp/log"; return 1; }; }
# ranks_of TRACE: how many it has; messages of its ring, which has 10 a rank and round
ranks_of() { "$tview" export events "$1" -f csv | awk -F, 'NR > 1 { r[$2] } END { for (i in r) n++; print n + 0 }'; }
# calls TRACE FUNCTION
calls() { "$tview" export profile "$1" -f csv | awk -F, -v f="$2" '$1 == f { n = $2 } END { print n + 0 }'; }
whole() { "$tview" check "$1" >"$tmp/check" && ! grep -q "not-finalised\|unmatched\|incomplete" "$tmp/check" || { cat "$tmp/check"; return 1; }; }

check "two jobs, one after the other" record "mpiexec.mpich -n 2 $ring 2 10 10; mpiexec.mpich -n 3 $ring 3 10 10"
check "it is said" said "the command ran 2 MPI jobs; each has its own trace"
check "none is left out" never_said "skipped\|no data from"
check "the first has its ranks" is "$(calls "$tmp/run.trc" MPI_Init)" 2
check "the second its own" is "$(calls "$tmp/run-2.trc" MPI_Init)" 3
check "the first is whole" whole "$tmp/run.trc"
check "the second is whole" whole "$tmp/run-2.trc"

rm "$tmp"/run*
check "three at once" record "for n in 2 3 4; do mpiexec.mpich -n \$n $ring \$n 10 10 & done; wait"
check "it is said" said "the command ran 3 MPI jobs"
check "each with its ranks" is "$(for t in run run-2 run-3; do calls "$tmp/$t.trc" MPI_Init; done | sort | tr '\n' ' ')" "2 3 4 "
for t in run run-2 run-3; do
	check "$t is whole" whole "$tmp/$t.trc"
done

check "then one" record "mpiexec.mpich -n 2 $ring 2 10 10"
check "one job is not counted" never_said "MPI jobs"
check "the second trace of before is not its" said "run-2.trc is of an earlier run"

rm "$tmp"/run*
hang=$out/tests/capture/programs/hang
check "one that ends, and one of which a rank never comes to MPI_Init" \
	record "mpiexec.mpich -n 2 $ring 2 10 10; timeout 4 mpiexec.mpich -n 4 $hang init; true"
check "are two" said "the command ran 2 MPI jobs"
check "the second knows its four ranks" is "$(ranks_of "$tmp/run-2.trc")" 4
check "the first is whole" whole "$tmp/run.trc"

# ---- tvrun is started by the launcher ----

folders() { ls -d "$tmp"/*.ranks-* 2>/dev/null | wc -l; }
inside() { rm -rf "$tmp"/run* && "mpiexec.$mpi" $oversubscribe -n 4 "$out/tvrun" -o "$tmp/$name" "$@" >"$tmp/log" 2>&1 </dev/null; status=$?; }
lines() { grep -c '^tvrun: ' "$tmp/log"; }

cat >"$tmp/each.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, i, end = argc > 1 ? atoi(argv[1]) : 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (i = 0; i < 5; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	if (end && rank == 2)
		abort();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
END
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -o "$tmp/each" "$tmp/each.c"
	name=run.trc
	inside "$tmp/each"
	check "$mpi: a tvrun for each rank" is "$status" 0
	check "$mpi: one trace of all" is "$(calls "$tmp/run.trc" MPI_Init) $(calls "$tmp/run.trc" MPI_Barrier)" "4 24"
	check "$mpi: which is whole" whole "$tmp/run.trc"
	check "$mpi: one of them says so" is "$(lines)" 1
	check "$mpi: no folder is left" is "$(folders)" 0

	# Each has a folder of its own, as on nodes that have not agreed: the files move to that of rank 0.
	name=run-%r.trc
	inside "$tmp/each"
	check "$mpi: folders of their own" is "$(calls "$tmp/run-0.trc" MPI_Init)" 4
	check "$mpi: are gone, too" is "$(folders) $(ls "$tmp"/run* | wc -l)" "0 1"

	name=run.trc
	inside "$tmp/each" 1
	tries=0
	until [ -e "$tmp/run.trc" ] || [ $tries -ge 200 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	check "$mpi: a rank aborts, and the launcher kills all: the trace has all ranks" \
		is "$(calls "$tmp/run.trc" MPI_Init)" 4
	check "$mpi: and what they did before" test "$(calls "$tmp/run.trc" MPI_Barrier)" -ge 20
done
done_testing
