/* Counted by gcov and by probes alike. So that a line counts what it should: the body of a loop begins on the line behind the one that the
 * loop begins on, and no call stands on a line with a loop or a condition. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static unsigned state = 12345;
static unsigned next(void)
{
	state = state * 1103515245u + 12345u;
	return state >> 16;
}
static int gcd(int a, int b)
{
	while (b) {
		int t = a % b;
		a = b;
		b = t;
	}
	return a;
}
static int sieve(int n)
{
	char *composite = calloc(n + 1, 1);
	int primes = 0;
	for (int i = 2; i <= n; i++) {
		if (composite[i])
			continue;
		primes++;
		for (int k = 2 * i; k <= n; k += i)
			composite[k] = 1;
	}
	free(composite);
	return primes;
}
static int queens(int row, unsigned columns, unsigned left, unsigned right, int n)
{
	int found = 0;
	if (row == n)
		return 1;
	for (int c = 0; c < n; c++) {
		const unsigned bit = 1u << c;
		if ((columns & bit) || (left & bit) || (right & bit))
			continue;
		found += queens(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1, n);
	}
	return found;
}
static int search(const int *values, int n, int wanted)
{
	int low = 0, high = n - 1;
	do {
		int middle = (low + high) / 2;
		if (values[middle] == wanted)
			return middle;
		if (values[middle] < wanted)
			low = middle + 1;
		else
			high = middle - 1;
	} while (low <= high);
	return -1;
}
static void give_up(int depth)
{
	if (depth == 0)
		longjmp(back, 1);
	give_up(depth - 1);
}
static int even(int n);
static int odd(int n)
{
	if (n == 0)
		return 0;
	return even(n - 1);
}
static int even(int n)
{
	if (n == 0)
		return 1;
	return odd(n - 1);
}
int main(int argc, char **argv)
{
	int values[500], turns = 0, hits = 0, evens = 0;
	long sum = 0;
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 500; i++)
		values[i] = 3 * i;
	for (int i = 0; i < 1000; i++) {
		hits += search(values, 500, (int)(next() % 1500)) >= 0;
		int a = (int)(next() % 1000) + 1;
		int b = (int)(next() % 1000) + 1;
		sum += gcd(a, b);
		if (i % 7 == 3)
			goto odd_one;
		sum++;
	odd_one:;
	}
	for (int i = 0; i < 4; i++) {
		turns++;
		if (!setjmp(back))
			give_up(i);
	}
	for (int i = 0; i < 20; i++)
		evens += even(i);
	printf("%d %d %ld %d %d %d\n", turns, hits, sum, sieve(5000), queens(0, 0, 0, 0, 6), evens);
	MPI_Finalize();
	return 0;
}
