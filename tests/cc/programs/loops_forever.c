void loops_forever(void) { int n = 0; for (;;) if (++n == 9) break; while (1) { if (n++ > 20) goto out; } out: do { n++; if (n > 40) break; } while (1); printf("%d\n", n); }
