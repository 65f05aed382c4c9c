#!/bin/sh
# tview report: formats, widths, windows and ranks, how it ends; the same bytes every time.
. tests/cli/tap.sh

fits() { # WIDTH TRACE
	"$tview" report "$2" --width "$1" >"$tmp/out" && awk -v w="$1" 'length > w { print; bad = 1 } END { exit bad }' "$tmp/out"
}
for trace in traces/*.trc; do
	check "$trace fits 80 columns" fits 80 "$trace"
	LC_ALL=C check "$trace is JSON" sh -c "'$tview' report $trace -f json | /usr/bin/python3 -m json.tool >/dev/null"
done
check "and 120" fits 120 traces/stencil.trc
same() { "$tview" report traces/sweep.trc >"$tmp/a" && "$tview" report traces/sweep.trc --no-cache | cmp - "$tmp/a"; }
check "the same every time" same
# What is no function of the program is not called by a made-up name: measuring is, with what it is.
words() {
	"$tview" report traces/sweep.trc --width 400 >"$tmp/out" && ! grep -q tview_unrecorded "$tmp/out" &&
		grep -q 'tool overhead (tview_' "$tmp/out" && ! grep -q 'in tview_' "$tmp/out"
}
check "measuring and parts not recorded are said as such" words
# Starting and ending MPI is most of this run, and nobody computes in it.
core() {
	"$tview" report traces/sweep.trc -f json | /usr/bin/python3 -c '
import json, sys
report = json.load(sys.stdin)
e = report["efficiency"]
assert 0 < e["core_length"] < 0.2 * report["run"]["length"] and e["core_parallel"] > 2 * e["parallel"] > 0
'
}
check "efficiency between MPI_Init and MPI_Finalize" core
by_name() { "$tview" report traces/ring.trc -o "$tmp/r.md" && grep -q '^# ring.trc' "$tmp/r.md" && "$tview" report traces/ring.trc -o "$tmp/r.json" && /usr/bin/python3 -m json.tool "$tmp/r.json" >/dev/null; }
check "the format of the file's name" by_name
# Sections and keys that doc/patterns.md promises are there, whatever the trace.
promised() {
	for trace in traces/ring.trc traces/picl-1992-table20.trc; do
		"$tview" report "$trace" -f json >"$tmp/r.json" || return 1
		/usr/bin/python3 - "$tmp/r.json" <<'PYTHON' || return 1
import json, re, sys
report = json.load(open(sys.argv[1]))
text = open("doc/patterns.md").read()
table = text[text.index("| section | keys |"):]
for line in table[:table.index("\n\n")].splitlines()[2:]:
    cells = line.split("|")
    section = re.findall("`(.*?)`", cells[1])[0]
    assert section in report, section
    assert "lines" in report[section], section
    for row in report[section].get("rows", []):
        for key in re.findall("`(.*?)`", cells[3]):
            assert key in row, (section, key)
PYTHON
	done
}
check "documented sections and keys are there" promised
window() { "$tview" report traces/stencil.trc --time 0.25s:0.26s --ranks 0-1 >"$tmp/out" && head -n 1 "$tmp/out" | grep -q "2 ranks.*, from "; }
check "a window of some ranks" window
# All ranks are in calls of MPI_Waitall that began before it: 4 x 3 ms of 4 x 3 ms, and no visit begins.
inside_calls() { "$tview" report traces/stencil.trc --time 0.261:0.264 | grep -qx '  Most time: MPI_Waitall, 100.0 % of total time\.'; }
check "a window inside of calls counts no visits of them" inside_calls
# Two calls of a program of which nothing but MPI was recorded: what the late one did is code of the program's.
alone() {
	printf '%s\n' '-3 -901 0 0 0 0' '-3 -901 0 1 1 0' '-3 -402 0.001 0 0 0' '-3 -402 0.005 1 1 0' '-4 -402 0.006 0 0 0' \
		'-4 -402 0.006 1 1 0' '-4 -901 0.009 0 0 0' '-4 -901 0.009 1 1 0' >"$tmp/alone.trc"
	"$tview" report "$tmp/alone.trc" --width 400 >"$tmp/out" && grep -q 'Rank 1 takes 8.00 ms in code outside all recorded functions, rank 0 4.00 ms: 100.0 % of the waiting' "$tmp/out"
}
check "a wait for code outside of all regions" alone
# Nothing says why a call of MPI that does not wait takes longer at one rank than at another.
communication() {
	for trace in traces/*.trc; do
		"$tview" report "$trace" -f json | /usr/bin/python3 -c '
import json, sys
for row in json.load(sys.stdin)["causes"]["rows"]:
    last = row["callpath"].split(" > ")[-1]
    assert not last.startswith("MPI_") or row["kind"] in ("wrong-order", "more-calls", "more-bytes", "fewer-bytes-per-second"), row' ||
			return 1
	done
	"$tview" report traces/stencil.trc --width 1000 | grep -q 'No rank and no function differs much from the others. Of the waiting [0-9]* % is charged to time inside MPI'
}
check "communication is named as no cause" communication
# The page, JSON and the export say the same causes with the same shares.
one_number() {
	"$out/simulate" --program stencil --ranks 6 --steps 30 --slow 2:1.8 -o "$tmp/slow.trc" >/dev/null
	"$tview" report "$tmp/slow.trc" -b measured --width 400 >"$tmp/page" && "$tview" report "$tmp/slow.trc" -b measured -f json >"$tmp/r.json" &&
		"$tview" export causes "$tmp/slow.trc" -b measured -f csv >"$tmp/r.csv" && /usr/bin/python3 - "$tmp" <<'PYTHON'
import csv, json, sys
page = open(sys.argv[1] + "/page").read()
rows = json.load(open(sys.argv[1] + "/r.json"))["causes"]["rows"]
table = list(csv.DictReader(open(sys.argv[1] + "/r.csv")))
assert rows and len(rows) == len(table)
for row, line in zip(rows, table):
    assert abs(row["share"] - float(line["share"])) < 1e-6 and row["sentence"] == line["sentence"]
first = rows[0]
assert first["rank"] == 2 and first["kind"] == "longer-calls", first
assert first["sentence"][1:] + ": %.1f %% of the waiting." % (100 * first["share"]) in page, page
PYTHON
}
check "page, JSON and export say one number" one_number
check "without a trace" fails 2 '' report
check "a trace that is not there" fails 3 '' report "$tmp/none.trc"
check "a format that is none" fails 2 '' report traces/ring.trc -f xml
check "into a folder that is not there" fails 3 '' report traces/ring.trc -o "$tmp/none/r.md"
# The page calls a trace complete only if nothing is known to be missing (ring.trc with one property more).
reliability() { # reliability SED-COMMAND SENTENCE
	sed "$1" traces/ring.trc >"$tmp/claim.trc" && "$tview" report "$tmp/claim.trc" --no-cache --width 200 | grep -q "^  $2, none guessed"
}
first='1{p;s/16 "%c" tview:format=.*/'
check "a whole trace is complete" reliability '' 'Trace complete: all records read'
check "ranks that ended early: incomplete" reliability "${first}27 \"%c\" tview:incomplete=rank 3 end/}" \
	'Trace incomplete (ranks ended early or their buffers were full): all records in it read'
check "buffers that were cut off: incomplete" reliability "${first}23 \"%c\" tview:lacks=damaged 0 1/}" \
	'Trace incomplete (buffers of ranks were cut off or damaged): all records in it read'
check "sampled segments are said" reliability "${first}15 \"%c\" tview:insitu=on/}" \
	'All records read (sampled segments have no function records)'
# Of MPICH 4.0 there is a tabulator, of 4.2 there are spaces.
spaced() {
	sed 's/-1 30 "%c" tview:mpi=MPICH Version: /-1 35 "%c" tview:mpi=MPICH Version:      /' traces/ring.trc >"$tmp/spaced.trc" &&
		"$tview" report "$tmp/spaced.trc" --no-cache | grep -q ', MPICH 4.0.2$'
}
check "the version of MPI is said without its spaces" spaced
# Names are as long as templates make them, and have what Markdown reads as markup.
text() { # NUMBER NAME: a region
	printf '%s\n' "-5 $1 -0.000000001 -1 -1 ${#2} \"%c\" $2"
}
template() { # NAME
	i=0
	while [ $((i += 1)) -le 60 ]; do printf 'std::pair<int, column_%s>, ' "$i"; done
	printf '%s' "$1"
}
{
	text 1 "$(template outer)"
	text 2 "$(template inner)"
	printf '%s\n' '-3 1 0 0 0 0' '-3 2 0.001 0 0 0' '-4 2 0.003 0 0 0' '-4 1 0.009 0 0 0'
} >"$tmp/long.trc"
to_the_end() { "$tview" export overview "$tmp/long.trc" >"$tmp/out" && [ "$(wc -l <"$tmp/out")" -gt 48 ] && grep -q '^  Times: measured' "$tmp/out"; }
check "the overview has all its lines" to_the_end
{
	text 1 'f#1|g<_t>'
	printf '%s\n' '-3 1 0 0 0 0' '-4 1 0.009 0 0 0'
} >"$tmp/marks.trc"
escaped() {
	"$tview" report "$tmp/marks.trc" -f md | grep -qF 'Most time: f\#1\|g\<\_t\>()' &&
		"$tview" export profile "$tmp/marks.trc" -f md | grep -qF '| f\#1\|g\<\_t\> |'
}
check "report and export escape alike in Markdown" escaped
# All ranks are in MPI_Finalize then: the time between MPI_Init and it is 0 s.
in_finalize() {
	"$tview" report traces/ring.trc --time 0.3s: >"$tmp/out" && grep -q '^Efficiency in this window' "$tmp/out" &&
		! grep -q 'between MPI_Init' "$tmp/out"
}
check "a window inside MPI_Finalize has efficiencies of its own" in_finalize
# A worker's batch has 2,000 calls of 200 ns, of which each has two records of 100 ns: 400 us of each wait for it are the
# overhead's, and the 400 us that are left are the program's.
perturbed() {
	"$out/simulate" --program pi --ranks 3 --steps 10 --calls 2000 --tiny 2e-7 --overhead 1e-7 --insitu 0.1 -o "$tmp/pi.trc" >/dev/null &&
		"$tview" export explain "$tmp/pi.trc" --base compensated --worst 3 -f csv >"$tmp/out" &&
		sed -n 's/.*rank 0 waited \([0-9.]*\) us.*/\1/p; s/.*perturbed from rank [12], .* as measured the wait was \([0-9.]*\) us.*/\1/p' "$tmp/out" |
		awk '{ n++ } NR % 2 { wait = $1; next } { if ($1 - wait < 380 || $1 - wait > 420) { print wait, $1; wrong = 1 } }
			END { exit wrong || n != 6 }' || { cat "$tmp/out"; return 1; }
	! "$tview" export explain "$tmp/pi.trc" --base measured --worst 3 | grep perturbed
}
check "a wait says whose overhead it depends on, and how much" perturbed
done_testing
