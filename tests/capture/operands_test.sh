#!/bin/sh
# Two calls in one expression are two call statements, whatever the compiler makes of what stands before them: fib(6) calls
# fib(n - 1) twelve times and fib(n - 2) twelve times, in the records as in the graph of the events.
. tests/cli/tap.sh

cat >"$tmp/operands.c" <<'END'
#include <mpi.h>
static int fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) +
	       (int)-(long)-fib(n - 2);
}
int main(int argc, char **argv)
{
	int n;
	MPI_Init(&argc, &argv);
	n = fib(6);
	MPI_Finalize();
	return n != 8;
}
END
cp "$tmp/operands.c" "$tmp/operands.cpp"

# build COMPILER UNDER FILE; graph OPTIONS OF TVRUN; counts: line and count of the calls
build() { TVIEW_CC=mpicc.mpich TVIEW_CXX=mpicxx.mpich "$out/$1" -Wall -Wextra -Werror -O2 -o "$tmp/app" "$tmp/$2"; }
graph() {
	"$out/tvrun" -q "$@" -o "$tmp/run.trc" mpiexec.mpich -n 1 "$tmp/app" &&
		"$out/tview" export graph "$tmp/run.trc" -f csv >"$tmp/graph.csv"
}
counts() {
	/usr/bin/python3 -c 'import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["kind"] == "call" and r["name"] == "fib()"]
print(sorted((int(r["line"]), int(r["count"])) for r in rows))' "$tmp/graph.csv"
}
want='[(6, 12), (7, 12), (13, 1)]'

for pair in "tvcc operands.c" "tvcxx operands.cpp"; do
	set -- $pair
	check "$1 compiles it" build "$1" "$2"
	check "its records" graph --statistics
	check "tell the calls apart" is "$(counts)" "$want"
	check "its events" graph --no-insitu
	check "do so, too" is "$(counts)" "$want"
done
done_testing
