#!/bin/sh
# Choices that depend on time (tvrun --order, --replay-order): senders that come in one order are received in it, or in that of
# another run, or of a text written by hand, and calls that test say no as often; where that cannot be, it is said, and the
# program ends. Times of each rank are units
# of 50 ms, as in orders_test.sh; 10 ms where a list says the order, which time does not change.
. tests/cli/tap.sh
. tests/capture/orders_aid.sh
LONG=50 SHORT=10 unit=$LONG
under=

# replays WHAT OPTIONS PROGRAMS...: with these options, that is what they receive, and they end
replays() {
	received=$1 options="--yield $2"
	shift 2
	case $options in *--replay-order*) unit=$SHORT ;; esac
	takes "$received" "$@"
	set -- $?
	unit=$LONG
	return "$1"
}
follows() {
	made="all $1 choices were"
	[ "$1" != 1 ] || made="the only choice was"
	grep -q "note: $made made as recorded" "$tmp/log" || { cat "$tmp/log"; return 1; }
}
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
# answers WANT N PROGRAMS...: a run says no before it takes what comes first, which is what WANT matches; as the text has it. The
# senders in the other order, the next run says no as often, and takes the same.
answers() {
	want=$1 n=$2
	shift 2
	options="--yield --order $tmp/order"
	run "$@" && grep -qx "$want;1:;2:;" "$tmp/said" || { cat "$tmp/log"; return 1; }
	is "$(text | sed 's/.* //' | tr '\n' ' ')" "$(tr ' ' '\n' <"$tmp/said" | sed -n 's/^?//p' | tr '\n' ' ')" || return 1
	first=$(cat "$tmp/said")
	replays "$first" "--replay-order $tmp/order" "$1" "$3" "$2" && follows "$n"
}
# survives: the list names a rank that is killed, of which the launcher does not learn until rank 0 has ended
survives() {
	rm -f "$tmp/under.over"
	options="--yield --replay-order $tmp/hand"
	run 'c1 a u' 'c5 k' 's0 u'
	[ $ended != 124 ] && is "$(cat "$tmp/said")" '0: 2;2:;' || { cat "$tmp/log"; return 1; }
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
	for how in p:MPI_Probe m:MPI_Mprobe x3:MPI_Sendrecv X3:MPI_Sendrecv_replace w:MPI_Irecv; do
		call=${how#*:} word=${how%%:*}
		last=c1
		[ "${word#[xX]}" = 3 ] && last='r0 r0'
		check "$mpi: $call" replays '0: 1 2;1:;2:;3:;' "--order $tmp/order" "c1 $word $word" 'c5 s0' 'c10 s0' "$last"
		check "$mpi: as text" is "$(text)" "0 1 $call 0 1 7 0
0 2 $call 0 2 7 0"
		check "$mpi: again" replays '0: 1 2;1:;2:;3:;' "--replay-order $tmp/order" "c1 $word $word" 'c10 s0' 'c5 s0' "$last"
		check "$mpi: all of them" follows 2
	done
	# Which of several requests is complete.
	for how in 'i12:MPI_Waitany:#0' 'o12:MPI_Waitsome:{0}'; do
		call=${how#*:} word=${how%%:*}
		check "$mpi: ${call%:*}" replays '0: 1 2;1:;2:;' "--order $tmp/order" "c1 $word" 'c5 s0' 'c10 s0'
		check "$mpi: as text, without that of the last one, which is no choice" is "$(text)" "0 1 ${call%:*} 0 ${call#*:} - 0"
		check "$mpi: again" replays '0: 1 2;1:;2:;' "--replay-order $tmp/order" "c1 $word" 'c10 s0' 'c5 s0'
		check "$mpi: all of them" follows 1
	done
	two='0: ?[1-9][0-9]* 1 ?[1-9][0-9]* 2'
	check "$mpi: MPI_Testany" answers "$two" 2 'c1 t12' 'c5 s0' 'c10 s0'
	check "$mpi: MPI_Testsome" answers "$two" 2 'c1 v12' 'c5 s0' 'c10 s0'
	check "$mpi: MPI_Testall" answers '0: ?[1-9][0-9]* 1+2' 1 'c1 V12' 'c5 s0' 'c10 s0'
	check "$mpi: MPI_Test" answers "$two" 2 'c1 T1 T2' 'c5 s0' 'c10 s0'
	check "$mpi: MPI_Iprobe" answers "$two" 2 'c1 Q Q' 'c5 s0' 'c10 s0'
	check "$mpi: MPI_Iprobe that is never true" replays '0:;1:;' "--order $tmp/order" 'z4' 'c1'
	check "$mpi: as text" is "$(text)" '0 1 end 0 - - 4'
	printf '0 1 MPI_Recv 0 1 7 0\n0 2 MPI_Recv 0 2 7 0\n' >"$tmp/hand"
	under=$tmp/under
	check "$mpi: one that is killed" survives
	under=
	# The rest is tview's alone, the same on each MPI.
	[ $mpi = openmpi ] && continue
	# hand WANT TEXT PROGRAMS: by hand, of rank 0, whatever comes first
	hand() {
		printf "$2" >"$tmp/hand"
		want=$1
		shift 2
		replays "$want;1:;2:;" "--replay-order $tmp/hand" "$@"
	}
	check "$mpi: MPI_Waitany by hand" hand '0: 2 1' '0 1 MPI_Waitany 0 #1 - 0\n' 'c1 i12' 'c5 s0' 'c10 s0'
	check "$mpi: MPI_Waitsome by hand, together" hand '0: 2+1' '0 1 MPI_Waitsome 0 {1,0} - 0\n' 'c1 o12' 'c5 s0' 'c10 s0'
	check "$mpi: or one after the other, though both are complete" \
		hand '0: 2 1' '0 1 MPI_Waitsome 0 {1} - 0\n' 'c50 o12' 's0' 's0'
	check "$mpi: MPI_Testany by hand" hand '0: ?4 2 ?3 1' '0 1 MPI_Testany 0 #1 - 4\n0 2 MPI_Testany 0 #0 - 3\n' \
		'c1 t12' 's0' 'c5 s0'
	check "$mpi: MPI_Testsome by hand" hand '0: ?4 2+1' '0 1 MPI_Testsome 0 {1,0} - 4\n' 'c1 v12' 's0' 'c5 s0'
	check "$mpi: MPI_Testall by hand" hand '0: ?7 1+2' '0 1 MPI_Testall 0 yes - 7\n' 'c1 V12' 's0' 'c5 s0'
	check "$mpi: MPI_Test by hand" hand '0: ?6 1 ?0 2' '0 1 MPI_Test 0 yes - 6\n0 2 MPI_Test 0 yes - 0\n' 'c1 T1 T2' 's0' 'c5 s0'
	check "$mpi: MPI_Iprobe by hand" hand '0: ?6 2 ?1 1' '0 1 MPI_Iprobe 0 2 7 6\n0 2 MPI_Iprobe 0 1 7 1\n' 'c1 Q Q' 's0' 'c5 s0'
	check "$mpi: what was never true is not, though it could be" hand '0: 1' '0 1 MPI_Recv 0 1 7 4\n0 2 end 0 - - 2\n' \
		'c25 z4 a z2' 's0' 's0'
	check "$mpi: all of it" follows 1
	check "$mpi: more tests that say no" hand '0: 1' '0 1 MPI_Recv 0 1 7 3\n' 'c5 z4 a' 's0' 'c2'
	check "$mpi: is said" departs 0 'rank 0, choice 1, in MPI_Iprobe (orders.c:[0-9]*): MPI_Recv was recorded'
	check "$mpi: fewer" hand '0: 1' '0 1 MPI_Recv 0 1 7 3\n' 'c5 a' 's0' 'c7'
	check "$mpi: is said" departs 0 'in MPI_Recv (orders.c:[0-9]*): another number of tests that say no was recorded'
	check "$mpi: no such request" hand '0: 1 2' '0 1 MPI_Waitany 0 #2 - 0\n' 'c1 i12' 's0' 'c25 s0'
	check "$mpi: is said" departs 0 'in MPI_Waitany (orders.c:[0-9]*): request 2 was recorded, which there is not'
	check "$mpi: the same request twice" hand '0: 1 2' '0 1 MPI_Waitsome 0 {1,1} - 0\n' 'c1 o12' 's0' 'c25 s0'
	check "$mpi: is said" departs 0 'in MPI_Waitsome (orders.c:[0-9]*): {1,1} was recorded, which there is not'
	check "$mpi: a request whose sender has ended" hand '0: 1' '0 1 MPI_Waitany 0 #1 - 0\n' 'c1 j12' 'c5 s0' 'c1'
	check "$mpi: is said" departs 0 'request 1 was recorded, but a sender ended without sending that'
	check "$mpi: a request whose sender waits for the receiver" hand '0: 2' '0 1 MPI_Waitany 0 #0 - 0\n' 'c1 j12 s1 r1' 'r0 s0' 's0'
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
	check "$mpi: is said" departs 0 'rank 1 was recorded, but ranks waited for each other'
	check "$mpi: one that computes for long is waited for" replays '0: 1 2;1:;2:;' "--replay-order $tmp/hand" 'c1 a a' 'c300 s0' 's0'
	check "$mpi: which is said" follows 2
	check "$mpi: beside a rank that computes, too" replays '0: 2 1;1:;2:;3:;' "--replay-order $tmp/hand" 'c1 a s1 a' 'r0 s0' 's0' 'c500'
	check "$mpi: which is not waited for" before "$(units 0)" "$(units 3)"
	check "$mpi: a rank that waits in a loop" replays '0: 2 1;1: 0;2:;' "--replay-order $tmp/hand" 'c1 a s1 a' 'q s0' 's0'
	printf '0 1 MPI_Irecv 0 1 7 0\n0 2 MPI_Irecv 0 2 7 0\n' >"$tmp/hand"
	check "$mpi: a nonblocking receive" replays '0: 2 1;1:;2:;' "--replay-order $tmp/hand" 'c1 w s1 w' 'r0 s0' 's0'
	check "$mpi: is said" departs 0 'rank 0, choice 1, in MPI_Irecv .*: rank 1 was recorded, but ranks waited for each other'
	printf '0 1 MPI_Recv 0 1 7 0\n1 1 MPI_Recv 0 0 7 0\n' >"$tmp/hand"
	check "$mpi: two that wait for each other" replays '0: 2;1: 0;2:;' "--replay-order $tmp/hand" 'c1 a s1' 'c1 a s0' 's0 s1'
	check "$mpi: one of them departs" departs 1 'rank 0, choice 1'
done
check "a list that is none" refused 'a line' 'not a choice\|unknown\|cannot'
done_testing
