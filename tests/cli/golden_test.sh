#!/bin/sh
# Exports as they are kept in tests/exports, for their layout; and, since a kept number proves
# nothing, the numbers again from the trace's own lines with awk.
#
#	GOLDEN_UPDATE=1 tests/cli/golden_test.sh	writes them anew, for review
. tests/cli/tap.sh
trace=traces/picl-1992-table20.trc

# export_as FILE VIEW OPTIONS...: the export is the kept file
export_as() {
	name=$1
	view=$2
	shift 2
	if [ "${GOLDEN_UPDATE:-}" ]; then
		"$tview" export "$view" "$trace" "$@" >"tests/exports/$name"
	fi
	"$tview" export "$view" "$trace" "$@" 2>&1 | diff "tests/exports/$name" -
}
for view in overview events messages profile findings definitions; do
	check "$view as text" export_as "table20-$view.txt" "$view"
done
for view in events messages collectives profile callpaths matrix; do
	check "$view as CSV" export_as "table20-$view.csv" "$view" -f csv
done
check "profile as JSON" export_as table20-profile.json profile -f json
check "profile as Markdown" export_as table20-profile.md profile -f md
check "the timeline" export_as table20-timeline.txt timeline --width 80 --ascii

# Visits and inclusive time by event type, from records -3 and -4 (recursion does not occur), and
# marks as visits of no time. -901 is the traced span itself, no region.
awk '
BEGIN {
	name[-902] = "traceevents"; name[-903] = "tracefiles"; name[-904] = "tracelevel"
	name[-11] = "open0"; name[-12] = "close0"; name[-401] = "clocksync0"
	name[-52] = "recv0"; name[-21] = "send0"; name[0] = "event 0"; name[1] = "event 1"
}
$2 == -901 { next }
$1 == -3 { begin[$2] = $3 }
$1 == -4 { count[$2]++; sum[$2] += $3 - begin[$2] }
$1 == -2 { count[$2]++; sum[$2] += 0 }
END { for (type in count) printf "%s,%d,%.9f\n", name[type], count[type], sum[type] }
' "$trace" | sort >"$tmp/recomputed"
profile() {
	"$tview" export profile "$trace" -f csv | sed 1d | cut -d, -f1-3 | sort | diff "$tmp/recomputed" -
}
check "the profile is what the lines of the trace add up to" profile

# The two receives, by hand: 0.000516 - 0.000128 = 0.000388 and 0.001643 - 0.000818 = 0.000825,
# together 0.001213, on average 0.0006065.
receives() {
	"$tview" export profile "$trace" -f csv |
		grep -q '^recv0,2,0.001213000,0.001213000,0.000388000,0.000606500,0.000825000,'
}
check "recv0 by hand" receives
# Event 0 lasts 0.000539 - 0.000016 = 0.000523, of which its receive takes 0.000388; event 1
# 0.001724 - 0.000711 = 0.001013, less 0.000825 for the receive and 0.000046 for the send.
exclusive() {
	"$tview" export profile "$trace" -f csv >"$tmp/p"
	grep -q '^event 0,1,0.000523000,0.000135000,' "$tmp/p" &&
		grep -q '^event 1,1,0.001013000,0.000142000,' "$tmp/p" &&
		grep -q '^send0,1,0.000046000,0.000046000,' "$tmp/p"
}
check "exclusive times by hand" exclusive

# Every event of the export stands in a line of the trace with its time: one for a line, two for
# the entry of a send and the exit of a receive.
awk '{ n = 1 } ($1 == -3 && $2 == -21) || ($1 == -4 && $2 == -52) { n = 2 }
	{ for (i = 0; i < n; i++) printf "%.9f,%d\n", $3, $4 }' "$trace" | sort >"$tmp/times"
events() { "$tview" export events "$trace" -f csv | sed 1d | cut -d, -f1-2 | sort | diff "$tmp/times" -; }
check "every line is an event, sends and receives are two" events
done_testing
