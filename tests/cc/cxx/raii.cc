namespace raii_ {
struct noisy {
	int v;
	noisy(int v_) : v(v_) { printf("+%d ", v); }
	noisy(const noisy &o) : v(o.v) { printf("copy%d ", v); }
	noisy(noisy &&o) : v(o.v) { o.v = -1; printf("move%d ", v); }
	~noisy() { printf("-%d ", v); }
	noisy &add(int d) { v += d; return *this; }
	int get() const { return v; }
	operator int() const { return v; }
};
noisy make(int v) { return noisy(v); }
noisy pass(noisy n) { return n; }
noisy operator+(const noisy &a, const noisy &b) { return noisy(a.v + b.v); }
int use(const noisy &a, noisy b) { return a.get() + b.get(); }
int plain(int x) { return x + 1; }
int early(int n)
{
	noisy a(n);
	for (int i = 0; i < n; i++) {
		noisy b(10 + i);
		if (i == 2)
			return use(a, b);
		if (i == 1)
			continue;
		do {
			noisy c(20);
			if (n == 1)
				goto out;
		} while (plain(-1));
	}
out:
	return a.get();
}
}
static void raii()
{
	using namespace raii_;
	noisy a = make(plain(plain(1)));
	noisy b = make(4) + a, c = pass(make(5)), d(pass(pass(b)));
	printf("%d %d\n", a.get(), b.add(2).add(plain(3)).get());
	printf("%d %d\n", use(make(1), make(plain(2))), pass(a).add(plain(5)).get());
	printf("%d %d %d\n", early(0), early(1), early(5));
	const noisy &kept = make(77);
	noisy *heap = new noisy(plain(kept.get()));
	heap->add(heap->get()).add(plain(1));
	printf("%d\n", (int)*heap);
	delete heap;
	puts("");
}
