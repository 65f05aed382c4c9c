#!/bin/sh
# PICL's statistics (-101 to -104) that tview makes of a run's records are what the events of the same run say: compared by `tview check`, which
# knows nothing of records where the header does not say whose the statistics are. And what they say alone is a program again.
. tests/cli/tap.sh
export TVIEW_CC=mpicc.mpich

compiled() {
	"$out/tvcc" --all -g -O1 -Iinclude -Itraces/programs -o "$tmp/matrix" traces/programs/matrix.c -lm
}
traced() { # NAME [OPTION]: every function is recorded, or nothing but records is kept
	"$out/tvrun" -q --yield --no-insitu ${2+"$2"} -o "$tmp/$1.trc" mpiexec.mpich -n 3 "$tmp/matrix" 24 3 >"$tmp/log" 2>&1 ||
		{ cat "$tmp/log"; return 1; }
}
# Statements do not tell receives that waited (-52) from the others.
agrees() {
	sed -e '/tview:picl-statistics=/d' -e 's/^\(-[34]\) -52 /\1 -51 /' -e '/^-5 -52 /d' "$tmp/events.trc" >"$tmp/plain.trc"
	"$out/tview" check "$tmp/plain.trc" --base measured >"$tmp/said"
	cat "$tmp/said"
	n=$(sed -n "s/^The statistics in the file agree with its events (\([0-9]*\) numbers)\.\$/\1/p" "$tmp/said")
	[ "${n:-0}" -ge 100 ]
}
# Counts and bytes of the whole run, by rank and label: the same in a run of which no event is kept.
counts() { # NAME
	/usr/bin/python3 - "$tmp/$1.trc" <<'END'
import sys
label, rows = {}, []
for line in open(sys.argv[1]):
	word = line.split()
	if word[0] == "-5":
		label[word[1]] = line.split(None, 7)[7].strip()
	elif word[0] in ("-102", "-103", "-104") and word[1] == "-1":
		rows += [(word[0], word[3], label.get(t, t), v) for t, v in zip(word[7::2], word[8::2])]
for row in sorted(rows):
	print(*row)
END
}
same_counts() {
	counts events >"$tmp/a"
	counts records >"$tmp/b"
	[ "$(wc -l <"$tmp/a")" -ge 50 ] && diff "$tmp/a" "$tmp/b"
}
# The file as another program would write it: the statistics have the overhead that the graph takes out of the records.
alone() {
	grep -v '^-311 \|^-[347] \|^-202 ' "$tmp/records.trc" >"$tmp/alone.trc" || return 1
	"$out/tview" export graph "$tmp/alone.trc" -f csv >"$tmp/alone.csv" && "$out/tview" export graph "$tmp/records.trc" -f csv >"$tmp/graph.csv" || return 1
	/usr/bin/python3 - "$tmp/alone.csv" "$tmp/graph.csv" <<'END'
import csv, sys
def procedures(path):
	return {r["name"]: (r["count"], float(r["time_s"]) + float(r.get("overhead_s", 0))) for r in csv.DictReader(open(path)) if r["kind"] == "procedure" and r["count"]}
alone, graph = procedures(sys.argv[1]), procedures(sys.argv[2])
assert len(graph) >= 5, graph
for name in graph:
	count, time = alone[name]
	assert count == graph[name][0] and abs(time - graph[name][1]) < 5e-9, (name, alone[name], graph[name])
END
}

check "a program is compiled with tvcc" compiled
check "and traced" traced events
check "its records are what its events say" agrees
check "it is traced without events" traced records --statistics
check "counts and bytes are the same" same_counts
check "from the statistics alone procedures are known" alone
done_testing
