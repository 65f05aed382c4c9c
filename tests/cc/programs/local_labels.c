static int local_labels_scan(const int *a, int n, int what) { return ({ __label__ found; int i; for (i = 0; i < n; i++) if (a[i] == what) goto found; i = -1; found: i; }); }
static int local_labels_body(int n) { __label__ l, m; int k = 0; l: k++; if (k < n) goto l; for (;;) { __label__ l; if (k > 2 * n) goto l; k++; continue; l: break; } goto m; m: return k; }
void local_labels(void) { int a[] = { 3, 5, 7 }; printf("%d %d %d\n", local_labels_scan(a, 3, 7), local_labels_scan(a, 3, 4), local_labels_body(4)); }
