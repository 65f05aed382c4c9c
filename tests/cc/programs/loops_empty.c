void loops_empty(void) { int i, j = 0; for (i = 0; i < 7; i++); while (j++ < 5) ; do ; while (j++ < 9); printf("%d %d\n", i, j); }
