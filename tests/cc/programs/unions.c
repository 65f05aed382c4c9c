union unions_u { int i; float f; char c[4]; };
static union unions_u unions_mku(int i) { union unions_u unions_u; unions_u.i = i; return unions_u; }
static int unions_low(union unions_u unions_u) { return unions_u.c[0]; }
void unions(void) { printf("%d %d %d\n", unions_mku(65).i, unions_low(unions_mku(66)), unions_mku(unions_mku(67).i).c[0]); }
