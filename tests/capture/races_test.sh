#!/bin/sh
# The recorder under the thread sanitizer, in programs whose threads call MPI at once. Open MPI without UCX: MPICH has
# UCX inside, whose hooks in the C library the sanitizer does not survive.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export TSAN_OPTIONS="suppressions=$PWD/tests/capture/races.supp history_size=7 exitcode=0 log_path=$tmp/log"

# tvrun finds the library beside itself.
mkdir -p "$tmp/lib"
cp -r "$out/lib/tview" "$tmp/lib/"
cp build/tsan/lib/tview/libtvcapture.so "$tmp/lib/tview/"
mkdir "$tmp/bin" && cp "$out/tvrun" "$tmp/bin/"

build() {
	mpicc.openmpi -w -g -O1 -fsanitize=thread -finstrument-functions -Iinclude -Itraces/programs -o "$tmp/$1" \
		"tests/capture/$2/$1.c" -lpthread
}
# runs PROGRAM OPTION...: each rank under a tvrun of its own, as mpiexec cannot be under the sanitizer's library
runs() {
	program=$tmp/$1
	shift
	rm -f "$tmp"/log.* "$tmp/t.trc"
	mpiexec.openmpi --oversubscribe --mca pml ob1 --mca btl self,vader --mca osc '^ucx' -n 2 \
		"$tmp/bin/tvrun" -q -o "$tmp/t.trc" "$@" "$program" >"$tmp/out" 2>&1 </dev/null || { cat "$tmp/out"; return 1; }
	[ -s "$tmp/t.trc" ]
}
# silent: of our own library; what concerns others' locks is theirs
silent() {
	! cat "$tmp"/log.* 2>/dev/null | awk '/^WARNING/ { race = /data race/ } race' | grep -B 40 -A 10 libtvcapture ||
		return 1
}

printf 'int main(void) { return 0; }\n' >"$tmp/try.c"
if ! command -v mpicc.openmpi >/dev/null || [ ! -e build/tsan/lib/tview/libtvcapture.so ] ||
	! mpicc.openmpi -fsanitize=thread -o "$tmp/try" "$tmp/try.c" 2>"$tmp/err" || ! "$tmp/try"; then
	skip "thread sanitizer" "it does not work here, or there is no Open MPI"
	done_testing
fi
check "messages of two threads" build threads programs
check "controls of several threads" build controls_threads mpi
check "communicators made at once" build made_at_once mpi
while read -r program options; do
	# shellcheck disable=SC2086
	check "$program $options: it runs" runs $program $options
	check "$program $options: no race" silent
done <<'E2'
threads
threads --last 5s
controls_threads
made_at_once
made_at_once --statistics
made_at_once --sample 1ms
E2
done_testing
