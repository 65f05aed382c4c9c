static int allocas_use(int n) { char *p = __builtin_alloca((unsigned)n); int s = 0; for (int i = 0; i < n; i++) p[i] = (char)i; for (int i = 0; i < n; i++) { char *q = __builtin_alloca(16); q[0] = p[i]; s += q[0]; } return s; }
void allocas(void) { printf("%d %d\n", allocas_use(10), allocas_use(100)); }
