#!/bin/sh
# scripts/layers finds what it is there to find.
. tests/cli/tap.sh
mkdir -p "$tmp/scripts" "$tmp/src/base" "$tmp/src/model/trace" "$tmp/src/model/picl/read" "$tmp/src/model/picl/write" \
	"$tmp/src/views/query" "$tmp/src/ui/app" "$tmp/src/ui/terminal" "$tmp/src/capture/lib" "$tmp/src/capture/run" "$tmp/tests/base"
cp scripts/layers "$tmp/scripts"
for header in base/err.h model/trace/trace.h model/picl/read/reader.h views/query/view.h capture/lib/record.h capture/lib/recorder.h; do
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

check "an arrow down" passes ui/app/a.c '#include "model/trace/trace.h"'
check "an arrow up" finds "model/trace may not include views/query/view.h" model/trace/a.c '#include "views/query/view.h"'
check "an arrow between rooms of a room" finds "model/picl/write may not include model/picl/read/reader.h" \
	model/picl/write/a.c '#include "model/picl/read/reader.h"'
check "with blanks" finds "may not" base/a.c '  #  include  "model/trace/trace.h"'
check "capture/lib stands alone" finds "may not" capture/lib/a.c '#include "base/err.h"'
check "capture/run reads records" passes capture/run/a.c '#include "capture/lib/record.h"'
check "but not the recorder" finds "may not" capture/run/a.c '#include "capture/lib/recorder.h"'
check "ncurses in a view" finds "only src/ui/terminal/" ui/app/a.c '#include <ncurses.h>'
check "ncurses behind the screen" passes ui/terminal/screen.c '#include <ncurses.h>'
check "ncurses where keys are read" passes ui/terminal/screen_input.c '#include <ncurses.h>'
check "a header that is not there" finds "does not exist" ui/app/a.c '#include "model/trace/gone.h"'
check "two files of one name" finds "second err.h" model/trace/err.h ''
check "a file of 601 lines" finds "more than 600 lines" ui/app/a.c "$(yes 'int x;' | head -n 601)"
check "a function of 61 lines" finds "a function of 61 lines" ui/app/a.c "$(printf 'void f(void)\n{\n'; yes 'x();' | head -n 61; echo '}')"
check "a function of 60 lines" passes ui/app/a.c "$(printf 'void f(void)\n{\n'; yes 'x();' | head -n 60; echo '}')"
check "a test of 600 lines" passes ../tests/base/a_test.c "$(yes 'int x;' | head -n 600)"
check "a test of 601 lines" finds "tests/base/a_test.c:601: more than 600 lines" ../tests/base/a_test.c \
	"$(yes 'int x;' | head -n 601)"
check "a test with a function of 61 lines" finds "a function of 61 lines" ../tests/base/a_test.c \
	"$(printf 'TEST(f)\n{\n'; yes 'x();' | head -n 61; echo '}')"
check "a test with a name of src" passes ../tests/base/err.h ''
mkdir "$tmp/src/new"
check "a folder without a rule" finds "has no rule" new/a.c 'int y;'
done_testing
