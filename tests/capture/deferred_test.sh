#!/bin/sh
# Nonblocking receives from any source whose sender is not certain when they start: MPI gets them only when it is, or when
# another call could wait. Programs whose order is known by construction take the senders that they take without probes, and
# none waits for what MPI does not have; as in orders_test.sh, whose vectors these are.
. tests/cli/tap.sh
. tests/capture/orders_aid.sh
unit=40 under=

# lets N PROGRAMS...: what they receive is the last one's business; so many are said to be not controlled
lets() {
	said=$1
	shift
	takes "$@" || return 1
	n=$("$tview" check "$tmp/t.trc" | tr -s ' \n' ' ' | sed -n 's/.* \([0-9]*\) receives\? from any source.*nonblocking.*/\1/p')
	is "${n:-0}" "$said" || { "$tview" check "$tmp/t.trc"; return 1; }
}
follows() { grep -q "note: all $1 choices were made as recorded" "$tmp/log" || { cat "$tmp/log"; return 1; }; }

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -O1 -finstrument-functions -o "$tmp/orders.$mpi" tests/capture/mpi/orders.c
	more=$oversubscribe
	# A visit has two records.
	virtual="--yield --virtual-time --probe-delay $((unit / 2))000000"
	options="$virtual --no-order-control"
	check "$mpi: V2 without control: probes turn the order round" takes '0: 2 1;1:;2:;' 'c1 I I W W' 'c5;10 s0' 'c9 s0'
	options=$virtual
	check "$mpi: V3, a loop of waits" takes '0: 1 2;1:;2:;3:;' 'c1 I W s3 I W' 'c10 s0' 'c3 r3 c1 s0' 'c2 r0 c1 s2'
	check "$mpi: V4, a ring" takes '0: 3;1: 0;2: 4;3: 2;4:;' 'c1 I W s1' 'c1 I W s2' 'c1 I W s3' 'c1 I W s0' 'c7;18 s2 c2;6 s0'
	# Of the two that wait at once each has taken one, and waits for its second.
	check "$mpi: V5, MPI_Waitall" takes '0: 2 3;1: 3 0;2:;3:;' 'c1 I I E s1' 'c1 I I E' 'c4;12 s0 c5;2 s1' 'c6 s1 c1 s0'
	check "$mpi: V6, beside a rank that computes for long" takes '0: 1 2;1:;2:;3:;' 'c1 I I W W' 'c5;10 s0' 'c9 s0' 'c60'
	check "$mpi: which is not waited for" before "$(units 0)" 50
	# The library does the same on both; what MPI does with the requests, these show.
	set -- 'W W:MPI_Wait' 'Y Y:MPI_Waitany' 'E:MPI_Waitall' 'M M:MPI_Test' 'S S:MPI_Testsome'
	[ $mpi = openmpi ] || set -- "$@" 'O O:MPI_Waitsome' 'N N:MPI_Testany' 'J:MPI_Testall' 'G W G W:MPI_Request_get_status'
	for how in "$@"; do
		check "$mpi: V2, ${how#*:}" lets 0 '0: 1 2;1:;2:;' "c1 I I ${how%:*}" 'c5;10 s0' 'c9 s0'
	done
	check "$mpi: large messages, which wait" lets 0 '0: 1 2;1:;2:;' 'c1 I I Y Y' 'c5;10 l0' 'c9 l0'
	# Each start of a persistent one is such a receive.
	options="$virtual --no-order-control"
	check "$mpi: MPI_Start, without control" takes '0: 2 1;1:;2:;' 'c1 R R W W' 'c5;10 s0' 'c9 s0'
	options=$virtual
	check "$mpi: MPI_Start" lets 0 '0: 1 2;1:;2:;' 'c1 R R W W' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Startall, two tags" lets 0 '0: 1,8 2;1:;2:;' 'c1 Z Y Y' 'c5;10 s0,8' 'c9 s0'
	check "$mpi: MPI_Start, MPI_Cancel" lets 0 '0: - 1;1:;2:;' 'c1 R D c8 I W' 'c5 s0' 'c1'
	# The rest is tview's alone, the same on each MPI.
	[ $mpi = openmpi ] && continue
	check "$mpi: one that is started again" lets 0 '0: 1 2;1:;2:;' 'c1 C2' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Start, MPI_Waitall" lets 0 '0: 1 2;1:;2:;' 'c1 R I E' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Start, MPI_Testsome" lets 0 '0: 1 2;1:;2:;' 'c1 R R S S' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Start, then a barrier: counted" lets 1 '0: 1;1:;2:;' 'R b W' 'b c2 s0' 'b'
	check "$mpi: MPI_Start, then from a given rank" takes '0: 1;1:;2:;' 'c1 R r1 W' 's0 c4 s0' 'c12'
	check "$mpi: MPI_Start, MPI_Request_free" takes '0: 2;1:;2:;' 'c1 R F I W' 's0' 'c9 s0'
	# What waits for a receive that is not in MPI would wait for ever.
	check "$mpi: a send that waits for the other's send" takes '0: 1;1:;' 'I l1 W' 'l0 r0'
	check "$mpi: a barrier after a send that waits" takes '0: 1;1:;2:;' 'c1 I b W' 'l0 b' 'b'
	check "$mpi: MPI_Wait for another tag than that of a send that waits" takes '0: 1 1,8;1:;' 'c1 I I8 W W' 'l0,8 s0'
	check "$mpi: a loop of MPI_Test" takes '0: 1 1,8;1:;' 'c1 I I8 M M' 'l0,8 s0'
	# Messages of one sender do not overtake each other, and receives that could take the same one go in their order.
	check "$mpi: any tag, then one" takes '0: 1,8 1,9;1:;' 'c1 I* I9 W W' 's0,8 s0,9'
	check "$mpi: one tag, then any" takes '0: 1,8 1,9;1:;' 'c1 I8 I* W W' 's0,9 s0,8'
	check "$mpi: any source, then a given one" takes '0: 1;1:;2:;' 'c1 I r1 W' 's0 c4 s0' 'c12'
	check "$mpi: one that a barrier has let go is counted" lets 1 '0: 1;1:;2:;' 'I b W' 'b c2 s0' 'b'
	check "$mpi: MPI_Cancel" lets 0 '0: - 1;1:;2:;' 'c1 I D c8 I W' 'c5 s0' 'c1'
	check "$mpi: MPI_Request_free" takes '0: 2;1:;2:;' 'c1 I F I W' 's0' 'c9 s0'
	# Messages that are under way for other receives are not what ends the wait of one that is held, in which two would wait for
	# each other: rank 3 for what rank 0 may send, which waits for rank 3.
	set -- 's0' 'c9 s0' 'c1 a s0' 'c8 s3'
	check "$mpi: beside a receive from a given rank" takes '0: 3 2 1;1:;2:;3: 4;4:;' 'P1 c1 a a W' "$@"
	check "$mpi: and in MPI_Waitall" takes '0: 1 3 2;1:;2:;3: 4;4:;' 'P1 c1 I I E' "$@"
	check "$mpi: MPI_Waitany of some of several" takes '0: 2 1 1;1:;2:;3: 4;4:;' 'P1 P1 P2 c1 Y2 r3 W W' 's0 c20 s0' 'c9 s0' \
		'c1 a s0' 'c8 s3'
	# Of MPI 4.
	check "$mpi: MPI_Isendrecv" lets 0 '0: 1 2;1:;2:;3:;' 'c1 d3 d3 W W' 'c5;10 s0' 'c9 s0' 'r0 r0'
	check "$mpi: MPI_Isendrecv_replace, MPI_Waitall" lets 0 '0: 1 2;1:;2:;3:;' 'c1 f3 f3 E' 'c5;10 s0' 'c9 s0' 'r0 r0'
	check "$mpi: MPI_Isendrecv to each other" lets 0 '0: 1;1: 0;' 'c1 d1 Y' 'c2 d0 M'
	options="$virtual --order $tmp/order"
	check "$mpi: --order, MPI_Isendrecv" takes '0: 1 2;1:;2:;3:;' 'c1 d3 d3 W W' 'c5;10 s0' 'c9 s0' 'r0 r0'
	options="--yield --replay-order $tmp/order"
	check "$mpi: --replay-order" takes '0: 1 2;1:;2:;3:;' 'c1 d3 d3 W W' 'c9 s0' 'c5 s0' 'r0 r0'
	check "$mpi: all of them" follows 2
	# As text, and again: the same senders, whatever comes first.
	for how in 'Y Y:MPI_Waitany:#0' 'O O:MPI_Waitsome:{0}'; do
		call=${how#*:} word=${how%%:*}
		options="$virtual --order $tmp/order"
		check "$mpi: --order, ${call%:*}" takes '0: 1 2;1:;2:;' "c1 I I $word" 'c5;10 s0' 'c9 s0'
		check "$mpi: as text" is "$(grep -v '^#' "$tmp/order")" "0 1 MPI_Irecv 0 1 7 0
0 2 MPI_Irecv 0 2 7 0
0 3 ${call%:*} 0 ${call#*:} - 0"
		options="--yield --replay-order $tmp/order"
		check "$mpi: --replay-order" takes '0: 1 2;1:;2:;' "c1 I I $word" 'c9 s0' 'c5 s0'
		check "$mpi: all of them" follows 3
	done
	options="$virtual --order $tmp/order"
	check "$mpi: --order, MPI_Start" takes '0: 1 2;1:;2:;' 'c1 R R W W' 'c5;10 s0' 'c9 s0'
	check "$mpi: as text" is "$(grep '^0' "$tmp/order")" "0 1 MPI_Start 0 1 7 0
0 2 MPI_Start 0 2 7 0"
	options="--yield --replay-order $tmp/order"
	check "$mpi: --replay-order" takes '0: 1 2;1:;2:;' 'c1 R R W W' 'c9 s0' 'c5 s0'
	check "$mpi: all of them" follows 2
	for how in 'N N:MPI_Testany' 'S S:MPI_Testsome'; do
		options="--yield --order $tmp/order"
		check "$mpi: --order, ${how#*:}" takes '0: 1 2;1:;2:;' "c1 I I ${how%:*}" 'c5 s0' 'c9 s0'
		options="--yield --replay-order $tmp/order"
		check "$mpi: --replay-order" takes '0: 1 2;1:;2:;' "c1 I I ${how%:*}" 'c9 s0' 'c5 s0'
		check "$mpi: all of them" follows 4
	done
done
done_testing
