#!/bin/sh
# The generator of large traces (traces/generate): the same file for the same seed, nothing odd in it, the same events
# in both formats, and for any number of ranks.
. tests/cli/tap.sh
generate=$out/generate

# trc NAME OPTIONS...: a PICL trace; what was said about it is in $tmp/said
trc() {
	file=$tmp/$1.trc
	shift
	"$generate" "$@" "$file" >"$tmp/said"
}
same() { cmp "$tmp/$1.trc" "$tmp/$2.trc"; }
differ() { ! cmp -s "$tmp/$1.trc" "$tmp/$2.trc"; }
# As many events as the generator says, and tview finds nothing to say about them.
clean() {
	n=$(sed 's/ events.*//' "$tmp/said")
	"$tview" check "$tmp/$1.trc" >"$tmp/check" || { cat "$tmp/check"; return 1; }
	tr -d , <"$tmp/check" | grep -q ": $n events" && grep -q '^No damage' "$tmp/check" ||
		{ cat "$tmp/said" "$tmp/check"; return 1; }
}
# Events by kind, as otf2-print counts them.
otf2_counts() {
	otf2-print "$1" | awk '/^[A-Z_]+  +[0-9]+ +[0-9]+/ { n[$1]++ } END { for (k in n) print k, n[k] }' | sort
}
# The kinds of the PICL file's records; enters and leaves are records, but for marks.
picl_counts() {
	awk '
	$1 == -3 || $1 == -4 {
		n[$1 == -3 ? "ENTER" : "LEAVE"]++
		if ($1 == -3 && $2 == -21) n["MPI_SEND"]++
		if ($1 == -3 && $2 == -27) n["MPI_ISEND"]++
		if ($1 == -4 && $2 == -51) n["MPI_RECV"]++
		if ($1 == -4 && $2 == -57) n["MPI_IRECV_REQUEST"]++
		if ($2 == -402 || ($2 <= -780 && $2 >= -794))
			n[$1 == -3 ? "MPI_COLLECTIVE_BEGIN" : "MPI_COLLECTIVE_END"]++
	}
	$1 == -2 && $2 == -30 { n["MPI_ISEND_COMPLETE"]++ }
	$1 == -2 && $2 == -60 { n["MPI_IRECV"]++ }
	END { for (k in n) print k, n[k] }' "$1" | sort
}
both_formats() {
	"$generate" "$@" "$tmp/both.trc" >/dev/null && "$generate" "$@" --format otf2 "$tmp/both.otf2" >/dev/null || return 1
	picl_counts "$tmp/both.trc" >"$tmp/picl"
	otf2_counts "$tmp/both.otf2" >"$tmp/otf2"
	rm -rf "$tmp"/both*
	[ "$(wc -l <"$tmp/picl")" = 10 ] && diff "$tmp/picl" "$tmp/otf2"
}
# Peak resident memory in KiB does not grow with the trace.
constant_memory() {
	for events in 100k 1M; do
		/usr/bin/python3 -c '
import resource, subprocess, sys
subprocess.check_call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$generate" --events "$events" /dev/null
	done | awk '{ peak[NR] = $1 } END { print peak[1], peak[2]; exit !(NR == 2 && peak[2] < peak[1] + 1024) }'
}
refused() { "$generate" "$@" >/dev/null 2>&1; [ $? = 2 ]; }

trc a --events 20k --locations 6
trc b --events 20k --locations 6
check "the same seed gives the same file" same a b
trc b --events 20k --locations 6 --seed 2
check "another seed gives another" differ a b
for ranks in 1 2 3 7 16 100; do
	trc ranks --events 40k --locations $ranks
	check "$ranks ranks: nothing damaged, guessed or odd, and as many events as said" clean ranks
done
trc many --events 400k --locations 10000
check "10,000 ranks: a header of more than 64 KiB is understood" clean many
check "both formats hold the same events" both_formats --events 50k --locations 9
check "memory does not grow with the number of events" constant_memory
check "an OTF2 archive has its ending" refused --format otf2 "$tmp/archive"
check "a number is a number" refused --events many "$tmp/x.trc"
check "a format is known" refused --format text "$tmp/x.trc"
# ---- two threads write an archive as one does ----

"$generate" --events 300K --locations 8 "$tmp/large.trc" >/dev/null
# converted NAME COMMAND...: the archive in a folder of its own
converted() {
	mkdir "$tmp/$1" && folder=$1 && shift && "$@" "$tview" convert "$tmp/large.trc" "$tmp/$folder/large.otf2"
}
# But for the anchor, which has a number of its own.
same_archive() { diff -r -x large.otf2 "$tmp/one" "$tmp/all"; }
if command -v taskset >/dev/null && [ "$(nproc)" -gt 1 ]; then
	check "300,000 events as an archive, by one thread" converted one taskset -c 0 env
	check "by as many threads as processors" converted all env
	check "every definition and event is the same" same_archive
else
	skip "an archive by several threads" "one processor, or no taskset"
fi
done_testing
