#include <utility>
namespace references_ {
int &ref(int &x) { x++; return x; }
const int &cref(const int &x) { return x; }
int &&rref(int &&x) { return std::move(x); }
int val(int x) { return x + 1; }
int sum(const int &a, int b, int &&c) { return a + b + c; }
int (&arr(int (&a)[3]))[3] { a[0]++; return a; }
int first(int (&a)[3]) { return a[0]; }
int (*fp(int (*f)(int)))(int) { return f; }
struct s { int x; int &get() { return x; } int s::*member() { return &s::x; } static int stat(int k) { return k * 3; } };
enum class colour { red = 4 };
colour tint(int k) { return k ? colour::red : colour(1); }
int shade(colour c) { return int(c); }
}
static void references()
{
	using namespace references_;
	int x = 5, a[3] = { 1, 2, 3 };
	s q = { 3 };
	ref(ref(x)) += val(ref(x));
	printf("%d %d %d\n", x, sum(ref(x), val(cref(x)), val(1)), sum(cref(val(2)), 1, rref(val(3))));
	printf("%d %d %d\n", first(arr(arr(a))), fp(fp(val))(val(1)), shade(tint(val(-1))));
	q.get() = val(q.get());
	ref(q.get())++;
	printf("%d %d %d\n", q.x, q.*q.member(), s::stat(s::stat(val(0))));
	for (int &i : arr(a))
		i = val(i);
	for (auto i : a)
		printf("%d ", i);
	puts("");
}
