#!/bin/sh
# Functions that run before main: constructors of libraries call them before this library's own constructor has run.
. tests/cli/tap.sh

cat >"$tmp/early.cpp" <<'END'
#include <mpi.h>
static int f(int x) { return x + 1; }
static int early = f(1);
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return early - 2;
}
END
calls() { "$tview" export profile "$tmp/$1.trc" -f csv | awk -F, -v name="$2" '$1 == name { print $2 }'; }

for mpi in mpich openmpi; do
	if ! command -v mpicxx.$mpi >/dev/null; then
		skip "functions before main, $mpi" "there is no mpicxx.$mpi"
		continue
	fi
	mpicxx.$mpi -finstrument-functions -o "$tmp/$mpi" "$tmp/early.cpp"
	oversubscribe=
	[ $mpi = mpich ] || oversubscribe="--allow-run-as-root --oversubscribe"
	# shellcheck disable=SC2086 # several words, or none
	check "$mpi: such a program is recorded" timeout 60 "$out/tvrun" --yield -o "$tmp/$mpi.trc" mpiexec.$mpi $oversubscribe \
		-n 2 "$tmp/$mpi"
	check "$mpi: main and its calls of MPI" is "$(calls $mpi main) $(calls $mpi MPI_Barrier)" "2 2"
	check "$mpi: the function that was called before it" is "$(calls $mpi f)" 2
done
done_testing
