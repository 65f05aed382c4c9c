#!/bin/sh
# The command that E says writes the same bytes, whatever the screen shows. Each case is a way there in commands; what is
# left out is said ("the same without X").
. tests/cli/tap.sh

# Runs the commands, then `export`; sets `said` to the sentence, `again` to the command that it says.
written() {
	file=$1
	shift
	rm -f "$file" "$tmp"/again.*
	"$tview" --no-cache "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || { cat "$tmp/err"; return 1; }
	said=$(sed -n 's/^tview: export [^:]*: //p' "$tmp/err")
	again=$(printf '%s\n' "$said" | sed -n "s/.*; the same[^:]*: tview //p")
	[ -f "$file" ] && [ "$again" ] && return
	cat "$tmp/err"
	return 1
}

# same TRACE FORMAT COMMANDS (between ;) [OPTIONS]: and nothing is left out.
same() {
	trace=$1 format=$2 commands=$3
	shift 3
	while [ "$commands" ]; do
		set -- "$@" -c "${commands%%;*}"
		case $commands in *\;*) commands=${commands#*;} ;; *) commands= ;; esac
	done
	written "$tmp/a.$format" "$@" -c "export $tmp/a.$format" "$trace" || return 1
	case $said in *" without "*) echo "$said"; return 1 ;; esac
	eval "\"$tview\" $again --no-cache --output \"$tmp/again.$format\"" 2>"$tmp/err" ||
		{ echo "$again"; cat "$tmp/err"; return 1; }
	cmp "$tmp/a.$format" "$tmp/again.$format" && return
	echo "$again"
	diff "$tmp/a.$format" "$tmp/again.$format" | head -6
	return 1
}

t=traces/stencil.trc
# A picture: groups and their sizes, open ones, rows on top, hidden ranks, colours, order, window, the critical path.
for c in "group range 2" "group range" "group likeness" "group range 2;open-group 2" "pin 2;pin 0" "group range 2;pin 2+;pin 1" \
	"hide 1-2" sort "group likeness;sort" colour "colour;hide-colour MPI_Waitall" "hide-colour MPI start and end" critical-path \
	"zoom 255ms 270ms" "base measured" "base measured;zoom 255ms 260ms;hide 3;group range 2;sort" "filter region =~ /MPI_/" \
	"filter rank < 2;group range 1"; do
	check "timeline: $c" same $t txt "view timeline;$c"
done
check "timeline, changes by the base" same $t txt "view timeline" --diff
check "options that were given are given again" same $t txt "view timeline" --presync messages --overhead-model paper --ranks 0-2
check "a part of the run" same $t csv "view events" --time 200ms:260ms

# Tables: their order, their columns, each pane.
for f in txt csv json md; do
	check "profile, $f: order and columns" same $t $f "view profile;sort count up;columns count,region,mean_s"
done
for view in events messages corrections utilisation iterations patterns graph source topology overview; do
	check "$view" same $t csv "view $view"
	check "$view as text, a part" same $t txt "view $view;zoom 255ms 270ms;hide 2"
done
for p in 1 2 3 4; do
	check "messages, table $p" same $t csv "view messages;pane $p"
	check "utilisation, table $p" same $t txt "view utilisation;pane $p;zoom 255ms 270ms"
done
for p in 2 3 4 5 6 7; do check "corrections, table $p" same $t csv "view corrections;pane $p"; done
for p in 1 2 3; do check "two traces, table $p" same $t csv "view difference;pane $p" traces/chain.trc; done
check "calls, text" same $t txt "view calls"
check "calls, csv, the longest first" same $t csv "view calls"
check "calls in another order" same $t csv "view calls;sort bytes"
check "calls of a function" same $t csv "view calls;pane 2;enter"
check "calls of a function and of durations" same $t csv "view calls;sort begin_s up;zoom-item"
check "the call paths of a region" same $t csv "view profile;enter"
check "the call paths of a region, a filter" same $t txt "filter rank < 2;view profile;enter"
check "sequences" same $t csv "sequence (MPI_Irecv | MPI_Isend)+ MPI_Waitall within 5ms"
check "sequences by rank, a part" same $t txt "sequence MPI_Waitall;pane 2;zoom 255ms 270ms"
for n in 1 2; do check "timeline, $n nesting levels" same $t txt "view timeline;more-depth $n"; done
check "timeline, nesting levels of some" same $t txt "view timeline;more-depth 2;hide 1-2;zoom 255ms 270ms"
check "another level of iterations" same $t csv "view iterations;more-depth"
check "iterations of a region" same $t csv "view iterations;iteration MPI_Waitall"

# The default order needs no option.
default_order() {
	written "$tmp/a.csv" -c "view profile" -c "export $tmp/a.csv" $t || return 1
	case $again in *--sort*) echo "$again"; return 1 ;; esac
	written "$tmp/a.csv" -c "view profile" -c "sort count" -c "export $tmp/a.csv" $t || return 1
	case $again in *"--sort count"*) ;; *) echo "$again"; return 1 ;; esac
}
check "an order is said where it is not the default" default_order

# A call path that was chosen.
for c in "callpath main > exchange > MPI_Waitall;view topology" "metric mpi_latesender;callpath main > exchange > MPI_Waitall;view topology" \
	"callpath main;view topology"; do
	check "$c" same $t txt "$c"
done
check "waits of a call path" same $t csv "view patterns;next-pane;enter"
unknown_path() { "$tview" export topology --callpath "main > nothing" $t 2>"$tmp/err"; [ $? = 2 ] && grep -q "no such call path" "$tmp/err"; }
check "an unknown call path" unknown_path

# What the screen chose is in the file: it has fewer rows than the whole.
chosen() {
	what=$1
	shift
	written "$tmp/a.csv" "$@" -c "export $tmp/a.csv" $t || return 1
	[ "$(wc -l <"$tmp/a.csv")" -gt 1 ] && [ "$(wc -l <"$tmp/a.csv")" -lt "$("$tview" export "$what" -f csv $t | wc -l)" ]
}
check "a region's call paths alone are written" chosen callpaths -c "view profile" -c enter
check "a function's calls alone are written" chosen calls -c "view calls" -c "pane 2" -c enter

refused() { "$tview" export "$@" $t >"$tmp/out" 2>"$tmp/err"; [ $? = 2 ]; }
for o in "timeline --group range:0" "timeline --group node:2" "timeline --open x" "timeline --pin 9" "timeline --pin +" \
	"timeline --hide 0-3" "timeline --counter x" "timeline --hide-colour nothing" "timeline --sort count" \
	"profile --columns nothing" "overview --columns text"; do
	# shellcheck disable=SC2086
	check "refused: $o" refused $o
done
done_testing
