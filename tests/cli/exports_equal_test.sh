#!/bin/sh
# Every export of every trace is byte for byte the same from the release build and from the one with
# sanitizers: nothing depends on uninitialised memory, addresses or the optimiser. All forms of one trace; of the others
# JSON, which has all cells, or the picture.
. tests/cli/tap.sh

same() {
	trace=$1
	shift
	for build in release asan; do
		"build/$build/tview" export "$@" "$trace" >"$tmp/$build" 2>"$tmp/$build.err"
		echo "status $?" >>"$tmp/$build"
	done
	cat "$tmp/asan.err"
	! grep -q 'Sanitizer\|runtime error' "$tmp/asan.err" && ! grep -q 'status 2' "$tmp/release" &&
		cmp "$tmp/release" "$tmp/asan"
}

# all_views TRACE FORMATS
all_views() {
	for view in overview timeline events profile messages collectives callpaths graph matrix histograms calls utilisation concurrency utilisation-ranks queues queues-over-time findings definitions \
		corrections corrections-classes corrections-pairs corrections-clocks corrections-moves \
		corrections-overhead corrections-regions; do
		for format in $2; do
			case $view,$format in
			timeline,text) ;;
			timeline,*) continue ;; # a picture
			corrections,* | corrections*,json) ;;
			corrections-*) continue ;;
			esac
			same "$1" "$view" --format "$format" || { echo "$view as $format"; return 1; }
		done
	done
}

check "all forms" all_views traces/sweep.trc 'text csv json md'
for trace in traces/*.trc; do
	check "$trace" all_views "$trace" json && check "$trace: the picture" same "$trace" timeline
done
done_testing
