struct bits_f { unsigned a : 3, b : 5; int c : 4; };
static struct bits_f bits_fields(int x) { struct bits_f r = { 0, 0, 0 }; r.a = (unsigned)x & 7; r.b = (unsigned)x >> 2 & 31; r.c = x % 8; return r; }
static int bits_id(int x) { return x; }
void bits(void) { struct bits_f g = bits_fields(29); g.a = (unsigned)bits_id(5) & 7; g.c -= bits_id(3); printf("%d %d %d %d\n", (int)g.a, (int)g.b, g.c, bits_id(bits_fields(7).c)); }
