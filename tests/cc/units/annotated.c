/* Loops that pragmas apply to. Prints for each loop the line and how many iterations all threads
 * had, and "U" and the line of those whose number no probe can know. */
#include <stdio.h>

static unsigned long own[300];
#define HERE __atomic_add_fetch(&own[__LINE__], 1, __ATOMIC_RELAXED)
#define UNKNOWN(line) printf("U %d\n", line)

static long table[64];
static volatile int wavering = 12;

static int bound(int n)
{
	return n + (int)(table[63] & 0);
}

static long work(long x)
{
	long s = 0;
	for (long i = 0; i < x % 4; i++) { HERE; s += i; }
	return s;
}

static void combined(int n, unsigned u, long long far, int way)
{
	long s = 0;
	int k;
#pragma omp parallel for reduction(+ : s) default(none) shared(own) firstprivate(n) num_threads(3)
	for (int i = 0; i < n; i++) { HERE; s += work(i); }
	if (way)
#pragma omp parallel for num_threads(2)
		for (int i = n - 1; i >= 3; i -= 2) { HERE; table[i] += i; }
	else
#pragma omp parallel for num_threads(2)
		for (unsigned char i = 7; i < 200; i += 3) { HERE; table[i % 64] += 0; }
#pragma omp parallel for num_threads(3) schedule(dynamic, 2)
	for (k = -5; k <= (int)u; k = k + 4) { HERE; work(k + 5); }
#pragma omp parallel for num_threads(3)
	for (unsigned long long i = u; i != 60ull; ++i) { HERE; work((long)i); }
#pragma omp parallel for num_threads(3)
	for (long long i = far + 50; far < i; i--) { HERE; work((long)(i % 5 + 5)); }
#pragma omp parallel for num_threads(3)
	for (int i = n; i < 3; i++) { HERE; work(1); }
#pragma omp parallel for num_threads(3)
	for (int i = 2; i < u; i++) { HERE; work(1); }
#pragma omp parallel for num_threads(2) collapse(2)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < 4; j++) table[i] += work(j);
	own[__LINE__ - 2] += (unsigned long)n;
#pragma omp parallel num_threads(2)
#pragma omp for
	for (int i = 0; i < n; i++) { HERE; table[i]++; }
	printf("%ld\n", s);
}

static void in_a_team(int n, int way)
{
#pragma omp parallel num_threads(3)
	{
		int mine = 0;
#pragma omp for nowait schedule(dynamic)
		for (int i = 0; i < n; i++) { HERE; mine += (int)work(i); }
		switch (way) {
		case 1:
#pragma omp for ordered
			for (int i = 0; i < n; i++) { HERE;
#pragma omp ordered
				for (int j = 0; j < 2; j++) { HERE; table[i] += mine & 0; }
			}
			break;
		default:
#pragma omp for
			for (int i = 0; i < n; i++) { HERE; }
		}
#pragma omp single
		for (int i = 0; i < 5; i++) { HERE; work(i); }
#pragma omp barrier
		for (int i = 0; i < 5; i++) { HERE; work(i); }
#pragma omp critical
		for (int i = 0; i < 6; i++) { HERE; table[1]++; }
#pragma omp single
		{
#pragma omp taskloop
			for (int i = 0; i < n; i++) { HERE; work(i); }
#pragma omp task
			for (int i = 0; i < n; i++) { HERE; work(i); }
		}
	}
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop
	for (int i = 0; i < n; i++) { HERE; work(i); }
#pragma omp parallel num_threads(3)
	for (int i = 0; i < 3; i++) { HERE; }
}

static void orphan(int n)
{
#pragma omp for
	for (int i = 0; i < n; i++) { HERE; work(i); }
}

static void hints(int n)
{
	long s = 0, t = 0;
#pragma omp simd reduction(+ : s)
	for (int i = 0; i < n; i++) s += table[i];
	own[__LINE__ - 1] += (unsigned long)n;
#pragma GCC ivdep
	for (int i = 0; i < n; i++) table[i] += 2;
	own[__LINE__ - 1] += (unsigned long)n;
#pragma GCC ivdep
	while (t < 64) { HERE; if (table[t++] == 3) break; }
#pragma GCC unroll 4
	for (int i = 0; i < n; i++) { HERE; if (i == 11) return; work(i); }
	printf("%ld %ld\n", s, t);
}

/* Bounds that must not be evaluated once more, and loops of which each thread has a part. */
static void unknown(int n)
{
	int done = 0;
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < bound(n); i++) work(i);
	UNKNOWN(__LINE__ - 1);
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < wavering; i++) work(i);
	UNKNOWN(__LINE__ - 1);
#pragma omp parallel for num_threads(2) /* compilers differ in what they make of it */
	for (int i = -2 + done; i < 5u; i++) table[0] += 0;
	UNKNOWN(__LINE__ - 1);
#pragma omp parallel num_threads(2)
	{
#pragma omp for simd
		for (int i = 0; i < n; i++) table[i] += i;
#pragma omp for collapse(2)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < 2; j++) table[i]++;
#pragma omp for
		for (int i = 0; i < n; i++) {
#pragma omp cancel for if (done)
			HERE;
		}
	}
	UNKNOWN(__LINE__ - 10);
	UNKNOWN(__LINE__ - 9);
	own[__LINE__ - 7] += own[__LINE__ - 5];
	own[__LINE__ - 6] = 0;
#pragma omp target map(tofrom : table)
	for (int i = 0; i < n; i++) table[i]++;
	UNKNOWN(__LINE__ - 1);
}

int main(int argc, char **argv)
{
	(void)argv;
	combined(30, 17, -1000000000000ll, argc);
	combined(33, 18, 5, argc - 1);
	in_a_team(40, argc);
	in_a_team(10, argc - 1);
	orphan(13);
#pragma omp parallel num_threads(2)
	orphan(21);
	hints(10);
	hints(48);
	unknown(8);
	for (int i = 0; i < 64; i++)
		printf("%ld ", table[i]);
	for (int i = 0; i < 300; i++)
		if (own[i])
			printf("\nL %d %lu", i, own[i]);
	puts("");
	return 0;
}
