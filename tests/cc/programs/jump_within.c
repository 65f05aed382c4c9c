void jump_within(void)
{
	int n = 0;
	for (int i = 0; i < 6; i++) { if (i % 2) goto skip; n += i; skip: n += 100; for (int k = 0; k < 3; k++) { if (k == 1) goto next; n++; } next: ; }
	printf("%d\n", n);
}
