#!/bin/sh
# The simulator (traces/simulate) from its command line: pairs of traces in both formats, in which tview finds nothing odd but
# what was asked for, and the program that compares them.
. tests/cli/tap.sh
simulate=$out/simulate
accuracy=$out/tests/bench/programs/accuracy

# pair NAME OPTIONS...: NAME.trc and NAME-true.trc
pair() {
	file=$tmp/$1.trc
	shift
	"$simulate" "$@" -o "$file" >"$tmp/said" || cat "$tmp/said"
}
same() { cmp "$tmp/$1.trc" "$tmp/$2.trc"; }
differ() { ! cmp -s "$tmp/$1.trc" "$tmp/$2.trc"; }
clean() { "$tview" check "$1" >"$tmp/check" && grep -q '^No damage' "$tmp/check" || { cat "$tmp/check"; return 1; }; }
# A figure of the program that compares: within bounds.
figure() { # KEY FROM TO
	"$accuracy" "$tmp/$file_name.trc" "$tmp/$file_name-true.trc" >"$tmp/figures" || return 1
	awk -v key="$1" -v from="$2" -v to="$3" '
	$1 == key { found = 1; fine = $2 >= from && $2 <= to; print }
	END { exit !(found && fine) }' "$tmp/figures"
}
header() { grep -q "tview:$2" "$tmp/$1.trc"; }
refused() { "$simulate" "$@" -o "$tmp/x.trc" >/dev/null 2>&1; [ $? = 2 ]; }

pair a --program farm --ranks 5 --steps 10 --clock-drift 2e-5
pair b --program farm --ranks 5 --steps 10 --clock-drift 2e-5
check "the same seed gives the same trace" same a b
pair b --program farm --ranks 5 --steps 10 --clock-drift 2e-5 --seed 2
check "another seed gives another" differ a b
for program in ring stencil sweep collectives pi farm; do
	pair $program --program $program --ranks 6 --steps 5 --overhead 1e-7 --overhead-spread 0.5 --insitu 0.2 --flush 200:1e-4
	check "$program: nothing odd in the measured trace" clean "$tmp/$program.trc"
	check "$program: nothing odd in the true one" clean "$tmp/$program-true.trc"
done
check "costs stand in the header" header pi 'cost-pairs-ps=100000 100000'
check "and that probes were left out" header pi 'insitu=on'
"$simulate" --program sweep --ranks 6 --steps 5 -o "$tmp/sweep.otf2" >/dev/null
check "as an OTF2 archive" clean "$tmp/sweep.otf2"
check "the truth as an OTF2 archive" clean "$tmp/sweep-true.otf2"

# A clock that is ahead by d is wrong by d: what the comparison says must be what the simulator did.
file_name=plain
pair plain --program stencil --ranks 8 --steps 20
check "perfect clocks: measured times are true" figure measured.abs.rms 0 0.0011
file_name=offset
pair offset --program stencil --ranks 8 --steps 20 --clock-offset 1e-3
check "offsets of up to 1 ms: hundreds of microseconds off" figure measured.abs.rms 200 1000
check "and no visit is wrong" figure measured.ivl.max 0 0.0011
check "interpolation mends what round trips of some 12 us tell" figure linear.abs.rms 0 3

check "a program is known" refused --program none
check "a number is a number" refused --latency many
check "a pair has two numbers" refused --clock-sine 1e-4
check "a ring needs two ranks" refused --program ring --ranks 1
done_testing
