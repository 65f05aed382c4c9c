/* Calls in templates, of which the template does not say what they call. The program counts by line how often it makes
 * one, by itself: a line of AT makes one call of a procedure of its own. It prints "C line count". */
#include <algorithm>
#include <cstdio>

static unsigned long made[1000], compared;
#define AT (void)made[__LINE__]++,

struct first {
	int k = 1;
	int f(int x) { return x + k; }
	int operator()(int x) const { return x * 2; }
	int &ref() { return k; }
	void nothing(int) { k++; }
	static int fixed(int x) { return x - 1; }
	first copy() const { return *this; }
};
struct second {
	int f(int x) { return x + 20; }
	static int fixed(int x) { return x + 2; }
};
/* Functions in a library's namespace would not be found; these are, by their argument alone. */
namespace apart {
struct tag { int v = 3; };
int looked_up(const tag &t, int x) { return t.v + x; }
}
namespace beside {
struct tag { int v = 4; };
int looked_up(const tag &t, int x) { return t.v * x; }
}
int plain(int x) { return x + 5; }
int overloaded(int x) { return x; }
int overloaded(double x) { return (int)x + 1; }
int overloaded(const first &x) { return x.k; }

template <class T> int member(T &t, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += (AT t.f(i));
	return s;
}
template <class F> int functor(F f, int x)
{
	int y = (AT f(x));
	return y;
}
template <class F> int twice(F f, int x)
{
	int inner = 0;
	made[__LINE__ + 1] += 2;
	inner = f(f(x));
	return inner;
}
template <int (*P)(int)> int by_parameter(int x) { return (AT P(x)); }
template <class T> int looked(const T &t, int x) { return (AT looked_up(t, x)); }
template <class T> int chosen(const T &t) { return (AT overloaded(t)); }
template <class T> int fixed(int x)
{
	if (AT T::fixed(x))
		return (AT T::fixed(x + 1));
	return 0;
}
template <class D> struct crtp {
	int go(int x)
	{
		return (AT static_cast<D *>(this)->step(x));
	}
};
struct walker : crtp<walker> {
	int step(int x) { return x + 7; }
};
template <class T> struct holder {
	T t;
	int inner(int x) { return x > 0 ? (AT t.f(x)) : 0; }
	int outer(int x)
	{
		int s = 0;
		for (int i = 0; i < x; i++)
			s += (AT this->inner(i));
		return s;
	}
	template <class U> int as(U u, int x)
	{
		return (AT this->t.f((int)u + x));
	}
	void effects(int x)
	{
		AT t.nothing(x);
		(AT t.ref()) = x;
	}
};
template <class T> int operands(T &t, int x)
{
	made[__LINE__ + 1] += 2;
	return t.f(x) + t.f(x + 1);
}
template <class T> int through_copy(const T &t)
{
	return (AT t.copy()).k;
}
template <class A, class... R> int all(A a, R... r)
{
	int s = (AT a(1));
	if constexpr (sizeof...(r) > 0)
		s += (AT all(r...));
	return s;
}
template <class T> int sorted(T *from, T *to)
{
	std::sort(from, to, [](const T &a, const T &b) { compared++; return a < b; });
	return (int)*from;
}
/* Never instantiated: nothing tells what it calls. */
template <class T> int unused(T t) { return t.whatever(t.other()) + other_still(t); }
/* A constant by its parameter: an array's size. */
template <class T> int constant()
{
	int room[T::size(2)] = { 1 };
	constexpr int n = T::size(1);
	return (int)(sizeof room / sizeof *room) + n + room[0];
}
struct sized { static constexpr int size(int x) { return x * 3; } };

int main()
{
	first a;
	second b;
	walker w;
	holder<first> h;
	holder<second> g;
	int v[] = { 5, 3, 9, 1, 7 };
	int s = 0;

	s += (AT member(a, 3));
	s += (AT member(b, 4));
	s += (AT functor(a, 1));
	s += (AT functor(plain, 2));
	auto lambda = [&](int x) { return (AT plain(x)) + 1; };
	s += (AT functor(lambda, 3));
	s += (AT twice(a, 3));
	s += (AT by_parameter<plain>(4));
	s += (AT looked(apart::tag(), 2));
	s += (AT looked(beside::tag(), 2));
	s += (AT chosen(1));
	s += (AT chosen(1.5));
	s += (AT chosen(a));
	s += (AT fixed<first>(1));
	s += (AT fixed<second>(1));
	s += (AT w.go(2));
	s += (AT h.outer(5));
	s += (AT g.outer(3));
	s += (AT h.as(2L, 1));
	AT h.effects(4);
	s += (AT operands(a, 2));
	s += (AT through_copy(a));
	s += (AT all(a, lambda));
	s += (AT sorted(v, v + 5));
	s += (AT constant<sized>());
	auto generic = [](auto &x) { return (AT x.f(2)); };
	made[__LINE__ + 1] += 2;
	s += generic(a); s += generic(b);
	for (int i = 0; i < 1000; i++)
		if (made[i])
			std::printf("C %d %lu\n", i, made[i]);
	std::printf("%d %d\n", s, compared > 0);
	return 0;
}
