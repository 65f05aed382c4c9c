#include <setjmp.h>
static jmp_buf jumps_long_env;
static void jumps_long_deep(int n) { for (int i = 0; i < 3; i++) { if (n == 0 && i == 1) longjmp(jumps_long_env, 7); if (n > 0) jumps_long_deep(n - 1); } }
static int jumps_long_tries(void) { volatile int n = 0; int r = setjmp(jumps_long_env); n++; if (n < 4) { while (1) jumps_long_deep(n); } return n * 10 + r; }
static int jumps_long_looped(void) { volatile int k = 0; for (volatile int i = 0; i < 5; i++) { if (setjmp(jumps_long_env) == 0) jumps_long_deep(i); else k += 1; } return k; }
void jumps_long(void) { printf("%d %d\n", jumps_long_tries(), jumps_long_looped()); }
