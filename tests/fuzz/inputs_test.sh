#!/bin/sh
# Each input that is kept for fuzzing, and a few changes of it, once, by the program that a fuzzer would run: what was
# found once is not found again, and a property that does not hold is seen without a fuzzer. With sanitizers where that is built.
. tests/cli/tap.sh

# run BUILD NAME
run() {
	folder=$tmp/$2
	[ -d "$folder" ] || { mkdir "$folder" && unpack "$2"; } || return 1
	# A library that leaks is not looked at by a fuzzer either.
	leaks=1
	! grep -qsx -e -detect_leaks=0 "tests/fuzz/$2.options" || leaks=0
	ASAN_OPTIONS=detect_leaks=$leaks "$1/tests/fuzz/$2_inputs" -20 "$folder"
}

unpack() {
	[ ! -d "tests/fuzz/$1" ] || cp tests/fuzz/"$1"/* "$folder" || return 1
	[ ! -f "tests/fuzz/$1.tar.gz" ] || tar -xzf "tests/fuzz/$1.tar.gz" -C "$folder"
}

for file in tests/fuzz/*_fuzz.c; do
	name=$(basename "$file" _fuzz.c)
	for build in build/release build/asan; do
		if [ -x "$build/tests/fuzz/${name}_inputs" ]; then
			check "$name, $(basename "$build")" run "$build" "$name"
		else
			skip "$name" "not built in $build"
		fi
	done
done
done_testing
