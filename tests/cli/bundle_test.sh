#!/bin/sh
# What `make bundle` packs runs where none of our packages is, from any folder, and with older libraries of C.
. tests/cli/tap.sh
trace=$PWD/traces/ring.trc
ring=$PWD/build/release/programs/ring

if [ "$(uname -m)" != x86_64 ]; then
	skip "bundle" "it is made for x86_64 alone"
	done_testing
fi
check "make bundle" env -u MAKEFLAGS make -s bundle
pack=$(ls -t build/tview-*-x86_64.tar.xz | head -n 1)
check "it has less than 10 MB" test "$(wc -c <"$pack")" -lt 10000000
mkdir "$tmp/first"
check "it unpacks into one folder" sh -c 'tar -xf "$1" -C "$2/first" && test "$(ls "$2/first" | wc -l)" -eq 1' sh "$pack" "$tmp"
root="$tmp/moved-here"
mv "$tmp"/first/* "$root"

# Linked at run time: parts of glibc.
alone() {
	readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -Ev '^(lib(c|m)\.so\.6|libpthread\.so\.0|librt\.so\.1|libdl\.so\.2|ld-linux-x86-64\.so\.2)$' && return 1
	readelf -dW "$1" | grep -E 'RPATH|RUNPATH' && return 1
	# In older glibcs it is linked in.
	readelf -W --dyn-syms "$1" | grep 'UND pthread_atfork' && return 1
	newest=$(readelf -VW "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
	is "$(printf '%s\n' "$newest" GLIBC_2.27 | sort -V | tail -n 1)" GLIBC_2.27
}
for file in bin/tview bin/tvrun bin/tvcc lib/tview/libtvcapture.so lib/tview/libtvyield.so; do
	check "$file needs libc 2.27 and nothing else" alone "$root/$file"
done
exports() { nm -D --defined-only "$1" | awk '{ print $3 }'; }
check "the recorder shows the same names" is "$(exports "$root/lib/tview/libtvcapture.so")" "$(exports build/release/lib/tview/libtvcapture.so)"

empty() { env -i "$root/bin/tview" "$@"; }
for question in "report" "export patterns" "export profile -f csv" "check"; do
	# shellcheck disable=SC2086 # words
	check "with an empty environment: $question" is "$(empty $question "$trace" 2>&1)" "$(env -i "$tview" $question "$trace" 2>&1)"
done
check "an OTF2 archive" is "$(empty export profile traces/otf2/mg.S-4 -f csv)" "$("$tview" export profile traces/otf2/mg.S-4 -f csv)"
check "a database" sh -c 'env -i "$1/bin/tview" convert "$2" "$3/run.db" && test -s "$3/run.db"' sh "$root" "$trace" "$tmp"

# The screen, with a terminal that this machine's terminfo may not know.
screen() {
	(sleep 2; printf q) | timeout 20 script -qec "env -i TERM=$1 LANG=C.UTF-8 HOME='$tmp' '$root/bin/tview' '$trace'" /dev/null >"$tmp/screen" &&
		! grep -q 'unknown terminal' "$tmp/screen" && grep -q 'ring' "$tmp/screen"
}
for term in xterm-256color xterm-kitty wezterm; do
	check "a screen on $term" screen $term
done
entries() { find "$root/lib/tview/terminfo" -type f | wc -l; }
check "it carries entries of terminfo" test "$(entries)" -gt 30

recorded() {
	run="$tmp/$1.trc"
	rm -f "$run"
	(cd "$tmp" && env -i PATH="$PATH" HOME="$tmp" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		"$root/bin/tvrun" --yield -o "$run" mpiexec.mpich -n 2 "$ring") && empty report "$run" | grep -q '2 ranks'
}
check "it records a program of MPICH" recorded first

# On the machine where it is used. The recorder takes a minute of a core: all of it with BUNDLE=full; else its sources
# are there.
parts='replay tvcc'
[ "${BUNDLE-}" != full ] || parts="recorder $parts"
built() {
	# shellcheck disable=SC2086 # words
	env -i PATH="$PATH" HOME="$tmp" CC=gcc MPICC=mpicc.mpich "$root/bin/tview-capture-build" $parts >"$tmp/said"
}
check "one command builds for the MPI that is here" built
for word in $parts; do
	check "it says what it did: $word" grep -q "$word: built" "$tmp/said"
done
complete() {
	(cd "$root/lib/tview/build" && mkdir -p gen && touch gen/fortran_calls.def && find src/capture/lib -name '*.c' -print0 |
		xargs -0 -n 8 gcc -M -Isrc -Iinclude -Igen -D_GNU_SOURCE -include capture/lib/mpi/abi_mpich.h >/dev/null &&
		is "$(find src/capture/lib -name '*.c' | sort)" "$(cd "$OLDPWD" && find src/capture/lib -name '*.c' | sort)")
}
check "all sources of the recorder are there" complete
check "the recorder records then, too" recorded second
check "tview-replay says what tview says" is \
	"$(mpiexec.mpich -n 2 "$root/bin/tview-replay" export profile traces/otf2/mg.S-4 -f csv)" "$(empty export profile traces/otf2/mg.S-4 -f csv)"
compiled() {
	printf 'int main(int n, char **v) { (void)v; while (n-- > 1) ; return n; }\n' >"$tmp/one.c"
	TVIEW_CC=gcc "$root/bin/tvcc" -c "$tmp/one.c" -o "$tmp/one.o" && empty graph "$tmp/one.o" | grep -q while
}
check "tvcc compiles" compiled
refused() { "$root/bin/tview-capture-build" everything 2>&1 | grep -q '^Usage' && ! "$root/bin/tview-capture-build" everything; }
check "words that it does not know" refused
done_testing
