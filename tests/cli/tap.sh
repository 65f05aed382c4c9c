# For shell tests, which run in the repository's root: results as TAP, and what most of them need. Sourced.
#
#	. tests/cli/tap.sh
#	check "what holds" command ...		ok when the command succeeds
#	skip "what" "why"
#	done_testing
#
#	$out, $tview	the release build, its program; good in any folder
#	$tmp		a folder that is gone at the end
set -u
# No look for network cards: that is a sixth of what a start costs. Open MPI takes these itself where there are none.
export HWLOC_COMPONENTS=-pci,-linuxio OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
out=$PWD/build/release
tview=$out/tview
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
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

# What is tview's alone, and so the same on each MPI: on the first one ($mpi).
check_once() { [ "$mpi" != mpich ] || check "$@"; }

skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n # SKIP $1: $2"
}

# Is $mpi (mpich, openmpi) installed? Sets $oversubscribe for its mpiexec; if it is not, that is a test skipped.
mpi_is_there() {
	oversubscribe=
	[ "$mpi" = openmpi ] && oversubscribe=--oversubscribe
	command -v "mpicc.$mpi" >/dev/null && command -v "mpiexec.$mpi" >/dev/null && return
	skip "$mpi" "it is not installed"
	return 1
}

done_testing() {
	echo "1..$tap_n"
	exit "$tap_failed"
}

# ---- for `check` ----

# is GOT WANT
is() { [ "$1" = "$2" ] || { echo "got: $1"; echo "want: $2"; return 1; }; }

# fails STATUS PATTERN ARGUMENTS...: of tview, with one sentence on stderr and nothing on stdout
fails() {
	wanted=$1 pattern=$2
	shift 2
	"$tview" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ "$got" = "$wanted" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] &&
		grep -q "^tview: .*$pattern" "$tmp/err" || { echo "status $got"; cat "$tmp/out" "$tmp/err"; return 1; }
}

# appears FILE: another process writes it, as that of a cache file does
appears() {
	tap_tries=0
	until [ -e "$1" ]; do
		tap_tries=$((tap_tries + 1))
		[ $tap_tries -le 200 ] || { echo "$1 does not appear"; return 1; }
		sleep .01
	done
}
