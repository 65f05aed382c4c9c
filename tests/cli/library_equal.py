#!/usr/bin/python3
"""Compares what libtview says of a trace with the CSV of its exports: library_equal.py LIBRARY TVIEW TRACE. Prints
what differs."""
import csv
import ctypes
import io
import subprocess
import sys

from database_equal import same

library = ctypes.CDLL(sys.argv[1])
TEXT, INTEGER, REAL = range(3)
types = {"open": ctypes.c_void_p, "table_open": ctypes.c_void_p, "table_name": ctypes.c_char_p,
         "column_name": ctypes.c_char_p, "next": ctypes.c_bool, "known": ctypes.c_bool, "text": ctypes.c_char_p,
         "integer": ctypes.c_int64, "real": ctypes.c_double}
for name, returned in types.items():
    getattr(library, "tview_" + name).restype = returned
trace = ctypes.c_void_p(library.tview_open(sys.argv[3].encode(), None, None))
wrong = tables = 0


def cell(table, column, kind):
    if not library.tview_known(table, column):
        return None
    if kind == TEXT:
        return library.tview_text(table, column).decode()
    number = library.tview_integer(table, column)
    return number if kind == INTEGER and number != 32767 else "host" if kind == INTEGER else library.tview_real(table, column)


while library.tview_table_name(tables):
    name = library.tview_table_name(tables).decode()
    tables += 1
    table = ctypes.c_void_p(library.tview_table_open(trace, name.encode(), None, None))
    written = subprocess.run([sys.argv[2], "export", name, sys.argv[3], "-f", "csv"], capture_output=True, text=True)
    if not table:
        if written.returncode == 0:
            print(name, "is exported, but no table")
            wrong += 1
        continue
    rows = list(csv.reader(io.StringIO(written.stdout)))
    n = library.tview_column_count(table)
    columns = [library.tview_column_name(table, c).decode() for c in range(n)]
    kinds = [library.tview_column_type(table, c) for c in range(n)]
    if columns != rows[0]:
        print(name, columns, rows[0])
        wrong += 1
    for i, row in enumerate(rows[1:]):
        if not library.tview_next(table):
            print(name, "ends after", i)
            wrong += 1
            break
        cells = [cell(table, c, kinds[c]) for c in range(n)]
        bad = [(columns[c], a, b) for c, (a, b) in enumerate(zip(cells, row)) if not same(a, b)]
        if bad:
            print(name, i, bad[:3])
            wrong += 1
            break
    else:
        if library.tview_next(table) or library.tview_next(table):
            print(name, "has more rows")
            wrong += 1
    library.tview_table_close(table)
library.tview_close(trace)
sys.exit(wrong > 0 or tables < 30)
