#!/bin/sh
# Requests belong to the process: one thread begins them, another one completes them. On each MPI that is installed the
# trace has the messages that the program sent (tests/capture/mpi/handed_over.c), no request is unknown, and the same is
# read from the trace as PICL and as OTF2.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

record() {
	rm -f "$tmp/t.trc"
	"$out/tvrun" -q -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n 2 "$tmp/handed_over" "$1"
}
# messages: how many were received, and their bytes
messages() {
	"$tview" export messages "$tmp/t.trc" -f csv | awk -F, 'NR > 1 && $2 != "" { n++; b += $6 } END { print n, b }'
}
# completed_by CALL REGION: so many messages were received in a call
completed_by() { "$tview" export messages "$tmp/t.trc" -f csv | awk -F, -v call="$1" '$9 == call { n++ } END { print n + 0 }'; }
whole() { "$tview" check "$tmp/t.trc" | tee "$tmp/check" | grep -q '^No damage, no guesses' && grep -q ': 0 of .* arrive before' "$tmp/check"; }
# same_as OUT: converted there it has the same messages, collectives and events
same_as() {
	rm -rf "$tmp/copy"
	mkdir "$tmp/copy"
	"$tview" convert "$tmp/t.trc" "$tmp/copy/$1" || return
	for view in messages collectives events; do
		"$tview" export $view "$tmp/t.trc" -f csv >"$tmp/was" && "$tview" export $view "$tmp/copy/$1" -f csv >"$tmp/is" &&
			cmp "$tmp/was" "$tmp/is" || return
	done
}

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -w -g -pthread -o "$tmp/handed_over" tests/capture/mpi/handed_over.c
	check "$mpi: 200 begun in one thread, completed in another" record all
	check "$mpi: are 200 messages" is "$(messages)" "200 12800"
	check "$mpi: completed by MPI_Waitall" is "$(completed_by MPI_Waitall)" 200
	check "$mpi: nothing is unknown" whole
	check "$mpi: the same as PICL" same_as copy.trc
	check "$mpi: the same as OTF2" same_as traces.otf2

	check "$mpi: tested until they are complete" record one
	check "$mpi: are 200 messages, too" is "$(messages) $(completed_by MPI_Test)" "200 12800 200"
	check "$mpi: nothing is unknown in it" whole

	check "$mpi: a sum begun in one thread, completed in another" record sum
	check "$mpi: is one collective of two" is \
		"$("$tview" export collectives "$tmp/t.trc" -f csv | awk -F, 'NR > 1 { n++ } END { print n }')" 1
	check "$mpi: which is whole" whole
	check "$mpi: the same collective as PICL" same_as copy.trc
	check "$mpi: the same collective as OTF2" same_as traces.otf2

	check "$mpi: four threads that give each other's handles away" record self
	check "$mpi: are 40,000 messages" is "$(messages)" "40000 320000"
	check "$mpi: completed by MPI_Wait" is "$(completed_by MPI_Wait)" 40000
	check "$mpi: nothing is unknown in them" whole
done
done_testing
