#include <string.h>

#include "base/order.h"
#include "capture/cc/instrument/instrument_unit.h"

/* Words whose parenthesis after them holds nothing that may get a probe: what is not evaluated,
 * what has to be constant, and what the compiler looks at. Of the last three it is the first
 * argument alone. */
static const char *const freezing[] = {
	"decltype",
	"noexcept",
	"typeid",
	"requires",
	"explicit",
	"alignas",
	"alignof", /* C++ */
	"sizeof",
	"typeof",
	"__typeof__",
	"__typeof",
	"_Alignof",
	"__alignof__",
	"__alignof",
	"_Alignas",
	"static_assert",
	"_Static_assert",
	"__attribute__",
	"__attribute",
	"__declspec",
	"asm",
	"__asm__",
	"__asm",
	"__builtin_constant_p",
	"__builtin_object_size",
	"__builtin_dynamic_object_size",
	"__builtin_types_compatible_p",
	"__builtin_offsetof",
	"__builtin_classify_type",
	"__builtin_has_attribute",
	"__builtin_choose_expr",
	"_Generic",
	"_Atomic",
};
enum {
	FREEZING_CXX = 7,
	FREEZING_ALL = sizeof freezing / sizeof *freezing,
	FREEZING_FIRST = FREEZING_ALL - 3,
};

static const char *const coming_twice[] = {
	"setjmp",           "_setjmp", "__setjmp",   "sigsetjmp", "__sigsetjmp",
	"__builtin_setjmp", "vfork",   "getcontext", "savectx",   NULL,
};
static const char *const coroutine[] = { "co_await", "co_yield", "co_return", NULL };
static const char *const tail[] = { "musttail", "__musttail__", NULL };

static bool is_among(const struct text *text, struct token token, const char *const *words)
{
	for (; *words; words++)
		if (token_is(text, token, *words))
			return true;
	return false;
}

static void freeze(struct scan *scan, uint32_t start, uint32_t end)
{
	if (scan->frozen.n && vec_last(&scan->frozen)->end >= start) {
		if (vec_last(&scan->frozen)->end < end)
			vec_last(&scan->frozen)->end = end;
		return;
	}
	vec_push(&scan->frozen, ((struct range){ start, end }));
}

/* End of the first argument in the parentheses that open at `at`. */
static uint32_t first_argument(const struct text *text, uint32_t at, uint32_t end)
{
	struct token token = token_next_code(text, at + 1, end);

	while (token.kind != TOKEN_END && !token_is(text, token, ",") &&
	       !token_is(text, token, ")")) {
		const char c = text->bytes[token.start];
		const bool opens = token.kind == TOKEN_MARK && (c == '(' || c == '[' || c == '{');
		token = token_next_code(text,
					opens ? text_close(text, token.start, end) : token.end,
					end);
	}
	return token.start;
}

/* A word that freezes what is after it: returns where to go on. */
static uint32_t scan_frozen(const struct text *text, struct token word, size_t which, uint32_t end,
			    struct scan *scan)
{
	struct token token = token_next_code(text, word.end, end);

	while (token.kind == TOKEN_NAME) { /* asm volatile goto (...) */
		scan->indirect |= token_is(text, token, "goto");
		if (!token_is(text, token, "goto") && !token_is(text, token, "volatile") &&
		    !token_is(text, token, "__volatile__") && !token_is(text, token, "inline") &&
		    !token_is(text, token, "__volatile"))
			return word.end;
		token = token_next_code(text, token.end, end);
	}
	if (!token_is(text, token, "("))
		return word.end;
	const uint32_t close = which >= FREEZING_FIRST ? first_argument(text, token.start, end)
						       : text_close(text, token.start, end);
	freeze(scan, word.start, close);
	return close;
}

void scan_text(const struct text *text, uint32_t start, uint32_t end, struct scan *scan)
{
	struct token before = { TOKEN_END, start, start };
	struct token token = token_next(text, start, end);
	uint32_t code = start;
	struct pragma pragma;

	scan->frozen.n = scan->pragmas.n = 0;
	scan->indirect = scan->twice = false;
	scan->excluded = NULL;
	while (token.kind != TOKEN_END) {
		uint32_t next = token.end;
		if (token.kind == TOKEN_DIRECTIVE) {
			if (pragma_read(text, token, code, end, &pragma))
				vec_push(&scan->pragmas, pragma);
		} else if (token.kind == TOKEN_NAME) {
			size_t i = text->cxx ? 0 : FREEZING_CXX;
			while (i < FREEZING_ALL && !token_is(text, token, freezing[i]))
				i++;
			if (i < FREEZING_ALL)
				next = scan_frozen(text, token, i, end, scan);
			else if (is_among(text, token, coming_twice))
				scan->twice = true;
			else if (text->cxx && is_among(text, token, coroutine))
				scan->excluded = "it is a coroutine";
			if (text_has_word(text, token.start, next, tail))
				scan->excluded = "it has a call that must remain its last action";
		} else if (token_is(text, token, "*") && token_is(text, before, "goto")) {
			scan->indirect = true;
		}
		code = token.kind == TOKEN_DIRECTIVE ? code : next;
		before = token;
		token = token_next(text, next, end);
	}
}

bool scan_is_frozen(const struct scan *scan, uint32_t at)
{
	size_t low = 0;
	size_t high = scan->frozen.n;

	BISECT(low, high, middle, scan->frozen.data[middle].start <= at);
	return low > 0 && at < scan->frozen.data[low - 1].end;
}

void scan_fini(struct scan *scan)
{
	vec_fini(&scan->frozen);
	vec_fini(&scan->pragmas);
}
