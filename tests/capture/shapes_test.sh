#!/bin/sh
# Default runs count every visit, whatever the shape of the program, for the compiler's hooks, the guards of tview.h and
# tvcc's probes: the trace against the program's own counters. RUNS=100 for a proof.
set -u
. tests/cli/tap.sh
out=build/release
runs=${RUNS-2}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

source=tests/capture/programs/shapes.c
flags="-O2 -g -Iinclude -Itraces/programs"
build() { # KIND
	case $1 in
	hooks) mpicc.mpich $flags -finstrument-functions -o "$tmp/hooks" $source ;;
	guard) mpicc.mpich $flags -DTVIEW_PROBES -o "$tmp/guard" $source ;;
	tvcc) TVIEW_CC=mpicc.mpich "$out/tvcc" --all $flags -o "$tmp/tvcc" $source ;;
	esac
}
# What the ranks did, and the counts of the trace: "NAME COUNT", sorted; steps are iterations, which have no region.
did() { cat "$tmp"/tally.* | awk '$1 == "did" && $2 != "steps" && $2 { n[$2] += $3 } END { for (i in n) if (n[i]) print i, n[i] }' | sort; }
counted() {
	"$out/tview" export profile --no-cache -f csv "$tmp/run.trc" |
		awk -F, '$1 ~ /^(leaf|phase|fall|round_of|part)$/ { print $1, $2 }' | sort
}
same() { # KIND SHAPE RANKS TURNS
	run=0
	while [ $((run += 1)) -le "$runs" ]; do
		rm -f "$tmp"/tally.*
		TALLY=$tmp/tally timeout 60 "$out/tvrun" -q --yield -o "$tmp/run.trc" mpiexec.mpich -n "$3" \
			"$tmp/$1" "$2" "$4" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
		did >"$tmp/did"
		counted >"$tmp/counted"
		"$out/tview" check "$tmp/run.trc" | grep oddity && return 1
		[ -s "$tmp/did" ] && cmp "$tmp/did" "$tmp/counted" || { cat "$tmp/did" "$tmp/counted"; return 1; }
	done
}

if ! command -v mpiexec.mpich >/dev/null; then
	skip "counts" "there is no mpiexec.mpich here: install the package mpich"
	done_testing
fi
for kind in hooks guard tvcc; do
	check "$kind: it compiles" build $kind
	check "$kind: two long phases" same $kind phases 2 0
	check "$kind: three segments on 8 ranks" same $kind three 8 0
	check "$kind: 100,000 calls of a leaf" same $kind leaf 1 200
	check "$kind: recursion" same $kind recursion 2 300
	check "$kind: loops" same $kind loops 2 300
	check "$kind: regions of its own" same $kind regions 2 300
	check "$kind: many short segments and a long one" same $kind burst 2 200
done
done_testing
