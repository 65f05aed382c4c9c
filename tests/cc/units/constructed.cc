/* Objects that declarations and `new` make. The program counts by line how often it makes one: MADE(n) says that its
 * line makes n calls that are statements. (ALONE): the constructor after it is entered without one. It prints
 * "C line count". */
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

static unsigned long made[1000];
#define MADE(n) made[__LINE__] += (n);
#define ALONE

static int sum;

struct point {
	int x, y;
	point() : x(1), y(2) { sum += x; }
	explicit point(int a, int b = 3) : x(a), y(b) { sum += a; }
	point(const point &other) : x(other.x), y(other.y) { sum += 1000; }
	~point() { sum--; }
};
struct library { /* members of a library's run none of the program's */
	std::string name;
	std::vector<double> values;
	double *more = nullptr;
	library(const char *n, std::size_t size) : name(n), values(size) { sum += (int)name.size(); }
};
struct holder { /* point's constructor is entered before the body of this one */
	point p;
	int k;
	holder(int a) : p(a), k(a) { sum += k; }
};
struct derived : point { /* and that of its base here */
	derived(int a) : point(a) { sum += 7; }
};
static int given() { return sum; }
struct initialised { /* and given() here */
	ALONE int k = given();
	initialised(int) { sum++; }
};
struct delegating {
	int k;
	delegating(int a, int b) : k(a + b) { sum++; }
	delegating(int a) : delegating(a, 1) { sum++; }
};
struct plain { /* no constructor of its own */
	int a, b;
};
struct own_new {
	int k;
	own_new(int a) : k(a) { sum += k; }
	static void *operator new(std::size_t) { static double room; sum++; return &room; }
};
template <class T> struct box {
	T *t;
	unsigned n;
	explicit box(unsigned size) : t(new T[size]()), n(size) { sum += (int)n; }
	~box() { delete[] t; }
};
struct constant {
	int k;
	constexpr constant(int a) : k(a * 2) { }
};
static int twice(int x) { return 2 * x; }
static int value_of(const point *p)
{
	int x = p->x;
	delete p;
	return x;
}
template <class T> int in_template(T t, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		MADE(1) point p(i);
		s += p.x + (int)t;
	}
	return s;
}

static void declarations(int n)
{
	MADE(1) point a;
	MADE(1) point b(n);
	MADE(1) point c{ n, 4 };
	point is_no_object(int), nor_this(void); /* functions */
	MADE(1) library d("four", 2);
	plain e = { 1, 2 };
	plain f{ 3, 4 };
	for (int i = 0; i < n; i++) {
		MADE(1) point inside(i, i);
		sum += inside.y;
	}
	MADE(2) twice(n); point beside_a_call{};
	sum += e.a + f.b + c.y + a.x + b.x + (int)d.values.size() + beside_a_call.y;
}
static void arguments(int n)
{
	MADE(2) point a(twice(n));
	MADE(4) point b(twice(n), twice(twice(3)));
	made[__LINE__ + 3]++;
	point
#define NOTHING
		c(n, /* (here) */
		  8);
	sum += a.x + b.y + c.y;
}
static void stay_alone(int n)
{
	ALONE holder a(n);
	ALONE derived b(n);
	ALONE initialised c(n);
	ALONE delegating d(n);
	ALONE point e[2];
	MADE(1) point f(1), ALONE g(2);
	ALONE point h = f;
	ALONE point i(f);
	ALONE constant j(n);
	ALONE for (point k(n); k.x < n + 1; k.x++)
		sum++;
	if (n)
		ALONE sum += point(5).x;
	MADE(1) [[maybe_unused]] point l(n);
	switch (n) {
	case 3: ALONE point m(n); sum += m.x;
	}
	static point o(n);
	ALONE sum += twice(({ point q(n); q.x; }));
	struct local { int z; } r{ 1 }, *s = &r;
	sum += a.k + b.x + c.k + d.k + e[1].x + g.x + h.x + i.x + j.k + l.x + o.x + s->z;
}
static void with_new(int n)
{
	MADE(1) point *a = new point;
	MADE(2) point *b = new point(n), *c = new point{ n, 2 };
	MADE(1) std::unique_ptr<point> d(new point(n));
	MADE(2) sum += value_of(new point(9));
	MADE(1) sum += n ? new point(1) != nullptr : 0;
	alignas(point) char room[sizeof(point)];
	MADE(1) point *e = new (room) point(6);
	ALONE point *f = new point[2];
	ALONE own_new *g = new own_new(3);
	ALONE holder *h = new holder(3);
	MADE(1) box<double> i(4);
	std::vector<library *> j;
	MADE(1) j.push_back(new library("x", 3));
	MADE(2) j.push_back(::new library("y", (std::size_t)twice(2)));
	sum += a->x + b->x + c->x + d->x + e->y + f[1].x + g->k + h->k + (int)i.n + (int)j.size();
	delete a;
	delete b;
	delete c;
	ALONE e->~point();
	delete[] f;
	delete h;
	for (library *l : j)
		delete l;
}

int main()
{
	MADE(1) declarations(3);
	MADE(1) arguments(2);
	MADE(1) stay_alone(3);
	MADE(1) with_new(2);
	MADE(1) sum += in_template(1.5, 4);
	MADE(1) sum += in_template(2, 5);
	for (unsigned at = 0; at < 1000; at++)
		if (made[at])
			printf("C %u %lu\n", at, made[at]);
	printf("sum %d\n", sum);
	return 0;
}
