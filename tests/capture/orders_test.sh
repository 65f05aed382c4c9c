#!/bin/sh
# The order of receives from any source in virtual time: programs whose order is known by construction, with probes that turn
# it round, take the senders that they take without probes. Each visit of a function takes one unit of time more; the
# programs are V2 to V7 of the specification's vectors, of which V3 is Li and Zhang's example of a deadlock (P1 to P4 are ranks
# 0 to 3), and further ones. Times of each rank are units of 40 ms.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unit=40

# run PROGRAMS...: what each rank received, in $tmp/said: "0: 1 2"; the whole lines, with times, in $tmp/log
run() {
	timeout 60 "$out/tvrun" $options -o "$tmp/t.trc" "mpiexec.$mpi" $more -n $# "$tmp/orders.$mpi" $unit "$@" >"$tmp/log" 2>&1
	ended=$?
	grep '^[0-9]*:' "$tmp/log" | sed 's/ t .*//' | sort | tr '\n' ';' >"$tmp/said"
	return $ended
}
# takes WHAT PROGRAMS...: that is what they receive, and they end
takes() {
	want=$1
	shift
	run "$@" && is "$(cat "$tmp/said")" "$want" || { cat "$tmp/log"; return 1; }
}
units() { sed -n "s/^$1:.* t //p" "$tmp/log"; }
before() { /usr/bin/python3 -c 'import sys; a, b = sys.argv[1:3]; print(a, b); sys.exit(not float(a) < float(b))' "$1" "$2"; }

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
	check "$mpi: V3, a loop of waits" takes '0: 1 2;1:;2:;3:;' 'c1 a s3 a' 'c10 s0' 'c3 r3 c1 s0' 'c2 r0 c1 s2'
	check "$mpi: V4, a ring of receives from any source" takes '0: 3;1: 0;2: 4;3: 2;4:;' \
		'c1 a s1' 'c1 a s2' 'c1 a s3' 'c1 a s0' 'c7;18 s2 c2;6 s0'
	check "$mpi: V5, two are held at once" takes '0: 2 3;1: 3 0;2:;3:;' \
		'c1 a a s1' 'c1 a a' 'c4;12 s0 c5;2 s1' 'c6 s1 c1 s0'
	check "$mpi: V6, beside a rank that computes for long" takes '0: 1 2;1:;2:;3:;' 'c1 a a' 'c5;10 s0' 'c9 s0' 'c60'
	check "$mpi: which is not waited for" before "$(units 0)" 50
	check "$mpi: V7, then a barrier of some" takes '0: 1 2;1:;2:;' 'c1 a a B' 'c5;10 s0 B' 'c9 s0 B'
	check "$mpi: V2 on a communicator of some, in another order" takes '0:;1: 2 3;2:;3:;' \
		'c30' '+ c1 a a' '+ c5;10 s1' '+ c9 s1'
	check "$mpi: MPI_Probe" takes '0: 1 2;1:;2:;' 'c1 p p' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Mprobe" takes '0: 1 2;1:;2:;' 'c1 m m' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Sendrecv, whose send does not wait" takes '0: 1 2;1:;2:;3:;' 'c1 x3 x3' 'c5;10 s0' 'c9 s0' 'r0 r0'
	check "$mpi: MPI_Irecv when both have sent" takes '0: 1 2;1:;2:;' 'c25 w w' 'c5;10 s0' 'c9 s0'
	check "$mpi: MPI_Iprobe" takes '0: 1 2;1:;2:;' 'c1 q q' 'c5;10 s0' 'c9 s0'
	check "$mpi: large messages, which wait" takes '0: 1 2;1:;2:;' 'c1 a a' 'c5;10 l0' 'c9 l0'
	check "$mpi: beside a rank that has ended" takes '0: 1 2;1:;2:;3:;' 'c1 a a' 'c5;10 s0' 'c9 s0' 'c0.1'
done
done_testing
