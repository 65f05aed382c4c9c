void labels(void)
{
	int n = 0, rounds = 0;
again: for (int i = 0; i < 5; i++) { n += i; if (n == 6 && rounds++ < 2) goto again; }
two: three: while (n % 7) { n++; if (n % 5 == 0 && rounds++ < 4) goto three; if (n % 11 == 0 && rounds++ < 6) goto two; }
	printf("%d %d\n", n, rounds);
}
