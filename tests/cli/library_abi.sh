#!/bin/sh
# Prints what programs that are linked to libtview rely on, by the headers alone: prototypes, sizes of structs, values of
# enumerators, fields of records: tests/cli/library_abi.sh FOLDER (for its files). doc/library.md says what may change.
#
#	tests/cli/library_abi.sh /tmp >src/library/libtview.abi
set -u
cd "$(dirname "$0")/../.." || exit 1
printf '#include <tview/records.h>\n' >"$1/abi.c"
${CC:-gcc} -Iinclude -fsyntax-only -aux-info "$1/abi.X" "$1/abi.c" || exit 1
sed -n 's/^.*\*\/ extern \(.*[ *]tview_.*;\)$/\1/p' "$1/abi.X" | LC_ALL=C sort
{
	printf '#include <stdio.h>\n#include <tview/records.h>\nint main(void)\n{\n'
	sed -n 's/^struct \(tview_[a-z]*\) {.*/printf("struct \1: %zu bytes\\n", sizeof(struct \1));/p' include/tview/*.h
	awk '/^enum.*{/ { inside = 1 } inside; /}/ { inside = 0 }' include/tview/*.h | sed 's|/\*.*||' | grep -o 'TVIEW_[A-Z_]*' |
		sed 's/.*/printf("& = %d\\n", (int)&);/'
	printf 'for (enum tview_kind k = 0; tview_kind_name(k); k++)\n'
	printf '\tfor (const struct tview_field *f = tview_record_fields(k); f->name; f++)\n'
	printf '\t\tprintf("%%s.%%s: %%c at %%u\\n", tview_kind_name(k), f->name, f->format, f->offset);\n}\n'
} >"$1/abi.c"
${CC:-gcc} -Iinclude "$1/abi.c" build/release/libtview.so.0 -Wl,-rpath,"$PWD/build/release" -o "$1/abi" && "$1/abi" | awk '!seen[$0]++'
