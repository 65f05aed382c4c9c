#!/bin/sh
# What other users may plant where tvrun writes, and what names may hold that it prints.
. tests/cli/tap.sh
command -v mpiexec.mpich >/dev/null || { skip "tvrun" "there is no mpiexec.mpich"; done_testing; }
mpicc.mpich -O2 -w -Itraces/programs -o "$tmp/ring" traces/programs/ring.c || exit 1

# Two tvruns under one launcher share a folder, whose name others can know: they plant one that they can write to.
name=hostile-$$.trc
mkdir -m 777 "$tmp/$name.ranks-job"
chmod 777 "$tmp/$name.ranks-job"
under() { timeout 60 mpiexec.mpich -n 2 -env PMIX_NAMESPACE job "$out/tvrun" --yield "$@" -o "$tmp/$name" "$tmp/ring" >"$tmp/log" 2>&1; }
untouched() { [ -z "$(ls -A "$tmp/$name.ranks-job")" ]; }
check "a folder that others can write to is passed over" under
check "nothing is in it" untouched
check "the trace has both ranks" sh -c "'$tview' report --no-cache -f json '$tmp/$name' | grep -q '\"locations\": *2'"
refused() {
	! mpiexec.mpich -n 1 -env PMIX_NAMESPACE job "$out/tvrun" --buffer-dir "$tmp" -o "$tmp/$name" "$tmp/ring" >"$tmp/log" 2>&1 &&
		grep -q 'cannot make a folder there: File exists' "$tmp/log"
}
check "where it alone may be used, tvrun says that it is there" refused
check "nothing is in it, either" untouched

# A terminal does what escape sequences say.
evil=$(printf 'x\033]0;owned\007\033[31m\302\233.trc')
said() { "$@" 2>"$tmp/said" >"$tmp/log"; }
harmless() { [ -s "$tmp/said" ] && ! LC_ALL=C grep -q "$(printf '[\033\007]\\|\302\233')" "$tmp/said"; }
check "a trace with an evil name is written" said "$out/tvrun" --yield -o "$tmp/$evil" mpiexec.mpich -n 2 "$tmp/ring"
check "tvrun says its name" grep -q 'x?\]0;owned?' "$tmp/said"
check "without what a terminal obeys" harmless
said "$out/tvrun" --merge "$tmp/$evil"
check "nor in an error" harmless
said "$out/tvcc" --filter-from "$tmp/$evil"
check "nor in one of tvcc" harmless
done_testing
