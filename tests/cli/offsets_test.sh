#!/bin/sh
# --offsets FILE: measurements from a file take the place of the trace's own, for this run alone.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp" TVIEW_CACHE_MIN=0
cp traces/ring.trc "$tmp/ring.trc"

# Rank 1's first event is at 0: 5 ms at 0.1 s and 7 ms at 0.3 s make 4 ms there.
printf '# rank time offset\n0 0 0\n1 100ms 5ms\n1 300ms 7ms 12us\n' >"$tmp/offsets"
first() { # of rank 1, in base $1
	base=$1
	shift
	"$tview" export events --format csv --base "$base" "$@" "$tmp/ring.trc" |
		awk -F, '$2 == 1 { print $1; exit }'
}
own=$(first linear --no-cache)
check "a clock is put where the file says" is "$(first linear --offsets "$tmp/offsets")" 0.004000000
check "again, from the cache file" is "$(first linear --offsets "$tmp/offsets")" 0.004000000
check "measured times stay" is "$(first measured --offsets "$tmp/offsets")" 0.000000000
check "without the file the trace's own offsets are back" is "$(first linear)" "$own"
rm -f "$tmp"/.*.tvcache
check "a cache file is written with the file given" is "$(first linear --offsets "$tmp/offsets")" 0.004000000
appears "$tmp/.ring.trc.tvcache"
check "and has the trace's own offsets" is "$(first linear)" "$own"

# A clock that is 20 ms ahead turns messages round; the logical clock puts them right again.
printf '1 0 20ms\n' >"$tmp/ahead"
figure() { "$tview" export corrections --format csv "$@" "$tmp/ring.trc" | awk -F, -v k="$key" '$1 == k { print $2 }'; }
turned() { key=reversed; [ "$(figure --presync offsets --offsets "$tmp/ahead")" -gt 0 ]; }
check "wrong offsets turn messages round" turned
righted() { key=violations_after; [ "$(figure --presync offsets --offsets "$tmp/ahead")" = 0 ]; }
check "the logical clock puts them right" righted

refuses() { # PATTERN LINES
	printf '%b' "$2" >"$tmp/wrong"
	fails 2 "wrong$1" export events --offsets "$tmp/wrong" "$tmp/ring.trc"
}
check "a line that is none" refuses ':2: a line is' '0 0 0\n1 2\n'
check "a time that is none" refuses ":1: 'noon' is not a time" '0 noon 0\n'
check "a rank that is not there" refuses ":3: the trace has no location '9'" '0 0 0\n\n9 0 0\n'
check "nothing in it" refuses ': no offset measurements found' '# nothing\n'
missing() { "$tview" export events --offsets "$tmp/none" "$tmp/ring.trc" 2>&1 | grep -q 'none: No such file'; }
check "no such file" missing
done_testing
