static int calls_f1(int x) { return x + 1; }
static int calls_f2(int a, int b) { return a * 10 + b; }
static void calls_f0(void) { printf("calls_f0 "); }
void calls(void)
{
	int a[3] = { calls_f1(1), calls_f1(calls_f1(1)), calls_f2(calls_f1(2), calls_f1(calls_f1(3))) };
	calls_f0(), calls_f0();
	(calls_f0)();
	printf("%d %d %d %d\n", a[0], a[1], a[2], calls_f2((calls_f0(), 4), calls_f1(5)));
	if (calls_f1(-1) || calls_f1(1)) printf("%d\n", calls_f1(1) ? calls_f1(2) : calls_f1(3));
	for (int i = calls_f1(0); i < calls_f1(3); i = calls_f1(i)) printf("%d", i);
	puts(calls_f1(0) && calls_f2(1, 2) && !calls_f1(-1) ? " yes" : " no");
}
