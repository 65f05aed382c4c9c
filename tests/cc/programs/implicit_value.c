static int implicit_value_maybe(int x) { if (x) return 1; for (;;) { break; } return 0; }
static void implicit_value_v1(int *p) { *p += 1; }
static void implicit_value_v2(int *p) { implicit_value_v1(p); return implicit_value_v1(p); }
void implicit_value(void) { int q = 0; implicit_value_v2(&q); (void)implicit_value_maybe(0); implicit_value_maybe(1); q ? implicit_value_v1(&q) : implicit_value_v2(&q); printf("%d\n", q); }
