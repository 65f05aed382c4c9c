#!/bin/sh
# scripts/run-tests counts rightly, above all when a test dies: no failure may get lost.
. tests/cli/tap.sh

# fake NAME: an executable that does what stdin says
fake() {
	{ echo '#!/bin/sh'; cat; } >"$tmp/$1"
	chmod +x "$tmp/$1"
}
# ends LINE STATUS NAME ...: the last line and the status of running the fakes
ends() {
	line=$1 status=$2
	shift 2
	( cd "$tmp" && TEST_SECONDS=1 "$OLDPWD/scripts/run-tests" "$@" ) >"$tmp/out" 2>&1
	got=$?
	cat "$tmp/out"
	[ "$(tail -n 1 "$tmp/out")" = "$line" ] && [ "$got" = "$status" ]
}

fake good <<'E2'
echo '1..2'; echo 'ok 1 - a'; echo 'ok 2 - b'
E2
fake bad <<'E2'
echo '1..2'; echo 'ok 1 - a'; echo '# 1 != 2'; echo 'not ok 2 - b'; exit 1
E2
fake skips <<'E2'
echo '1..2'; echo 'ok 1 - a'; echo 'not ok 2 # SKIP b'
E2
fake dies <<'E2'
echo '1..3'; echo 'ok 1 - a'; kill -SEGV $$
E2
fake leaks <<'E2'
echo '1..1'; echo 'ok 1 - a'; echo 'LeakSanitizer: detected memory leaks'; exit 23
E2
fake short <<'E2'
echo '1..3'; echo 'ok 1 - a'
E2
fake silent <<'E2'
exit 0
E2
fake hangs <<'E2'
echo '1..1'; exec sleep 60
E2
# The first of two ends last.
fake varies <<'E2'
if mkdir first 2>/dev/null; then
	echo '1..1'; sleep 0.3; echo 'ok 1 - a'
else
	echo '1..2'; echo 'ok 1 - a'; echo 'not ok 2 - b'; exit 1
fi
E2

fake unsteady <<'E2'
if mkdir again 2>/dev/null; then
	echo '1..1'; echo 'not ok 1 - a'; exit 1
fi
echo '1..2'; echo 'ok 1 - a'; echo 'ok 2 - b'
E2
shown() { grep -c "$1" "$tmp/out" | grep -qx "$2"; }

check "all good" ends "2 passed, 0 failed" 0 ./good
check "a failure" ends "3 passed, 1 failed" 1 ./good ./bad
check "the reason is shown" grep -q '# 1 != 2' "$tmp/out"
check "skipped ones are no successes" ends "1 passed, 0 failed, 1 skipped" 0 ./skips
check "death by a signal" ends "1 passed, 1 failed" 1 ./dies
check "a leak after the last result" ends "1 passed, 1 failed" 1 ./leaks
check "fewer results than planned" ends "1 passed, 1 failed" 1 ./short
check "no result at all" ends "0 passed, 1 failed" 1 ./silent
check "a test that hangs is ended" ends "0 passed, 1 failed" 1 ./hangs
check "a test that is not there" ends "0 passed, 1 failed" 1 ./absent
check "one test named twice" ends "2 passed, 1 failed" 1 ./varies ./varies
check "one that is good when run again" ends "4 passed, 0 failed" 0 ./good --again ./unsteady
check "what it said first stays" shown '| not ok 1 - a' 1
check "and that it was unsteady" shown '^UNSTEADY.* ./unsteady$' 1
check "one that fails again counts once" ends "3 passed, 1 failed" 1 ./good --again ./bad
check "what may not be run again is not" ends "0 passed, 1 failed" 1 ./absent --again
rm -r "$tmp/again"
check "four failures are none of chance" ends "1 passed, 5 failed" 1 --again ./bad ./silent ./hangs ./absent ./unsteady
check "nothing to run" ends "0 passed, 0 failed" 1
done_testing
