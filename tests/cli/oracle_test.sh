#!/bin/sh
# Exports of the traces in traces/ hold the numbers that an independent reader finds (picl_oracle.py).
. tests/cli/tap.sh
tview=${TVIEW:-$tview}

# The columns that are promised, in any order of rows; unrooted collectives without a number of their own are tview's
# and not the oracle's.
agrees() {
	/usr/bin/python3 tests/cli/picl_oracle.py "$1" "$2" >"$tmp/all" || return 1
	"$tview" export "$1" "$2" --base measured --format csv >"$tmp/export" || return 1
	columns=$(head -n 1 "$tmp/all" | tr , '\n' | wc -l)
	cut -d, -f"1-$columns" "$tmp/export" |
		grep -vE '^[^,]*,MPI_(Alltoallw|Exscan|Reduce_scatter_block|Comm_[a-z]*|Cart_[a-z]*),' | sort >"$tmp/got"
	sort "$tmp/all" >"$tmp/wanted"
	diff "$tmp/wanted" "$tmp/got"
}

if [ ! -x /usr/bin/python3 ]; then
	skip "exports against a second reader" "there is no python3"
	done_testing
fi
for trace in traces/*.trc; do
	# The oracle knows what the capture library writes: not one rank among eight with a host, not every
	# event type of MPICL, nothing that the format does not have.
	case $trace in *table20* | */mpicl.trc | */tolerated.trc) continue ;; esac
	for view in messages profile collectives; do
		check "$view of $trace" agrees "$view" "$trace"
	done
done
[ "$tap_n" -gt 0 ] || skip "exports against a second reader" "there are no traces"
done_testing
