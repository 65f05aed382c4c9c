#!/bin/sh
# Functions that are chosen at run time: tests/capture/mpi/chosen.cc says how often it calls which.
. tests/cli/tap.sh

if ! command -v mpicxx.mpich >/dev/null; then
	skip "functions chosen at run time" "MPICH is not installed"
	done_testing
fi
# visits OPTIONS...: "left 1;..." of one rank
visits() {
	"$out/tvrun" -q -o "$tmp/t.trc" "$@" mpiexec.mpich -n 1 "$tmp/chosen" >"$tmp/log" 2>&1 || cat "$tmp/log"
	"$tview" export profile "$tmp/t.trc" -f csv | awk -F, '{ n[$1] = $2 } END {
		k = split("left right inner tiny area geo::area", name, " ")
		for (i = 1; i <= k; i++) if (n[name[i]]) printf "%s %d;", name[i], n[name[i]] }'
}
left_out() {
	"$tview" check "$tmp/t.trc" | grep -o '[0-9]* functions* w[a-z]* left out'
}
# refuses PATTERN OPTIONS...: a sentence, and nothing is run
refuses() {
	words=$1
	shift
	"$out/tvrun" "$@" touch "$tmp/ran" 2>"$tmp/err"
	[ $? = 125 ] && [ ! -e "$tmp/ran" ] && grep -q "$words" "$tmp/err" || { cat "$tmp/err"; return 1; }
}

mpicxx.mpich -g -finstrument-functions -o "$tmp/chosen" tests/capture/mpi/chosen.cc
area=$(visits | grep -o '[a-z:]*area')
check "all functions" is "$(visits)" "left 1;right 1;inner 5;tiny 7;$area 4;"
check "some left out" is "$(visits --exclude '^(inner|tiny)$')" "left 1;right 1;$area 4;"
check "the trace says how many" is "$(left_out)" "2 functions were left out"
check "their callers take their time: no damage" sh -c "! '$tview' check '$tmp/t.trc' | grep 'damage\|oddity\|guess'"
check "some alone" is "$(visits --only t)" "left 1;right 1;tiny 7;"
check "the last rule wins" is "$(visits --only t --exclude '^r' --only ner)" "left 1;inner 5;tiny 7;"
check "a name of C++" is "$(visits --only '^geo::area$')" "$area 4;"
check "statistics alone" visits --statistics --exclude tiny
check "say how many, too" is "$(left_out)" "1 function was left out"
check "an invalid pattern" refuses "invalid pattern" --only '('
check "an empty one" refuses "must be a regular expression" --only ''
done_testing
