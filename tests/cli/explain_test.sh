#!/bin/sh
# tview export explain: the chains of traces/chain.trc by hand (rank 7 waits 41.2 ms for rank 3, which computes
# 38 ms where rank 7 computes 10 ms, and waited 13 ms for rank 1, which reads a mesh for 12.6 ms), ranges of
# compensated times, choices, refusals.
. tests/cli/tap.sh

explain() { "$tview" export explain --no-cache "$@"; }
python() { /usr/bin/python3 - "$tmp"; }

explain traces/chain.trc -f csv >"$tmp/chain.csv"
explain traces/chain.trc -f json >"$tmp/chain.json"
chains() {
	python <<'PYTHON'
import csv, json, sys
tmp = sys.argv[1]
rows = list(csv.DictReader(open(f"{tmp}/chain.csv", newline="")))
got = [(int(r["wait"]), int(r["depth"]), float(r["explains_s"]), r["rank"], r["time_s"], r["source"]) for r in rows]
rest = (None,) * 3
want = [  # s explained, rank, time, place
    (1, 0, .0412, "7", "0.011000000", "sweep.c:112"),
    (1, 0, .0410, "", "", ""),                         # 0.2 ms: rank 3 in MPI_Recv after its wait
    (1, 1, .0280, "3", "0.014200000", "sweep.c:60"),   # 38 - 10
    (1, 1, .0130, "3", "0.001000000", "sweep.c:90"),
    (1, 2, .0126, "1", "0.001000000", "sweep.c:31"),
    (1, 2, .0004, "", "", ""),                         # 13.6 to 14 ms in main
    (2, 0, .0130, "3", "0.001000000", "sweep.c:90"),
    (2, 0, .0130, "", "", ""),
    (2, 1, .0126, "1", "0.001000000", "sweep.c:31"),
    (2, 1, .0004, "1", "0.013600000", "sweep.c:20"),
]
assert len(got) == len(want), got
for g, w in zip(got, want):
    assert g[:2] == w[:2] and abs(g[2] - w[2]) < 2e-6 and g[3:] == w[3:], (g, w)
# Below a line its parts add up to what it explains: the work that rank 3 is charged, and its wait's own parts.
for wait, whole in ((1, .0412), (2, .0130)):
    of = [r for r in rows if r["wait"] == str(wait)]
    assert abs(sum(float(r["share"]) for r in of if r["depth"] == "1") - (.041 / .0412 if wait == 1 else 1)) < 1e-3
    assert {r["metric"] for r in of} == {"mpi_latesender"}
assert rows[0]["sentence"] == "rank 7 waited 41.2 ms in MPI_Recv (sweep.c:112): rank 3 sent late."
assert rows[4]["sentence"].startswith("Rank 1 was late because it spent 12.6 ms more than rank 3 in read_mesh()")
same = json.load(open(f"{tmp}/chain.json"))["rows"]
assert [r["sentence"] for r in same] == [r["sentence"] for r in rows]
# The events are those of the list of waits.
assert same[0]["event"] is not None and same[1]["event"] is None
PYTHON
}
check "the chains of chain.trc, by hand" chains

# The event of the longest wait in the list of waits leads to the same chain, and to its message and visit.
by_event() {
	event=$("$tview" export waits --no-cache traces/chain.trc -f csv | /usr/bin/python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))["event"])')
	explain traces/chain.trc --event "$event" >"$tmp/one" && explain traces/chain.trc --worst 1 >"$tmp/first" || return 1
	head -n 7 "$tmp/one" | cmp - "$tmp/first" &&
		grep -q 'rank 3 to rank 7, tag 7, 4,096 B: received 200 us after it was sent' "$tmp/one" &&
		grep -q 'rank 7 was in MPI_Recv (sweep.c:112) for 41.4 ms' "$tmp/one"
}
check "of one event" by_event
of_ranks() { explain traces/chain.trc --ranks 3 >"$tmp/out" && grep -q 'rank 3 waited 13.0 ms' "$tmp/out" && ! grep -q 'rank 7 waited' "$tmp/out"; }
check "of some ranks" of_ranks
of_time() { explain traces/chain.trc --time 0:5ms >"$tmp/out" && grep -q 'rank 3 waited 13.0 ms' "$tmp/out" && ! grep -q 'rank 7 waited' "$tmp/out"; }
check "of a window" of_time
fewer() { [ "$(explain traces/stencil.trc --worst "$1" -f csv | /usr/bin/python3 -c 'import csv, sys; print(len({r["wait"] for r in csv.DictReader(sys.stdin)}))')" = "$2" ]; }
check "as many as are wanted" fewer 3 3
check "as many as usual" sh -c '[ "$("$0" export explain --no-cache traces/stencil.trc -f csv | cut -d, -f1 | sort -u | grep -c "[0-9]")" = 5 ]' "$tview"
markdown() { explain traces/chain.trc --worst 1 -o "$tmp/c.md" && [ "$(grep -c '^|' "$tmp/c.md")" = 8 ]; }
check "as Markdown" markdown

# A wait of compensated times lies in its range, and the sentence has the range that the list has.
explain traces/sweep.trc --base compensated --worst 20 -f csv >"$tmp/sweep.csv"
"$tview" export waits --no-cache traces/sweep.trc --base compensated -f csv >"$tmp/waits.csv"
ranges() {
	python <<'PYTHON'
import csv, re, sys
tmp = sys.argv[1]
heads = {}
for r in csv.DictReader(open(f"{tmp}/sweep.csv", newline="")):
    heads.setdefault(r["wait"], r)
waits = list(csv.DictReader(open(f"{tmp}/waits.csv", newline="")))[:20]
assert len(heads) == len(waits) > 5
said = 0
for h, w in zip(heads.values(), waits):
    assert (h["lower_s"], h["upper_s"], h["event"]) == (w["lower_s"], w["upper_s"], w["event"])
    low, high = float(h["lower_s"]), float(h["upper_s"])
    assert low <= float(h["explains_s"]) <= high
    m = re.search(r"waited [0-9.]+ (\w+) \[([0-9.]+)-([0-9.]+) (\w+)\]", h["sentence"])
    if m:
        said += 1
        unit = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[m[4]]
        assert abs(float(m[2]) * unit - low) <= .006 * high and abs(float(m[3]) * unit - high) <= .006 * high, (h, m)
    else:
        assert high - low < .01 * high, h
assert said >= 5, said
PYTHON
}
check "ranges of compensated times" ranges
measured() { explain traces/sweep.trc --base measured -f csv >"$tmp/out" && ! grep -q '\[[0-9]' "$tmp/out"; }
check "measured times have none" measured

refuses() { fails 2 '' export explain --no-cache traces/chain.trc "$@"; }
check "an event that is not there" refuses --event 57
check "an event that no trace has" refuses --event 99999999999999999999
check "an event that is no number" refuses --event -1
check "no waits at all" refuses --worst 0
nothing() { explain traces/picl-1992-table20.trc --event 0 >"$tmp/out"; }
check "where nothing waits" nothing
done_testing
