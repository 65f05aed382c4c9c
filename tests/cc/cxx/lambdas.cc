#include <functional>
namespace lambdas_ {
int id(int x) { return x; }
int apply(const std::function<int(int)> &f, int x) { return f(x); }
template <class F> int each(F f) { int s = 0; for (int i = 0; i < 4; i++) s += f(i); return s; }
}
static void lambdas()
{
	using namespace lambdas_;
	int x = 5;
	auto lam = [&](auto y) { for (int i = 0; i < 3; i++) x += id(y); return x; };
	auto early = [](int n) -> int { for (;;) { if (n-- == 2) return id(n); } };
	struct local { int go(int k) { while (k-- > 0) if (k == 2) return id(k); return 0; } } l;
	static int once = id(41);
	auto outer = [=](int k) { auto inner = [k](int j) { return id(j) * k; }; return inner(id(3)) + inner(2); };
	printf("%d %d %d %d\n", lam(3), early(9), l.go(9), once);
	printf("%d %d %d\n", apply([x](int q) { return id(q) + x; }, id(2)), each([](int q) { return q * q; }), outer(4));
	for (int i = 0; i < id(2); i++)
		[&] { while (x > 0) x -= 7; }();
	printf("%d\n", x);
}
