#define SWAP(a, b) do { int t = a; a = b; b = t; } while (0)
#define SAY(x) do { if (!(x)) break; puts("said"); } while ((0))
void once(void) { int a = 1, b = 2; if (a) SWAP(a, b); else SWAP(b, a); SAY(a > b); SAY(0); printf("%d %d\n", a, b); }
#undef SWAP
#undef SAY
