static int order_trace(const char *s, int v) { printf("%s", s); return v; }
static int order_pick(int a) { return order_trace("p", a); }
void order(void) { int r = order_trace("a", 1) && order_trace("b", 0) || order_trace("c", order_pick(1)), q; q = order_trace("d", 0) ? order_trace("e", 1) : order_pick(order_trace("f", 2)); order_trace("g", 0), order_trace("h", 1); printf(" %d %d\n", r, q); }
