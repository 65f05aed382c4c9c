#!/bin/sh
# scripts/layers finds what it is there to find.
set -u
. tests/cli/tap.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/scripts" "$tmp/src/base" "$tmp/src/model" "$tmp/src/ui" "$tmp/src/capture/lib" \
	"$tmp/src/capture/run"
cp scripts/layers "$tmp/scripts"
for header in base/err.h model/trace.h ui/view.h capture/lib/record.h capture/lib/recorder.h; do
	echo "int x;" >"$tmp/src/$header"
done

# finds WHAT FILE LINE: with that line in that file, layers fails and says WHAT
finds() {
	echo "$3" >"$tmp/src/$2"
	"$tmp/scripts/layers" >"$tmp/said" && found=no || found=yes
	rm "$tmp/src/$2"
	cat "$tmp/said"
	[ "$found" = yes ] && grep -q "$1" "$tmp/said"
}
passes() {
	echo "$2" >"$tmp/src/$1"
	"$tmp/scripts/layers"
	status=$?
	rm "$tmp/src/$1"
	return "$status"
}

check "an arrow down" passes ui/a.c '#include "model/trace.h"'
check "an arrow up" finds "model may not include ui/view.h" model/a.c '#include "ui/view.h"'
check "with blanks" finds "may not" base/a.c '  #  include  "model/trace.h"'
check "capture/lib stands alone" finds "may not" capture/lib/a.c '#include "base/err.h"'
check "capture/run reads records" passes capture/run/a.c '#include "capture/lib/record.h"'
check "but not the recorder" finds "may not" capture/run/a.c '#include "capture/lib/recorder.h"'
check "ncurses in a view" finds "only src/ui/terminal/screen.c" ui/a.c '#include <ncurses.h>'
check "ncurses behind the screen" passes ui/screen.c '#include <ncurses.h>'
check "a header that is not there" finds "does not exist" ui/a.c '#include "model/gone.h"'
check "two files of one name" finds "second err.h" model/err.h ''
mkdir "$tmp/src/new"
check "a folder without a layer" finds "has no layer" new/a.c 'int y;'
done_testing
