static int spaghetti_maze(int n)
{
	int a = 0, b = 0;
start:	if (a > n) goto done;
	while (a < n) { a++; if (a % 3 == 0) goto side; if (a % 7 == 0) goto start; b += a; }
	goto done;
side:	for (int i = 0; i < a; i++) { b++; if (b % 13 == 0) goto start; if (b > 500) goto done; }
	switch (b % 4) { case 0: goto start; case 1: a++; goto start; case 2: do { b += 3; if (b % 5 == 0) goto start; } while (b % 2); break; default: ; }
	goto start;
done:	return a * 1000 + b;
}
void spaghetti(void) { printf("%d %d %d\n", spaghetti_maze(5), spaghetti_maze(20), spaghetti_maze(100)); }
