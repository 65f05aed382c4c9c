#!/bin/sh
# tview convert: OTF2 archives as otf2-print and python3-otf2 see them; what is written is whole or not
# there at all.
. tests/cli/tap.sh
. tests/cli/otf2_kinds.sh
stencil=traces/stencil.trc

# ---- other tools ----

reads_well() { # ARCHIVE: otf2-print has nothing to complain about
	otf2-print "$1" >/dev/null 2>"$tmp/said" && otf2-print -G "$1" >/dev/null 2>>"$tmp/said" &&
		[ ! -s "$tmp/said" ] || { cat "$tmp/said"; return 1; }
}
same_counts() { otf2-print "$2" >"$tmp/events" && same_kinds "$1" "$tmp/events"; }
if command -v otf2-print >/dev/null; then
	for trace in traces/*.trc; do
		name=$(basename "$trace" .trc)
		check "$name becomes an archive" "$tview" convert "$trace" "$tmp/$name.otf2"
		check "otf2-print reads $name without a complaint" reads_well "$tmp/$name.otf2"
		check "and counts what tview counts" same_counts "$trace" "$tmp/$name.otf2"
	done
else
	skip "otf2-print reads what is written" "no otf2-tools here"
	"$tview" convert "$stencil" "$tmp/stencil.otf2"
fi

# Events by the Python bindings: a second reader of every field, for one trace and a few numbers that
# were counted in its text with grep.
python=/usr/bin/python3
python_reads() {
	"$python" - "$tmp/stencil.otf2" <<'END'
import sys, otf2
from otf2.events import *
with otf2.reader.open(sys.argv[1]) as t:
    assert t.timer_resolution == 10**9
    kinds = {}
    sends, receives, open_requests = [], [], set()
    for location, event in t.events:
        kinds.setdefault(type(event).__name__, []).append((location, event))
        if isinstance(event, (MpiIsend, MpiIrecvRequest)):
            key = (location.name, event.request_id)
            assert key not in open_requests, "a request twice"
            open_requests.add(key)
        if isinstance(event, (MpiIsendComplete, MpiIrecv)):
            open_requests.remove((location.name, event.request_id))
        if isinstance(event, MpiIsend):
            sends.append((location.name, event.receiver, event.msg_tag, event.msg_length))
        if isinstance(event, MpiIrecv):
            receives.append(("rank %d" % event.sender, int(location.name[5:]), event.msg_tag, event.msg_length))
    assert not open_requests
    assert len(sends) == 160 and sorted(sends) == sorted(receives)
    d = t.definitions
    assert [n.name for n in d.system_tree_nodes] == ["machine", "vm"]
    assert [(g.name, g.system_tree_parent.name) for g in d.location_groups][0] == ("MPI Rank 0", "vm")
    cart = list(d.cart_topologies)[0]
    assert len(cart.dimensions) == 2 and [x.size for x in cart.dimensions] == [2, 2]
    relax = [r for r in d.regions if r.name == "relax"][0]
    assert (relax.source_file, relax.begin_line_number) == ("traces/programs/stencil.c", 57)
    first = kinds["MpiCollectiveEnd"][0][1]
    assert first.collective_op == otf2.CollectiveOp.ALLREDUCE
    lines = set()
    for location, event in kinds["Enter"]:
        for attribute, value in (event.attributes or {}).items():
            if attribute.name == "tview:call site":
                lines.add(value.line_number)
    assert {41, 43, 46, 117} <= lines, lines
END
}
if "$python" -c 'import otf2' 2>/dev/null; then
	check "python3-otf2 reads requests, messages, topology, lines" python_reads
else
	skip "python3-otf2 reads what is written" "no python3-otf2 here"
fi
offsets() { # as many as the trace has, with the values of its header
	otf2-print -C "$tmp/stencil.otf2" 2>/dev/null | grep -c CLOCK_OFFSET | grep -qx \
		"$(grep -c 'tview:offset=' "$stencil")"
}
command -v otf2-print >/dev/null && check "clock offsets stand in the archive" offsets

vite_reads() {
	QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR="$tmp" timeout 60 vite -e "$tmp/v.svg" "$tmp/stencil.otf2" >"$tmp/said" 2>&1
	grep -q '0 errors and 0 warnings were found' "$tmp/said" && [ -s "$tmp/v.svg" ] ||
		{ tail -n 5 "$tmp/said"; return 1; }
}
if command -v vite >/dev/null; then
	check "ViTE reads and draws an archive" vite_reads
else
	skip "ViTE reads and draws an archive" "no vite here"
fi

# ---- which times are written ----

says() { "$tview" export definitions "$1" -f csv | grep -E "$2"; }
best_clock() { # of 27 reversed messages none is left, and nothing corrects them again
	"$tview" convert traces/otf2/sweep3d-4 "$tmp/best.$1" && says "$tmp/best.$1" 'property,times,.*fitted' &&
		"$tview" export corrections "$tmp/best.$1" -f csv | grep -qx 'offsets,0' &&
		"$tview" export corrections "$tmp/best.$1" -f csv | grep -qx 'reversed,0' &&
		"$tview" export corrections "$tmp/best.$1" -f csv | grep -qx 'base,measured'
}
check "the best clock's times, in PICL" best_clock trc
check "the best clock's times, in OTF2" best_clock otf2
raw() {
	"$tview" convert traces/otf2/sweep3d-4 "$tmp/raw.trc" --base measured && ! says "$tmp/raw.trc" property,times &&
		"$tview" export corrections "$tmp/raw.trc" -f csv | grep -qx 'offsets,8' &&
		"$tview" export corrections "$tmp/raw.trc" -f csv | grep -qx 'reversed,27'
}
check "raw times with their offsets" raw
no_costs() { # taken out once is enough
	says traces/sweep.trc cost-pairs-ps && "$tview" convert traces/sweep.trc "$tmp/without.$1" --base compensated &&
		says "$tmp/without.$1" 'property,times,.*compensated' && ! says "$tmp/without.$1" cost- &&
		"$tview" export corrections "$tmp/without.$1" -f csv | grep -qx 'compensated_s,'
}
check "times without overhead have no costs beside them, in PICL" no_costs trc
check "times without overhead have no costs beside them, in OTF2" no_costs otf2
clc_keeps_costs() { "$tview" convert traces/sweep.trc "$tmp/clc.trc" --base linear && says "$tmp/clc.trc" cost-pairs-ps; }
check "other times keep them" clc_keeps_costs

# ---- a part is whole, and the same in both formats ----

events() { "$tview" export events "$1" -f csv | cut -d, -f1-11; }
part() {
	"$tview" convert "$stencil" "$tmp/part.trc" --base linear --time 0.25:0.262 &&
		"$tview" convert "$stencil" "$tmp/part.otf2" --base linear --time 0.25:0.262 &&
		events "$tmp/part.trc" >"$tmp/mine" && events "$tmp/part.otf2" >"$tmp/its" &&
		diff "$tmp/mine" "$tmp/its" && [ "$(wc -l <"$tmp/mine")" -gt 1000 ]
}
check "a part in PICL is the part in OTF2" part
borders() { # as many entries as exits; what is open at the borders is entered and left there
	[ "$(cut -d, -f4 "$tmp/mine" | grep -c '^enter$')" = "$(cut -d, -f4 "$tmp/mine" | grep -c '^leave$')" ] &&
		grep -q '^0.250000000,0,0,enter,main' "$tmp/mine" &&
		grep -q '^0.262000000,3,0,leave,main' "$tmp/mine"
}
check "what is open at its borders is entered and left there" borders

# ---- whole or not at all ----

listing() { (cd "$1" && find . | LC_ALL=C sort); }
three_names() { # and nothing else
	mkdir "$tmp/a" && "$tview" convert "$stencil" "$tmp/a/x.otf2" &&
		[ "$(ls -A "$tmp/a" | tr '\n' ' ')" = "x x.def x.otf2 " ]
}
check "an archive is three names" three_names
replaced() { # by one with fewer locations: nothing of the old one stays
	"$tview" convert traces/picl-1992-table20.trc "$tmp/a/x.otf2" &&
		[ "$(ls -A "$tmp/a" | tr '\n' ' ')" = "x x.def x.otf2 " ] &&
		[ "$(find "$tmp/a/x" -name '*.evt' | wc -l)" = 1 ]
}
check "an archive that was there is replaced" replaced
folder() { # OUT is a folder: the archive of the field's usual name in it
	mkdir "$tmp/b" && "$tview" convert "$stencil" "$tmp/b" --to otf2 &&
		[ "$(ls -A "$tmp/b" | tr '\n' ' ')" = "traces traces.def traces.otf2 " ]
}
check "a folder gets traces.otf2" folder
named() { "$tview" convert "$stencil" "$tmp/b/y" --to otf2 && [ -f "$tmp/b/y.otf2" ]; }
check "--to otf2 gives the name its end" named
in_the_way() { # what bears the folder's name and is no archive's stays
	mkdir -p "$tmp/c/x" && echo precious >"$tmp/c/x/thesis.txt" && echo precious >"$tmp/c/y" &&
		fails 3 "x is in the way of x.otf2" convert "$stencil" "$tmp/c/x.otf2" &&
		fails 3 "y is in the way of y.otf2" convert "$stencil" "$tmp/c/y.otf2" &&
		[ "$(find "$tmp/c" -type f | wc -l)" = 2 ] && [ "$(ls -A "$tmp/c" | tr '\n' ' ')" = "x y " ]
}
check "a folder or file in the way is not taken away" in_the_way
check "an archive does not go to stdout" fails 2 "several files" convert "$stencil" - --to otf2
check "no such folder" fails 3 "cannot write .*none/x.otf2: No such file" convert "$stencil" "$tmp/none/x.otf2"
check "no such format" fails 2 "is one of picl|otf2|json" convert "$stencil" "$tmp/z" --to otf3
check "an archive is not compressed" fails 2 "several files, which are not compressed" convert "$stencil" "$tmp/z.otf2.zst"
check "and nothing is left of it" is "$(find "$tmp" -name 'z*')" ""
check "JSON goes to stdout" sh -c "'$tview' convert $stencil - --to json | head -c 20 | grep -q '^{'"

# A disk that is full: a sentence, status 3, what was there stays, nothing else does.
full() { # SIZE (KiB) OUT
	listing "$tmp/a" >"$tmp/before"
	cksum "$tmp/a/x.otf2" "$tmp/a/x.def" >"$tmp/sums"
	(
		trap '' XFSZ
		ulimit -f "$1"
		"$tview" convert traces/pi.trc "$2" >"$tmp/out" 2>"$tmp/err"
	)
	[ $? = 3 ] && grep -q '^tview: cannot write' "$tmp/err" && [ "$(wc -l <"$tmp/err")" = 1 ] &&
		cksum "$tmp/a/x.otf2" "$tmp/a/x.def" | cmp - "$tmp/sums" &&
		listing "$tmp/a" | diff "$tmp/before" - || { cat "$tmp/err"; return 1; }
}
check "no room for an archive" full 8 "$tmp/a/x.otf2"
check "no room for a new archive" full 8 "$tmp/a/new.otf2"
# libotf2 collects 4 MiB of a file before it writes them.
full_later() {
	"$out/generate" --events 600k --locations 1 --format otf2 "$tmp/mid.otf2" >"$tmp/out" &&
		(trap '' XFSZ; ulimit -f 8000; "$tview" convert "$tmp/mid.otf2" "$tmp/never.otf2") 2>"$tmp/err"
	[ $? = 3 ] && grep -q '^tview: cannot write the OTF2 archive' "$tmp/err" && ! ls -d "$tmp"/.never* "$tmp"/never* 2>"$tmp/out" ||
		{ cat "$tmp/err"; return 1; }
}
check "no room for the second half of an archive" full_later
check "no room for PICL" full 8 "$tmp/a/new.trc"
check "no room for Chrome's JSON" full 8 "$tmp/a/new.json"

# ---- compressed ----

"$tview" convert "$stencil" "$tmp/plain.trc"
check "OUT.trc.zst is compressed" "$tview" convert "$stencil" "$tmp/packed.trc.zst"
check "with zstd" is "$(od -An -tx1 -N4 "$tmp/packed.trc.zst" | tr -d ' ')" 28b52ffd
check "to less than half" test $(($(wc -c <"$tmp/packed.trc.zst") * 2)) -lt "$(wc -c <"$tmp/plain.trc")"
check "and has all that an uncompressed one has" "$tview" convert "$tmp/packed.trc.zst" "$tmp/unpacked.trc"
check "byte by byte" cmp "$tmp/plain.trc" "$tmp/unpacked.trc"
if command -v zstd >/dev/null; then
	zstd -q -dc "$tmp/packed.trc.zst" >"$tmp/by_zstd.trc"
	check "as zstd takes it out, too" cmp "$tmp/plain.trc" "$tmp/by_zstd.trc"
fi
# 512 bytes: what is compressed comes to the disk when it is closed.
too_large() {
	(ulimit -f 1; trap '' XFSZ; "$tview" convert "$stencil" "$tmp/never.trc.zst") >"$tmp/said" 2>&1
	[ $? != 0 ] && grep -q 'cannot write .*never.trc.zst: File too large' "$tmp/said" && ! ls "$tmp"/never* 2>/dev/null
}
check "where there is no room for it nothing is left over" too_large
done_testing
