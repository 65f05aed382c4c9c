struct compound_literals_pt { int x, y; };
static int compound_literals_dot(struct compound_literals_pt a, const struct compound_literals_pt *b) { return a.x * b->x + a.y * b->y; }
static int compound_literals_three(void) { return 3; }
void compound_literals(void) { printf("%d %d\n", compound_literals_dot((struct compound_literals_pt){ compound_literals_three(), 2 }, &(struct compound_literals_pt){ .y = compound_literals_three(), .x = compound_literals_three() }), (int[]){ 1, compound_literals_three(), 5 }[1]); for (int *p = (int[]){ 1, 2, compound_literals_three(), 0 }; *p; p++) printf("%d", *p); puts(""); }
