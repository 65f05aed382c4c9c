#!/bin/sh
# Processes that come to a job while it runs: the comments of spawned.c, spawned_multiple.c, met.c and joined.c in
# tests/capture/mpi have the numbers.
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# record RANKS PROGRAM
record() {
	rm -f "$tmp"/t*.trc
	"$out/tvrun" -q $options -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n "$1" "$tmp/$2" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
}
# messages FILE: "0 1 7;" for source, destination, how many
messages() {
	"$tview" export messages "$1" -f csv | awk -F, 'NR > 1 { n[$3 " " $4]++ }
		END { for (s = 0; s < 5; s++) for (d = 0; d < 5; d++) if (n[s " " d]) printf "%d %d %d;", s, d, n[s " " d]; print n[" "] + n["0 "] + n["1 "] }'
}
# on_each FILE: bytes of messages on each communicator between groups
on_each() {
	"$tview" export messages "$1" -f csv | awk -F, '$7 ~ /^inter/ { sub("inter ", "", $7); b[$7] = b[$7] " " $6 }
		END { for (c = 1; c in b; c++) printf "%s:%s;", c, b[c] }'
}
outside() { "$tview" check "$1" | tr -s '\n ' '  ' | grep -o 'Processes of other jobs.*incomplete\.'; }
says() { "$tview" check "$1" | tr -s '\n ' '  ' | grep "$2"; }
findings() { "$tview" check "$1" | awk '$1 == "damage" || $1 == "guess" || $1 == "oddity" || /unmatched/' ; }

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -o "$tmp/spawned" "$sources/spawned.c"
	mpicc.$mpi -g -o "$tmp/spawned_multiple" "$sources/spawned_multiple.c"
	mpicc.$mpi -g -o "$tmp/met" "$sources/met.c"
	mpicc.$mpi -g -o "$tmp/joined" "$sources/joined.c"
	options=
	if ! timeout 60 mpiexec.$mpi $oversubscribe -n 2 "$tmp/spawned" >"$tmp/log" 2>&1; then
		skip "$mpi: MPI_Comm_spawn" "it cannot do it here"
	else
		want="Processes of other jobs (MPI_Comm_spawn, MPI_Comm_connect ...) are not in this trace: 13 messages to them and 13 messages from them were left out, 6 calls of collectives with them are incomplete."
		check "$mpi: two ranks spawn two" record 2 spawned
		check "$mpi: messages of the parents alone" is "$(messages "$tmp/t.trc")" "0 1 4;1 0 3;0"
		check "$mpi: messages of the children alone" is "$(messages "$tmp/t-2.trc")" "0 1 1;0"
		for file in t t-2; do
			check "$mpi: $file: says which others there were" is "$(outside "$tmp/$file.trc")" "$want"
			check "$mpi: $file: nothing is guessed" is "$(findings "$tmp/$file.trc")" ""
		done
		options=--statistics
		check "$mpi: statistics alone" record 2 spawned
		for file in t t-2; do
			check "$mpi: $file: they say so, too" says "$tmp/$file.trc" "not in this trace: at least 31 calls were made with them\."
		done
		options=
		others="Processes of other jobs (MPI_Comm_spawn, MPI_Comm_connect ...) are not in this trace: 3 messages to them and 3 messages from them were left out,"
		check "$mpi: two ranks spawn three of two commands" record 2 spawned_multiple
		check "$mpi: messages of these parents" is "$(messages "$tmp/t.trc")" "0 1 1;1 0 1;0"
		check "$mpi: and of these children" is "$(messages "$tmp/t-2.trc")" "0 1 1;1 2 1;2 0 1;0"
		check "$mpi: the parents know the others" is "$(outside "$tmp/t.trc")" "$others 2 calls of collectives with them are incomplete."
		check "$mpi: the children, too" is "$(outside "$tmp/t-2.trc")" "$others 3 calls of collectives with them are incomplete."
	fi
	if ! timeout 60 mpiexec.$mpi $oversubscribe -n 4 "$tmp/met" >"$tmp/log" 2>&1; then
		skip "$mpi: MPI_Comm_connect" "it cannot do it here"
	else
		check "$mpi: ranks of one job meet" record 4 met
		check "$mpi: all their messages are there" is "$(messages "$tmp/t.trc")" "0 2 5;1 3 4;2 0 1;3 1 1;0"
		check "$mpi: no process is outside" is "$(outside "$tmp/t.trc")" ""
	fi
	if ! timeout 60 mpiexec.$mpi $oversubscribe -n 2 "$tmp/joined" >"$tmp/log" 2>&1; then
		skip "$mpi: MPI_Comm_join" "it cannot do it here"
	else
		check "$mpi: two ranks join twice, and meet twice" record 2 joined
		check "$mpi: communicators of the same ranks are told apart" is "$(on_each "$tmp/t.trc")" "1: 40 40;2: 80 80;3: 40 40;4: 80 80;"
		check "$mpi: how long they wait for each other is not known" says "$tmp/t.trc" \
			"4 calls of MPI_Comm_join, 2 of MPI_Comm_accept and 2 of MPI_Comm_connect were only timed"
	fi
done
done_testing
