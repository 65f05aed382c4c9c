#!/bin/sh
# A database says what the exports say: same tables, columns, rows, cells; appears whole or not at all.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp"

tables() {
	/usr/bin/python3 -c 'import sqlite3, sys
for (name,) in sqlite3.connect(sys.argv[1]).execute("SELECT name FROM sqlite_master WHERE type = ?", ("view",)):
    print(name)' "$1"
}
ask() { /usr/bin/python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall())' "$1" "$2"; }

# equal TRACE OPTION ...: every table against its CSV
equal() {
	trace=$1
	shift
	rm -rf "$tmp/csv" "$tmp/run.db"
	mkdir "$tmp/csv"
	"$tview" convert "$@" "$trace" "$tmp/run.db" || return 1
	tables "$tmp/run.db" >"$tmp/tables"
	[ "$(wc -l <"$tmp/tables")" -gt 30 ] || return 1
	while read -r table; do
		case $table in *_by_rank) by='--by rank' ;; *) by= ;; esac
		name=$(echo "${table%_by_rank}" | tr _ -)
		# shellcheck disable=SC2086 # two words
		"$tview" export "$name" "$@" $by "$trace" -f csv >"$tmp/csv/$table.csv" || return 1
	done <"$tmp/tables"
	/usr/bin/python3 tests/cli/database_equal.py "$tmp/run.db" "$tmp/csv"
}
check "stencil: tables are those of the exports" equal traces/stencil.trc
check "collectives, a window of some ranks" equal traces/collectives.trc --time 0.001:0.002 --ranks 0-2
check "OTF2, a clock that is fitted" equal traces/otf2/ez-pp-2/eztrace_log.otf2

# Another program counts the same.
counted() {
	"$tview" convert traces/otf2/sweep3d-4/traces.otf2 "$tmp/sweep.db" || return 1
	received=$(otf2-print traces/otf2/sweep3d-4/traces.otf2 | grep -c '^MPI_RECV')
	entered=$(otf2-print traces/otf2/sweep3d-4/traces.otf2 | grep -c '^ENTER')
	[ "$(ask "$tmp/sweep.db" 'SELECT count(*), (SELECT count(*) FROM calls) FROM messages')" = "[($received, $entered)]" ]
}
check "messages and calls are as many as otf2-print has" counted
whole_or_nothing() {
	mkdir "$tmp/small"
	(ulimit -f 8; "$tview" convert traces/stencil.trc "$tmp/small/run.db" 2>"$tmp/said") && return 1
	grep -q 'cannot write' "$tmp/said" && [ -z "$(ls -A "$tmp/small")" ]
}
keeps_the_old() {
	mkdir -p "$tmp/old" && echo old >"$tmp/old/run.db"
	(ulimit -f 8; "$tview" convert traces/stencil.trc "$tmp/old/run.db" 2>/dev/null) && return 1
	[ "$(cat "$tmp/old/run.db")" = old ] && "$tview" convert traces/stencil.trc "$tmp/old/run.db" &&
		[ "$(ask "$tmp/old/run.db" 'PRAGMA integrity_check')" = "[('ok',)]" ]
}
says() {
	! "$tview" convert --to sqlite traces/ring.trc - 2>"$tmp/said" && grep -q 'needs a file' "$tmp/said"
}
about() {
	"$tview" convert traces/ring.trc "$tmp/about.db" --ranks 0 &&
		ask "$tmp/about.db" 'SELECT * FROM about' | grep -q "'part of the run', 'yes'"
}
check "a full disk leaves nothing" whole_or_nothing
check "a file that was there stays until the new one is whole" keeps_the_old
check "standard output is refused with a sentence" says
check "a part of a run says so" about
done_testing
