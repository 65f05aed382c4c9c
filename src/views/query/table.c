#include "views/query/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/trace/gap.h"

/* Shares and reals in exports: nine digits are more than any trace's values have; enough to read
 * the same number back would be noise. */
static void add_real(struct str *out, double real)
{
	if (isfinite(real))
		str_add_fmt(out, "%.9g", real);
}

/* Whole numbers, and those with nine decimals as times in nanoseconds have them, of at most 15
 * digits: where these read as the number, they are the shortest text. False: it is another
 * number. */
static bool add_short(struct str *out, double real)
{
	enum { DECIMALS = 9, UNIT = 1000000000 };
	const double most = 1e15, scaled = real * UNIT;
	int64_t n;
	int decimals = DECIMALS;

	if (real >= 1 && real < most && real == trunc(real)) {
		str_add_int(out, (int64_t)real);
		return true;
	}
	if (!(real >= 1e-4 && scaled < most)) /* less is written with an exponent */
		return false;
	n = (int64_t)(scaled + 0.5);
	if ((double)n / UNIT != real)
		return false;
	str_add_int(out, n / UNIT);
	for (n %= UNIT; n % 10 == 0; n /= 10)
		decimals--;
	str_add_fmt(out, ".%0*" PRId64, decimals, n);
	return true;
}

/* The shortest text that reads as the same number. */
static void add_exact(struct str *out, double real)
{
	char text[32];

	if (!isfinite(real) || add_short(out, real))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	str_add(out, text);
}

static void add_rank(struct str *out, int64_t rank)
{
	if (rank == RANK_HOST)
		str_add(out, "host");
	else
		str_add_int(out, rank);
}

void table_show(const struct table *table, unsigned column, const struct value *value,
		struct str *out)
{
	if (!value->known) {
		str_add_char(out, '-');
		return;
	}
	if (value->approximate)
		str_add(out, GAP_MARK);
	switch (table->columns[column].type) {
	case COLUMN_TEXT:
	case COLUMN_NAME: str_add_clean(out, value->text, strlen(value->text)); break;
	case COLUMN_INT: str_add_int(out, value->integer); break;
	case COLUMN_TIME:
		units_seconds(out, value->integer, table->scale, table->scale->digits);
		break;
	case COLUMN_BYTES: units_bytes(out, (uint64_t)value->integer); break;
	case COLUMN_SHARE: units_share(out, value->real); break;
	case COLUMN_REAL: str_add_fmt(out, "%.4g", value->real); break;
	case COLUMN_MEAN: units_mean(out, value->real); break;
	case COLUMN_EXACT: str_add_fmt(out, "%.7g", value->real); break;
	case COLUMN_DURATION: units_human_time(out, value->integer, table->scale, 4); break;
	case COLUMN_PART: units_human_part(out, value->real, table->scale, 4); break;
	case COLUMN_MOVE:
		if (value->integer > 0)
			str_add_char(out, '+');
		units_human_time(out, value->integer, table->scale, 4);
		break;
	case COLUMN_COUNT: units_count(out, (uint64_t)value->integer); break;
	case COLUMN_RANK: add_rank(out, value->integer); break;
	}
}

void table_write(const struct table *table, unsigned column, const struct value *value,
		 struct str *out)
{
	if (!value->known)
		return;
	switch (table->columns[column].type) {
	case COLUMN_TEXT:
	case COLUMN_NAME: str_add_clean(out, value->text, strlen(value->text)); break;
	case COLUMN_INT:
	case COLUMN_BYTES:
	case COLUMN_COUNT: str_add_int(out, value->integer); break;
	case COLUMN_TIME:
	case COLUMN_DURATION:
	case COLUMN_MOVE:
		units_seconds(out, value->integer, table->scale, units_export_digits(table->scale));
		break;
	case COLUMN_SHARE:
	case COLUMN_REAL:
	case COLUMN_MEAN: add_real(out, value->real); break;
	case COLUMN_EXACT: add_exact(out, value->real); break;
	case COLUMN_PART: add_real(out, units_part_seconds(value->real, table->scale)); break;
	case COLUMN_RANK: add_rank(out, value->integer); break;
	}
}

enum cell_kind column_kind(const struct column *column)
{
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_NAME: return CELL_TEXT;
	case COLUMN_INT:
	case COLUMN_BYTES:
	case COLUMN_COUNT:
	case COLUMN_RANK: return CELL_INTEGER;
	case COLUMN_TIME:
	case COLUMN_SHARE:
	case COLUMN_REAL:
	case COLUMN_MEAN:
	case COLUMN_EXACT:
	case COLUMN_DURATION:
	case COLUMN_MOVE:
	case COLUMN_PART: break;
	}
	return CELL_REAL;
}

double table_real(const struct table *table, unsigned column, const struct value *value)
{
	switch (table->columns[column].type) {
	case COLUMN_TIME:
	case COLUMN_DURATION:
	case COLUMN_MOVE: return units_part_seconds((double)value->integer, table->scale);
	case COLUMN_PART: return units_part_seconds(value->real, table->scale);
	case COLUMN_SHARE:
	case COLUMN_REAL:
	case COLUMN_MEAN:
	case COLUMN_EXACT: return value->real;
	default: return (double)value->integer;
	}
}

static int known_order(enum column_type type, const struct value *a, const struct value *b)
{
	switch (type) {
	case COLUMN_TEXT:
	case COLUMN_NAME: return strcmp(a->text, b->text);
	case COLUMN_SHARE:
	case COLUMN_REAL:
	case COLUMN_MEAN:
	case COLUMN_EXACT:
	case COLUMN_PART: return ORDER(a->real, b->real);
	default: return ORDER(a->integer, b->integer);
	}
}

int value_order(enum column_type type, bool descending, const struct value *a,
		const struct value *b)
{
	int order;

	if (a->known != b->known)
		return a->known ? -1 : 1;
	order = a->known ? known_order(type, a, b) : 0;
	return descending ? -order : order;
}

void table_columns_of(const struct column_of *all, unsigned n, unsigned kind,
		      struct column *columns)
{
	for (unsigned c = 0; c < n; c++) {
		columns[c] = all[c].column;
		columns[c].exported &= (all[c].of & kind) != 0;
		columns[c].on_screen &= (all[c].of & kind) != 0;
	}
}

unsigned table_shown(const struct table *table, unsigned shown[TABLE_COLUMNS])
{
	unsigned n = 0;

	for (unsigned c = 0; c < table->n_columns && n + 1 < TABLE_COLUMNS; c++) {
		if (!table->columns[c].on_screen || (c > 0 && c == table->second))
			continue;
		shown[n++] = c;
		if (n == 1 && table->second && table->columns[table->second].on_screen)
			shown[n++] = table->second;
	}
	return n;
}

int table_column(const struct table *table, const char *name)
{
	for (unsigned c = 0; c < table->n_columns; c++)
		if (strcmp(table->columns[c].name, name) == 0)
			return (int)c;
	return -1;
}
