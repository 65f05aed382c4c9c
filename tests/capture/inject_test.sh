#!/bin/sh
# Known waits in real programs (tests/inject) are found, with their length, place and cause: one operation of each kind of wait
# that make bench BENCH=inject has a table of.
. tests/cli/tap.sh
mpi=mpich
if mpi_is_there; then
	operations="MPI_Recv/Send MPI_Ssend MPI_Mprobe/Imrecv MPI_Iprobe MPI_Testall MPI_Isendrecv/Wait MPI_Ibcast/Wait
		MPI_Alltoallv/some MPI_Scan MPI_Ineighbor_alltoallv/graph MPI_Neighbor_allgather_init/grid MPI_Comm_idup/Wait
		MPI_Comm_split MPI_Win_fence MPI_Win_lock"
	command -v mpif90.mpich >/dev/null && operations="$operations f08/MPI_Probe"
	# shellcheck disable=SC2086 # words
	scripts/bench-inject "$out" "^\\($(echo $operations | sed 's/ /\\|/g')\\)\$" >"$tmp/table" 2>&1
	row() { grep "^$1 " "$tmp/table" | grep "found  *rank 1, delay\$" || { cat "$tmp/table"; return 1; }; }
	for operation in $operations; do
		check "$operation" row "$operation"
	done
fi
done_testing
