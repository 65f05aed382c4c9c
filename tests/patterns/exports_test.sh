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
    keys = [(r["metric"], r["callpath"], r["path"], r["rank"], r["thread"]) for r in fine]
    assert len(set(keys)) == len(keys)
elif what == "cube":
    same(cube(xml.parse(f"{tmp}/{trace}.cube").getroot()), summed(rows("metric"), "metric"))
elif what == "hostile":
    root = xml.parse(f"{tmp}/{trace}.cube").getroot()
    cube(root)
    assert any("<a&b>" in r.find("name").text for r in root.iter("region"))
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
check "names in a Cube file are escaped" script hostile hostile
refuses() { "$tview" "$@" >"$tmp/out" 2>"$tmp/err"; [ $? = 2 ] && [ ! -s "$tmp/out" ] && grep -q '^tview: ' "$tmp/err"; }
check "only patterns are a Cube file" refuses export profile traces/ring.trc -f cube
check "a report is no CSV" refuses report traces/ring.trc -f csv
check "a report is no Cube file" refuses report traces/ring.trc -f cube
check "patterns by what is not" refuses export patterns traces/ring.trc --by node
done_testing
