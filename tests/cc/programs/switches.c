static int switches_classify_it(int c)
{
	int n = 0;
	switch (c) {
		int hidden;
	case 0: for (hidden = 0; hidden < 3; hidden++) n += hidden; break;
	case 1: case 2: while (n < 4) { switch (n) { case 1: n += 2; break; default: n++; continue; } n += 5; } /* fall through */
	case 3 ... 5: do { n++; if (n > 8) break; } while (n < 20); break;
	default: if (c > 100) case 50: for (;;) { if (n++ > 2) return n; }
	}
	return n;
}
void switches(void) { int c; for (c = 0; c < 7; c++) printf("%d ", switches_classify_it(c)); printf("%d %d\n", switches_classify_it(50), switches_classify_it(101)); }
