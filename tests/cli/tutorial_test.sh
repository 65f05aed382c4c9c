#!/bin/sh
# doc/tutorial.md shows what the programs say and what tests/screens/tutorial.test, which is played by others, shows.
. tests/cli/tap.sh
check "doc/tutorial.md is true" scripts/tutorial
altered() {
	mkdir -p "$tmp/doc" "$tmp/tests/screens" "$tmp/build" && ln -s "$PWD/build/release" "$tmp/build/release" &&
		cp tests/screens/tutorial.test "$tmp/tests/screens" && sed 's/rank 2 came last/rank 1 came last/' doc/tutorial.md >"$tmp/doc/tutorial.md" &&
		here=$PWD && cd "$tmp" && ! "$here/scripts/tutorial" >"$tmp/said" && cd "$here" && grep -q '^+.*rank 2 came last' "$tmp/said"
}
check "a screen that is not so is found" altered
done_testing
