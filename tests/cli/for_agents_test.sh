#!/bin/sh
# Every command of doc/for-agents.md runs on a trace, says something, and its JSON is JSON; sizes are as it says.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp"
cp traces/stencil.trc "$tmp/run.trc"
cd "$tmp" || exit 1
sed -n 's/^    \(tview .*[^ ]\) *$/\1/p' "$OLDPWD/doc/for-agents.md" | sed 's/  *#.*//' >commands

runs() {
	sh -c "$(printf '%s' "$1" | sed "s|^tview|'$tview'|")" >said 2>err
	got=$?
	[ $got = 0 ] && [ -s said ] || { echo "status $got"; cat err; return 1; }
	case $1 in *"-f json"*) jq -e '.rows | length >= 0' said >/dev/null || return 1 ;; esac
}
while read -r command; do
	check "$command" runs "$command"
done <commands
enough() { [ "$(wc -l <commands)" -ge 15 ]; }
check "there are commands" enough
small() { [ "$("$tview" report run.trc -f md | wc -c)" -lt 9000 ]; }
check "the page is small" small
rows() { "$tview" export waits run.trc -f json | jq -c '.rows[]' | awk '{ n += length($0) } END { exit !(n / NR > 100 && n / NR < 500) }'; }
check "a row has 100 to 500 bytes" rows
# The answer of the recipe is that of causes: 484 is the longest wait.
event() { is "$("$tview" query run.trc 'waits order by waited desc limit 1 select event' -f csv 2>/dev/null | sed 1d)" 484; }
check "the id of the longest wait" event
done_testing
