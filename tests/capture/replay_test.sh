#!/bin/sh
# Choices that depend on time (tvrun --order, --replay-order): senders that come in one order are received in it, or in that of
# another run, or of a text written by hand; where that cannot be, it is said, and the program ends. Times of each rank are units
# of 50 ms, as in orders_test.sh.
. tests/cli/tap.sh
. tests/capture/orders_aid.sh
unit=50
under=

# replays WHAT OPTIONS PROGRAMS...: with these options, that is what they receive, and they end
replays() {
	received=$1 options="--yield $2"
	shift 2
	takes "$received" "$@"
}
follows() { grep -q "note: all $1 choices* made as recorded" "$tmp/log" || { cat "$tmp/log"; return 1; }; }
# departs N SENTENCE: after N choices; what tview check says is in $tmp/check
departs() {
	"$tview" check "$tmp/t.trc" >"$tmp/check" 2>&1
	grep -q "warning: $1 choices* made as recorded, then the run departs: .*$2" "$tmp/log" || { cat "$tmp/log"; return 1; }
}
# refused TEXT PATTERN: a file of that text
refused() {
	printf '0 1 MPI_Recv 0 1 7 0\n%s\n' "$1" >"$tmp/hand"
	"$out/tvrun" --replay-order "$tmp/hand" -o "$tmp/none.trc" true >"$tmp/log" 2>&1
	[ $? = 125 ] && grep -q "$tmp/hand:2: $2" "$tmp/log" || { cat "$tmp/log"; return 1; }
}
# again: senders in all orders, the same receives
again() {
	printf '0 1 MPI_Recv 0 3 7 0\n0 2 MPI_Recv 0 1 7 0\n0 3 MPI_Recv 0 2 7 0\n' >"$tmp/hand"
	for s in '0 3 6' '0 6 3' '3 0 6' '3 6 0' '6 0 3' '6 3 0'; do
		set -- $s
		replays '0: 3 1 2;1:;2:;3:;' "--replay-order $tmp/hand" 'c1 a a a' "c$1 s0" "c$2 s0" "c$3 s0" && follows 3 || return 1
	done
}
text() { grep -v '^#' "$tmp/order"; }

for mpi in mpich openmpi; do
	if ! command -v mpicc.$mpi >/dev/null; then
		skip "replay on $mpi" "not installed"
		continue
	fi
	mpicc.$mpi -g -O1 -o "$tmp/orders.$mpi" tests/capture/mpi/orders.c
	more=
	[ $mpi = openmpi ] && more=--oversubscribe
	check "$mpi: MPI_Recv replays what comes first" replays '0: 1 2;1:;2:;' "--order $tmp/order" 'c1 a a' 'c5 s0' 'c10 s0'
	check "$mpi: as text" is "$(text)" "0 1 MPI_Recv 0 1 7 0
0 2 MPI_Recv 0 2 7 0"
	mv "$tmp/t.trc" "$tmp/first.trc"
	check "$mpi: another run replays something else" replays '0: 2 1;1:;2:;' "" 'c1 a a' 'c10 s0' 'c5 s0'
	check "$mpi: it replays the same again, from the trace" replays '0: 1 2;1:;2:;' "--replay-order $tmp/first.trc" 'c1 a a' 'c10 s0' 'c5 s0'
	check "$mpi: which is said" follows 2
	check "$mpi: and from the text" replays '0: 1 2;1:;2:;' "--replay-order $tmp/order" 'c1 a a' 'c10 s0' 'c5 s0'
	check "$mpi: the replay's own trace has the order" grep -q "0 1: MPI_Recv 0 1 7 0; MPI_Recv 0 2 7 0" "$tmp/t.trc"
	printf '# by hand\n0 1 MPI_Recv 0 3 7 0\n0 2 MPI_Recv 0 1 7 0\n\n0 3 MPI_Recv 0 2 7 0\n' >"$tmp/hand"
	check "$mpi: an order by hand" replays '0: 3 1 2;1:;2:;3:;' "--replay-order $tmp/hand" 'c1 a a a' 'c1 s0' 'c2 s0' 'c6 s0'
	check "$mpi: whatever the order of the senders" again
	for how in p:MPI_Probe m:MPI_Mprobe x3:MPI_Sendrecv w:MPI_Irecv; do
		call=${how#*:} word=${how%%:*}
		last=c1
		[ "$word" = x3 ] && last='r0 r0'
		check "$mpi: $call" replays '0: 1 2;1:;2:;3:;' "--order $tmp/order" "c1 $word $word" 'c5 s0' 'c10 s0' "$last"
		check "$mpi: as text" is "$(text)" "0 1 $call 0 1 7 0
0 2 $call 0 2 7 0"
		check "$mpi: again" replays '0: 1 2;1:;2:;3:;' "--replay-order $tmp/order" "c1 $word $word" 'c10 s0' 'c5 s0' "$last"
		check "$mpi: all of them" follows 2
	done
	# Departures: of a list by hand.
	printf '0 1 MPI_Recv 0 2 7 0\n' >"$tmp/hand"
	check "$mpi: no further choice" replays '0: 2 1;1:;2:;' "--replay-order $tmp/hand" 'c1 a a' 'c1 s0' 'c5 s0'
	check "$mpi: is said" departs 1 'rank 0, choice 2, in MPI_Recv (orders.c:[0-9]*): no further choice was recorded'
	check "$mpi: in check, too" grep -q 'did not follow the order that it was to replay: rank 0, choice 2, in MPI_Recv' "$tmp/check"
	printf '0 1 MPI_Probe 0 2 7 0\n' >"$tmp/hand"
	check "$mpi: another call" replays '0: 1;1:;' "--replay-order $tmp/hand" 'c1 a' 'c1 s0'
	check "$mpi: is said" departs 0 'rank 0, choice 1, in MPI_Recv (orders.c:[0-9]*): MPI_Probe was recorded'
	printf '0 1 MPI_Recv 7 2 7 0\n' >"$tmp/hand"
	check "$mpi: another communicator" replays '0: 1;1:;' "--replay-order $tmp/hand" 'c1 a' 'c1 s0'
	check "$mpi: is said" departs 0 'another communicator was recorded'
	printf '0 1 MPI_Recv 0 9 7 0\n' >"$tmp/hand"
	check "$mpi: no such rank" replays '0: 1;1:;' "--replay-order $tmp/hand" 'c1 a' 'c1 s0'
	check "$mpi: is said" departs 0 'rank 9 was recorded, which there is not'
	printf '0 1 MPI_Recv 0 3 7 0\n0 2 MPI_Recv 0 1 7 0\n' >"$tmp/hand"
	check "$mpi: a rank that has ended" replays '0: 1;1:;2:;3:;' "--replay-order $tmp/hand" 'c1 a' 'c1 s0' 'c1' 'c3'
	check "$mpi: is said" departs 0 'rank 3 was recorded, which ended without sending that'
	printf '0 1 MPI_Recv 0 1 7 0\n0 2 MPI_Recv 0 2 7 0\n0 3 MPI_Recv 0 3 7 0\n' >"$tmp/hand"
	check "$mpi: fewer choices" replays '0: 1 2;1:;2:;' "--replay-order $tmp/hand" 'c1 a a' 'c1 s0' 'c1 s0'
	check "$mpi: is said" departs 2 'rank 0 made only 2 of 3 recorded choices'
	printf '0 1 MPI_Recv 0 1 7 0\n0 2 MPI_Recv 0 2 7 0\n' >"$tmp/hand"
	check "$mpi: a rank that waits for the receiver" replays '0: 2 1;1:;2:;' "--replay-order $tmp/hand" 'c1 a s1 a' 'r0 s0' 's0'
	check "$mpi: is said" departs 0 'rank 1 was recorded, but all ranks waited for each other'
	check "$mpi: one that computes for long is waited for" replays '0: 1 2;1:;2:;' "--replay-order $tmp/hand" 'c1 a a' 'c60 s0' 's0'
	check "$mpi: which is said" follows 2
	check "$mpi: a rank that waits in a loop" replays '0: 2 1;1: 0;2:;' "--replay-order $tmp/hand" 'c1 a s1 a' 'q s0' 's0'
	printf '0 1 MPI_Irecv 0 1 7 0\n0 2 MPI_Irecv 0 2 7 0\n' >"$tmp/hand"
	check "$mpi: a nonblocking receive" replays '0: 2 1;1:;2:;' "--replay-order $tmp/hand" 'c1 w s1 w' 'r0 s0' 's0'
	check "$mpi: is said" departs 0 'rank 0, choice 1, in MPI_Irecv .*: rank 1 was recorded, but all ranks waited for each other'
	printf '0 1 MPI_Recv 0 1 7 0\n1 1 MPI_Recv 0 0 7 0\n' >"$tmp/hand"
	check "$mpi: two that wait for each other" replays '0: 2;1: 0;2:;' "--replay-order $tmp/hand" 'c1 a s1' 'c1 a s0' 's0 s1'
	check "$mpi: one of them departs" departs 1 'rank 0, choice 1'
done
check "a list that is none" refused 'a line' 'not a choice\|unknown\|cannot'
done_testing
