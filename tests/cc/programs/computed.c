static int computed_run(const char *code)
{
	static const void *const ops[] = { &&inc, &&dbl, &&loop, &&end };
	int x = 0;
	const char *p = code;
#define NEXT goto *ops[*p++ - '0']
	NEXT;
inc: x++; NEXT;
dbl: x *= 2; NEXT;
loop: for (int i = 0; i < 3; i++) x += i; NEXT;
end: return x;
#undef NEXT
}
static int computed_within(int n)
{
	void *to = &&a;
	int s = 0;
	while (n-- > 0) { goto *to; a: s += 1; to = &&b; continue; b: s += 10; to = &&a; }
	for (int i = 0; i < 2; i++) s++;
	return s;
}
void computed(void) { printf("%d %d\n", computed_run("0010123"), computed_within(5)); }
