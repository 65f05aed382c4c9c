#!/bin/sh
# The Model Context Protocol: sessions are played; hostile input is answered with errors; nothing is written.
. tests/cli/tap.sh
export XDG_CACHE_HOME="$tmp/cache"
mkdir "$tmp/runs"
cp traces/stencil.trc "$tmp/runs"
ln -s /etc/passwd "$tmp/runs/out"
session() { /usr/bin/python3 tests/cli/mcp_session.py "$tview" "$tmp/runs"; }
check "sessions" session
untouched() { is "$(ls -A "$tmp/runs")" "$(printf 'out\nstencil.trc')" && cmp traces/stencil.trc "$tmp/runs/stencil.trc"; }
check "nothing was written" untouched
check "no such folder" fails 3 "cannot open" mcp "$tmp/none"
done_testing
