struct structs_pair { int a, b[3]; };
static struct structs_pair structs_mk(int a) { struct structs_pair p = { a, { a + 1, a + 2, a + 3 } }; return p; }
static struct structs_pair structs_again(struct structs_pair p, int k) { p.a += k; return p; }
static int structs_total(struct structs_pair p) { return p.a + p.b[0] + p.b[1] + p.b[2]; }
static int structs_first(const int *p) { return p[0]; }
void structs(void)
{
	struct structs_pair p = structs_again(structs_mk(1), structs_mk(5).a);
	printf("%d %d %d %d\n", structs_total(p), structs_mk(7).b[2], structs_total(structs_again(structs_mk(2), structs_mk(3).b[1])), structs_first(structs_mk(8).b));
}
