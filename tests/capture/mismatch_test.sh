#!/bin/sh
# Reductions and broadcasts that lack a rank, and whose other ranks pass types and operations that do not fit together
# (programs/hang.c): the roll-call says which, while they hang and afterwards, with events and without, on each MPI. Before
# that: the handles that it knows types and operations by are those of the MPIs.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
table=src/capture/lib/operands.def

# Each row as an assertion; an mpi.h leaves out types that its compiler does not have.
mpich_handles() {
	sed -nE 's/^TV_[A-Z]+\((\w+), (0x\w+),.*/_Static_assert((unsigned)MPI_\1 == \2, "\1");/p' $table >"$tmp/rows.h"
	[ "$(wc -l <"$tmp/rows.h")" -ge 70 ] && echo '#include <mpi.h>
#include "rows.h"' >"$tmp/rows.c" && mpicc.mpich -fsyntax-only "$tmp/rows.c"
}
openmpi_handles() {
	sed -nE 's/^TV_[A-Z]+\((\w+), \w+, (ompi_\w+),.*/#ifdef MPI_\1\nif ((void *)MPI_\1 != (void *)\&\2) return 1;\n#endif/p' $table >"$tmp/rows.h"
	[ "$(wc -l <"$tmp/rows.h")" -ge 240 ] && echo '#include <mpi.h>
int main(void) {
#include "rows.h"
return 0; }' >"$tmp/rows.c" && mpicc.openmpi -w -o "$tmp/rows" "$tmp/rows.c" && "$tmp/rows"
}
# hang HOW OPTIONS: until the roll-call has all that are in the collective; then it is interrupted
hang() {
	how=$1
	shift
	timeout 100 "$out/tvrun" --yield --no-insitu "$@" -o "$tmp/run.trc" "mpiexec.$mpi" $oversubscribe -n 4 "$tmp/hang" "$how" \
		</dev/null >"$tmp/log" 2>&1 &
	run=$!
	for _ in $(seq 200); do
		"$tview" live "$(echo "$tmp"/run.trc.ranks-*)" --rollcall >"$tmp/now" 2>/dev/null
		grep -Eq '^Ranks 0-2 \(3\) are in MPI_(Allreduce|Bcast)' "$tmp/now" && break
		sleep 0.2
	done
	kill -INT $run
	wait $run
	"$tview" check "$tmp/run.trc" >"$tmp/after"
	rm -f "$tmp/run.trc"
}
said() { [ "$(grep -c Mismatch "$tmp/$1")" = "$2" ] && grep -q "Mismatch in collective call 2 of world: $3" "$tmp/$1" || { cat "$tmp/$1"; false; }; }
all() {
	while read -r how n text; do
		hang "$how" "$@" </dev/null
		check "$mpi $*: $how, while it hangs" said now "$n" "$text"
		check "$mpi $*: $how, afterwards" said after "$n" "$text"
	done <<-'END'
		operations 1 MPI_Allreduce with MPI_SUM on ranks 0,2, but with MPI_MAX on rank 1.
		types 1 MPI_Allreduce with MPI_INT on ranks 0,2, but with MPI_FLOAT on rank 1.
		own 2 MPI_Allreduce with MPI_SUM on ranks 0,2, but with an operation of its own on rank 1.
		bcast 1 MPI_Bcast with MPI_FLOAT on rank 0, but with MPI_INT on rank 2.
	END
}

for mpi in mpich openmpi; do
	oversubscribe=
	[ $mpi = mpich ] || oversubscribe=--oversubscribe
	command -v mpicc.$mpi >/dev/null && command -v mpiexec.$mpi >/dev/null ||
		{ skip "types and operations of $mpi" "it is not installed"; continue; }
	check "$mpi: the handles of types and operations" ${mpi}_handles
	mpicc.$mpi -g -o "$tmp/hang" tests/capture/programs/hang.c
	all
	all --statistics
done
done_testing
