static int loops_plain_sum_for(int n) { int s = 0, i; for (i = 0; i < n; i++) s += i; return s; }
static int loops_plain_sum_while(int n) { int s = 0; while (n-- > 0) { s += n; } return s; }
static int loops_plain_sum_do(int n) { int s = 0; do s += n; while (--n > 0); return s; }
void loops_plain(void) { printf("%d %d %d\n", loops_plain_sum_for(10), loops_plain_sum_while(10), loops_plain_sum_do(10)); }
