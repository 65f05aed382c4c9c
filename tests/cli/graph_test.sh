#!/bin/sh
# tview export graph: its columns, its sums against those of other views, choices of ranks, time and rows, the same bytes
# whatever the number of threads and with a cache file; and what is said of a trace without events.
. tests/cli/tap.sh
export TVIEW_CACHE_MIN=0 XDG_CACHE_HOME="$tmp/xdg"
sweep=traces/sweep.trc
statistics=tests/ui/statistics.trc

graph() { # TRACE OPTIONS...
	trace=$1
	shift
	"$tview" export graph "$trace" -f csv --no-cache "$@"
}

# The columns' sum over the rows that awk's condition chooses, by their names.
sum() { # COLUMN CONDITION < csv
	awk -F, -v column="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		'"$2"' { sum += $at[column]; n++ }
		END { if (n) printf "%.9f\n", sum; else print "none" }'
}

near() { # A B: but for the last digits
	awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != "none" && d < 2e-9 && d > -2e-9) }' || { echo "$1 is not $2"; return 1; }
}

first_columns() {
	for by in "" "--by rank" "--by destination"; do
		graph $sweep $by | head -1 | grep -q '^path,kind,name,file,line,count,time_s,exclusive_s,trans_s,sync_s,' || return 1
	done
}
check "the first columns are those that were promised" first_columns

# Visits and times of functions as the profile counts them.
like_the_profile() {
	for region in main sweep_from get_edge put_edge compute; do
		profile=$("$tview" export profile $sweep -f csv --no-cache "$@" | grep "^$region,")
		near "$(graph $sweep "$@" | sum count "\$at[\"kind\"] == \"procedure\" && \$1 == \"$region\"")" \
			"$(echo "$profile" | cut -d, -f2)" || return 1
		near "$(graph $sweep "$@" | sum time_s "\$at[\"kind\"] == \"procedure\" && \$1 == \"$region\"")" \
			"$(echo "$profile" | cut -d, -f3)" || return 1
	done
}
check "procedures have the profile's visits and times" like_the_profile
check "and of some ranks" like_the_profile --ranks 1-2
check "and of a window" like_the_profile --time 300ms:330ms

# Messages: 96, as the list of messages says.
messages() {
	near "$(graph $sweep | sum count '$at["name"] == "MPI_Send"')" \
		"$("$tview" export messages $sweep -f csv --no-cache | tail -n +2 | wc -l)"
}
check "sends are as many as messages" messages

adds_up() { # COLUMN BY CONDITION
	near "$(graph $sweep --by "$2" | sum "$1" "$3")" "$(graph $sweep | sum "$1" "$3")"
}
check "ranks add up to the program" adds_up time_s rank '$at["kind"] == "program"'
check "and to each statement" adds_up sync_s rank '$at["name"] == "MPI_Recv"'
check "destinations add up to their statements" adds_up time_s destination '$at["kind"] == "communication"'
check "so do their transmissions" adds_up trans_s destination '$at["kind"] == "communication"'

filtered() {
	near "$(graph $sweep --filter 'rank == 2' | sum count '$1 == "compute"')" \
		"$(graph $sweep --ranks 2 | sum count '$1 == "compute"')"
}
check "a filter of ranks is a choice of ranks" filtered

same() { # OPTIONS...
	cp $sweep "$tmp/run.trc"
	graph "$tmp/run.trc" "$@" --jobs 1 >"$tmp/one"
	graph "$tmp/run.trc" "$@" --jobs 3 >"$tmp/three"
	"$tview" export overview "$tmp/run.trc" >/dev/null # leaves a cache file
	appears "$tmp/.run.trc.tvcache"
	"$tview" export graph "$tmp/run.trc" -f csv "$@" >"$tmp/cached"
	cmp "$tmp/one" "$tmp/three" && cmp "$tmp/one" "$tmp/cached"
}
check "the same for any number of threads, and from a cache file" same
check "by rank, too" same --by rank
check "by destination, too" same --by destination

formats() {
	for format in text csv json md; do
		"$tview" export graph $statistics -f $format --no-cache | grep -q 'main/for:12/MPI_Send:14\|main/for:12/MPI\\_Send:14' || return 1
	done
}
check "text, CSV, JSON, Markdown" formats

# tests/harness/program_sample.h
without_events() {
	near "$(graph $statistics | sum time_s '$at["kind"] == "program"')" .000002 &&
		near "$(graph $statistics --ranks 1 | sum sync_s '$at["kind"] == "communication"')" .000000050 &&
		graph $statistics | grep -q ',records$'
}
check "records of a run without events" without_events
waits_of_records() {
	near "$("$tview" export patterns $statistics --ranks 1 -f csv --no-cache | sum severity_s 1)" .000000050 &&
		! "$tview" export patterns $statistics -f cube -o "$tmp/none.cube" 2>"$tmp/said" &&
		grep -q 'statistics only (record it without --statistics)' "$tmp/said"
}
check "waiting of a run without events" waits_of_records
says_so() {
	"$tview" export events $statistics --no-cache >/dev/null 2>"$tmp/said" && grep -q 'has statistics only.*export graph' "$tmp/said"
}
check "tables of events say that there are none" says_so
done_testing
