/* The way through a chain of causes, place by place: which places, in which order, and what is said
 * at each; the excess of work and of transfers told apart. All figures worked out by hand. */
#include <ctype.h>
#include <string.h>

#include "harness/analysed.h"
#include "harness/notation.h"
#include "harness/random.h"
#include "patterns/causes/planned_run.h"
#include "views/explain/explaining.h"

enum { RANKS = 40 };

static struct explain explained(const struct analysed *a, uint32_t location, uint32_t wait)
{
	const struct wait_bounds none = { .pending = false };
	struct explain e = { .subject = { location, wait, EVENT_NONE, UINT32_MAX } };

	explain_chain(&e, &a->query, a->analysis, a->causes, &none);
	return e;
}

static const struct explain_line *place(const struct explain *e, size_t hop)
{
	assert_true(hop < e->hops.n && e->hops.data[hop].line < e->lines.n);
	return &e->lines.data[e->hops.data[hop].line];
}

static void assert_hop(const struct explain *e, size_t hop, uint32_t location, int64_t time,
		       const char *text)
{
	assert_int_equal(place(e, hop)->location, location);
	assert_int_equal(place(e, hop)->time, time);
	assert_string_equal(e->hops.data[hop].text, text);
}

/* Rank 3 waits for rank 2, which waits for rank 1, which computes in 3 calls instead of 1. */
TEST(a_chain_is_gone_to_its_work)
{
	ANALYSED a = analysed(notation_trace(
		"rank 1: main@0 { work@10-110 work@110-210 work@210-310 MPI_Send@310-320 ->2 tag 1 } @400\n"
		"rank 2: main@0 { work@10-110 MPI_Recv@110-325 <-1 tag 1 MPI_Send@325-330 ->3 tag 1 } @400\n"
		"rank 3: main@0 { work@10-110 MPI_Recv@110-335 <-2 tag 1 } @400\n"));
	ENDED_BY(explain_fini) struct explain e = explained(&a, 2, 0);

	assert_int_equal(e.hops.n, 3);
	assert_hop(&e, 0, 2, 110, "Rank 3 waited 215 ns in MPI_Recv: rank 2 sent late.");
	assert_hop(&e, 1, 1, 110,
		   "Rank 2 was late because it waited 200 ns for rank 1 in MPI_Recv.");
	assert_int_equal(place(&e, 2)->location, 0);
	/* Of 215 ns 200 are the wait; the work is all of it: 300 instead of 100 ns. */
	assert_non_null(strstr(e.hops.data[2].text,
			       "Rank 1 was late because it spent 200 ns more than rank 2 in work():"
			       " 3 calls instead of 1, 100 ns each."));
	assert_non_null(strstr(e.hops.data[2].text, "The chain ends here: "));
	assert_true(e.hops.data[2].end && !e.hops.data[1].end && !e.hops.data[0].end);
	assert_true(e.hops.data[2].share >= EXPLAIN_ENOUGH && e.hops.data[2].share <= 1);
}

/* Two functions that take longer, 60 and 40 of 100 ns: one is not enough. */
TEST(two_ends_where_one_is_not_enough)
{
	ANALYSED a = analysed(notation_trace(
		"rank 0: main@0 { one@0-160 two@160-300 MPI_Send@300-301 ->1 tag 1 } @400\n"
		"rank 1: main@0 { one@0-100 two@100-200 MPI_Recv@200-310 <-0 tag 1 } @400\n"));
	ENDED_BY(explain_fini) struct explain e = explained(&a, 1, 0);

	assert_int_equal(e.hops.n, 3);
	assert_hop(
		&e, 1, 0, 0,
		"Rank 0 was late because it spent 60 ns more than rank 1 in one(): 160 ns a call "
		"instead of 100 ns. This explains 60.0 % of the wait so far.");
	assert_hop(
		&e, 2, 0, 160,
		"Rank 0 was late, too, because it spent 40 ns more than rank 1 in two(): 140 ns a "
		"call instead of 100 ns. The chain ends here: 100.0 % of the wait is explained.");
}

/* Rank 1 takes 6 ms and rank 0 2 ms, and they have no core for a part of these; the line below the
 * reason, NULL: there is none. */
static void assert_core(int64_t rank_0, int64_t rank_1, const char *text)
{
	enum { MS = 1000000 };
	struct planned_run run;
	OWNED_STR hop = STR_INIT;

	planned_run_init(&run, 2);
	planned_run_record_cores(&run);
	planned_run_meet(&run);
	planned_run_work_without(&run, 0, "smooth", 2 * MS, rank_0);
	planned_run_work_without(&run, 1, "smooth", 6 * MS, rank_1);
	planned_run_meet(&run);
	ANALYSED a = analysed(planned_run_end(&run));
	ENDED_BY(explain_fini) struct explain e = explained(&a, 0, 0);

	assert_int_equal(e.hops.n, 2);
	str_add(&hop,
		"Rank 1 was late because it spent 4.00 ms more than rank 0 in smooth(): 6.00 ms a "
		"call instead of 2.00 ms. ");
	if (text) {
		assert_string_equal(vec_last(&e.lines)->text, text);
		assert_int_equal(vec_last(&e.lines)->location, 1);
		str_add_fmt(&hop, "%c%s. ", toupper((unsigned char)*text), text + 1);
	}
	str_add(&hop, "The chain ends here: 100.0 % of the wait is explained.");
	assert_string_equal(e.hops.data[1].text, hop.text);
}

TEST(the_late_rank_waited_for_a_core)
{
	assert_core(0, 3000000,
		    "mostly it had no core: rank 1 waited 3.00 ms for one; in which function is "
		    "not known");
	assert_core(1000000, 3000000,
		    "mostly it had no core: rank 1 waited 3.00 ms for one, rank 0 1.00 ms; in "
		    "which function is not known");
	/* Less than half of the 4 ms that it is late. */
	assert_core(
		1000000, 2900000,
		"rank 1 waited 2.90 ms for a core meanwhile, rank 0 1.00 ms; in which function is "
		"not known");
	/* The other one waited as long. */
	assert_core(1000000, 1000000, NULL);
	/* Less than 2 % of the wait. */
	assert_core(0, 79000, NULL);
}

/* The sentence on the largest reason of rank 1's wait. */
static void assert_reason(const char *rank_0, const char *rank_1, const char *text)
{
	OWNED_STR run = STR_INIT;
	bool found = false;

	str_add_fmt(&run,
		    "rank 0: main@0 { %s MPI_Send@+0-+1 ->1 tag 9 } @20000\n"
		    "rank 1: main@0 { %s MPI_Recv@+0-19000 <-0 tag 9 } @20000\n"
		    "rank 2: main@0 { MPI_Recv@0-19000 <-0 tag 5 } @20000\n"
		    "rank 3: main@0 { MPI_Recv@0-19000 <-1 tag 5 } @20000\n",
		    rank_0, rank_1);
	ANALYSED a = analysed(notation_trace(run.text));
	ENDED_BY(explain_fini) struct explain e = explained(&a, 1, 0);
	for (size_t i = 0; i < e.lines.n; i++)
		found |= strstr(e.lines.data[i].text, text) != NULL;
	for (size_t i = 0; !found && i < e.lines.n; i++)
		print_message("# %s\n", e.lines.data[i].text);
	assert_true(found);
}

TEST(kinds_are_told_apart)
{
	/* 3 x 100 instead of 1 x 100; 300 instead of 100; 2 x 200 instead of 1 x 100 (of 300 ns the
	 * second call alone is a third, the length alone a third); none instead of one. */
	assert_reason("work@0-100 work@100-200 work@200-300", "work@0-100",
		      "in work(): 3 calls instead of 1, 100 ns each");
	assert_reason("work@0-300", "work@0-100", "in work(): 300 ns a call instead of 100 ns");
	assert_reason("work@0-200 work@200-400", "work@0-100",
		      "in work(): 2 calls of 200 ns instead of 1 of 100 ns");
	assert_reason("more@0-400 work@400-500", "work@0-100", "in more(): 1 call instead of none");
}

TEST(transfers_are_told_apart)
{
	/* 64 KiB in 10 us are 6.10 GiB/s, in 1 us 61.0 GiB/s; the same speed, more bytes. */
	assert_reason("MPI_Send@0-10000 ->2 tag 5 65536B", "MPI_Send@0-1000 ->3 tag 5 65536B",
		      "longer inside MPI_Send: it transferred 65,536 B at 6.1 GiB/s instead of "
		      "61.0 GiB/s");
	assert_reason("MPI_Send@0-10000 ->2 tag 5 655360B", "MPI_Send@0-1000 ->3 tag 5 65536B",
		      "longer inside MPI_Send: it transferred 640.0 KiB instead of 65,536 B");
	/* 8 bytes are no transfer. */
	assert_reason("MPI_Send@0-10000 ->2 tag 5 8B", "MPI_Send@0-1000 ->3 tag 5 8B",
		      "longer inside MPI_Send, where no wait was found");
}

/* Ten messages take 4 ns from rank 0 to rank 1, an eleventh 7,000 of which what is beyond three
 * times 4 is late: that is what ranks 2 and 3 wait for, one after the other. */
TEST(late_inside_is_in_the_sum)
{
	OWNED_STR sends = STR_INIT, receives = STR_INIT, run = STR_INIT;
	bool found = false, rest = false;

	for (int i = 1; i <= 10; i++) {
		str_add_fmt(&sends, "MPI_Send@%d-%d ->1 tag 5 ", 100 * i, 100 * i + 2);
		str_add_fmt(&receives, "MPI_Recv@%d-%d <-0 tag 5 ", 100 * i - 1, 100 * i + 4);
	}
	str_add_fmt(
		&run,
		"rank 0: main@0 { %s MPI_Send@2000-2002 ->1 tag 5 } @20000\n"
		"rank 1: main@0 { %s MPI_Recv@1990-9000 <-0 tag 5 MPI_Send@9001-9003 ->2 tag 9 } "
		"@20000\n"
		"rank 2: main@0 { MPI_Recv@1990-9005 <-1 tag 9 MPI_Send@9006-9008 ->3 tag 8 } "
		"@20000\n"
		"rank 3: main@0 { MPI_Recv@1980-9010 <-2 tag 8 } @20000\n",
		sends.text, receives.text);
	ANALYSED a = analysed(notation_trace(run.text));
	ENDED_BY(explain_fini) struct explain e = explained(&a, 3, 0);
	for (size_t i = 0; i < e.lines.n; i++) {
		const char *text = e.lines.data[i].text;
		found |=
			strstr(text, "In short: rank 3 waited for rank 2, which waited for rank 1, "
				     "which was ") &&
			strstr(text, " longer inside MPI_Recv, where messages were delivered late "
				     "(6.99 us)");
		rest |= strcmp(text, "no rank's work: mostly messages and operations that were "
				     "late inside MPI") == 0;
	}
	assert_true(found && rest);
}

/* What rank 0 did long is after more short calls than are looked at (LOOK_EVENTS): the line leads to
 * the rank all the same. */
TEST(work_that_is_not_found_has_a_rank)
{
	enum { SHORT = 530000 };
	OWNED_STR run = STR_INIT;

	str_add(&run, "rank 0: main@0 { ");
	for (int i = 0; i < SHORT; i++)
		str_add(&run, "a@+1-+1 ");
	str_add_fmt(&run, "b@+1-+9000000 MPI_Send@+1-+1 ->1 tag 1 } @+1\n"
			  "rank 1: main@0 { MPI_Recv@1-12000000 <-0 tag 1 } @+1\n");
	ANALYSED a = analysed(notation_trace(run.text));
	ENDED_BY(explain_fini) struct explain e = explained(&a, 1, 0);

	assert_true(e.hops.n >= 2);
	assert_int_equal(place(&e, 1)->event, EVENT_NONE);
	assert_int_equal(place(&e, 1)->location, 0);
	assert_true(place(&e, 1)->time > 0 && place(&e, 1)->time <= 12000000);
}

/* Whatever the wait: hops lead to lines of the explanation, none twice, the first to the wait; what
 * they explain never shrinks, and the last is an end. */
TEST(any_chain)
{
	struct rng r = { 11 };
	OWNED_STR run = STR_INIT;

	for (uint32_t rank = 0; rank < RANKS; rank++) {
		str_add_fmt(&run, "rank %u: main@0 { ", rank);
		if (rank > 0)
			str_add_fmt(&run, "MPI_Recv@+%u-+1000 <-%u tag 1 ", rng_below(&r, 200),
				    rank - 1);
		for (unsigned i = 0; i < 3; i++) {
			const unsigned name = rng_below(&r, 3);
			str_add_fmt(&run, "w%u@+0-+%u ", name, 1 + rng_below(&r, 900));
		}
		if (rank + 1 < RANKS)
			str_add_fmt(&run, "MPI_Send@+1-+1 ->%u tag 1 ", rank + 1);
		str_add(&run, "} @+1\n");
	}
	ANALYSED a = analysed(notation_trace(run.text));
	size_t chains = 0, longest = 0;
	for (uint32_t l = 0; l < RANKS; l++) {
		size_t waits;

		analysis_waits(a.analysis, l, &waits);
		for (uint32_t w = 0; w < waits; w++) {
			ENDED_BY(explain_fini) struct explain e = explained(&a, l, w);

			assert_true(e.hops.n >= 1 && e.hops.n <= EXPLAIN_HOPS);
			assert_int_equal(e.hops.data[0].line, 0);
			for (size_t h = 1; h < e.hops.n; h++) {
				assert_true(e.hops.data[h].line > e.hops.data[h - 1].line);
				assert_true(place(&e, h)->location != UINT32_MAX);
				assert_true(e.hops.data[h].share >= e.hops.data[h - 1].share);
			}
			assert_true(vec_last(&e.hops)->end || e.hops.n == 1);
			assert_true(vec_last(&e.hops)->share <= 1 + 1e-9);
			chains++;
			longest = e.hops.n > longest ? e.hops.n : longest;
		}
	}
	assert_true(chains > 20 && longest > 5);
}
