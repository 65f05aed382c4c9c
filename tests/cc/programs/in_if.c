static int in_if_odd(int x) { return x & 1; }
void in_if(void)
{
	int n = 0, i;
	if (in_if_odd(3)) for (i = 0; i < 3; i++) n++; else for (i = 0; i < 5; i++) n--;
	if (in_if_odd(2)) while (n < 100) n++; else do n += 2; while (n < 10);
	if (n) for (i = 0; i < 3; i++) if (in_if_odd(i)) n += 10; else n += 100;
	else n = 0;
	printf("%d\n", n);
}
