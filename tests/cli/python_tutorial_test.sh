#!/bin/sh
# The tutorial of the module of Python: each number that it prints is in the exports, and those of a trace by hand are what
# traces/README.md says.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp" PYTHONPATH="$out/python/dist-packages" PYTHONDONTWRITEBYTECODE=1

# Numbers of a CSV in milliseconds, as the tutorial prints them.
csv() {
	view=$1
	shift
	"$tview" export "$view" "$trace" -f csv "$@" | sed 1d
}
# What the tutorial should say, from the exports alone; sentences of causes have commas, hence JSON.
expected() {
	csv definitions | awk -F, '$1 == "location" && !/metrics/ { n++ } END { printf "%d ranks ran for ", n }'
	"$tview" export events "$trace" -f csv --columns time_s |
		awk 'NR == 2 { a = $1 } END { printf "%.1f ms (damage: None)\n", ($1 - a) * 1e3 }'
	csv profile --sort exclusive_s --columns region,count,exclusive_s |
		awk -F, 'NR <= 4 { printf "  %s: %d visits, %.1f ms of its own\n", $1, $2, $3 * 1e3 }'
	csv patterns --by metric --columns metric,severity |
		awk -F, '{ s[$1] = $2 * 1e3 } END { printf "%.1f ms of %.1f ms in MPI wait for late senders\n", s["mpi_latesender"], s["mpi"] }'
	csv waits --columns rank,waited_s,partner_rank,line,region |
		awk -F, 'NR <= 3 { printf "  rank %d waits %.1f ms for rank %d at %s\n", $1, $2 * 1e3, $3, $4 != "" ? $4 : $5 }'
	csv waits --columns partner_rank,waited_s | awk -F, '{ s[$1] += $2 }
		END { for (r in s) if (s[r] > s[most]) most = r; printf "rank %d is waited for %.1f ms\n", most, s[most] * 1e3 }'
	"$tview" export causes "$trace" -f json --columns cost_s,sentence |
		jq -r '.rows[] | [.cost_s, .sentence] | @tsv' | awk -F'\t' '{ printf "  %.1f ms of waiting: %s\n", $1 * 1e3, $2 }'
	region=$("$tview" export causes "$trace" -f json --columns callpath | jq -r '.rows[0].callpath' | sed 's/.* > //')
	csv profile --by rank --filter "region == \"$region\"" --columns region,file,line,exclusive_s,rank |
		awk -F, '{ printf "  %s (%s:%d) takes %.1f ms on rank %d\n", $1, $2, $3, $4 * 1e3, $5 }'
	csv patterns --by metric --columns metric,severity |
		awk -F, '$1 == "mpi_latesender" { printf "by hand %.1f ms wait for late senders\n", $2 * 1e3 }'
}
says_it() {
	trace=$1
	/usr/bin/python3 examples/tutorial.py "$trace" >"$tmp/said" && expected >"$tmp/expected" && diff "$tmp/expected" "$tmp/said"
}
knows() {
	/usr/bin/python3 examples/tutorial.py traces/chain.trc >"$tmp/said" || return 1
	for fact in 'rank 7 waits 41.2 ms for rank 3' 'rank 3 waits 13.0 ms for rank 1' '28.0 ms of waiting: rank 3 .*compute() (sweep.c:60)' \
		'rank 1 .*read_mesh() (sweep.c:31), 12.6 ms' 'by hand 54.2 ms'; do
		grep -q "$fact" "$tmp/said" || { echo "no $fact"; return 1; }
	done
}
check "of a chain of causes by hand" says_it traces/chain.trc
check "what is known of it" knows
check "of a recorded run" says_it traces/otf2/sweep3d-4/traces.otf2
done_testing
