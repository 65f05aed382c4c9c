#!/bin/sh
# Commands of the command line without a terminal: tview -c COMMAND ... TRACE | cat
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp" XDG_STATE_HOME="$tmp" XDG_CONFIG_HOME="$tmp/config"
trace=traces/chain.trc

same() { # VIEW FORMAT: print is what export writes
	"$tview" export "$1" "$trace" -f "$2" >"$tmp/want" 2>/dev/null || return 1
	"$tview" -c "print $1 $2" "$trace" >"$tmp/got" 2>/dev/null || return 1
	cmp "$tmp/want" "$tmp/got"
}
for view in overview events profile calls graph patterns waits messages matrix iterations lines corrections; do
	check "print $view is export $view" same $view csv
done
check "as text, too" same overview text

many() {
	"$tview" -c 'print profile csv' -c 'print matrix csv' "$trace" >"$tmp/got" &&
		{ "$tview" export profile "$trace" -f csv && "$tview" export matrix "$trace" -f csv; } >"$tmp/want" &&
		cmp "$tmp/want" "$tmp/got"
}
check "commands run in their order" many

# What narrows the view narrows what is printed: the same as the options of export say.
narrowed() {
	"$tview" -c 'zoom 10ms 20ms' -c 'filter region == MPI_Recv' -c 'print events csv' "$trace" >"$tmp/got" &&
		"$tview" export events "$trace" -t 10ms:20ms -F 'region == MPI_Recv' -f csv >"$tmp/want" &&
		cmp "$tmp/want" "$tmp/got" && [ "$(wc -l <"$tmp/want")" -gt 1 ]
}
check "zoom and filter are those of export" narrowed

writes() {
	"$tview" -c "export $tmp/waits.csv" --view profile "$trace" >"$tmp/got" 2>/dev/null &&
		[ ! -s "$tmp/got" ] && "$tview" export profile "$trace" -f csv | cmp - "$tmp/waits.csv"
}
check "export writes a file, and nothing to stdout" writes

# The wait of rank 3 begins where its late message is received; e explains it.
explains() {
	"$tview" --at 0 --rank 3 -c 'view timeline' -c 'next-wait' -c explain -c print "$trace" >"$tmp/got" 2>/dev/null &&
		grep -q 'rank 1' "$tmp/got"
}
check "actions move the cursor, and what they open is printed" explains

check "what opens a line to type needs a terminal" fails 2 'search needs a terminal' -c search $trace
check "and what opens an overlay" fails 2 'help needs a terminal' -c help $trace
check "a search with a pattern does not" "$tview" -c 'view profile' -c 'search MPI_Recv' $trace
check "a command that does not exist" fails 2 "no command 'zom'" -c 'zom 1ms' $trace
check "a view that does not exist" fails 2 "no view 'foo'" -c 'print foo' $trace
check "a rank that does not exist" fails 2 'no rank 9 (it has ranks 0 to 7)' --rank 9 -c print $trace
stops() {
	"$tview" -c 'goto 99s' -c 'print profile' "$trace" >"$tmp/got" 2>/dev/null
	[ $? = 2 ] && [ ! -s "$tmp/got" ]
}
check "after a command that fails no other is run" stops

# Of two traces the second is in front, compared with the first.
pair() {
	"$tview" -c 'print difference csv' -c 'print matrix csv' "$trace" traces/critical.trc >"$tmp/got" &&
		{ "$tview" export difference "$trace" traces/critical.trc -f csv &&
			"$tview" export matrix traces/critical.trc -f csv; } >"$tmp/want" &&
		cmp "$tmp/want" "$tmp/got" && grep -q '^time,' "$tmp/got"
}
check "two traces are compared" pair

# Rank 1 reads a mesh within main. A level is a line, the outermost one first.
levels() { # N: the lines of rank 1, of N levels, without what is drawn between rows
	"$tview" export timeline --depth "$1" -t 10ms:20ms "$trace" | sed -n "/^ rank 1 /,+$(($1 - 1))p" >"$tmp/got"
	[ "$(wc -l <"$tmp/got")" = "$1" ]
}
one_level() { levels 1 && grep -q '^ rank 1 .*main' "$tmp/got" && ! grep -q read_mesh "$tmp/got"; }
two_levels() { levels 2 && sed -n 1p "$tmp/got" | grep -q main && sed -n 2p "$tmp/got" | grep -q read_mesh; }
check "--depth 1 has the outermost level alone" one_level
check "--depth 2 has the level below it, too" two_levels
check "--depth is a number of levels" fails 2 'depth takes a whole number' export timeline --depth x $trace

# A file of settings is for the screen: what is printed is the same for everybody.
mkdir -p "$tmp/config/tview"
printf 'ascii = yes\ngroup = node\nview = profile\nbroken\n' >"$tmp/config/tview/config"
alone() {
	"$tview" -c print "$trace" >"$tmp/got" 2>"$tmp/err" && [ ! -s "$tmp/err" ] &&
		"$tview" export overview "$trace" | cmp - "$tmp/got"
}
check "settings do not change what is printed" alone
done_testing
