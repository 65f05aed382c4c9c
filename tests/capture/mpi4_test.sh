#!/bin/sh
# What MPI 4 added, where it is installed (MPICH): partitions, exchanges by one request, large counts, persistent
# collectives in different order. The numbers are those of tests/capture/mpi/mpi4.c.
. tests/cli/tap.sh
. tests/capture/mpi/record.sh
mpi=mpich
oversubscribe=
# tagged TAG: messages of it and their bytes
tagged() {
	"$tview" export messages "$tmp/t.trc" -f csv | awk -F, -v t="$1" '$5 == t { n++; b += $6 } END { print n, b }'
}
if ! mpicc.mpich -w -g -o "$tmp/mpi4" tests/capture/mpi/mpi4.c 2>"$tmp/err"; then
	skip "MPI 4" "no MPI that has it is installed"
	done_testing
	exit
fi
check "a program" record "$tmp/mpi4"
check "partitions, 8 against 4: a message of each start" is "$(tagged 4)" "2 128"
check "exchanges: both ways" is "$(tagged 5)" "6 968"
check "large counts" is "$(tagged 6)" "3 2000"
check "each is received" is "$("$tview" export messages "$tmp/t.trc" -f csv | grep -c -e no-send -e no-receive)" 0
check "a collective with large counts" is "$(collectives MPI_Allgatherv_c)" "800/800 "
check "a non-blocking one" is "$(collectives MPI_Ibcast_c)" "2000/2000 "
check "persistent ones, started in different order" is \
	"$(collectives MPI_Bcast_init) $(collectives MPI_Allreduce_init)" "8/8 8/8  16/16 16/16 "
check "rank 0 waits for the later start of rank 1" waits_for_1 MPI_Waitall MPI_Allreduce_init
check "nothing had to be guessed" whole
# Of five times 50 ms a busy machine takes some away.
check "rank 1 waits for the last partition and the exchanges" is "$("$tview" export waits "$tmp/t.trc" -f csv |
	awk -F, '$3 == 1 && $4 == "MPI_Wait" && $9 == "mpi_latesender" { s += $1 } END { print (s > 0.1) }')" 1

mpicc.mpich -w -g -o "$tmp/session" tests/capture/mpi/session.c
check "a session, without MPI_Init" record "$tmp/session"
check "a session: its calls" is "$(visits Session_init Comm_create_from_group Allreduce Session_finalize)" "2 2 4 2 "
check "a session: both ranks reduce together" is "$(collectives MPI_Allreduce)" "16/16 16/16 "
check "a session: rank 0 waits for rank 1" waits_for_1 MPI_Allreduce MPI_Allreduce
check "a session: nothing had to be guessed" whole
done_testing
