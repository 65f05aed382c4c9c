static __int128 int128_wide(long x) { return (__int128)x << 64; }
static long int128_high(__int128 x) { return (long)(x >> 64); }
#ifdef __clang__
#define _Float32 float
#endif
static _Float32 int128_f32(void) { return 1.5; }
void int128(void) { printf("%ld %g\n", int128_high(int128_wide(int128_high(int128_wide(42)))), (double)int128_f32()); }
#undef _Float32
