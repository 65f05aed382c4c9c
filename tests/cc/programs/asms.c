static int asms_val(int x) { return x; }
void asms(void) { int a = 3, b; for (int i = 0; i < 2; i++) __asm__ volatile("" : "+r"(a) : "r"(asms_val(i)) : "memory"); __asm__("" : "=r"(b) : "0"(asms_val(a))); printf("%d %d\n", a, b); }
