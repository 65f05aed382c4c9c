#!/usr/bin/python3
"""The same questions as a query, as an export, to the database and to the library: query_equal.py TVIEW LIBRARY TRACE DB.
Prints what differs."""
import ctypes
import json
import sqlite3
import subprocess
import sys

tview, library, trace, db = sys.argv[1:]
wrong = filled = 0

# Query; options of export; SQL. Each gives the same columns in the same order.
QUESTIONS = [
    ("calls where region =~ /Allreduce|Waitall/ and dur > 1ms order by dur desc limit 10 select duration_s, rank, event",
     ["calls", "--filter", "region =~ /Allreduce|Waitall/ && dur > 1ms", "--sort", "duration_s", "--limit", "10", "--columns",
      "duration_s,rank,event"],
     "SELECT duration_s, rank, event FROM calls WHERE (region LIKE '%Allreduce%' OR region LIKE '%Waitall%') AND "
     "duration_s > 0.001 ORDER BY duration_s DESC LIMIT 10"),
    ("messages where src == 0 and bytes >= 1k order by latency_s select latency_s, dst, send_event",
     ["messages", "--filter", "src == 0 && bytes >= 1k", "--sort", "latency_s:asc", "--columns", "latency_s,dst,send_event"],
     "SELECT latency_s, dst, send_event FROM messages WHERE src = 0 AND bytes >= 1024 ORDER BY latency_s"),
    ("waits where waited > 0.25ms and (rank in 1..2 or partner_rank == 0) select waited_s, rank, callpath order by waited desc",
     ["waits", "--where", "waited_s > 250us && (rank in 1,2 || partner_rank == 0)", "--sort", "waited_s:desc", "--columns",
      "waited_s,rank,callpath"],
     "SELECT waited_s, rank, callpath FROM waits WHERE waited_s > 0.00025 AND (rank IN (1, 2) OR partner_rank = 0) "
     "ORDER BY waited_s DESC"),
    ("profile where share > 0.001 and class != user order by exclusive desc select region, count, exclusive_s".replace(
        "share", "exclusive_share"),
     ["profile", "--where", "exclusive_share > 0.001", "--filter", "class != user", "--sort", "exclusive_s", "--columns",
      "region,count,exclusive_s"],
     "SELECT region, count, exclusive_s FROM profile WHERE exclusive_share > 0.001 AND class <> 'user' ORDER BY exclusive_s DESC"),
    ("calls where not region =~ /^MPI_/ and exclusive < 10us select rank, count(), sum(duration_s), max(duration_s), mean(begin_s) "
     "order by rank",
     ["calls", "--where", "!(region =~ /^MPI_/) && exclusive_s < 10us", "--sort", "rank:asc", "--columns",
      "rank,count(),sum(duration_s),max(duration_s),mean(begin_s)"],
     "SELECT rank, count(*), sum(duration_s), max(duration_s), avg(begin_s) FROM calls WHERE region NOT LIKE 'MPI\\_%' ESCAPE '\\' "
     "AND exclusive_s < 1e-5 GROUP BY rank ORDER BY rank"),
    ("messages select src, dst, count(), sum(bytes), min(latency), mean(bytes) order by sum(bytes) desc limit 3",
     ["messages", "--columns", "src,dst,count(),sum(bytes),min(latency_s),mean(bytes)", "--sort", "sum(bytes)", "--limit", "3"],
     "SELECT src, dst, count(*), sum(bytes), min(latency_s), avg(bytes) FROM messages GROUP BY src, dst "
     "ORDER BY sum(bytes) DESC, min(send_time_s) LIMIT 3"),
    ("events where kind == send select count(), sum(bytes)", ["events", "--filter", "kind == send", "--columns", "count(),sum(bytes)"],
     "SELECT count(*), sum(bytes) FROM events WHERE kind = 'send'"),
    ("waits where waited > 1s select count(), max(waited)", ["waits", "--where", "waited > 1s", "--columns", "count(),max(waited)"],
     "SELECT count(*), max(waited_s) FROM waits WHERE waited_s > 1"),
]


def bad(*what):
    global wrong
    wrong += 1
    print(*what)


def rows_of(words):
    said = subprocess.run([tview] + words + ["-f", "json"], capture_output=True, text=True)
    return [list(r.values()) for r in json.loads(said.stdout)["rows"]] if said.returncode == 0 else said.stderr


def close(a, b):
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= 1e-10 + 1e-8 * max(abs(a), abs(b)))


def same(what, a, b):
    if not isinstance(a, list) or len(a) != len(b) or not all(close(x, y) for r, s in zip(a, b) for x, y in zip(r, s)):
        bad(what, "\n ", a if isinstance(a, str) else a[:3], "\n ", b[:3])


lib = ctypes.CDLL(library)
for name, kind in {"open": ctypes.c_void_p, "table_open": ctypes.c_void_p, "next": ctypes.c_bool, "known": ctypes.c_bool,
                   "text": ctypes.c_char_p, "integer": ctypes.c_int64, "real": ctypes.c_double}.items():
    getattr(lib, "tview_" + name).restype = kind
opened = ctypes.c_void_p(lib.tview_open(trace.encode(), None, None))


def library_rows(view, options):
    words = (ctypes.c_char_p * (len(options) // 2 + 1))()
    for i in range(0, len(options), 2):
        words[i // 2] = (options[i][2:] + "=" + options[i + 1]).encode()
    table = ctypes.c_void_p(lib.tview_table_open(opened, view.encode(), words, None))
    if not table:
        return "the library refuses"
    kinds, rows = [lib.tview_column_type(table, c) for c in range(lib.tview_column_count(table))], []
    get = [lambda c: lib.tview_text(table, c).decode(), lambda c: lib.tview_integer(table, c), lambda c: lib.tview_real(table, c)]
    while lib.tview_next(table):
        rows.append([get[k](c) if lib.tview_known(table, c) else None for c, k in enumerate(kinds)])
    lib.tview_table_close(table)
    return rows


sql = sqlite3.connect(db)
for question, options, statement in QUESTIONS:
    asked = rows_of(["query", trace, question])
    filled += bool(asked)
    if not isinstance(asked, list):
        bad(question, asked)
        continue
    same(question + ": export", rows_of(["export", options[0], trace] + options[1:]), asked)
    same(question + ": SQL", [list(r) for r in sql.execute(statement)], asked)
    same(question + ": library", library_rows(options[0], options[1:]), asked)
lib.tview_close(opened)
sys.exit(wrong > 0 or filled < 6)
