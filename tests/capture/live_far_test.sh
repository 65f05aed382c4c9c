#!/bin/sh
# A folder of two nodes on a shared disk, made by hand: ranks 2 and 3 are said to be of another node, then the file of
# rank 3 cannot be read. What cannot be seen from here is said, and not that those ranks were killed.
. tests/cli/tap.sh
command -v mpiexec.mpich >/dev/null || { skip "ranks of another node" "there is no mpiexec.mpich"; done_testing; }
hang=$out/tests/capture/programs/hang
has() { printf '%s\n' "$1" | grep -q -- "$2" || { printf '%s\n' "$1"; return 1; }; }
has_not() { ! has "$@" >/dev/null || { printf '%s\n' "$1"; return 1; }; }
page() { "$tview" live "$tmp/both" --summary 2>&1 | tr -s ' \n' ' '; }

: >"$tmp/log"
"$out/tvrun" --yield -o "$tmp/run.trc" mpiexec.mpich -n 4 "$hang" barrier </dev/null >"$tmp/log" 2>&1 &
run=$!
for _ in $(seq 300); do [ "$(grep -c ready "$tmp/log")" -ge 4 ] && break; sleep .1; done
folder=$(echo "$tmp"/run.trc.ranks-*)
for _ in $(seq 300); do "$tview" live "$run" --summary 2>/dev/null | grep -q "wait for" && break; sleep .1; done
cp -r "$folder" "$tmp/both"
far=$(/usr/bin/python3 - "$tmp"/both/*.tvrank <<'END'
import os, struct, sys
host = os.uname().nodename.encode()[:31] + b"\0"
for path in sys.argv[1:]:
    with open(path, "r+b") as f:
        head = f.read(65536)
        rank = struct.unpack_from("<i", head, 32)[0] # tv_file.rank
        if rank < 2:
            continue
        at = head.find(host)
        while at >= 0:
            f.seek(at)
            f.write(b"far".ljust(len(host), b"\0"))
            at = head.find(host, at + 1)
        if rank == 3:
            print(path)
END
)
said=$(page)
check "both nodes are there" has "$said" "4 ranks on 2 nodes"
check "ranks of the other one are told as such" has "$said" \
	"Incomplete: rank 2: on another node, whether it goes on cannot be seen from here; rank 3: on another node"
check "and not as killed" has_not "$said" "have no end\|ended without"
check "nothing is damaged or missing" "$tview" check "live:$tmp/both"
check "a trace of all of it is written" "$tview" live "$tmp/both" --save "$tmp/both.trc"
check "in which they wait as well" has "$("$tview" report "$tmp/both.trc")" "3 ranks wait for rank 1"
rm "$far"
said=$(page)
check "a rank whose file is not there is told" has "$said" \
	"no data from 1 rank, which cannot be read from here or did not begin yet"
check "the others are shown" has "$said" "3 ranks on 2 nodes"
kill -INT $run
wait $run
done_testing
