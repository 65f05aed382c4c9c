static int designated_at(int i) { return i * 2; }
struct designated_deep { struct { int a[4]; } in; int z; };
void designated(void) { struct designated_deep d = { .in.a = { [1] = designated_at(1), [3] = designated_at(designated_at(2)) }, .z = designated_at(5) }; int l[] = { [2] = designated_at(7), designated_at(8) }; printf("%d %d %d %d %d\n", d.in.a[1], d.in.a[3], d.z, l[2], l[3]); }
