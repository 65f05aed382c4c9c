#include <stdlib.h>
static int callbacks_cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int callbacks_apply(int (*f)(int), int x) { return f(x); }
static int callbacks_neg(int x) { return -x; }
void callbacks(void) { int a[] = { 5, 2, 9, 1 }; qsort(a, 4, sizeof *a, callbacks_cmp); int k = 9, *p = bsearch(&k, a, 4, sizeof *a, callbacks_cmp); for (int i = 0; i < 4; i++) printf("%d ", a[i]); printf("%d %d\n", (int)(p - a), callbacks_apply(callbacks_neg, callbacks_apply(callbacks_neg, 4))); }
