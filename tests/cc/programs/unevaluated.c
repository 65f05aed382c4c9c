static int unevaluated_boom(void) { printf("evaluated!\n"); return 1; }
static int unevaluated_fine(int x) { return x; }
void unevaluated(void)
{
	__typeof__(unevaluated_boom()) a = 3;
	int n = sizeof(unevaluated_boom()) + sizeof unevaluated_boom() + _Alignof(__typeof__(unevaluated_boom()));
	int g = _Generic(unevaluated_boom(), int: unevaluated_fine(1), default: unevaluated_boom());
	int k = __builtin_constant_p(unevaluated_boom()) + (int)__builtin_object_size((unevaluated_boom(), (char *)0), 0) * 0;
	int c = __builtin_choose_expr(1, unevaluated_fine(2), unevaluated_boom());
	if (__builtin_expect(unevaluated_fine(1), 1)) n++;
	printf("%d %d %d %d %d\n", a, n, g, k, c);
}
