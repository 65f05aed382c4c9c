static int builtins_bits_(unsigned x) { return __builtin_popcount(x); }
static int builtins_atom(int *p) { return __sync_fetch_and_add(p, 2) + __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static int builtins_un(int x) { switch (x) { case 1: return 5; default: __builtin_unreachable(); } }
void builtins(void) { int v = 1; printf("%d %d %d %d\n", builtins_bits_(255), builtins_atom(&v), builtins_un(1), __builtin_abs(builtins_bits_(7) - 9)); }
