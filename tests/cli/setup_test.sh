#!/bin/sh
# scripts/setup lists what is missing. On a terminal it asks before it installs; without one it installs only as root.
# dpkg-query, apt-get, id and sudo are played by scripts; script(1) is the terminal.
. tests/cli/tap.sh
mkdir "$tmp/bin"

fake() {
	{ echo '#!/bin/sh'; cat; } >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
fake dpkg-query <<'E2'
for package; do :; done
case " $ABSENT " in *" $package "*) exit 1 ;; esac
echo installed
E2
fake apt-get <<'E2'
echo "apt-get $*" >>"$LOG"
[ -z "$APT_FAILS" ]
E2
fake id <<'E2'
echo "$USER_ID"
E2
fake sudo <<'E2'
[ "$SUDO_WORKS" = yes ] || exit 1
echo "sudo $*" >>"$LOG"
exec "$@"
E2

# setup ABSENT USER_ID SUDO_WORKS APT_FAILS ARGUMENTS: its output and status in $tmp/said, apt-get's calls in $tmp/log
setup() {
	absent=$1 user=$2 sudo=$3 apt=$4
	shift 4
	: >"$tmp/log"
	env PATH="$tmp/bin:$PATH" LOG="$tmp/log" ABSENT="$absent" USER_ID="$user" SUDO_WORKS="$sudo" \
		APT_FAILS="$apt" "$@" >"$tmp/said" 2>&1
	echo "status $?" >>"$tmp/said"
}
# on_terminal ANSWER SETUP_ARGUMENTS: the same on a terminal, where somebody types ANSWER
on_terminal() {
	answer=$1
	absent=$2 user=$3 sudo=$4
	: >"$tmp/log"
	printf '%s\n' "$answer" | env PATH="$tmp/bin:$PATH" LOG="$tmp/log" ABSENT="$absent" USER_ID="$user" \
		SUDO_WORKS="$sudo" APT_FAILS="" script -qec "scripts/setup run; echo status \$?" /dev/null |
		tr -d '\r' >"$tmp/said" 2>&1
}
said() { cat "$tmp/said" "$tmp/log"; grep -q -- "$1" "$tmp/said"; }
ran() { cat "$tmp/said" "$tmp/log"; grep -q -- "$1" "$tmp/log"; }
ran_nothing() { cat "$tmp/log"; ! grep -q install "$tmp/log"; }

setup "" 0 no "" scripts/setup
check "nothing missing: nothing said" test "$(cat "$tmp/said")" = "status 0"
setup "cppcheck less" 0 no "" scripts/setup test
check "says what is missing" said 'missing: cppcheck less'
check "root installs it" ran 'install.* cppcheck less$'
check "and that is a success" said 'status 0'
setup "cppcheck" 0 no "" scripts/setup run
check "the demo needs no tools of the tests" test "$(cat "$tmp/said")" = "status 0"
setup "mpich gcc" 1000 yes "" scripts/setup run
check "without a terminal sudo is not used: the command is printed" said '^	sudo apt-get install --no-install-recommends gcc mpich$'
check "nothing is installed" ran_nothing
check "and that is a failure" said 'status 1'
setup "mpich" 0 no "" env NO_INSTALL=1 scripts/setup run
check "NO_INSTALL=1 says it" said 'missing: mpich'
check "and installs nothing" ran_nothing
setup "mpich" 0 no yes scripts/setup run
check "a failure of apt-get is one of ours" said 'status 1'
check "the lists were brought up to date before giving up" ran 'update'
on_terminal n mpich 0 yes
check "a terminal: asks first" said 'install now with "apt-get install"? \[Y/n\]'
check "no: nothing is installed" ran_nothing
check "and that is a failure" said 'status 1'
on_terminal '' mpich 0 yes
check "Enter means yes" ran 'install.* mpich$'
on_terminal y mpich 1000 yes
check "yes: sudo installs it" ran '^sudo env .*install.* mpich$'
check "and that is a success" said 'status 0'
on_terminal y mpich 1000 no
check "a sudo that refuses is a failure" said 'status 1'
done_testing
