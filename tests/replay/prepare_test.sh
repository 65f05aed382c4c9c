#!/bin/sh
# tview-replay prepare: tview opens what any number of processes have prepared, without reading the archive, and says the same of
# it (cache_share_test.c compares the files). Whatever fails, there is no file that opens.
. tests/cli/tap.sh
replay=$out/tview-replay
traces=${TVIEW_TRACES:-traces}/otf2

if ! command -v mpiexec.mpich >/dev/null || [ ! -x "$replay" ]; then
	skip "tview-replay" "MPICH is not installed"
	done_testing
fi
export XDG_CACHE_HOME="$tmp/home" TVIEW_CACHE_MIN=999999999

# many N ARGUMENTS...
many() {
	n=$1
	shift
	mpiexec.mpich -n "$n" "$replay" "$@"
}

# says N STATUS PATTERN ARGUMENTS...: one sentence of one process
says() {
	n=$1 wanted=$2 pattern=$3
	shift 3
	many "$n" "$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got = "$wanted" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] &&
		grep -q "^tview-replay: .*$pattern" "$tmp/err" || { echo "status $got"; cat "$tmp/out" "$tmp/err"; return 1; }
}

# The file of TRACE, which is in a folder that can be written
file_of() { echo "$(dirname "$1")/.$(basename "$1").tvcache"; }

# opens TRACE: tview maps the file, and so notes that it was used. Reading it changes no time of access that is to come.
opens() {
	touch -a -d '+1 hour' "$(file_of "$1")"
	"$tview" export profile "$1" -f csv >/dev/null 2>&1
	[ "$(find "$(file_of "$1")" ! -newerat '+30 minutes' 2>/dev/null)" ] || { echo "$1 was read"; return 1; }
}

# same NUMBERS TRACE: all of these views
same() {
	for view in overview callpaths events messages collectives patterns counters corrections; do
		"$tview" export "$view" "$2" -f csv --no-cache >"$tmp/$view" 2>"$tmp/$view.err"
	done
	for n in $1; do
		rm -f "$(file_of "$2")"
		many "$n" prepare "$2" 2>"$tmp/err" || { echo "$n: status $?"; cat "$tmp/err"; return 1; }
		opens "$2" || return 1
		for view in overview callpaths events messages collectives patterns counters corrections; do
			"$tview" export "$view" "$2" -f csv >"$tmp/is" 2>"$tmp/is.err"
			cmp "$tmp/is" "$tmp/$view" && cmp "$tmp/is.err" "$tmp/$view.err" || { echo "$view, $n processes"; return 1; }
		done
	done
}

"$out/simulate" --program stencil --ranks 11 --steps 40 --seed 3 --ranks-per-node 4 --clock-offset 2e-3 --clock-drift 2e-5 \
	--offset-noise 1e-5 --slow 2:1.6 --overhead 1e-6 --insitu 0.3 -o "$tmp/run.otf2" >/dev/null
check "a trace whose times are corrected" same "2 13" "$tmp/run.otf2"
"$out/simulate" --program collectives --ranks 9 --steps 6 --seed 5 -o "$tmp/groups.otf2" >/dev/null
check "collectives of all kinds" same 3 "$tmp/groups.otf2"
"$tview" convert "$tmp/run.otf2" "$tmp/run.trc" -b measured
check "a file of PICL" same "1 5" "$tmp/run.trc"
"$out/tvrun" -q --statistics -o "$tmp/statistics.otf2" mpiexec.mpich -n 3 "$out/programs/ring" >/dev/null 2>&1
check "statistics alone" same 2 "$tmp/statistics.otf2"
for of in "$traces"/*/*.otf2; do
	[ -e "$of" ] || continue
	name=$(basename "$(dirname "$of")")
	mkdir "$tmp/$name"
	cp -r "$(dirname "$of")/." "$tmp/$name"
	check "$name" same 3 "$tmp/$name/$(basename "$of")"
done

# ---- without the archive ----

"$out/generate" --events 200000 --locations 16 --format otf2 "$tmp/large.otf2" >/dev/null
large=$tmp/large.otf2
events=$tmp/large/7.evt
# The middle of a file of events changes as nobody can see from outside: who reads it, sees it.
unread() {
	"$tview" export profile "$large" -f csv --no-cache >"$tmp/was" && many 3 prepare "$large" || return 1
	touch -r "$events" "$tmp/when"
	dd if=/dev/zero of="$events" bs=1 seek=20000 count=20000 conv=notrunc 2>/dev/null
	touch -r "$tmp/when" "$events"
	"$tview" export profile "$large" -f csv >"$tmp/is" && cmp "$tmp/is" "$tmp/was" || return 1
	! "$tview" export profile "$large" -f csv --no-cache 2>/dev/null | cmp -s - "$tmp/was"
}
check "events are not read again" unread
touched() {
	touch "$events"
	! "$tview" export profile "$large" -f csv 2>/dev/null | cmp -s - "$tmp/was"
}
check "but when the archive has changed" touched
rm -rf "$tmp/large" "$tmp"/large.* "$(file_of "$large")"
"$out/generate" --events 200000 --locations 16 --format otf2 "$large" >/dev/null

twice() {
	many 2 prepare "$large" && before=$(stat -c %i "$(file_of "$large")") && many 3 prepare "$large" &&
		is "$(stat -c %i "$(file_of "$large")")" "$before"
}
check "what is prepared is left as it is" twice

# ---- what goes wrong ----

# damaged COMMAND...: does something to the file
damaged() {
	rm -f "$(file_of "$large")"
	many 2 prepare "$large" && "$@" && "$tview" export profile "$large" -f csv >"$tmp/is" 2>"$tmp/err" && cmp "$tmp/is" "$tmp/was" &&
		grep -q "cache file was damaged" "$tmp/err" && [ ! -e "$(file_of "$large")" ]
}
check "a file that was cut is read no more" damaged truncate -s -5000 "$(file_of "$large")"
check "nor one with a byte that changed" damaged dd if=/dev/zero of="$(file_of "$large")" bs=1 seek=100000 count=4000 conv=notrunc

# nothing TRACE: that opens
nothing() { [ ! -e "$(file_of "$1")" ] && [ -z "$(find "$tmp/home" -name '*.tvcache' -type f 2>/dev/null)" ]; }

# MPICH itself needs files of 4 MiB.
"$out/generate" --events 700000 --locations 16 --format otf2 "$tmp/larger.otf2" >/dev/null
limited() {
	rm -f "$(file_of "$large")"
	(ulimit -f 12288 && says 3 3 "cannot write .*tvcache.part: File too large" prepare "$tmp/larger.otf2") &&
		nothing "$tmp/larger.otf2" && [ ! -e "$(file_of "$tmp/larger.otf2").part" ]
}
check "files that may not be so large" limited
mkdir "$tmp/small"
if mount -t tmpfs -o size=5m none "$tmp/small" 2>/dev/null; then
	cp -r "$tmp/large" "$large" "$tmp/large.def" "$tmp/small"
	dd if=/dev/zero of="$tmp/small/filler" bs=1k count=10000 2>/dev/null
	truncate -s -1M "$tmp/small/filler"
	full() { says 3 3 "cannot write .*: No space left" prepare "$tmp/small/large.otf2" && nothing "$tmp/small/large.otf2"; }
	check "a full disk has nothing of it" full
	umount "$tmp/small"
else
	skip "a full disk has nothing of it" "no file system can be mounted"
fi

# A process dies, whenever: the job ends with a status, and what it leaves does not open, unless it had been done.
dies() {
	for delay in 0.05 0.15 0.25 0.35 0.5; do
		rm -f "$(file_of "$large")" "$tmp/pids"
		timeout 60 mpiexec.mpich -n 3 sh -c 'echo $$ >>"$0" && exec "$1" prepare "$2"' "$tmp/pids" "$replay" "$large" \
			>/dev/null 2>&1 &
		job=$!
		sleep "$delay"
		kill -9 "$(sed -n 2p "$tmp/pids")" 2>/dev/null
		if wait $job; then
			opens "$large" || return 1
		elif [ -e "$(file_of "$large")" ]; then
			opens "$large" || return 1
		fi
		"$tview" export profile "$large" -f csv 2>&1 | cmp - "$tmp/was" || return 1
	done
	rm -f "$(file_of "$large")"
	many 2 prepare "$large" && opens "$large"
}
check "a process that dies" dies

check "no such archive" says 3 3 "cannot prepare .*none" prepare "$tmp/none.otf2"
mkdir "$tmp/bin"
cp "$replay" "$tmp/bin"
alone() {
	mpiexec.mpich -n 2 "$tmp/bin/tview-replay" prepare "$tmp/run.otf2" 2>"$tmp/err"
	is $? 3 && grep -q "there is no .*/bin/tview: " "$tmp/err"
}
check "the tview that opens it must be there" alone

done_testing
