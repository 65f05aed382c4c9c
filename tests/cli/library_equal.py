#!/usr/bin/python3
"""Compares the tables of libtview, by rows and by columns of the module of Python, with the CSV of the exports:
library_equal.py TVIEW TRACE. Prints what differs."""
import csv
import io
import subprocess
import sys

import tview
from database_equal import same

wrong = compared = 0


def differs(*what):
    global wrong
    wrong += 1
    print(*what)


def compare(table, columns, rows):
    """The rows of a table with lines of CSV."""
    found = list(table)
    if list(table.names) != columns:
        return differs(table, columns)
    if len(found) != len(rows) or len(table) != len(rows):
        return differs(table, len(found), len(table), "not", len(rows))
    host = [i for i, name in enumerate(columns) if "rank" in name or name in ("src", "dst", "peer", "root", "from", "to")]
    for i, (row, texts) in enumerate(zip(found, rows)):
        cells = ["host" if c in host and cell == tview.HOST else cell for c, cell in enumerate(row)]
        bad = [(columns[c], a, b) for c, (a, b) in enumerate(zip(cells, texts)) if not same(a, b)]
        if bad:
            return differs(table.name, i, bad[:3])
    for i, name in enumerate(columns):
        if list(table[name]) != [row[i] for row in found]:
            differs(table.name, "column", name)


with tview.open(sys.argv[2]) as trace:
    for name in tview.tables():
        written = subprocess.run([sys.argv[1], "export", name, sys.argv[2], "-f", "csv"], capture_output=True, text=True)
        try:
            table = trace.table(name)
        except tview.Error as error:
            if written.returncode == 0 or str(error) not in written.stderr:
                differs(name, "is exported, but no table:", error)
            continue
        lines = list(csv.reader(io.StringIO(written.stdout)))
        compare(table, lines[0], lines[1:])
        compared += 1
sys.exit(wrong > 0 or compared < 25)
