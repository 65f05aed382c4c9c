/* Reading counters: what is in a page and in times of turns, by hand. */
#include "capture/lib/counter_read.h"

#include <string.h>

#include "harness/test.h"

/* The processor's counters of this test: number n has 100 * (n + 1), or what is in `wide`. */
static uint64_t plain_pmc(uint32_t number)
{
	return 100u * (number + 1);
}

/* 48 bits, all set: -1. */
static uint64_t minus_one(uint32_t number)
{
	(void)number;
	return (UINT64_C(1) << 48) - 1;
}

static struct perf_event_mmap_page page_of(uint32_t index, int64_t offset)
{
	struct perf_event_mmap_page page;

	memset(&page, 0, sizeof page);
	page.lock = 6;
	page.index = index;
	page.offset = offset;
	page.time_enabled = page.time_running = 1000;
	page.cap_user_rdpmc = 1;
	page.pmc_width = 48;
	return page;
}

TEST(value_is_offset_and_the_processors_count)
{
	const struct perf_event_mmap_page page = page_of(3, 5000);
	uint64_t value = 0;

	/* Index 3 is the processor's counter 2. */
	assert_true(tv_page_read(&page, plain_pmc, &value));
	assert_int_equal(value, 5300);
}

TEST(processors_count_has_a_sign)
{
	const struct perf_event_mmap_page page = page_of(1, 5000);
	uint64_t value = 0;

	assert_true(tv_page_read(&page, minus_one, &value));
	assert_int_equal(value, 4999);
}

TEST(kernel_is_asked_where_the_page_does_not_know)
{
	struct perf_event_mmap_page page = page_of(0, 5000);
	uint64_t value = 77;

	/* Not on the processor at this moment. */
	assert_false(tv_page_read(&page, plain_pmc, &value));
	/* User code may not read it. */
	page = page_of(1, 5000);
	page.cap_user_rdpmc = 0;
	assert_false(tv_page_read(&page, plain_pmc, &value));
	/* It had its turn for a part of the time. */
	page = page_of(1, 5000);
	page.time_enabled = 2000;
	assert_false(tv_page_read(&page, plain_pmc, &value));
	/* A width that no processor has. */
	page = page_of(1, 5000);
	page.pmc_width = 0;
	assert_false(tv_page_read(&page, plain_pmc, &value));
	assert_int_equal(value, 77);
}

TEST(count_without_turns_is_exact)
{
	struct tv_count count = { 0 };

	tv_count_add(&count, 10, 100, 100);
	tv_count_add(&count, 17, 300, 300);
	assert_int_equal(count.sum, 17);
	tv_count_more(&count, 20);
	assert_int_equal(count.sum, 20);
	tv_count_add(&count, 25, 900, 900);
	assert_int_equal(count.sum, 25);
}

TEST(count_with_turns_is_scaled_for_the_time_since_the_last_one)
{
	struct tv_count count = { 0 };

	tv_count_add(&count, 1000, 100, 100); /* all of the time: 1000 */
	tv_count_add(&count, 1300, 300, 200); /* half of 200: 300 stand for 600 */
	assert_int_equal(count.sum, 1600);
	tv_count_add(&count, 1300, 400, 200); /* no turn: nothing is known */
	assert_int_equal(count.sum, 1600);
	tv_count_add(&count, 1400, 500, 300); /* 100 in half of the 200 since: 200 */
	assert_int_equal(count.sum, 1800);
	tv_count_add(&count, 1500, 600, 400); /* all of it again */
	assert_int_equal(count.sum, 1900);
}
