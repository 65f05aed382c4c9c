static int recursion_fact(int n) { return n < 2 ? 1 : n * recursion_fact(n - 1); }
static int recursion_even(int n);
static int recursion_uneven(int n) { return n ? recursion_even(n - 1) : 0; }
static int recursion_even(int n) { return n ? recursion_uneven(n - 1) : 1; }
static int recursion_acker(int m, int n) { return !m ? n + 1 : !n ? recursion_acker(m - 1, 1) : recursion_acker(m - 1, recursion_acker(m, n - 1)); }
static int recursion_fib(int n) { if (n < 2) return n; return recursion_fib(n - 1) + recursion_fib(n - 2); }
void recursion(void) { printf("%d %d %d %d %d\n", recursion_fact(10), recursion_even(30), recursion_uneven(30), recursion_acker(2, 3), recursion_fib(15)); }
