#!/bin/sh
# The capture library on 64-bit ARM: compiled for it, and a program of one rank run by an emulator. The numbers are those of
# tests/capture/mpi/every.c for each rank. The MPI is a stand-in that sends to itself (tests/capture/mpi/standard/alone.c).
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
# shellcheck disable=SC2034 # of record.sh
mpi=mpich oversubscribe=
. tests/capture/mpi/record.sh
cc=aarch64-linux-gnu-gcc
cache=$(command -v ccache)
library() {
	make --no-print-directory CC="${cache:+$cache }$cc" CFLAGS="-O1 -g0" OUT="$tmp/arm" "$tmp/arm/lib/tview/libtvcapture.so" >"$tmp/log" 2>&1
}
no_warnings() { ! grep 'warning:' "$tmp/log"; }
# The library that tvrun preloads is this machine's: the emulator must not load it, the program loads the other one.
cat >"$tmp/emulate" <<END
#!/bin/sh
unset LD_PRELOAD
exec qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_PRELOAD=$tmp/arm/lib/tview/libtvcapture.so -E LD_LIBRARY_PATH=$tmp "\$@"
END
chmod +x "$tmp/emulate"
# line FUNCTION: where it was called first
line() {
	"$tview" export events "$tmp/t.trc" -f csv |
		awk -F, -v f="MPI_$1" '$4 == "enter" && $5 == f { n = split($12, part, "/"); print part[n] ":" $13; exit }'
}

if ! command -v $cc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
	skip "64-bit ARM" "gcc-aarch64-linux-gnu or qemu-user is not installed"
	done_testing
	exit
fi
check "the library is compiled for 64-bit ARM" library
check "without a warning" no_warnings
$cc -g -w -shared -fPIC -o "$tmp/libmpi_abi.so" "$sources/standard/alone.c"
$cc -g -Isrc -I"$sources/standard" -o "$tmp/every" "$sources/every.c" -L"$tmp" -lmpi_abi
check "recorded" "$out/tvrun" -q -o "$tmp/t.trc" "$tmp/emulate" "$tmp/every"
check "16 messages" is "$(messages)" "16 10564"
check "its calls" is "$(visits Send Recv Irecv Isend Wait Waitall Sendrecv Cancel)" "11 1 16 5 11 5 1 1 "
check "its collectives" is "$(visits Barrier Allreduce Bcast Comm_dup)" "3 2 1 1 "
check "its lines" is "$(line Sendrecv)" "every.c:$(grep -n MPI_Sendrecv "$sources/every.c" | cut -d: -f1)"
check "nothing had to be guessed" whole
done_testing
