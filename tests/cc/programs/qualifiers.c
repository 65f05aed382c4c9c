static const int qualifiers_ci(int x) { return x; }
static int *volatile qualifiers_vp(int *p) { return p; }
static int qualifiers_take(const int x, int *volatile p) { return x + *p; }
static char *qualifiers_restrict_(char *restrict a) { return a; }
void qualifiers(void) { int k = 3; char t[] = "r"; printf("%d %s\n", qualifiers_take(qualifiers_ci(4), qualifiers_vp(&k)), qualifiers_restrict_(qualifiers_restrict_(t))); *qualifiers_vp(&k) = qualifiers_ci(9); qualifiers_vp(qualifiers_vp(&k))[0]++; printf("%d\n", k); }
