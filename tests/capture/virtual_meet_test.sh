#!/bin/sh
# Virtual time through what ranks do together: the rank that comes last, after probes that cost it 40 ms, decides when the
# other one goes on, which then has its intrusion; and only that, where the other does not wait for it.
. tests/cli/tap.sh
source=tests/capture/programs/meet.c
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

cat >"$tmp/look.py" <<'END'
import csv, re, sys
source, folder = sys.argv[1:3]
PROBES, CLOSE = 40000000, 10000000 # ns: 20 visits, two records each, of at least 1 ms; what calls cost
label = re.compile(r"//\s+(\w+)$")
labels = {n: label.search(l).group(1) for n, l in enumerate(open(source), 1) if label.search(l)}
first, calls, ends = {}, {}, {0: [], 1: []}
# Polls after a microsecond and more in which the machine did something else: the program may have worked, so that a loop
# begins anew.
starts = {}
for r in csv.DictReader(open(folder + "/measured.csv")):
	if r["kind"] == "metric":
		n = [int(x) for x in re.findall(r"(-?\d+)\*10\^-9", r["text"])]
		end = round(float(r["time_s"]) * 1e9)
		ends[int(r["rank"])].append((end, n[2]))
		if r["line"] and int(r["line"]) in labels:
			at = labels[int(r["line"])], int(r["rank"])
			# Of a loop of polls the first one's entry, and the last one's end.
			call = dict(entered=end - n[0], before=n[1])
			first.setdefault(at, call)
			if at in calls and call["entered"] - calls[at]["end"] > 1000:
				starts.setdefault(at, []).append(call)
			calls[at] = dict(first[at], left=n[2], end=end)
# What the rank's own recording cost it since its call before.
def own(call, rank):
	return call["before"] - max((e for e in ends[rank] if e[0] <= call["entered"]), default=(0, 0))[1]
def look(late, waits, late_rank):
	a, b = calls[late, late_rank], calls[waits, 1 - late_rank]
	grown = a["before"] - b["before"] >= PROBES / 2
	cost = own(a, late_rank) - own(b, 1 - late_rank)
	later = a["entered"] - b["entered"]
	if waits == "above":
		# Both have the same intrusion but for that.
		return grown and abs(b["left"] - b["before"]) <= CLOSE and abs(a["before"] - b["before"] - cost) <= CLOSE
	for s in starts.get((waits, 1 - late_rank), []):
		left = max(s["entered"], a["entered"]) - max(s["entered"] - s["before"], a["entered"] - a["before"])
		if abs(b["left"] - left) <= CLOSE:
			return True
	if later > 0 and later > cost: # virtually, too, if all before went on to both
		return grown and abs(b["left"] - a["before"]) <= CLOSE
	# The machine stood still.
	least, most = sorted((a["before"], b["before"]))
	return least - CLOSE <= b["left"] <= most + CLOSE
for line in sys.stdin:
	late, waits, rank = line.split()[:3]
	rank = int(rank)
	if (late, rank) in calls:
		print(waits, "good" if look(late, waits, rank) else "bad", calls[late, rank], calls[waits, 1 - rank])
END
is_good() { grep -q "^$1 good " "$tmp/found" || { grep "^$1 " "$tmp/found"; return 1; }; }

# The call of the rank that comes last, the call that waits for it, that rank, and how new MPI must be.
cat >"$tmp/cases" <<'END'
scan scan 0
exscan exscan 0
iallreduce_start iallreduce 0
ibcast_start ibcast 0
iscan_start iscan 0
allreduce_again allreduce_done 0 4
barrier_start barrier_done 0 4
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

for mpi in mpich openmpi; do
	if ! command -v mpicc.$mpi >/dev/null; then
		skip "what ranks do together on $mpi" "not installed"
		continue
	fi
	more=
	[ $mpi = openmpi ] && more=--oversubscribe
	mpicc.$mpi -g -O1 -finstrument-functions -o "$tmp/meet.$mpi" "$source"
	check "$mpi: a run with virtual time" "$out/tvrun" -q --yield --virtual-time --probe-delay 1ms -o "$tmp/run.trc" \
		mpiexec.$mpi $more -n 2 "$tmp/meet.$mpi"
	"$tview" export events "$tmp/run.trc" -b measured -f csv >"$tmp/measured.csv"
	{ cat "$tmp/cases"; echo above above 1; } | /usr/bin/python3 "$tmp/look.py" "$source" "$tmp" >"$tmp/found"
	while read -r _ waits _ version; do
		[ "$mpi" = openmpi ] && [ "${version:-3}" = 4 ] ||
			check "$mpi: the end of $waits has the intrusion of the rank that came last" is_good "$waits"
	done <"$tmp/cases"
	check "$mpi: the end of a scan does not depend on ranks above" is_good above
done
done_testing
