#!/bin/sh
# Virtual time of threads that a program makes itself, and of its joins (tests/capture/threads/birth_times.c). Each probe takes at
# least 1 ms: what it costs a thread goes on to those that it creates, and to the one that joins it, as far as it ends last
# without it, too. Naps have their lengths in virtual time.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
source=tests/capture/threads/birth_times.c

cat >"$tmp/look.py" <<'END'
import csv, sys
folder, what = sys.argv[1:3]
MS, CLOSE = 10**6, 10**5 # ns; what records cost
PROBES = 39.9 * MS # 20 visits, two records each; the delay counts ticks, whose rate is a guess when the run begins
rows = [list(csv.DictReader(open("%s/%s.csv" % (folder, base)))) for base in ("measured", "virtual", "compensated")]
# Of each thread (0: the first one) its events: measured time, intrusion, virtual time, kind, region
threads = {}
for thread in range(4):
	of = [[r for r in base if r["location"] == "rank 0" + (" thread %d" % thread if thread else "")] for base in rows]
	threads[thread] = []
	for m, v, c in zip(*of):
		at, virtually, estimated = (round(float(r["time_s"]) * 1e9) for r in (m, v, c))
		threads[thread].append((at, at - virtually, virtually, m["kind"], m["region"], estimated))
main = threads[0]
after = [e for e in main if e[3] == "enter" and e[4] == "MPI_Comm_rank"] # the joins
def before(event): # the first thread's latest event before another one
	return [e for e in main if e[0] <= event[0]][-1]
births = [[e for e in threads[k] if e[3] == "enter"][0] for k in (1, 2, 3)]
ends = [[e for e in threads[k] if e[3] == "leave"][-1] for k in (1, 2, 3)]
arrivals = [before((after[k][0] - 1,)) for k in range(3)] # of the first thread at the joins
# It has what its creator had, and what its birth took. The first one's latest event before was a probe, else the end of a call.
if what == "birth":
	left = [e for e in main if e[3] == "leave" and e[4] == "MPI_Comm_rank"]
	pairs = list(zip([before(births[0])] + left, births))
	ok = all(0 <= b[1] - c[1] <= b[0] - c[0] for c, b in pairs) and births[0][1] >= PROBES
elif what == "grown":
	ok = ends[0][1] - births[0][1] >= PROBES and after[0][1] - births[0][1] >= PROBES
elif what == "naps":
	nap = [20, 100, 5]
	ok = all(ends[k][2] - births[k][2] >= nap[k] * MS - CLOSE and after[k][2] >= ends[k][2] - CLOSE for k in range(3))
elif what == "join": # it goes on when the later one of both was there, which is earlier by what is between that and the same virtually
	ok = True
	for k in range(3):
		virtually = max(ends[k][2], arrivals[k][2])
		really = [max(ends[k][0], arrivals[k][0]), after[k][0]]
		own = ends[k][0] < really[1] - CLOSE and arrivals[k][0] > ends[k][0] # when exactly it came, has no event
		ok = ok and really[0] - virtually - CLOSE <= after[k][1] <= really[own] - virtually + CLOSE
elif what == "compensated": # they are made of the same births and joins
	ok = all(abs(e[5] - e[2]) <= CLOSE for e in threads[1] + threads[2] + threads[3] + after)
else: # in order on each thread
	ok = all(a[2] <= b[2] + 2 for of in threads.values() for a, b in zip(of, of[1:]))
if not ok and what == "birth":
	print(pairs)
if not ok:
	for thread in threads:
		for e in threads[thread]:
			if not "probed" in e[4]:
				print(thread, *e)
sys.exit(not ok)
END
look() { /usr/bin/python3 "$tmp/look.py" "$tmp" "$1"; }

for mpi in mpich openmpi; do
	mpi_is_there || continue
	mpicc.$mpi -w -g -O1 -pthread -finstrument-functions -o "$tmp/$mpi" "$source"
	# A probe that loses its core costs more than its records say at once: three tries.
	for _ in 1 2 3; do
		"$out/tvrun" -q --virtual-time --probe-delay 1000000 -o "$tmp/$mpi.trc" mpiexec.$mpi $oversubscribe -n 1 \
			"$tmp/$mpi" >"$tmp/log" 2>&1
		ended=$?
		for base in measured virtual compensated; do
			"$tview" export events "$tmp/$mpi.trc" -b $base -f csv >"$tmp/$base.csv"
		done
		look birth >/dev/null && break
	done
	check "$mpi: a run with three threads" test $ended = 0
	check "$mpi: a thread begins with what recording cost the one that creates it" look birth
	check "$mpi: its own probes are its own, and go on to the one that joins it" look grown
	check "$mpi: naps last as long as they are" look naps
	check "$mpi: a join waits for the end of the thread, virtually" look join
	check "$mpi: compensated times know of it" look compensated
	check "$mpi: times are in order" look order
done
done_testing
