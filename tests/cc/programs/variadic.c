#include <stdarg.h>
static int variadic_sums(int n, ...) { va_list ap; int s = 0; va_start(ap, n); while (n--) s += va_arg(ap, int); va_end(ap); return s; }
static double variadic_mean(int n, ...) { va_list ap; double s = 0; va_start(ap, n); for (int i = 0; i < n; i++) s += va_arg(ap, double); va_end(ap); return s / n; }
static float variadic_half(int x) { return (float)x / 2; }
static char variadic_small(int c) { return (char)c; }
void variadic(void) { printf("%d %g %d %c\n", variadic_sums(3, 1, variadic_sums(2, 2, 3), variadic_small(4)), variadic_mean(3, variadic_half(3), variadic_mean(1, 2.0), 4.0), variadic_sums(0), variadic_small('x')); }
