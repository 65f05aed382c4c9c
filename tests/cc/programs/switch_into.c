void switch_into(void)
{
	for (int k = 0; k < 4; k++) {
		int n = 0, i = 0;
		switch (k) { case 0: while (i < 3) { i++; n += 1; case 1: for (int j = 0; j < 2; j++) n += 10; case 2: n += 100; } default: ; }
		printf("%d ", n);
	}
	puts("");
}
