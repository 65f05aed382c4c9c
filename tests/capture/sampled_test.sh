#!/bin/sh
# tvrun --sample: a program that spends known CPU time in known functions, and prints it (tests/capture/mpi/sampled.c).
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# record SECONDS KIND OPTIONS...: the trace, and what the program printed
record() {
	seconds=$1 kind=$2
	shift 2
	timeout 120 "$out/tvrun" -q --yield --sample 1ms -o "$tmp/s.trc" "$@" "mpiexec.$mpi" $oversubscribe -n 2 "$tmp/$program" \
		"$seconds" "$kind" >"$tmp/said" 2>"$tmp/log" || { cat "$tmp/said" "$tmp/log"; return 1; }
	"$tview" export samples --no-cache "$tmp/s.trc" -f csv >"$tmp/samples"
}
said() { awk -v what="$1" -v name="${2-}" '$1 == what && (!name || $2 == name) { n += $NF } END { print n + 0 }' "$tmp/said"; }
# Each function's time is the program's within four standard deviations, all of it within 5 %.
is_close() {
	for name in heavy middle light; do
		said cpu $name
	done | awk -F, 'FNR == NR { cpu[FNR] = $1; all += $1; next }
		$1 == "heavy" || $1 == "middle" || $1 == "light" { time[$1] += $3; error[$1] += $4; sum += $3 }
		END { split("heavy middle light", name, " ")
			for (i = 1; i <= 3; i++) {
				off = time[name[i]] - cpu[i]
				if (off < 0) off = -off
				printf "%s: %.3f s, sampled %.3f s +/- %.3f s\n", name[i], cpu[i], time[name[i]], error[name[i]]
				bad += !(error[name[i]] > 0 && off <= 4 * error[name[i]])
			}
			printf "all: %.3f s, sampled %.3f s\n", all, sum
			exit bad || sum < 0.95 * all || sum > 1.05 * all }' - "$tmp/samples"
}
# The shares of all regions, sampled ones included, and of the rest are the whole run.
adds_up() {
	{
		"$tview" export profile --no-cache "$tmp/s.trc" -f csv
		grep '^(no sample)' "$tmp/samples" | awk -F, '{ print $1 ",,,,,,," $5 }'
	} >"$tmp/shares"
	awk -F, 'NR > 1 { sum += $8 } END { print sum; exit sum < 0.99 || sum > 1.000001 }' "$tmp/shares" || { cat "$tmp/shares" "$tmp/samples"; return 1; }
}
same() { # FILE
	"$tview" export samples --no-cache "$1" -f csv | cmp - "$tmp/samples"
}
round_trip() {
	"$tview" convert "$tmp/s.trc" "$tmp/s.otf2" && "$tview" convert "$tmp/s.otf2" "$tmp/back.trc" &&
		same "$tmp/s.otf2" && same "$tmp/back.trc" && cmp "$tmp/s.trc" "$tmp/back.trc"
}
refuses() { # PATTERN OPTIONS...
	pattern=$1
	shift
	"$out/tvrun" "$@" true 2>&1 | grep -q -- "$pattern"
}

check "a period that is too short is refused" refuses 'must be a time from 100us to 1s' --sample 1us
check "statistics have no samples" refuses '--statistics keeps none' --sample 1ms --statistics
for mpi in mpich openmpi; do
	program=plain
	mpi_is_there || continue
	mpicc.$mpi -O2 -g -o "$tmp/plain" tests/capture/mpi/sampled.c
	check "$mpi: it is recorded" record 1.5 plain
	check "$mpi: the functions have the time that the program spends in them" is_close
	check "$mpi: no system call is interrupted" is "$(said interrupted)" 0
	check "$mpi: nothing is counted twice or lost" adds_up
	check "$mpi: nothing is damaged" is "$("$tview" check "$tmp/s.trc" | grep -c 'damage \|oddity \|guess ')" 0
	[ $mpi = mpich ] && check "PICL and OTF2 have the same samples" round_trip
	check "$mpi: a second thread is recorded" record 0.7 thread
	check "$mpi: both threads have their time" is_close
	check "$mpi: samples of the other one are inside of its function" test \
		"$(awk -F, '$1 == "heavy" && $6 == "second" { print $2 }' "$tmp/samples")" -gt 500
	check "$mpi: signals are blocked" record 0.7 blocked
	check "$mpi: samples come all the same" is_close
	check "$mpi: a timer of the program's own" record 0.7 profiled
	check "$mpi: it goes on ticking" test "$(said ticks)" -gt 50
	check "$mpi: and samples come" is_close
	check "$mpi: a child of fork ends well" record 0.7 forked
	check "$mpi: and has no samples" is_close
done
mpi=mpich oversubscribe='' program=plain
if command -v mpicc.mpich >/dev/null; then
	# Without perf, where processors are shared, the shares are right, but there may be too few.
	export TVIEW_SAMPLE_CLOCK=timer
	check "timer: it is recorded" record 1 plain
	check "timer: the longest is found first" is "$(grep -v '^(no' "$tmp/samples" | sed -n '2s/,.*//p')" heavy
	check "timer: the trace says so" is "$("$tview" export definitions --no-cache "$tmp/s.trc" | grep -c 'sample-clock.*timer')" 1
	unset TVIEW_SAMPLE_CLOCK
	# What a function that is recorded already contains is not a part of its own.
	mpicc.mpich -O2 -g -finstrument-functions -o "$tmp/hooks" tests/capture/mpi/sampled.c
	program=hooks
	check "hooks: it is recorded" record 0.5 plain
	check "hooks: the samples are inside of the functions" test \
		"$(awk -F, '$1 == "heavy" && $6 == "heavy" { print $2 }' "$tmp/samples")" -gt 300
	check "hooks: the profile does not count them again" is \
		"$("$tview" export profile --no-cache "$tmp/s.trc" -f csv | grep -c '^heavy')" 1
	mpicc.mpich -O2 -s -o "$tmp/stripped" tests/capture/mpi/sampled.c
	program=stripped
	check "without symbols: it is recorded" record 0.5 plain
	check "without symbols: the module has the time" test \
		"$(awk -F, '$1 == "code of stripped" { print $2 }' "$tmp/samples")" -gt 700
	check "without symbols: the trace says so" sh -c "'$tview' report --no-cache '$tmp/s.trc' | grep -q 'without symbols'"
fi
done_testing
