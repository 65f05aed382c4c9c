void jump_in(void)
{
	int i = 3, n = 0;
	goto middle;
	for (i = 0; i < 6; i++) { n += 1; for (int j = 0; j < 2; j++) n += 10;
middle:
	n += 100; }
	printf("%d\n", n);
}
