#!/bin/sh
# Exports of severities: the rows of each --by are sums of the finer ones, a Cube file holds the same
# numbers in a form that an XML parser takes, statistics agree with what is said of a kind as a whole.
set -u
. tests/cli/tap.sh
tview=build/release/tview
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for by in all metric callpath rank; do
	for trace in sweep stencil collectives; do
		"$tview" export patterns "traces/$trace.trc" --by "$by" -f csv >"$tmp/$trace.$by"
	done
done
for trace in sweep stencil collectives; do
	"$tview" export patterns "traces/$trace.trc" -f cube >"$tmp/$trace.cube"
	"$tview" export statistics "traces/$trace.trc" -f csv >"$tmp/$trace.statistics"
done
# One metric and those below it, and a grid that was asked for.
for part in mpi_point2point mpi_latesender; do
	"$tview" export patterns traces/sweep.trc --metric $part -f csv >"$tmp/sweep.$part.patterns"
	"$tview" export waits traces/sweep.trc --metric $part -f csv >"$tmp/sweep.$part.waits"
	"$tview" export topology traces/sweep.trc --metric $part -f csv --topology 2x2 >"$tmp/sweep.$part.topology"
	"$tview" export patterns traces/sweep.trc --metric $part -f cube --topology 1x4,order=col,flip=y >"$tmp/sweep.$part.cube"
done
"$tview" export waits traces/sweep.trc -f csv >"$tmp/sweep.waits"
# A trace whose names hold what XML and CSV must escape.
sed 's/^\(-901 .*\)compute/\1<a \&"b">/; s/compute/<a\&b>/g' traces/sweep.trc >"$tmp/hostile.trc"
"$tview" export patterns "$tmp/hostile.trc" -f cube >"$tmp/hostile.cube" 2>/dev/null

script() {
	/usr/bin/python3 - "$tmp" "$@" <<'PYTHON'
import csv, math, sys
import xml.etree.ElementTree as xml
tmp, what, trace = sys.argv[1:4]

def rows(by):
    with open(f"{tmp}/{trace}.{by}", newline="") as f:
        assert f.readline().startswith("metric,callpath,rank,severity,unit")
        f.seek(0)
        return list(csv.DictReader(f))

def summed(rows, *keys):
    sums = {}
    for r in rows:
        sums.setdefault(tuple(r[k] for k in keys), []).append(float(r["severity"]))
    return {k: math.fsum(v) for k, v in sums.items()}

def same(a, b):
    for k in a.keys() | b.keys():
        x, y = a.get(k, 0), b.get(k, 0)
        assert abs(x - y) <= 1e-9 * max(1, abs(x)), (k, x, y)

def cube(root):
    """Severities by unique name, summed; and the shape of the file, as its readers want it."""
    assert root.tag == "cube" and root.get("version") == "3.0"
    order = [c.tag for c in root if c.tag != "attr"]
    assert order == ["doc", "metrics", "program", "system", "severity"], order
    names = {m.get("id"): m.find("uniq_name").text for m in root.iter("metric")}
    assert len(set(names.values())) == len(names)
    for m in root.iter("metric"):
        assert m.find("dtype").text in ("FLOAT", "INTEGER")
        assert m.find("uom").text in ("sec", "occ", "bytes")
    regions = {r.get("id") for r in root.iter("region")}
    cnodes = {c.get("id") for c in root.iter("cnode")}
    assert all(c.get("calleeId") in regions for c in root.iter("cnode"))
    threads = [int(t.get("id")) for t in root.iter("thread")]
    assert threads == list(range(len(threads)))
    for p in root.iter("process"):
        assert int(p.find("rank").text) >= 0 and p.find("thread") is not None
    sums = {}
    for m in root.find("severity"):
        for r in m:
            values = [float(v) for v in r.text.split()]
            assert r.get("cnodeId") in cnodes and len(values) == len(threads)
            sums.setdefault((names[m.get("metricId")],), []).extend(values)
    return {k: math.fsum(v) for k, v in sums.items()}

if what == "sums":
    fine = rows("all")
    assert len(fine) > 20
    same(summed(fine, "metric"), summed(rows("metric"), "metric"))
    same(summed(fine, "metric", "callpath"), summed(rows("callpath"), "metric", "callpath"))
    same(summed(fine, "metric", "rank"), summed(rows("rank"), "metric", "rank"))
    keys = [(r["metric"], r["callpath"], r["callpath_id"], r["rank"], r["thread"]) for r in fine]
    assert len(set(keys)) == len(keys)
elif what == "cube":
    same(cube(xml.parse(f"{tmp}/{trace}.cube").getroot()), summed(rows("metric"), "metric"))
elif what == "hostile":
    root = xml.parse(f"{tmp}/{trace}.cube").getroot()
    cube(root)
    assert any("<a&b>" in r.find("name").text for r in root.iter("region"))
elif what == "part":
    part = sys.argv[4]
    def read(name):
        with open(f"{tmp}/sweep.{name}", newline="") as f:
            return list(csv.DictReader(f))
    tree = xml.parse(f"{tmp}/sweep.cube").getroot().find("metrics")
    within = {m.find("uniq_name").text for top in tree.iter("metric")
              if top.find("uniq_name").text == part for m in top.iter("metric")}
    expected = [r for r in rows("all") if r["metric"] in within]
    assert expected and read(f"{part}.patterns") == expected
    waits = [r for r in read("waits") if r["metric"] in within]
    assert waits and read(f"{part}.waits") == waits
    total = summed(expected, "metric")[(part,)]
    places = [r for r in read(f"{part}.topology") if r["grid"] == "1"]
    assert [r["coords"] for r in places] == ["0 0", "1 0", "0 1", "1 1"], places
    assert {r["dims"] for r in places} == {"2x2"} and {r["metric"] for r in places} == {part}
    by_rank = {(part, r["rank"]): float(r["value"]) for r in places}
    assert abs(math.fsum(by_rank.values()) - total) < 1e-9
    same(by_rank, {k: v for k, v in summed(expected, "metric", "rank").items() if k[0] == part})
    root = xml.parse(f"{tmp}/sweep.{part}.cube").getroot()
    same(cube(root), summed(expected, "metric"))
    assert [m.find("uniq_name").text for m in root.find("metrics")] == [part]
    grid = root.find("system/topologies/cart")
    assert [d.get("size") for d in grid.findall("dim")] == ["1", "4"]
    assert [c.text for c in grid.findall("coord")] == ["0 3", "0 2", "0 1", "0 0"]
elif what == "statistics":
    total = summed(rows("metric"), "metric")
    seen = 0
    for r in csv.DictReader(open(f"{tmp}/{trace}.statistics", newline="")):
        if r["what"] == "all":
            assert abs(float(r["sum_s"]) - total[(r["metric"],)]) < 1e-8, r
            last, seen, first = float(r["max_s"]), seen + 1, True
            order = [float(r[k]) for k in ("min_s", "lower_quartile_s", "median_s",
                                           "upper_quartile_s", "max_s")]
            assert order == sorted(order)
        else:
            assert float(r["max_s"]) == last if first else float(r["max_s"]) <= last
            last, first = float(r["max_s"]), False
    assert seen > 2
PYTHON
}
for trace in sweep stencil collectives; do
	check "$trace: coarse rows are sums of fine ones" script sums $trace
	check "$trace: a Cube file has the same numbers" script cube $trace
	check "$trace: statistics add up" script statistics $trace
done
for part in mpi_point2point mpi_latesender; do
	check "$part alone, in all exports and on the grid that was asked for" script part sweep $part
done
suggests() { "$tview" export "$1" traces/ring.trc --metric "$2" 2>&1 >/dev/null | grep -q "there is no metric '$2'$3"; }
check "a metric that is nearly one" suggests topology mpi_late_sender "; did you mean 'mpi_latesender'?"
check "a metric that is none" suggests waits nothing_at_all " (tview export patterns lists"
check "names in a Cube file are escaped" script hostile hostile
refuses() { "$tview" "$@" >"$tmp/out" 2>"$tmp/err"; [ $? = 2 ] && [ ! -s "$tmp/out" ] && grep -q '^tview: ' "$tmp/err"; }
check "only patterns are a Cube file" refuses export profile traces/ring.trc -f cube
check "a report is no CSV" refuses report traces/ring.trc -f csv
check "a report is no Cube file" refuses report traces/ring.trc -f cube
check "patterns by what is not" refuses export patterns traces/ring.trc --by node
done_testing
