static int comma_tick(int *p) { return ++*p; }
void comma(void) { int x = 0, y; for (int i = 0, j = 9; i < j; i++, j--, comma_tick(&x)) ; y = (comma_tick(&x), comma_tick(&x), comma_tick(&x)); printf("%d %d %d\n", x, y, (comma_tick(&x), 0) ? comma_tick(&y) : comma_tick(&x)); }
