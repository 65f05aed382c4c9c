#!/bin/sh
# Recording that is switched off and on: tests/capture/mpi/switched.c says in its first comment what is recorded of it.
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# record COMMAND...: two ranks of it, in $tmp/t.trc
record() {
	rm -f "$tmp/t.trc"
	"$out/tvrun" -q $options -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n 2 "$@" >"$tmp/log" 2>&1 || cat "$tmp/log"
}
# visits FILE: "work 25;..." of what the program counts
visits() {
	"$tview" export profile "$1" -f csv | awk -F, '{ n[$1] = $2 } END {
		k = split("work deep outer part MPI_Sendrecv MPI_Send MPI_Recv MPI_Ssend MPI_Irecv MPI_Wait MPI_Barrier", name, " ")
		for (i = 1; i <= k; i++) if (n[name[i]]) printf "%s %d;", name[i], n[name[i]] }'
}
# off_ns FILE: how long recording was off by the trace
off_ns() {
	"$tview" report "$1" -f json | /usr/bin/python3 -c '
import json, sys
print(*[r["count"] for r in json.load(sys.stdin)["trust"].get("rows", []) if r["lacks"] == "paused" and r["ranks"] == 2])'
}
# lacks_paused: the trace says that recording was off for as long as the program does: it measures from before one switch
# to after the other, by a clock that is adjusted
lacks_paused() {
	said=$(off_ns "$tmp/t.trc")
	want=$(awk '/^[0-9]+$/ { sum += $1 } END { print sum }' "$tmp/log")
	[ "$said" -le $((want + 200000)) ] && [ "$said" -ge $((want - 30000000)) ] && [ "$said" -ge 40000000 ] ||
		{ echo "the trace: $said, the program: $want"; return 1; }
}
says() {
	"$tview" "$1" "$tmp/t.trc" | tr -s '\n ' '  ' >"$tmp/said"
	grep -q "$2" "$tmp/said" || { cat "$tmp/said"; return 1; }
}
says_not() { ! says "$@" >/dev/null; }
# no_wait_off: no wait begins while its rank is off
no_wait_off() {
	"$tview" export waits "$tmp/t.trc" -f csv | awk -F, 'NR > 1 && $4 == "" { print; bad = 1 } END { exit bad }'
}
functions="work 25;outer 1;part 3;"
calls="MPI_Sendrecv 20;MPI_Recv 5;MPI_Ssend 1;MPI_Wait 1;MPI_Barrier 6;"

options=
for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -finstrument-functions -Iinclude -o "$tmp/switched" "$sources/switched.c"

	check "$mpi: a program that switches recording off" record "$tmp/switched"
	check "$mpi: what is left is counted exactly" is "$(visits "$tmp/t.trc")" "$functions$calls"
	check "$mpi: no message is lost, and none has another's receive" says check "; 26 messages, 5 collectives"
	check "$mpi: nothing is damaged" says_not check "damage\|oddity\|guess"
	check "$mpi: the time is not recorded" says check "Recording was switched off for a time on 2 ranks; .* is missing"
	check "$mpi: it is as long as the program says" lacks_paused
	check "$mpi: no rank waits while it is off" no_wait_off
	check "$mpi: the report says that waits may be missing" says report "not all was recorded)"
	mkdir -p "$tmp/otf2"
	for other in otf2/run.otf2 again.trc; do
		check "$mpi: $other is written" "$tview" convert "$tmp/t.trc" "$tmp/$other"
		check "$mpi: and has the same" is "$(visits "$tmp/$other") $(off_ns "$tmp/$other")" \
			"$functions$calls $(off_ns "$tmp/t.trc")"
		rm -rf "$tmp/otf2"
	done
	options=--statistics
	check "$mpi: statistics alone" record "$tmp/switched"
	check "$mpi: lack the same time" lacks_paused
	options=--off
	check "$mpi: switched off from the start" record "$tmp/switched"
	check "$mpi: what comes before it is switched on is left out" is "$(visits "$tmp/t.trc")" "part 2;MPI_Wait 1;MPI_Barrier 4;"
	check "$mpi: but no message" says check "; 26 messages, 5 collectives"
	check "$mpi: starting and ending are there" is \
		"$("$tview" export profile "$tmp/t.trc" -f csv | awk -F, '/^MPI_(Init|Finalize),/ { n += $2 } END { print n }')" 4
	options=--no-functions
	check "$mpi: without functions" record "$tmp/switched"
	check "$mpi: calls are counted exactly" is "$(visits "$tmp/t.trc")" "part 3;$calls"
	options=
done

if command -v mpicc.mpich >/dev/null; then
	mpi=mpich oversubscribe=
	mpicc.mpich -cc="$out/tvcc" -g -Iinclude -o "$tmp/probes" "$sources/switched.c" 2>"$tmp/err"
	check "probes of tvcc" record "$tmp/probes"
	# outer() is too small for a probe.
	check "what is left is counted exactly" is "$(visits "$tmp/t.trc")" "work 25;part 3;$calls"
	check "the time is as long as the program says" lacks_paused
	check "nothing is damaged" says_not check "damage\|oddity\|guess"
fi
done_testing
