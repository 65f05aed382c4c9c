#!/bin/sh
# Libraries that are loaded at the same addresses, one after the other: the comments of tests/capture/mpi/plugin.c and plugins.c
# say how often each function of which is called.
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# record RANKS ARGUMENTS...: the log is in $tmp/log
record() {
	ranks=$1
	shift
	"$out/tvrun" -q $options -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n "$ranks" "$tmp/plugins" "$@" >"$tmp/log" 2>&1
}
deep() { DEEP=1 LAZY=$lazy record "$@" || { cat "$tmp/log"; return 1; }; }
unasked() { DEEP=1 UNASKED=1 record "$@" || { cat "$tmp/log"; return 1; }; }
records() { record "$@" || { cat "$tmp/log"; return 1; }; }
# calls: "left_step 30 ... 101 10 ...", visits of functions, and calls of MPI_Barrier by line
calls() {
	"$tview" export lines "$tmp/t.trc" -f csv | awk -F, '
		$3 == "procedure" { n[$4] += $5 }
		$4 == "MPI_Barrier" { n[$2] += $5 }
		END { k = split("left_step right_step twice_named run 101 201", name, " ")
			for (i = 1; i <= k; i++) printf "%s %d;", name[i], n[name[i]] }'
}
says() { "$tview" check "$tmp/t.trc" | tr -s '\n ' '  ' | grep "$1"; }
# rows NAME: regions that have it
rows() { "$tview" export profile "$tmp/t.trc" -f csv | grep -c "^$1,"; }

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -g -finstrument-functions -DLEFT -shared -fPIC -o "$tmp/left.so" "$sources/plugin.c"
	mpicc.$mpi -g -finstrument-functions -DRIGHT -shared -fPIC -o "$tmp/right.so" "$sources/plugin.c"
	mpicc.$mpi -g -finstrument-functions -rdynamic -o "$tmp/plugins" "$sources/plugins.c" -ldl
	want="left_step 60;right_step 100;twice_named 40;run 40;101 20;201 40;"
	for options in "" --statistics --no-insitu; do
		check "$mpi: two libraries in turn $options" records 2 10 "$tmp/left.so" "$tmp/right.so"
		check "$mpi: they were at the same addresses $options" is "$(grep -c '^0 moved' "$tmp/log")" 2
		check "$mpi: each function has its own count $options" is "$(calls)" "$want"
	done
	check "$mpi: a region of one rank is that of the other" is "$(rows left_step) $(rows right_step)" "1 1"
	options="--exclude ^right"
	check "$mpi: one of them is left out" records 2 10 "$tmp/left.so" "$tmp/right.so"
	check "$mpi: the other one is not" is "$(calls)" "left_step 60;right_step 0;twice_named 40;run 40;101 20;201 40;"
	# Libraries that find MPI by themselves.
	for options in "" --statistics; do
		for lazy in "" 1; do
			check "$mpi: RTLD_DEEPBIND $options $lazy" deep 2 10 "$tmp/left.so" "$tmp/right.so"
			check "$mpi: each function has its own count $options $lazy" is "$(calls)" "$want"
			check "$mpi: no call is missing $options $lazy" is "$("$tview" check "$tmp/t.trc" | grep -c 'not recorded')" 0
		done
	done
	options=
	check "$mpi: MPI is called without a look-up" unasked 1 1 "$tmp/left.so"
	check "$mpi: that is said" says "Calls of MPI from left\.so were not recorded: it was opened with RTLD_DEEPBIND\."
	record 1 0 "$tmp/left.so"
	check "$mpi: killed in a library" is "$(calls)" "left_step 3;right_step 0;twice_named 1;run 1;101 1;201 0;"
done

mpi=mpich
oversubscribe=
if command -v mpicc.mpich >/dev/null && [ -x "$out/tvcc" ]; then
	for side in LEFT RIGHT; do
		TVIEW_CC=mpicc.mpich "$out/tvcc" --all -g -D$side -shared -fPIC -o "$tmp/$side.so" "$sources/plugin.c" 2>"$tmp/err"
	done
	mpicc.mpich -g -o "$tmp/plugins" "$sources/plugins.c" -ldl
	for options in "" --statistics; do
		check "statements of two libraries in turn $options" records 2 10 "$tmp/LEFT.so" "$tmp/RIGHT.so"
		check "were at the same addresses $options" is "$(grep -c '^0 moved' "$tmp/log")" 2
		check "have counts of their own $options" is "$(calls)" "$want"
	done
	options=
	# More files at an address than there are numbers: those of the last ones have no names.
	mpicc.mpich -g -finstrument-functions -DLEFT -shared -fPIC -o "$tmp/left.so" "$sources/plugin.c"
	files=
	for i in $(seq 130); do
		cp "$tmp/left.so" "$tmp/$i.so"
		files="$files $tmp/$i.so"
	done
	options=
	check "130 libraries at one address" records 1 1 $files
	check "functions of 127 of them have names" is "$(calls)" "left_step 381;right_step 0;twice_named 127;run 127;101 127;201 0;"
	check "calls of MPI are all there" is "$("$tview" export profile "$tmp/t.trc" -f csv | grep '^MPI_Barrier' | cut -d, -f2)" 130
fi
done_testing
