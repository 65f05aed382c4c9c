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

from . import _library
from ._library import Error

__all__ = ["Column", "Error", "HOST", "Table", "Trace", "open", "tables"]
__version__ = _library.version

#: The rank of PICL's host.
HOST = _library.HOST

_TEXT, _INTEGER, _REAL = range(3)


def tables():
    """The names of all tables, and what each has: a dict of texts."""
    return _library.tables()


def open(path, *, window=None, **options):
    """Opens a trace of any format by its content, and corrects its times. The options hold for all of its tables.
    Raises Error where it cannot be read."""
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
        self._trace = _library.Trace(path, options)
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
