#!/bin/sh
# Names of C++ functions in a trace: tests/capture/mpi/names.cc says how often it calls which.
. tests/cli/tap.sh

if ! command -v mpicxx.mpich >/dev/null; then
	skip "names of C++" "MPICH is not installed"
	done_testing
fi
# visits OPTIONS...: "NAME COUNT;..." of one rank, without MPI
visits() {
	"$out/tvrun" -q -o "$tmp/t.trc" "$@" >"$tmp/log" 2>&1 || cat "$tmp/log"
	"$tview" export profile "$tmp/t.trc" -f csv | awk -F, '$9 == "user" && $1 != "main" { print $1, $2 ";" }' |
		LC_ALL=C sort | tr -d '\n'
}
build() {
	mpicxx.mpich "$@" -finstrument-functions -o "$tmp/names" tests/capture/mpi/names.cc
}

local="(anonymous namespace)::first::run 3;(anonymous namespace)::second::run 5;(anonymous namespace)::twice<double> 1;(anonymous namespace)::twice<int> 2;"
build -g
check "functions of one name in two classes, and with two parameters" \
	is "$(visits mpiexec.mpich -n 1 "$tmp/names")" "${local}put 4;put 7;"
check "the same on two ranks are one" \
	is "$(visits mpiexec.mpich -n 2 "$tmp/names")" "$(echo "$local" | sed 's/3/6/;s/5/10/;s/2;/4;/;s/1;/2;/')put 14;put 8;"
build
check "without debug information a name is all that tells them apart" \
	is "$(visits mpiexec.mpich -n 1 "$tmp/names")" "${local}put 11;"
done_testing
