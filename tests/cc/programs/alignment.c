struct __attribute__((aligned(32))) alignment_al { char c; };
static struct alignment_al alignment_mk_al(int c) { struct alignment_al a; a.c = (char)c; return a; }
static int alignment_get_al(struct alignment_al a) { return a.c + (int)((__UINTPTR_TYPE__)&a % 32); }
void alignment(void) { _Alignas(64) char b[3] = { 1, 2, 3 }; int s = 0; for (_Alignas(16) int i = 0; i < 3; i++) s += b[i]; printf("%d %d\n", s, alignment_get_al(alignment_mk_al(5))); }
