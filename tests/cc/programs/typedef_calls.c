typedef int typedef_calls_fn(int);
typedef typedef_calls_fn *typedef_calls_fnp;
static typedef_calls_fn typedef_calls_plus1;
static int typedef_calls_plus1(int x) { return x + 1; }
static int typedef_calls_via(typedef_calls_fn f, int x) { return f(x); }
static typedef_calls_fnp typedef_calls_get(void) { return typedef_calls_plus1; }
void typedef_calls(void) { typedef_calls_fnp p = typedef_calls_plus1, *pp = &p; printf("%d %d %d %d\n", p(1), (*pp)(2), typedef_calls_via(typedef_calls_plus1, 3), typedef_calls_get()(4)); }
