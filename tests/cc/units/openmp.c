#include <stdio.h>

static int work(int x)
{
	int s = 0;
	for (int i = 0; i < x; i++)
		s += i;
	return s;
}

static int bound(int n)
{
	return n;
}

int main(void)
{
	long sum = 0, other = 0, nested = 0;
	int last = 0, table[8][8];
#pragma omp parallel for reduction(+ : sum) default(none) num_threads(3)
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 3; j++)
			sum += work(i % 7) + j;
	}
#pragma omp parallel num_threads(3) default(none) shared(other)
	{
		int mine = 0;
#pragma omp for schedule(dynamic) nowait
		for (int i = 0; i < 50; i++)
			mine += work(i % 5);
		while (mine % 10)
			mine++;
#pragma omp atomic
		other += mine - mine % 10;
#pragma omp barrier
#pragma omp single
		for (int k = 0; k < 3; k++)
			other += work(k) - work(k);
	}
#pragma omp parallel for collapse(2) reduction(+ : nested)
	for (int i = 0; i < bound(8); i++)
		for (int j = 0; j < 8; j++) {
			table[i][j] = i * j;
			for (int k = 0; k < 2; k++)
				nested += work(k);
		}
#pragma omp simd reduction(+ : sum)
	for (int i = 0; i < 8; i++)
		sum += table[i][7];
#pragma omp parallel for lastprivate(last)
	for (int i = 0; i < 10; i++)
		last = i;
#pragma omp parallel sections
	{
#pragma omp section
		for (int i = 0; i < 2; i++)
			work(i);
#pragma omp section
		work(3);
	}
#pragma omp parallel
#pragma omp critical
	sum += work(1);
#pragma omp task
	work(2);
	printf("%ld %d %ld %d %d\n", sum, other > 0, nested, last, table[7][7]);
	return 0;
}
