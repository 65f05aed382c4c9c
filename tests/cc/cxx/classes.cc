namespace classes_ {
int step(int x) { return x + 1; }
struct a {
	int v, w;
	a(int x) : v(step(x)), w(step(step(x))) { for (int i = 0; i < 2; i++) v += i; }
	a() : a(7) { }
	virtual ~a() { while (v > 0) v -= 3; }
	a &operator++() { v = step(v); return *this; }
	a operator+(const a &o) const { return a(v + o.v); }
	int operator()(int k) { return step(k) + v; }
	explicit operator bool() const { return step(v) > 0; }
	friend int peek(const a &x) { return step(x.w); }
	static int made(int k = step(1)) { return k; }
	virtual int kind() { return step(0); }
};
struct b : a { using a::a; int kind() override { return a::kind() + 10; } int deflt = step(50); };
namespace { int hidden(int x) { return step(x); } }
extern "C" int c_linkage(int x) { do x = step(x); while (x < 5); return x; }
inline namespace v2 { int versioned(int x) { return hidden(x); } }
}
static void classes()
{
	using namespace classes_;
	a x(3);
	b y;
	++x;
	printf("%d %d %d %d\n", x.v, x.w, peek(x + x), x(step(2)));
	if (x)
		printf("%d %d %d\n", a::made(), a::made(step(3)), static_cast<a &>(y).kind());
	printf("%d %d %d\n", y.deflt, c_linkage(1), versioned(step(8)));
	a *p = new b(step(1));
	printf("%d\n", p->kind());
	delete static_cast<b *>(p);
	switch (int k = step(1)) { case 2: for (;;) { if (k++ > 4) break; } printf("%d\n", k); }
	while (int k = step(x.v) % 5) { x.v = step(x.v); k = 0; }
	printf("%d\n", x.v);
}
