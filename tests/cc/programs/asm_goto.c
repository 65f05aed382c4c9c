static int asm_goto_where(int x)
{
	int n = 0;
	for (int i = 0; i < 3; i++) {
		__asm__ goto("" : : "r"(x) : : away);
		n += x;
	}
	return n;
away:	return -1;
}
void asm_goto(void) { printf("%d\n", asm_goto_where(4)); }
