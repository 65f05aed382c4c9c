#!/bin/sh
# --max-mem bounds what the program takes, by the system: what can do so goes to a file, all else ends with a sentence
# that says what was too large.
. tests/cli/tap.sh

# levels N: N regions that are entered and never left. ranks N: N of them.
levels() { awk -v n="$1" 'BEGIN { print "-5 1 -0.000000001 -1 -1 4 \"%c\" main"; for (i = 0; i < n; i++) printf "-3 1 %.9f 0 0 0\n", i * 2e-9 }'; }
ranks() { awk -v n="$1" 'BEGIN { print "-5 1 -0.000000001 -1 -1 4 \"%c\" main"; for (i = 0; i < n; i++) printf "-3 1 %.9f %d %d 0\n", i * 2e-9, i, i }'; }
# names N: regions that a file defines after its first event, so that it is looked through.
names() { awk -v n="$1" 'BEGIN { print "-3 1 0.5 0 0 0"; for (i = 0; i < n; i++) printf "-5 %d -0.000000001 -1 -1 12 \"%%c\" name%08d\n", i, i }'; }
# long N: names of 5,000 bytes.
long() { awk -v n="$1" 'BEGIN { for (i = 0; i < 5000; i++) x = x "x"; print "-3 1 0.5 0 0 0"; for (i = 0; i < n; i++) printf "-5 %d -0.000000001 -1 -1 5008 \"%%c\" %s%08d\n", i, x, i }'; }
levels 1000000 >"$tmp/levels.trc"
names 700000 >"$tmp/names.trc"
long 40000 >"$tmp/long.trc"
ranks 600000 >"$tmp/ranks.trc"
"$out/generate" --events 4M --locations 16 "$tmp/run.trc" >/dev/null
# What is cached was read before.
uncached() { rm -f "$tmp"/.*.tvcache; }

# refused TRACE SIZE VIEW SENTENCE
refused() {
	uncached
	"$tview" export "$3" "$tmp/$1.trc" --max-mem "$2" >"$tmp/said" 2>&1 && { echo "status 0"; return 1; }
	[ $? -lt 128 ] && grep -q "^tview: .*$4" "$tmp/said" && return
	cat "$tmp/said"
	return 1
}
check "levels that are open" refused levels 10M findings "more than [0-9]* call paths, up to [0-9]* levels deep: more than --max-mem"
check "definitions" refused long 100M findings "has more than [0-9]* definitions: more than the 100.0 MiB that --max-mem"
check "a table, by its size" refused names 1M findings "the 1 MB that --max-mem .* are reached ([0-9]* more bytes were wanted)"
check "locations" refused ranks 500M findings "does not fit into the 500.0 MiB that --max-mem .* so far it has [0-9]* locations"
check "waits of a trace in a file" refused run 1M patterns "wait states are not listed: .* --max-mem"

same() {
	uncached
	"$tview" export "$2" "$tmp/$1.trc" -f csv >"$tmp/free" && uncached &&
		"$tview" export "$2" "$tmp/$1.trc" -f csv --max-mem "$3" >"$tmp/bound" && cmp "$tmp/free" "$tmp/bound"
}
check "a trace that is larger than it may be is the same" same run profile 1M
check "wait states that have room are the same" same run patterns 200M
check "levels that have room are the same" same levels profile 1G

# Of this process' memory: no more than what is allowed, and 64 MB of its own.
peak() {
	uncached
	"$tview" export profile "$tmp/run.trc" -f csv --max-mem "$1" >/dev/null &
	pid=$!
	most=0
	while now=$(sed -n 's/^VmData:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
		[ "$now" -gt "$most" ] && most=$now
	done
	wait "$pid" || return 1
	[ "$most" -gt 0 ] && [ "$most" -le $((64 * 1024 + $2)) ] && return
	echo "$most kB"
	return 1
}
check "no more than that is taken" peak 4M 4096
done_testing
