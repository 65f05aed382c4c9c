#include "views/query/table_gather.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

/* A row travels as struct row_head, then for each column a byte of enum cell_bits and, of a value
 * that is known, its text with the NUL, or its 8 bytes. */
enum cell_bits { CELL_KNOWN = 1, CELL_APPROXIMATE = 2 };

struct row_head {
	struct row_key key;
	uint32_t bytes; /* of the row's cells */
};

/* What the first process asks another one for; of rows, at least one if there are more. */
enum wish { WISH_NOTHING, WISH_ROWS, WISH_END };

/* The fewest bytes of rows that a process is asked for. */
enum { ROWS_BYTES = 4096 };

/* Rows that a process sent, as the first one has them. */
struct sent_rows {
	char *data;
	size_t n, at;         /* bytes; the first of those that were not passed */
	struct row_head head; /* of the row there, if there is one */
	bool last;            /* no more will come */
};

struct gathered_table {
	struct table table;
	struct exchange *exchange;
	struct table *own; /* the rows of this process */
	row_key_of *key_of;
	struct row_key *keys; /* of own rows, where there is no key_of */
	uint32_t *order;      /* own rows by their keys; NULL: they are in that order */
	uint64_t nth, next;   /* the next own row to be sent: its number, and handle or ROW_NONE */
	/* The first process. */
	struct sent_rows *sent; /* [processes] */
	uint32_t *heap;         /* processes with rows, the one with the first row on top */
	uint32_t in_heap;
	bool open;    /* the others wait to be asked */
	uint64_t row; /* the current one */
};

static struct gathered_table *gathered_of(struct table *table)
{
	return (struct gathered_table *)table;
}

static bool is_first(const struct gathered_table *t)
{
	return exchange_process(t->exchange) == 0;
}

static int compare_keys(const struct row_key *a, const struct row_key *b)
{
	for (int i = 0; i < ROW_KEYS; i++)
		ORDER_BY(a->of[i], b->of[i]);
	return 0;
}

/* ---- own rows ---- */

static uint64_t nth_own(const struct gathered_table *t, uint64_t nth)
{
	if (nth >= t->own->rows)
		return ROW_NONE;
	return t->order ? t->order[nth] : nth;
}

static void own_first(struct gathered_table *t)
{
	t->nth = 0;
	t->next = t->key_of ? table_first(t->own) : nth_own(t, 0);
}

static void own_next(struct gathered_table *t)
{
	t->nth++;
	t->next = t->key_of ? table_next(t->own, t->next) : nth_own(t, t->nth);
}

static void pack_cell(const struct column *column, const struct value *value, struct str *out)
{
	str_add_char(out, (char)((value->known ? CELL_KNOWN : 0) |
				 (value->approximate ? CELL_APPROXIMATE : 0)));
	if (!value->known)
		return;
	if (column_is_text(column))
		str_add_n(out, value->text, strlen(value->text) + 1);
	else
		str_add_n(out, (const char *)&value->integer, sizeof value->integer);
}

static void pack_row(struct gathered_table *t, struct str *out)
{
	struct value values[TABLE_COLUMNS] = { { 0 } }; /* views leave out what is not shown */
	struct row_head head;
	const size_t at = out->n;

	table_cells(t->own, t->next, values);
	head.key = t->key_of ? t->key_of(t->own, t->next) : t->keys[t->next];
	str_add_n(out, (const char *)&head, sizeof head);
	for (unsigned c = 0; c < t->own->n_columns; c++)
		pack_cell(&t->own->columns[c], &values[c], out);
	head.bytes = (uint32_t)(out->n - at - sizeof head);
	memcpy(out->text + at, &head, sizeof head);
}

/* Rows for the first process; before them a byte: whether they are the last ones. */
static void pack_rows(struct gathered_table *t, struct str *out)
{
	const size_t fair = GATHER_BYTES / exchange_processes(t->exchange);
	const size_t wanted = fair > ROWS_BYTES ? fair : ROWS_BYTES;

	str_add_char(out, 0);
	for (; t->next != ROW_NONE && out->n < wanted; own_next(t))
		pack_row(t, out);
	out->text[0] = t->next == ROW_NONE;
}

/* ---- rounds: all processes at once ---- */

/* Sends this process' wishes to all, if it is the first; returns what it wishes of this one. */
static enum wish tell_wishes(struct exchange *x, const char *wishes)
{
	OWNED size_t *first = xcalloc(x->processes + 1u, sizeof *first);
	struct exchange_parts told;
	enum wish wish;

	for (uint32_t p = 0; wishes && p <= x->processes; p++)
		first[p] = p;
	exchange_swap(x, wishes ? wishes : "", 1, first, &told);
	wish = (enum wish)told.data[0];
	exchange_parts_fini(&told);
	return wish;
}

/* All to the first process. */
static struct exchange_parts send(struct exchange *x, const struct str *rows)
{
	OWNED size_t *first = xcalloc(x->processes + 1u, sizeof *first);
	struct exchange_parts sent;

	for (uint32_t p = 0; p < x->processes; p++)
		first[p + 1] = rows->n;
	exchange_swap(x, rows->text, 1, first, &sent);
	return sent;
}

/* What a process does in a round; false: no more are asked for. */
static bool answer(struct gathered_table *t, const char *wishes, struct exchange_parts *sent)
{
	const enum wish wish = tell_wishes(t->exchange, wishes);
	OWNED_STR rows = STR_INIT;

	if (wish == WISH_END)
		return false;
	if (wish == WISH_ROWS)
		pack_rows(t, &rows);
	*sent = send(t->exchange, &rows);
	return true;
}

/* In the others, until the first one needs no more. */
static void serve(struct gathered_table *t)
{
	struct exchange_parts nothing;

	own_first(t);
	while (answer(t, NULL, &nothing))
		exchange_parts_fini(&nothing);
}

/* ---- the first process ---- */

static void read_head(struct sent_rows *s)
{
	if (s->at < s->n)
		memcpy(&s->head, s->data + s->at, sizeof s->head);
}

/* Puts rows after those that are left. */
static void take(struct sent_rows *s, const char *rows, size_t bytes)
{
	const size_t left = s->n - s->at;

	if (left)
		memmove(s->data, s->data + s->at, left);
	s->data = xrealloc(s->data, left + bytes);
	s->last = rows[0];
	memcpy(s->data + left, rows + 1, bytes - 1);
	s->n = left + bytes - 1;
	s->at = 0;
	read_head(s);
}

/* Asks all that may soon be without rows. */
static void ask_for_rows(struct gathered_table *t)
{
	const uint32_t n = t->exchange->processes;
	OWNED char *wishes = xcalloc(n, 1);
	struct exchange_parts sent;

	for (uint32_t p = 0; p < n; p++) {
		const struct sent_rows *s = &t->sent[p];
		wishes[p] = !s->last && s->n - s->at <= s->n / 2 ? WISH_ROWS : WISH_NOTHING;
	}
	answer(t, wishes, &sent);
	for (uint32_t p = 0; p < n; p++)
		if (wishes[p] == WISH_ROWS)
			take(&t->sent[p], sent.data + sent.first[p],
			     sent.first[p + 1] - sent.first[p]);
	exchange_parts_fini(&sent);
}

static void end_pass(struct gathered_table *t)
{
	OWNED char *wishes = xmalloc(t->exchange->processes);
	struct exchange_parts nothing;

	if (!t->open)
		return;
	memset(wishes, WISH_END, t->exchange->processes);
	answer(t, wishes, &nothing);
	t->open = false;
}

static bool comes_before(const struct gathered_table *t, uint32_t a, uint32_t b)
{
	const int order = compare_keys(&t->sent[a].head.key, &t->sent[b].head.key);

	return order ? order < 0 : a < b;
}

/* Moves a process down to its place in the heap. */
static void sink(struct gathered_table *t, uint32_t at)
{
	const uint32_t process = t->heap[at];
	uint32_t child;

	while ((child = 2 * at + 1) < t->in_heap) {
		if (child + 1 < t->in_heap && comes_before(t, t->heap[child + 1], t->heap[child]))
			child++;
		if (!comes_before(t, t->heap[child], process))
			break;
		t->heap[at] = t->heap[child];
		at = child;
	}
	t->heap[at] = process;
}

static void begin_pass(struct gathered_table *t)
{
	t->open = true;
	t->row = 0;
	own_first(t);
	for (uint32_t p = 0; p < t->exchange->processes; p++) {
		free(t->sent[p].data);
		t->sent[p] = (struct sent_rows){ .n = 0 };
	}
	ask_for_rows(t);
	t->in_heap = 0;
	for (uint32_t p = 0; p < t->exchange->processes; p++)
		if (t->sent[p].n)
			t->heap[t->in_heap++] = p;
	for (uint32_t i = t->in_heap / 2; i-- > 0;)
		sink(t, i);
}

/* The current row, if there is one. */
static uint64_t row_here(struct gathered_table *t)
{
	if (t->in_heap)
		return t->row;
	end_pass(t);
	return ROW_NONE;
}

static uint64_t gathered_first(struct table *table)
{
	struct gathered_table *t = gathered_of(table);

	if (!is_first(t)) {
		serve(t);
		return ROW_NONE;
	}
	end_pass(t);
	begin_pass(t);
	return row_here(t);
}

static uint64_t gathered_next(struct table *table, uint64_t row)
{
	struct gathered_table *t = gathered_of(table);
	struct sent_rows *s = &t->sent[t->heap[0]];

	assert(row == t->row && t->in_heap);
	s->at += sizeof s->head + s->head.bytes;
	if (s->at == s->n && !s->last)
		ask_for_rows(t);
	read_head(s);
	if (s->at == s->n)
		t->heap[0] = t->heap[--t->in_heap];
	if (t->in_heap)
		sink(t, 0);
	t->row++;
	return row_here(t);
}

/* The cell at *at, of which it becomes the end. */
static struct value unpack_cell(const struct column *column, const char **at)
{
	const unsigned bits = (unsigned char)*(*at)++;
	struct value value = { .known = (bits & CELL_KNOWN) != 0,
			       .approximate = (bits & CELL_APPROXIMATE) != 0 };

	if (value.known && column_is_text(column)) {
		value.text = *at;
		*at += strlen(value.text) + 1;
	} else if (value.known) {
		memcpy(&value.integer, *at, sizeof value.integer);
		*at += sizeof value.integer;
	}
	return value;
}

static void gathered_cells(struct table *table, uint64_t row, struct value *values)
{
	const struct gathered_table *t = gathered_of(table);
	const struct sent_rows *s = &t->sent[t->heap[0]];
	const char *at = s->data + s->at + sizeof s->head;

	assert(row == t->row && t->in_heap);
	for (unsigned c = 0; c < table->n_columns; c++)
		values[c] = unpack_cell(&table->columns[c], &at);
}

/* ---- making ---- */

static void gathered_leave(struct table *table)
{
	end_pass(gathered_of(table));
}

static void gathered_free(struct table *table)
{
	struct gathered_table *t = gathered_of(table);

	end_pass(t);
	for (uint32_t p = 0; t->sent && p < t->exchange->processes; p++)
		free(t->sent[p].data);
	table_free(t->own);
	free_all(t->sent, t->heap, t->keys, t->order, t);
}

static const struct table_ops gathered_ops = {
	.free = gathered_free,
	.leave = gathered_leave,
	.first = gathered_first,
	.next = gathered_next,
	.cells = gathered_cells,
};

static struct gathered_table *gathered_new(struct table *own, struct exchange *x)
{
	struct gathered_table *t = xcalloc(1, sizeof *t);
	const uint64_t rows = exchange_count(x, own->rows);

	t->table = *own;
	t->table.ops = &gathered_ops;
	t->table.rows = exchange_process(x) == 0 ? rows : 0;
	t->exchange = x;
	t->own = own;
	if (is_first(t)) {
		t->sent = xcalloc(x->processes, sizeof *t->sent);
		t->heap = xcalloc(x->processes, sizeof *t->heap);
	}
	return t;
}

struct keyed_row {
	struct row_key key;
	uint32_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;

	ORDER_BY(compare_keys(&x->key, &y->key), 0);
	return ORDER(x->row, y->row);
}

/* [n] the rows by their keys; NULL: they are in that order. */
static uint32_t *order_of(const struct row_key *keys, size_t n)
{
	OWNED struct keyed_row *rows = NULL;
	uint32_t *order;
	size_t i = 1;

	while (i < n && compare_keys(&keys[i - 1], &keys[i]) <= 0)
		i++;
	if (i >= n)
		return NULL;
	rows = xmalloc(n * sizeof *rows);
	order = xmalloc(n * sizeof *order);
	for (i = 0; i < n; i++)
		rows[i] = (struct keyed_row){ keys[i], (uint32_t)i };
	SORT(rows, n, by_key);
	for (i = 0; i < n; i++)
		order[i] = rows[i].row;
	return order;
}

struct table *table_gather(struct table *table, struct exchange *x, const struct row_key *keys)
{
	struct gathered_table *t;

	if (!x || !table)
		return table;
	t = gathered_new(table, x);
	t->keys = xmalloc((table->rows + 1) * sizeof *keys);
	if (table->rows)
		memcpy(t->keys, keys, table->rows * sizeof *keys);
	t->order = order_of(t->keys, table->rows);
	return &t->table;
}

struct table *table_gather_walked(struct table *table, struct exchange *x, row_key_of *key_of)
{
	struct gathered_table *t;

	if (!x || !table)
		return table;
	t = gathered_new(table, x);
	t->key_of = key_of;
	return &t->table;
}
