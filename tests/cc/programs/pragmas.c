void pragmas(void)
{
	int n = 0;
#pragma GCC unroll 4
	for (int i = 0; i < 9; i++) n += i;
#pragma GCC ivdep
	for (int i = 0; i < 9; i++)
		for (int j = 0; j < 2; j++) n += j;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-value"
	for (int i = 0; i < 3; i++)
#pragma GCC unroll 2
		for (int j = 0; j < 3; j++) n++;
#pragma GCC diagnostic pop
	printf("%d\n", n);
}
