/* Rows of several processes become one table, in the order of their keys, however many there are
 * and whoever has them; only a few are on their way at a time. */
#include "views/query/table_gather.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "harness/processes.h"
#include "harness/test.h"
#include "views/query/view_common.h"

enum { MOST = 7, KEYS = 1000, TEXT = 100 };

static const struct column columns[] = {
	{ "key", "key", COLUMN_INT, 4, true, true },
	{ "maker", "maker", COLUMN_INT, 4, true, true },
	{ "nth", "nth", COLUMN_INT, 4, true, true },
	{ "text", "text", COLUMN_TEXT, 4, true, true },
};

struct made_row {
	int64_t key, maker, nth;
};

struct job {
	size_t rows[MOST]; /* of each process */
	bool sorted;       /* by their keys, before they are gathered */
	size_t seen;
	int passes; /* that the first process ends early, before one that it does not */
	char wrong[200];
};

/* Long, so that the rows of a process do not go at once. */
static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct made_row *row = list_table_row(list, item);
	struct str *text = list_table_text(list);

	str_add_fmt(text, "%0*d", TEXT, (int)(row->key * MOST + row->maker));
	v[0] = value_integer(true, row->key);
	v[1] = value_integer(true, row->maker);
	v[2] = value_integer(row->nth % 2 == 0, row->nth);
	v[2].approximate = row->nth % 4 == 0;
	v[3] = value_text(text->text);
}

static struct table *make(struct exchange *x, const struct job *job)
{
	static const struct list_ops ops = { .cells = cells, .row_size = sizeof(struct made_row) };
	struct list_table *list =
		list_table_new(sizeof *list, &ops, columns, ARRAY_SIZE(columns), NULL);
	const int64_t me = exchange_process(x);
	OWNED_VEC(struct row_key) keys = VEC_INIT;
	const size_t n = job->rows[me];

	for (size_t i = 0; i < n; i++) {
		const int64_t key = job->sorted ? (int64_t)(i * KEYS / n)
						: (int64_t)(i * 7919 + (size_t)me) % KEYS;
		list_table_add_row(list, &(struct made_row){ key, me, (int64_t)i });
		vec_push(&keys, ((struct row_key){ { 0, key } }));
	}
	return table_gather(&list->table, x, keys.data);
}

static void check_row(struct job *job, const struct value *v, const struct made_row *last)
{
	char text[TEXT + 1];

	snprintf(text, sizeof text, "%0*d", TEXT, (int)(v[0].integer * MOST + v[1].integer));
	if (strcmp(v[3].text, text) != 0)
		snprintf(job->wrong, sizeof job->wrong, "row %zu: text %.150s", job->seen,
			 v[3].text);
	if (v[0].integer < last->key || (v[0].integer == last->key && v[1].integer < last->maker))
		snprintf(job->wrong, sizeof job->wrong, "row %zu: out of order", job->seen);
	if (v[2].known && v[1].integer == last->maker && v[0].integer == last->key &&
	    v[2].integer <= last->nth)
		snprintf(job->wrong, sizeof job->wrong, "row %zu: order of a process", job->seen);
	if (v[2].known && v[2].approximate != (v[2].integer % 4 == 0))
		snprintf(job->wrong, sizeof job->wrong, "row %zu: approximate", job->seen);
}

/* Up to `most` rows. */
static void walk(struct table *table, struct job *job, bool first, size_t most)
{
	struct made_row last = { -1, -1, -1 };
	uint64_t row = table_first(table);

	if (!first) {
		if (row != ROW_NONE)
			strcpy(job->wrong, "another process has rows");
		return;
	}
	for (job->seen = 0; row != ROW_NONE && job->seen < most; job->seen++) {
		struct value v[TABLE_COLUMNS];

		table_cells(table, row, v);
		check_row(job, v, &last);
		last = (struct made_row){ v[0].integer, v[1].integer,
					  v[2].known ? v[2].integer : -1 };
		row = table_next(table, row);
	}
	table_leave(table);
}

static void body(struct exchange *x, void *context)
{
	struct job *job = context;
	const bool first = exchange_process(x) == 0;
	struct table *table = make(x, job);
	size_t all = 0;

	for (uint32_t p = 0; p < exchange_processes(x); p++)
		all += job->rows[p];
	if (table->rows != (first ? all : 0))
		strcpy(job->wrong, "another number of rows");
	for (int i = 0; i < job->passes; i++)
		walk(table, job, first, (size_t)i * 100);
	walk(table, job, first, SIZE_MAX);
	table_free(table);
}

static void gather(struct job job, uint32_t processes)
{
	size_t all = 0;

	for (uint32_t p = 0; p < processes; p++)
		all += job.rows[p];
	processes_run(processes, body, &job);
	assert_string_equal(job.wrong, "");
	assert_int_equal(job.seen, all);
}

TEST(in_order)
{
	gather((struct job){ .rows = { 10, 0, 1000, 3, 0, 77, 2000 } }, MOST);
	gather((struct job){ .rows = { 0, 0, 5 }, .sorted = true }, 3);
	gather((struct job){ .rows = { 5000, 1 } }, 2);
}

TEST(no_rows)
{
	gather((struct job){ .rows = { 0 } }, MOST);
}

/* A row is more than TEXT bytes: these are several times GATHER_BYTES, so the first process asks
 * again and again. */
TEST(many_rows)
{
	gather((struct job){ .rows = { 100, 200000, 9, 150000 }, .sorted = true }, 4);
	gather((struct job){ .rows = { 0, 1000, 200000 }, .sorted = false }, 3);
}

TEST(walked_again_before_the_end)
{
	gather((struct job){ .rows = { 10, 0, 100000, 3, 0, 77, 2000 }, .passes = 4 }, MOST);
}

/* Who does not go to the end leaves none waiting. */
static void leave(struct exchange *x, void *context)
{
	struct job *job = context;
	struct table *table = make(x, job);

	walk(table, job, exchange_process(x) == 0, 50);
	table_free(table);
	job->passes += exchange_count(x, 1) == exchange_processes(x) && exchange_process(x) == 0;
}

TEST(left_before_the_end)
{
	struct job job = { .rows = { 100, 200000, 9, 150000 } };

	processes_run(4, leave, &job);
	assert_string_equal(job.wrong, "");
	assert_int_equal(job.seen, 50);
	assert_int_equal(job.passes, 1);
}
