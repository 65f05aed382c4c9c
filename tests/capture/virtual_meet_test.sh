#!/bin/sh
# Virtual time through what ranks do together: the rank that comes last, after probes that cost it 40 ms, decides when the
# other one goes on, which then has its intrusion; and only that, where the other does not wait for it.
. tests/cli/tap.sh
source=tests/capture/programs/meet.c

"$out/tvrun" -q --yield --virtual-time --probe-delay 1000000 -o "$tmp/run.trc" mpiexec.mpich -n 2 \
	"$out/tests/capture/programs/meet" >"$tmp/log" 2>&1
ended=$?
"$out/tview" export events "$tmp/run.trc" -b measured -f csv >"$tmp/measured.csv"
cat >"$tmp/look.py" <<'END'
import csv, re, sys
source, folder, late, waits, late_rank = sys.argv[1:5] + [int(sys.argv[5])]
PROBES, CLOSE = 40000000, 2000000 # ns: 20 visits, two records each, of at least 1 ms; what calls cost
label = re.compile(r"//\s+(\w+)$")
labels = {n: label.search(l).group(1) for n, l in enumerate(open(source), 1) if label.search(l)}
first, calls = {}, {}
for r in csv.DictReader(open(folder + "/measured.csv")):
	if r["kind"] == "metric" and r["line"] and int(r["line"]) in labels:
		n = [int(x) for x in re.findall(r"(-?\d+)\*10\^-9", r["text"])]
		at = labels[int(r["line"])], int(r["rank"])
		end = round(float(r["time_s"]) * 1e9)
		# Of a loop of polls the first one's entry, and the last one's end.
		first.setdefault(at, dict(entered=end - n[0], before=n[1]))
		calls[at] = dict(first[at], left=n[2], end=end)
a, b = calls[late, late_rank], calls[waits, 1 - late_rank]
grown = a["before"] - b["before"] >= PROBES / 2
if waits == "above":
	ok = grown and abs(b["left"] - b["before"]) <= CLOSE
elif a["entered"] > b["entered"] and a["entered"] - a["before"] > b["entered"] - b["before"]:
	ok = grown and abs(b["left"] - a["before"]) <= CLOSE
else: # the machine stood still
	least, most = sorted((a["before"], b["before"]))
	ok = least - CLOSE <= b["left"] <= most + CLOSE
if not ok:
	print(late, a, waits, b)
sys.exit(not ok)
END
look() { /usr/bin/python3 "$tmp/look.py" "$source" "$tmp" "$@"; }

check "a run with virtual time" test $ended = 0
# The call of the rank that comes last, the call that waits for it, and that rank.
while read -r late waits rank; do
	check "the end of $waits has the intrusion of the rank that came last" look "$late" "$waits" "$rank"
done <<'END'
scan scan 0
exscan exscan 0
iallreduce_start iallreduce 0
ibcast_start ibcast 0
iscan_start iscan 0
allreduce_again allreduce_done 0
barrier_start barrier_done 0
cart cart 0
neighbour neighbour 0
ineighbour_start ineighbour 0
dup dup 0
split split 0
create create 0
fence fence 0
post complete 0
done wait 1
probe_send probe 0
iprobe_send iprobe 0
END
check "the end of a scan does not depend on ranks above" look above above 1
done_testing
