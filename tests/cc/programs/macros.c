static int macros_plus(int a, int b) { return a + b; }
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define TWICE(x) macros_plus(x, x)
#define FOUR(x) TWICE(TWICE(x))
#define UNTIL(c) while (!(c))
#define CALL(f, ...) f(__VA_ARGS__)
void macros(void) { int s = 0; EACH(i, 3) EACH(j, TWICE(2)) s += FOUR(i + j); UNTIL (s % 10 == 0) s++; printf("%d %d\n", s, CALL(macros_plus, CALL(macros_plus, 1, 2), FOUR(1))); }
#undef EACH
#undef TWICE
#undef FOUR
#undef UNTIL
#undef CALL
