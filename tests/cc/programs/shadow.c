static int shadow_f(int shadow_f) { return shadow_f; }
static int shadow_g(int i) { for (int i = 0; i < 2; i++) { int i = 5; while (i < 7) { int i = 1; (void)i; break; } } return i; }
void shadow(void) { int printf_ = shadow_f(1); { int shadow_f = 2; printf_ += shadow_f; } printf("%d %d\n", printf_, shadow_g(9)); }
