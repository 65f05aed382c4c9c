#include <string>
#include <vector>
#include <algorithm>
namespace templates_ {
template <class T> T twice(T x) { T s = T(); for (int i = 0; i < 2; i++) s = s + x; return s; }
template <class T> struct box { T t; T get() { return t; } template <class U> U as() { return U(get()); } };
template <int N> int rec() { return N + rec<N - 1>(); }
template <> int rec<0>() { return 100; }
template <class F, class... A> auto invoke(F f, A... a) -> decltype(f(a...)) { return f(a...); }
template <class... A> int count(A... a) { int n = 0; for (int v : { a... }) n += v; return n; }
constexpr int sq(int x) { int r = 0; for (int i = 0; i < x; i++) r += x; return r; }
int add(int a, int b) { return a + b; }
auto deduced(int x) { return add(x, 1); }
decltype(auto) deduced2(int x) { return (add(x, 1)); }
int table[sq(3)];
static_assert(sq(4) == 16, "");
template <class T> struct base { virtual ~base() {} virtual T f(T x) = 0; T g(T x) { while (x < 10) x = f(x); return x; } };
struct derived : base<int> { int f(int x) override { return add(x, 3); } };
}
static void templates()
{
	using namespace templates_;
	const int n = sq(3);
	int fixed[n];
	box<int> b = { 9 };
	derived d;
	std::vector<int> v = { add(1, 2), add(add(1, 1), 2), deduced(1) };
	std::sort(v.begin(), v.end(), [](int p, int q) { return add(p, 0) > add(q, 0); });
	for (auto it = v.begin(); it != v.end(); ++it)
		printf("%d ", *it);
	printf("%d %s %d %ld %d\n", twice(4), twice(std::string("ab")).c_str(), b.get(), b.as<long>(), rec<4>());
	printf("%d %d %d %d %d\n", invoke(add, 1, 2), count(1, 2, add(3, 4)), deduced2(4), d.g(1), (int)(sizeof table + sizeof fixed));
}
