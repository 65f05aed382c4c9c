#!/bin/sh
# Ways to die: what must be in the trace of a program of which a rank ends, how and when the table says.
. tests/cli/tap.sh
die=$out/tests/capture/programs/die
command -v mpiexec.mpich >/dev/null || { skip "tvrun" "there is no mpiexec.mpich"; done_testing; }

killed="rank 1: ended without MPI_Finalize"
exited="rank 1: exit without MPI_Finalize"

# row CALLS: calls of MPI_Init, MPI_Send, MPI_Recv and MPI_Finalize that both ranks entered
entered() {
	"$tview" export profile "$1/t.trc" -f csv >"$1/profile"
	for call in Init Send Recv Finalize; do
		awk -F, -v f="MPI_$call" '$1 == f { n = $2 } END { printf "%d ", n }' "$1/profile"
	done
}
messages() { "$tview" export messages "$1/t.trc" -f csv | awk -F, 'NR > 1 && $5 >= 40 && $5 <= 50 { n++ } END { print n + 0 }'; }
incomplete() { "$tview" "$1" "$2/t.trc" | tr -s ' \n' ' ' | grep -o 'Incomplete: [^.]*\.' | grep -o 'rank 1: [^;.]*' | head -1; }

# run WHEN HOW: its status, what was entered, what is said, in a folder of its own
run() {
	at="$tmp/$1-$2"
	mkdir "$at"
	timeout 60 "$out/tvrun" --yield --no-insitu -o "$at/t.trc" mpiexec.mpich -n 2 "$die" "$1" "$2" \
		>"$at/log" 2>&1 </dev/null
	echo $? >"$at/status"
	# tvrun itself was killed
	if ls -d "$at"/t.trc.ranks-* >/dev/null 2>&1; then
		sleep 1
		"$out/tvrun" -q --merge "$at"/t.trc.ranks-* >>"$at/log" 2>&1
	fi
	echo "$(entered "$at")$(messages "$at")" >"$at/entered"
	incomplete report "$at" >"$at/report"
	incomplete check "$at" >"$at/check"
}
not_of_tvrun() { [ "$1" != 125 ] && [ "$1" != 124 ] && [ "$1" != 0 ]; }

# when, how; MPI_Init, MPI_Send, MPI_Recv, MPI_Finalize entered; messages; what is said of rank 1
cat >"$tmp/ways" <<'END'
work|2|2 4 5 0|4|killed
work|3|2 4 5 0|4|killed
work|4|2 4 5 0|4|killed
work|5|2 4 5 0|4|killed
work|6|2 4 5 0|4|killed
work|7|2 4 5 0|4|killed
work|8|2 4 5 0|4|killed
work|9|2 4 5 0|4|killed
work|11|2 4 5 0|4|killed
work|12|2 4 5 0|4|killed
work|13|2 4 5 0|4|killed
work|14|2 4 5 0|4|killed
work|15|2 4 5 0|4|killed
work|16|2 4 5 0|4|killed
work|24|2 4 5 0|4|killed
work|25|2 4 5 0|4|killed
work|26|2 4 5 0|4|killed
work|27|2 4 5 0|4|killed
work|29|2 4 5 0|4|killed
work|30|2 4 5 0|4|killed
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
before|6|1 0 0 0|0|killed
before|7|1 0 0 0|0|killed
before|8|1 0 0 0|0|killed
before|9|1 0 0 0|0|killed
before|11|1 0 0 0|0|killed
before|13|1 0 0 0|0|killed
before|15|1 0 0 0|0|killed
before|24|1 0 0 0|0|killed
before|abort|1 0 0 0|0|killed
before|overflow|1 0 0 0|0|killed
init|14|1 0 0 0|0|killed
after|2|2 4 4 2|4|
after|5|2 4 4 2|4|
after|12|2 4 4 2|4|
after|14|2 4 4 2|4|
after|16|2 4 4 2|4|
after|25|2 4 4 2|4|
after|6|2 4 4 2|4|
after|7|2 4 4 2|4|
after|8|2 4 4 2|4|
after|9|2 4 4 2|4|
after|11|2 4 4 2|4|
after|13|2 4 4 2|4|
after|15|2 4 4 2|4|
after|24|2 4 4 2|4|
after|abort|2 4 4 2|4|
after|overflow|2 4 4 2|4|
after|exit|2 4 4 2|4|
after|_exit|2 4 4 2|4|
after|quick_exit|2 4 4 2|4|
END

together=0
while IFS='|' read -r when how _; do
	run "$when" "$how" &
	together=$((together + 1))
	[ $((together % 4)) = 0 ] && wait
done <"$tmp/ways"
wait
while IFS='|' read -r when how calls messages says; do
	at="$tmp/$when-$how"
	case $says in killed) says=$killed ;; exited) says=$exited ;; aborted) says="rank 1: MPI_Abort" ;; esac
	[ "$when" = after ] || check "$when $how: the status is the program's" not_of_tvrun "$(cat "$at/status")"
	check "$when $how: what both had done is there" is "$(cat "$at/entered")" "$calls $messages"
	check "$when $how: rank 1 ${says:-is whole}" is "$(cat "$at/report")" "$says"
	check "$when $how: check says so" is "$(cat "$at/check")" "$says"
done <"$tmp/ways"
done_testing
