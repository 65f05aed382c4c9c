#!/bin/sh
# The table of requests (src/capture/lib/request_table.h) under the thread sanitizer.
. tests/cli/tap.sh

test=$tmp/tests/capture/request_table_test # a test is called like its file
compile() {
	mkdir -p "$(dirname "$test")" && ${CC:-cc} -std=gnu11 -O1 -g -fsanitize=thread -Isrc -Itests -o "$test" tests/capture/request_table_test.c \
		tests/harness/test.c tests/harness/test_main.c "$out/libtview.a" -lcmocka -lm -lpthread
}
silent() { "$test" >"$tmp/log" 2>&1 && ! grep -q ThreadSanitizer "$tmp/log" || { cat "$tmp/log"; return 1; }; }

printf 'int main(void) { return 0; }\n' >"$tmp/try.c"
if ! ${CC:-cc} -fsanitize=thread -o "$tmp/try" "$tmp/try.c" 2>"$tmp/err" || ! "$tmp/try"; then
	skip "thread sanitizer" "it does not work here"
	done_testing
fi
check "it can be compiled" compile
check "threads do not race" silent
done_testing
