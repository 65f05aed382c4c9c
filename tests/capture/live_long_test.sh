#!/bin/sh
# A look at a job with many events has the last ones, whole: what is before is counted, so that no message is paired with
# another one's record. Message I of a tag has I % 1000 + 1 bytes, on both sides (programs/last.c).
. tests/cli/tap.sh
program=$out/tests/capture/programs/last
command -v mpiexec.mpich >/dev/null && [ -x "$program" ] || { skip "tview live" "there is no mpiexec.mpich"; done_testing; }
has() { printf '%s\n' "$1" | grep -q -- "$2" || { printf '%s\n' "$1"; return 1; }; }

# begin [OPTION...]: rank 0 writes 500 x 6,000 records, the others 500 x 1,000 and more, 8 bytes each: 40 MiB
begin() {
	: >"$tmp/log"
	"$out/tvrun" --yield -o "$tmp/run.trc" "$@" mpiexec.mpich -n 4 "$program" 500 hang </dev/null >"$tmp/log" 2>&1 &
	run=$!
	for _ in $(seq 600); do grep -q ready "$tmp/log" && break; sleep .1; done
	# And rank 0 waits.
	for _ in $(seq 600); do rollcall >"$tmp/rollcall"; grep -q '^0 sending' "$tmp/rollcall" && break; sleep .1; done
}
end() { kill -INT "$run"; wait "$run"; }
rollcall() { "$tview" export rollcall "live:$run" -f csv | awk -F, '{ print $1, $3, $4, $7, $8 }'; }
sends() { awk -F, '$4 == "send"' "$tmp/events" | wc -l; }
counted() { "$tview" export graph "live:$run" -f csv | awk -F, -v r="$1" '$3 == r && !n { n = $6 } END { print n + 0 }'; }
in_order() { awk -v channels=24 -f tests/capture/programs/last.awk "$tmp/events"; }

begin --no-insitu
"$tview" export events "live:$run" -f csv >"$tmp/events"
check "fewer than 500 rounds of 144 messages" [ "$(sends)" -lt $((500 * 144)) ]
check "but the last ones" [ "$(sends)" -gt 144 ]
# 16 MiB of at least 8 bytes each.
check "events are bounded" [ "$(wc -l <"$tmp/events")" -le $((2 * 1024 * 1024)) ]
check "they have their partners" in_order
check "who waits for whom" grep -q '^0 sending MPI_Ssend 1 77' "$tmp/rollcall"
check "and who does not" grep -q '^1 computing end  ' "$tmp/rollcall"
check "statistics are of the whole run" is "$(counted step)" $((500 * (3000 + 3 * 500)))
check "what is missing is said" has "$("$tview" live "$run" --summary | tr -s ' \n' ' ')" \
	"This look has the last events of 4 ranks, not those of .* of rank time before; statistics are of the whole run"
page=$("$tview" live "$run" --summary)
check "and how long the run is" has "$page" "^run.trc: 4 ranks on 1 node, last [0-9.]* m*s of [0-9.]* m*s"
check "waits have a duration, not a time" has "$page" "^ *ranks  *count  state  *call path  *for$"
check "waiting that statistics do not have is not said to be 0" \
	is "$("$tview" export graph "live:$run" -f csv | awk -F, '$2 == "program" { print $9 $10 }')" ""

# The screen looks again every second: fifteen looks take no more memory than five.
cat >"$tmp/watch.py" <<'END'
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], [sys.argv[1], "live", sys.argv[2], "--view", "timeline"])

def most(seconds):
    """KiB in memory, at most, while it is drawn."""
    end, kib = time.time() + seconds, 0
    while time.time() < end:
        if select.select([fd], [], [], 0.05)[0]:
            os.read(fd, 65536)
        with open("/proc/%d/status" % pid) as f:
            kib = max([kib] + [int(line.split()[1]) for line in f if line.startswith("VmRSS")])
    return kib

most(1)
first, then = most(5), most(10)
os.write(fd, b"q")
print(first, then)
END
looks=$(python3 "$tmp/watch.py" "$tview" "$run")
check "looks take some memory ($looks KiB)" [ "${looks%% *}" -gt 20000 ]
check "but no more with each" [ "${looks##* }" -le $((${looks%% *} * 11 / 10)) ]
end
done_testing
