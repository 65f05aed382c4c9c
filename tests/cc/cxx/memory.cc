#include <memory>
#include <map>
#include <string>
namespace memory_ {
struct node { int v; std::unique_ptr<node> next; node(int v_, std::unique_ptr<node> n) : v(v_), next(std::move(n)) { } };
std::unique_ptr<node> cons(int v, std::unique_ptr<node> n) { return std::unique_ptr<node>(new node(v, std::move(n))); }
int len(const node *n) { int k = 0; for (; n; n = n->next.get()) k++; return k; }
std::string name(int i) { return std::string(static_cast<size_t>(i), 'x'); }
size_t size(const std::string &s) { return s.size(); }
}
static void memory()
{
	using namespace memory_;
	auto list = cons(1, cons(2, cons(3, nullptr)));
	std::map<std::string, int> m;
	for (int i = 0; i < 4; i++)
		m[name(i)] += int(size(name(i) + name(1)));
	for (const auto &kv : m)
		printf("%s=%d ", kv.first.c_str(), kv.second);
	printf("%d\n", len(list.get()));
}
