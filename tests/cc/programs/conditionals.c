static int conditionals_t(int x) { return x > 0; }
void conditionals(void) { int n = 0; for (int i = -2; i < 3; i++) n += conditionals_t(i) ?: 10; for (int i = conditionals_t(1) ? 0 : 5; conditionals_t(i - 3) ? 0 : i < 5; conditionals_t(1) ? i++ : 0) n++; while (conditionals_t(n) && n-- && !conditionals_t(-n - 5)) if (n < 20) break; printf("%d\n", n); }
