static int long_else_ladder(int x) { if (x == 0) return 0; else if (x == 1) for (;;) return 10; else if (x == 2) while (x < 5) x++; else if (x == 3) do x += 2; while (x < 9); else for (int i = 0; i < 4; i++) x += i; return x; }
void long_else(void) { for (int i = 0; i < 6; i++) printf("%d ", long_else_ladder(i)); puts(""); }
