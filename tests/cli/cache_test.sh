#!/bin/sh
# Cache files from the command line: every export is the same without one, while it is written and from it; what the
# verb lists and removes; a disk that is full.
. tests/cli/tap.sh
trap 'umount "$tmp/small" 2>/dev/null; rm -rf "$tmp"' EXIT
export TVIEW_CACHE_MIN=0 XDG_CACHE_HOME="$tmp/xdg"

exported() { # VIEW TRACE NAME [OPTION]
	"$tview" export "$1" "$2" ${4+"$4"} >"$tmp/$3" 2>"$tmp/$3.err"
	echo "status $?" >>"$tmp/$3"
	cat "$tmp/$3.err" >>"$tmp/$3"
}

# same TRACE CACHE: by the export that writes the file, and by each from it; of one trace, by each that writes it
same() {
	trace=$1 cache=$2
	for view in overview timeline events profile messages collectives callpaths graph matrix histograms utilisation concurrency utilisation-ranks queues queues-over-time findings definitions; do
		case $trace in */sweep.trc) rm -f "$cache" ;; esac
		[ -e "$cache" ] && had=1 || had=
		exported "$view" "$trace" plain --no-cache
		if [ ! "$had" ]; then
			[ ! -e "$cache" ] || { echo "--no-cache wrote one"; return 1; }
			exported "$view" "$trace" first
			appears "$cache" && cmp "$tmp/plain" "$tmp/first" || return 1
		fi
		exported "$view" "$trace" second
		cmp "$tmp/plain" "$tmp/second" || return 1
	done
	rm "$cache"
}

for trace in traces/*.trc; do
	cp "$trace" "$tmp"
	name=$(basename "$trace")
	check "$name: the same with and without a cache file" same "$tmp/$name" "$tmp/.$name.tvcache"
done

for archive in traces/otf2/*/; do
	name=$(basename "$archive")
	anchor=$(basename "$archive"*.otf2)
	cp -r "$archive" "$tmp/$name"
	check "$name: the same with and without a cache file" same "$tmp/$name" "$tmp/$name/.$anchor.tvcache"
done

# What was corrected comes from the file, too; other options are computed anew, and leave the rest as it was.
corrected() { # OPTIONS... is what to compare with what is computed without a file
	for view in corrections corrections-classes corrections-pairs corrections-clocks corrections-moves corrections-overhead \
		corrections-regions; do
		"$tview" export $view "$trace" -f csv --no-cache "$@" >"$tmp/plain" || return 1
		"$tview" export $view "$trace" -f csv "$@" >"$tmp/second" || return 1
		cmp "$tmp/plain" "$tmp/second" || return 1
	done
	"$tview" export events "$trace" -f csv --no-cache "$@" >"$tmp/plain" || return 1
	"$tview" export events "$trace" -f csv "$@" | cmp - "$tmp/plain"
}
corrected_again() {
	trace=$1
	rm -f "$2"
	"$tview" export overview "$trace" >/dev/null && appears "$2" && corrected &&
		corrected --presync offsets --gamma 0.5 && corrected --presync offsets --base measured && corrected
}
two_gammas() { # they do differ, so that one can be taken for the other
	"$tview" export corrections "$1" -f csv --presync offsets >"$tmp/one"
	"$tview" export corrections "$1" -f csv --presync offsets --gamma 0.5 >"$tmp/two"
	grep -qx 'clc_gamma,0.99999' "$tmp/one" && grep -qx 'clc_gamma,0.5' "$tmp/two"
}
check "corrections: sweep.trc" corrected_again "$tmp/sweep.trc" "$tmp/.sweep.trc.tvcache"
check "corrections: sweep3d-4" corrected_again "$tmp/sweep3d-4" "$tmp/sweep3d-4/.traces.otf2.tvcache"
check "another control variable" two_gammas "$tmp/sweep3d-4"

two_at_once() {
	rm -f "$tmp"/.*.tvcache
	"$tview" export events "$1" >"$tmp/one" & one=$!
	"$tview" export events "$1" >"$tmp/two" & two=$!
	wait "$one" && wait "$two" && cmp "$tmp/one" "$tmp/two" && appears "$2" && sleep .2 &&
		[ "$(find "$tmp" -maxdepth 1 -name '*tvcache*' | wc -l)" = 1 ]
}
run=$tmp/picl-1992-table20.trc
check "two at once" two_at_once "$run" "$tmp/.picl-1992-table20.trc.tvcache"

lists() { "$tview" cache --list | grep -q "picl-1992-table20.trc" && "$tview" cache "$run" | grep -q '^1 cache file,'; }
clears() {
	"$tview" cache --clear "$run" | grep -q '^removed 1 cache file,' || return 1
	[ ! -e "$tmp/.picl-1992-table20.trc.tvcache" ] || return 1
	"$tview" cache "$run" >"$tmp/said" 2>&1
	[ $? = 1 ] && grep -q 'has no cache file' "$tmp/said"
}
check "it is listed" lists
check "it is removed" clears
unknown() { "$tview" cache "$tmp/none.trc" >/dev/null 2>&1; [ $? = 3 ]; }
both() { "$tview" cache --list --clear >/dev/null 2>&1; [ $? = 2 ]; }
check "a trace that is not there" unknown
check "both options" both

damaged() {
	exported events "$run" plain
	appears "$tmp/.picl-1992-table20.trc.tvcache" || return 1
	printf x | dd of="$tmp/.picl-1992-table20.trc.tvcache" bs=1 seek=9000 conv=notrunc 2>/dev/null
	"$tview" export events "$run" >"$tmp/events" 2>"$tmp/said" || return 1
	echo "status 0" >>"$tmp/events"
	cmp "$tmp/plain" "$tmp/events" && grep -q 'damaged and discarded' "$tmp/said"
}
check "a damaged one is told and not believed" damaged

full_disk() {
	cp "$run" "$tmp/small/run.trc" || return 1
	"$tview" export events "$tmp/small/run.trc" >"$tmp/events" || return 1
	sleep .5
	"$tview" export events "$tmp/small/run.trc" --no-cache | cmp - "$tmp/events" || return 1
	[ "$(ls -A "$tmp/small")" = run.trc ]
}
mkdir "$tmp/small"
if mount -t tmpfs -o size=16k tmpfs "$tmp/small" 2>/dev/null; then
	check "a full disk" full_disk
else
	skip "a full disk" "no small file system can be mounted here"
fi
done_testing
