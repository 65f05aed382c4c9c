#!/bin/sh
# MPI_Waitany, MPI_Waitsome, MPI_Testany, MPI_Testsome and MPI_Waitall over requests of which several kinds are open: receives
# from any source with several tags or on several communicators, from given ranks, sends that wait, collectives, generalized
# requests. Programs whose order is known by construction; as in deferred_test.sh, whose words these are.
. tests/cli/tap.sh
. tests/capture/orders_aid.sh
unit=40 under=

# all N PROGRAMS...: what they receive is the last one's business; nothing is said to be not controlled
all() {
	takes "$@" || return 1
	"$tview" check "$tmp/t.trc" >"$tmp/check"
	! grep -q 'from any source\|choices\? among' "$tmp/check" || { cat "$tmp/check"; return 1; }
}

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -O1 -finstrument-functions -o "$tmp/orders.$mpi" tests/capture/mpi/orders.c
	more=$oversubscribe
	virtual="--yield --virtual-time --probe-delay $((unit / 2))000000"
	options="$virtual --no-order-control"
	check "$mpi: two tags without control: probes turn the order round" takes '0: 2 1,8;1:;2:;' 'c1 I I8 Y Y' 'c5;10 s0,8' 'c9 s0'
	options=$virtual
	check "$mpi: two tags, MPI_Waitany" all '0: 1,8 2;1:;2:;' 'c1 I I8 Y Y' 'c5;10 s0,8' 'c9 s0'
	check "$mpi: MPI_Testsome, and a send that waits" all '0: >1 2;1:;2:;' 'c1 L1 I S S' 'c5;10 r0' 'c9 s0'
	check "$mpi: beside a barrier" all '0: b 2;1: b;2: b;' 'c1 H I Y Y' 'c5;10 H W' 'H c9 s0 W'
	check "$mpi: beside a generalized request" all '0: g 1 2,8;1:;2:;' 'c1 g I I8 Y Y Y' 'c5;10 s0' 'c9 s0,8'
	check "$mpi: a ring" takes '0: 3 -;1: 0 -;2: 4 -;3: 2 -;4:;' \
		'c1 I I8 Y s1 D' 'c1 I I8 Y s2 D' 'c1 I I8 Y s3 D' 'c1 I I8 Y s0 D' 'c7;18 s2 c2;6 s0'
	# The library does the same on both.
	[ $mpi = openmpi ] && continue
	check "$mpi: MPI_Waitsome" all '0: 1,8 2;1:;2:;' 'c1 I I8 O O' 'c5;10 s0,8' 'c9 s0'
	check "$mpi: MPI_Testany" all '0: 1,8 2;1:;2:;' 'c1 I I8 N N' 'c5;10 s0,8' 'c9 s0'
	check "$mpi: any tag after one" all '0: 1,8 2;1:;2:;' 'c1 I I* Y Y' 'c5;10 s0,8' 'c9 s0'
	check "$mpi: two communicators" all '0: 1 2;1:;2:;' 'c1 I + I Y Y' '+ c5;10 s0' '+ - c9 s0'
	check "$mpi: beside one from a given rank" all '0: 1 2;1:;2:;' 'c1 P2 I Y Y' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Testany beside it" all '0: 1 2;1:;2:;' 'c1 P2 I N N' 'c5;10 s0' 'c9 s0'
	check "$mpi: a send that waits for longer" all '0: 2 >1;1:;2:;' 'c1 L1 I Y Y' 'c9 r0' 'c5;10 s0'
	check "$mpi: a send, and from a given rank" all '0: >1 2;1:;2:;' 'c1 L1 P2 O O' 'c5;10 r0' 'c9 s0'
	check "$mpi: MPI_Waitall, two tags" all '0: 1 1,8 2 2,8;1:;2:;' 'c1 I I8 E I I8 E' 'c5;10 s0 s0,8' 'c9 s0 s0,8'
	check "$mpi: MPI_Wait, and the other tag's send waits" all '0: 1 1,8 2 2,8;1:;2:;' 'c1 I I8 W W I I8 W W' \
		'c5;10 y0,8 y0' 'c9 y0,8 y0'
	# What is there when the call begins is complete together.
	check "$mpi: the lowest index of what is there" all '0: 2,9 1,8;1:;2:;' 'c25 I9 I8 Y Y' 'c5;10 s0,8' 'c9 s0,9'
	check "$mpi: all that is there" all '0: 2,9 1,8;1:;2:;' 'c25 I9 I8 O' 'c5;10 s0,8' 'c9 s0,9'
	check "$mpi: two are held at once" all '0: 2 3,8;1: 3 2,8;2:;3:;' 'c1 I I8 Y Y' 'c1 I I8 Y Y' \
		'c4;12 s0 c5;2 s1,8' 'c6 s1 c1 s0,8'
	check "$mpi: a loop of waits" takes '0: 1 2,8;1:;2:;3:;' 'c1 I I8 Y s3 Y' 'c10 s0' 'c3 r3 c1 s0,8' 'c2 r0 c1 s2'
	check "$mpi: a ring of some" takes '0:;1: 4 -;2: 1 -;3: 5 -;4: 3 -;5:;' 'c30' \
		'+ c1 I I8 Y s2 D' '+ c1 I I8 Y s3 D' '+ c1 I I8 Y s4 D' '+ c1 I I8 Y s1 D' '+ c7;18 s3 c2;6 s1'
	# Again: the same, whatever comes first.
	options="$virtual --order $tmp/order"
	check "$mpi: --order" takes '0: 1,8 2 >1;1:;2:;' 'c1 I I8 L1 Y Y Y' 'c5;10 s0,8 c6 r0' 'c9 s0'
	check "$mpi: as text" is "$(grep '^0' "$tmp/order")" "0 1 MPI_Irecv 0 2 7 0
0 2 MPI_Irecv 0 1 8 0
0 3 MPI_Waitany 0 #1 - 0
0 4 MPI_Waitany 0 #0 - 0"
	options="--yield --replay-order $tmp/order"
	check "$mpi: --replay-order" takes '0: 1,8 2 >1;1:;2:;' 'c1 I I8 L1 Y Y Y' 'c9 s0,8 c2 r0' 'c5 s0'
done
done_testing
