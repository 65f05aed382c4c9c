#!/bin/sh
# PICL's controls (tview.h): tests/capture/mpi/controls.c says in its first comment what is recorded of it.
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Counters are the program's alone here.
export TVIEW_CORE_WAITS=0

# record COMMAND...: two ranks of it, in $tmp/t.trc
record() {
	rm -f "$tmp/t.trc"
	"$out/tvrun" -q $options -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n 2 "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
}
# visits FILE: "work 14;..." of both ranks
visits() {
	"$tview" export profile "$1" -f csv | awk -F, '{ n[$1] = $2 } END {
		k = split("MPI_Init MPI_Finalize MPI_Barrier MPI_Sendrecv outer work part chosen", name, " ")
		for (i = 1; i <= k; i++) if (n[name[i]]) printf "%s %d;", name[i], n[name[i]] }'
}
says() {
	"$tview" "$1" "$tmp/t.trc" | tr -s '\n ' '  ' >"$tmp/said"
	grep -q "$2" "$tmp/said" || { cat "$tmp/said"; return 1; }
}
says_not() { ! says "$@" >/dev/null; }
# records RECTYPE FIELDS: of the first process, from the field of that number on
records() { awk -v type="$1" -v from="$2" '$1 == type && $4 == 0 { for (i = from; i <= NF; i++) printf "%s ", $i; printf ";" }' "$tmp/t.trc"; }
levels="2 1 1 0 ;2 1 1 1 ;2 1 0 1 ;2 1 1 1 ;2 1 2 1 ;2 1 1 1 ;2 0 1 1 ;2 1 1 1 ;2 1 0 0 ;2 1 1 1 ;2 0 1 1 ;"
lacks() {
	"$tview" report "$tmp/t.trc" -f json | /usr/bin/python3 -c '
import json, sys
print(*sorted(r["what"] for r in json.load(sys.stdin)["trust"]["rows"] if r["lacks"] == "switched" and r["ranks"] == 2 and r["count"] > 0))'
}

options=
for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -finstrument-functions -Iinclude -o "$tmp/controls" "$sources/controls.c"

	check "$mpi: the calls do nothing without tvrun" is "$("$tmp/controls" plain | tr '\n' ';')" "0 000 0 none;0 000 0 none;"
	check "$mpi: a program that uses all of them" record "$tmp/controls"
	check "$mpi: it knows what is recorded" is "$(sort "$tmp/log" | tr '\n' ';')" \
		"1 101 0 room;1 101 0 room;1 111 0 room;1 111 0 room;"
	check "$mpi: what is left is counted exactly" is "$(visits "$tmp/t.trc")" \
		"MPI_Init 2;MPI_Finalize 2;MPI_Barrier 6;outer 2;work 14;part 4;chosen 2;"
	check "$mpi: messages and collectives are all there" says check "; 2 messages, 5 collectives"
	check "$mpi: nothing is damaged" says_not check "damage\|oddity\|guess"
	check "$mpi: each switch is PICL's tracelevel" is "$(records -2 7)" "$levels"
	# 1.5, 10 and 20, 2.25 as their bits
	check "$mpi: data is counters" is "$(records -304 9)" \
		"4609434218613702656 ;4621819117588971520 4626322717216342016 ;4612248968380809216 ;"
	check "$mpi: text is PICL's message" grep -q '^-7 -911 .* "%c" step 1 of 2$' "$tmp/t.trc"
	check "$mpi: regions have their location and parameter" is "$(records -302 8)" "0 7 1 -3 ;0 8 1 0 ;"
	check "$mpi: the trace says what was switched off" is "$(lacks)" "calls functions regions"
	check "$mpi: and so does the report" says report "Functions were not recorded in .* of rank time on 2 ranks: the program switched"
done

# Module tview: controls.f90 says in its first comment what is recorded.
for mpi in mpich openmpi; do
	oversubscribe=
	[ $mpi = openmpi ] && oversubscribe=--oversubscribe
	if ! command -v mpifort.$mpi >/dev/null || ! command -v mpiexec.$mpi >/dev/null; then
		skip "Fortran, $mpi" "it is not installed"
		continue
	fi
	rm -f "$tmp/fortran" "$tmp/tview.mod"
	mpifort.$mpi -g -J "$tmp" -o "$tmp/fortran" include/tview.f90 "$sources/controls.f90"
	check "Fortran, $mpi: the calls do nothing without tvrun" is "$("$tmp/fortran")" "00000F"
	check "Fortran, $mpi: the module's calls" record "$tmp/fortran"
	check "Fortran, $mpi: the program knows what is recorded" is "$(tr '\n' ' ' <"$tmp/log")" "11010T 11010T "
	check "Fortran, $mpi: what is left is counted exactly" is "$(visits "$tmp/t.trc")" \
		"MPI_Init 2;MPI_Finalize 2;MPI_Barrier 2;part 4;chosen 2;"
	check "Fortran, $mpi: data is counters" is "$(records -304 9)" \
		"4609434218613702656 ;4621819117588971520 4626322717216342016 ;"
	check "Fortran, $mpi: text is PICL's message" grep -q '^-7 -911 .* "%c" step 1 of 2$' "$tmp/t.trc"
	check "Fortran, $mpi: regions have their location and parameter" is "$(records -302 8)" "0 7 1 -3 ;0 8 1 0 ;"
	check "Fortran, $mpi: a trigger makes a trace" is "$(visits "$tmp/t.1.trc" | tr ';' '\n' | grep chosen)" "chosen 2"
	check "Fortran, $mpi: the topology has its name" grep -q '"%c" tview:topology=.* 1 2 1 row$' "$tmp/t.trc"
done

if command -v mpicc.mpich >/dev/null; then
	mpi=mpich oversubscribe=
	mpicc.mpich -g -finstrument-functions -Iinclude -o "$tmp/controls" "$sources/controls.c"
	options=--no-insitu
	check "all visits measured" record "$tmp/controls"
	check "the same is left" is "$(visits "$tmp/t.trc")" "MPI_Init 2;MPI_Finalize 2;MPI_Barrier 6;outer 2;work 14;part 4;chosen 2;"
	options=--no-functions
	check "without functions" record "$tmp/controls"
	check "the rest is left" is "$(visits "$tmp/t.trc")" "MPI_Init 2;MPI_Finalize 2;MPI_Barrier 6;part 4;chosen 2;"
	options=--statistics
	check "statistics alone" record "$tmp/controls"
	check "count functions and regions that are switched off, too" is "$("$tview" export graph "$tmp/t.trc" -f csv |
		awk -F, '$2 == "procedure" && $6 > 0 && $28 !~ /overhead/ { printf "%s %d;", $3, $6 }' | tr ';' '\n' | sort | tr '\n' ';')" \
		"chosen 2;outer 2;part 10;work 20;"
	# Other threads follow: 5 of 6 phases x 100 x 3 threads x 2 ranks
	mpicc.mpich -g -finstrument-functions -Iinclude -o "$tmp/threads" "$sources/controls_threads.c" -lpthread
	for options in --insitu --no-insitu "--limit 50"; do
		check "three threads, $options" record "$tmp/threads"
		check "what is left is counted exactly, $options" is \
			"$(visits "$tmp/t.trc")" "MPI_Finalize 2;MPI_Sendrecv 3000;work 3000;part 3000;"
		check "no message is lost, $options" says check "; 3,600 messages"
	done
	options=--no-functions
	check "three threads, $options" record "$tmp/threads"
	check "what is left is counted exactly, $options" is \
		"$(visits "$tmp/t.trc")" "MPI_Finalize 2;MPI_Sendrecv 3000;part 3000;"
	options=
	mpicc.mpich -cc="$out/tvcc" -g -Iinclude -o "$tmp/probes" "$sources/controls.c" 2>"$tmp/err"
	check "probes of tvcc" record "$tmp/probes"
	check "nothing is damaged" says_not check "damage\|oddity\|guess"
fi
done_testing
