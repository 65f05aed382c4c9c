#!/bin/sh
# With tvrun --statistics the recorder's own set-up in MPI_Init and MPI_Finalize (costs are measured, clocks compared) has rows of
# its own, and is neither the program's computing nor MPI's: of ten barriers, compiled with hooks, with tvcc, or without
# either. A sum of all times that were spent is the whole, and what is computing was outside of MPI by the program's own clock.
. tests/cli/tap.sh

compiled() {
	mpicc.mpich -g -o "$tmp/plain" tests/capture/programs/barriers.c &&
		mpicc.mpich -g -finstrument-functions -o "$tmp/hooks" tests/capture/programs/barriers.c &&
		TVIEW_CC=mpicc.mpich "$out/tvcc" -g -o "$tmp/probes" tests/capture/programs/barriers.c
}
traced() { # NAME [OPTION]
	"$out/tvrun" -q --statistics ${2+"$2"} -o "$tmp/$1.trc" mpiexec.mpich -n 2 "$tmp/$1" >"$tmp/$1.log" 2>&1 || { cat "$tmp/$1.log"; return 1; }
	"$out/tview" export graph -f csv "$tmp/$1.trc" >"$tmp/$1.csv" && "$out/tview" report -f json "$tmp/$1.trc" >"$tmp/$1.json"
}
# Set-up and offsets twice on each rank.
adds_up() { # NAME
	/usr/bin/python3 - "$tmp/$1" <<'END'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + ".csv")))
time = json.load(open(sys.argv[1] + ".json"))["time"]
whole = next(float(r["time_s"]) for r in rows if r["kind"] == "program")
spent = [r for r in rows if r["kind"] != "call" and r["time_s"]]
own = [r for r in spent if "overhead" in r["flags"].split()]
measuring = sum(float(r["exclusive_s"]) for r in own)
assert sorted((r["name"], r["count"]) for r in own) == [("tview_offsets", "4"), ("tview_setup", "4")], own
assert measuring > 0 and abs(measuring - time["measurement"]) < 1e-6, (measuring, time)
assert abs(sum(float(r["exclusive_s"]) for r in spent) - whole) < 1e-5, (spent, whole)
assert abs(sum(time[k] for k in ("computing", "transmission", "synchronisation", "mpi_other", "measurement")) - whole) < 1e-5, (time, whole)
END
}
# Before and after main is outside of all, and main has no time but by its own clock: half of what is measured is much more than
# what the clocks differ by.
is_outside() { # NAME
	/usr/bin/python3 - "$tmp/$1" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1] + ".csv")))
outside = sum(float(l.split()[1]) for l in open(sys.argv[1] + ".log") if l.startswith("outside "))
get = lambda kind, name, what: next(float(r[what]) for r in rows if r["kind"] == kind and r["name"] == name)
program, main = get("program", "program", "exclusive_s"), get("procedure", "main", "exclusive_s")
around = get("program", "program", "time_s") - get("procedure", "main", "time_s")
measuring = get("procedure", "tview_setup", "time_s") + get("procedure", "tview_offsets", "time_s")
assert abs(program - around) < 1e-5, (program, around)
assert abs(main - outside) < measuring / 2, (main, outside, measuring)
assert {"main/tview_setup()", "main/tview_offsets()"} <= {r["path"] for r in rows if r["kind"] == "call"}, rows
END
}
# Virtual time leaves own work out of all times, those of the calls that it is in, too: what is in main, and around it, is the whole.
virtual_adds_up() {
	/usr/bin/python3 - "$tmp/hooks.csv" <<'END'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["time_s"]]
program, main = rows[:2]
parts = sum(float(r["time_s"]) for r in rows if r["kind"] == "communication")
assert not any("overhead" in r["flags"] for r in rows), rows
assert abs(float(main["exclusive_s"]) + parts - float(main["time_s"])) < 1e-3, rows
assert abs(float(program["exclusive_s"]) + float(main["time_s"]) - float(program["time_s"])) < 1e-3, rows
END
}
# Set-up is the recorder's, whatever the others think of it.
is_not_the_hottest() { # NAME
	"$tview" report "$tmp/$1.trc" >"$tmp/said" && grep -q '^  tool overhead ' "$tmp/said" && ! grep -q 'Most time.*tview_' "$tmp/said"
}

check "the programs are compiled" compiled
for name in plain hooks probes; do
	check "$name: traced" traced $name
	check "$name: times add up" adds_up $name
	[ $name = plain ] || check "$name: main's own time is its own" is_outside $name
	check "$name: the report names it" is_not_the_hottest $name
done
check "virtual time: traced" traced hooks --virtual-time
check "virtual time: times add up" virtual_adds_up
done_testing
