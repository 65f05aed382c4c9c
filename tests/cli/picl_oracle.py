#!/usr/bin/python3
"""A second, independent reading of PICL traces, to check tview's exports with.

    picl_oracle.py messages|profile|collectives TRACE     prints the columns that `tview export` promises, as CSV

Written from the format's report and MPICL's tables alone, in a few plain passes: no code and no idea is
shared with tview. It understands what tview's own traces hold, not every oddity of the format; it stops at
what it does not know rather than guess. Times are integers of the file's finest digit.
"""
import csv
import re
import sys
from collections import defaultdict, deque

MPI = {
    -11: "MPI_Init", -12: "MPI_Finalize", -21: "MPI_Send", -22: "MPI_Bsend", -23: "MPI_Ssend", -24: "MPI_Rsend",
    -27: "MPI_Isend", -33: "MPI_Ibsend", -39: "MPI_Issend", -45: "MPI_Irsend", -51: "MPI_Recv", -52: "MPI_Recv",
    -53: "MPI_Iprobe", -54: "MPI_Iprobe", -55: "MPI_Probe", -56: "MPI_Probe", -57: "MPI_Irecv",
    -402: "MPI_Barrier", -780: "MPI_Allgather", -782: "MPI_Allreduce", -783: "MPI_Alltoall", -785: "MPI_Bcast",
    -781: "MPI_Allgatherv", -784: "MPI_Alltoallv", -787: "MPI_Gatherv", -794: "MPI_Scatterv",
    -805: "MPI_Comm_dup", -806: "MPI_Comm_free", -812: "MPI_Comm_split", -841: "MPI_Cart_create", -846: "MPI_Cart_sub",
    -786: "MPI_Gather", -790: "MPI_Reduce", -791: "MPI_Reduce_scatter", -792: "MPI_Scan", -793: "MPI_Scatter",
}
PICL = {
    -11: "open0", -12: "close0", -21: "send0", -27: "sendbegin0", -51: "recv0", -52: "recv0", -53: "probe0",
    -54: "probe0", -55: "wait0", -56: "wait0", -57: "recvbegin0", -401: "clocksync0", -402: "sync0",
    -902: "traceevents", -903: "tracefiles", -904: "tracelevel", -905: "traceinfo",
}
SENDS = {-21, -22, -23, -24}
SEND_REQUESTS = {-27, -33, -39, -45}
RECEIVES = {-51, -52}
RECEIVE_REQUESTS = {-57}
RECEIVE_ENDS = {-58, -60, -61}


class Record:
    __slots__ = ("kind", "event", "time", "proc", "process", "data", "order")


def conversions(descriptor):
    """The letters of a descriptor's conversions, one pass."""
    fixed = {"0": "c", "1": "s", "2": "d", "3": "d", "4": "f", "5": "f"}
    if descriptor in fixed:
        return fixed[descriptor]
    letters = re.findall(r"%\d*(?:l{0,2})([cdsifgexu])", descriptor.strip('"'))
    return "".join(letters)


def parse(path):
    """All records, and the text behind the descriptor where it is of characters."""
    digits = 0
    raw = []
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
            if not line.strip():
                continue
            match = re.match(r'\s*(-?\d+) (-?\d+) (-?\d+(?:\.\d*)?) (-?\d+) (-?\d+) (\d+)(?: ("[^"]*"|\d+) ?(.*))?$',
                             line)
            if not match:
                sys.exit(f"{path}:{number}: the oracle cannot read this line: {line[:80]}")
            raw.append(match.groups())
            digits = max(digits, len(match.group(3).partition(".")[2]))
    records = []
    for order, (kind, event, time, proc, process, fields, descriptor, rest) in enumerate(raw):
        r = Record()
        whole, _, part = time.partition(".")
        ticks = int(whole.lstrip("-") or 0) * 10 ** digits + int(part.ljust(digits, "0") or 0)
        r.kind, r.event, r.proc, r.process = int(kind), int(event), int(proc), int(process)
        r.time = -ticks if time.startswith("-") else ticks
        r.order = order
        r.data = []
        if int(fields):
            letters = conversions(descriptor)
            if letters == "c":
                r.data = [rest[:int(fields)]]
            elif letters:
                wanted = (letters * int(fields))
                tokens = re.findall(r'"[^"]*"|\S+', rest)
                r.data = [int(t) if k == "d" and re.fullmatch(r"-?\d+", t) else t
                          for k, t in zip(wanted, tokens)]
        records.append(r)
    return records, digits


class Trace:
    def __init__(self, path):
        self.records, self.digits = parse(path)
        self.labels = {}
        self.members = {}
        self.names = {}
        self.properties = {}
        self.per = defaultdict(list)
        for r in self.records:
            if r.kind == -5:
                self.labels[r.event] = " ".join(map(str, r.data))
            elif r.kind == -202:
                self.members[r.data[0]] = r.data[1:]
            elif r.kind == -7 and r.data and str(r.data[0]).startswith("tview:comm="):
                number, _, name = str(r.data[0])[11:].partition(" ")
                self.names[int(number)] = name
            elif r.kind == -7 and r.data and str(r.data[0]).startswith("tview:"):
                key, _, value = str(r.data[0])[6:].partition("=")
                self.properties.setdefault(key, value)
            elif r.kind in (-2, -3, -4) or r.kind >= 0:
                if r.proc >= 0:
                    self.per[(r.proc, self.thread(r))].append(r)
        for rows in self.per.values():
            rows.sort(key=lambda r: r.time)
        self.mpi = bool(self.properties)
        self.names[int(self.properties.get("world", -1))] = self.names[-1] = "world"

    def thread(self, record):
        return 0

    def name(self, event):
        if event in self.labels:
            return self.labels[event]
        table = {**PICL, **MPI} if self.mpi else {**MPI, **PICL}
        if event in table:
            return table[event]
        return f"event {event}"

    def seconds(self, ticks):
        digits = max(9, self.digits)
        ticks *= 10 ** (digits - self.digits)
        sign = "-" if ticks < 0 else ""
        return f"{sign}{abs(ticks) // 10 ** digits}.{abs(ticks) % 10 ** digits:0{digits}d}"

    def mean(self, total, count):
        """Rounded to a tick, half away from zero."""
        return (2 * total + count) // (2 * count)


def visits(trace):
    """(place, event type, begin, end, inner time, outermost of its name) of every visit."""
    for place, rows in sorted(trace.per.items()):
        open_ = []
        last = rows[-1].time

        def close(time):
            name, begin, inner, outer = open_.pop()
            if open_:
                open_[-1][2] += time - begin
            return place, name, begin, time, inner, outer

        for r in rows:
            if r.event == -901 or r.kind == -2 and (r.event in RECEIVE_ENDS or -50 <= r.event <= -28):
                continue
            name = trace.name(r.event)
            if r.kind == -3:
                open_.append([name, r.time, 0, all(o[0] != name for o in open_)])
            elif r.kind == -2:
                yield place, name, r.time, r.time, 0, True
            elif r.kind == -4 and any(o[0] == name for o in open_):
                while open_[-1][0] != name:
                    yield close(r.time)
                yield close(r.time)
        while open_:
            yield close(last)


def profile(trace, out):
    rows = {}
    for _, name, begin, end, inner, outer in visits(trace):
        row = rows.setdefault(name, [0, 0, 0, [], ])
        row[0] += 1
        row[1] += end - begin if outer else 0
        row[2] += end - begin - inner
        row[3].append(end - begin)
    out.writerow("region,count,inclusive_s,exclusive_s,min_s,mean_s,max_s".split(","))
    for name, (count, inclusive, exclusive, each) in sorted(rows.items()):
        out.writerow([name, count] + [trace.seconds(t) for t in (
            inclusive, exclusive, min(each), trace.mean(sum(each), count), max(each))])


class Message:
    send = receive = None   # (time, region) of the ends
    source = destination = tag = size = comm = None


def innermost(trace, rows):
    """For every record of a place the region that is open behind it (in front of it for a leave)."""
    open_ = []
    for r in rows:
        if r.event == -901:
            yield r, ""
        elif r.kind == -3:
            open_.append(trace.name(r.event))
            yield r, open_[-1]
        elif r.kind == -4:
            name = trace.name(r.event)
            inside = open_[-1] if open_ else ""
            if name in open_:
                while open_.pop() != name:
                    pass
                inside = name
            yield r, inside
        else:
            yield r, open_[-1] if open_ else ""


def at(data, i):
    """A field, or None where it is missing, dropped or -1."""
    return data[i] if i < len(data) and data[i] != -1 else None


def messages_of(trace):
    """All messages: sends in their order, receives in the order in which they were posted, first in first out
    by source, destination and tag."""
    sends = defaultdict(deque)
    receives = []
    for (proc, _), rows in sorted(trace.per.items()):
        posted = defaultdict(deque)
        open_receive = []
        for r, region in innermost(trace, rows):
            if r.event in SENDS | SEND_REQUESTS and r.kind in (-3, -2):
                if at(r.data, 0) is None:
                    continue  # to MPI_PROC_NULL
                m = Message()
                m.comm = at(r.data, 4)
                m.source, m.destination = proc, at(r.data, 2)
                m.size, m.tag = at(r.data, 0), r.data[1]
                m.send = (r.time, region)
                sends[(proc, m.destination, m.tag)].append(m)
            elif r.event in RECEIVES and r.kind == -3:
                open_receive.append((r.time, r.order))
            elif r.event in RECEIVES and r.kind == -4:
                when = open_receive.pop()
                if r.data:
                    receives.append((proc, when, r, region, r.data))
            elif r.event in RECEIVE_REQUESTS and r.kind == -3:
                open_receive.append((r.time, r.order))
            elif r.event in RECEIVE_REQUESTS and r.kind == -4:
                when = open_receive.pop()
                if r.data:
                    posted[r.data[-1]].append(when)
            elif r.event in RECEIVE_ENDS and r.kind == -2:
                receives.append((proc, posted[r.data[0]].popleft(), r, region, r.data[1:]))
            elif r.event in RECEIVE_ENDS and r.kind == -3:
                open_receive.append(posted[r.data[0]].popleft())
            elif r.event in RECEIVE_ENDS and r.kind == -4:
                receives.append((proc, open_receive.pop(), r, region, r.data))
    done = []
    for proc, _, r, region, data in sorted(receives, key=lambda x: (x[0], x[1])):
        queue = sends[(at(data, 2), proc, data[1])]
        m = queue.popleft() if queue else Message()
        if m.send is None:
            m.source, m.destination, m.tag, m.comm = at(data, 2), proc, data[1], at(data, 4)
        m.size = at(data, 0)
        m.receive = (r.time, region)
        done.append(m)
    return done + [m for queue in sends.values() for m in queue]


def messages(trace, out):
    out.writerow("send_time_s,recv_time_s,src,dst,tag,bytes,comm,send_region,recv_region".split(","))
    nowhere = (None, "")
    rows = []
    for m in messages_of(trace):
        s, r = m.send or nowhere, m.receive or nowhere
        rows.append([s[0], r[0], m.source, m.destination, m.tag, m.size, trace.names[m.comm or -1], s[1], r[1]])
    for row in sorted(rows, key=lambda x: [(v is not None, v) for v in x]):
        row[0:2] = ["" if t is None else trace.seconds(t) for t in row[0:2]]
        out.writerow(["" if v is None else v for v in row])


ROOTED = {-785, -786, -787, -790, -793, -794}
UNROOTED = {-780, -781, -782, -783, -784, -791, -792}


def collectives(trace, out):
    """The n-th call of every member of a communicator belongs to its n-th collective."""
    out.writerow("comm,op,root,begin_s,end_s,ranks,bytes_sent,bytes_received".split(","))
    instances = defaultdict(list)
    for (proc, _), rows in sorted(trace.per.items()):
        calls = defaultdict(int)
        for r in rows:
            if r.event not in ROOTED | UNROOTED | {-402}:
                continue
            if r.kind == -3:
                data = r.data if r.event != -402 else [0] + r.data
                subset = data[2] if r.event in ROOTED else data[1]
                root = data[1] if r.event in ROOTED else None
                now = instances[(subset, calls[(subset, r.event)], r.event)]
                calls[(subset, r.event)] += 1
                now.append([proc, r.time, None, root, data[0], 0])
                open_ = now[-1]
            elif r.kind == -4:
                open_[2] = r.time
                open_[5] = at(r.data, 0) or 0
    for (subset, _, event), members in instances.items():
        root = members[0][3]
        out.writerow([trace.names[subset], trace.name(event), "" if root is None else root,
                      trace.seconds(min(m[1] for m in members)), trace.seconds(max(m[2] for m in members)),
                      len(members), sum(m[4] for m in members), sum(m[5] for m in members)])


def main():
    what, path = sys.argv[1:]
    trace = Trace(path)
    {"messages": messages, "profile": profile, "collectives": collectives}[what](trace, csv.writer(sys.stdout, lineterminator="\n"))


if __name__ == "__main__":
    main()
