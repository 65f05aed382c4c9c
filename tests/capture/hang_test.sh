#!/bin/sh
# Programs that hang and are killed: the roll-call of their traces says who waits for whom.
. tests/cli/tap.sh

# hang HOW [NAME [OPTIONS]]: every rank says "ready" where it is about to hang; a moment later the run is interrupted,
# and the trace is written all the same.
hang() {
	how=$1
	[ $# -lt 2 ] || shift
	name=$1
	shift
	timeout 60 "$out/tvrun" --yield --no-insitu "$@" -o "$tmp/$name.trc" mpiexec.mpich -n 4 \
		"$out/tests/capture/programs/hang" "$how" </dev/null >"$tmp/log" 2>&1 &
	run=$!
	tries=0
	until [ "$(grep -c ready "$tmp/log")" -ge 4 ] || [ $tries -ge 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	# Until nothing has changed from one look to the next.
	look=$tmp/$name.live.csv
	: >"$tmp/before"
	until [ -s "$look" ] && cmp -s "$tmp/now" "$tmp/before" || [ $tries -ge 300 ]; do
		tries=$((tries + 1))
		mv "$tmp/now" "$tmp/before" 2>/dev/null
		sleep 0.3
		"$out/tview" export rollcall "live:$(echo "$tmp/$name".trc.ranks-*)" -f csv >"$look"
		cut -d, -f1-5 "$look" >"$tmp/now"
	done
	kill -INT $run
	wait $run
	[ -s "$tmp/$name.trc" ] || { cat "$tmp/log"; return 1; }
	"$out/tview" export rollcall "$tmp/$name.trc" -f csv >"$tmp/$name.csv" &&
		"$out/tview" check "$tmp/$name.trc" >"$tmp/$name.check"
}
# cells COLUMN: by rank, in a line. RUN.live: as it was seen before it was interrupted
cells() {
	/usr/bin/python3 -c 'import csv, sys
rows = sorted(csv.DictReader(open(sys.argv[1])), key=lambda r: int(r["rank"]))
print(*[r[sys.argv[2]] or "-" for r in rows])' "$tmp/$1.csv" "$2"
}

check "a ring of synchronous sends hangs" hang ring
check "each waits for the next" is "$(cells ring peer)" "1 2 3 0"
check "all are in the cycle" is "$(cells ring cycle)" "1 2 3 4"
check "which check calls a deadlock" grep -q "Deadlock: rank 0 waits for 1, 1 for 2, 2 for 3, 3 for 0." "$tmp/ring.check"
check "a ring of receives hangs" hang receive
check "each waits for the next, which it receives from" is "$(cells receive peer)" "1 2 3 0"
check "for the message of that call" is "$(cells receive tag)" "8 8 8 8"
check "all are in the cycle" is "$(cells receive cycle)" "1 2 3 4"
check "which check calls a deadlock" grep -q "Deadlock: rank 0 waits for 1, 1 for 2, 2 for 3, 3 for 0." "$tmp/receive.check"
check "exchanges with a rank that is busy hang" hang exchange
check "each waits for what it receives" is "$(cells exchange peer)" "3 - 1 2"
check "nobody in a circle" is "$(cells exchange cycle)" "- - - -"
check "but all in the end for the busy one" is "$(cells exchange waiters)" "- 1 - -"
check "probes hang" hang probe
check "two of them for each other" is "$(cells probe cycle)" "1 2 - -"
check "two for nobody in particular" is "$(cells probe peer)" "1 0 - -"
check "MPI_Init hangs" hang init
check "for the one that is not in it" is "$(cells init waiters)" "- - 3 -"
check "in its function" grep -q "3 ranks wait for rank 2, which is in compute()" "$tmp/init.check"
check "a rank is missing in a barrier" hang barrier
check "and is the only one" is "$(cells barrier state)" "collective computing collective collective"
check "the others wait for it" is "$(cells barrier waiters)" "- 3 - -"
check "in its function" grep -q "3 ranks wait for rank 1, which is in compute()" "$tmp/barrier.check"
check "two wait for messages of each other" hang request
check "as their requests say" is "$(cells request peer)" "1 0 3 2"
check "a deadlock of two" grep -q "Deadlock: rank 0 waits for 1, 1 for 0." "$tmp/request.check"
for how in calls roots orders; do
	check "collectives that do not fit together hang: $how" hang $how
	check "two of them for each other: $how" grep -q "Deadlock: rank 0 waits for [23], [23] for 0." "$tmp/$how.check"
done
check "which call is which" grep -q \
	"collective call 1 of one: MPI_Bcast on ranks 0-2, but MPI_Reduce on rank 3" "$tmp/calls.check"
check "from which root" grep -q "call 1 of one: MPI_Bcast with root 3 on ranks 0-2, but with root 0 on rank 3" \
	"$tmp/roots.check"
check "orders of communicators differ" grep -q "They call collectives of different communicators in different orders" \
	"$tmp/orders.check"
timeout 60 "$out/tvrun" --yield --no-insitu -o "$tmp/counts.trc" mpiexec.mpich -n 4 \
	"$out/tests/capture/programs/hang" counts </dev/null >"$tmp/log" 2>&1
check "a program that MPI ends for sizes that do not fit" grep -q "MPI_Bcast with 1.0 MiB on ranks 0-2, but with 8 B on rank 3" \
	"$("$out/tview" check "$tmp/counts.trc" >"$tmp/counts.check"; echo "$tmp/counts.check")"
for seen in "ring cycle 1 2 3 4" "receive cycle 1 2 3 4" "exchange waiters - 1 - -" "probe cycle 1 2 - -" \
	"init waiters - - 3 -" "barrier waiters - 3 - -" "request peer 1 0 3 2"; do
	run=${seen%% *}
	seen=${seen#* }
	check "the same of $run while it hangs" is "$(cells "$run.live" "${seen%% *}")" "${seen#* }"
done
# Without events: what the statistics alone say of the same hangs, while they hang and afterwards.
for seen in "ring cycle 1 2 3 4" "receive cycle 1 2 3 4" "receive tag 8 8 8 8" "probe cycle 1 2 - -" "init waiters - - 3 -" \
	"barrier waiters - 3 - -" "request peer 1 0 3 2" "orders cycle 1 - 2 -" "roots cycle 1 - - 2"; do
	what=${seen%% *}
	seen=${seen#* }
	[ -s "$tmp/$what.alone.csv" ] || hang "$what" "$what.alone" --statistics
	check "statistics alone of $what, ${seen%% *}" is "$(cells "$what.alone" "${seen%% *}")" "${seen#* }"
	check "and while it hangs: $what, ${seen%% *}" is "$(cells "$what.alone.live" "${seen%% *}")" "${seen#* }"
done
# moving HOW: interrupts a job whose ranks wait for each other all the time and go on again.
moving() {
	timeout 60 "$out/tvrun" --yield --no-insitu --statistics -o "$tmp/moving.trc" mpiexec.mpich -n 4 \
		"$out/tests/capture/programs/hang" "$1" </dev/null >"$tmp/log" 2>&1 &
	run=$!
	for _ in $(seq 300); do [ "$(grep -c ready "$tmp/log")" -ge 4 ] && break; sleep 0.1; done
	sleep 0.2
	kill -INT $run
	wait $run
	"$out/tview" check "$tmp/moving.trc" >"$tmp/moving.check" && ! grep Deadlock "$tmp/moving.check"
}
for how in token swap; do
	for nth in 1 2 3; do
		check "statistics alone: $how is not a deadlock where it is interrupted: $nth" moving $how
	done
done
check "who is waited for stands in the report" \
	grep -q "3 ranks wait for rank 1, which is in compute()" "$("$out/tview" report "$tmp/barrier.alone.trc" >"$tmp/page"; echo "$tmp/page")"
check "of which root" grep -q "call 1 of one: MPI_Bcast with root 3 on ranks 0-2, but with root 0 on rank 3" "$tmp/roots.alone.check"
done_testing
