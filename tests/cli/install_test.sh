#!/bin/sh
# What `make install` writes works from where it lies, also after the whole tree was moved.
. tests/cli/tap.sh
trace=$(ls traces/*.trc | head -n 1)

check "make python" env -u MAKEFLAGS make -s python
check "make install with DESTDIR" env -u MAKEFLAGS make -s install DESTDIR="$tmp/stage" PREFIX=/opt/tview
root=$tmp/stage/opt/tview
for file in bin/tview bin/tview-replay bin/tvrun bin/tvcc lib/tview/tvinstrument lib/tview/libtvcapture.so lib/tview/libtvyield.so \
	lib/libtview.so lib/libtview.so.0 lib/libtview.a lib/pkgconfig/tview.pc include/tview/trace.h include/tview/records.h include/tview.h include/tview.f90 share/man/man1/tview.1 share/man/man1/tview-replay.1 share/man/man1/tvrun.1 share/man/man1/tvcc.1 \
	share/man/man7/tview-keys.7 share/bash-completion/completions/tview share/zsh/site-functions/_tview \
	share/fish/vendor_completions.d/tview.fish lib/python3/dist-packages/tview/__init__.py \
	lib/python3/dist-packages/tview/_library.abi3.so; do
	check "it installs $file" test -s "$root/$file"
done
check "nothing but that" sh -c 'test "$(find "$1" -type f | wc -l)" -eq 24' sh "$tmp/stage"
# The Debian packages take all of it: a file that no list has ends their build.
packed() {
	cat debian/*.install >"$tmp/lists"
	(cd "$root" && find . ! -type d) | sed 's,^\./,usr/,;s,^usr/lib/lib,usr/lib/TRIPLET/lib,;s,^usr/lib/pkgc,usr/lib/TRIPLET/pkgc,' |
		while read -r file; do
			while read -r list _; do
				# shellcheck disable=SC2254 # a pattern
				case $file in $list | $list/*) continue 2 ;; esac
			done <"$tmp/lists"
			echo "$file is in no debian/*.install"
		done >"$tmp/unpacked"
	! grep . "$tmp/unpacked"
}
check "each file is in a Debian package" packed
check "manual pages have no mistakes" sh -c \
	'for page; do MANWIDTH=80 man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null | grep . && exit 1; done; exit 0' \
	sh "$root"/share/man/man1/*.1

mv "$tmp/stage/opt/tview" "$tmp/moved"
root="$tmp/moved"
check "tview runs there" "$root/bin/tview" --version
check "tview opens a trace there" "$root/bin/tview" export overview "$trace"
# The library is found relative to the module of Python.
imported() {
	PYTHONPATH="$root/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
import sys, tview
print(tview.__file__, len(tview.open(sys.argv[1]).calls()))' "$trace" | grep "^$root.* [1-9]"
}
check "Python finds its module there" imported
# The capture library is found relative to tvrun: nothing else of the build is there.
traced() {
	cd "$tmp" && "$root/bin/tvrun" --yield -o "$tmp/run.trc" mpiexec.mpich -n 2 "$1" && grep -q . "$tmp/run.trc"
}
check "tvrun traces there" traced "$PWD/build/release/programs/ring"
# tvinstrument is found relative to tvcc, too, and through the names of it that are links.
compiled() {
	printf 'int main(int n, char **v) { (void)v; while (n-- > 1) ; return n; }\n' >"$tmp/one.c"
	TVIEW_CC=gcc "$root/bin/tvcc" -Wall -c "$tmp/one.c" -o "$tmp/one.o" && "$root/bin/tview" graph "$tmp/one.o" | grep -q 'while' &&
		TVIEW_CXX=gcc "$root/bin/tvcxx" -c "$tmp/one.c" -o "$tmp/two.o" && cmp "$tmp/one.o" "$tmp/two.o"
}
check "tvcc compiles there" compiled
check "make uninstall leaves no file" sh -c '
	env -u MAKEFLAGS make -s install DESTDIR="$1/again" PREFIX=/usr && env -u MAKEFLAGS make -s uninstall DESTDIR="$1/again" PREFIX=/usr &&
	test -z "$(find "$1/again" ! -type d)"' sh "$tmp"
done_testing
