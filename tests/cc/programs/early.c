static int early_out(int n) { for (int i = 0; i < 10; i++) { for (int j = 0; j < 10; j++) { do { if (i * j == n) return i * 100 + j; } while (j < 0); if (j > i) break; } } return -1; }
static void early_nothing(int n) { if (n) return; while (n < 5) if (++n == 3) return; }
void early(void) { early_nothing(0); early_nothing(1); printf("%d %d %d\n", early_out(0), early_out(42), early_out(97)); }
