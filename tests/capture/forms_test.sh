#!/bin/sh
# A run is the same in every form that tvrun writes: events, messages, collectives, waits and sites that tview finds in the
# archive and in the compressed text are those of the text. Of the samples, and of runs with threads, one-sided communication
# and files.
. tests/cli/tap.sh
mpi=mpich
sources=$PWD/tests/capture/mpi

# record COMMAND...: keeps the records of its ranks
record() {
	rm -rf "$tmp"/run.*
	"$out/tvrun" --yield --keep -o "$tmp/run.trc" mpiexec.$mpi "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
}
merged() { "$out/tvrun" -q --merge "$tmp"/run.trc.ranks-* -o "$tmp/$1"; }
# tables FORM: what tview finds in it, in $tmp/tables.FORM
tables() {
	for table in events messages collectives waits lines; do
		echo "== $table"
		"$tview" export $table "$tmp/run.$1" -f csv >"$tmp/table" || return 1
		# Events and call paths are numbered as the form has them; lines of equal times may have any order.
		case $table in
		events | messages) sed 's/,[^,]*,[^,]*$//' "$tmp/table" ;;
		waits) cut -d, -f1-12 "$tmp/table" ;;
		lines) sort "$tmp/table" ;;
		*) cat "$tmp/table" ;;
		esac
	done >"$tmp/tables.$1"
}
same_as_text() { tables "$1" && diff "$tmp/tables.trc" "$tmp/tables.$1" >"$tmp/diff" || { head -n 20 "$tmp/diff"; return 1; }; }
# at_least N PATTERN: rows of the text's tables
at_least() { [ "$(grep -c "$2" "$tmp/tables.trc")" -ge "$1" ] || { grep -c "$2" "$tmp/tables.trc"; return 1; }; }

# forms WHAT COMMAND...
forms() {
	what=$1
	shift
	check "$what: its records are kept" record "$@"
	check "$what: as text" merged run.trc
	check "$what: what is in it" tables trc
	check "$what: as an archive" merged run.otf2
	check "$what: the archive has the same" same_as_text otf2
	check "$what: compressed" merged run.trc.zst
	check "$what: the compressed text has the same" same_as_text trc.zst
}

if ! command -v mpicc.$mpi >/dev/null || ! command -v mpiexec.$mpi >/dev/null; then
	skip "$mpi" "it is not installed"
	done_testing
fi
forms pi -n 3 "$out/programs/pi" 2000 4
check "pi: visits of its functions" at_least 12 ',enter,'
forms ring -n 3 "$out/programs/ring"
forms late -n 2 "$out/programs/late" 40 60
forms mix -n 2 "$out/programs/mix" 50 100
forms stencil -n 4 "$out/programs/stencil"
forms farm -n 3 "$out/programs/farm"

mpicc.$mpi -g -o "$tmp/every" "$sources/every.c"
forms "point to point" -n 2 "$tmp/every"
check "point to point: its messages" at_least 32 'MPI_Send,\|MPI_Isend,'
mpicc.$mpi -g -o "$tmp/late_collectives" "$sources/late_collectives.c"
forms "collectives of all forms" -n 2 "$tmp/late_collectives"
mpicc.$mpi -g -o "$tmp/one_sided" "$sources/one_sided.c"
forms one-sided -n 2 "$tmp/one_sided"
check "one-sided: its accesses" at_least 21 'rma-put\|rma-get\|rma-atomic'
mpicc.$mpi -w -g -o "$tmp/files" "$sources/file_requests.c"
forms files -n 2 "$tmp/files" "$tmp/data"
check "files: operations with bytes" at_least 8 ',io,'
mpicc.$mpi -w -g -Iinclude -o "$tmp/inject" tests/inject/*.c
forms "a root between two groups" -n 4 "$tmp/inject" MPI_Igather/Wait-between
forms "split collectives of a file" -n 4 "$tmp/inject" MPI_File_write_all_begin/end
mpicc.$mpi -g -pthread -o "$tmp/threads" "$sources/made_at_once.c"
forms threads -n 2 "$tmp/threads"
check "threads: those of a rank" at_least 1 ',0,4,'
done_testing
