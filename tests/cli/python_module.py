#!/usr/bin/python3
"""Tests of the module of Python, as TAP: a function each, whose docstring says what holds."""
import collections
import gc
import math
import os
import pathlib
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


def otf2_print(pattern):
    """What a pattern finds in the lines of OTF2's own program."""
    said = subprocess.run(["otf2-print", SWEEP], capture_output=True, text=True, check=True).stdout
    return re.findall(pattern, said, re.M)


def otf2_sends():
    """(rank, destination, bytes) of each send."""
    sends = otf2_print(r"^MPI_SEND +(\d+) .*Receiver: (\d+) .*Length: (\d+)")
    return [tuple(map(int, send)) for send in sends]


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


def test_own_options():
    """a grid that is asked for by one table is that table's alone"""
    with tview.open("traces/stencil.trc") as trace:
        asked, unasked = trace.table("topology", topology="4x1"), trace.table("topology")
        assert [r.coords for r in asked if r.source == "given"] == ["0 0", "1 0", "2 0", "3 0"]
        assert "given" not in {r.source for r in unasked}


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
        assert str(raises(tview.Error, trace.messages, page="2-0")) == "tables have no option 'page'"
        assert [m.send_time_s for m in trace.messages(limit=2)] == [m.send_time_s for m in trace.messages()][:2]
        assert "send_time_s" in str(raises(KeyError, trace.messages().column, "time"))
        raises(ValueError, trace.table, "messages", filter="a\0b")
        raises(UnicodeEncodeError, trace.table, "messages", filter="\ud800")
        raises(TypeError, trace.table, None)
    assert "closed" in str(raises(ValueError, trace.messages))
    assert issubclass(tview.Error, Exception)
    raises(TypeError, tview._library.Table)
    raises(TypeError, tview._library.Records)
    raises(ValueError, tview.open, SWEEP + "\0")
    raises(TypeError, tview.open, None)
    with tview.open(pathlib.Path(SWEEP)) as trace:
        assert len(trace.messages(window=(None, None))) == len(otf2_sends())
        assert raises(tview.Error, trace.messages, window=(2, 1)).status == 2
        assert raises(tview.Error, trace.messages, window=(math.nan, None)).status == 2


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
        wrong, visits = [], len(trace.records("visits"))

        def read():
            for name, columns in expected.items():
                if len(trace.records("visits")["begin"]) != visits:
                    wrong.append("visits")
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
            trace.records("visits", location=1)["begin"]
            next(iter(trace.records("events")))
            trace.callpaths()
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


def test_records():
    """records are what otf2-print lists"""
    enters = collections.Counter(otf2_print(r'^ENTER +\d+ .*Region: "(.*?)" <'))
    with tview.open(SWEEP) as trace:
        regions = trace.regions()
        visits = trace.records("visits")
        assert collections.Counter(regions[v.region].name for v in visits) == enters and sum(enters.values()) > 4000
        messages = trace.records("messages")
        assert sorted(zip(messages["source"], messages["destination"], messages["bytes"])) == sorted(otf2_sends())
        assert len(trace.records("messages", location=2)) == sum(2 in s[:2] for s in otf2_sends())
        assert len(trace.records("events", location=1)) == trace.locations()[1].events
        events = trace.records("events")
        sent = tview.event_kinds().index("send")
        assert sum(kind == sent for kind in events["kind"]) == len(otf2_sends())
        assert list(events["time"]) == sorted(events["time"])
        # The same as the tables, in ticks.
        rows = list(trace.messages(base="measured"))
        ticks = sorted(m.sent for m in trace.records("messages", base="measured"))
        assert all(abs(t / trace.ticks_per_second - m.send_time_s) < 1e-9 for t, m in zip(ticks, rows))
        total = math.fsum(trace.records("severities", metric="mpi_latesender")["value"])
        assert math.isclose(total, {r.metric: r.severity for r in trace.table("patterns", by="metric")}["mpi_latesender"])
        assert {tview.metrics()[m].name for m in trace.records("severities", metric="mpi")["metric"]} == {"mpi"}


def test_record_memory():
    """fields share the memory of records, which outlive their trace"""
    np = numpy()
    trace = tview.open(SWEEP)
    records = trace.records("messages")
    first, rows = next(iter(records)), list(records)
    assert rows[0] == first == records[0] and records[-1] == rows[-1] and list(records) == rows
    raises(IndexError, records.__getitem__, len(rows))
    raises(KeyError, records.__getitem__, "colour")
    array, tags = records.array(), np.asarray(records["tag"])
    assert array.dtype.itemsize == 80 and np.shares_memory(array, tags) and not tags.flags.writeable
    assert array["tag"].tolist() == tags.tolist() == [row.tag for row in rows]
    assert tags.strides == (80,) and tags.dtype == np.int32 and array["sent"].dtype == np.int64
    own = trace.shared("messages.tag")
    assert [own[i] for i in records["id"]] == tags.tolist() and own.readonly
    assert len(trace.records("messages", filter="bytes < 0").array()) == 0
    trace.close()
    del trace, records
    gc.collect()
    assert array["tag"].tolist() == tags.tolist() and len(own) == len(tags)


def test_definitions():
    """definitions are lists by number"""
    with tview.open("traces/stencil.trc") as trace:
        assert [l.rank for l in trace.locations()] == [0, 1, 2, 3]
        paths = trace.callpaths()
        assert paths[0] == (0, tview.NONE, 0, 0, "", 0)
        for number, path in enumerate(paths[1:], 1):
            assert trace.callpath(number).split(" > ")[-1] == trace.regions()[path.region].name
            assert paths[path.parent].depth == path.depth - 1
        assert list(trace.shared("callpaths.parent")) == [p.parent for p in paths]
        grid = trace.grids()[0]
        assert grid.size == (2, 2) and not grid.guessed
        assert sorted(map(tuple, trace.places().tolist())) == [(0, 0), (0, 1), (1, 0), (1, 1)]
        assert trace.comms()[0].ranks == (0, 1, 2, 3)
        assert trace.base in trace.bases and trace.span[0] < trace.span[1]
        nodes = list(trace.records("nodes"))
        assert nodes[0].parent == tview.NONE and {n.parent for n in nodes[1:]} <= {n.id for n in nodes}
        assert "exchange" in {trace.string(n.name) for n in nodes}
        raises(KeyError, trace.shared, "nothing")
        raises(KeyError, trace.places, 99)
        raises(ValueError, trace.records, "nothing")
        raises(ValueError, trace.records, "visits", location=-1)
        assert raises(tview.Error, trace.records, "visits", location=4).status == 2
        assert raises(tview.Error, trace.records, "visits", sort="begin").status == 2
    raises(ValueError, trace.locations)
    raises(ValueError, trace.records, "visits")


def test_documented():
    """everything that is public has a docstring"""
    things = [tview] + [getattr(tview, name) for name in tview.__all__ if name != name.upper()]
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
