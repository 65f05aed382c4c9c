"""Whether all_reduces of several ranks end at the same time on the trace's clock, as they did.

    job_truth.py TRUTH CALLS.csv MICROSECONDS

Ends of each call on the ranks differ in truth.json by what is true. The trace may not differ from that by more.
"""
import csv
import json
import sys

truth = json.load(open(sys.argv[1]))
calls = {}
for row in csv.DictReader(open(sys.argv[2])):
    calls.setdefault(int(row["rank"]), []).append(float(row["begin_s"]) + float(row["duration_s"]))
ranks = sorted(calls)
assert len(ranks) > 1, ranks
worst = 0
for rank in ranks:
    # Ranks may lack the first ones.
    n = len(calls[rank])
    assert len(truth[rank]["end"]) - 5 < n <= len(truth[rank]["end"]), (rank, n)
    for i in range(-n, 0):
        here = sorted(calls[rank])[i] - sorted(calls[ranks[0]])[i]
        there = (truth[rank]["end"][i] - truth[ranks[0]]["end"][i]) / 1e9
        worst = max(worst, abs(here - there))
print(f"{worst * 1e6:.3f} us")
assert worst * 1e6 <= float(sys.argv[3]), worst
