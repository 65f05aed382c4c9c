#!/bin/sh
# Loops that are counted, not timed: a procedure that calls nothing hands the counts on at its end, whatever way it ends.
. tests/cli/tap.sh
export TVIEW_CC=mpicc.mpich TVIEW_CXX=mpicxx.mpich

if ! command -v mpicc.mpich >/dev/null; then
	skip "counted loops" "MPICH is not installed"
	done_testing
fi
# By hand, for n = 0 .. 9: the loop of line 4 runs 10 times with 0 + 1 + ... + 9 = 45 iterations; that of line 7 for even
# n, 5 times with 4 iterations each, but 2 for n = 8; that of line 14 for n < 7, 7 times, 0 + ... + 6 = 21; those of line
# 17 then 7 times with 2, and 14 times with 3.
cat >"$tmp/loops.c" <<'C'
#include <mpi.h>
static int a[16];
int sums(int n)
{for (int i = 0; i < n; i++)
		a[i] += i;
	if (n % 2 == 0)
		for (int i = 0; i < 4; i++) {
			if (n == 8 && i == 1)
				break;
			a[i] ^= n;
		}
	if (n > 6)
		return a[0];
	for (int i = 0; i < n; i++) {
		a[i] *= 3;
	}
	{ for (int k = 0; k < 2; k++) { int i = 3; while (i > 0) { a[i] += k; i--; } } }
	return a[n];
}
int sums_fixed(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		if (i % 3 == 1)
			continue;
		for (int k = 0; k < 3; k++)
			s += k;
		for (int k = 6; k > 0; k -= 2)
			for (int m = 0; m <= 1; m++)
				s ^= m;
	}
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 4; k++)
			k += 1;
		for (int k = 0; k < 4; k++)
			if (k == 2 && i == 0)
				break;
	}
	return s;
}
int main(int argc, char **argv)
{
	int s = 0;
	MPI_Init(&argc, &argv);
	for (int n = 0; n < 10; n++)
		s += sums(n) + sums_fixed(n);
	MPI_Finalize();
	return s == 12345;
}
C
# counts: "line runs iterations" of the loops of sums()
counts() {
	"$out/$1" $2 -g "$tmp/loops.c" -o "$tmp/loops" && "$out/tvrun" -q ${3-} -o "$tmp/t.trc" timeout 60 mpiexec.mpich -n 1 "$tmp/loops" || return 1
	"$tview" export graph "$tmp/t.trc" -f csv | awk -F, '$2 == "loop" && $1 ~ /^sums/ { print $5, $6, $14 }' | sort -k1,1n -k2,2n | tr '\n' ';'
}
all="4 10 45;7 5 18;14 7 21;17 7 14;17 14 42;"
# Fixed numbers of iterations: i is not 1, 4, 7 in 0+1+1+2+3+3+4+5+5+6 = 30 of 45 iterations; the loop of line 33 runs 45 times
# 2, that of line 35 45 times 4, but 3 in the 9 with i == 0.
all="${all}23 10 45;26 30 90;28 30 90;29 90 180;32 10 45;33 45 90;35 45 171;"
for way in "--statistics" ""; do
	for level in -O0 -O2 -O3; do
		check "C $level ${way:-with events}" is "$(counts tvcc $level $way)" "$all"
	done
	check "C++ ${way:-with events}" is "$(counts tvcxx "-O2 -x c++" $way)" "$all"
done

# Loops of few fixed iterations need no time of their own, nor has the loop around them one; one around others has it.
untimed() { "$tview" graph "$tmp/loops" | sed -n '/^PL/q; s/^ *\([0-9]*\)  *[a-z]* .*counted, not timed$/\1/p' | tr '\n' ' '; }
check "a loop around fixed ones is counted" is "$(untimed)" "4 7 14 17 23 26 28 29 33 35 "

# What probes call throws nothing: a procedure of C++ that calls nothing needs no landing pad for them, which would keep its
# sums in memory.
cat >"$tmp/dot.cc" <<'C'
double dot(const double *x, const double *y, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += x[i] * y[i];
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			sum += x[i] * y[k];
	return sum;
}
C
symbols() { "$out/tvcxx" "$1" -c "$tmp/dot.cc" -o "$tmp/dot.o" && nm "$tmp/dot.o" | grep -o -e 'tvi_probes$' -e '_Unwind_Resume$' -e '__gxx_personality.*$'; }
for level in -O0 -O2 -O3; do
	check "C++ $level: probes, and no landing pad" is "$(symbols $level)" tvi_probes
done
done_testing
