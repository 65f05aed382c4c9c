#!/bin/sh
# Threads make communicators at once, all with the same members (tests/capture/mpi/made_at_once.c): each message finds its
# receive, because a communicator is told by the one that it was made of. And
# they send and receive at once with one tag. On each MPI that is installed.
. tests/cli/tap.sh
. tests/capture/mpi/record.sh
# all_messages: those with a sender and a receiver, and the different tags of them
all_messages() {
	"$tview" export messages "$tmp/t.trc" -f csv |
		awk -F, 'NR > 1 && $1 != "" && $2 != "" { n++; tags += !seen[$5]++ } END { print n, tags }'
}
# paired: no message of the measured times is reversed
paired() {
	"$tview" check --base measured "$tmp/t.trc" | tee "$tmp/check" | grep -q '^Linear times: 0 of 2,402 messages' ||
		{ cat "$tmp/check"; return 1; }
}

for mpi in mpich openmpi; do
	# shellcheck disable=SC2034 # of record.sh
	mpi_is_there || continue
	mpicc.$mpi -g -pthread -o "$tmp/made" tests/capture/mpi/made_at_once.c
	check "$mpi: 4 threads with 60 communicators each" record "$tmp/made"
	check "$mpi: 481 messages, the two of a pair by one tag" is "$(all_messages)" "481 241"
	check "$mpi: nothing had to be guessed" whole
	check "$mpi: MPI_Comm_idup is a collective of two ranks, without bytes" is "$("$tview" export collectives "$tmp/t.trc" -f csv |
		awk -F, '$2 == "MPI_Comm_idup" { seen[$6 "," $7 "," $8]++ } END { for (s in seen) print s }')" "2,0,0"

	mpicc.$mpi -g -pthread -o "$tmp/one_tag" tests/capture/mpi/one_tag.c
	check "$mpi: 4 threads with one tag" record "$tmp/one_tag"
	check "$mpi: 2,400 messages with both ends" is "$(all_messages)" "2400 1"
	check "$mpi: none arrives before it is sent" paired
done
done_testing
