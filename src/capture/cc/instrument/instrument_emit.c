#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/order.h"
#include "capture/cc/instrument/instrument_unit.h"
#include "capture/cc/instrument/site_table.h"

#define PROLOGUE(name, ...) static const char prologue_##name[] = #__VA_ARGS__;
#include "capture/cc/instrument/prologue.inc"
#undef PROLOGUE

/* ---- strings of the table ---- */

struct interned {
	uint32_t *table; /* offset + 1 */
	size_t slots, used;
};

static size_t slot_of(const struct instrument_unit *unit, const char *text)
{
	const struct interned *interned = unit->interned;
	size_t at = XXH3_64bits(text, strlen(text)) & (interned->slots - 1);

	while (interned->table[at] &&
	       strcmp(unit->strings.text + interned->table[at] - 1, text) != 0)
		at = (at + 1) & (interned->slots - 1);
	return at;
}

static void grow(struct instrument_unit *unit)
{
	struct interned *interned = unit->interned;
	OWNED uint32_t *old = interned->table;
	const size_t slots = interned->slots;

	interned->slots = slots ? slots * 2 : 64;
	interned->table = xcalloc(interned->slots, sizeof *interned->table);
	for (size_t i = 0; i < slots; i++)
		if (old[i])
			interned->table[slot_of(unit, unit->strings.text + old[i] - 1)] = old[i];
}

uint32_t unit_string(struct instrument_unit *unit, const char *text)
{
	if (!unit->interned)
		unit->interned = xcalloc(1, sizeof *unit->interned);
	if (unit->interned->used * 2 >= unit->interned->slots)
		grow(unit);
	const size_t at = slot_of(unit, text);
	if (!unit->interned->table[at]) {
		unit->interned->table[at] = (uint32_t)unit->strings.n + 1;
		unit->interned->used++;
		str_add_n(&unit->strings, text, strlen(text) + 1);
	}
	return unit->interned->table[at] - 1;
}

/* ---- insertions ---- */

void unit_insert(struct instrument_unit *unit, uint32_t at, bool opens, uint64_t order,
		 const char *fmt, ...)
{
	struct insertion *insertion = vec_add(&unit->insertions);
	va_list args;

	insertion->at = at;
	insertion->opens = opens;
	insertion->order = order;
	insertion->text = (uint32_t)unit->snippets.n;
	va_start(args, fmt);
	str_add_fmt_v(&unit->snippets, fmt, args);
	va_end(args);
	insertion->length = (uint32_t)unit->snippets.n - insertion->text;
}

static int compare_insertions(const void *a, const void *b)
{
	const struct insertion *x = a;
	const struct insertion *y = b;

	ORDER_BY(x->at, y->at);
	if (x->opens != y->opens)
		return x->opens ? 1 : -1;
	if (x->order != y->order)
		return (x->order < y->order) == x->opens ? -1 : 1;
	return ORDER(x->text, y->text);
}

static void write_text(struct instrument_unit *unit, struct str *out)
{
	uint32_t done = 0;

	vec_sort(&unit->insertions, compare_insertions);
	for (size_t i = 0; i < unit->insertions.n; i++) {
		const struct insertion *insertion = &unit->insertions.data[i];
		str_add_n(out, unit->text.bytes + done, insertion->at - done);
		str_add_n(out, unit->snippets.text + insertion->text, insertion->length);
		done = insertion->at;
	}
	str_add_n(out, unit->text.bytes + done, unit->text.size - done);
}

/* ---- prologue and table ---- */

#define INLINE_FLAGS "always_inline,unused,no_instrument_function"

static void write_table(struct instrument_unit *unit, struct str *out)
{
	const uint32_t source =
		unit_string(unit, unit->options->source ? unit->options->source : "");
	const uint32_t directory =
		unit_string(unit, unit->options->directory ? unit->options->directory : "");

	str_add_char(out, ' ');
	site_table_write(unit->sites.data, unit->sites.n, &unit->strings, source, directory, out);
}

/* A part of the prologue in the unit's language. */
static void write_part(const struct instrument_unit *unit, const char *part, struct str *out)
{
	/* External in C, where an inline function that others may use must not name static ones. */
	static const struct {
		const char *word, *c, *cxx;
	} placeholders[] = {
		{ "TVI_INLINE", "extern __inline__ __attribute__((gnu_inline," INLINE_FLAGS "))",
		  "static inline __attribute__((" INLINE_FLAGS "))" },
		{ "TVI_NOTHROW", "", "throw()" },
	};

	for (const char *found; (found = strstr(part, "TVI_"));) {
		size_t i = 0;
		while (strncmp(found, placeholders[i].word, strlen(placeholders[i].word)) != 0) {
			i++;
			assert(i < sizeof placeholders / sizeof *placeholders);
		}
		str_add_n(out, part, (size_t)(found - part));
		str_add(out, unit->text.cxx ? placeholders[i].cxx : placeholders[i].c);
		part = found + strlen(placeholders[i].word);
	}
	str_add(out, part);
}

static const char *frame_part(const struct instrument_unit *unit)
{
	const char *const *flags = unit->options->flags;

	for (size_t i = 0; flags && flags[i]; i++)
		if (!strcmp(flags[i], "-m32") || !strcmp(flags[i], "-mx32") ||
		    strstr(flags[i], "-target"))
			return prologue_FRAME_ANY;
#if defined(__x86_64__) && !defined(__ILP32__)
	return prologue_FRAME_X86_64;
#elif defined(__aarch64__)
	return prologue_FRAME_AARCH64;
#else
	return prologue_FRAME_ANY;
#endif
}

/* The first line marker of the text, and the one after it where it says the directory: compilers
 * take the name of the unit from the very first line. */
static uint32_t first_markers(const struct instrument_unit *unit)
{
	const struct text *text = &unit->text;
	uint32_t at = 0;

	for (int i = 0;
	     i < 2 && at + 2 < text->size && text->bytes[at] == '#' && text->bytes[at + 1] == ' ';
	     i++) {
		const char *end = memchr(text->bytes + at, '\n', text->size - at);
		if (!end || (i && (end - text->bytes < 3 || memcmp(end - 3, "//\"", 3) != 0)))
			break;
		at = (uint32_t)(end + 1 - text->bytes);
	}
	return at;
}

void unit_write(struct instrument_unit *unit, struct str *out)
{
	const uint32_t markers = first_markers(unit);

	if (!unit->sites.n) {
		str_add_n(out, unit->text.bytes, unit->text.size);
		return;
	}
	str_add_n(out, unit->text.bytes, markers);
	str_add(out, "# 1 \"<tview>\" 3\n");
	write_part(unit, prologue_TYPES, out);
	write_table(unit, out);
	write_part(unit, prologue_VARIABLES, out);
	write_part(unit, frame_part(unit), out);
	write_part(unit, prologue_FUNCTIONS, out);
	if (unit->references)
		write_part(unit, prologue_CXX, out);
	str_add_char(out, '\n');
	if (!markers) {
		str_add(out, "# 1 ");
		const char *source = unit->options->source ? unit->options->source : "<source>";
		site_table_string(out, source, strlen(source));
		str_add_char(out, '\n');
	}
	write_text(unit, out);
}
