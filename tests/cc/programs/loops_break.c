static int loops_break_find(int what) { for (int i = 0;; i++) { if (i * i > what) break; if (i * i == what) return i; } return -1; }
void loops_break(void) { int n = 0; for (int i = 0; i < 50; i++) { if (i % 2) continue; if (loops_break_find(i) >= 0) n++; } printf("%d %d\n", n, loops_break_find(81)); }
