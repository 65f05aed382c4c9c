#!/bin/sh
# Calls in templates of which all that they may call is a library's: they are no statements of the program, as calls of
# libraries outside of templates are none. `own` is the program's, and small.
. tests/cli/tap.sh
export TVIEW_CXX=g++

cat >"$tmp/calls.cpp" <<'C'
#include <algorithm>
#include <cmath>
#include <vector>
namespace app {
struct thing { int v; };
inline int own(const thing &t) { return t.v / 2; }
}
template <class T> T unused(std::vector<T> &v)
{
	using std::max;
	using std::swap;
	T a = v[0], b = v[1];
	swap(a, b);
	std::sort(v.begin(), v.end());
	return max(a, b) + std::sqrt(a);
}
template <class T> int used(std::vector<T> &v)
{
	using std::swap;
	int sum = 0;
	swap(v[0], v[1]);
	for (int i = 0; i < 2; i++)
		sum += own(v[i]);
	return sum;
}
int main()
{
	std::vector<app::thing> v(2);
	return used(v);
}
C
# calls OPTION...: call statements of both templates
calls() {
	"$out/tvcxx" "$@" -c -o "$tmp/calls.o" "$tmp/calls.cpp" && "$tview" graph "$tmp/calls.o" -f csv >"$tmp/graph.csv" &&
		/usr/bin/python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
	if r["kind"] == "call" and r["within"] != "main":
		print(r["within"], r["name"], r["reason"], end=";")' "$tmp/graph.csv"
}

if ! command -v g++ >/dev/null; then
	skip "calls of libraries" "g++ is not installed"
	done_testing
fi
# begin() and end() are members of what nobody knows here: they may be the program's.
check "what is small is the program's" is "$(calls)" \
	"unused begin ;unused end ;for app::own what it calls is small;"
check "with all probes, too" is "$(calls --all)" "unused begin ;unused end ;for app::own ;"
done_testing
