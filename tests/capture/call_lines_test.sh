#!/bin/sh
# Hooks: each call has its line and its count, also where the compiler inlined what is called, or made a function of the
# inside of a construct of OpenMP (tests/capture/threads/call_lines.cc, which says how often what was called from where).
. tests/cli/tap.sh

# calls: "busy 27 3" of each call statement with a line, sorted; the calls of constructs and of the recorder have none
calls() {
	"$tview" export graph "$tmp/t.trc" -f csv | /usr/bin/python3 -c '
import csv, re, sys
sums = {}
for row in csv.DictReader(sys.stdin):
	name = re.fullmatch(r".*/(?:Grid::)?(\w+)(?:<\w+>)?\(\)(?::(\d+))?", row["path"])
	if row["kind"] != "call" or not name or name[1].startswith("tview_"):
		continue
	key = name[1], int(name[2] or 0)
	sums[key] = sums.get(key, 0) + int(row["count"] or -1000000)
for (name, line), count in sums.items():
	print(name, line, count)' | sort
}
# visits PROCEDURE: of each that is called so
visits() {
	"$tview" export graph "$tmp/t.trc" -f csv | awk -F, -v name="$1" '$1 == name { print $6 }' | sort -rn | tr '\n' ' '
}
# places CONSTRUCT: lines of its regions
places() {
	"$tview" export graph "$tmp/t.trc" -f csv | awk -F, -v name="!\$omp $1 @" '
		index($1, name) == 1 && $1 !~ /\// { sub(/.*:/, "", $1); print $1 }' | sort -n | tr '\n' ' '
}
pragmas() { awk -v which="$1" '/^#pragma omp/ && index($0, which) { printf "%d ", NR }' tests/capture/threads/call_lines.cc; }
made_by_compiler() { "$tview" export graph "$tmp/t.trc" -f csv | cut -d, -f1 | grep '_omp_fn\|omp_outlined\|omp_task_entry'; }

for compiler in g++ clang++-14; do
	if ! { command -v $compiler >/dev/null && echo 'int main() { return 0; }' |
		$compiler -fopenmp -x c++ -o "$tmp/try" - 2>/dev/null; }; then
		skip "$compiler" "it is not installed, or has no OpenMP"
		continue
	fi
	for level in 0 1 2; do
		what="$compiler -O$level"
		mpicxx.mpich -cxx=$compiler -w -g -O$level -fopenmp -finstrument-functions -o "$tmp/lines" \
			tests/capture/threads/call_lines.cc
		check "$what: a run" sh -c "'$out/tvrun' -q -o '$tmp/t.trc' mpiexec.mpich -n 1 '$tmp/lines' | sort >'$tmp/said'"
		check "$what: calls are at their lines, and as many as the program counted" is "$(calls)" "$(cat "$tmp/said")"
		check "$what: of two functions with one name, called in one line, each has its own" is "$(visits twin)" "10 5 "
		check "$what: regions are at their pragmas" is "$(places parallel)" "$(pragmas parallel)"
		check "$what: tasks are" is "$(places task)" "$(pragmas task)"
		[ $compiler = clang++-14 ] ||
			check "$what: what the compiler made of them is not there a second time" is "$(made_by_compiler)" ""
		# A call that is a jump out of a construct has no place there.
		[ $level = 2 ] && continue
		check "$what: --statistics" sh -c "'$out/tvrun' -q --statistics -o '$tmp/t.trc' mpiexec.mpich -n 1 '$tmp/lines' | sort >'$tmp/said'"
		check "$what: has the same calls" is "$(calls)" "$(cat "$tmp/said")"
	done
done
done_testing
