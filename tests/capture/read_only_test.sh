#!/bin/sh
# A HOME that cannot be written, and a folder that cannot be written. Root may write everywhere: /proc is a folder in which
# even root can make nothing.
. tests/cli/tap.sh

# works COMMAND...: with status 0 and nothing on stderr
works() {
	"$@" >"$tmp/out" 2>"$tmp/err"
	[ $? = 0 ] && [ ! -s "$tmp/err" ] || { cat "$tmp/err"; return 1; }
}
# refused PATTERN COMMAND...: by tvrun, before anything is run
refused() {
	words=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err"
	[ $? = 125 ] && [ ! -e "$tmp/ran" ] && grep -q "$words" "$tmp/err" || { cat "$tmp/err"; return 1; }
}
export HOME=/proc/none XDG_CACHE_HOME=/proc/none XDG_STATE_HOME=/proc/none
check "tview" works "$tview" report traces/ring.trc
check "tview without a HOME" works env -u HOME -u XDG_CACHE_HOME -u XDG_STATE_HOME "$tview" report traces/ring.trc
check "a trace in a folder that cannot be written" refused "cannot write /proc/run.trc: .*-o" \
	"$out/tvrun" -o /proc/run.trc touch "$tmp/ran"
if command -v mpicc.mpich >/dev/null; then
	mpicc.mpich -w -o "$tmp/asks" tests/capture/mpi/only_asks.c
	check "tvrun" works "$out/tvrun" -q -o "$tmp/t.trc" mpiexec.mpich -n 1 "$tmp/asks"
	check "and its trace" works "$tview" check "$tmp/t.trc"
fi
done_testing
