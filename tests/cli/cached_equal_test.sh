#!/bin/sh
# Exports and reports from a cache file are byte for byte those that are computed of the events.
. tests/cli/tap.sh

tview=${TVIEW:-build/release/tview}

# same TRACE VERB ...: with a cache file and without.
same() {
	trace=$1
	shift
	"$tview" "$@" "$trace" >"$tmp/cached" 2>&1
	"$tview" "$@" --no-cache "$trace" >"$tmp/computed" 2>&1
	cmp "$tmp/cached" "$tmp/computed" || { echo "$*"; return 1; }
}

# cached TRACE: a copy with its cache file.
cached() {
	cp "$1" "$tmp/run.trc"
	rm -f "$tmp/.run.trc.tvcache"
	TVIEW_CACHE_MIN=0 "$tview" export definitions "$tmp/run.trc" >"$tmp/out" || return 1
	tries=150
	until [ -e "$tmp/.run.trc.tvcache" ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.2
	done
}

all() {
	cached "$1" || { echo "no cache file of $1"; return 1; }
	for view in patterns topology graph lines iterations timeline utilisation statistics explain causes matrix histograms queues; do
		same "$tmp/run.trc" export "$view" || return 1
	done
	# Kept by the first, if the run has such times.
	same "$tmp/run.trc" export explain --base compensated && same "$tmp/run.trc" export explain --base compensated || return 1
	same "$tmp/run.trc" export patterns --time 0.001: && same "$tmp/run.trc" export graph --ranks 0 &&
		same "$tmp/run.trc" report && same "$tmp/run.trc" report -f json
}

for trace in traces/*.trc; do
	check "$trace" all "$trace"
done
done_testing
