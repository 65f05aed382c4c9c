#!/bin/sh
# Over a slow line (10 KB/s, 200 ms each way) keys that come meanwhile are drawn once: no redraws queue up.
. tests/cli/tap.sh
export HOME="$tmp" XDG_CACHE_HOME="$tmp" XDG_STATE_HOME="$tmp"
said=$(timeout 120 python3 tests/cli/slow_line.py "$tview" traces/otf2/mg.S-4)
echo "# bytes of 24 zooms waited for, the same held down, seconds from the last key to the last byte: $said"
less() { echo "$said" | awk "NF != 3 || !($1) { exit 1 }"; }
check "held down, 24 zooms take a sixth of the bytes, or less" less '$2 > 0 && $2 * 6 <= $1'
# What was being drawn when the last key came, and what that key asks for.
check "after the last key come two screens at most, and a second" less '$3 <= 2.5 * $1 / 24 / 10000 + 1 + 0.4'
done_testing
