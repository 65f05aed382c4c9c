#include "capture/run/cxx_names.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* __cxa_demangle() of the C++ ABI (Itanium). */
typedef char *demangle_fn(const char *name, char *out, size_t *size, int *status);

struct cxx_names {
	void *library; /* NULL: there is none */
	demangle_fn *demangle;
};

struct cxx_names *cxx_names_new(void)
{
	struct cxx_names *names = xcalloc(1, sizeof *names);

	names->library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (!names->library)
		names->library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (names->library)
		*(void **)&names->demangle = dlsym(names->library, "__cxa_demangle");
	return names;
}

void cxx_names_free(struct cxx_names *names)
{
	if (names && names->library)
		dlclose(names->library);
	free(names);
}

/* The length without ` [clone .cold]`, ` const`, ` &` and their like. */
static size_t without_tail(const char *text, size_t n)
{
	static const char *const tails[] = { " const", " volatile", " &", " &&", " noexcept" };
	const char *clone = strstr(text, " [clone ");
	bool cut = true;

	if (clone && clone < text + n)
		n = (size_t)(clone - text);
	while (cut) {
		cut = false;
		for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
			const size_t tail = strlen(tails[i]);
			if (n > tail && !strncmp(text + n - tail, tails[i], tail)) {
				n -= tail;
				cut = true;
			}
		}
	}
	return n;
}

/* The length without the parameters at the end. */
static size_t without_parameters(const char *text, size_t n)
{
	size_t at = n;
	int depth = 0;

	if (!n || text[n - 1] != ')')
		return n;
	while (at > 0) {
		at--;
		depth += (text[at] == ')') - (text[at] == '(');
		if (depth == 0)
			break;
	}
	return at ? at : n;
}

static bool is_operator(const char *text, size_t at)
{
	static const char word[] = "operator";
	const size_t n = sizeof word - 1;
	const bool begins =
		at == 0 || !(isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');

	return begins && !strncmp(text + at, word, n) &&
	       !(isalnum((unsigned char)text[at + n]) || text[at + n] == '_');
}

/* Where the name begins: after the last blank outside brackets, which parts it from what the
 * function returns. What follows `operator` belongs to the name; a `>` in parentheses compares. */
static size_t begin_of(const char *text, size_t n)
{
	size_t begin = 0;
	int brackets = 0, angles = 0;

	for (size_t i = 0; i < n; i++) {
		if (brackets == 0 && angles == 0 && is_operator(text, i))
			break;
		if (strchr("([{", text[i]))
			brackets++;
		else if (strchr(")]}", text[i]))
			brackets--;
		else if (brackets == 0 && strchr("<>", text[i]))
			angles += text[i] == '<' ? 1 : -1;
		else if (text[i] == ' ' && brackets == 0 && angles == 0)
			begin = i + 1;
	}
	return begin;
}

void cxx_name_of_declaration(const char *declaration, struct str *out)
{
	const size_t end =
		without_parameters(declaration, without_tail(declaration, strlen(declaration)));
	const size_t begin = begin_of(declaration, end);

	str_add_n(out, declaration + begin, end - begin);
}

bool cxx_name(const struct cxx_names *names, const char *linked, struct str *out)
{
	int status = -1;
	char *declaration;

	if (!names->demangle || strncmp(linked, "_Z", 2) != 0)
		return false;
	declaration = names->demangle(linked, NULL, NULL, &status);
	if (!declaration)
		return false;
	cxx_name_of_declaration(declaration, out);
	free(declaration);
	return true;
}
