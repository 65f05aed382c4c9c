#!/bin/sh
# What records count is what gcov counts of the same program: calls of procedures, calls at each line, iterations of each loop.
. tests/cli/tap.sh
export TVIEW_CC=mpicc.mpich LC_ALL=C
cp tests/cc/units/counted.c "$tmp"
cd "$tmp" || exit 1

covered() { # PATH.gcov has "  count:  line:text"; functions as "function NAME called N returned ..."
	mkdir -p plain && cp counted.c plain && cd plain || return 1
	mpicc.mpich -O0 --coverage -c counted.c && mpicc.mpich --coverage -o counted counted.o && ./counted >out.txt && gcov -b counted.gcda >said.txt || { cat said.txt; return 1; }
	cd ..
	sed -n 's/^function \([a-z_]*\) called \([0-9]*\) .*/procedure \1 \2/p' plain/counted.c.gcov | sort >procedures.gcov
	sed -n 's/^ *\([0-9]*\)\**: *\([0-9]*\):.*/\2 \1/p' plain/counted.c.gcov >lines.gcov
	[ "$(wc -l <procedures.gcov)" = 9 ] && [ "$(wc -l <lines.gcov)" -gt 50 ]
}

# compare TVCC-OPTIONS TVRUN-OPTIONS [SMALL]: SMALL has no probe, and three calls of it neither. What tvrun does itself in a rank (tview_setup) is in traces with events, too.
compare() {
	"$out/tvcc" $1 -o counted counted.c && "$out/tvrun" $2 -o t.trc ./counted >out.txt 2>said.txt && cmp out.txt plain/out.txt &&
		"$out/tview" export graph t.trc -f csv | grep -v tview_ >graph.csv || { cat said.txt; return 1; }
	awk -F, '$2 == "procedure" && $6 { print "procedure", $3, $6 }' graph.csv | sort >procedures.tview
	grep -v " ${3:-none} " procedures.gcov | diff - procedures.tview || return 1
	awk -F, -v left="${3:+3}" '
		FILENAME == "lines.gcov" { split($0, f, " "); executed[f[1]] = f[2]; next }
		$2 == "loop" { loops++; if ($14 != executed[$5 + 1]) { print $1 ": " $14 " iterations, gcov has " executed[$5 + 1]; bad = 1 } }
		($2 == "call" || $2 == "communication") && (!left || $6) { calls++; if ($6 != executed[$5]) { print $1 ": " $6 " calls, gcov has " executed[$5]; bad = 1 } }
		END { if (loops != 9 || calls != 15 - left) { print loops " loops, " calls " calls"; bad = 1 } exit bad }' lines.gcov graph.csv
}

check "gcov counts" covered
check "records, -O2" compare "--all -O2" --statistics
check "records, -O0 and every iteration" compare "--all -O0 --iterations" --statistics
check "events, -O2" compare "--all -O2" "--no-insitu"
check "events, -O3" compare "--all -O3 -g" "--no-insitu"
check "events, by default" compare -O2 "--no-insitu" next
check "gaps, by default" compare -O3 "" next
check "records, by default" compare -O3 --statistics next
done_testing
