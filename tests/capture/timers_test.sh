#!/bin/sh
# A signal handler with probes, at 100 Hz to 10 kHz: the program ends, and what its own counters say is what was recorded
# and what the trace says was dropped; nothing of what the handler interrupts is missing.
set -u
. tests/cli/tap.sh
out=build/release
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

source=tests/capture/programs/timer.c
flags="-O2 -g -Iinclude -Itraces/programs"
build() { # KIND
	case $1 in
	hooks) mpicc.mpich $flags -finstrument-functions -o "$tmp/hooks" $source ;;
	guard) mpicc.mpich $flags -DTVIEW_PROBES -o "$tmp/guard" $source ;;
	tvcc) TVIEW_CC=mpicc.mpich "$out/tvcc" --all $flags -o "$tmp/tvcc" $source ;;
	esac
}
# "NAME COUNT" of the program's counters, and of the trace
did() { cat "$tmp"/tally.* | awk '$1 == "did" { n[$2] += $3 } END { for (i in n) print i, n[i] }' | sort; }
counted() { # NAME COUNT: columns
	"$out/tview" export "$view" --no-cache -f csv "$tmp/run.trc" |
		awk -F, -v name="$1" -v count="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$at[name] ~ /^(leaf|phase|tick|count_tick)$/ && (!at["kind"] || $at["kind"] == "procedure") {
				n[$at[name]] += $at[count] } END { for (i in n) print i, n[i] }' | sort
}
dropped() {
	"$out/tview" report --no-cache -f json "$tmp/run.trc" | /usr/bin/python3 -c '
import json, sys
print(sum(r["count"] for r in json.load(sys.stdin)["trust"].get("rows", []) if r["what"] == "signal handlers"))'
}
total() { awk '{ n += $2 } END { print n + 0 }' "$1"; }
count() { awk -v f="$2" '$1 == f { print $2 }' "$1"; }
record() { # KIND HZ
	rm -f "$tmp"/tally.* "$tmp/run.trc"
	TALLY=$tmp/tally timeout 30 "$out/tvrun" -q --yield --limit 0 $options -o "$tmp/run.trc" mpiexec.mpich -n 2 \
		"$tmp/$1" "$2" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	did >"$tmp/did"
	counted $columns >"$tmp/counted"
	dropped >"$tmp/dropped"
}
adds_up() {
	record "$@" || return 1
	[ -s "$tmp/did" ] && [ "$(total "$tmp/did")" = $(($(total "$tmp/counted") + $(cat "$tmp/dropped"))) ] &&
		[ "$(count "$tmp/did" leaf)" = "$(count "$tmp/counted" leaf)" ] &&
		[ "$(count "$tmp/did" phase)" = "$(count "$tmp/counted" phase)" ] &&
		[ "$(count "$tmp/counted" tick)" = "$(count "$tmp/counted" count_tick)" ] ||
		{ cat "$tmp/did" "$tmp/counted" "$tmp/dropped"; return 1; }
}

command -v mpiexec.mpich >/dev/null || { skip "timers" "there is no mpiexec.mpich"; done_testing; }
for kind in hooks guard tvcc; do
	check "$kind: it compiles" build $kind
	rates="1000 10000"
	[ $kind = hooks ] && rates="100 $rates"
	for options in "" --no-insitu --statistics; do
		view=profile columns="region count"
		[ "$options" = --statistics ] && view=graph columns="name count"
		for hz in $rates; do
			check "$kind ${options:-default}, $hz Hz" adds_up $kind $hz
		done
		check "$kind ${options:-default}: some were dropped" test "$(cat "$tmp/dropped")" -gt 0
	done
done
done_testing
