typedef int (*pointers_op)(int, int);
static int pointers_add(int a, int b) { return a + b; }
static int pointers_sub(int a, int b) { return a - b; }
static pointers_op pointers_choose(int w) { return w ? pointers_add : pointers_sub; }
struct pointers_vt { pointers_op f; struct pointers_vt *next; };
void pointers(void)
{
	pointers_op t[2] = { pointers_add, &pointers_sub };
	struct pointers_vt v = { pointers_add, &(struct pointers_vt){ pointers_sub, 0 } };
	printf("%d %d %d ", t[0](1, 2), (*t[1])(5, 3), pointers_choose(1)(t[1](9, 1), pointers_add(1, 1)));
	printf("%d %d %d\n", v.f(1, v.next->f(2, 3)), (**v.next->f)(7, 7), (pointers_choose(0) == pointers_sub ? pointers_add : pointers_sub)(4, 4));
}
