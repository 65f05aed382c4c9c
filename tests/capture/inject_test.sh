#!/bin/sh
# Known waits in real programs (tests/inject) are found, with their length, place and cause: one operation of each kind of wait
# that make bench BENCH=inject has a table of.
. tests/cli/tap.sh

# found OPERATION...: by $mpi
found() {
	# shellcheck disable=SC2048,SC2086 # words
	MPI=$mpi scripts/bench-inject "$out" "^\\($(echo $* | sed 's/ /\\|/g')\\)\$" >"$tmp/table" 2>&1
	for operation; do
		check "$mpi: $operation" row "$operation"
	done
}
row() { grep "^$1 " "$tmp/table" | grep "found  *rank 1, delay\$" || { cat "$tmp/table"; return 1; }; }
waits_alike() {
	"$out/tvrun" -q -o "$tmp/alike.trc" mpiexec.mpich -n 3 "$tmp/alike" &&
		is "$("$tview" export waits "$tmp/alike.trc" -f csv | grep -c 'mpi_latebroadcast,MPI_Bcast > MPI_Bcast')" 4
}

mpi=mpich
if mpi_is_there; then
	found MPI_Recv/Send MPI_Ssend MPI_Mprobe/Imrecv MPI_Iprobe MPI_Testall MPI_Isendrecv/Wait MPI_Ibcast/Wait \
		MPI_Alltoallv/some MPI_Scan MPI_Ineighbor_alltoallv/graph MPI_Neighbor_allgather_init/grid MPI_Comm_idup/Wait \
		MPI_Comm_split MPI_Comm_create_group MPI_Intercomm_create MPI_Win_fence MPI_Win_lock MPI_File_set_view \
		MPI_File_write_at_all MPI_File_read_all_begin/end MPI_File_iwrite_all/Wait MPI_Gather/between
	mpicc.mpich -g -Iinclude -o "$tmp/alike" tests/capture/mpi/named_alike.c
	check "a region of the user named MPI_Bcast hides no wait in MPI_Bcast" waits_alike
	command -v mpif90.mpich >/dev/null && found f08/MPI_Probe
fi
mpi=openmpi
if mpi_is_there; then
	found MPI_Recv/Send MPI_Ibarrier/Wait MPI_Comm_create_group MPI_Win_fence MPI_File_open
fi
done_testing
