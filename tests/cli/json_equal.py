#!/usr/bin/python3
"""Checks JSON of every export of a trace against the schema, its CSV, and its pages: json_equal.py TVIEW SCHEMA TRACE
[OPTION ...]. Pages are those of the commands that the program gives for what it left out; an order is that of Python.
Prints what differs."""
import csv
import io
import json
import shlex
import subprocess
import sys

import jsonschema

tview, schema_path, trace, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
schema = jsonschema.Draft202012Validator(json.load(open(schema_path)))
wrong = checked = paged = 0
UNITS = {"s": ("_s",), "B": ("bytes",), "1": ("share", "coverage", "busy", "transfer", "waiting", "management", "filtered_out",
                                              "idle", "not_recorded")}


def bad(*what):
    global wrong
    wrong += 1
    print(*what)


def run(words):
    said = subprocess.run([tview] + words, capture_output=True, text=True)
    return said.stdout if said.returncode == 0 else None


def export(view, *more):
    text = run(["export", view, trace, *options, *more])
    return None if text is None else json.loads(text)


def check(view, found):
    names = [c["name"] for c in found["columns"]]
    for error in schema.iter_errors(found):
        bad(view, error.message[:200])
        return
    for row in found["rows"]:
        if list(row) != names:
            bad(view, "members", list(row), names)
            return
        for column in found["columns"]:
            cell = row[column["name"]]
            kinds = {"text": str, "integer": int, "real": (int, float)}[column["kind"]]
            if cell is not None and not isinstance(cell, kinds) and cell != "host":
                bad(view, column, cell)
                return
    for column in found["columns"]:
        if column["unit"] and not any(u in column["name"] for u in UNITS[column["unit"]]):
            bad(view, "no unit in the name", column)


def same_as_csv(view, found):
    rows = list(csv.reader(io.StringIO(run(["export", view, trace, *options, "-f", "csv"]))))
    cells = [["" if c is None else c for c in r.values()] for r in found["rows"]]
    if rows[0] != [c["name"] for c in found["columns"]] or len(rows) - 1 != len(cells):
        bad(view, "is not the CSV")
    for a, b in zip(cells, rows[1:]):
        if any(x != y if isinstance(x, str) else float(x) != float(y) for x, y in zip(a, b)):
            bad(view, "a row is not that of the CSV", a, b)
            return


def pages(view, most, more, whole):
    """Follows the program's commands until nothing is left out."""
    rows, part = [], export(view, *more, "--limit", str(most))
    while part:
        check(view, part)
        rows += part["rows"]
        left = part["left_out"]
        if len(rows) < len(whole) and (not left or left["after"] != len(whole) - len(rows)):
            bad(view, more, "says", left, "of", len(whole), "after", len(rows))
            return
        if not left or not left["after"]:
            break
        words = shlex.split(left["command"])
        if words[0] != "tview" or left["page"] not in words:
            bad(view, words)
        part = json.loads(run(words[1:]) or "null")
    if rows != whole:
        bad(view, more, "pages are not the whole", len(rows), len(whole))


def order_of(cell, descending):
    if isinstance(cell, str):
        cell = tuple((-b if descending else b) for b in cell.encode()) + ((1,) if descending else ())
        return (0, cell)
    return (1, 0) if cell is None else (0, -cell if descending else cell)


views = [v for v in run(["help", "export"]).split("Views:")[1].split("\n  -o, ")[0].replace("\n", " ").replace(",", " ").split()]
family = ""
for i, v in enumerate(views):
    views[i] = family + v if v.startswith("-") else v
    family = family if v.startswith("-") else v
for view in views:
    found = export(view, "-f", "json")
    if found is None:
        continue
    checked += 1
    check(view, found)
    if found["left_out"] is not None or found["view"] != view or found["trace"] != trace:
        bad(view, "head", found["left_out"], found["view"], found["trace"])
    same_as_csv(view, found)
    n = len(found["rows"])
    if n < 3:
        continue
    paged += 1
    pages(view, n // 3 + 1, ["-f", "json"], found["rows"])
    for column, direction in ((found["columns"][0]["name"], "desc"), (found["columns"][-1]["name"], "asc")):
        by = ["-f", "json", "--sort", f"{column}:{direction}"]
        want = sorted(found["rows"], key=lambda r: order_of(r[column], direction == "desc"))
        if export(view, *by)["rows"] != want:
            bad(view, by, "is another order")
        elif direction == "desc":
            pages(view, n // 2 + 1, by, want)
print(f"{checked} views, {paged} in pages")
sys.exit(wrong > 0 or checked < 30 or paged < 10)
