#include <stdexcept>
#include <string>
namespace exceptions_ {
static int thrower(int n)
{
	for (int i = 0;; i++) {
		int k = 0;
		while (k++ < 3)
			if (i == n && k == 2)
				throw std::runtime_error("at " + std::to_string(i));
	}
}
static int middle(int n)
{
	try {
		return thrower(n) + thrower(n);
	} catch (const std::logic_error &) {
		return -1;
	}
}
static int rethrow(int n)
{
	for (int i = 0; i < 3; i++) {
		try {
			middle(n);
		} catch (...) {
			if (i == 1)
				throw;
		}
	}
	return 0;
}
struct guarded {
	guarded() try : x(middle(2)) { } catch (...) { puts("in the head"); }
	int x;
};
}
static void exceptions()
{
	for (int n = 0; n < 4; n++) {
		try {
			exceptions_::rethrow(n);
		} catch (const std::exception &e) {
			puts(e.what());
			continue;
		}
	}
	try {
		exceptions_::guarded g;
	} catch (...) {
		puts("out of it");
	}
}
