#!/bin/sh
# The order of receives from any source in virtual time (orders_test.sh) of a job on two nodes, which are pretended: each rank
# has the name of a node (TVIEW_NODE), and shares nothing with those of the other one.
. tests/cli/tap.sh
. tests/capture/orders_aid.sh
unit=40
export NODES
cat >"$tmp/on" <<'END'
#!/bin/sh
# Runs a command on the node of its rank, which is the rank-th word of $NODES
node() { shift "$1"; echo "$1"; }
TVIEW_NODE=$(node $((${PMI_RANK-}${OMPI_COMM_WORLD_RANK-} + 1)) $NODES)
export TVIEW_NODE
[ "${OTHER_CLOCK-}" ] && [ "$TVIEW_NODE" = b ] && LD_PRELOAD=$0.so:$LD_PRELOAD exec "$@"
exec "$@"
END
chmod +x "$tmp/on"
under=$tmp/on
gcc -O2 -shared -fPIC -o "$tmp/on.so" tests/capture/mpi/other_clock.c
# ahead SECONDS COMMAND...: the clock of node b is ahead by so many
ahead() {
	export OTHER_CLOCK=$1
	shift
	"$@"
	ahead_said=$?
	unset OTHER_CLOCK
	return $ahead_said
}
follows() { grep -q "note: all $1 choices were made as recorded" "$tmp/log" || { cat "$tmp/log"; return 1; }; }

# on NODES COMMAND...: with these nodes of the ranks
on() {
	NODES=$1
	shift
	"$@"
}
# once NODES PROGRAMS...: no node is asked twice for one receive: NODES questions, without the asker's, for each that is held
once() {
	others=$1
	shift
	run "$@"
	held=$(sed -n 's/.*any source: \([0-9]*\) held.*/\1/p' "$tmp/log")
	n=$(sed -n 's/.*nodes were asked \([0-9]*\) times* for them.*/\1/p' "$tmp/log")
	[ "${n:-none}" != none ] && [ "$n" -ge 1 ] && [ "$n" -le $((held * others)) ] && no_word 'again for the same receive' ||
		{ cat "$tmp/log"; return 1; }
}
# alone COMMAND...: MPICH takes each rank for a node of its own, and its messages go through the network
alone() { MPIR_CVAR_NOLOCAL=1 on 'a b c d e' "$@"; }
departs() { grep -q "warning: 0 choices made as recorded, then the run departs: .*$1" "$tmp/log" || { cat "$tmp/log"; return 1; }; }
# disturbed COMMAND...: while others connect to the ports where nodes ask each other, and say anything. MPICH's ports of its
# own, which it does not need here, would end the program.
disturbed() {
	/usr/bin/python3 tests/capture/mpi/strangers.py "orders.$mpi" >"$tmp/strangers" 2>&1 &
	strangers=$!
	UCX_TLS=self,sm "$@"
	set -- $?
	kill $strangers 2>/dev/null
	wait $strangers
	return "$1"
}
refused() {
	grep -q 'note: [1-9][0-9]* connections to the ports where nodes ask each other were not from this job' "$tmp/log" ||
		{ cat "$tmp/strangers" "$tmp/log"; return 1; }
}
no_word() { ! grep -q "$1" "$tmp/log" || { cat "$tmp/log"; return 1; }; }

for mpi in mpich openmpi; do
	if ! command -v mpicc.$mpi >/dev/null; then
		skip "orders of nodes on $mpi" "not installed"
		continue
	fi
	mpicc.$mpi -g -O1 -finstrument-functions -o "$tmp/orders.$mpi" tests/capture/mpi/orders.c
	more=
	[ $mpi = openmpi ] && more='--oversubscribe --mca pml ob1 --mca btl tcp,self'
	options="--yield --virtual-time --probe-delay $((unit / 2))000000 --no-order-control"
	check "$mpi: V2 without control: probes turn the order round" on 'a b a' takes '0: 2 1;1:;2:;' 'c1 a a' 'c5;10 s0' 'c9 s0'
	options=${options% --no-order-control}
	check "$mpi: V2, a sender elsewhere" on 'a b a' takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 s0' 'c9 s0'
	check "$mpi: all are controlled" no_word 'not controlled'
	check_once "$mpi: both elsewhere" on 'a b b' takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 s0' 'c9 s0'
	check "$mpi: on three nodes" on 'a b c' takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 s0' 'c9 s0'
	check "$mpi: V3, a loop of waits" on 'a b a b' takes '0: 1 2;1:;2:;3:;' \
		'c1 a s3 a' 'c10 s0' 'c3 r3 c1 s0' 'c2 r0 c1 s2'
	check_once "$mpi: V4, a ring of receives from any source" on 'a b a b b' takes '0: 3;1: 0;2: 4;3: 2;4:;' \
		'c1 a s1' 'c1 a s2' 'c1 a s3' 'c1 a s0' 'c7;18 s2 c2;6 s0'
	check "$mpi: V5, two are held at once" on 'a b a b' takes '0: 2 3;1: 3 0;2:;3:;' \
		'c1 a a s1' 'c1 a a' 'c4;12 s0 c5;2 s1' 'c6 s1 c1 s0'
	check_once "$mpi: V6, beside a rank that computes for long" on 'a a b b' takes '0: 1 2;1:;2:;3:;' \
		'c1 a a' 'c5;10 s0' 'c9 s0' 'c60'
	check_once "$mpi: which is not waited for" before "$(units 0)" 50
	check_once "$mpi: V7, then a barrier of some" on 'a b b' takes '0: 1 2;1:;2:;' 'c1 a a B' 'c5;10 s0 B' 'c9 s0 B'
	check_once "$mpi: V2 on a communicator of some, in another order" on 'a b a b' takes '0:;1: 2 3;2:;3:;' \
		'c30' '+ c1 a a' '+ c5;10 s1' '+ c9 s1'
	check_once "$mpi: the other node is asked once a receive" on 'a b a' once 1 'c1 a a' 'c5;10 s0' 'c9 s0'
	check_once "$mpi: a master of four workers, too" on 'a b a b b' once 1 'c1 a a a a a a a a' \
		'c2;2 s0 c3 s0' 'c3 s0 c4;2 s0' 'c5 s0 c4 s0' 'c4;1 s0 c6 s0'
	check_once "$mpi: each of two once" on 'a b c' once 2 'c1 a a' 'c5;10 s0' 'c9 s0'
	check_once "$mpi: in a ring" on 'a b a b b' once 1 'c1 a s1' 'c1 a s2' 'c1 a s3' 'c1 a s0' 'c7;18 s2 c2;6 s0'
	# It computes on the other node when it is asked first, inside a probe, and is at 7 long before 9.
	check_once "$mpi: V5, both on one node" on 'a a b b' takes '0: 2 3;1: 3 0;2:;3:;' \
		'c1 a a s1' 'c1 a a' 'c4;12 s0 c5;2 s1' 'c6 s1 c1 s0'
	check "$mpi: each rank on a node of its own" alone takes '0: 3;1: 0;2: 4;3: 2;4:;' \
		'c1 a s1' 'c1 a s2' 'c1 a s3' 'c1 a s0' 'c7;18 s2 c2;6 s0'
	# Open MPI's own ports are needed here.
	[ $mpi = openmpi ] || {
		check "$mpi: while others connect" disturbed on 'a b a b' takes '0: 1 2;1:;2:;3:;' 'c1 a a' 'c5;10 s0' 'c9 s0' 'c60'
		check "$mpi: which is said" refused
	}
	check "$mpi: MPI_Probe" on 'a b a' takes '0: 1 2;1:;2:;' 'c1 p p' 'c5;10 s0' 'c9 s0'
	check "$mpi: large messages, which wait" on 'a b a' takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 l0' 'c9 l0'
	check_once "$mpi: MPI_Iprobe" on 'a b a' takes '0: 1 2;1:;2:;' 'c1 q q' 'c5;10 s0' 'c9 s0'
	check_once "$mpi: MPI_Irecv when both have sent" on 'a b b' takes '0: 1 2;1:;2:;' 'c25 w w' 'c5;10 s0' 'c9 s0'
	# Four units, by which the senders differ, are 160 ms.
	options="$options --clock monotonic"
	for s in 0.05 -0.05 0.25 -0.25; do
		check_once "$mpi: the clock of one sender is $s s ahead" ahead $s on 'a b a' takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 s0' 'c9 s0'
		check_once "$mpi: that of the other" ahead $s on 'a a b' takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 s0' 'c9 s0'
	done
	# Of the other node the board of a replay knows nothing; who follows the list needs nothing.
	options="--yield --replay-order $tmp/hand"
	printf '0 1 MPI_Recv 0 3 7 0\n0 2 MPI_Recv 0 1 7 0\n0 3 MPI_Recv 0 2 7 0\n' >"$tmp/hand"
	check "$mpi: a replay" on 'a b b a' takes '0: 3 1 2;1:;2:;3:;' 'c1 a a a' 'c1 s0' 'c2 s0' 'c6 s0'
	check "$mpi: makes all choices" follows 3
	options="$options --replay-wait 500ms"
	printf '0 1 MPI_Recv 0 2 7 0\n' >"$tmp/hand"
	check_once "$mpi: what another node does not send is not waited for" on 'a b b' takes '0: 1;1:;2:;' 'c1 a' 'c5 s0' 'c1'
	check_once "$mpi: which is said" departs 'rank 2 was recorded, but nothing came in time (tvrun --replay-wait)'
	check_once "$mpi: if a rank of the node works, it is" on 'a b b a' takes '0: 2;1:;2:;3:;' 'c1 a' 'c5 s0' 'c22 s0' 'c30'
done
done_testing
