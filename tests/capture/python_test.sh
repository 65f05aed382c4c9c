#!/bin/sh
# Functions and lines of Python around calls of MPI: tests/capture/mpi/nested.py and by_ctypes.py say which call it.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
sources=$PWD/tests/capture/mpi

# run OPTIONS... -- COMMAND...: what it printed, sorted
run() {
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	timeout 120 "$out/tvrun" -q -o "$tmp/t.trc" $options "$@" 2>"$tmp/err" | sort | tr '\n' ';' || true
	cat "$tmp/err"
}
# paths NAME: "path,count;..." of one function of MPI
paths() { "$tview" export callpaths "$tmp/t.trc" -f csv | grep "> $1," | cut -d, -f1,2 | sort | tr '\n' ';'; }
# lines NAME: "file:line,count;..."
lines() {
	"$tview" export lines "$tmp/t.trc" -f csv | awk -F, -v name="$1" '$4 == name { sub(".*/", "", $1)
		print $1 ":" $2 "," $5 }' | sort | tr '\n' ';'
}
functions() {
	"$tview" export lines "$tmp/t.trc" -f csv | awk -F, '$3 == "procedure" { sub(".*/", "", $1)
		print $1 ":" $2 " " $4 }' | sort | tr '\n' ';'
}
whole() { ! "$tview" check "$tmp/t.trc" | grep 'damage \|oddity \|guess '; }

top="<module> > run"
below="step > step.<locals>.relax > MPI_Barrier"
thread="Thread._bootstrap > Thread._bootstrap_inner > Thread.run > beside > MPI_Barrier"
sites="nested.py:18,8;nested.py:34,6;nested.py:38,2;nested.py:45,4;"
if /usr/bin/python3 -c 'import mpi4py, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
	mpi="mpiexec.openmpi --oversubscribe -n 2 /usr/bin/python3 $sources/nested.py"
	check "mpi4py: the program is as without" is "$(run --python -- $mpi)" "4 3;"
	check "mpi4py: each call has its path" is "$(paths MPI_Barrier)" "$(printf '%s\n' "$top > $below,2" \
		"$top > run > $below,2" "$top > run > run > $below,2" "<module> > Größe.messen > $below,2" \
		"<module> > MPI_Barrier,4" "$thread,6" "last > MPI_Barrier,2" | sort | tr '\n' ';')"
	check "mpi4py: and its line" is "$(lines MPI_Barrier)" "$sites"
	# How often a function was entered is not known: only its calls of MPI are seen.
	check "mpi4py: calls between functions have theirs" is "$(lines 'step()')" "nested.py:24,;nested.py:30,;"
	check "mpi4py: nothing is damaged" whole
	check "mpi4py: nothing of Python is missing" sh -c "! $tview check $tmp/t.trc | grep -q 'of Python were not'"
	check "mpi4py: without --python the same program" is "$(run -- $mpi)" "4 3;"
	check "mpi4py: and lines alone" is "$(lines MPI_Barrier) $(paths MPI_Barrier)" "$sites "
	check "mpi4py: without events" is "$(run --statistics -- $mpi) $(lines MPI_Barrier)" "4 3; $sites"
	check "mpi4py: whose functions they are in" sh -c "$tview export lines $tmp/t.trc | grep -q 'procedure  *step.<locals>.relax'"
	check "mpi4py: --no-python" is "$(run --no-python -- $mpi) $(lines MPI_Barrier | grep -c nested.py)" "4 3; 0"
	check "mpi4py: names are left out" is "$(run --python --anonymous -- $mpi) $(paths MPI_Barrier | grep -c nested)" "4 3; 0"
	check "mpi4py: with the functions of the library" is "$(run --python --callstack 3 -- $mpi) $(paths MPI_Barrier |
		grep -c 'step > step.<locals>.relax > .* > MPI_Barrier')" "4 3; 1"
else
	skip "mpi4py" "it is not installed, or Python is older than 3.11"
fi

library=$(ldconfig -p | awk '$1 ~ /^libmpich[.]so/ { print $NF; exit }')
if [ -n "$library" ] && command -v mpiexec.mpich mpicc.mpich >/dev/null; then
	for python in /usr/bin/python3 "$HOME"/.pyenv/versions/3.*/bin/python3; do
		[ -x "$python" ] && "$python" -c 'import ctypes' 2>/dev/null || continue
		version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
		case $version in 3.[6-9] | 3.1[0-3]) ;; *) continue ;; esac
		check "Python $version: the program is as without" is "$(run --python -- \
			mpiexec.mpich -n 2 "$python" "$sources/by_ctypes.py" "$library" | cut -c1-24)" "barrier;barrier;barrier;"
		check "Python $version: paths and lines" is "$(paths MPI_Barrier) $(lines MPI_Barrier)" \
			"<module> > outer > barrier > MPI_Barrier,6; by_ctypes.py:10,6;"
		check "Python $version: all calls" is "$(paths MPI_Init) $(paths MPI_Finalize)" \
			"<module> > MPI_Init,2; <module> > MPI_Finalize,2;"
	done
	mpicc.mpich -rdynamic -o "$tmp/false" "$sources/false_python.c"
	check "what is not Python is left alone" is "$(run --python -- mpiexec.mpich -n 2 "$tmp/false")" "10;10;"
	check "and said to be unknown" sh -c "$tview check $tmp/t.trc | tr -s '\n ' '  ' |
		grep -q 'Lines and functions of Python were not recorded on 2 ranks'"
	check "and has no functions" is "$("$tview" export callpaths "$tmp/t.trc" -f csv | grep MPI_Barrier | grep -v tview_cores | cut -d, -f1,2)" \
		"MPI_Barrier,20"
else
	skip "by ctypes" "MPICH is not installed"
fi
done_testing
