static int generic_gi(int x) { return x + 1; }
static double generic_gd(double x) { return x / 2; }
static const char *generic_gs(const char *s) { return s + 1; }
#define G(x) _Generic((x), int: generic_gi, double: generic_gd, char *: generic_gs)(x)
void generic(void) { char t[] = "xyz"; printf("%d %g %s %d\n", G(4), G(5.0), G((char *)t), G(G(G(1)))); }
#undef G
