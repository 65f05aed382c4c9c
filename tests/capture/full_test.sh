#!/bin/sh
# Room for records gets scarce: functions stop first, calls of MPI go on while they can, and the end always has
# room. Nothing of it looks like a crash. Disks that get full are small ones in memory, which only root can make.
. tests/cli/tap.sh
program=$out/tests/capture/programs/full
command -v mpiexec.mpich >/dev/null && [ -x "$program" ] || { skip "tvrun" "there is no mpiexec.mpich"; done_testing; }

run() { # NAME OPTIONS -- ARGUMENTS: its status
	name=$1
	shift
	timeout 120 "$out/tvrun" --yield --no-insitu -o "$tmp/$name.trc" "$@" >"$tmp/$name.log" 2>&1 </dev/null
}
events() { "$tview" export profile "$tmp/$1.trc" -f csv | awk -F, -v r="$2" '$1 == r { n = $2 } END { print n + 0 }'; }
counted() { "$tview" export graph "$tmp/$1.trc" -f csv | awk -F, -v r="$2" '$3 == r && !n { n = $6 } END { print n + 0 }'; }
says() { "$tview" check "$tmp/$1.trc" | tr -s ' \n' ' ' | grep -q "$2" || { "$tview" check "$tmp/$1.trc"; return 1; }; }
report() { "$tview" report "$tmp/$1.trc" | tr -s ' \n' ' ' | grep -q "$2" || { "$tview" report "$tmp/$1.trc"; return 1; }; }
silent() { ! "$tview" check "$tmp/$1.trc" | grep "$2"; }
warns() { grep -q "$2" "$tmp/$1.log" || { cat "$tmp/$1.log"; return 1; }; }
between() { [ "$1" -gt "$2" ] && [ "$1" -lt "$3" ] || { echo "$1 is not between $2 and $3"; return 1; }; }

# no_crash NAME: both ranks come to their end
no_crash() {
	check "$1: MPI_Finalize is there" is "$(events "$1" MPI_Finalize)" 2
	check "$1: the clocks were compared at both ends" is "$(events "$1" tview_offsets)" 4
	check "$1: no rank ended early" silent "$1" 'without MPI_Finalize\|cut-off\|unclosed'
	check "$1: nothing of it is in the roll-call" is "$("$tview" export rollcall "$tmp/$1.trc" -f csv | wc -l)" 1
}

# 2 ranks x 2,000 rounds of 400 visits are 12.2 MiB a rank, and 2,000 calls.
scarce() { # NAME OPTIONS
	check "$1: the program's status" run "$@" mpiexec.mpich -n 2 "$program" 2000 400
	check "$1: all calls" is "$(events "$1" MPI_Sendrecv)" 4000
	check "$1: all messages" is "$("$tview" export messages "$tmp/$1.trc" -f csv | awk -F, 'NR > 1 && $5 == 7' | wc -l)" 4000
	check "$1: some visits" between "$(events "$1" step)" 100000 1500000
	check "$1: all visits are counted" is "$(counted "$1" step)" 1600000
	check "$1: since when" says "$1" 'rank 0: functions not recorded since [0-9.]* s: buffer nearly full; rank 1: functions not recorded since [0-9.]* s'
	check "$1: what is missing" says "$1" 'Functions were not recorded in the last .* of rank time on 2 ranks (buffer nearly full); calls of MPI were'
	check "$1: recording did not stop" silent "$1" 'recording stopped'
	check "$1: tvrun says so" warns "$1" 'warning: buffer nearly full on 2 ranks: functions were not recorded after that'
	no_crash "$1"
}
scarce size --max-size 4M
scarce small --buffer-size 2M --max-size 4M

# 60,000 calls with 4 visits each: functions stop at 1.5 MiB, all else at 2 MiB. What a record takes depends on the times
# in it.
check "both: the program's status" run both --buffer-size 2M --max-size 2M mpiexec.mpich -n 2 "$program" 60000 4
check "both: functions stop first" says both 'rank 0: functions not recorded since [0-9.]* s: buffer nearly full; rank 0: recording stopped at [0-9.]* s: buffer full'
check "both: calls went on" between "$(events both MPI_Sendrecv)" 50000 119000
check "both: more calls than visits in the end" between "$(events both step)" 100000 200000
check "both: all calls are counted" is "$(counted both MPI_Sendrecv)" 120000
check "both: all visits are counted" is "$(counted both step)" 480000
check "both: and the report that messages are missing" report both 'Recording stopped early on 2 ranks (buffer full); .* of rank time is missing'
check "both: tvrun says so" warns both 'warning: buffer full on 2 ranks: recording stopped there'
no_crash both
run killed --buffer-size 2M --max-size 2M mpiexec.mpich -n 2 "$program" 60000 4 killed
check "killed: how long it went on is not said, for it is not known" report killed \
	'Recording stopped early on 2 ranks (buffer full, killed later)\.'

# ---- small disks ----
disk=$tmp/disk
mkdir "$disk"
if ! mount -t tmpfs -o size=8m none "$disk" 2>/dev/null; then
	skip "a disk that gets full" "a small file system cannot be mounted here (it takes root)"
	done_testing
fi
trap 'umount "$disk"; chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
scarce disk --buffer-dir "$disk"
rm -rf "${disk:?}"/*

# Another program takes all that is left, while this one runs: 400,000 calls are 12.2 MiB a rank. Spare memory holds a
# few thousand calls more.
(sleep 0.3; dd if=/dev/zero of="$disk/fill" bs=64k 2>/dev/null) &
check "taken: the program's status" run taken --buffer-dir "$disk" mpiexec.mpich -n 2 "$program" 400000 1
wait
check "taken: both stopped" says taken 'rank 0: functions not recorded since [0-9.]* s: buffer nearly full; rank 0: recording stopped at [0-9.]* s: buffer full'
check "taken: all calls are counted" is "$(counted taken MPI_Sendrecv)" 800000
no_crash taken
rm -rf "${disk:?}"/*

# It is full before: posix_fallocate fails, and the program runs all the same.
dd if=/dev/zero of="$disk/fill" bs=64k 2>/dev/null
check "full: the program's status" run full --buffer-dir "$disk" mpiexec.mpich -n 2 "$program" 100 10
check "full: the ranks say so" warns full 'tview: cannot make a buffer .* this process is not recorded'
check "full: tvrun says so" warns full 'no trace written: no rank recorded anything'
# Room for the header and for one chunk, not for what a rank needs at least.
rm -rf "${disk:?}"/*
dd if=/dev/zero of="$disk/fill" bs=64k count=$((128 - 2 * (1 + 5))) 2>/dev/null
check "little: the program's status" run little --buffer-dir "$disk" mpiexec.mpich -n 2 "$program" 100 10
check "little: the ranks say so" warns little 'tview: no room for the buffer .* this process is not recorded'
done_testing
