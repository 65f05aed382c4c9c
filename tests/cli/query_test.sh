#!/bin/sh
# Questions: the same in four ways gives the same numbers; pages; what is no question gets a sentence.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp"
trace=traces/stencil.trc

ways() {
	"$tview" convert "$1" "$tmp/run.db" &&
		/usr/bin/python3 tests/cli/query_equal.py "$tview" "$out/libtview.so.0" "$1" "$tmp/run.db"
}
check "stencil: query, export, database and library" ways $trace
check "OTF2" ways traces/otf2/mg.S-4

# asked QUESTION WANT: the first row of CSV
asked() { is "$("$tview" query $trace "$1" -f csv 2>"$tmp/err" | sed -n 2p)" "$2"; }
check "160 messages of 512 or 1024 bytes" asked 'messages select count(), sum(bytes)' '160,102400'
check "of nothing a row" asked 'messages where tag == 99 select count(), sum(bytes), mean(bytes)' '0,,'
check "a clause's word as a constant" asked 'calls where region == limit or region in where,order select count()' 0
check "fields of events beside columns" asked 'messages where rank == 2 and bytes > 512 select count()' 40
check "a unit left out, a range" asked 'messages where latency in 0..1s and bytes in ..1k select count(bytes)' \
	"$("$tview" export messages $trace -f csv | awk -F, 'NR > 1 && $10 >= 0 { n++ } END { print n }')"
page() {
	q='calls where dur > 500ns order by begin'
	"$tview" query $trace "$q" -f csv >"$tmp/whole" 2>/dev/null
	"$tview" query $trace "$q limit 300" -f csv >"$tmp/pages" 2>"$tmp/said"
	while [ -s "$tmp/said" ]; do
		grep -q ' the next: tview ' "$tmp/said" || { cat "$tmp/said"; return 1; }
		sh -c "$(sed "s|.* the next: tview|'$tview'|" "$tmp/said")" >"$tmp/next" 2>"$tmp/said"
		sed 1d "$tmp/next" >>"$tmp/pages"
	done
	[ "$(wc -l <"$tmp/whole")" -gt 500 ] && cmp "$tmp/whole" "$tmp/pages"
}
check "pages of a question" page
text() { "$tview" query $trace 'overview select text limit 2' | sed -n 2p | grep -q '4 ranks'; }
check "rows also of what has a text form" text

# wrong PATTERN QUESTION: status 2
wrong() {
	"$tview" query $trace "$2" >"$tmp/out" 2>"$tmp/err"
	[ $? = 2 ] && [ ! -s "$tmp/out" ] && grep -q "^tview: .*$1" "$tmp/err" || { cat "$tmp/err"; return 1; }
}
check "nothing" wrong 'begins with a table' ''
check "no table" wrong "no view 'cals'; did you mean 'calls'\|no view 'cals'" 'cals'
check "no clause" wrong 'column 7: expected where, select, order by or limit' 'calls if dur > 1'
check "an empty clause" wrong "should follow 'where'" 'calls where limit 3'
check "a clause twice" wrong "'limit' is there twice" 'calls limit 3 limit 4'
check "no column" wrong "'speed' is not a field" 'calls where speed > 3'
check "no order" wrong "no column 'speed:asc'" 'calls order by speed'
check "columns and events joined by or" wrong 'mixes columns of the table' 'messages where bytes > 3 or rank == 1'
check "a sum of text" wrong 'region is text' 'calls select sum(region)'
check "no function" wrong "is not count()" 'calls select median(dur)'
check "a number of text" wrong 'needs a time' 'calls where dur > fast'
check "a pattern that would hang" wrong 'takes too long\|not valid\|limit' 'calls where region =~ /(a/'
check "no number" wrong 'takes a whole number' 'calls limit many'
long() { wrong 'longer than 64 KiB' "calls where region == $(head -c 70000 /dev/zero | tr '\0' a)"; }
check "too long a question" long
# No call of this trace has a number of bytes: 14 rows, of which no reader of CSV passes over one.
kept_rows() {
	"$tview" query tests/fuzz/picl/sample.trc 'calls select bytes' -f csv >"$tmp/empty" &&
		is "$(grep -c . "$tmp/empty")" 15 && is "$("$tview" query tests/fuzz/picl/sample.trc 'calls select count()' -f csv | tail -n 1)" 14
}
check "a column without values has its rows in CSV" kept_rows
done_testing
