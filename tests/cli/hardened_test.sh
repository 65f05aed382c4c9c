#!/bin/sh
# What programs and libraries that are installed carry against attacks by way of what they read.
. tests/cli/tap.sh

programs="build/release/tview build/release/tvrun build/release/tvcc"
library=build/release/lib/tview/libtvcapture.so
moved() { readelf -hW "$1" | grep -q 'Type:.*DYN'; } # at another address each time
sealed() { readelf -lW "$1" | grep -q GNU_RELRO && readelf -dW "$1" | grep -Eq 'BIND_NOW|NOW'; }
no_code_on_stack() { readelf -lW "$1" | grep 'GNU_STACK' | grep -qv 'RWE'; }
watched() { readelf -sW "$1" | grep -q '__stack_chk_fail' && readelf -sW "$1" | grep -q '__memcpy_chk\|__snprintf_chk'; }
# Folders of the machine that built it are not in it, so that it is the same wherever it is built.
no_folder() { ! strings -a "$1" | grep -F "$PWD/"; }

for file in $programs $library; do
	check "$file: its tables cannot be written" sealed "$file"
	check "$file: no code on the stack" no_code_on_stack "$file"
	check "$file: names no folder of this machine" no_folder "$file"
done
for file in $programs; do
	check "$file: position independent" moved "$file"
	check "$file: checks of stacks and of lengths" watched "$file"
done
done_testing
