#!/bin/sh
# libtview: nothing but the names of its header is visible; its tables are those of the exports; what doc/library.md
# says compiles, and finds what tview finds.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp" PYTHONPATH="$PWD/tests/cli:$out/python/dist-packages" PYTHONDONTWRITEBYTECODE=1

# The names of the headers; inline functions are no names of the library.
promised() { cat include/tview/*.h | grep -o 'tview_[a-z_]*(' | tr -d '(' | grep -v '^tview_next_[a-z]*$' | sort -u; }
visible() {
	promised | sed 's/$/@@TVIEW_0/' >"$tmp/promised"
	nm -D --defined-only --with-symbol-versions "$1" | awk '$2 == "T" { print $3 }' | sort >"$tmp/visible"
	[ -s "$tmp/promised" ] && diff "$tmp/promised" "$tmp/visible"
}
in_map() { promised | diff - "$tmp/mapped"; }
sed -n 's/^\t\(tview_.*\);$/\1/p' src/library/libtview.map | sort >"$tmp/mapped"
# What programs rely on does not change unseen (doc/library.md).
same_abi() { tests/cli/library_abi.sh "$tmp" | diff src/library/libtview.abi -; }
# What a program links statically must not clash with its own names.
visible_statically() {
	promised >"$tmp/promised"
	nm --defined-only --extern-only "$out/library/libtview.a" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort >"$tmp/visible"
	diff "$tmp/promised" "$tmp/visible"
}
no_screen() { ! readelf -d "$out/libtview.so.0" | grep -E 'ncurses|tinfo|libelf|libdw'; }
equal() { /usr/bin/python3 tests/cli/library_equal.py "$tview" "$1"; }

check "the headers' names with their version, and no others" visible "$out/libtview.so.0"
check "the version script lists them" in_map
check "sizes, numbers and prototypes are those that were promised" same_abi
check "the same in the static library" visible_statically
check "no library of the screen" no_screen
for trace in traces/stencil.trc traces/collectives.trc traces/tolerated.trc traces/otf2/ez-pp-2/eztrace_log.otf2; do
	check "tables of $trace" equal "$trace"
done

env -u MAKEFLAGS make -s install DESTDIR="$tmp/stage" PREFIX=/opt/tview || exit 1
export PKG_CONFIG_PATH="$tmp/stage/opt/tview/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tmp/stage"
compiled() {
	# shellcheck disable=SC2046 # words
	${CC:-gcc} -std=c11 -Wall -Wextra -Werror examples/late_senders.c $(pkg-config --cflags --libs tview) -o "$tmp/late"
}
compiled_statically() {
	# shellcheck disable=SC2046 # words
	${CC:-gcc} examples/late_senders.c $(pkg-config --cflags tview) "$tmp/stage/opt/tview/lib/libtview.a" \
		$(pkg-config --static --libs-only-l tview | sed 's/-ltview//') -o "$tmp/late.static"
}
# The example in a header's first comment.
sketched() {
	{
		printf '#include <stdio.h>\n#include <tview/%s.h>\nint main(void)\n{\n' "$1"
		sed -n '1,/\*\//s/^ \*\t//p' "include/tview/$1.h"
		printf 'return 0;\n}\n'
	} >"$tmp/sketch.c"
	# shellcheck disable=SC2046 # words
	${CC:-gcc} -std=c11 -Wall -Wextra -Werror "$tmp/sketch.c" $(pkg-config --cflags --libs tview) -o "$tmp/sketch" || return 1
	cp "traces/$2" "$tmp/run.trc"
	(cd "$tmp" && LD_LIBRARY_PATH="$tmp/stage/opt/tview/lib" ./sketch) >"$tmp/mine" || return 1
	[ -s "$tmp/mine" ]
}
sketched_tables() {
	sketched trace stencil.trc || return 1
	"$tview" export calls "$tmp/run.trc" --ranks 0-1 --filter 'region =~ /^MPI_/' -f csv --columns region,duration_s |
		awk -F, 'NR > 1 { printf "%s %g\n", $1, $2 }' | diff "$tmp/mine" -
}
sketched_records() {
	sketched records stencil.trc && sort -o "$tmp/mine" "$tmp/mine" || return 1
	"$tview" export messages "$tmp/run.trc" --ranks 0-3 --filter 'bytes >= 1k' -f csv --columns src,dst,bytes |
		awk -F, 'NR > 1 { printf "%s to %s: %s bytes\n", $1, $2, $3 }' | sort | diff "$tmp/mine" -
}
as_cxx() { printf '#include <tview/records.h>\n' | g++ -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c++ -; }
# Seconds that each rank waited, of a real run and of one by hand; the export has rounded each wait to a nanosecond.
late() {
	LD_LIBRARY_PATH="$tmp/stage/opt/tview/lib" "$1" "$2" >"$tmp/mine" || return 1
	"$tview" export waits "$2" -f csv |
		awk -F, '$9 == "mpi_latesender" { s[$3] += $1; n++ } END { for (r in s) print r, s[r], n }' >"$tmp/theirs"
	awk 'NR == FNR { s[$1] = $2; bound = $3 * 1e-9; next } { d = $4 - s[$2]; if (d > bound || d < -bound) wrong = 1; n += $4 > 0 }
		END { exit wrong || n < 2 }' "$tmp/theirs" "$tmp/mine" || { cat "$tmp/mine" "$tmp/theirs"; return 1; }
}
refuses() {
	! LD_LIBRARY_PATH="$tmp/stage/opt/tview/lib" "$tmp/late" "$tmp/none.trc" 2>"$tmp/said" && grep -q 'cannot open' "$tmp/said"
}
check "the example compiles" compiled
check "and statically" compiled_statically
check "so does the one in trace.h, and prints what is exported" sketched_tables
check "and the one in records.h" sketched_records
check "the headers are C++, too" as_cxx
check "it finds late senders" late "$tmp/late" traces/otf2/sweep3d-4/traces.otf2
check "those of a run by hand" late "$tmp/late" traces/chain.trc
check "and linked statically" late "$tmp/late.static" traces/otf2/sweep3d-4/traces.otf2
check "it says what it cannot open" refuses
done_testing
