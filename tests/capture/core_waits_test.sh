#!/bin/sh
# Waiting for a core (tvrun(1)): two ranks on one core, which say by themselves how long they waited for it (core_waits.c).
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

record() { # OPTIONS...
	timeout 120 "$out/tvrun" -q --yield -o "$tmp/c.trc" "$@" taskset -c "$core" "mpiexec.$mpi" $bind -n 2 "$tmp/core_waits" \
		>"$tmp/said" 2>"$tmp/log" || { cat "$tmp/said" "$tmp/log"; return 1; }
	"$tview" export events --no-cache "$tmp/c.trc" -f csv >"$tmp/events"
}
# Milliseconds between the latest value before the second barrier and that of its begin.
recorded() { # RANK
	awk -F, -v rank="$1" '$2 != rank { next }
		$4 == "enter" && $5 == "MPI_Barrier" { n++ }
		$4 == "metric" { split($14, a, /[ *]/); if (n == 2 && !to) to = a[3]; if (n < 2) from = a[3] }
		END { printf "%d", (to - from) / 1e6 }' "$tmp/events"
}
said() { awk -v rank="$1" '$1 == rank { printf "%d", $2 / 1e6 }' "$tmp/said"; }
near() { awk "BEGIN { d = $1 - $2; exit !(d * d <= 25) }"; }
report_says() { "$tview" report --no-cache "$tmp/c.trc" --width 1000 | grep -q "$1"; }

core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
for mpi in mpich openmpi; do
	mpi_is_there || continue
	bind=
	[ $mpi = openmpi ] && bind="--oversubscribe --bind-to none"
	mpicc.$mpi -O1 -g -o "$tmp/core_waits" tests/capture/mpi/core_waits.c
	check "$mpi: it is recorded" record
	for rank in 0 1; do
		check "$mpi: rank $rank waited for its core ($(said $rank) ms) as long as the trace says ($(recorded $rank) ms)" \
			near "$(said $rank)" "$(recorded $rank)"
		check "$mpi: rank $rank did wait" [ "$(said $rank)" -ge 20 ]
	done
	check "$mpi: the report says so" report_says 'waited .* for .*of their time'
	TVIEW_CORE_WAITS=0
	export TVIEW_CORE_WAITS
	check "$mpi: recorded without" record
	check "$mpi: there are none then" is "$(grep -c ',metric,\|tview_cores' "$tmp/events")" 0
	unset TVIEW_CORE_WAITS
done
done_testing
