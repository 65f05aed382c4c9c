/* library_columns: the rows of a table as whole columns: numbers side by side, texts as codes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/keymap.h"
#include "base/vec.h"
#include "library/library_table.h"

struct library_values {
	enum tview_type type;
	VEC(int64_t) integers;
	VEC(double) reals;
	VEC(int32_t) codes;
	VEC(uint8_t) known;
	bool lacks; /* a value is not known */
	/* Texts that differ, by their first rows: the i-th begins at starts.data[i]. */
	struct str texts;
	VEC(size_t) starts;
	struct keymap code_of;
};

void library_columns_fini(tview_table *t)
{
	for (unsigned c = 0; t->whole && c < t->columns.n; c++) {
		struct library_values *v = &t->whole[c];
		vec_fini(&v->integers);
		vec_fini(&v->reals);
		vec_fini(&v->codes);
		vec_fini(&v->known);
		str_fini(&v->texts);
		vec_fini(&v->starts);
		keymap_fini(&v->code_of);
	}
	free(t->whole);
}

static const char *text_of(const struct library_values *v, int64_t code)
{
	return v->texts.text + v->starts.data[code];
}

/* Texts are found by a hash of 128 bits, and by the next one where another text has that. */
static int32_t code_of(struct library_values *v, const char *text)
{
	const size_t n = strlen(text);
	struct key key;
	uint32_t code;

	for (uint64_t seed = 0;; seed++) {
		const XXH128_hash_t hash = XXH3_128bits_withSeed(text, n, seed);
		memcpy(key.part, &hash, sizeof key.part);
		if (keymap_new(&v->code_of, key, v->starts.n, &code)) {
			vec_push(&v->starts, v->texts.n);
			str_add_n(&v->texts, text, n + 1);
			return (int32_t)code;
		}
		if (strcmp(text_of(v, code), text) == 0)
			return (int32_t)code;
	}
}

static void take_cell(tview_table *t, unsigned c)
{
	struct library_values *v = &t->whole[c];
	const bool known = tview_known(t, (int)c);

	v->lacks = v->lacks || !known;
	switch (v->type) {
	case TVIEW_TEXT: vec_push(&v->codes, known ? code_of(v, tview_text(t, (int)c)) : -1); break;
	case TVIEW_REAL: vec_push(&v->reals, known ? tview_real(t, (int)c) : NAN); break;
	case TVIEW_INTEGER:
		vec_push(&v->integers, tview_integer(t, (int)c));
		vec_push(&v->known, known);
		break;
	}
}

int64_t tview_read(tview_table *t)
{
	if (t->whole)
		return t->read;
	t->whole = xcalloc(t->columns.n + 1, sizeof *t->whole);
	for (unsigned c = 0; c < t->columns.n; c++) {
		t->whole[c].type = tview_column_type(t, c);
		str_init(&t->whole[c].texts);
	}
	for (; tview_next(t); t->read++)
		for (unsigned c = 0; c < t->columns.n; c++)
			take_cell(t, c);
	return t->read;
}

static const struct library_values *values_of(const tview_table *t, int column)
{
	if (!t->whole || column < 0 || (unsigned)column >= t->columns.n)
		return NULL;
	return &t->whole[column];
}

static struct tview_array array_of(const void *data, int64_t n, char format, size_t size)
{
	return (struct tview_array){ .data = data,
				     .shape = { n, 1 },
				     .stride = { (int64_t)size, (int64_t)size },
				     .dims = 1,
				     .format = format };
}

bool tview_values(const tview_table *t, int column, struct tview_array *array)
{
	const struct library_values *v = values_of(t, column);

	if (!v)
		return false;
	if (v->type == TVIEW_TEXT)
		*array = array_of(v->codes.data, t->read, 'i', sizeof(int32_t));
	else if (v->type == TVIEW_REAL)
		*array = array_of(v->reals.data, t->read, 'd', sizeof(double));
	else
		*array = array_of(v->integers.data, t->read, 'q', sizeof(int64_t));
	return true;
}

bool tview_known_values(const tview_table *t, int column, struct tview_array *array)
{
	const struct library_values *v = values_of(t, column);

	if (!v || v->type != TVIEW_INTEGER || !v->lacks)
		return false;
	*array = array_of(v->known.data, t->read, '?', sizeof(uint8_t));
	return true;
}

const char *tview_category(const tview_table *t, int column, int64_t code)
{
	const struct library_values *v = values_of(t, column);

	return v && code >= 0 && (uint64_t)code < v->starts.n ? text_of(v, code) : NULL;
}
