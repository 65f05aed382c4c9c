#!/usr/bin/python3
"""From a trace to the rank that is late, and where in the source: a notebook as a script. Cells begin with '# %%', as
editors and jupytext have them; doc/library.md says how Python finds tview.

    python3 tutorial.py traces/chain.trc
"""
import sys

import tview

# %% Open a trace. It is recognised by its content, and its clocks are corrected.
trace = tview.open(sys.argv[1])
ranks = {location.rank for location in trace.locations()}
begin, end = trace.span
run = (end - begin) / trace.ticks_per_second
print(f"{len(ranks)} ranks ran for {run * 1e3:.1f} ms (damage: {trace.damage})")

# %% Where does the time go? Any table of `tview export` is a table here; its rows have the names of the columns.
for row in list(trace.table("profile", sort="exclusive_s"))[:4]:
    print(f"  {row.region}: {row.count} visits, {row.exclusive_s * 1e3:.1f} ms of its own")

# %% How much of it is waiting? Severities have a metric; without ranks and call paths they are those of the run.
total = {row.metric: row.severity for row in trace.table("patterns", by="metric")}
print(f"{total['mpi_latesender'] * 1e3:.1f} ms of {total['mpi'] * 1e3:.1f} ms in MPI wait for late senders")

# %% Which waits are the longest, where, and for whom?
waits = list(trace.waits())
for wait in waits[:3]:
    print(f"  rank {wait.rank} waits {wait.waited_s * 1e3:.1f} ms for rank {wait.partner_rank} at {wait.line or wait.region}")

# %% Who is waited for most? Columns are memory that numpy and pandas use as it is; without these Python will do.
waited_for = {}
for rank, seconds in zip(*(trace.waits().columns()[name] for name in ("partner_rank", "waited_s"))):
    waited_for[rank] = waited_for.get(rank, 0) + seconds
late = max(waited_for, key=waited_for.get)
print(f"rank {late} is waited for {waited_for[late] * 1e3:.1f} ms")

# %% What makes it late? Causes have a rank, a call path and what they cost others.
causes = list(trace.table("causes"))
for cause in causes:
    print(f"  {cause.cost_s * 1e3:.1f} ms of waiting: {cause.sentence}")

# %% Where is that in the source, and is it the late rank? Time by rank and region says so, too.
profile = trace.table("profile", by="rank", filter=f'region == "{causes[0].callpath.split(" > ")[-1]}"')
for row in profile:
    print(f"  {row.region} ({row.file}:{row.line}) takes {row.exclusive_s * 1e3:.1f} ms on rank {row.rank}")

# %% The same from what was recorded, without tview's opinion: a receive that began before the send was called waited for
# it. Records are numbers: ticks, and numbers of locations, regions and call paths.
begun = {}  # (location, call path): begin and end of each visit, in their order
for visit in trace.records("visits", filter="region =~ /^MPI_/"):
    begun.setdefault((visit.location, visit.callpath), []).append((visit.begin, visit.end))


def call(location, callpath, time):
    return next(begin for begin, end in begun[location, callpath] if begin <= time <= end)


late_ticks = 0
for message in trace.records("messages"):
    sent = call(message.send_location, message.send_callpath, message.sent)
    posted = call(message.receive_location, message.receive_callpath, message.received)
    late_ticks += max(0, sent - posted)
print(f"by hand {late_ticks / trace.ticks_per_second * 1e3:.1f} ms wait for late senders")

# %% An open trace keeps its memory until it is closed and its tables are gone.
trace.close()
