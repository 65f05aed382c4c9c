"""Traces of parallel programs, with corrected clocks and wait states, as tables: what `tview export` writes, with the
same names, columns, units and order (see tview(1)).

    import tview

    with tview.open("run.trc") as trace:
        for wait in trace.table("waits", sort="duration_s"):
            print(wait.rank, wait.metric, wait.duration_s)
        latency = trace.messages(filter="bytes > 64k").column("latency_s").values

Times and durations are seconds (columns `..._s`), sizes bytes, shares from 0 to 1. Options are those of `tview export`
without dashes, as keywords: `ranks="0-3"` (or a number, or numbers), `filter="region =~ /^MPI_/"`, `base="measured"`,
`by="rank"`, `sort="duration_s up"`, `columns=["rank", "bytes"]`, `no_cache=True`; `window=(0.1, None)` is seconds from
and to, None the begin or end of the run. A trace may be asked by several threads.
"""
import collections
import os

from . import _library
from ._library import Error

__all__ = ["Column", "Error", "HOST", "NONE", "NO_EVENT", "NO_RANK", "NO_TIME", "Records", "Table", "Trace", "event_kinds",
           "kinds", "metrics", "open", "tables"]
__version__ = _library.version

#: The rank of PICL's host.
HOST = _library.HOST

#: In records: no location, region, call path, message ...; no event; no rank; no time.
NONE = 0xffffffff
NO_EVENT = 0xffffffffffffffff
NO_RANK = -0x80000000
NO_TIME = -0x8000000000000000

_TEXT, _INTEGER, _REAL = range(3)
_KINDS, _EVENT_KINDS, _METRICS = _library.meanings()
_KINDS = {name: (i, size, fields) for i, (name, size, fields) in enumerate(_KINDS)}

Location = collections.namedtuple("Location", "name node rank thread begin end events type")
Region = collections.namedtuple("Region", "name cls file line")
CallPath = collections.namedtuple("CallPath", "parent region canonical depth file line")
Comm = collections.namedtuple("Comm", "name ranks remote parent of_threads")
Grid = collections.namedtuple("Grid", "name note guessed size periodic")
Metric = collections.namedtuple("Metric", "name title unit text parent")


def kinds():
    """The kinds of records, and the names of their fields: a dict of tuples of str. include/tview/records.h says what
    each is."""
    return {name: tuple(field for field, _, _ in fields) for name, (_, _, fields) in _KINDS.items()}


def event_kinds():
    """The names of the numbers in the field `kind` of events: a list of str."""
    return list(_EVENT_KINDS)


def metrics():
    """The metrics of severities, by their number: a list of Metric(name, title, unit: "s", "occ" or "bytes", text,
    parent: a number, NONE)."""
    return [Metric(*metric) for metric in _METRICS]


def tables():
    """The names of all tables, and what each has: a dict of texts."""
    return _library.tables()


def open(path, *, window=None, **options):
    """Opens a trace of any format by its content, and corrects its times. A list of paths is the JSON files of one
    run, a process each. The options hold for all of its tables. Raises Error where it cannot be read."""
    return Trace(path, _options(window, options))


def _options(window, options):
    texts = []
    if window is not None:
        texts.append("time=%s:%s" % tuple("" if t is None else "%.12f" % t for t in window))
    for name, value in options.items():
        name = name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            texts.append(name)
        elif isinstance(value, str):
            texts.append("%s=%s" % (name, value))
        elif hasattr(value, "__iter__"):
            texts.append("%s=%s" % (name, ",".join(str(v) for v in value)))
        else:
            texts.append("%s=%s" % (name, value))
    return tuple(texts)


class Trace:
    """An open trace: a context manager. `damage` is what is damaged in it, as a sentence, or None."""

    def __init__(self, path, options=()):
        paths = path if isinstance(path, (list, tuple)) else [path]
        self._trace = _library.Trace(tuple(os.fsencode(p) for p in paths), options)
        self.path = path
        self.damage = self._trace.damage()

    def table(self, name, *, window=None, **options):
        """A table by its name (see tables()). The first one that needs wait states searches for them, which may take
        seconds. Raises Error: no such table or option, or the run was not recorded in a way that could fill it."""
        return Table(self._trace, name, _options(window, options))

    def calls(self, **options):
        """Each visit of a region by its begin, with its waiting: the table `calls`."""
        return self.table("calls", **options)

    def messages(self, **options):
        """Messages by the time of their send: the table `messages`."""
        return self.table("messages", **options)

    def collectives(self, **options):
        """Collective operations by their begin: the table `collectives`."""
        return self.table("collectives", **options)

    def waits(self, **options):
        """Wait states one by one: the table `waits`."""
        return self.table("waits", **options)

    def events(self, location=None, **options):
        """Events in the order of time: the table `events`. `location`: of a rank (3), or a thread ("3.1") alone."""
        return self.table("events", ranks=location, **options) if location is not None else self.table("events", **options)

    def records(self, kind, *, location=None, window=None, **options):
        """Records of a kind, "events", "visits", "messages", "collectives", "members", "severities" or "nodes" of the
        program graph, as numbers (see kinds()). `location`: of that one alone, by its number in locations(). Options
        are base, ranks, filter, and metric of severities. Raises Error."""
        if kind not in _KINDS:
            raise ValueError("there are no records %r (but %s)" % (kind, ", ".join(_KINDS)))
        if location is not None and not 0 <= location < NONE:
            raise ValueError("locations have numbers from 0")
        return Records(self._trace, kind, NONE if location is None else location, _options(window, options))

    @property
    def ticks_per_second(self):
        """Ticks of records' times in a second: int."""
        return self._trace.times()[0]

    @property
    def base(self):
        """The time base that is used where none is asked for: str."""
        return self._trace.times()[1]

    @property
    def bases(self):
        """The time bases that the trace has: a list of str."""
        return self._trace.times()[2]

    @property
    def span(self):
        """Begin and end of the run in that base, ticks: (int, int)."""
        return self._trace.times()[3:]

    def locations(self):
        """By their number: a list of Location(name, node, rank: NO_RANK without, thread, begin and end: ticks, measured,
        events, type: as OTF2 numbers them)."""
        return [Location(*one) for one in self._trace.definitions("locations")]

    def regions(self):
        """By their number: a list of Region(name, cls: "user", "p2p", "collective" ..., file, line: 0 unknown)."""
        return [Region(*one) for one in self._trace.definitions("regions")]

    def callpaths(self):
        """By their number: a list of CallPath(parent, region: NONE of the root, canonical: the one to sum up by, depth,
        file and line of the call)."""
        return [CallPath(*one) for one in self._trace.definitions("callpaths")]

    def callpath(self, number):
        """A call path as text: "main > solve > MPI_Recv"."""
        return self._trace.callpath(number)

    def comms(self):
        """By their number: a list of Comm(name, ranks in the world, ranks of the remote group, parent, of_threads)."""
        return [Comm(*one) for one in self._trace.definitions("comms")]

    def grids(self):
        """Grids of ranks, the best first: a list of Grid(name, note, guessed, size, periodic: 2 not known)."""
        return [Grid(*one) for one in self._trace.definitions("grids")]

    def places(self, grid=0):
        """Where locations are on a grid: a memoryview of int32, [locations][dimensions], -1 not on it; not a copy."""
        return self._view(self._trace.shared(None, grid), "grid %r" % (grid,))

    def string(self, number):
        """The text of a number of a string (of nodes): str, or None."""
        return self._trace.string(number)

    def shared(self, name):
        """A column that the trace keeps as an array: a memoryview of one dimension with strides, not a copy:
        "messages.tag", "callpaths.parent", ... (tview/records.h). Raises KeyError."""
        return self._view(self._trace.shared(name), repr(name))

    def _view(self, array, name):
        if array is None:
            raise KeyError("the trace has no array %s" % name)
        return memoryview(array)

    def close(self):
        """Gives its memory back, once the last table and column of it are gone. No table can be made after it."""
        self._trace.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __repr__(self):
        return "<tview.Trace %r>" % (self.path,)


class Table:
    """Rows with names, and columns. `names` are those of the columns, with units. Rows may be iterated as often as is
    wanted: they are tuples with these names, of str, int and float, None where a value is not known. len() and columns
    read all rows once."""

    def __init__(self, trace, name, options):
        self.name = name
        self._open = lambda: trace.table(name, options)
        self._fresh = self._open()
        self._whole = None
        self.names = self._fresh.names
        self._types = self._fresh.types
        self._row = collections.namedtuple(name.replace("-", "_"), self.names, rename=True)._make

    def _take(self):
        table, self._fresh = self._fresh or self._open(), None
        return table

    def __iter__(self):
        return map(self._row, self._take())

    def _read(self):
        if self._whole is None:
            self._whole = self._take()
            self._rows = self._whole.read()
        return self._whole

    def __len__(self):
        self._read()
        return self._rows

    def column(self, name):
        """A column by its name. Raises KeyError: there is none."""
        if name not in self.names:
            raise KeyError("the table %s has no column %r (it has %s)" % (self.name, name, ", ".join(self.names)))
        i = self.names.index(name)
        return Column(self._read(), i, name, self._types[i])

    __getitem__ = column

    def columns(self):
        """All columns, by their names."""
        return {name: self.column(name) for name in self.names}

    def frame(self):
        """A pandas.DataFrame. Numbers are not copied; integers that are not all known have pandas' own type for that,
        and texts are categories."""
        import pandas

        return pandas.DataFrame({name: column._series() for name, column in self.columns().items()}, copy=False)

    def __repr__(self):
        return "<tview.Table %s: %s>" % (self.name, ", ".join(self.names))


class Records:
    """Records of one kind: rows of int (values of severities: float) with names. They may be iterated as often as is
    wanted, one after the other as they are read; len(), records[i] and fields read all of them once, into memory that
    they share."""

    def __init__(self, trace, kind, location, options):
        number, self._size, self._fields = _KINDS[kind]
        self.kind = kind
        self.names = tuple(name for name, _, _ in self._fields)
        self._open = lambda: trace.cursor(number, location, options)
        self._fresh = self._open()
        self._whole = None
        self._row = collections.namedtuple(kind, self.names)._make

    def _take(self):
        cursor, self._fresh = self._fresh or self._open(), None
        return cursor

    def _read(self):
        if self._whole is None:
            self._whole = self._take().read()
        return self._whole

    def __iter__(self):
        if self._whole is not None:
            return (self._row(self._whole[i]) for i in range(len(self._whole)))
        return map(self._row, self._take())

    def __len__(self):
        return len(self._read())

    def __getitem__(self, i):
        """A record by its place, or the values of a field by its name: a memoryview of one dimension, an element a record,
        of int64, uint64, int32, uint32 or float64."""
        if isinstance(i, str):
            values = self._read().values(i)
            if values is None:
                raise KeyError("%s have no field %r (they have %s)" % (self.kind, i, ", ".join(self.names)))
            return memoryview(values)
        whole = self._read()
        return self._row(whole[i + len(whole) if i < 0 else i])

    def array(self):
        """A numpy array of one dimension with these fields (a structured type), which shares their memory."""
        import numpy

        dtype = numpy.dtype({"names": self.names, "formats": [format for _, format, _ in self._fields],
                             "offsets": [offset for _, _, offset in self._fields], "itemsize": self._size})
        return numpy.frombuffer(memoryview(self._read().values()).cast("B"), dtype) if len(self) else numpy.empty(0, dtype)

    def frame(self):
        """A pandas.DataFrame, of copies: its columns are contiguous."""
        import pandas

        return pandas.DataFrame(self.array())

    def __repr__(self):
        return "<tview.Records %s: %s>" % (self.kind, ", ".join(self.names))


class Column:
    """One column of a table.

    values      memoryview of one dimension, an element a row: int64 ('q') or float64 ('d', NaN where not known); of
                texts their codes, int32 ('i', -1 where not known)
    known       memoryview of bool ('?'), an element a row: which integers are known; None: all are
    categories  of texts: the text of each code, a list of str; else None

    Memory is the library's and is not copied: numpy.asarray(column.values) shares it. Iterating gives what the rows
    have: str, int, float or None."""

    def __init__(self, table, i, name, type):
        self.name = name
        self.values = memoryview(table.values(i))
        known = table.known(i)
        self.known = None if known is None else memoryview(known)
        self.categories = table.categories(i) if type == _TEXT else None

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        if self.categories is not None:
            return (self.categories[code] if code >= 0 else None for code in self.values)
        if self.known is not None:
            return (value if known else None for value, known in zip(self.values, self.known))
        return (value if value == value else None for value in self.values)

    def array(self):
        """A numpy array: of numbers the column's memory (int64, float64), of texts one of objects. Integers that are
        not known are 0; numpy.ma.MaskedArray(column.array(), ~numpy.asarray(column.known)) leaves them out."""
        import numpy

        return numpy.array(list(self), dtype=object) if self.categories is not None else numpy.asarray(self.values)

    def __array__(self, dtype=None):
        array = self.array()
        return array if dtype is None else array.astype(dtype)

    def _series(self):
        import numpy
        import pandas

        if self.categories is not None:
            return pandas.Categorical.from_codes(numpy.asarray(self.values), self.categories)
        if self.known is not None:
            return pandas.arrays.IntegerArray(self.array(), ~numpy.asarray(self.known))
        return self.array()

    def __repr__(self):
        return "<tview.Column %s: %d rows>" % (self.name, len(self))
