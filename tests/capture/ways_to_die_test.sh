#!/bin/sh
# Ways to die: what must be in the trace of a program of which a rank ends, how and when the table says.
. tests/cli/tap.sh
die=$out/tests/capture/programs/die
command -v mpiexec.mpich >/dev/null || { skip "tvrun" "there is no mpiexec.mpich"; done_testing; }

# run WHEN HOW: in $tmp/t.trc
run() {
	rm -rf "$tmp"/t.trc*
	timeout 60 "$out/tvrun" --yield --no-insitu -o "$tmp/t.trc" mpiexec.mpich -n 2 "$die" "$1" "$2" \
		>"$tmp/log" 2>&1 </dev/null
	status=$?
	# tvrun itself was killed
	if ls -d "$tmp"/t.trc.ranks-* >/dev/null 2>&1; then
		sleep 1
		"$out/tvrun" -q --merge "$tmp"/t.trc.ranks-* >>"$tmp/log" 2>&1
	fi
}
# row CALLS: calls of MPI_Init, MPI_Send, MPI_Recv and MPI_Finalize that both ranks entered
entered() {
	"$tview" export profile "$tmp/t.trc" -f csv >"$tmp/profile"
	for call in Init Send Recv Finalize; do
		awk -F, -v f="MPI_$call" '$1 == f { n = $2 } END { printf "%d ", n }' "$tmp/profile"
	done
}
messages() { "$tview" export messages "$tmp/t.trc" -f csv | awk -F, 'NR > 1 && $5 >= 40 && $5 <= 50 { n++ } END { print n + 0 }'; }
incomplete() { "$tview" report "$tmp/t.trc" | tr -s ' \n' ' ' | grep -o 'Incomplete: [^.]*\.' | grep -o 'rank 1: [^;.]*' | head -1; }
not_of_tvrun() { [ "$status" != 125 ] && [ "$status" != 124 ] && [ "$status" != 0 ]; }

# when, how; MPI_Init, MPI_Send, MPI_Recv, MPI_Finalize entered; messages; what is said of rank 1
killed="rank 1: ended without MPI_Finalize"
exited="rank 1: exit without MPI_Finalize"
while IFS='|' read -r when how calls messages says; do
	run "$when" "$how"
	case $says in killed) says=$killed ;; exited) says=$exited ;; aborted) says="rank 1: MPI_Abort" ;; esac
	[ "$when" = after ] || check "$when $how: the status is the program's" not_of_tvrun
	check "$when $how: what both had done is there" is "$(entered)$(messages)" "$calls $messages"
	check "$when $how: rank 1 ${says:-is whole}" is "$(incomplete)" "$says"
done <<'END'
work|2|2 4 5 0|4|killed
work|3|2 4 5 0|4|killed
work|4|2 4 5 0|4|killed
work|6|2 4 5 0|4|killed
work|7|2 4 5 0|4|killed
work|8|2 4 5 0|4|killed
work|9|2 4 5 0|4|killed
work|11|2 4 5 0|4|killed
work|15|2 4 5 0|4|killed
work|24|2 4 5 0|4|killed
work|31|2 4 5 0|4|killed
work|abort|2 4 5 0|4|killed
work|overflow|2 4 5 0|4|killed
work|_exit|2 4 5 0|4|killed
work|exit|2 4 5 0|4|exited
work|quick_exit|2 4 5 0|4|killed
work|exec|2 4 5 0|4|killed
work|MPI_Abort|2 4 5 0|4|aborted
work|mpiexec|2 4 5 0|4|killed
work|tvrun|2 4 5 0|4|killed
recv|14|2 4 6 0|4|killed
before|9|1 0 0 0|0|killed
before|11|1 0 0 0|0|killed
init|14|1 0 0 0|0|killed
after|9|2 4 4 2|4|
after|11|2 4 4 2|4|
after|exit|2 4 4 2|4|
END
done_testing
