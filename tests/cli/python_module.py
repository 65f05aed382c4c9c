#!/usr/bin/python3
"""Tests of the module of Python, as TAP: a function each, whose docstring says what holds."""
import gc
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading

import tview

os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
SWEEP = "traces/otf2/sweep3d-4/traces.otf2"


class Skip(Exception):
    pass


def raises(kind, call, *args, **options):
    try:
        call(*args, **options)
    except kind as error:
        return error
    raise AssertionError("no %s" % kind.__name__)


def numpy():
    try:
        import numpy
    except ImportError:
        raise Skip("python3-numpy is not installed")
    return numpy


def otf2_sends():
    """(rank, destination, bytes) of each send, of OTF2's own program."""
    said = subprocess.run(["otf2-print", SWEEP], capture_output=True, text=True, check=True).stdout
    return [tuple(map(int, send)) for send in
            re.findall(r"^MPI_SEND +(\d+) .*Receiver: (\d+) .*Length: (\d+)", said, re.M)]


def test_messages():
    """messages are those that otf2-print lists"""
    sends = otf2_sends()
    with tview.open(SWEEP) as trace:
        rows = [(m.src, m.dst, m.bytes) for m in trace.messages()]
    assert len(rows) > 1000 and sorted(rows) == sorted(sends), (len(rows), len(sends))


def test_choice():
    """filter, ranks and window choose among all rows"""
    sends = otf2_sends()
    with tview.open(SWEEP) as trace:
        assert len(trace.messages(filter="bytes > 4000")) == sum(b > 4000 for _, _, b in sends)
        assert len(trace.messages(ranks=2)) == sum(2 in s[:2] for s in sends)
        assert len(trace.messages(ranks=[0, 1])) == sum(s[0] < 2 or s[1] < 2 for s in sends)
        calls = list(trace.calls())
        begin, end = 0.14, 0.15
        seen = [c for c in calls if c.begin_s < end and c.begin_s + c.duration_s >= begin]
        assert 0 < len(seen) < len(calls)
        assert abs(len(trace.calls(window=(begin, end))) - len(seen)) <= 1  # of which a double hides the begin
        events = list(trace.events(location=1))
        assert events and {e.rank for e in events} == {1}
        assert len(list(trace.events())) > len(events)
    with tview.open(SWEEP, ranks="0-1", filter="region == MPI_Recv") as trace:
        calls = list(trace.calls())
        assert {(c.rank, c.region) for c in calls} == {(0, "MPI_Recv"), (1, "MPI_Recv")}


def test_again():
    """rows can be iterated twice, and beside columns"""
    with tview.open(SWEEP) as trace:
        table = trace.collectives()
        rows = list(table)
        assert rows and rows == list(table) and len(table) == len(rows) and rows == list(table)
        assert list(zip(*table.columns().values())) == [tuple(r) for r in rows]
        first, second = iter(table), iter(table)
        assert next(first) == next(second) == rows[0] and next(first) == rows[1]


def test_unknown():
    """cells that are not known are None, NaN, -1 or marked"""
    with tview.open(SWEEP) as trace:
        waits = trace.table("waits")
        bytes, remarks = waits["bytes"], waits["remarks"]
        rows = list(waits)
        assert [r.bytes for r in rows] == list(bytes) and None in list(bytes)
        assert [r.bytes is not None for r in rows] == list(bytes.known)
        assert all(v == 0 for v, known in zip(bytes.values, bytes.known) if not known)
        assert [-1 if r.remarks is None else remarks.categories.index(r.remarks) for r in rows] == list(remarks.values)
        assert waits["rank"].known is None and waits["bytes"].categories is None
    with tview.open("traces/otf2/ez-pp-2/eztrace_log.otf2") as trace:
        for name in tview.tables():
            try:
                table = trace.table(name)
            except tview.Error:
                continue
            for column in table.columns().values():
                if column.values.format == "d":
                    assert [math.isnan(v) for v in column.values] == [v is None for v in column]


def test_memory():
    """columns are the library's memory, to be read only, and outlive all else"""
    np = numpy()
    trace = tview.open(SWEEP)
    table = trace.messages()
    column = table["latency_s"]
    shared = np.asarray(column.values)
    assert shared.dtype == np.float64 and not shared.flags.writeable and not shared.flags.owndata
    assert shared.__array_interface__["data"][0] == np.asarray(table["latency_s"].values).__array_interface__["data"][0]
    raises(TypeError, column.values.__setitem__, 0, 1.0)
    sum_of_rows = math.fsum(m.latency_s for m in table)
    trace.close()
    del trace, table, column
    gc.collect()
    assert math.isclose(math.fsum(shared), sum_of_rows, rel_tol=1e-15)
    assert np.asarray(tview.open(SWEEP).messages()["bytes"]).dtype == np.int64


def test_frame():
    """a frame of pandas has the rows"""
    np = numpy()
    try:
        import pandas
    except ImportError:
        raise Skip("python3-pandas is not installed")
    with tview.open(SWEEP) as trace:
        waits = trace.table("waits")
        frame = waits.frame()
        rows = list(waits)
        assert list(frame.columns) == list(waits.names) and len(frame) == len(rows)
        assert frame["bytes"].isna().tolist() == [r.bytes is None for r in rows]
        assert frame["bytes"].sum() == sum(r.bytes or 0 for r in rows)
        assert frame["metric"].astype(str).tolist() == [r.metric for r in rows]
        assert np.shares_memory(frame["waited_s"].to_numpy(), np.asarray(waits["waited_s"].values))


def test_errors():
    """errors are sentences with a status"""
    error = raises(tview.Error, tview.open, "none.trc")
    assert error.status == 3 and "none.trc" in str(error)
    with tview.open(SWEEP) as trace:
        assert raises(tview.Error, trace.table, "nothing").status == 2
        assert raises(tview.Error, trace.messages, filter="bytes >").status == 2
        assert "column 8" in str(raises(tview.Error, trace.messages, filter="bytes >"))
        assert raises(tview.Error, trace.table, "messages", colour="red").status == 2
        assert "send_time_s" in str(raises(KeyError, trace.messages().column, "time"))
        raises(ValueError, trace.table, "messages", filter="a\0b")
        raises(UnicodeEncodeError, trace.table, "messages", filter="\ud800")
        raises(TypeError, trace.table, None)
    assert "closed" in str(raises(ValueError, trace.messages))
    assert issubclass(tview.Error, Exception)
    raises(TypeError, tview._library.Table)


def test_damage():
    """damage is a sentence, or None"""
    assert tview.open(SWEEP).damage is None
    with tempfile.NamedTemporaryFile(suffix=".trc") as cut:
        whole = open("traces/stencil.trc", "rb").read().splitlines(keepends=True)
        cut.write(b"".join(whole[:100]) + b"-3 nonsense\n" + b"".join(whole[100:]))
        cut.flush()
        damage = tview.open(cut.name).damage
    assert damage and "\n" not in damage


def test_threads():
    """threads read one trace"""
    with tview.open(SWEEP) as trace:
        expected = {name: [list(c) for c in trace.table(name).columns().values()]
                    for name in ("messages", "calls", "profile", "waits")}
        wrong = []

        def read():
            for name, columns in expected.items():
                if repr([list(c) for c in trace.table(name).columns().values()]) != repr(columns):
                    wrong.append(name)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        assert not wrong, wrong


def test_leaks():
    """memory does not grow with the tables that were made"""
    def use(trace, times):
        for _ in range(times):
            list(trace.messages(ranks=1))
            trace.messages().columns()
            raises(tview.Error, trace.table, "nothing")

    with tview.open(SWEEP) as trace:
        use(trace, 20)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        use(trace, 150)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4096, "%d KiB" % grown  # one table has about 400 KiB


def test_alone():
    """neither numpy nor pandas is needed"""
    code = "import sys, tview; c = tview.open(%r).messages()['bytes']; print(sum(c)); assert 'numpy' not in sys.modules"
    said = subprocess.run([sys.executable, "-S", "-c", code % SWEEP], capture_output=True, text=True)
    assert said.stdout.strip() == str(sum(b for _, _, b in otf2_sends())), said


def test_documented():
    """everything that is public has a docstring"""
    things = [tview] + [getattr(tview, name) for name in tview.__all__ if name != "HOST"]
    for thing in things:
        assert thing.__doc__, thing
        for name, member in vars(thing).items() if isinstance(thing, type) else ():
            assert name.startswith("_") or not callable(member) or member.__doc__, (thing, name)


tests = [(name[len("test_"):], test) for name, test in list(globals().items()) if name.startswith("test_")]
failed = False
for n, (name, test) in enumerate(tests, 1):
    try:
        test()
    except Skip as why:
        print("ok %d # SKIP %s: %s" % (n, test.__doc__, why))
    except Exception:
        import traceback
        failed = True
        print("not ok %d - %s" % (n, test.__doc__))
        print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="")
    else:
        print("ok %d - %s" % (n, test.__doc__))
print("1..%d" % len(tests))
sys.exit(failed)
