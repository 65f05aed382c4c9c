"""tview on a slow line: slow_line.py PROGRAM TRACE prints what 24 zooms cost, typed one by one and held down.

The line takes 10 KB/s and 200 ms each way; the reader of the pseudo-terminal takes no more, so that the program has to wait as
it does for ssh. Prints: bytes of zooms that are waited for, of the same held down, and seconds from the last key to the last byte."""
import fcntl, os, pty, select, signal, struct, sys, termios, time

RATE, LATENCY, KEYS = 10_000, 0.2, b"ws" * 12


def open_screen(program, trace):
    pid, fd = pty.fork()
    if pid == 0:
        place = {name: os.environ[name] for name in ("PATH", "HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME") if name in os.environ}
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        os.execve(program, [program, "--no-cache", "--view", "timeline", trace], {**place, "TERM": "xterm-256color", "LANG": "C.UTF-8"})
    return pid, fd


def quiet(fd, rate=None, keys=(), most=60):
    """Sends (when, key), reads until nothing came for a second; (bytes, seconds from the last key to the last byte)."""
    began = last = time.monotonic()
    keys, n, sent = list(keys), 0, began
    while time.monotonic() - began < most:
        while keys and time.monotonic() - began >= keys[0][0]:
            os.write(fd, keys.pop(0)[1])
            sent = last = time.monotonic()
        if select.select([fd], [], [], 0.005)[0]:
            got = len(os.read(fd, 500 if rate else 65536))
            n, last = n + got, time.monotonic()
            if rate:
                time.sleep(got / rate)
        elif not keys and time.monotonic() - last > 1:
            break
    return n, max(last - sent, 0) + (2 * LATENCY if rate else 0)


pid, fd = open_screen(*sys.argv[1:3])
try:
    quiet(fd)
    single = 0
    for key in KEYS[:4]:
        single += quiet(fd, None, [(0, bytes([key]))])[0]
    held, late = quiet(fd, RATE, [(0.03 * i, bytes([key])) for i, key in enumerate(KEYS)])
    print(single * len(KEYS) // 4, held, round(late, 1))
finally:
    os.kill(pid, signal.SIGTERM)
    os.close(fd)
    os.waitpid(pid, 0)
