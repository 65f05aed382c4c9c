static int strings_len(const char *s) { int n = 0; while (*s++) n++; return n; }
void strings(void) { printf("%d %d %d\n", strings_len("for (;;) { f(x); }"), strings_len("\"\\\"{"), strings_len("a" "b" "\
c")); for (const char *p = "do}{"; *p; p++) putchar(*p == '{' ? '}' : *p); puts(""); }
