#!/bin/sh
# Every export of every trace is byte for byte the same from the release build and from the one with
# sanitizers: nothing depends on uninitialised memory, addresses or the optimiser. All forms of one trace; of the others
# JSON, which has all cells, or the picture.
. tests/cli/tap.sh

# same TRACE ARGUMENTS...: what both builds print
same() {
	for build in release asan; do
		"build/$build/tview" --no-cache "$@" >"$tmp/$build" 2>"$tmp/$build.err" </dev/null
		echo "status $?" >>"$tmp/$build"
	done
	cat "$tmp/asan.err"
	! grep -q 'Sanitizer\|runtime error' "$tmp/asan.err" && grep -q 'status 0' "$tmp/release" &&
		cmp "$tmp/release" "$tmp/asan"
}

# all_views TRACE FORMAT: one process prints them all
all_views() {
	trace=$1 format=$2
	set --
	for view in overview events profile messages collectives callpaths graph matrix histograms calls utilisation concurrency utilisation-ranks queues queues-over-time findings definitions \
		corrections corrections-classes corrections-pairs corrections-clocks corrections-moves \
		corrections-overhead corrections-regions; do
		case $view,$format in
		corrections,* | corrections*,json) ;;
		corrections-*) continue ;;
		esac
		set -- "$@" -c "print $view $format"
	done
	same "$trace" -c 'print timeline text' "$@"
}

for format in text csv json md; do
	check "all as $format" all_views traces/sweep.trc "$format"
done
for trace in traces/*.trc; do
	check "$trace" all_views "$trace" json
done
done_testing
