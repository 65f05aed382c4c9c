#!/bin/sh
# tvrun --live: the views beside the program in one terminal. The program's output is not in them, it goes on without
# them, and its trace is offered when it ends.
. tests/cli/tap.sh
command -v mpiexec.mpich >/dev/null || { skip "tvrun --live" "there is no mpiexec.mpich"; done_testing; }
hang=$out/tests/capture/programs/hang

# It says what it is told, and ends with status 7 when it is told to.
cat >"$tmp/job" <<END
cd "$tmp"
echo it begins
mpiexec.mpich -n 4 "$hang" barrier &
job=\$!
trap 'kill \$job; wait; exit 130' INT # what runs in the background ignores it
until [ -e ends ]; do
	[ ! -e says ] || { cat says; rm says; }
	sleep 0.1
done
kill \$job
wait
echo it ends
exit 7
END

# Plays keys in a terminal of its own; every wait has a bound.
cat >"$tmp/play.py" <<'END'
import fcntl, os, pty, re, select, struct, sys, termios, time
folder, tvrun, way = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(tvrun, [tvrun, "--yield", "--live", "-o", folder + "/t.trc", "sh", folder + "/job"])
seen, rows = "", 30

def read(seconds):
    global seen
    while select.select([fd], [], [], seconds)[0]:
        try:
            more = os.read(fd, 65536).decode("utf-8", "replace")
        except OSError:
            return False
        if not more:
            return False
        seen += more
    return True

def until(holds, what):
    """A terminal of another size is drawn anew."""
    global rows
    for i in range(100):
        if holds():
            return
        rows = 61 - rows
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 120, 0, 0))
        read(0.2)
    os.write(2, ("not seen: %s\n%s\n" % (what, seen[-3000:])).encode())
    sys.exit(1)

def until_seen(text):
    until(lambda: text in seen, text)

def tell(name, text=""):
    with open(folder + "/" + name + ".new", "w") as f:
        f.write(text)
    os.rename(folder + "/" + name + ".new", folder + "/" + name)

def kept():
    with open(folder + "/t.trc.out") as f:
        return f.read()

until_seen("Where the ranks are")
os.write(fd, b"2")
until_seen(" so far")
tell("says", "spoken beside\n")
until(lambda: "spoken beside" in kept(), "the output in its file")
if way == "leave":
    os.write(fd, b"q")
    until_seen("the program goes on")
    tell("says", "spoken afterwards\n")
    until_seen("spoken afterwards")
    tell("ends")
elif way == "interrupt":
    os.write(fd, b"q")
    until_seen("the program goes on")
    os.write(fd, b"\x03")
else:
    tell("ends")
    until_seen("its trace is t.trc: F shows it")
    os.write(fd, b"F")
    until_seen("the trace of the job")
    os.write(fd, b"q")
while read(30):
    pass
status = os.waitpid(pid, 0)[1]
print("status", os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status))
views, after = seen.split("\x1b[?1049h", 1)[1].split("\x1b[?1049l", 1)
print("in the views:", "spoken" in views or "ready" in views)
print("before them:", "it begins" in seen.split("\x1b[?1049h", 1)[0])
print("after them:", " ".join(re.findall("spoken [a-z]+|it ends|also in", after)))
END
has() { printf '%s\n' "$1" | grep -q -- "$2" || { printf '%s\n' "$1"; return 1; }; }
play() {
	rm -f "$tmp/ends" "$tmp/says" "$tmp/t.trc"
	/usr/bin/python3 "$tmp/play.py" "$tmp" "$out/tvrun" "$1"
}

check "who leaves the views sees the output, and the program goes on to its end" is "$(play leave)" "status 7
in the views: False
before them: True
after them: spoken beside spoken afterwards it ends also in"
check "its trace is there" test -s "$tmp/t.trc"
check "and all output is kept" is "$(grep -c '^spoken\|^it \|^ready' "$tmp/t.trc.out")" 8
said=$(play interrupt)
check "Ctrl-C after the views ends the program" has "$said" "^status"
check "of which the trace is there" test -s "$tmp/t.trc"
check "when it ends the trace is offered, and shown" is "$(play stay)" "status 7
in the views: False
before them: True
after them: spoken beside it ends also in"
"$out/tvrun" --live -o "$tmp/none.trc" true </dev/null >"$tmp/said" 2>&1
check "without a terminal nothing is run" is "$? $(cat "$tmp/said")" \
	"125 tvrun: --live needs a terminal (without one, leave it out and look with tview live from another one)"
check "nor is a file made" test ! -e "$tmp/none.trc.out"
done_testing
