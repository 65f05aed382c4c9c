#!/bin/sh
# A program of the ABI that MPI 5.0 defines, on a double of such a library (tests/capture/mpi/standard/double.c): the numbers
# are those of the same program on MPICH and Open MPI (every_test.sh).
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
# shellcheck disable=SC2034 # of record.sh
mpi=mpich oversubscribe=
. tests/capture/mpi/record.sh
same_layout() { diff "$sources/standard/layout.txt" "$tmp/ours"; }
# completions: of all sends, and whether most are in MPI_Isend itself, not in the MPI_Waitall that gets the shared handle
completions() {
	"$tview" export events "$tmp/t.trc" -f csv | awk -F, '
		$4 == "enter" { call[$2] = $5 }
		$4 == "send_complete" { n++; early += call[$2] ~ /Isend/ }
		END { print n + 0, (early > 60 ? "most at once" : early + 0) }'
}

if ! command -v mpicc.mpich >/dev/null || ! command -v mpiexec.mpich >/dev/null; then
	skip "the standard ABI" "MPICH is not installed, which the double of its library needs"
	done_testing
	exit
fi
cc -w -DSTANDARD -DOURS -DTV_HEADER='"capture/lib/mpi/abi_standard.h"' -Isrc -o "$tmp/layout" "$sources/abi_layout.c" &&
	"$tmp/layout" >"$tmp/ours"
check "types and constants are those of the standard" same_layout

mpicc.mpich -g -w -shared -fPIC -o "$tmp/libmpi_abi.so" "$sources/standard/double.c" -ldl -nostdlib -lc
mpicc.mpich -o "$tmp/any" "$sources/every.c"
MPICH=$(ldd "$tmp/any" | awk '/libmpi(ch)?\.so/ { print $3; exit }')
export MPICH
for program in every standard/shared; do
	cc -g -Isrc -I"$sources/standard" -o "$tmp/$(basename $program)" "$sources/$program.c" -L"$tmp" -lmpi_abi -Wl,-rpath,"$tmp"
done
check "the program alone" timeout 60 mpiexec.mpich -n 2 "$tmp/every"
check "recorded" record "$tmp/every"
check "16 messages a rank" is "$(messages)" "32 21128"
check "its calls" is "$(visits Send Recv Irecv Isend Wait Waitall Sendrecv Cancel)" "22 2 32 10 22 10 2 2 "
check "its collectives" is "$(visits Barrier Allreduce Bcast Comm_dup)" "6 4 2 2 "
check "nothing had to be guessed" whole
check "sends with one handle: recorded" record "$tmp/shared"
check "sends with one handle: 60 messages a rank of 8 bytes" is "$(messages)" "120 960"
check "sends with one handle: each is completed once" is "$(completions)" "120 most at once"
check "sends with one handle: nothing had to be guessed" whole
done_testing
