#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "capture/cc/instrument/instrument_unit.h"

/* Pragmas outside of procedures that make the compiler generate a procedure again: for vectors (omp
 * declare simd), for a device (omp declare target, acc routine). There the functions that probes
 * call do not exist, or each lane would call them. */

/* ---- names ---- */

static int compare_names(const void *a, const void *b)
{
	const struct word *x = a;
	const struct word *y = b;
	const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);

	return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void add_name(struct instrument_unit *unit, struct token name)
{
	vec_push(&unit->again.names,
		 ((struct word){ unit->text.bytes + name.start, name.end - name.start }));
}

/* The names in the parentheses from `at` on a pragma's line. */
static void add_list(struct instrument_unit *unit, uint32_t at, uint32_t end)
{
	for (struct token token = token_next(&unit->text, at, end); token.kind != TOKEN_END;
	     token = token_next(&unit->text, token.end, end))
		if (token.kind == TOKEN_NAME)
			add_name(unit, token);
}

/* The procedure that is declared from `at` on: the name in front of its parameters. Attributes are
 * skipped. */
static void add_declared(struct instrument_unit *unit, uint32_t at)
{
	static const char *const passed[] = { "__attribute__", "__attribute", "__declspec",
					      "alignas",       "_Alignas",    NULL };
	const uint32_t end = unit->text.size;
	struct token name = { TOKEN_END, at, at };
	struct token token = token_next_code(&unit->text, at, end);

	for (; token.kind != TOKEN_END && !token_is(&unit->text, token, ";") &&
	       !token_is(&unit->text, token, "{");
	     token = token_next_code(&unit->text, token.end, end)) {
		if (token_is(&unit->text, token, "(")) {
			if (name.kind == TOKEN_NAME &&
			    !text_has_word(&unit->text, name.start, name.end, passed)) {
				add_name(unit, name);
				return;
			}
			token.end = text_close(&unit->text, token.start, end);
		}
		name = token;
	}
}

/* ---- pragmas ---- */

static void read_declare(struct instrument_unit *unit, struct token line, struct token what)
{
	const struct token behind = token_next(&unit->text, what.end, line.end);

	if (token_is(&unit->text, what, "simd")) {
		add_declared(unit, line.end);
	} else if (token_is(&unit->text, what, "target")) {
		if (behind.kind == TOKEN_END || token_is(&unit->text, behind, "device_type"))
			vec_push(&unit->again.ranges,
				 ((struct range){ line.end, unit->text.size }));
		else
			add_list(unit, behind.start, line.end);
	}
}

static void read_pragma(struct instrument_unit *unit, struct token line)
{
	const struct text *text = &unit->text;
	struct token word[5];
	uint32_t at = line.start + 1;

	for (size_t i = 0; i < 5; i++, at = word[i - 1].end)
		word[i] = token_next(text, at, line.end);
	if (token_is(text, word[1], "acc") && token_is(text, word[2], "routine")) {
		if (token_is(text, word[3], "("))
			add_list(unit, word[3].start, text_close(text, word[3].start, line.end));
		else
			add_declared(unit, line.end);
	}
	if (!token_is(text, word[1], "omp"))
		return;
	if (token_is(text, word[2], "declare"))
		read_declare(unit, line, word[3]);
	else if (token_is(text, word[2], "begin") && token_is(text, word[3], "declare") &&
		 token_is(text, word[4], "target"))
		vec_push(&unit->again.ranges, ((struct range){ line.end, text->size }));
	else if (token_is(text, word[2], "end") && token_is(text, word[3], "declare") &&
		 token_is(text, word[4], "target") && unit->again.ranges.n)
		vec_last(&unit->again.ranges)->end = line.start;
}

void pragmas_find(struct instrument_unit *unit)
{
	static const char word[] = "pragma";
	const char *bytes = unit->text.bytes;
	const char *end = bytes + unit->text.size;

	for (const char *p = bytes; (p = memmem(p, (size_t)(end - p), word, sizeof word - 1));) {
		const char *start = p;
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		while (start > bytes && (start[-1] == ' ' || start[-1] == '\t'))
			start--;
		p += sizeof word - 1;
		if (start == bytes || start[-1] != '#')
			continue;
		read_pragma(unit, (struct token){ TOKEN_DIRECTIVE, (uint32_t)(start - 1 - bytes),
						  (uint32_t)((stop ? stop : end) - bytes) });
	}
	vec_sort(&unit->again.names, compare_names);
}

bool pragmas_make_again(const struct instrument_unit *unit, uint32_t at, const char *name)
{
	const struct word word = { name, (uint32_t)strlen(name) };
	size_t low = 0;
	size_t high = unit->again.ranges.n;

	BISECT(low, high, middle, unit->again.ranges.data[middle].start <= at);
	if (low > 0 && at < unit->again.ranges.data[low - 1].end)
		return true;
	return unit->again.names.n && bsearch(&word, unit->again.names.data, unit->again.names.n,
					      sizeof *unit->again.names.data, compare_names);
}
