# For shell tests: results as TAP. Sourced.
#
#	. tests/cli/tap.sh
#	check "what holds" command ...		ok when the command succeeds
#	skip "what" "why"
#	done_testing
tap_n=0
tap_failed=0

check() {
	tap_what=$1
	shift
	tap_n=$((tap_n + 1))
	if tap_said=$("$@" 2>&1); then
		echo "ok $tap_n - $tap_what"
	else
		tap_failed=1
		echo "not ok $tap_n - $tap_what"
		echo "# $*"
		printf '%s\n' "$tap_said" | head -n 40 | sed 's/^/# /'
	fi
}

skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n # SKIP $1: $2"
}

done_testing() {
	echo "1..$tap_n"
	exit "$tap_failed"
}
