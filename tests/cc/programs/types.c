static _Bool types_yes(int x) { return x; }
static long long types_big(void) { return 1LL << 40; }
static unsigned char types_byte(int x) { return (unsigned char)x; }
static const char *types_text(int x) { return x ? "one" : "none"; }
static double _Complex types_cplx(double r) { return r + 2.0i; }
enum types_e { types_E0, types_E1 = 7 };
static enum types_e types_en(int x) { return x ? types_E1 : types_E0; }
static int types_is(enum types_e types_e, _Bool b, long long l) { return (int)types_e + b + (int)(l >> 38); }
static double types_re(double _Complex c) { return __real__ c + __imag__ c; }
typedef int types_v4 __attribute__((vector_size(16)));
static types_v4 types_vec(int x) { types_v4 v = { x, x + 1, x + 2, x + 3 }; return v; }
static int types_lane(types_v4 v, int i) { return v[i]; }
void types(void) { printf("%d %d %s %g %d %d\n", types_is(types_en(1), types_yes(5), types_big()), types_byte(300) + types_byte(-1), types_text(types_yes(0)), types_re(types_cplx(1.5)), types_lane(types_vec(4), 2), (int)sizeof(types_byte(1))); }
