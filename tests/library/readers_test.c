/* Several threads ask one trace: each gets what one alone gets. For the sanitizer of threads:
 * make BUILD=tsan build/tsan/tests/library/readers_test. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tview/records.h>
#include <xxhash.h>

#include "harness/files.h"
#include "harness/test.h"

enum { READERS = 4, TABLES_MOST = 64 };

static uint64_t mixed(uint64_t sum, const void *data, size_t n)
{
	return XXH3_64bits_withSeed(data, n, sum);
}

/* All records of a kind, in a base. */
static uint64_t sum_of_records(tview_trace *trace, enum tview_kind kind, const char *base)
{
	const char *const options[] = { base, "filter=rank in 0..1", NULL };
	const size_t size = tview_record_size(kind);
	OWNED char *records = xcalloc(100, size);
	tview_cursor *c = tview_cursor_open(trace, kind, TVIEW_NONE, options, NULL);
	uint64_t sum = 0;
	size_t n;

	assert_non_null(c);
	while ((n = tview_cursor_read(c, kind, records, 100)) > 0)
		sum = mixed(sum, records, n * size);
	tview_cursor_close(c);
	return sum;
}

/* All columns of a table; 0 where there is none. */
static uint64_t sum_of_table(tview_trace *trace, unsigned i)
{
	tview_table *table = tview_table_open(trace, tview_table_name(i), NULL, NULL);
	uint64_t sum = i;

	if (!table)
		return 0;
	tview_read(table);
	for (unsigned c = 0; c < tview_column_count(table); c++) {
		struct tview_array a;
		assert_true(tview_values(table, (int)c, &a));
		for (int64_t row = 0; row < a.shape[0]; row++)
			sum = mixed(sum, (const char *)a.data + row * a.stride[0],
				    (size_t)a.stride[0]);
	}
	tview_table_close(table);
	return sum;
}

static uint64_t sum_of_names(tview_trace *trace)
{
	struct tview_region region;
	struct tview_grid grid;
	uint64_t sum = 0;

	for (uint32_t i = 0; tview_region(trace, i, &region); i++)
		sum = mixed(sum, region.name, strlen(region.name));
	for (uint32_t i = 0; tview_grid(trace, i, &grid); i++)
		sum = mixed(sum, grid.name, strlen(grid.name));
	return sum;
}

struct answers {
	tview_trace *trace;
	unsigned first; /* table that is asked first, so that threads ask for different ones */
	uint64_t tables[TABLES_MOST], measured[TVIEW_NODES + 1], best[TVIEW_NODES + 1], names;
};

static void *ask(void *context)
{
	struct answers *a = context;
	unsigned n = 0;

	while (tview_table_name(n))
		n++;
	assert_in_range(n, 30, TABLES_MOST);
	for (enum tview_kind k = TVIEW_EVENTS; k <= TVIEW_NODES; k++) {
		a->measured[k] = sum_of_records(a->trace, k, "base=measured");
		a->best[k] = sum_of_records(a->trace, k, NULL);
	}
	for (unsigned i = 0; i < n; i++) {
		const unsigned table = (a->first + i) % n;
		a->tables[table] = sum_of_table(a->trace, table);
	}
	a->names = sum_of_names(a->trace);
	return NULL;
}

static int before_all(void **state)
{
	static char folder[FOLDER_NAME];

	folder_make(folder, "readers");
	setenv("XDG_CACHE_HOME", folder, 1);
	*state = folder;
	return 0;
}

static int after_all(void **state)
{
	folder_remove(*state);
	return 0;
}
GROUP_FIXTURE(before_all, after_all)

static void assert_same(const char *path)
{
	static struct answers alone, beside[READERS];
	struct tview_error error = { 0 };
	pthread_t threads[READERS];
	tview_trace *trace = tview_open(path, NULL, &error);

	if (!trace)
		fail_msg("%s", error.text);
	for (unsigned i = 0; i < READERS; i++) {
		beside[i] = (struct answers){ .trace = trace, .first = 9 * i };
		assert_int_equal(pthread_create(&threads[i], NULL, ask, &beside[i]), 0);
	}
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	tview_close(trace);

	trace = tview_open(path, NULL, &error);
	assert_non_null(trace);
	alone = (struct answers){ .trace = trace };
	ask(&alone);
	tview_close(trace);
	for (unsigned i = 0; i < READERS; i++) {
		assert_memory_equal(beside[i].tables, alone.tables, sizeof alone.tables);
		assert_memory_equal(beside[i].measured, alone.measured, sizeof alone.measured);
		assert_memory_equal(beside[i].best, alone.best, sizeof alone.best);
		assert_int_equal(beside[i].names, alone.names);
	}
}

TEST(readers_of_an_archive_see_the_same)
{
	assert_same("traces/otf2/sweep3d-4/traces.otf2");
}

TEST(readers_of_a_file_see_the_same)
{
	assert_same("traces/stencil.trc");
}
