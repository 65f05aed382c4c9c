static int knr_old(a, b, c) int a; char b; double c; { int i; for (i = 0; i < 3; i++) a += b; return a + (int)c; }
static int knr_none();
static int knr_none() { return 5; }
void knr(void) { printf("%d %d\n", knr_old(1, 'a', 2.5), knr_none()); }
