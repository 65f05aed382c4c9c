__attribute__((no_instrument_function)) static int attributes_quiet(int x) { return x; }
static int attributes_forward(int) __attribute__((no_instrument_function, const));
static int attributes_forward(int x) { int s = 0; while (x-- > 0) s++; return s; }
__attribute__((pure)) static int attributes_pure_(const int *p) { int s = 0; for (int i = 0; i < 3; i++) s += p[i]; return s; }
static void __attribute__((noreturn)) attributes_stop(int *n) { *n = 1; for (;;) __builtin_longjmp((void **)0, 1); }
__attribute__((unused, cold, optimize("O1"))) static int attributes_tuned(int x) { return x + 1; }
__attribute__((constructor)) static void attributes_early_(void) { for (int i = 0; i < 2; i++) attributes_quiet(i); }
static void attributes_clean(int *p) { printf("attributes_clean %d\n", *p); }
void attributes(void) { int a[3] = { 1, 2, 3 }; int x __attribute__((cleanup(attributes_clean))) = attributes_quiet(4); if (a[0] == 9) attributes_stop(a); for (int i = 0; i < 2; i++) { int y __attribute__((cleanup(attributes_clean))) = i; if (i == 1) break; } printf("%d %d %d\n", attributes_forward(3), attributes_pure_(a), attributes_tuned(x)); }
