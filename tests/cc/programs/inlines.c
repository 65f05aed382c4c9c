static inline int inlines_sq(int x) { return x * x; }
inline int inlines_cube(int x) { return x * inlines_sq(x); }
extern inline int inlines_cube(int x);
static inline __attribute__((always_inline)) int inlines_forced(int x) { int s = 0; for (int i = 0; i < x; i++) s += inlines_sq(i); return s; }
static __attribute__((noinline)) int inlines_never(int x) { return inlines_forced(x) + inlines_cube(x); }
void inlines(void) { printf("%d %d\n", inlines_never(4), inlines_cube(3)); }
