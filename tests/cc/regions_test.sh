#!/bin/sh
# Regions that the program begins itself (tview.h) among the statements of tvcc, functions with hooks, and alone: in
# the graph each is where it was begun, and own times add up to the whole time, with events and without.
. tests/cli/tap.sh
export TVIEW_CC=mpicc.mpich

if ! command -v mpicc.mpich >/dev/null; then
	skip "regions among statements" "MPICH is not installed"
	done_testing
fi
# A nap is a millisecond at least. inner() naps 3 times, one of them in "inside"; outer() 3 times, 2 of them in "around",
# and calls inner() 4 times in it, 3 of these in "step".
cat >"$tmp/regions.c" <<'C'
#include <mpi.h>
#include <time.h>
#include "tview.h"
#define NAP() nanosleep(&(struct timespec){ 0, 1000000 }, NULL)
static void inner(void)
{
	NAP();
	tview_begin("inside");
	NAP();
	tview_end("inside");
	NAP();
}
static void outer(void)
{
	NAP();
	tview_begin("around");
	NAP();
	inner();
	for (int i = 0; i < 3; i++) {
		tview_begin("step");
		inner();
		tview_end("step");
	}
	NAP();
	tview_end("around");
}
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	tview_begin("all");
	outer();
	MPI_Barrier(MPI_COMM_WORLD);
	tview_end("all");
	outer();
	MPI_Finalize();
	return 0;
}
C
"$out/tvcc" --all -O1 -g -Iinclude "$tmp/regions.c" -o "$tmp/tvcc" || exit 1
mpicc.mpich -O1 -g -Iinclude -finstrument-functions "$tmp/regions.c" -o "$tmp/hooks" || exit 1
mpicc.mpich -O1 -g -Iinclude "$tmp/regions.c" -o "$tmp/plain" || exit 1

record() { "$out/tvrun" -q -o "$tmp/t.trc" "$@" && "$tview" export graph "$tmp/t.trc" -f csv >"$tmp/graph"; }
# own NAME: of a procedure, in whole naps, and how often it was there
own() { awk -F, -v name="$1" '$2 == "procedure" && $3 == name { print ($8 >= .001 * '"$2"' ? "enough" : $8), $6 }' "$tmp/graph"; }
# Each visit is on one place of the stack: what is in none is the program's own.
adds_up() {
	awk -F, '$2 == "program" { all = $7 } $2 != "call" { own += $8 }
		END { if (all <= 0 || own < .99 * all || own > 1.01 * all) { print own, "of", all; exit 1 } }' "$tmp/graph"
}
# begun PATH COUNT: the place where a region is begun
begun() { awk -F, -v path="$1" '$2 == "call" && $1 == path { n += $6 } END { print n + 0 }' "$tmp/graph"; }

for program in tvcc hooks plain; do
	for way in --statistics ""; do
		check "$program ${way:-with events}" record $way timeout 60 mpiexec.mpich -n 1 "$tmp/$program"
		check "own times add up to the whole" adds_up
		check "inside" is "$(own inside 8)" "enough 8"
		check "all" is "$(own all 0)" "enough 1"
		case $program in
		plain)
			check "around has all in it that is in no other" is "$(own around 8)" "enough 2"
			check "step, too" is "$(own step 12)" "enough 6"
			check "and is in it" is "$(begun 'around/step()')" 6
			;;
		tvcc)
			check "around" is "$(own around 4)" "enough 2"
			check "step has nothing of its own" is "$(own step 0)" "enough 6"
			check "inner" is "$(own inner 16)" "enough 8"
			check "all is begun in main" is "$(begun 'main/all()')" 1
			check "around in outer" is "$(begun 'outer/around()')" 2
			check "step in its loop" is "$(begun 'outer/for:19/step()')" 6
			check "inside in inner" is "$(begun 'inner/inside()')" 8
			;;
		hooks)
			check "around" is "$(own around 4)" "enough 2"
			check "inner" is "$(own inner 16)" "enough 8"
			check "step in around" is "$(begun 'around/step()')" 6
			;;
		esac
	done
done
done_testing
