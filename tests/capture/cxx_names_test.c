/* Names of C++ functions: what c++filt prints of a name, by hand without return type and
 * parameters. */
#include <stdlib.h>

#include "capture/run/cxx_names.h"
#include "harness/test.h"

static void expect(const char *declaration, const char *name)
{
	OWNED_STR out = STR_INIT;

	cxx_name_of_declaration(declaration, &out);
	assert_string_equal(out.text, name);
}

TEST(test_declarations)
{
	expect("geo::area(int)", "geo::area");
	expect("main", "main");
	expect("Domain::Domain(int, double)", "Domain::Domain");
	expect("Domain::~Domain()", "Domain::~Domain");
	expect("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	expect("void apply<double>(double, int)", "apply<double>");
	expect("unsigned long geo::size<std::pair<int, long> >(int)",
	       "geo::size<std::pair<int, long> >");
	expect("std::vector<int, std::allocator<int> >::size() const",
	       "std::vector<int, std::allocator<int> >::size");
	expect("geo::area(int) [clone .part.0]", "geo::area");
	expect("geo::area(int) const & [clone .isra.0] [clone .cold]", "geo::area");
	expect("run(void (*)(int))", "run");
	expect("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()");
	expect("text[abi:cxx11](int)", "text[abi:cxx11]");
	expect("std::enable_if<((2)>(1)), int>::type pick<int>(int)", "pick<int>");
}

TEST(test_operators)
{
	expect("A::operator bool() const", "A::operator bool");
	expect("operator new(unsigned long)", "operator new");
	expect("A::operator<<(int)", "A::operator<<");
	expect("bool operator< <int>(A<int> const&, A<int> const&)", "operator< <int>");
	expect("A::operator->()", "A::operator->");
	expect("A::my_operator(int)", "A::my_operator");
}

TEST(test_odd_text_is_kept_or_cut_but_never_overrun)
{
	expect("", "");
	expect(")", ")");
	expect("()", "()");
	expect("f(", "f(");
	expect(" const", "const");
	expect("a b", "b");
}

TEST(test_linked_names)
{
	struct cxx_names *names = cxx_names_new();
	OWNED_STR out = STR_INIT;

	assert_true(cxx_name(names, "_ZN3geo4areaEi", &out));
	assert_string_equal(out.text, "geo::area");
	assert_false(cxx_name(names, "main", &out));
	assert_false(cxx_name(names, "_Z", &out));
	assert_false(cxx_name(names, "_ZN3geo4are", &out));
	assert_string_equal(out.text, "geo::area");
	cxx_names_free(names);
}
