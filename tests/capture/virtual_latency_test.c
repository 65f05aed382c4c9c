/* What is learnt of messages while a program runs: by hand. */
#include "capture/lib/virtual_latency.h"

#include <stdlib.h>

#include "harness/owners.h"
#include "harness/test.h"

TEST(sizes_by_powers_of_two)
{
	assert_int_equal(latency_class(0), 0);
	assert_int_equal(latency_class(1), 1);
	assert_int_equal(latency_class(8), 4);
	assert_int_equal(latency_class(15), 4);
	assert_int_equal(latency_class(16), 5);
	assert_int_equal(latency_class(UINT64_MAX), LATENCY_CLASSES - 1);
}

/* A value is found again within an eighth. */
TEST(quantiles)
{
	struct latency_bins b = { 0 };

	assert_int_equal(latency_quantile(&b, 50), 0);
	for (int i = 0; i < 90; i++)
		latency_add(&b, 1000);
	for (int i = 0; i < 10; i++)
		latency_add(&b, 100000);
	assert_in_range(latency_quantile(&b, 50), 875, 1125);
	assert_in_range(latency_quantile(&b, 95), 87500, 112500);
	/* Shorter and longer than all bins. */
	latency_add(&b, 0);
	latency_add(&b, UINT64_MAX);
	assert_in_range(latency_quantile(&b, 0), 256, 320);
}

TEST(old_samples_fade)
{
	struct latency_bins b = { 0 };

	for (int i = 0; i < LATENCY_MANY; i++)
		latency_add(&b, 1000);
	assert_int_equal(b.n, LATENCY_MANY / 2);
	for (int i = 0; i < 3 * LATENCY_MANY; i++)
		latency_add(&b, 4000);
	assert_in_range(latency_quantile(&b, 25), 3500, 4500);
}

/* A receive from 100 waits for the send at 5,000 and ends at 6,000: a latency of 1,000. One from
 * 9,000 ends at 9,300: its message, sent at 5,000, was there. One from 6,000 may have waited for
 * the message or not. */
TEST(waiting_receives_and_those_whose_message_is_there)
{
	OWNED struct latencies *all = calloc(1, sizeof *all);
	struct latency l;

	for (int i = 0; i < 10; i++)
		latency_learn(all, 8, 100, 5000, 6000);
	l = latency_of(all, 8);
	assert_int_equal(l.waited.usual, 0); /* alone it says nothing of the difference */
	for (int i = 0; i < 10; i++)
		latency_learn(all, 8, 9000, 5000, 9300);
	latency_learn(all, 8, 6000, 5000, 600000);
	l = latency_of(all, 8);
	assert_in_range(l.waited.usual, 875, 1125);
	assert_in_range(l.there.usual, 263, 338);
}

/* What is asked for again and again is looked for anew after a few more samples of any size: at once
 * while there are few of its own, then after one more for each 32 of those. */
TEST(known_until_there_are_more)
{
	OWNED struct latencies *all = calloc(1, sizeof *all);

	for (int i = 0; i < 31; i++) {
		latency_learn(all, 8, 100, 5000, 6000);
		assert_int_equal(latency_known(all, 8)->waited.most,
				 latency_of(all, 8).waited.most);
	}
	for (int i = 0; i < 290; i++)
		latency_learn(all, 8, 100, 5000, 6000);
	assert_int_equal(latency_known(all, 8)->waited.most, 2048);
	for (int i = 0; i < 5; i++)
		latency_learn(all, 4096, 100, 5000, 9000);
	for (int i = 0; i < 5; i++)
		latency_learn(all, 8, 100, 5000, 6000);
	assert_int_equal(all->known[latency_class(8)].until, 31 + 290 + 1 + 10);
	for (int i = 0; i < 322; i++)
		latency_learn(all, 8, 100, 5000, 90000);
	assert_in_range(latency_known(all, 8)->waited.most, 2 * 85000, 2 * 110000);
}

/* What is taken is in a bin, of which nothing more is known: 1,000 in 896 to 1,024; at most twice
 * that, since others may be longer. A longer message takes as long at the least, a shorter one at
 * the most. */
TEST(ranges)
{
	OWNED struct latencies *all = calloc(1, sizeof *all);
	struct latency_range r;

	for (int i = 0; i < 2; i++)
		latency_learn(all, 8, 100, 5000, 6000);
	assert_true(latency_of(all, 8).waited.most == INT64_MAX); /* too few */
	for (int i = 0; i < 10; i++)
		latency_learn(all, 8, 100, 5000, 6000);
	r = latency_of(all, 8).waited;
	assert_int_equal(r.least, 0); /* not many */
	assert_int_equal(r.most, 2048);
	for (int i = 0; i < 88; i++)
		latency_learn(all, 8, 100, 5000, 6000);
	r = latency_of(all, 8).waited;
	assert_int_equal(r.least, 896);
	assert_int_equal(r.most, 2048);
	r = latency_of(all, 4096).waited;
	assert_int_equal(r.least, 896);
	assert_true(r.most == INT64_MAX);
	r = latency_of(all, 0).waited;
	assert_int_equal(r.least, 0);
	assert_int_equal(r.most, 2048);
	/* Nine of ten are in one bin; one that is longer counts. */
	assert_int_equal(latency_noise(all, 8), 1024 - 896);
	latency_learn(all, 8, 100, 5000, 90000);
	assert_int_equal(latency_noise(all, 8), 1024 - 896);
	assert_in_range(latency_of(all, 8).waited.most, 2 * 85000, 2 * 110000);
}
