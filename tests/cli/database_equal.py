#!/usr/bin/python3
"""Compares a database with the CSV of each export, cell by cell: database_equal.py DB FOLDER, where FOLDER has
NAME.csv for each table NAME. Prints what differs."""
import csv
import os
import sqlite3
import sys
from decimal import Decimal


def same(cell, text):
    """A cell of a program, None where it is not known, and the text that CSV has of it."""
    if cell is None or text == "":
        return cell is None and text == "" or cell == ""
    if isinstance(cell, str):
        return cell == text
    if isinstance(cell, int):
        return cell == int(text)
    # Half of the last digit that the text has.
    return abs(Decimal(cell) - Decimal(text)) <= Decimal("0.51").scaleb(Decimal(text).as_tuple().exponent)


def main():
    db, folder = sqlite3.connect(sys.argv[1]), sys.argv[2]
    wrong = 0
    for name in sorted(os.listdir(folder)):
        table = name[: -len(".csv")]
        rows = list(csv.reader(open(os.path.join(folder, name), newline="")))
        cursor = db.execute(f'SELECT * FROM "{table}"')
        columns = [d[0] for d in cursor.description]
        found = cursor.fetchall()
        if columns != rows[0]:
            print(table, "columns", columns, rows[0])
            wrong += 1
        if len(found) != len(rows) - 1:
            print(table, len(found), "rows, not", len(rows) - 1)
            wrong += 1
        for cells, texts in zip(found, rows[1:]):
            bad = [(columns[i], a, b) for i, (a, b) in enumerate(zip(cells, texts)) if not same(a, b)]
            if bad:
                print(table, bad[:3])
                wrong += 1
                break
    named = {n[: -len(".csv")] for n in os.listdir(folder)}
    views = {n for (n,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
    if views - named:
        print("not compared:", views - named)
        wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
