# Runs of two ranks under tvrun, and what came of them. $mpi: mpich or openmpi; $oversubscribe: an option of mpiexec's.
# shellcheck disable=SC2154 # out, tview and tmp are of tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# record COMMAND...: two ranks of it, in $tmp/t.trc
record() {
	rm -f "$tmp/t.trc"
	"$out/tvrun" -q -o "$tmp/t.trc" "mpiexec.$mpi" $oversubscribe -n 2 "$@" >"$tmp/log" 2>&1
}
# messages: how many of them came, and their bytes; the one with tag 99 was cancelled
messages() {
	"$tview" export messages "$tmp/t.trc" -f csv |
		awk -F, '$5 != 99 && NR > 1 { n++; b += $6 } END { print n, b }'
}
# visits FUNCTION...: of each
visits() {
	"$tview" export profile "$tmp/t.trc" -f csv >"$tmp/profile"
	for call; do
		awk -F, -v f="MPI_$call" '$1 == f { n = $2 } END { printf "%d ", n }' "$tmp/profile"
	done
}
# collectives OPERATION: bytes sent and received of each call
collectives() {
	"$tview" export collectives "$tmp/t.trc" -f csv | /usr/bin/python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
	if r["op"] == sys.argv[1]:
		print(r["bytes_sent"] + "/" + r["bytes_received"], end=" ")' "$1"
}
# waits_for_1 CALL OPERATION: rank 0 waited more than 10 of 50 ms or 250: a busy machine takes some away
waits_for_1() {
	"$tview" export waits "$tmp/t.trc" -f csv | /usr/bin/python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["rank"] == "0" and sys.argv[1] in r.values() and sys.argv[2] in r.values()]
print(rows)
sys.exit(not any(0.010 < float(r[w]) < 2 for r in rows for w in r if w.startswith("wait") and w.endswith("_s")))' "$@"
}
whole() { "$tview" check "$tmp/t.trc" | grep -q '^No damage, no guesses'; }
