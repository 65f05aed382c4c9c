#!/bin/sh
# tvcc does what the compiler under it does: the same files, messages, status, dependencies and behaviour of what comes out.
. tests/cli/tap.sh
export TVIEW_CC=gcc TVIEW_CXX=g++ TVIEW_FC=gfortran LC_ALL=C
mkdir "$tmp/src" "$tmp/src/in c" "$tmp/src/inc"

cat >"$tmp/src/a.c" <<'C'
#include <stdio.h>
#include "inc/b.h"
#define TWICE(x) ((x) + (x))
int other(int n);
int main(int argc, char **argv)
{
	int sum = 0;
	(void)argv;
	for (int i = 0; i < 10 + argc; i++)
		sum += TWICE(other(i));
	printf("%d %s %d\n", sum, WORD, __LINE__);
	return sum != 110 * B;
}
C
cat >"$tmp/src/b.c" <<'C'
#include "inc/b.h"
int other(int n) { int k = 0; while (n-- > 0) k += B; return k; }
C
echo '#define B 1' >"$tmp/src/inc/b.h"
cp "$tmp/src/b.c" "$tmp/src/in c/it's.c"
sed -i 's/inc.b.h/..\/inc\/b.h/' "$tmp/src/in c/it's.c"
printf '#define WORD "w"\n' >"$tmp/src/word.h"
cat >"$tmp/src/s.S" <<'C'
#ifdef NEVER
#error
#endif
	.globl answer
answer:	mov $42, %eax
	ret
	.section .note.GNU-stack,"",@progbits
C
cat >"$tmp/src/p.cpp" <<'C'
#include <stdexcept>
#include <vector>
#include <cstdio>
template <class T> T total(const std::vector<T> &v) { T t{}; for (const T &x : v) t += x; return t; }
int main() { try { std::vector<int> v{ 1, 2, 3 }; if (total(v) == 6) throw std::runtime_error("six"); }
	catch (const std::exception &e) { std::puts(e.what()); return 0; } return 1; }
C
cat >"$tmp/src/f.f90" <<'C'
program f
  integer :: i, s
  s = 0
  do i = 1, 10
     call add(s, i)
  end do
  print *, s
contains
  subroutine add(s, i)
    integer :: s, i
    s = s + i
  end subroutine
end program
C
printf '%s\n' '-c -DWORD="\"r\""' '@more.rsp' >"$tmp/src/one.rsp"
printf '%s\n' "'in c/it\\'s.c'" -O1 >"$tmp/src/more.rsp"
cat >"$tmp/src/m.f90" <<'C'
module numbers
  implicit none
contains
  subroutine more(n)
    integer, intent(inout) :: n
    integer :: i
    do i = 1, 3
       call step(n)
    end do
  end subroutine
  subroutine step(n)
    integer, intent(inout) :: n
    n = n + 1
  end subroutine
end module
C
cat >"$tmp/src/g.F90" <<'C'
#define TIMES(n) ((n) * TWO)
#include "inc/two.h"
program g
  use numbers
  implicit none
  integer :: i, s
  s = 0
#ifdef MORE
  do i = 1, TIMES(4)
     call more(s) ! it's a comment // "here
  end do
#endif
  include 'rest.inc'
  print *, s, __LINE__, __FILE__
end program
C
printf '#define TWO 2\n' >"$tmp/src/inc/two.h"
printf '  do i = 1, 5\n    call more(s)\n  end do\n' >"$tmp/src/rest.inc"
cat >"$tmp/src/old.F" <<'C'
      PROGRAM OLD
      INTEGER S
*     A COMMENT
      S = 0
      DO 10 I = 1, 4
        CALL ADD(S,
     &           I)
 10   CONTINUE
      PRINT *, S, __LINE__
      END
      SUBROUTINE ADD(S, I)
      INTEGER S
      S = S + I
      END
C

# in_both COMMAND...: runs it as it is in `plain` and with tvcc in `staged`, where CC, CXX, FC are the compilers; then everything is
# compared that is text: files by name, dependencies, output, messages, status.
in_both() {
	rm -rf "$tmp/plain" "$tmp/staged"
	for kind in plain staged; do
		rm -rf "$tmp/work"
		cp -r "$tmp/src" "$tmp/work"
		(
			cd "$tmp/work" || exit 1
			if [ $kind = plain ]; then CC=$TVIEW_CC CXX=$TVIEW_CXX FC=$TVIEW_FC
			else CC=$out/tvcc CXX=$out/tvcxx FC=$out/tvfc; fi
			export CC CXX FC TVIEW_CC_OPTIONS=--quiet
			sh -c "$*" >out.txt 2>err.txt
			echo "status $?" >>out.txt
		)
		mv "$tmp/work" "$tmp/$kind"
	done
	(cd "$tmp/plain" && find . | sort) >"$tmp/plain.list"
	(cd "$tmp/staged" && find . | sort) >"$tmp/staged.list"
	diff "$tmp/plain.list" "$tmp/staged.list" || return 1
	for file in "$tmp"/plain/*.txt "$tmp"/plain/*.d; do
		[ -e "$file" ] || continue
		diff "$file" "$tmp/staged/${file##*/}" || return 1
	done
}
same() { # STATUS COMMAND...
	want=$1
	shift
	in_both "$@" && grep -qx "status $want" "$tmp/staged/out.txt" || { cat "$tmp/staged/err.txt"; return 1; }
}
object_has_sites() { readelf -SW "$tmp/staged/$1" | grep -q tview_sites; }

W='-DWORD=\"w\"'
while IFS='|' read -r what command; do
	check "$what" same 0 "$command"
done <<EOF
a program of two files|\$CC -O2 $W -o app a.c b.c && ./app
one by one, then linked|\$CC -O2 $W -c a.c && \$CC -c b.c -o o.o && \$CC o.o a.o -o app && ./app
assembly|\$CC -S $W a.c b.c
odd names|\$CC -c "in c/it's.c" -o 'an "o" \$x.o'
a macro with blanks|\$CC '-DWORD="two words"' -o 'the app' a.c b.c && './the app'
standard input|cat b.c | \$CC -x c -c -o b.o - && \$CC $W a.c b.o && ./a.out
through pipes|\$CC -pipe -O2 $W a.c b.c && ./a.out
assembly to standard output|\$CC -S -o - b.c | grep -c 'other:'
from standard input to standard output|cat b.c | \$CC -S -x c - -o - | grep -c 'other:'
response files|\$CC @one.rsp && \$CC -DWORD='"r"' a.c "it's.o" && ./a.out
an include from the command line|\$CC -include word.h a.c b.c && ./a.out
temporary files kept|\$CC -save-temps -c $W a.c b.c && ls a.i b.s
preprocessed files|\$CC -E $W a.c -o a.i && \$CC -E b.c >b2.i && \$CC a.i b2.i && ./a.out
preprocessed by a language|\$CC -E $W a.c -o a.txt_ && \$CC -x cpp-output a.txt_ -x none b.c && ./a.out; rm a.txt_
assembly with macros|\$CC -c s.S b.c && \$CC $W a.c b.o s.o && ./a.out
a shared library|\$CC -fPIC -shared -o libb.so b.c && \$CC $W a.c -L. -lb -Wl,-rpath,. -o app && ./app
an archive|\$CC -c b.c && ar rcs libb.a b.o && \$CC $W a.c libb.a && ./a.out
link time optimisation|\$CC -flto -O2 $W a.c b.c && ./a.out
optimised for size|\$CC -Os -g $W a.c b.c && ./a.out
no optimisation|\$CC -O0 -g3 $W a.c b.c && ./a.out
old C|\$CC -std=gnu89 -c -x c b.c
C++|\$CXX -O2 p.cpp -o app && ./app
C++ by language|\$CC -x c++ p.cpp -o app -lstdc++ && ./app
Fortran|\$FC -O2 f.f90 -o app && ./app
Fortran with a preprocessor|\$FC -O2 -DMORE m.f90 g.F90 -o app && ./app
Fortran in fixed form|\$FC -O2 old.F && ./a.out
Fortran with all checks|\$FC -O0 -g -Wall -Wextra -fcheck=all -fbacktrace -DMORE m.f90 g.F90 && ./a.out
Fortran, several files|\$FC -c -DMORE m.f90 g.F90 f.f90 && \$FC g.o m.o && ./a.out
Fortran with large integers|\$FC -fdefault-integer-8 -fdefault-real-8 -DMORE m.f90 g.F90 && ./a.out
Fortran, modules elsewhere|mkdir mods && \$FC -J mods -c m.f90 && zcat mods/numbers.mod && \$FC -I mods -c g.F90
Fortran, modules of a file with a preprocessor|\$FC -cpp -c m.f90 && zcat numbers.mod
Fortran, assembly|\$FC -S -DMORE m.f90 g.F90 && \$FC m.s g.s && ./a.out
Fortran, assembly to standard output|\$FC -S -o - f.f90 | grep -c 'main:'
Fortran through pipes|\$FC -pipe -DMORE m.f90 g.F90 && ./a.out
Fortran, temporary files kept|\$FC -save-temps -DMORE m.f90 g.F90 && ./a.out
Fortran, preprocessing|\$FC -E -DMORE g.F90
Fortran, dependencies alone|\$FC -c m.f90 && \$FC -cpp -M g.F90
Fortran, dependencies with -c|\$FC -c m.f90 && \$FC -MMD -DMORE -c g.F90
Fortran, only the syntax|\$FC -c m.f90 && \$FC -fsyntax-only g.F90
Fortran, link time optimisation|\$FC -flto -O2 -DMORE m.f90 g.F90 && ./a.out
Fortran with OpenMP|\$FC -fopenmp -O2 -DMORE m.f90 g.F90 f.f90 -c && \$FC -fopenmp g.o m.o && ./a.out
Fortran from standard input|cat f.f90 | \$FC -x f95 - && ./a.out
Fortran and C|\$FC -c f.f90 b.c && \$FC f.o b.o && ./a.out
a precompiled header|cp inc/b.h pre.h; \$CC -c pre.h -o pre.h.gch && sed -i s,inc.b,pre, b.c && \$CC -Winvalid-pch $W a.c b.c && ./a.out
preprocessing|\$CC -E $W a.c
dependencies alone|\$CC -MM $W a.c b.c && \$CC -M b.c | wc -l
dependencies with -c|\$CC -MMD -c $W a.c
dependencies of system headers|\$CC -MD -c $W a.c b.c
dependencies of an object|\$CC -MD -c $W a.c -o x.o
dependencies with an odd object|\$CC -MMD -c $W a.c -o x.tar.o
dependencies of a program|\$CC -MMD $W -o app a.c b.c
dependencies of a program of one file|\$CC -MMD $W -Dother=putchar -o app a.c
dependencies, a file|\$CC -MMD -MF y.d -c b.c
dependencies, all options|\$CC -MMD -MP -MF z.d -MT 't \$x' -MQ 'q \$x' -c b.c -o b.o
dependencies for the preprocessor|\$CC -Wp,-MMD,w.d -c b.c
dependencies, phony|\$CC -MMD -MP -c "in c/it's.c"
dependencies with temporary files|\$CC -MMD -save-temps -c b.c -o q.o
dependencies by environment|DEPENDENCIES_OUTPUT=env.d \$CC -c b.c
only the syntax|\$CC -fsyntax-only b.c
what it would do|\$CC -### -c b.c 2>&1 | grep -c '/cc1 -'
its version|\$CC --version
its machine|\$CC -dumpmachine && \$CC -dumpversion && \$CC -print-prog-name=as
no warnings|\$CC -w -c b.c
warnings are errors, none|\$CC -Wall -Wextra -Werror -O2 $W a.c b.c && ./a.out
everything is warned of|\$CC -Wall -Wextra -pedantic -Wshadow -Wmissing-prototypes -Wredundant-decls -Wconversion -Wundef -Wnested-externs -Winline -Wcast-qual -Wwrite-strings -Wstrict-prototypes -Wmissing-declarations -Wpadded -Waggregate-return -c b.c
dialects|for s in c89 gnu89 c99 gnu99 c11 gnu17 gnu2x; do \$CC -std=\$s -Wall -c -DB=1 -x c b.c || exit 1; done
EOF

# Messages: the compiler's own, whatever is wrong.
cat >"$tmp/src/wrong.c" <<'C'
#define BAD(x) undeclared(x) + missing_one
int f(void)
{
	return BAD(1)
		+ 2;
}
C
cat >"$tmp/src/warn.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#define CHECK(x) if (x = 1) puts("one")
static int unused(int p) { return 1; }
__attribute__((warn_unused_result)) int must(void);
int noreturn_value(int a, unsigned b) { if (a < b) puts("x"); }
int f(int a)
{
	int never;
	CHECK(a);
	must();
	printf("%s\n", a);
	switch (a) { case 1: puts("1"); case 2: puts("2"); }
	for (int i = 0; i < 3; i++) ;
		puts("indented");
	a == 3;
	return never;
}
C
printf '#include "nowhere.h"\nint x;\n' >"$tmp/src/missing.c"
printf '#include <stdlib.h>\nint f(int n) { char *p = malloc(n); for (int i = 0; i < n; i++) if (i == 7) return i; free(p); return 1; }\n' >"$tmp/src/leak.c"
printf '#warning look here\nint f(void) { for (int i = 0; i < 3; i++) ; return 3; }\n' >"$tmp/src/hash.c"
while IFS='|' read -r want what command; do
	check "messages: $what" same "$want" "$command"
done <<EOF
1|an error within a macro|\$CC -c wrong.c
1|an error in colours|\$CC -fdiagnostics-color=always -c wrong.c
0|warnings|\$CC -Wall -Wextra -O2 -c warn.c
1|warnings as errors|\$CC -Wall -Wextra -Werror -O2 -c warn.c
0|warnings by default|\$CC -c warn.c
1|a header that is not there|\$CC -c missing.c
1|a file that is not there|\$CC -c nofile.c
0|what the analyser finds|\$CC -fanalyzer -c leak.c
0|a #warning|\$CC -Wall -c hash.c
1|a #warning as an error|\$CC -Werror -c hash.c
1|an unknown option|\$CC -fno-such-thing -c b.c
1|no input|\$CC -c
1|a symbol that is missing|\$CC b.c 2>err2 ; r=\$?; rm err2; exit \$r
1|an error in one of two|\$CC -c b.c wrong.c
1|an error by pipe|cat wrong.c | \$CC -x c -c -
0|warnings by pipe|cat warn.c | \$CC -Wall -pipe -x c -c - -o w.o
0|headers listed|\$CC -H -c b.c
0|what is said as JSON|\$CC -fdiagnostics-format=json -c b.c
EOF
check "the object of a file with warnings is there" test -s "$tmp/staged/b.o"

printf '#define T 3\nprogram p\n integer :: i, never\n do i = 1, T\n  call s(i)\n  x = y +\n end do\nend\n' >"$tmp/src/wrong.F90"
printf '#define T 3\nprogram p\n integer :: i, never\n include "never.inc"\n do i = 1, T\n  call s(i)\n end do\nend\n' >"$tmp/src/warn.F90"
printf ' integer :: nor\n' >"$tmp/src/never.inc"
printf 'program p\n integer :: i\n include "nowhere.inc"\n do i = 1, 3\n  call s(i)\n end do\nend\n' >"$tmp/src/nowhere.f90"
printf '#warning look here\nprogram p\nend\n' >"$tmp/src/hash.F90"
while IFS='|' read -r want what command; do
	check "messages of Fortran: $what" same "$want" "$command"
done <<EOF
1|an error in a loop|\$FC -c wrong.F90
0|warnings, of an included file, too|\$FC -Wall -c warn.F90
1|warnings as errors|\$FC -Wall -Werror -c warn.F90
1|a file that is not there|\$FC -c nowhere.f90
0|a #warning|\$FC -c hash.F90
EOF

# Every warning alone must not get lost: files of which each is to have exactly one. A third of them, or all with WARNINGS=all.
n=0
warnings_survive() {
	rm -rf "$tmp/lost"
	mkdir "$tmp/lost"
	cd "$tmp/lost" || return 1
	lost=
	while IFS='|' read -r option code; do
		n=$((n + 1))
		[ $((n % 3)) = 0 ] || [ -n "${WARNINGS-}" ] || continue
		printf '%b\n' "$code" >"w$n.c"
		"$TVIEW_CC" -O2 "$option" -c "w$n.c" 2>want || return 1
		[ -s want ] || { echo "$option: no warning to compare: $code"; return 1; }
		"$out/tvcc" --quiet -O2 "$option" -c "w$n.c" 2>got
		cmp -s want got || lost="$lost $option"
	done <<'EOF'
-Wunused-variable|int f(void) { int x; return 1; }
-Wunused-result|__attribute__((warn_unused_result)) int g(void); void f(void) { g(); }
-Wunused-value|int f(int x) { x + 1; return x; }
-Wunused-value|int g(int); int f(int x) { g(x) + 1; return x; }
-Wunused-label|int f(int x) { l: return x; }
-Wunused-function|static int f(int x) { return x; }
-Wunused-parameter|int f(int x) { return 1; }
-Wunused-but-set-variable|int g(void); int f(void) { int x; x = g(); return 1; }
-Wuninitialized|int f(void) { int x; return x; }
-Wmaybe-uninitialized|int g(void); int f(int c) { int x; if (c) x = g(); g(); return x; }
-Wreturn-type|int g(void); int f(void) { g(); }
-Wimplicit-function-declaration|int f(void) { return g(); }
-Wimplicit-fallthrough|void g(int); void f(int x) { switch (x) { case 1: g(1); case 2: g(2); } }
-Wempty-body|void f(int x) { if (x) ; }
-Wmisleading-indentation|void g(void); void f(int x) {\n\tif (x)\n\t\tg();\n\t\tg();\n}
-Wparentheses|void g(int); void f(int x) { if (x = 2) g(x); }
-Wdangling-else|void g(int); void f(int x) { if (x) if (x > 1) g(1); else g(2); }
-Wsequence-point|void g(int, int); void f(int x) { g(x++, x++); }
-Wsign-compare|int g(void); unsigned f(unsigned x) { return x < g(); }
-Wconversion|double g(void); int f(void) { return g(); }
-Wformat|int printf(const char *, ...); void f(long x) { printf("%d", x); }
-Wformat-extra-args|int printf(const char *, ...); void f(long x) { printf("x", x); }
-Wnonnull|__attribute__((nonnull)) void g(void *); void f(void) { g(0); }
-Wshadow|int g(int); int f(int x) { for (int i = 0; i < x; i++) { int x = g(i); g(x); } return x; }
-Wincompatible-pointer-types|void g(int *); void f(long *x) { g(x); }
-Wint-conversion|void g(int *); void f(long x) { g(x); }
-Wdeprecated-declarations|__attribute__((deprecated)) int g(int); int f(int x) { return g(x); }
-Wswitch|enum e { A, B }; void g(void); void f(enum e x) { switch (x) { case A: g(); } }
-Wchar-subscripts|int a[9]; int g(int); int f(char c) { return g(a[c]); }
-Warray-bounds|int a[9]; int g(int); int f(void) { return g(a[10]); }
-Wtype-limits|int g(int); int f(unsigned x) { if (x >= 0) return g(1); return 0; }
-Wdeclaration-after-statement|int g(int); int f(int x) { g(x); int y = x; return g(y); }
-Wvla|int g(int *); int f(int x) { int y[x]; return g(y); }
-Wstrict-prototypes|int g(); int f(void) { return g(); }
-Wmissing-prototypes|int f(int x) { return x; }
-Wduplicated-cond|int g(int); int f(int x) { if (g == 0) return 1; if (x == 1) return g(1); else if (x == 1) return g(2); return 0; }
-Wbool-compare|int g(int); int f(int x) { return g((x > 1) == 3); }
-Wdiv-by-zero|int g(int); int f(int x) { return g(x / 0); }
-Woverflow|int g(char); int f(void) { return g(300); }
-Wstringop-overflow|char b[2]; char *strcpy(char *, const char *); void f(void) { strcpy(b, "abcdef"); }
-Wunused-macros|#define X 1\nint f(void) { return 1; }
-Wundef|#if X\n#endif\nint f(void) { return 1; }
-Wcomment|/* /* */ int f(void) { return 1; }
-Wdiscarded-qualifiers|void g(char *); void f(const char *x) { g(x); }
-Wmultichar|int f(void) { return 'ab'; }
-Wjump-misses-init|int g(int); int f(int x) { if (x) goto l; int y = g(x); l: return g(y); }
-Wsuggest-attribute=noreturn|void abort(void); void f(void) { abort(); }
-Winfinite-recursion|int f(int x) { return f(x + 1); }
-Wrestrict|char *strcpy(char *restrict, const char *restrict); void f(char *x) { strcpy(x, x); }
-Wfloat-equal|double g(double); int f(double x) { return g(x) == x; }
-Wpointer-sign|int g(char *); int f(unsigned char *x) { return g(x); }
-Wmain|void main(void) { }
-Wcast-align=strict|int g(int *); int f(char *x) { return g((int *)x); }
-Wswitch-default|int g(int); int f(int x) { switch (x) { case 1: return g(1); } return 2; }
-Wfree-nonheap-object|void free(void *); int x; void f(void) { free(&x); }
-Wuse-after-free|void free(void *); int g(int *); int f(int *x) { free(x); return g(x); }
-Waddress|int g(int); int f(int x) { if (g) return g(x); return 1; }
-Wlogical-not-parentheses|int g(int); int f(int x) { return !g(x) == 3; }
-Wmultistatement-macros|#define TWO g(); g()\nvoid g(void);\nvoid f(int x) {\n\tif (x)\n\t\tTWO;\n}
-Wreturn-local-addr|int *f(void) { int x; return &x; }
EOF
	[ -z "$lost" ] || { echo "lost:$lost"; return 1; }
}
check "no warning of one kind gets lost" warnings_survive
cd "${out%/build/release}" || exit 1

hooks() {
	in_both "\$FC -O2 -c f.f90" && nm "$tmp/staged/f.o" | grep -q cyg_profile_func_enter &&
		"$out/tview" graph "$tmp/staged/f.o" >"$tmp/tables" && grep -q 'f.f90  compiled in' "$tmp/tables" &&
		! grep -q 'loops are unknown' "$tmp/tables" || { cat "$tmp/tables"; return 1; }
}
check "Fortran has hooks, and a table" hooks

# Choices, as the static tables have them.
cat >"$tmp/choice.c" <<'C'
int a(int n) { int s = 0; for (; n; n--) s += n; return s; }
int b(int n) { int s = 0; while (n--) s += n; return s; }
C
cat >"$tmp/rules.txt" <<'C'
# iterations of b, no loop of a
no-loops ^a$
iterations ^b$
C
chosen() { # OPTIONS... is what to look for: lines of `tview graph`, without numbers
	want=$1
	shift
	"$out/tvcc" "$@" -c "$tmp/choice.c" -o "$tmp/choice.o" && "$out/tview" graph "$tmp/choice.o" >"$tmp/graph" &&
		got=$(sed -n 's/^ *[0-9][0-9]*  *//p' "$tmp/graph" | tr '\n' '|') && [ "$got" = "$want" ] || { echo "$got"; return 1; }
}
check "all" chosen 'a()|for|b()|while|' --all
check "innermost loops are counted" chosen 'a()|for  counted, not timed|b()|while  counted, not timed|'
check "--only" chosen 'a()|for  counted, not timed|b()  not instrumented: the options exclude it|' --only '^a$'
check "--exclude" chosen 'a()  not instrumented: the options exclude it|b()|while  counted, not timed|' --exclude=a
check "--exclude by file" chosen 'a()  not instrumented: the options exclude it|b()  not instrumented: the options exclude it|' --exclude 'file:choice\.c$'
check "--exclude, then --only" chosen 'a()  not instrumented: the options exclude it|b()|while  counted, not timed|' --exclude . --only b
check "--no-loops" chosen 'a()|b()|' --no-loops
check "--iterations" chosen 'a()|for  every iteration|b()|while  every iteration|' --iterations
check "--filter-file" chosen 'a()|b()|while  every iteration|' --filter-file "$tmp/rules.txt"
in_environment() { TVIEW_CC_OPTIONS='--no-loops --only ^b' chosen 'a()  not instrumented: the options exclude it|b()|'; }
check "TVIEW_CC_OPTIONS" in_environment
none_at_all() { "$out/tvcc" --no-instrument -c "$tmp/choice.c" -o "$tmp/choice.o" && ! readelf -SW "$tmp/choice.o" | grep -q tview_sites; }
check "--no-instrument" none_at_all
verbose() { "$out/tvcc" --tv-verbose --only '^a$' -c "$tmp/choice.c" -o "$tmp/choice.o" 2>&1 | grep -q 'choice.c:2:5: procedure b not instrumented: the options exclude it'; }
check "--tv-verbose" verbose
wrong_pattern() { # nothing is compiled
	rm -f "$tmp/choice.o"
	"$out/tvcc" --only 'a(' -c "$tmp/choice.c" -o "$tmp/choice.o" 2>"$tmp/said"
	[ $? = 2 ] && [ ! -e "$tmp/choice.o" ] && grep -q 'tvcc: --only: invalid pattern, column 3' "$tmp/said"
}
check "a wrong pattern" wrong_pattern

# Lines: what debug information says of the program is about the user's files.
lines() {
	in_both "\$CC -g -O1 -DWORD='\"w\"' -o app a.c b.c && nm app | sed -n 's/ T main$//p' >main.at" || return 1
	(cd "$tmp/staged" && addr2line -e app "0x$(cat main.at)") | grep -q 'a\.c:6$' || return 1
	readelf --debug-dump=decodedline "$tmp/staged/app" 2>/dev/null | awk '/^[ab]\.c/ { print $1, $2 }' | sort -u >"$tmp/lines"
	# No line that the files do not have, and those that must be there are.
	awk '$1 == "a.c" && $2 > 13 || $1 == "b.c" && $2 > 2 { print; bad = 1 } END { exit bad }' "$tmp/lines" &&
		grep -qx 'a.c 9' "$tmp/lines" && grep -qx 'a.c 10' "$tmp/lines" && grep -qx 'b.c 2' "$tmp/lines"
}
check "lines are the user's" lines
macros() {
	in_both "\$CC -g3 -DWORD='\"w\"' -o app a.c b.c && ./app" &&
		readelf --debug-dump=macro "$tmp/staged/app" 2>/dev/null | grep -q 'TWICE(x) ((x) + (x))'
}
check "-g3 has the macros" macros

# Procedures that a pragma has made once more, for vectors or a device, have no probes; the rest of the file has.
cat >"$tmp/again.c" <<'C'
#include <stdio.h>
#pragma omp declare simd notinbranch
__attribute__((const)) double square(double x) { return x * x; }
#pragma omp declare simd uniform(a)
static double add(double a, double b);
#pragma omp declare target
int on_device(int x) { for (int i = 0; i < 3; i++) x += i; return x; }
static int there(int x) { return on_device(x); }
#pragma omp end declare target
int named(int x);
#pragma omp declare target to(named)
int named(int x) { return there(x); }
int normal(int x) { return x + 1; }
#pragma acc routine seq
int routine(int x) { return x + 1; }
static double add(double a, double b) { return a + b; }
int main(void)
{
	double t = 0;
#pragma omp simd reduction(+ : t)
	for (int i = 0; i < 100; i++)
		t += square(i) + add(i, 1);
	printf("%g %d %d %d\n", t, named(3), normal(1), routine(2));
	return 0;
}
C
made_again() {
	gcc -O2 -fopenmp "$tmp/again.c" -o "$tmp/again.plain" && "$out/tvcc" --all -O2 -fopenmp "$tmp/again.c" -o "$tmp/again" &&
		"$tmp/again.plain" >"$tmp/again.want" && "$tmp/again" | cmp - "$tmp/again.want" && "$out/tview" graph "$tmp/again" >"$tmp/graph" || return 1
	alone=$(sed -n '/^PL/q; s/^ *[0-9]*  \([a-z_]*\)().*not instrumented: a pragma compiles it.*/\1/p' "$tmp/graph" | tr '\n' ' ')
	[ "$alone" = 'square on_device there named routine add ' ] && grep -qx ' *13  normal()' "$tmp/graph" || { cat "$tmp/graph"; return 1; }
}
check "procedures that are made for vectors or a device, too" made_again

# What C++ runs outside procedures' bodies has no probes, and is listed.
cat >"$tmp/outside.cc" <<'C'
#include <cstdio>
int f(int x) { return x * 2; }
struct A { int a; A(int x) : a(f(x)) { std::printf("A %d\n", a); } };
auto lambda = [](int x) { int s = 0; for (int i = 0; i < x; i++) s += f(i); return s; };
static int global = f(4) + lambda(3);
int by_default(int x, int y = f(1)) { return x + y; }
struct S { int k = f(7); };
int main() { A a(1); S s; std::printf("%d %d %d\n", global, by_default(1), s.k); }
C
outside() {
	"$out/tvcxx" "$tmp/outside.cc" -o "$tmp/outside" && [ "$("$tmp/outside" | tr '\n' ' ')" = 'A 2 14 3 14 ' ] &&
		"$out/tview" graph "$tmp/outside" | sed '/^PL/q' >"$tmp/graph" || return 1
	alone=$(sed -n 's/^ *\([0-9]*\)  *\([a-z]*\)().*not instrumented: it .*outside.*/\1 \2/p' "$tmp/graph" | tr '\n' ' ')
	[ "$alone" = '3 f 4 lambda 5 f 6 f 7 f ' ] || { cat "$tmp/graph"; return 1; }
}
check "C++ outside of bodies" outside

# By hand: the constructors of a and of new are call statements, + and that of the sum are such without a probe. That of S does
# nothing, and std::vector is a library's.
cat >"$tmp/things.cc" <<'C'
#include <cstdio>
#include <vector>
int f(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * std::printf("%s", ""); return s + x; }
struct T { int v; T(int x) : v(0) { for (int i = 0; i < x; i++) v += f(i); }
	T operator+(const T &o) const { int s = f(v); for (int i = 0; i < 3; i++) s += f(o.v); return T(s); } };
struct S { int k; S(int x) : k(x) {} };
int main() { T a(3); T *b = new T(4); S s(1); std::vector<int> v(3); T c = a + *b; std::printf("%d\n", c.v + s.k + v[0]); }
C
things() {
	"$out/tvcxx" -std=c++17 "$tmp/things.cc" -o "$tmp/things" && g++ -std=c++17 "$tmp/things.cc" -o "$tmp/things.plain" &&
		[ "$("$tmp/things")" = "$("$tmp/things.plain")" ] && "$out/tview" graph "$tmp/things" | sed '/^PL/q' >"$tmp/graph" || return 1
	alone=$(sed -n 's/^ *\([0-9]*\)  *\([^ ]*\)().*not instrumented: no probe.*/\1 \2/p' "$tmp/graph" | tr '\n' ' ')
	probed=$(grep -c '^ *7  *T::T()  -> things.cc:4$' "$tmp/graph")
	[ "$probed $alone" = '2 5 T::T 7 T::operator+ ' ] || { echo "$probed $alone"; cat "$tmp/graph"; return 1; }
}
check "constructors and operators" things

# Many at once, and none leaves anything in the folder for temporary files.
at_once() {
	rm -rf "$tmp/many" "$tmp/t"
	mkdir "$tmp/many" "$tmp/t"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sed "s/other/other$i/" "$tmp/src/b.c" >"$tmp/many/f$i.c"; done
	printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\n%%.o: %%.c\n\t$(CC) -I%s -c $<\n' "$tmp/src" >"$tmp/many/Makefile"
	env -u MAKEFLAGS -u MFLAGS TMPDIR="$tmp/t" make -s -j 4 -C "$tmp/many" CC="$out/tvcc --quiet" &&
		[ "$(find "$tmp/many" -name '*.o' | wc -l)" = 12 ] && [ -z "$(ls "$tmp/t")" ]
}
check "many at once" at_once
# in_group GROUP [PROGRAM]: such a process runs.
in_group() {
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v group="$1" -v name="${2:+($2)}" '$5 == group && $3 != "Z" && (name == "" || $2 == name) { found = 1 } END { exit !found }'
}
stopped() {
	mkdir -p "$tmp/t"
	awk 'BEGIN { for (i = 0; i < 6000; i++) printf "int f%d(int x) { for (int i = 0; i < x; i++) x += i; return x; }\n", i }' >"$tmp/long.c"
	TMPDIR="$tmp/t" setsid "$out/tvcc" --quiet -O2 -c "$tmp/long.c" -o "$tmp/long.o" & pid=$!
	until in_group $pid cc1 || ! kill -0 $pid 2>/dev/null; do sleep .02; done
	env kill -TERM -- -$pid
	wait $pid
	[ $? -ne 0 ] || { echo "it was done already"; return 1; }
	while in_group $pid; do sleep .02; done
	[ -z "$(ls "$tmp/t")" ] && [ ! -e "$tmp/long.o" ]
}
check "what is stopped leaves nothing" stopped
done_testing
