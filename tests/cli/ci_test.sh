#!/bin/sh
# --fail-on for systems that test: JUnit XML and annotations, with file and line, whatever the names are.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp"
trace=traces/stencil.trc

# answers STATUS FORMAT EXPR [TRACE]
answers() {
	"$tview" report "${4:-$trace}" --fail-on "$3" -f "$2" >"$tmp/said" 2>"$tmp/err"
	got=$?
	[ $got = "$1" ] && [ ! -s "$tmp/err" ] || { echo "status $got"; cat "$tmp/err"; return 1; }
}
xml() { /usr/bin/python3 -c 'import sys, xml.etree.ElementTree as e
s = e.parse(sys.argv[1]).getroot().find("testsuite")
c = s.find("testcase")
f = c.find("failure")
print(s.get("tests"), s.get("failures"), s.get("errors"), c.get("name"), c.get("file"), c.get("line"), f is not None and f.text.strip(), sep="|")' "$tmp/said"; }
holds() { answers 1 junit 'mpi_latesender > 1ms || time > 9s' &&
	is "$(xml)" '1|1|0|mpi_latesender > 1ms || time > 9s|traces/programs/stencil.c|46|mpi_latesender is 27.02 ms: more than 1.000 ms'; }
check "JUnit: a condition that holds is a failure" holds
holds_not() { answers 0 junit 'time > 9s' && is "$(xml)" '1|0|0|time > 9s|traces/programs/stencil.c|46|False'; }
check "JUnit: one that does not is passed" holds_not
# The line is that of the longest wait.
longest() { answers 1 github 'mpi > 1%' && is "$(sed -n 's/^::warning file=\([^,]*\),line=\([0-9]*\),.*/\1:\2/p' "$tmp/said" | head -n 1)" \
	"traces/programs/$("$tview" export waits $trace -f csv --limit 1 --columns line 2>/dev/null | sed 1d)"; }
check "annotations: file and line of the longest wait" longest
reason() { is "$(sed -n 1p "$tmp/said")" "::error title=tview --fail-on::mpi is 1.119 s, 90.95 %25 of time (1.231 s): more than 1 %25"; }
check "the reason, its per cent escaped" reason
fine() { answers 0 github 'time > 9s' && grep -q '^::notice ' "$tmp/said" && ! grep -q '^::error' "$tmp/said"; }
check "a condition that does not hold is a notice" fine
below() {
	sed "s|traces/programs/stencil.c|$tmp/s.c|" $trace >"$tmp/below.trc"
	(cd "$tmp" && "$tview" report below.trc --fail-on 'mpi > 1%' -f github) | grep -q '^::warning file=s.c,line=46,'
}
check "a file below the working folder is named from there" below

# Names that would end an attribute, a property or a command.
hostile='a"<b>&c%,d::e]]>.c'
sed "s|traces/programs/stencil.c|$(printf '%s' "$hostile" | sed 's/[&|]/\\&/g')|" $trace >"$tmp/x'\"<&::,%.trc"
hostile_xml() { answers 1 junit 'mpi > 1%' "$tmp/x'\"<&::,%.trc" && is "$(xml | cut -d'|' -f5,6)" "$hostile|46"; }
check "hostile names in XML" hostile_xml
hostile_lines() { answers 1 github 'mpi > 1%' "$tmp/x'\"<&::,%.trc" &&
	is "$(sed -n 2p "$tmp/said" | cut -d, -f1,2)" '::warning file=a"<b>&c%25%2Cd%3A%3Ae]]>.c,line=46' && ! grep -v '^::' "$tmp/said"; }
check "hostile names in annotations" hostile_lines

check "a format of an answer needs a question" fails 2 "is the answer to --fail-on" report $trace -f junit
# What the document shows runs.
documented() {
	sed -n "s/.*\(tview report run.trc --fail-on '[^']*' -f [a-z]*\).*/\1/p" doc/ci.md >"$tmp/commands"
	is "$(wc -l <"$tmp/commands")" 2 || return 1
	while read -r command; do
		sh -c "$(printf '%s' "$command" | sed "s|tview report run.trc|'$tview' report $trace|")" >/dev/null
		[ $? -le 1 ] || { echo "$command"; return 1; }
	done <"$tmp/commands"
}
check "the commands of doc/ci.md" documented
done_testing
