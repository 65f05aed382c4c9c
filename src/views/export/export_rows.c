#include "views/export/export_rows.h"

#include "base/mem.h"

/* Some rows of a table: [from, end) of those here; the first is the `index`-th of all. */
struct some_rows {
	uint64_t from, end, index;
};

/* To `lines` or, if that is not NULL, to `out`; returns how many. */
static uint64_t write_some(const struct row_writer *w, struct some_rows some, struct str *lines,
			   FILE *out)
{
	struct value values[TABLE_COLUMNS];
	OWNED_STR cell = STR_INIT;
	uint64_t row = table_first(w->table), i = some.from;

	for (uint64_t k = 0; k < some.from && row != ROW_NONE; k++)
		row = table_next(w->table, row);
	for (; i < some.end && row != ROW_NONE && !(out && ferror(out)); i++) {
		table_cells(w->table, row, values);
		str_add(lines, some.index++ ? w->next : w->first);
		w->add(w, values, &cell, lines);
		if (out) {
			fwrite(lines->text, 1, lines->n, out);
			str_clear(lines);
		}
		row = table_next(w->table, row);
	}
	table_leave(w->table);
	return i - some.from;
}

/* Gives the first process what another one wrote, a piece at a time. */
static void hand_over(struct exchange *x, uint32_t process, const struct str *lines, size_t bytes,
		      FILE *out)
{
	enum { PIECE = 1 << 20 };

	for (size_t at = 0; at < bytes; at += PIECE) {
		const bool mine = process == x->process;
		const size_t n = bytes - at < PIECE ? bytes - at : PIECE;
		OWNED size_t *first = xcalloc(x->processes + 1u, sizeof *first);
		struct exchange_parts theirs;

		for (uint32_t p = 1; mine && p <= x->processes; p++)
			first[p] = n;
		exchange_swap(x, lines->text + (mine ? at : 0), 1, first, &theirs);
		fwrite(theirs.data, 1, theirs.first[x->processes], out);
		exchange_parts_fini(&theirs);
	}
}

/* What this process writes. */
static struct some_rows share_of(const struct row_writer *w)
{
	struct exchange *x = w->exchange;
	const uint64_t rows = w->table->rows, p = x->process, n = x->processes;

	if (w->table->stretch)
		return (struct some_rows){ 0, rows, exchange_before(x, rows) };
	/* The first process alone has the rows of a table that was gathered. */
	if (exchange_any(x, rows != (uint64_t)exchange_latest(x, (int64_t)rows)))
		return (struct some_rows){ 0, rows, 0 };
	return (struct some_rows){ rows * p / n, rows * (p + 1) / n, rows * p / n };
}

uint64_t export_rows(const struct row_writer *w, FILE *out)
{
	struct exchange *x = w->exchange;
	struct some_rows some = { 0, UINT64_MAX, 0 };
	uint64_t written;
	OWNED_STR lines = STR_INIT;
	OWNED int64_t *bytes = x ? xcalloc(x->processes, sizeof *bytes) : NULL;

	if (x)
		some = share_of(w);
	written = write_some(w, some, &lines, exchange_process(x) == 0 ? out : NULL);
	if (!x)
		return written;
	bytes[x->process] = (int64_t)lines.n;
	exchange_ticks(x, bytes, x->processes);
	for (uint32_t from = 1; from < x->processes; from++)
		hand_over(x, from, &lines, (size_t)bytes[from], out);
	return exchange_count(x, written);
}
