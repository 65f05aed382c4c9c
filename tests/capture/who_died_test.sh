#!/bin/sh
# tvrun says which rank died first, of what and where, and the trace keeps it; the launcher's status stays what it is
# without tvrun.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
source=$PWD/tests/capture/mpi/ends.cc

# The launcher, whose status is kept: which rank it hears of first, and so what it says, is chance.
cat >"$tmp/launch" <<-'END'
	#!/bin/sh
	"$@"
	echo $? >"$0.status"
	exit "$(cat "$0.status")"
END
chmod +x "$tmp/launch"
# run WAY: $status, what is said in $tmp/log, the trace in $tmp/t.trc
run() {
	rm -f "$tmp/t.trc"
	timeout 60 "$out/tvrun" $options -o "$tmp/t.trc" "$tmp/launch" "mpiexec.$mpi" $oversubscribe -n 2 "$tmp/ends" "$1" >"$tmp/log" 2>&1 </dev/null
	status=$?
}
# What the launcher makes of a signal's number.
dies_of() { [ $mpi = mpich ] && echo "$1" || echo $((128 + $1)); }
# ends_with WAY STATUS: tvrun's status is the launcher's in each of up to five runs, and that of the rank in one of them
ends_with() {
	for try in 1 2 3 4 5; do
		[ "$status" = "$(cat "$tmp/launch.status")" ] || { echo "$status is not $(cat "$tmp/launch.status")"; return 1; }
		[ "$status" != "$2" ] || return 0
		run "$1"
	done
	echo "$status, never $2 in $try runs"
	return 1
}
said() { sed -n 's/^tvrun: \(rank [01] [a-z ]*: .*\|which rank .*\|the launcher .*\)/\1/p' "$tmp/log"; }
line_of() { grep -n "line of: $1\$" "$source" | cut -d: -f1; }
# says PATTERN: the whole sentence, with one time in it
says() { said | sed 's/ after [0-9.]* [mu]*s/ after T/' | grep -qx "$1" || { cat "$tmp/log"; return 1; }; }
kept() {
	sentence=$(said | cut -c2-)
	[ -n "$sentence" ] && "$tview" "$1" "$tmp/t.trc" | tr -s '\n ' '  ' | grep -qF "$sentence"
}
in_json() {
	"$tview" report -f json "$tmp/t.trc" | /usr/bin/python3 -c 'import json, sys
sys.exit(json.load(sys.stdin)["trust"]["ended_first"] != sys.argv[1])' "$(said)"
}

options=--no-insitu
for mpi in mpich openmpi; do
	oversubscribe=
	[ $mpi = openmpi ] && oversubscribe=--oversubscribe
	if ! command -v mpicxx.$mpi >/dev/null || ! command -v mpiexec.$mpi >/dev/null; then
		skip "$mpi" "it is not installed"
		continue
	fi
	mpicxx.$mpi -g -O0 -w -o "$tmp/ends" "$source" -lpthread 2>"$tmp/err"
	others="; the \(launcher ended the others\|others ended after it\)"
	# the way, its signal, what is said after "rank 1"; FILE:LINE of the way at @
	while IFS='|' read -r way signal text; do
		run "$way"
		text=$(echo "$text" | sed "s/@/(ends.cc:$(line_of "$way"))/")
		check "$mpi, $way: rank 1 $text" says "rank 1 $text\($others\)\?"
		check "$mpi, $way: the status is the program's" ends_with "$way" "$([ -n "$signal" ] && dies_of "$signal" || echo 7)"
	done <<-END
		segv|11|died first: SIGSEGV after T in end @
		fpe|8|died first: SIGFPE after T in end @
		ill|4|died first: SIGILL after T in end @
		bus|7|died first: SIGBUS after T in past_the_end @
		overflow|11|died first: SIGSEGV after T in deeper (ends.cc:[0-9]*)
		cpu|24|died first: SIGXCPU after T in too_long @
		recv|14|died first: SIGALRM after T in MPI_Recv @
		throw|6|died first: SIGABRT after T outside MPI
		thread|6|died first: SIGABRT after T outside MPI
		pthread_exit|11|died first: SIGSEGV after T in fault_here @
		2|2|died first: SIGINT after T outside MPI
		15|15|died first: SIGTERM after T outside MPI
		25|25|died first: SIGXFSZ after T outside MPI
		MPI_Abort||ended first: MPI_Abort(7) after T in end @
		exit||ended first: exit(7) without MPI_Finalize after T in end @
		_exit||ended first: exit(7) without MPI_Finalize after T in end @
		recovers_then_exit||ended first: exit(7) without MPI_Finalize after T in end @
	END
	run segv
	for verb in report check; do
		check "$mpi: $verb shows what tvrun said" kept $verb
	done
	check "$mpi: JSON has it" in_json
	check "$mpi: so has a copy" "$tview" convert "$tmp/t.trc" "$tmp/copy.trc"
	check "$mpi: word by word" is "$(grep -c "ended-first" "$tmp/copy.trc")" 1
	options="--statistics"
	run recv
	check "$mpi: statistics alone know the call, too" says "rank 1 died first: SIGALRM after T in MPI_Recv (ends.cc:$(line_of recv))\($others\)\?"
	options="--no-insitu --anonymous"
	run segv
	check "$mpi: an anonymous trace has no names" says "rank 1 died first: SIGSEGV after T outside MPI\($others\)\?"
	options=--no-insitu
	# Nobody can say more of two processes that were killed within one look.
	run killed
	check "$mpi, SIGKILL: rank 1 or not known, never rank 0" says \
		"rank 1 died first: \(probably killed (SIGKILL)\|SIGKILL\) after T outside MPI\($others\)\?\|which rank ended first is not known"
	check "$mpi, SIGKILL: the status is the program's" ends_with killed "$(dies_of 9)"
	for way in child recovers recovers_late file_limit; do
		run $way
		check "$mpi, $way: no rank died" is "$status $(said)" "0 "
	done
done
done_testing
