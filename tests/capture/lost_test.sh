#!/bin/sh
# Records are kept until they are in a trace: whatever goes wrong, the folder of the buffers stays, tvrun says how to
# merge it, and that works; the program's status is never replaced.
. tests/cli/tap.sh
ring=$out/programs/ring
unset TALLY
command -v mpiexec.mpich >/dev/null || { skip "tvrun" "there is no mpiexec.mpich"; done_testing; }

# record OPTIONS... -- COMMAND...: what tvrun says is in $tmp/log, its status in $status
record() { "$out/tvrun" --yield "$@" >"$tmp/log" 2>&1 </dev/null; status=$?; }
said() { grep -q -- "$1" "$tmp/log" || { cat "$tmp/log"; return 1; }; }
never_said() { ! said "$1" >/dev/null || { cat "$tmp/log"; return 1; }; }
folders() { ls -d "$1"/*.ranks-* 2>/dev/null | wc -l; }
# merge_as_told: the command that tvrun printed, in another folder
merge_as_told() {
	told=$(sed -n 's/.* to merge them: tvrun \(--merge .*\)/\1/p' "$tmp/log")
	[ -n "$told" ] && (cd / && eval "set -- $told" && "$out/tvrun" -q "$@")
}
# whole TRACE: 2 ranks, 10 rounds of a ring: 20 messages
messages() { "$tview" export messages "$1" -f csv | tail -n +2 | wc -l; }

mkdir "$tmp/buffers" "$tmp/gone"
record -o "$tmp/well.trc" mpiexec.mpich -n 2 "$ring" 2 10 10
check "a run that goes well" is "$status" 0
wanted=$(messages "$tmp/well.trc")
record -o "$tmp/packed.trc.zst" sh -c "mpiexec.mpich -n 2 $ring 2 10 10; mpiexec.mpich -n 2 $ring 2 10 10"
check "a trace that is compressed" is "$(od -An -tx1 -N4 "$tmp/packed.trc.zst" | tr -d ' ')" 28b52ffd
check "has all messages" is "$(messages "$tmp/packed.trc.zst")" "$wanted"
check "so has that of a second job" is "$(messages "$tmp/packed-2.trc.zst")" "$wanted"
check "leaves no folder" is "$(folders "$tmp")" 0

record --buffer-dir "$tmp/buffers" -o /dev/full mpiexec.mpich -n 2 "$ring" 2 10 10
check "a full disk does not change the status" is "$status" 0
check "it is said" said "No space left on device"
check "the folder stays" is "$(folders "$tmp/buffers")" 1
check "and is merged elsewhere" "$out/tvrun" -q --merge "$tmp"/buffers/*.ranks-* -o "$tmp/full.trc"
check "with all messages" is "$(messages "$tmp/full.trc")" "$wanted"
rm -r "$tmp"/buffers/*

record --buffer-dir "$tmp/buffers" -o "$tmp/gone/run.trc" sh -c "mpiexec.mpich -n 2 $ring 2 10 10; rm -r $tmp/gone; exit 3"
check "the output's folder goes away; the status is the program's" is "$status" 3
check "the folder of buffers stays" is "$(folders "$tmp/buffers")" 1
mkdir "$tmp/gone"
check "the command that tvrun printed merges it" merge_as_told
check "to where it was to be" is "$(messages "$tmp/gone/run.trc")" "$wanted"
rm -r "$tmp"/buffers/*

# until_merging PID: it writes the trace: a file without a name, or, where there are none, one beside it; or it has ended.
# Between two looks only one process is started: a merge may take no longer than a second.
until_merging() {
	while read -r _ _ state _ <"/proc/$1/stat" && [ "$state" != Z ]; do
		case $(ls -l "/proc/$1/fd" 2>/dev/null) in *"$tmp/"*"(deleted)"*) return ;; esac
		for file in "$tmp"/long.trc.[!r]*; do [ ! -e "$file" ] || return; done
	done
}
# end_merge SIGNAL STATUS: ends tvrun while it merges. On a busy machine that may be over before it is seen, or before the
# signal comes: a longer one then.
end_merge() {
	for steps in 300000 1000000 3000000; do
		rm -rf "$tmp"/long.trc*
		"$out/tvrun" --yield --no-insitu -o "$tmp/long.trc" mpiexec.mpich -n 2 "$out/programs/pi" $steps 2 >"$tmp/log" 2>&1 </dev/null &
		run=$!
		until_merging $run
		kill -$1 $run 2>/dev/null
		wait $run 2>/dev/null
		status=$?
		[ $status != "$2" ] || [ -e "$tmp/long.trc" ] || break
	done
}
left_over() { for file in "$tmp"/long.trc*; do case $file in *ranks-* | *"*") ;; *) echo "$file" ;; esac; done; }
end_merge TERM 143
check "terminated while it merges" is "$status" 143
check "it says so" said "interrupted while merging"
check "no trace, nothing half done" is "$(left_over)" ""
check "the command that tvrun printed merges it" merge_as_told
check "with all messages" is "$(messages "$tmp/long.trc")" 2
rm -r "$tmp"/long.trc*
end_merge KILL 137
check "killed while it writes" is "$status" 137
check "nothing half done is left" is "$(left_over)" ""
check "the folder is, and can be merged" "$out/tvrun" -q --merge "$(ls -d "$tmp"/long.trc.ranks-*)"
check "with all messages, too" is "$(messages "$tmp/long.trc")" 2
# More than it may have in memory is in a file that has no name.
cp "$tmp/long.trc" "$tmp/large.trc"
check "with little memory" "$out/tvrun" -q --max-mem 2M --merge "$(ls -d "$tmp"/long.trc.ranks-*)"
check "the trace is the same" cmp "$tmp/long.trc" "$tmp/large.trc"
# An archive's anchor says when it was written.
one=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
mkdir "$tmp/all" "$tmp/one"
for form in trc trc.zst otf2; do
	check "with all processors, as $form" "$out/tvrun" -q --merge "$tmp"/long.trc.ranks-* -o "$tmp/all/run.$form"
	check "with one" taskset -c "$one" "$out/tvrun" -q --merge "$tmp"/long.trc.ranks-* -o "$tmp/one/run.$form"
done
check "all are the same" diff -rq -x run.otf2 "$tmp/all" "$tmp/one"
check "and there: text, compressed, definitions, two ranks' events" is "$(find "$tmp/one" -type f | wc -l)" 8
rm -r "$tmp/all" "$tmp/one"
rm -r "$tmp"/long.trc* "$tmp/large.trc"

# tvrun is stopped when the program has ended, and killed before it merges
"$out/tvrun" --yield -o "$tmp/killed.trc" sh -c "mpiexec.mpich -n 2 $ring 2 10 10; kill -STOP \$PPID" >"$tmp/log" 2>&1 </dev/null &
run=$!
tries=0
until grep -q '^State:.*T' "/proc/$run/status" || [ $tries -ge 300 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill -KILL $run
wait $run 2>/dev/null
status=$?
check "killed while it merges" is "$status" 137
check "the folder stays" is "$(folders "$tmp")" 1
check "and is merged, to where it was to be" "$out/tvrun" -q --merge "$(ls -d "$tmp"/*.ranks-*)"
check "with all messages" is "$(messages "$tmp/killed.trc")" "$wanted"
check "and what the run was" grep -q "ring 2 10 10" "$tmp/killed.trc"
rm -r "$tmp"/killed.trc.ranks-*

# Where nobody chose a name, the trace's size chooses its form. ring 2 10 10 has fewer than 1,000 events, more than 20.
sized() { (cd "$tmp/sized" && record "$@" mpiexec.mpich -n 2 "$ring" 2 10 10); }
case $out in /*) ;; *) out=$PWD/$out ring=$PWD/$ring ;; esac
case $tview in /*) ;; *) tview=$PWD/$tview ;; esac
packed() { [ "$(od -An -tx1 -N4 "$1" | tr -d ' ')" = 28b52ffd ]; }
mkdir "$tmp/sized"
sized --compact-from 1000
check "a small trace without a name is text" is "$(ls "$tmp/sized")" run.trc
check "nothing is said of its form" never_said "compressed"
sized -q --compact-from 20 --keep
check "a large one is compressed" packed "$tmp/sized/run.trc.zst"
check "one line says so, and how to get text" said "run.trc.zst is compressed because it has 20 events or more; -o run.trc writes text"
check "the text beside it is not the result" said "run.trc is of an earlier run"
check "it has all messages" is "$(messages "$tmp/sized/run.trc.zst")" "$wanted"
folder=$(ls -d "$tmp"/sized/run.trc.ranks-*)
"$out/tvrun" -q --merge "$folder" -o "$tmp/sized/text.trc"
check "with a name the same is text" grep -q "ring 2 10 10" "$tmp/sized/text.trc"
"$tview" convert "$tmp/sized/run.trc.zst" "$tmp/sized/from.trc"
"$tview" convert "$tmp/sized/text.trc" "$tmp/sized/text-from.trc"
check "converted it is what the text is" cmp "$tmp/sized/from.trc" "$tmp/sized/text-from.trc"
zstd -qdc "$tmp/sized/run.trc.zst" >"$tmp/sized/plain.trc"
check "unpacked it is the text" cmp "$tmp/sized/plain.trc" "$tmp/sized/text.trc"
rm "$tmp/sized/run.trc.zst"
check "a merge without a name does as the run was told" "$out/tvrun" -q --merge "$folder"
check "it compresses" packed "$tmp/sized/run.trc.zst"
rm -r "$folder"
sized --compact-from 0
check "0: never" said "run.trc: 2 ranks"
check "the compressed one beside it is not the result" said "run.trc.zst is of an earlier run"
sized --compact-from 20 -o chosen.trc
check "a name that was chosen stays" grep -q "ring 2 10 10" "$tmp/sized/chosen.trc"

# An older trace must not look like the result.
record -o "$tmp/well.trc" true
check "nothing was recorded: no other status" is "$status" 0
check "no trace is said" said "no trace written: no rank recorded anything"
check "and that the one there is older" said "well.trc is of an earlier run"
record -o "$tmp/never.trc" true
check "where none is, nothing is said of it" never_said "earlier run"
check "no folder is left" is "$(folders "$tmp")" 0
done_testing
