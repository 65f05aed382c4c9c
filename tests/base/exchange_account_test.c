/* What an exchange that counts says was sent, against bytes counted by hand. */
#include "base/exchange_account.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "harness/processes.h"
#include "harness/test.h"

enum { MOST = 3 };

struct log {
	struct account_figures of[MOST];
	bool right[MOST];
	int here; /* processes that come next */
};

/* Each process sends p + 1 rows of 8 bytes to process p, gathers 5 bytes and sums two values. */
static void all_kinds(struct exchange *inner, void *context)
{
	struct log *log = context;
	struct exchange_account *account = exchange_account_new(inner);
	struct exchange *x = exchange_counted(account);
	const uint64_t rows[6] = { 10, 20, 21, 30, 31, 32 };
	const uint32_t to[6] = { 0, 1, 1, 2, 2, 2 };
	struct exchange_parts theirs, all;
	int128 values[2] = { x->process, 1 };
	OWNED void *posted = NULL;
	size_t bytes = 0;
	uint32_t from;

	exchange_account_phase(account, ACCOUNT_COMPUTING);
	exchange_deal(x, rows, 6, sizeof rows[0], to, &theirs);
	x->gather(x, "12345", 5, &all);
	exchange_sum(x, values, 2);
	log->right[x->process] = values[0] == 3 && values[1] == 3 && all.first[3] == 15 &&
				 memcmp(all.data, "123451234512345", 15) == 0 &&
				 theirs.first[3] == 24u * (x->process + 1);
	x->post(x, (x->process + 1) % 3, xcalloc(1, 100), 100);
	while (!posted)
		posted = x->arrived(x, &bytes, &from);
	log->right[x->process] = log->right[x->process] && bytes == 100;
	log->of[x->process] = exchange_account_figures(account);
	exchange_parts_fini(&theirs);
	exchange_parts_fini(&all);
	exchange_account_free(account);
}

TEST(bytes_and_messages)
{
	/* Rows for others: 2 + 3, 1 + 3 and 1 + 2, of 8 bytes; and 100 posted. */
	static const uint64_t sent[MOST] = { 140, 132, 124 };
	struct log log = { 0 };

	processes_run(MOST, all_kinds, &log);
	for (uint32_t p = 0; p < MOST; p++) {
		assert_true(log.right[p]);
		assert_int_equal(log.of[p].sent, sent[p]);
		assert_int_equal(log.of[p].records, 3);
		assert_int_equal(log.of[p].to_all, 5 + 2 * sizeof(int128));
		assert_int_equal(log.of[p].meetings, 3);
	}
}

/* One that comes 30 ms after the others. */
static void late(struct exchange *inner, void *context)
{
	struct log *log = context;
	struct exchange_account *account = exchange_account_new(inner);
	struct exchange *x = exchange_counted(account);
	uint32_t from;
	size_t bytes;

	if (x->process == 0) {
		while (log->here < MOST - 1)
			inner->arrived(inner, &bytes, &from);
		nanosleep(&(struct timespec){ 0, 30000000 }, NULL);
	}
	log->here++;
	exchange_count(x, 1);
	log->of[x->process] = exchange_account_figures(account);
	exchange_account_free(account);
}

TEST(who_comes_early_waits)
{
	struct log log = { 0 };

	processes_run(MOST, late, &log);
	for (uint32_t p = 1; p < MOST; p++)
		assert_true(log.of[p].waiting_ns > log.of[0].waiting_ns);
}

TEST(one_process_alone)
{
	struct exchange_account *account = exchange_account_new(NULL);
	struct account_figures figures;

	assert_null(exchange_counted(account));
	exchange_account_phase(account, ACCOUNT_COMPUTING);
	figures = exchange_account_figures(account);
	assert_true(figures.work_ns[ACCOUNT_READING] >= 0);
	assert_int_equal(figures.sent + figures.to_all + figures.meetings, 0);
	exchange_account_free(account);
}
