#!/bin/sh
# A trace says what it lacks of the run: the programs of tests/capture/mpi call each function as often as their first
# comments say, on two ranks.
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# record COMMAND...: two ranks of it, in $tmp/t.trc
record() {
	rm -f "$tmp/t.trc"
	"$out/tvrun" -q $options -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n 2 "$@" >"$tmp/log" 2>&1
}
# lacks FILE: "timed MPI_Put 24 ranks 2;..." of the report for programs
lacks() {
	"$tview" report "$1" -f json | /usr/bin/python3 -c '
import json, sys
for r in json.load(sys.stdin)["trust"].get("rows", []):
	print(r["lacks"], r["what"], r["count"], "ranks", r["ranks"], end=";")'
}
# says COMMAND... : what the last argument is, in its output
says() {
	for words; do :; done
	"$tview" "$1" "$tmp/t.trc" | tr -s '\n ' '  ' >"$tmp/said"
	grep -q "$words" "$tmp/said" || { cat "$tmp/said"; return 1; }
}
says_not() { ! says "$@" >/dev/null; }
unknown() {
	"$out/tvrun" -q -o "$tmp/u.trc" "$tmp/strange" >"$tmp/log" 2>&1
	grep -q 'MPI is of a kind that tvrun does not know' "$tmp/log" && ! grep -q 'are kept' "$tmp/log" || { cat "$tmp/log"; return 1; }
}

options=
for mpi in mpich openmpi; do
	mpi_is_there || continue
	for program in only_asks only_timed every passed_on; do
		mpicc.$mpi -g -w -o "$tmp/$program" "$sources/$program.c" 2>"$tmp/err"
	done

	check "$mpi: a program that only asks" record "$tmp/only_asks"
	check "$mpi: nothing is missing" is "$(lacks "$tmp/t.trc")" ""
	check "$mpi: check says so" says check "No damage, no guesses"
	check "$mpi: and the report" says report "Trace complete: all records read, none guessed"

	check "$mpi: probes" record "$tmp/only_timed" "$tmp/file"
	want="timed MPI_Probe 10 ranks 2;"
	check "$mpi: are only timed" is "$(lacks "$tmp/t.trc")" "$want"
	check "$mpi: check says so" says check \
		"10 calls of MPI_Probe were only timed"
	check "$mpi: and not that all is there" says_not check "No damage"
	check "$mpi: the report does" says report "10 calls of MPI_Probe"
	check "$mpi: and does not say that it is complete" says_not report "Trace complete"
	check "$mpi: all ten messages were recorded" says report "10 messages, 40 B in total; the largest has 4 B\."
	for other in run.otf2 again.trc; do
		check "$mpi: $other is written" "$tview" convert "$tmp/t.trc" "$tmp/$other"
		check "$mpi: $other lacks the same" is "$(lacks "$tmp/$other")" "$want"
		rm -rf "$tmp/run.otf2"*
	done
	options=--statistics
	check "$mpi: statistics alone" record "$tmp/only_timed" "$tmp/file"
	check "$mpi: they lack the same" is "$(lacks "$tmp/t.trc")" "$want"
	options=

	check "$mpi: a program that cancels two receives" record "$tmp/every"
	check "$mpi: check counts 32 messages" says check "; 32 messages, 7 collectives"
	check "$mpi: the report, too" says report "32 messages, 21,128 B in total"
	check "$mpi: the messages view lists them all" is "$("$tview" export messages "$tmp/t.trc" -f csv | grep -c cancelled)" 2

	if [ ! -x "$tmp/passed_on" ]; then
		skip "$mpi: functions of MPI 4" "it does not have them"
	else
		check "$mpi: exchanges with anybody" record "$tmp/passed_on"
		check "$mpi: are counted" is "$(lacks "$tmp/t.trc")" \
			"calls MPI_Isendrecv 12 ranks 2;"
		check "$mpi: their waits, too" says report "of total time; not all was recorded)"
		check "$mpi: and their time is the program's" says report "calls that were not recorded count as computation"
		for end in exit kill; do
			record "$tmp/passed_on" $end
			check "$mpi: also where $end ends the program" is "$(lacks "$tmp/t.trc")" \
				"calls MPI_Isendrecv 12 ranks 2;"
		done
	fi

	cc -finstrument-functions -shared -fPIC -o "$tmp/libleaf.so" "$sources/leaf.c"
	strip -s "$tmp/libleaf.so"
	mpicc.$mpi -o "$tmp/calls_leaf" "$sources/calls_leaf.c" -L"$tmp" -lleaf -Wl,-rpath,"$tmp"
	options=--no-insitu
	check "$mpi: a library without symbols" record "$tmp/calls_leaf" 1000
	check "$mpi: has one function that has no name" is "$(lacks "$tmp/t.trc")" "symbols libleaf.so 1 ranks None;"
	options="--no-insitu --max-size 2M"
	check "$mpi: a buffer that is too small" record "$tmp/calls_leaf" 200000
	check "$mpi: check says that functions are missing" says check "Functions were not recorded in the last .* on 2 ranks (buffer nearly full); calls of MPI were\."
	check "$mpi: and the report that messages are not" says report "There are no messages\."
	options=

	mpicc.$mpi -shared -fPIC -o "$tmp/libtool.so" "$sources/counting_tool.c"
	mpicc.$mpi -o "$tmp/behind" "$sources/only_asks.c" -Wl,--no-as-needed -L"$tmp" -ltool -Wl,-rpath,"$tmp"
	check "$mpi: another tool" record "$tmp/behind"
	check "$mpi: is named" is "$(lacks "$tmp/t.trc")" "tool libtool.so 2 ranks 2;"
	options=--anonymous
	record "$tmp/behind"
	check "$mpi: but not in an anonymous trace" is "$(lacks "$tmp/t.trc")" "tool None 2 ranks 2;"
	options=
	rm -f "$tmp/passed_on"
done

cc -shared -fPIC -o "$tmp/libstrange.so" "$sources/strange_mpi.c"
cat >"$tmp/strange.c" <<-END
	int MPI_Init(int *, char ***), MPI_Finalize(void);
	int main(int argc, char **argv) { return MPI_Init(&argc, &argv) || MPI_Finalize(); }
END
cc -o "$tmp/strange" "$tmp/strange.c" -L"$tmp" -lstrange -Wl,-rpath,"$tmp"
check "an MPI of unknown kind is said to be one" unknown
done_testing
