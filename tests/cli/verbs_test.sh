#!/bin/sh
# The command line: what each verb prints where, and how it ends.
. tests/cli/tap.sh
trace=traces/picl-1992-table20.trc
damaged=traces/bad/truncated.trc

# ends STATUS ARGUMENTS...: output in $tmp/out and $tmp/err
ends() {
	want=$1
	shift
	"$tview" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ "$got" = "$want" ] || { echo "status $got, not $want"; cat "$tmp/err"; return 1; }
}
# says PATTERN: on stderr, with the program's name in front
says() { grep -q "^tview: .*$1" "$tmp/err" || { cat "$tmp/err"; return 1; }; }
prints() { grep -q "$1" "$tmp/out" || { head -n 5 "$tmp/out"; return 1; }; }
silent() { [ ! -s "$tmp/err" ] || { cat "$tmp/err"; return 1; }; }
printed_nothing() { [ ! -s "$tmp/out" ]; }

opens() { ends 0 "$trace" && prints "^picl-1992-table20.trc: 1 rank" && silent; }
check "stdout is no terminal: the overview" opens
no_escape() { ends 0 "$trace" && ! grep -q "$(printf '\033')" "$tmp/out"; }
check "and no escape codes" no_escape
usage() { ends 2 && grep -q '^usage:' "$tmp/err" && printed_nothing; }
check "no arguments: usage" usage
helps() { ends 0 "$@" && prints "$pattern" && silent; }
pattern='tview export VIEW TRACE'
check "--help" helps --help
check "-h" helps -h
check "help" helps help
pattern='^usage: tview export'
check "help of a verb" helps help export
check "--help of a verb" helps export --help
no_trailing_blanks() {
	for verb in "" export report check convert graph cache help; do
		"$tview" help $verb
	done >"$tmp/out"
	build/release/tvrun --help >>"$tmp/out"
	build/release/tvcc --help >>"$tmp/out"
	[ "$(wc -l <"$tmp/out")" -gt 150 ] && ! grep -n ' $' "$tmp/out"
}
check "no help has trailing blanks" no_trailing_blanks
pattern='^tview [0-9]'
check "--version" helps --version
check "help of no verb" fails 2 "no verb 'exort'" help exort

check "no such file" fails 3 "cannot open .*none.trc" "$tmp/none.trc"
check "a mistyped verb" fails 2 "did you mean 'tview export'" exprot events "$trace"
check "a mistyped view" fails 2 "did you mean 'profile'" export profil "$trace"
check "no such view" fails 2 "no view 'xyzzyx'" export xyzzyx "$trace"
check "export without a trace" fails 2 "needs a trace" export events
check "no such option" fails 2 "did you mean '--format'" export events "$trace" --fromat csv
check "an option of another verb" fails 2 "has no option --width" check "$trace" --width 100
check "a view of the screen without a terminal" fails 2 "needs a terminal" --view timeline "$trace"
check "no such view of the screen" fails 2 "is one of" --view none "$trace"
check "no such rank" fails 2 "none of the ranks '3'.*has rank 6" export events "$trace" -r 3
check "no list of ranks" fails 2 "invalid list of ranks" export events "$trace" -r 3-
check "a span backwards" fails 2 "ends before it begins" export events "$trace" -t 2:1
check "no span" fails 2 "invalid time window" export events "$trace" -t 2
check "no time" fails 2 "not a time" export events "$trace" -t x:1
check "no such base" fails 2 "no times of base compensated" export events "$trace" -b compensated
tells_clocks() {
	ends 0 check traces/otf2/sweep3d-4 &&
		prints '^Linear times: 27 of 2,184 messages (with collectives) arrive before they are sent, by up to 35.0 us' &&
		prints '^After correction (fitted times): 0 of 2,184\.$' &&
		prints '^All ranks share one clock; the measured offsets are noise'
}
check "check names violations before and after" tells_clocks
check "a file of offsets that is none" fails 3 "cannot read the offsets" check traces/sweep.trc --offsets /nonexistent/offsets
# Nothing was violated: the logical clock has no times of its own.
check "nothing to correct" ends 0 export events "$trace" -b clc
no_expression() { ends 2 export events "$trace" --filter 'rank ==' && says 'filter, column 8' && printed_nothing; }
check "no expression" no_expression
check "no such format of a trace" fails 2 "one of" export events "$trace" --as otf3

sound() { ends 0 check "$trace" && prints 'statistics in the file agree with its events' && silent; }
check "check of a sound trace" sound
unsound() { ends 1 check "$damaged" && prints '^ *damage' && prints '^Damaged: '; }
check "check of a damaged one" unsound
killed() { # rank 1 does not come back from its receive
	printf '%s\n' '-5 -11 0.0 -1 -1 8 "%c" MPI_Init' '-5 -12 0.0 -1 -1 12 "%c" MPI_Finalize' \
		'-3 -11 0.1 0 9 0' '-3 -11 0.1 1 9 0' '-4 -11 0.2 0 9 0' '-4 -11 0.2 1 9 0' \
		'-3 -51 0.3 1 9 0' '-3 -12 0.4 0 9 0' '-4 -12 0.5 0 9 0' >"$tmp/killed.trc"
	ends 0 check "$tmp/killed.trc" &&
		prints 'open at the last record of rank 1$' &&
		prints 'ended without MPI_Finalize .*: rank 1$' &&
		ends 0 "$tmp/killed.trc" && prints '^  Ended without MPI_Finalize .*: rank 1\.$'
}
check "a killed run: check and the overview say which rank did not end" killed
file_bytes() {
	printf '%s\n' '-5 3 0.0 -1 -1 14 "%c" MPI_File_write' '-3 3 0.1 0 9 0' \
		'-305 3 0.2 0 9 1 2 100' '-4 3 0.2 0 9 0' >"$tmp/io.trc"
	ends 0 export events "$tmp/io.trc" --format csv --filter 'bytes == 100' &&
		prints '^0.2[0-9]*,0,0,io,MPI_File_write,,,100,' && [ "$(wc -l <"$tmp/out")" = 2 ]
}
check "export of file operations: their bytes" file_bytes
read_around() { ends 0 export events "$damaged" && says 'could not be read.*tview check'; }
check "damage is read around, and said" read_around
strict() { fails 1 "$damaged" export events "$damaged" --strict; }
check "--strict meets damage" strict

# ---- files ----
by_name() {
	ends 0 export profile "$trace" -o "$tmp/p.$1" && printed_nothing &&
		"$tview" export profile "$trace" --format "$1" | cmp - "$tmp/p.$1"
}
for ending in csv json md; do check "-o NAME.$ending chooses the format" by_name "$ending"; done
kept() {
	echo old >"$tmp/kept"
	ends 2 export events "$trace" -o "$tmp/kept" --filter 'rank ==' &&
		[ "$(cat "$tmp/kept")" = old ] && [ "$(find "$tmp" -maxdepth 1 -name '*kept*' | wc -l)" = 1 ]
}
check "a file is not touched by what fails" kept
check "no such folder" fails 3 "cannot write .*/no/folder" export events "$trace" -o "$tmp/no/folder"
full() { "$tview" "$@" >/dev/full 2>"$tmp/err"; [ $? = 3 ] && grep -q '^tview: ' "$tmp/err"; }
if [ -w /dev/full ]; then
	check "a full disk: export" full export events "$trace"
	check "a full disk: check" full check "$trace"
	check "a full disk: convert" full convert "$trace" -
	check "a full disk: help" full --help
	check "a full disk: -o" fails 3 "cannot write" export events "$trace" -o /dev/full
else
	skip "a full disk" "no /dev/full"
fi
early() {
	{ "$tview" export events "$trace" 2>"$tmp/err"; } | head -n 1 >/dev/null
	[ ! -s "$tmp/err" ]
}
check "a reader that has seen enough" early

# ---- convert ----
same_bytes() { ends 0 convert "$trace" "$tmp/same.trc" && cmp "$trace" "$tmp/same.trc"; }
check "convert gives the same trace back" same_bytes
to_stdout() { "$tview" convert "$trace" - | cmp - "$trace"; }
check "convert to stdout" to_stdout
itself() {
	cp "$trace" "$tmp/self.trc"
	ln -sf self.trc "$tmp/link.trc"
	fails 2 "write to another file" convert "$tmp/self.trc" "$tmp/link.trc" &&
		cmp "$trace" "$tmp/self.trc"
}
check "convert does not write over what it reads" itself
part() {
	ends 0 convert "$trace" "$tmp/part.trc" -t 0.0007:0.0018 &&
		"$tview" export messages "$tmp/part.trc" -f csv | cut -d, -f1-6 >"$tmp/m" &&
		printf '%s\n' send_time_s,recv_time_s,src,dst,tag,bytes ,0.001643000,5,6,1,8 \
			0.001665000,,6,7,1,8 | cmp - "$tmp/m"
}
check "convert of a part" part
from_stdin() { "$tview" export events - -f csv <"$trace" >"$tmp/in" && "$tview" export events "$trace" -f csv | cmp - "$tmp/in"; }
check "a trace from stdin" from_stdin
done_testing
