#!/bin/sh
# OTF2 archives: what tview reads of them against what otf2-print shows of them; parts, threads, damage.
# Archives that are not in traces/otf2 are looked for in $TVIEW_TRACES/otf2.
. tests/cli/tap.sh
. tests/cli/otf2_kinds.sh

more="ft.S-4 ez-mg.S-8 public-mpi_allreduce public-mpi_bsend public-mpi_gather public-mpi_ssend_irecv
	public-mpi_pthread_hello_world public-pipit-ping-pong public-pipit-ping-pong-papi public-fastotf2-mi300"

# The folder of an archive, empty where it is not here.
archive() {
	for folder in traces/otf2 "${TVIEW_TRACES:-/nonexistent}/otf2"; do
		if [ -d "$folder/$1" ]; then echo "$folder/$1"; return; fi
	done
}

export_() { # VIEW TRACE OPTIONS...
	"$tview" export "$@" --no-cache --format csv
}

# ---- counts ----

# Events by location: in the order of the definitions, as many as otf2-print shows of that id.
same_locations() {
	awk '$1 == "LOCATION" { print $2 }' "$3" >"$tmp/ids"
	awk 'NR == FNR { order[NR] = $1; next }
		$1 ~ /^[A-Z][A-Z_0-9]+$/ && $2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ { n[$2] += $1 == "BUFFER_FLUSH" ? 2 : 1 }
		END { for (i = 1; i in order; i++) print n[order[i]] + 0 }' "$tmp/ids" "$2" >"$tmp/its"
	export_ definitions "$1" | awk '/^location,/ {
		match($0, /[0-9,]+ event/); n = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", n); print n + 0
	}' >"$tmp/mine"
	[ -s "$tmp/mine" ] && diff "$tmp/mine" "$tmp/its"
}

# One row a message, all with both ends; sent bytes in total.
same_messages() {
	export_ messages "$1" --base measured | tail -n +2 | awk -F, '
		{ n++; bytes += $6; if ($0 ~ /no-(send|receive)/) lone++ }
		END { print n + 0, bytes + 0, lone + 0 }' >"$tmp/mine"
	awk '$1 == "MPI_SEND" || $1 == "MPI_ISEND" { n++; sub(/.*Length: /, ""); bytes += $1 + 0 }
		END { print n + 0, bytes + 0, 0 }' "$2" >"$tmp/its"
	diff "$tmp/mine" "$tmp/its"
}

# As many collectives as members' ends, each counting for one of its communicator's members.
same_collectives() {
	export_ collectives "$1" --base measured | tail -n +2 | wc -l >"$tmp/mine"
	awk 'NR == FNR {
			if ($1 == "GROUP" && /Type: COMM_GROUP/) { match($0, /[0-9]+ Member/); size[$2] = substr($0, RSTART) + 0 }
			if ($1 == "GROUP" && /Type: COMM_SELF/) size[$2] = 1
			if ($1 == "COMM") { match($0, /Group: .*Parent/); g = substr($0, RSTART, RLENGTH)
				sub(/.*</, "", g); of[$2] = g + 0 }
			next
		}
		$1 == "MPI_COLLECTIVE_END" { match($0, /Communicator: .*Root/); c = substr($0, RSTART, RLENGTH)
			sub(/.*</, "", c); sum += 1 / size[of[c + 0]] }
		END { printf "%.0f\n", sum }' "$3" "$2" >"$tmp/its"
	diff "$tmp/mine" "$tmp/its"
}

any_jobs() {
	for view in events messages collectives definitions findings; do
		export_ $view "$1" --jobs 1 >"$tmp/one" && export_ $view "$1" --jobs 3 >"$tmp/three" &&
			cmp "$tmp/one" "$tmp/three" || return 1
	done
}

if command -v otf2-print >/dev/null; then
	for name in sweep3d-4 mg.S-4 comd-4 ez-lu.S-4 ez-pp-2 $more; do
		folder=$(archive "$name")
		if [ -z "$folder" ]; then
			skip "$name" "not in \$TVIEW_TRACES/otf2"
			continue
		fi
		otf2-print "$folder"/*.otf2 >"$tmp/events" 2>/dev/null
		otf2-print -G "$folder"/*.otf2 >"$tmp/defs" 2>/dev/null
		check "$name: events by kind" same_kinds "$folder" "$tmp/events"
		check "$name: events by location" same_locations "$folder" "$tmp/events" "$tmp/defs"
		check "$name: messages" same_messages "$folder" "$tmp/events"
		check "$name: collectives" same_collectives "$folder" "$tmp/events" "$tmp/defs"
	done
else
	skip "counts" "otf2-print is not installed"
fi
check "the same for any number of threads: Score-P" any_jobs traces/otf2/mg.S-4
check "the same for any number of threads: EZTrace" any_jobs traces/otf2/ez-lu.S-4

# ---- archives made just now ----

# What EZTrace records of a program, in $tmp/NAME_trace; what the program says itself, in $tmp/said.
record() {
	program=$PWD/build/release/programs/$1
	(cd "$tmp" && timeout 100 mpiexec.mpich -n 4 eztrace -t mpich "$program" >said 2>&1) && [ -d "$tmp/$1_trace" ] ||
		{ cat "$tmp/said"; return 1; }
	otf2-print "$tmp/$1_trace"/*.otf2 >"$tmp/events" 2>/dev/null
	otf2-print -G "$tmp/$1_trace"/*.otf2 >"$tmp/defs" 2>/dev/null
}
# "83 messages sent (664 bytes)" of the program's own account.
own_account() {
	sed -n 's/.*: \([0-9]*\) messages sent (\([0-9]*\) bytes).*/\1 \2 0/p' "$tmp/said" >"$tmp/its"
	export_ messages "$tmp/$1_trace" | tail -n +2 | awk -F, '
		{ n++; bytes += $6; if ($0 ~ /no-(send|receive)/) lone++ }
		END { print n + 0, bytes + 0, lone + 0 }' >"$tmp/mine"
	[ -s "$tmp/its" ] && diff "$tmp/mine" "$tmp/its"
}
for name in ring farm sweep stencil collectives; do
	if ! command -v eztrace >/dev/null || ! command -v otf2-print >/dev/null; then
		skip "EZTrace: $name" "eztrace or otf2-print is not installed"
		continue
	elif ! [ -x "build/release/programs/$name" ]; then
		skip "EZTrace: $name" "the program is not built (make programs)"
		continue
	fi
	check "EZTrace: $name is recorded" record "$name"
	check "EZTrace: $name: events by kind" same_kinds "$tmp/${name}_trace" "$tmp/events"
	check "EZTrace: $name: events by location" same_locations "$tmp/${name}_trace" "$tmp/events" "$tmp/defs"
	check "EZTrace: $name: collectives" same_collectives "$tmp/${name}_trace" "$tmp/events" "$tmp/defs"
	# EZTrace 2.0 notes no end of the messages that MPI_Waitall ends, which is all of stencil's.
	[ "$name" = stencil ] || check "EZTrace: $name: messages as the program counts them" own_account "$name"
done

# ---- values, from otf2-print ----

has() { # FILE PATTERN...
	file=$1
	shift
	for pattern; do grep -Eq -- "$pattern" "$file" || { echo "without: $pattern"; return 1; }; done
}
nodes=$(archive public-mpi_pthread_hello_world)
if [ -n "$nodes" ]; then
	"$tview" export definitions "$nodes" --no-cache --format csv >"$tmp/out"
	check "two nodes, clocks 74,937 s apart, threads" has "$tmp/out" \
		'^location,rank 0,.* on epyc2' '^location,rank 1,.* on arnaud-Desktop' \
		'^location,rank 3 thread 2,.* on arnaud-Desktop' \
		'^offset,rank 1,-74936.828466711 s at' '^offset,rank 3,-74936.828468900 s at'
	export_ events "$nodes" >"$tmp/out"
	check "on the reference clock the two nodes meet" \
		awk -F, 'NR > 1 && ($1 < 0 || $1 > 1.6) { bad = 1 } END { exit bad || NR != 129 }' "$tmp/out"
else
	skip "two nodes" "public-mpi_pthread_hello_world is not in \$TVIEW_TRACES/otf2"
fi
export_ profile traces/otf2/sweep3d-4 >"$tmp/out"
check "regions have file and line" has "$tmp/out" '^sweep,.*,user,/src/app/apps/sweep3d-orig/sweep.f,2,[0-9]*$' \
	'^MPI_Recv,1920,.*,p2p,' '^MPI_Allreduce,.*,collective,' '^MPI_Barrier,.*,sync,'
export_ profile traces/otf2/ez-lu.S-4 >"$tmp/out"
check "functions of MPI by any spelling" has "$tmp/out" '^mpi_send_,.*,p2p,' '^mpi_allreduce_,.*,collective,' \
	'^mpi_barrier_,.*,sync,' '^EZTrace finalize,.*,overhead,'

# ---- parts ----

# What lies in a window is the same whether only that was loaded or all.
part_equal() { # TRACE T0 T1
	export_ events "$1" --base linear | awk -F, -v a="$2" -v b="$3" 'NR > 1 && $1 >= a && $1 < b' | sed 's/,[0-9]*,[0-9]*$//' | sort >"$tmp/all"
	# Of a part the ids of the whole are not known.
	export_ events "$1" --base linear --time "$2:$3" | tail -n +2 | sed 's/,,$//' | sort >"$tmp/part"
	[ -s "$tmp/all" ] && cmp "$tmp/all" "$tmp/part"
}
rank_equal() { # TRACE RANKS PATTERN OPTIONS
	export_ events "$1" $4 | grep -E "^[^,]*,($3)," | cut -d, -f1-5 | sort >"$tmp/all"
	export_ events "$1" --ranks "$2" $4 | tail -n +2 | cut -d, -f1-5 | sort >"$tmp/part"
	[ -s "$tmp/all" ] && cmp "$tmp/all" "$tmp/part"
}
check "--time: the whole of a window" part_equal traces/otf2/sweep3d-4 0.2113 0.2391
check "--time: a window's events inside one region" part_equal traces/otf2/comd-4 0.1511 0.1623
check "--ranks: all of a rank's events" rank_equal traces/otf2/mg.S-4 1-2 '1|2' ''
check "--ranks of raw times: all of a rank's events" rank_equal traces/otf2/mg.S-4 1-2 '1|2' "--base measured"
"$tview" export overview traces/otf2/sweep3d-4 --no-cache --base linear --time 0.2:0.21 >"$tmp/out"
check "a part of the time says so" has "$tmp/out" "This is a part of the trace: 200.0 ms to 210.0 ms"
"$tview" export overview traces/otf2/sweep3d-4 --no-cache --base linear --ranks 1-2 >"$tmp/out"
check "a part of the ranks says so" has "$tmp/out" "This is a part of the trace: ranks 1-2"

# ---- what is given by mistake ----

cp -r traces/otf2/ez-pp-2 "$tmp/a"
chmod -R u+w "$tmp/a"
check "definitions instead of the anchor" fails 3 'open its anchor, .*eztrace_log.otf2' check "$tmp/a/eztrace_log.def"
check "a rank's events instead of the anchor" fails 3 'open its anchor, .*eztrace_log.otf2' \
	check "$tmp/a/eztrace_log/0.evt"
check "a PICL trace taken for OTF2" fails 3 'is not the anchor' check --as otf2 traces/ring.trc
check "an anchor taken for PICL" fails 3 'not a PICL trace' check --as picl "$tmp/a/eztrace_log.otf2"
cp "$tmp/a/eztrace_log.otf2" "$tmp/a/other.otf2"
check "several anchors in a folder" fails 3 'eztrace_log.otf2, other.otf2' check "$tmp/a"
rm "$tmp/a/other.otf2"
mkdir "$tmp/empty"
check "a folder without one" fails 3 'without an OTF2 anchor' check "$tmp/empty"

# ---- damage ----

damaged() { # STATUS PATTERN...: check finds it, and the rest is read
	"$tview" check --no-cache "$tmp/d" >"$tmp/out" 2>"$tmp/err"
	[ $? = 1 ] && has "$tmp/out" "$@"
}
fresh() {
	rm -rf "$tmp/d"
	cp -r traces/otf2/sweep3d-4 "$tmp/d"
	chmod -R u+w "$tmp/d"
}
fresh
rm "$tmp/d/traces/2.evt"
check "a rank's events are missing" damaged '15,230 events' 'damage *events-missing .*rank 2: '
fresh
head -c 30000 traces/otf2/sweep3d-4/traces/1.evt >"$tmp/d/traces/1.evt"
check "a rank's events are cut off" damaged '17,466 events' 'damage *events-cut .*rank 1: '
unsaid() { "$tview" report --no-cache "$tmp/d" >"$tmp/out" 2>/dev/null && ! grep -q 'the trace ended' "$tmp/out"; }
check "which is not where the rank was at the end" unsaid
# A byte that says that a chunk ends is no error where it comes too early. Rank 1 begins with three events in 66 bytes.
ended() { # OFFSET
	fresh
	printf '\002' | dd of="$tmp/d/traces/1.evt" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
ended 18
check "a chunk ends before its first event" damaged '15,230 events' 'damage *events-fewer .*rank 1: '
ended 66
check "a chunk ends after three events" damaged '15,233 events' 'damage *events-fewer .*rank 1: '
# What other threads left in memory is not taken for events.
same_events() {
	seq 20 | while read -r _; do
		"$tview" check --no-cache --jobs 4 "$tmp/d" 2>"$tmp/err" | grep -o '^[^ ]* [0-9,]* events'
	done | sort | uniq -c | awk '{ print } $1 != 20 { bad = 1 } END { exit bad || NR != 1 }'
}
check "the same ones each time, however many threads there are" same_events
fresh
head -c 20 traces/otf2/sweep3d-4/traces/1.def >"$tmp/d/traces/1.def"
check "local definitions are cut off" damaged '20,304 events' 'damage *local-definitions .*rank 1: '
check "--strict: what is whole is read" "$tview" check --no-cache --strict traces/otf2/sweep3d-4
check "--strict: damage is an error" fails 1 'local definitions cannot be read' check --no-cache --strict "$tmp/d"
fresh
rm "$tmp/d/traces.def"
check "global definitions are missing" fails 3 'traces.otf2' check --no-cache "$tmp/d"
fresh
: >"$tmp/d/traces/0.evt"
check "an empty file of events" damaged '15,222 events' 'damage *events-.*rank 0: '
fresh
head -c 60 traces/otf2/sweep3d-4/traces.otf2 >"$tmp/d/traces.otf2"
check "an anchor that is cut off" fails 3 'is damaged' check --no-cache "$tmp/d"
fresh
printf '\377\377\377\377' | dd of="$tmp/d/traces.otf2" bs=1 seek=59 conv=notrunc 2>/dev/null
check "an anchor of 2^32 properties" fails 3 'is damaged' check --no-cache "$tmp/d"

done_testing
