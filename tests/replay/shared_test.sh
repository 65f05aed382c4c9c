#!/bin/sh
# tview-replay: what any number of processes say together is byte for byte what tview says alone (divided_test.c, in
# threads, has more of that); what they cannot say yet they refuse with one sentence.
. tests/cli/tap.sh
replay=$out/tview-replay
traces=${TVIEW_TRACES:-traces}/otf2

if ! command -v mpiexec.mpich >/dev/null || [ ! -x "$replay" ]; then
	skip "tview-replay" "MPICH is not installed"
	done_testing
fi

# many N ARGUMENTS...
many() {
	n=$1
	shift
	mpiexec.mpich -n "$n" "$replay" "$@"
}

# same_of NUMBERS VERB ARGUMENTS...: also what is said about the trace, and the status
same_of() {
	numbers=$1
	shift
	"$tview" "$@" >"$tmp/alone" 2>"$tmp/alone.err"
	alone=$?
	for n in $numbers; do
		many "$n" "$@" >"$tmp/many" 2>"$tmp/many.err"
		[ $? = $alone ] || { echo "$n: another status than $alone"; cat "$tmp/many.err"; return 1; }
		sed 's/^tview-replay: /tview: /' "$tmp/many.err" | cmp - "$tmp/alone.err" && cmp "$tmp/many" "$tmp/alone" ||
			{ echo "$n processes"; return 1; }
	done
	[ -s "$tmp/alone" ]
}

# same NUMBERS VIEW TRACE ARGUMENTS...
same() {
	numbers=$1
	shift
	same_of "$numbers" export "$@" && [ $alone = 0 ]
}

# says N STATUS PATTERN ARGUMENTS...: one sentence of one process
says() {
	n=$1 wanted=$2 pattern=$3
	shift 3
	many "$n" "$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got = "$wanted" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] &&
		grep -q "^tview-replay: .*$pattern" "$tmp/err" || { echo "status $got"; cat "$tmp/out" "$tmp/err"; return 1; }
}

"$out/simulate" --program stencil --ranks 11 --steps 40 --seed 3 --ranks-per-node 4 --clock-offset 2e-3 --clock-drift 2e-5 \
	--offset-noise 1e-5 --slow 2:1.6 --overhead 1e-6 --insitu 0.3 -o "$tmp/run.otf2" >/dev/null
"$out/simulate" --program stencil --ranks 11 --steps 400 --seed 3 -o "$tmp/long.otf2" >/dev/null
check "profile of 11 ranks by 2, 5 and 13 processes" same "2 5 13" profile "$tmp/run.otf2" -b measured -f csv
check "by rank, corrected by offsets" same 4 profile "$tmp/run.otf2" -b linear --by rank -f json
check "call paths" same 3 callpaths "$tmp/run.otf2" -b measured -f csv
check "a window" same 3 profile "$tmp/run.otf2" -b linear -t 1.01:1.02 -f csv
check "some ranks, of which most processes have none" same 5 profile "$tmp/run.otf2" -b measured -r 3,4 --by rank -f csv
check "as text for people" same 2 callpaths "$tmp/run.otf2" -b linear -w 100

check "messages by sender and receiver" same 4 matrix "$tmp/run.otf2" -b linear -r 3,4 -t 1.01:1.02 -f csv
check "sizes and latencies of messages" same 3 histograms "$tmp/run.otf2" -b linear
check "fitted clocks" same 5 profile "$tmp/run.otf2" -b fitted --by rank -f csv
check "fitted clocks against interpolated ones" same 3 difference "$tmp/run.otf2" -b fitted --against linear -f csv
check "each message, by its time" same 3 messages "$tmp/run.otf2" -b linear -f csv
check "each call, with where the causes of its waiting end" same 5 calls "$tmp/run.otf2" -b measured -f csv
check "calls of a long run, in a window" same 3 calls "$tmp/long.otf2" -b measured -t 1.01:1.1 -F "class != user" -f csv
check "each collective, of members in all processes" same 3 collectives "$tmp/run.otf2" -b linear -f csv
check "messages that match" same 4 messages "$tmp/run.otf2" -b measured -F 'dur > 10us && !(peer == 3) || bytes > 1M' -f csv
check "collectives of which a member matches" same 5 collectives "$tmp/run.otf2" -b measured -F 'rank == 3 && dur > 20us' -f csv
check "messages under way to each rank, in a window" same 4 queues "$tmp/run.otf2" -b linear -t 1.01:1.02 -f csv
check "what each rank did" same 3 utilisation-ranks "$tmp/run.otf2" -b linear -f csv
check "latencies and wait states by fitted clocks" same 4 histograms "$tmp/run.otf2" -b fitted -f csv
check "wait states by clocks fitted with given latencies" same 3 patterns "$tmp/run.otf2" -b fitted --lmin-inter 1us -f csv
printf '%s\n' "1 1ms 12us" "1 20ms 15us" "4 2ms -3us 1us" >"$tmp/offsets"
check "fitted from offsets of a file" same 3 profile "$tmp/run.otf2" -b fitted --offsets "$tmp/offsets" --by rank -f csv
check "corrected as by one" same 3 profile "$tmp/run.otf2" --by rank -f csv
check "the logical clock of offsets alone" same 3 difference "$tmp/run.otf2" -b clc --against linear --presync offsets -f csv
check "its control variable and passes" same 2 profile "$tmp/run.otf2" -b clc --presync offsets --gamma 0.9 --passes 3 -f csv
check "what was corrected" same 3 corrections "$tmp/run.otf2" -f csv
check "the furthest moves" same 3 corrections-moves "$tmp/run.otf2" --presync offsets -f csv
check "what was added to each clock" same 4 corrections-clocks "$tmp/run.otf2" -f json
check "without the cost of recording" same 3 difference "$tmp/run.otf2" -b compensated --against clc --by rank -f csv
check "wait states, delays and the critical path" same 3 patterns "$tmp/run.otf2" -b measured -f csv
check "numbers and durations of wait states" same 5 statistics "$tmp/run.otf2" -b measured -f csv
check "each wait state, with the event that was waited for" same 3 waits "$tmp/run.otf2" -b measured -f csv
check "each event, with all its fields" same 5 events "$tmp/run.otf2" -b linear -f csv
check "of some ranks, in a window, as text" same 4 events "$tmp/run.otf2" -b measured -r 2-5 -t 1.01:1.02 -w 120
check "those that match, as objects" same 3 events "$tmp/run.otf2" -b measured -F 'class != user && dur > 10us' -f json
check "how far they moved" same 3 events "$tmp/run.otf2" -b clc --against linear -f md
check "the longest waits in sentences" same 3 explain "$tmp/run.otf2" -b compensated --worst 12 -f csv
check "the wait at an event" same 5 explain "$tmp/run.otf2" -b measured --event 10396 -f csv
check "a visit and a message" same 3 explain "$tmp/run.otf2" -b measured --event 105
check "the timeline" same 5 timeline "$tmp/run.otf2" -b linear
check "of groups of ranks, with what was corrected" same 3 timeline "$tmp/run.otf2" -b clc --diff --group range --height 12
check "of ranks that are alike, in ASCII" same 4 timeline "$tmp/run.otf2" -b measured --group likeness --height 8 --ascii
check "of groups that are open, rows on top, by MPI" same 5 timeline "$tmp/run.otf2" --group range:2 --open 2 --pin 1,4+ --sort mpi
check "without ranks and colours" same 3 timeline "$tmp/run.otf2" --hide 1-2 --hide-colour "user code" --colour class
check "of chosen columns" same 3 profile "$tmp/run.otf2" --columns count,region --hide 3
check "of calls that match, in a window" same 3 timeline "$tmp/run.otf2" -b measured -F 'class != user' -r 2-7 -t 1.01:1.012 -w 140
check "of too many messages to be drawn" same 3 timeline "$tmp/long.otf2" -b measured --height 60
check "the critical path, stretch by stretch" same 3 critical-path "$tmp/run.otf2" -b measured -f csv
check "causes with a name" same 5 causes "$tmp/long.otf2" -b measured -f csv
check "each iteration of each rank" same 2 iterations "$tmp/long.otf2" -b measured -f csv
check "levels of iterations" same 2 iterations "$tmp/long.otf2" -b measured --by level -f json
check "iterations that are named" same 3 iterations "$tmp/long.otf2" -b measured --iteration check -f csv
check "iterations of some ranks in a window, as text" same 3 iterations "$tmp/long.otf2" -b measured -r 2-5 -t 1.01:1.02 --level 1
check "delays in a window" same 3 patterns "$tmp/run.otf2" -b linear --metric delay -t 1.01:1.02
check "the program graph, by rank" same 5 graph "$tmp/run.otf2" -b measured --by rank -f csv
check "by destination, in a window" same 3 graph "$tmp/run.otf2" -b linear --by destination -t 1.01:1.02 -f json
check "of visits that match" same 4 graph "$tmp/run.otf2" -b measured -F 'dur > 100us' -f csv
check "source lines" same 3 lines "$tmp/run.otf2" -b measured -f csv
"$out/simulate" --program sweep --ranks 12 --steps 8 --seed 4 -o "$tmp/sweep.otf2" >/dev/null
check "the overview" same 3 overview "$tmp/run.otf2" -w 100
check "of some ranks in a window, as rows" same 3 overview "$tmp/run.otf2" -b linear -r 2-7 -t 1.01:1.02 -f json
check "the report" same_of 2 report "$tmp/run.otf2"
check "the longest wait is explained" grep -q "Explained: " "$tmp/many"
check "for programs, of compensated times" same_of 3 report "$tmp/run.otf2" -b compensated -f json
check "of some ranks in a window, in Markdown" same_of 4 report "$tmp/run.otf2" -b linear -r 2-7 -t 1.01:1.02 -f md -w 120
check "a condition that holds" same_of 3 report "$tmp/run.otf2" --fail-on 'mpi_latesender > 1%'
check "which is said once" [ "$(grep -c "^tview-replay: --fail-on: " "$tmp/many.err")" = 1 ]
check "one that does not" same_of 3 report "$tmp/run.otf2" --fail-on 'mpi_latesender > 99%'
check "the check" same_of 13 check "$tmp/run.otf2"
check "waiting on a grid that is guessed" same 3 topology "$tmp/sweep.otf2" -b measured
check "waves on a grid that is guessed from all messages" same 5 patterns "$tmp/sweep.otf2" -b measured --metric mpi_latesender -f csv
check "the overview of waves" same 5 overview "$tmp/sweep.otf2" -f csv
"$out/simulate" --program collectives --ranks 9 --steps 6 --seed 5 -o "$tmp/groups.otf2" >/dev/null
fails_on() {
	many 3 report "$tmp/groups.otf2" --fail-on 'mpi_barrier_wait > 0%' >/dev/null 2>&1
	[ $? = 1 ]
}
check "a condition that holds is a failure" fails_on
check "the report of collectives" same_of 5 report "$tmp/groups.otf2"
check "the overview of collectives" same 13 overview "$tmp/groups.otf2"
check "collectives, in a window" same 4 patterns "$tmp/groups.otf2" -b linear -t 1.001:1.02 -f json

/usr/bin/python3 tests/cli/job_files.py "$tmp/gpu" >/dev/null && "$tview" convert "$tmp"/gpu/rank*.json "$tmp/devices.otf2"
check "how long devices are busy" same 5 overview "$tmp/devices.otf2" -b measured -w 100

threads=$traces/public-mpi_pthread_hello_world/traces.otf2
if [ -e "$threads" ]; then
	check "threads stay with their rank" same "2 3" callpaths "$threads" -b measured -f csv
else
	skip "threads" "$threads is not there"
fi

# Each record with a count of nanojoules, and samples after records of functions.
dress='function note(text) { printf "-7 -1 %s -1 -1 %d \"%%c\" tview:%s\n", $3, length(text) + 6, text }
	{ print }
	/tview:format=/ {
		note("def-string=energy"); note("def-string=J"); note("def-string=timer")
		note("def-metric=0 0 1 10 -9 1 0 2"); note("def-metrics=-1 0 0 -1 0")
		note("def-object=generator 3 0 0 10 -7 1"); note("def-detail=0 sample site unwound generator")
	}
	$1 == -3 || $1 == -4 {
		joules[$4] += 1 + 7919 * NR % 1000003
		print "-304 -1", $3, $4, $5, 2, 2, 0, joules[$4]
		for (i = 0; samples && $2 > 0 && i < NR % 3; i++)
			print "-301 -1", $3, $4, $5, 4, 2, 0, 5 * 4294967296 + 5, 0, 0
	}'
"$tview" convert "$tmp/run.otf2" "$tmp/run.trc"
awk "$dress" "$tmp/run.trc" >"$tmp/counted.trc"
"$tview" convert "$tmp/counted.trc" "$tmp/counted.otf2"
check "what counters counted" same 3 profile "$tmp/counted.otf2" -b measured -f json
# The last counts at the times at which main begins and ends, of all ranks.
all_of_main() {
	counted=$(awk '$1 == -3 && $2 == 1 { from[$4] = $3 } $1 == -4 && $2 == 1 { to[$4] = $3 }
		$1 == -304 && $3 == from[$4] { low[$4] = $9 } $1 == -304 && $3 == to[$4] { high[$4] = $9 }
		END { for (r in low) sum += high[r] - low[r]; printf "%.9f", sum / 1e9 }' "$tmp/counted.trc")
	grep '"main"' "$tmp/many" | sed 's/.*"energy_inclusive":\([0-9.]*\).*/\1/' | awk -v is="$counted" '
		{ exit !(is > 1 && sprintf("%.9f", $1) == is) }' || { echo "$counted"; grep '"main"' "$tmp/many"; return 1; }
}
check "main has all that they counted in it" all_of_main

awk -v samples=1 "$dress" "$tmp/run.trc" >"$tmp/sampled.trc"
"$tview" convert "$tmp/sampled.trc" "$tmp/sampled.otf2"
all_samples() {
	awk -F, 'NR > 1 { n += $2 } END { print n }' "$tmp/many" | grep -qx "$(grep -c '^-301' "$tmp/sampled.trc")"
}
check "samples" same 7 samples "$tmp/sampled.otf2" -b measured -f csv
check "all of them" all_samples
check "those outside of all regions beside these" same 3 profile "$tmp/sampled.otf2" -b measured -f csv

"$out/tvrun" -q --statistics -o "$tmp/statistics.otf2" mpiexec.mpich -n 3 "$out/programs/ring" >/dev/null 2>&1
check "the overview of one" same 4 overview "$tmp/statistics.otf2"
check "its report, for programs" same_of 3 report "$tmp/statistics.otf2" -f json
check "a trace without events is said to be one" same 4 profile "$tmp/statistics.otf2" -b measured -f csv
check "its graph, of records of all ranks" same 4 graph "$tmp/statistics.otf2" -b measured --by rank -f csv
check "lines, without the cost of probes" same 3 lines "$tmp/statistics.otf2" -b measured -f csv
check "rules for probes that cost too much" same 3 filter "$tmp/statistics.otf2" -b measured

# The first half of a file of events is all that is left of rank 4.
cp -r "$tmp/run" "$tmp/cut"
cp "$tmp/run.def" "$tmp/cut.def"
cp "$tmp/run.otf2" "$tmp/cut.otf2"
size=$(stat -c %s "$tmp/cut/4.evt")
truncate -s $((size / 2)) "$tmp/cut/4.evt"
# The same records, as if no more had been written: they say where rank 4 was.
"$tview" convert "$tmp/cut.otf2" "$tmp/open.otf2" -b measured 2>/dev/null
check "where all were when a run ended inside of calls" same 3 rollcall "$tmp/open.otf2" -f csv
check "one of them was inside" grep -q "^4,.*computing,exchange" "$tmp/many"
check "the report says so" same_of 3 report "$tmp/open.otf2"
check "damage does not say it" same_of 3 report "$tmp/cut.otf2"
check "the overview, too" same 3 overview "$tmp/cut.otf2" -f csv
check "the check fails" same_of 2 check "$tmp/cut.otf2"
check "a damaged location is told once" same 3 profile "$tmp/cut.otf2" -b measured -f csv
rm "$tmp/cut/7.evt"
check "a missing one, too" same 5 profile "$tmp/cut.otf2" -b measured -f csv

check "strict reading fails once, whoever found what deviates" says 3 1 "strict reading" export profile "$tmp/cut.otf2" -b measured --strict
# Without options: also where a view has a time base of its own.
every_view() {
	for view in $(many 1 --help | sed -n 's/^  VIEW   //p' | tr -d ,); do
		set --
		[ "$view" != sequences ] || set -- --sequence 'MPI_Isend+ MPI_Waitall'
		same 3 "$view" "$tmp/run.otf2" "$@" || { echo "$view"; return 1; }
	done
}
check "every view by default" every_view
# 32 MiB and 70 B an event: of 200,000, four processes have 50,000 each, which are 3.3 MiB.
"$out/generate" --events 200000 --locations 16 --format otf2 "$tmp/large.otf2" >/dev/null
check "too little memory is refused, with the number of processes that would do" says 2 3 ": 4 processes would do" \
	export profile "$tmp/large.otf2" -b measured --max-mem 36M
# Several times what the first process has at a time.
check "many rows" same 4 events "$tmp/large.otf2" -b measured -f csv
check "where they cannot be written all end" says 3 3 "No space left" export events "$tmp/large.otf2" -b measured -f csv -o /dev/full
check "with these it goes" same 4 profile "$tmp/large.otf2" -b measured --max-mem 36M -f csv
# 19 ranks of about 2,000 events, 140 kB each, of which no two fit.
"$out/generate" --events 38000 --locations 19 --format otf2 "$tmp/odd.otf2" >/dev/null
check "a rank for each process may do" says 2 3 ": [0-9]* processes would do" export profile "$tmp/odd.otf2" -b measured \
	--max-mem 32970K
check "no number of processes divides a rank" says 2 3 "one rank alone" export profile "$tmp/large.otf2" -b measured \
	--max-mem 32M

# ---- PICL (divided_test.c has more) ----

"$tview" convert "$tmp/run.otf2" "$tmp/raw.trc" -b measured
check "a file of PICL" same 5 patterns "$tmp/raw.trc" -b linear -f csv
check "clocks fitted to its messages, by rank" same 3 profile "$tmp/raw.trc" -b fitted --by rank -f csv
check "counters and what is beside events" same 3 profile "$tmp/counted.trc" -b measured -f json
check "a part of it" same 4 patterns "$tmp/raw.trc" -b linear -t 1.01:1.02 -r 3-8 -f csv
"$out/generate" --events 200000 --locations 16 --format picl "$tmp/large.trc" >/dev/null
check "too little memory for it is refused" says 2 3 "large.trc: .*: [45] processes would do" export profile "$tmp/large.trc" -b measured \
	--max-mem 36M
check "with five it goes, too" same 5 profile "$tmp/large.trc" -b measured --max-mem 36M -f csv
check "a rank of it is not divided" says 2 3 "one rank alone" export profile "$tmp/large.trc" -b measured --max-mem 32M
gzip -c "$tmp/raw.trc" >"$tmp/raw.trc.gz"
check "compressed" same 3 callpaths "$tmp/raw.trc.gz" -b measured -f csv
# Lines that are cut, missing, twice, out of order, and no records; of all ranks.
awk '!/^-[34] / || NR % 997 { print; next } { n++ }
	n % 5 == 0 { print substr($0, 1, 9) } n % 5 == 1 { next } n % 5 == 2 { print; print } n % 5 == 3 { kept = $0; next }
	n % 5 == 4 { print "this is no record"; print; if (kept != "") print kept; kept = "" }' "$tmp/raw.trc" >"$tmp/damaged.trc"
check "damaged lines, told once" same 3 statistics "$tmp/damaged.trc" -b measured -f csv
check "they are damage" grep -q "could not be read" "$tmp/many.err"
check "the check of them" same_of 3 check "$tmp/damaged.trc"
# What all ranks say that they did, at their ends.
awk '$1 == -4 && $2 == -901 { print "-102 -1", $3, $4, $5, "2 \"%d%d\" -27", 60 + NR % 3, "-57", NR % 7 } { print }' \
	"$tmp/raw.trc" >"$tmp/said.trc"
check "the check of statistics that are wrong" same_of 2 check "$tmp/said.trc"
check "the first ten of them" [ "$(grep -c '^  rank.*: the statistics say' "$tmp/many")" = 10 ]
check "strict reading ends at the first" says 3 1 "damaged.trc:[0-9]*: " export profile "$tmp/damaged.trc" -b measured --strict
printf '%s\n' "-3 -21 0.1 0 0 3 2 8 5 1" "-4 -21 0.2 0 0 0" "-3 -52 0.1 1 0 0" "-4 -52 0.3 1 0 2 2 8 5" >"$tmp/guess.trc"
check "messages that must be guessed are refused" says 2 1 "must be guessed" export matrix "$tmp/guess.trc" -b measured
check "stdin is refused" says 2 2 "stdin is one process" export profile - -b measured

# ---- archives (written_test.c has more of them) ----

# writes NUMBERS TRACE ARGUMENTS...: all files of the archive, but for the number that is drawn for it
writes() {
	numbers=$1
	shift
	trace=$1
	shift
	rm -rf "$tmp/w"
	mkdir "$tmp/w" "$tmp/w/1"
	"$tview" convert "$trace" "$tmp/w/1/x.otf2" --no-cache "$@" 2>"$tmp/alone.err"
	for n in $numbers; do
		rm -rf "$tmp/w/n"
		mkdir "$tmp/w/n"
		many "$n" convert "$trace" "$tmp/w/n/x.otf2" "$@" 2>"$tmp/many.err" || { echo "$n: status $?"; cat "$tmp/many.err"; return 1; }
		for anchor in "$tmp"/w/?/x.otf2; do
			dd if=/dev/zero of="$anchor" bs=1 seek=64 count=8 conv=notrunc 2>/dev/null || return 1
		done
		sed 's/^tview-replay: /tview: /' "$tmp/many.err" | cmp - "$tmp/alone.err" && diff -r "$tmp/w/1" "$tmp/w/n" ||
			{ echo "$n processes"; return 1; }
	done
	[ "$(ls -A "$tmp/w/n" | tr '\n' ' ')" = "x x.def x.otf2 " ]
}
check "an archive with fitted clocks" writes 3 "$tmp/run.otf2" -b fitted
check "with times corrected as by one" writes 5 "$tmp/run.otf2"
check "with interpolated ones, a part" writes 3 "$tmp/run.otf2" -b linear -t 1.01:1.02 -r 3-8
check "with samples" writes 3 "$tmp/sampled.otf2" -b measured
check "of statistics" writes 2 "$tmp/statistics.otf2" -b measured
check "of a file of PICL" writes 2 "$tmp/raw.trc" -b fitted
check "of a damaged one" writes 3 "$tmp/damaged.trc" -b measured
check "of a damaged trace" writes 5 "$tmp/cut.otf2" -b measured
mkdir "$tmp/there"
stands() {
	many 3 convert "$tmp/run.otf2" "$tmp/there/x.otf2" -b measured && many 2 convert "$tmp/sweep.otf2" "$tmp/there/x.otf2" -b measured &&
		ls "$tmp/there/x/11.evt" && [ "$(ls -A "$tmp/there" | tr '\n' ' ')" = "x x.def x.otf2 " ]
}
check "an older archive is replaced" stands
check "the trace that is read is not" says 3 2 "is the trace that is read" convert "$tmp/there/x.otf2" "$tmp/there/x.otf2" -b measured
touch "$tmp/there/x/mine"
check "a folder with other files is not, either" says 3 3 "is in the way" convert "$tmp/run.otf2" "$tmp/there/x.otf2" -b measured
check "no such folder" says 2 3 "cannot write .*none/x.otf2" convert "$tmp/run.otf2" "$tmp/none/x.otf2" -b measured
check "PICL cannot be written" says 2 2 "can only write OTF2" convert "$tmp/run.otf2" "$tmp/x.trc" -b measured
check "without the cost of recording" writes 3 "$tmp/run.otf2" -b compensated
mkdir "$tmp/small"
if mount -t tmpfs -o size=1m none "$tmp/small" 2>/dev/null; then
	check "a full disk has nothing of it" says 3 3 "cannot write the OTF2 archive" convert "$tmp/large.otf2" "$tmp/small/x.otf2" -b measured
	check "nor a folder with its parts" [ -z "$(ls -A "$tmp/small")" ]
	umount "$tmp/small"
else
	skip "a full disk has nothing of it" "no file system can be mounted"
	skip "nor a folder with its parts" "no file system can be mounted"
fi

# An account has a row a process, and changes nothing of what is written.
counted() {
	"$tview" export patterns "$tmp/run.otf2" -b clc -f csv >"$tmp/alone" && for n in 1 3; do
		many $n --account export patterns "$tmp/run.otf2" -b clc -f csv >"$tmp/many" 2>"$tmp/account" || return 1
		cmp "$tmp/many" "$tmp/alone" && [ "$(grep -c '^ *[0-9]' "$tmp/account")" = $n ] || return 1
	done
}
check "where the time of each process went" counted

check "no such view" says 3 2 "there is no view 'event'; did you mean 'events'" export event "$tmp/run.otf2"
check "another verb is refused" says 3 2 "can only export, report" graph "$tmp/run.otf2"
"$out/simulate" --program stencil --ranks 11 --steps 40 --seed 8 --slow 5:1.4 -o "$tmp/old.otf2" >/dev/null
"$out/simulate" --program stencil --ranks 7 --steps 40 --seed 9 -o "$tmp/less.otf2" >/dev/null
check "two runs compared" same_of 3 report "$tmp/old.otf2" "$tmp/run.otf2"
check "their difference by metric" same 3 difference "$tmp/old.otf2" "$tmp/run.otf2" -f csv
check "by function and rank, in a window" same 4 difference "$tmp/old.otf2" "$tmp/run.otf2" --by all -t 1.01:1.02 -f csv
check "runs of 7 and 11 ranks, and a repeated one" same_of 3 report "$tmp/less.otf2" "$tmp/run.otf2" --baseline "$tmp/old.otf2" -f json
check "a condition of two runs" same_of 3 report "$tmp/old.otf2" "$tmp/run.otf2" --fail-on 'time > 1.01x || comp > 1.01x'
check "a repeated run of a trace alone is refused" says 2 2 "cannot be a baseline" report "$tmp/run.otf2" --baseline "$tmp/old.otf2"
export TVIEW_BASELINES="$tmp/kept"
for of in old run; do "$out/tview" baseline add runs "$tmp/$of.otf2" >/dev/null; done
check "figures that were kept" same_of 3 report "$tmp/run.otf2" --baseline runs -f json
check "their difference" same_of 4 export difference "$tmp/run.otf2" --baseline runs -f csv
check "an event that no process has" says 2 2 "has no event 99999999 " export profile "$tmp/run.otf2" -b measured --event 99999999
check "one that only one of them has" same 3 profile "$tmp/run.otf2" -b measured --event 7 -f csv
check "no such file" says 3 3 "cannot open" export profile "$tmp/none.otf2" -b measured
check "a file that cannot be written" says 3 3 "none/x.csv" export profile "$tmp/run.otf2" -b measured -o "$tmp/none/x.csv"
done_testing
