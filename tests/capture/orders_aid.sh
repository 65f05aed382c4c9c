# For the tests that run tests/capture/mpi/orders.c: what each rank received, of programs that are given as words. Sourced
# after tap.sh; $mpi, $more (options of its mpiexec), $unit (ms), $options (tvrun's), $under (a program to run it by) are the
# test's.
# shellcheck shell=sh disable=SC2154 # those, and tap.sh's
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# run PROGRAMS...: what each rank received, in $tmp/said: "0: 1 2;1:;2:;"; the whole lines, with times, in $tmp/log
run() {
	timeout 60 "$out/tvrun" $options -o "$tmp/t.trc" "mpiexec.$mpi" $more -n $# $under "$tmp/orders.$mpi" $unit "$@" >"$tmp/log" 2>&1
	ended=$?
	grep '^[0-9]*:' "$tmp/log" | sed 's/ t .*//' | sort | tr '\n' ';' >"$tmp/said"
	return $ended
}
# takes WHAT PROGRAMS...: that is what they receive, and they end
takes() {
	want=$1
	shift
	run "$@" && is "$(cat "$tmp/said")" "$want" || { cat "$tmp/log"; return 1; }
}
# When a rank's program ended, in units; whether the first number is less
units() { sed -n "s/^$1:.* t //p" "$tmp/log"; }
before() { /usr/bin/python3 -c 'import sys; a, b = sys.argv[1:3]; print(a, b); sys.exit(not float(a) < float(b))' "$1" "$2"; }
# To run a rank under: it lives, as far as the launcher sees, until rank 0 has ended
cat >"$tmp/under" <<'END'
#!/bin/sh
"$@"
[ "${PMI_RANK-}${OMPI_COMM_WORLD_RANK-}" = 0 ] && : >"$0.over"
while ! [ -e "$0.over" ]; do sleep 0.1; done
END
chmod +x "$tmp/under"
