#!/usr/bin/env python3
"""strangers.py NAME: connects to all ports where processes of that name listen, and says what is not of their job, or
nothing, until it is ended. Of what nodes ask each other (capture/lib/far_wire.h) it knows only what anybody can see."""
import glob, os, socket, sys, time


def ports():
    owners = {}
    for fd in glob.glob("/proc/[0-9]*/fd/*"):
        try:
            with open(fd.split("/fd/")[0] + "/comm") as comm:
                owners.setdefault(os.readlink(fd), set()).add(comm.read().strip())
        except OSError:
            pass
    # What the launcher has, too, is the launcher's.
    sockets = {name for name in owners if owners[name] == {sys.argv[1][:15]}}
    for line in open("/proc/net/tcp").read().splitlines()[1:]:
        word = line.split()
        if word[3] == "0A" and "socket:[%s]" % word[9] in sockets:
            yield int(word[1].split(":")[1], 16)


kept = []
while True:
    for port in list(ports()):
        for text in (b"", b"GET / HTTP/1.1\r\nHost: node\r\nAccept: */*\r\n\r\n" * 3, b"far2" * 40, b"f", b"far1" * 12):
            try:
                s = socket.create_connection(("127.0.0.1", port), 1)
                s.sendall(text)
                kept = kept[-200:] + [s]
            except OSError as e:
                print(port, e)
    time.sleep(0.005)
