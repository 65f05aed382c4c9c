#!/bin/sh
# The order of receives from any source in virtual time: programs whose order is known by construction, with probes that turn
# it round, take the senders that they take without probes. Each visit of a function takes one unit of time more; the
# programs are V2 to V7 of the specification's vectors, of which V3 is Li and Zhang's example of a deadlock (P1 to P4 are ranks
# 0 to 3), and further ones. Times of each rank are units of 40 ms.
. tests/cli/tap.sh
. tests/capture/orders_aid.sh
unit=40

# survivors WHAT PROGRAMS...: the same where a rank dies, and the launcher does not learn of it until rank 0 has ended
survivors() {
	want=$1
	shift
	under=$tmp/under
	rm -f "$under.over"
	run "$@"
	under=
	[ $ended != 124 ] && is "$(cat "$tmp/said")" "$want" || { cat "$tmp/log"; return 1; }
}
under=
# A job that the launcher or MPI_Abort ends while a receive is held
ends() {
	run "$@"
	[ $ended != 124 ] && [ $ended != 0 ] || { cat "$tmp/log"; return 1; }
}

# looks LEAST MOST PROGRAMS...: so many of their receives are held, each after one look that found a rank which can send earlier
looks() {
	least=$1 most=$2
	shift 2
	options=${options#-q }
	run "$@"
	options="-q $options"
	looked=$(sed -n 's/.*from any source: \([0-9]*\) held for .* after \([0-9]*\) looks* that .*/\1 \2/p' "$tmp/log")
	set -- $looked
	[ $# = 2 ] && [ "$1" -ge "$least" ] && [ "$1" -le "$most" ] && [ "$2" -ge "$least" ] && [ "$2" -le "$1" ] ||
		{ cat "$tmp/log"; return 1; }
}
# numbered WHAT PROGRAMS...: the same as takes, however often a test says no
numbered() {
	want=$1
	shift
	run "$@" && is "$(sed 's/ ?[0-9]*//g' "$tmp/said")" "$want" || { cat "$tmp/log"; return 1; }
}
# chooses N PROGRAMS...: so many choices among several receives are said to be not controlled
chooses() {
	want=$1
	shift
	run "$@" && "$tview" check "$tmp/t.trc" | tr -s ' \n' ' ' >"$tmp/check"
	grep -q "$want choices\? among requests of 1 rank: MPI_Waitany" "$tmp/check" || { cat "$tmp/log" "$tmp/check"; return 1; }
}
# bounds WANT PROGRAMS...: of each rank, its sends and receives in their order; - where virtual time has no bound
bounds() {
	want=$1
	shift
	run "$@"
	"$tview" export events "$tmp/t.trc" -b measured -f csv |
		awk -F, '$4 == "metric" && ($5 == "MPI_Send" || $5 == "MPI_Recv") {
			of[$2] = of[$2] " " substr($5, 5) (/error -/ ? " -" : " +")
		}
		END { for (r = 0; r in of; r++) printf "%d%s;", r, of[r] }' >"$tmp/bounds"
	is "$(cat "$tmp/bounds")" "$want" || { cat "$tmp/log"; return 1; }
}

for mpi in mpich openmpi; do
	if ! command -v mpicc.$mpi >/dev/null; then
		skip "orders on $mpi" "not installed"
		continue
	fi
	mpicc.$mpi -g -O1 -finstrument-functions -o "$tmp/orders.$mpi" tests/capture/mpi/orders.c
	more=
	[ $mpi = openmpi ] && more=--oversubscribe
	# A visit has two records.
	options="-q --yield --virtual-time --probe-delay $((unit / 2))000000 --no-order-control"
	check "$mpi: V2 without control: probes turn the order round" takes '0: 2 1;1:;2:;' 'c1 a a' 'c5;10 s0' 'c9 s0'
	options=${options% --no-order-control}
	check "$mpi: V2" takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 s0' 'c9 s0'
	check "$mpi: with control, times have bounds" \
		bounds '0 Recv + Recv + Send +;1 Send + Recv + Send +;2 Send +;3 Recv +;' 'c1 a a s1' 'c5;10 s0 r0 s3' 'c9 s0' 'r1'
	# From the receive on that may have another sender than without probes, and where that rank sends to.
	unbounded='0 Recv - Recv - Send -;1 Send + Recv - Send -;2 Send +;3 Recv -;'
	options="$options --no-order-control"
	check_once "$mpi: without, they have none from there on" \
		bounds "$unbounded" 'c1 a a s1' 'c5;10 s0 r0 s3' 'c9 s0' 'r1'
	options="${options% --no-order-control} --order-tolerance 1s"
	check_once "$mpi: nor where the tolerance may have changed the order" \
		bounds "$unbounded" 'c1 a a s1' 'c5;10 s0 r0 s3' 'c9 s0' 'r1'
	options=${options% --order-tolerance 1s}
	# The send lets it go to MPI, which chooses; then rank 1 may still send.
	check_once "$mpi: MPI_Irecv that MPI chooses for: they have none while another may be first" \
		bounds '0 Send + Recv -;1 Send +;2 Send +;3 Recv +;' 'c1 I s3 W r1' 'c5;10 s0' 'c9 s0' 'r0'
	check "$mpi: V3, a loop of waits" takes '0: 1 2;1:;2:;3:;' 'c1 a s3 a' 'c10 s0' 'c3 r3 c1 s0' 'c2 r0 c1 s2'
	check_once "$mpi: V4, a ring of receives from any source" takes '0: 3;1: 0;2: 4;3: 2;4:;' \
		'c1 a s1' 'c1 a s2' 'c1 a s3' 'c1 a s0' 'c7;18 s2 c2;6 s0'
	check "$mpi: V5, two are held at once" takes '0: 2 3;1: 3 0;2:;3:;' \
		'c1 a a s1' 'c1 a a' 'c4;12 s0 c5;2 s1' 'c6 s1 c1 s0'
	check_once "$mpi: V6, beside a rank that computes for long" takes '0: 1 2;1:;2:;3:;' 'c1 a a' 'c5;10 s0' 'c9 s0' 'c60'
	check_once "$mpi: which is not waited for" before "$(units 0)" 50
	# A message is there while a rank in its probes can send an earlier one: in V2 and V6 that of rank 2, from 9 to 15 units of
	# real time; in V5 those of rank 3, till 16; in V4 that of rank 3, while rank 4 makes its second one. More receives are held
	# where a rank is still on its way to MPI_Finalize.
	check_once "$mpi: V2: one look for each that is held" looks 1 2 'c1 a a' 'c5;10 s0' 'c9 s0'
	check_once "$mpi: V4" looks 1 4 'c1 a s1' 'c1 a s2' 'c1 a s3' 'c1 a s0' 'c7;18 s2 c2;6 s0'
	check_once "$mpi: V5" looks 2 4 'c1 a a s1' 'c1 a a' 'c4;12 s0 c5;2 s1' 'c6 s1 c1 s0'
	check_once "$mpi: V6" looks 1 2 'c1 a a' 'c5;10 s0' 'c9 s0' 'c60'
	check "$mpi: V7, then a barrier of some" takes '0: 1 2;1:;2:;' 'c1 a a B' 'c5;10 s0 B' 'c9 s0 B'
	check_once "$mpi: V2 on a communicator of some, in another order" takes '0:;1: 2 3;2:;3:;' \
		'c30' '+ c1 a a' '+ c5;10 s1' '+ c9 s1'
	check "$mpi: MPI_Probe" takes '0: 1 2;1:;2:;' 'c1 p p' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Mprobe" takes '0: 1 2;1:;2:;' 'c1 m m' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Sendrecv, whose send does not wait" takes '0: 1 2;1:;2:;3:;' 'c1 x3 x3' 'c5;10 s0' 'c9 s0' 'r0 r0'
	check "$mpi: MPI_Sendrecv_replace" takes '0: 1 2;1:;2:;3:;' 'c1 X3 X3' 'c5;10 s0' 'c9 s0' 'r0 r0'
	check_once "$mpi: MPI_Irecv when both have sent" takes '0: 1 2;1:;2:;' 'c25 w w' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Iprobe" takes '0: 1 2;1:;2:;' 'c1 q q' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Improbe" takes '0: 1 2;1:;2:;' 'c1 n n' 'c5;10 s0' 'c9 s0'
	for how in i:MPI_Waitany o:MPI_Waitsome 't:MPI_Testany' 'v:MPI_Testsome'; do
		check "$mpi: ${how#*:}" numbered '0: 1 2;1:;2:;' "c1 ${how%%:*}12" 'c5;10 s0' 'c9 s0'
	done
	# What was sent before the call is complete, whatever came first: the lowest index, or all.
	check_once "$mpi: MPI_Waitany of what is there" takes '0: 2 1;1:;2:;' 'c25 i21' 'c5;10 s0' 'c9 s0'
	check_once "$mpi: MPI_Waitsome of what is there" takes '0: 2+1;1:;2:;' 'c25 o21' 'c5;10 s0' 'c9 s0'
	options="$options --no-order-control"
	# Of two receives, then of one.
	check_once "$mpi: choices of MPI_Waitany that are not controlled are counted" chooses 1 'c1 i12' 'c5;10 s0' 'c9 s0'
	options=${options% --no-order-control}
	check_once "$mpi: large messages, which wait" takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 l0' 'c9 l0'
	check_once "$mpi: beside a rank that has ended" takes '0: 1 2;1:;2:;3:;' 'c1 a a' 'c5;10 s0' 'c9 s0' 'c0.1'
	# It could send before the second message, as far as its probes say.
	check "$mpi: beside a rank that calls MPI_Finalize meanwhile" takes '0: 1 2;1:;2:;3:;' 'c1 a a' 'c5;10 s0' 'c9 s0' 'c5;20'
	check_once "$mpi: exit" survivors '0: 1 2;1:;2:;3:;' 'c1 a a u' 'c5;10 s0 u' 'c9 s0 u' 'c5;20 e'
	check_once "$mpi: _exit" survivors '0: 1 2;1:;2:;3:;' 'c1 a a u' 'c5;10 s0 u' 'c9 s0 u' 'c5;20 u'
	check "$mpi: is killed outside of MPI" survivors '0: 1 2;1:;2:;' 'c1 a a u' 'c5;10 s0 u' 'c9 s0 u' 'c5;4 k'
	check "$mpi: is killed in a receive" survivors '0: 1 2;1:;2:;4:;' 'c1 a a u' 'c5;10 s0 u' 'c9 s0 u' 'c1 r4 u' 'c8 K3 u'
	# It holds a receive back that was about to go, and to let it send.
	check "$mpi: is killed while it holds back, too" survivors '0: 1 2;1:;2:;4:;' \
		'c1 a a u' 'c5;10 s0 u' 'c2 s3 c7 s0 u' 'c1 a s0 u' 'c8 K3 u'
	check "$mpi: of which the launcher learns" ends 'c1 a a' 'c5;30 s0' 'c9 s0' 'c12 k'
	check "$mpi: calls MPI_Abort" ends 'c1 a a' 'c5;30 s0' 'c9 s0' 'c12 A'
	[ $mpi = openmpi ] ||
		check "$mpi: gets a signal that MPI handles, and sends" survivors '0: 1 2;2:;' 'c1 a a u' 'c5;10 U s0 k' 'c9 s0 u'
done
done_testing
