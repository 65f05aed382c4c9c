#!/bin/sh
# JSON of the exports: by the schema, as the CSV; pages together are the whole; wrong pages are refused.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp"
trace=traces/stencil.trc

if ! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	skip "JSON by its schema" "python3-jsonschema is not installed"
	done_testing
fi
# all TRACE OPTION ...: every view
all() { /usr/bin/python3 tests/cli/json_equal.py "$tview" doc/export.schema.json "$@"; }
check "stencil: every view, in pages and sorted" all $trace
check "a window of some ranks, as measured" all traces/collectives.trc --time 0.001:0.002 --ranks 0-2 -b measured
check "OTF2" all traces/otf2/ez-pp-2/eztrace_log.otf2

# What is not JSON says on stderr what was left out, and a command that has it.
csv_pages() {
	"$tview" export messages $trace -f csv >"$tmp/whole"
	"$tview" export messages $trace -f csv --limit 100 >"$tmp/pages" 2>"$tmp/said" || return 1
	is "$(wc -l <"$tmp/said")" 1 && grep -q '^tview: 60 rows are left out; the next: tview ' "$tmp/said" || return 1
	sh -c "$(sed "s|.*next: tview|'$tview'|" "$tmp/said")" 2>"$tmp/said" | sed 1d >>"$tmp/pages"
	[ ! -s "$tmp/said" ] && cmp "$tmp/pages" "$tmp/whole"
}
check "CSV: pages with a command on stderr" csv_pages
page=$("$tview" export events $trace -f json --limit 5 -F 'rank == 1' | jq -r .left_out.page)
again() { "$tview" export events $trace -f json --limit 7 -F 'rank == 1' --page "$page" --columns event,rank >"$tmp/page" &&
	is "$(jq -c '[.left_out.before, (.rows | length), .rows[0].rank]' "$tmp/page")" '[5,7,1]'; }
check "a page is good for other columns and limits" again
refused="is not a page of this export"
check "another filter's page" fails 2 "$refused" export events $trace -F 'rank == 2' --page "$page"
check "another view's" fails 2 "$refused" export calls $trace -F 'rank == 1' --page "$page"
check "another trace's" fails 2 "$refused" export events traces/ring.trc -F 'rank == 1' --page "$page"
check "another order's" fails 2 "$refused" export events $trace -F 'rank == 1' --sort time_s --page "$page"
for wrong in '' 5 x-1 99999999999999999999999-00000000 "5${page#5}x" "-$page"; do
	check "no page: '$wrong'" fails 2 "$refused" export events $trace -F 'rank == 1' "--page=$wrong"
done
check "no rows" fails 2 "takes a whole number from 1" export events $trace --limit 0
check "a picture has no rows" fails 2 "has no rows" export timeline $trace --limit 3
check "no such order" fails 2 "there is no column 'time_s:up'" export events $trace --sort time_s:up
beyond() { is "$("$tview" export messages $trace -f json --limit 1000 | jq -c '[.left_out, (.rows | length)]')" '[null,160]'; }
check "more than there are" beyond

# An id that one export gives another takes.
ids() {
	"$tview" export waits $trace -f json --limit 1 >"$tmp/wait"
	event=$(jq .rows[0].event "$tmp/wait") path=$(jq .rows[0].callpath_id "$tmp/wait")
	"$tview" export explain $trace --event "$event" | grep -q 'waited 9.52 ms' &&
		is "$("$tview" export callpaths $trace -f json -F "callpath_id == $path" | jq -c '[.rows[] | .callpath_id]')" "[$path]" &&
		is "$("$tview" export events $trace -f json -F "event == $event" | jq -c '[.rows[] | .event]')" "[$event]" &&
		"$tview" export messages $trace -f json >"$tmp/messages" &&
		is "$("$tview" export events $trace -f json -F "event == $(jq .rows[3].recv_event "$tmp/messages")" | jq -c '.rows[0] | [.kind, .rank, .peer]')" \
			"$(jq -c '.rows[3] | ["recv", .dst, .src]' "$tmp/messages")" &&
		is "$("$tview" export profile $trace -f json -F 'region_id == 2' | jq -c '[.rows[] | .region_id]')" '[2]'
}
check "ids lead from one export to another" ids
done_testing
