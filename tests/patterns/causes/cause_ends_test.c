/* Where chains of causes end: by hand; and of all waits of random runs as explanations of one wait
 * after the other lead there. */
#include <string.h>

#include "harness/analysed.h"
#include "harness/notation.h"
#include "patterns/causes/cause_ends.h"
#include "patterns/kinds/waiting_run.h"
#include "views/facts/cause_words.h"

enum { RUNS = 60, STEPS = 120 };

static void assert_end(const struct analysed *a, uint32_t location, const char *text)
{
	struct cause_ends *ends = cause_ends_new(a->causes);
	const struct cause_end end = cause_ends_of(ends, location, 0);
	OWNED_STR s = STR_INIT;

	words_cause_end(a->trace, &end, &s);
	cause_ends_free(ends);
	assert_string_equal(s.text, text);
}

/* Rank 3 waits for rank 2, which waits for rank 1, which computes. */
TEST(a_chain_ends_in_work)
{
	ANALYSED a = analysed(notation_trace(
		"rank 1: main@0 { work@10-310 MPI_Send@310-320 ->2 tag 1 } @400\n"
		"rank 2: main@0 { work@10-110 MPI_Recv@110-325 <-1 tag 1 MPI_Send@325-330 ->3 tag 1 } @400\n"
		"rank 3: main@0 { work@10-110 MPI_Recv@110-335 <-2 tag 1 } @400\n"));

	assert_end(&a, 1, "rank 1: work()");
	assert_end(&a, 2, "rank 1: work()");
}

/* Rank 1 waited 50 and computed 60 ns more than rank 2, which waited for it; then the other way
 * round. */
TEST(the_largest_reason_is_followed)
{
	ANALYSED a = analysed(notation_trace(
		"rank 0: main@0 { work@0-50 MPI_Send@50-51 ->1 tag 1 } @400\n"
		"rank 1: main@0 { MPI_Recv@0-51 <-0 tag 1 more@51-111 MPI_Send@111-112 ->2 tag 1 } @400\n"
		"rank 2: main@0 { MPI_Recv@0-112 <-1 tag 1 } @400\n"));
	ANALYSED b = analysed(notation_trace(
		"rank 0: main@0 { work@0-70 MPI_Send@70-71 ->1 tag 1 } @400\n"
		"rank 1: main@0 { MPI_Recv@0-71 <-0 tag 1 more@71-111 MPI_Send@111-112 ->2 tag 1 } @400\n"
		"rank 2: main@0 { MPI_Recv@0-112 <-1 tag 1 } @400\n"));

	assert_end(&a, 2, "rank 1: more()");
	assert_end(&b, 2, "rank 0: work()");
}

/* The sender was inside MPI; and it did no more than the receiver: the clocks or the network. */
TEST(inside_mpi_and_unknown)
{
	ANALYSED a = analysed(notation_trace(
		"rank 0: main@0 { MPI_Send@0-100 ->2 tag 5 MPI_Send@100-101 ->1 tag 1 } @400\n"
		"rank 1: main@0 { MPI_Recv@0-110 <-0 tag 1 } @400\n"
		"rank 2: main@0 { MPI_Recv@0-10 <-0 tag 5 } @400\n"));
	ANALYSED b = analysed(notation_trace("rank 0: main@90 { MPI_Send@100-101 ->1 tag 1 } @400\n"
					     "rank 1: main@0 { MPI_Recv@0-110 <-0 tag 1 } @400\n"));

	assert_end(&a, 1, "rank 0 inside MPI_Send");
	assert_end(&b, 1, "unknown");
}

/* ---- against explanations ---- */

static int64_t length_of(const struct analysed *a, uint32_t location, uint32_t wait)
{
	size_t n;

	return analysis_waits(a->analysis, location, &n)[wait].length;
}

static double explained(const struct explanation *e)
{
	double sum = 0;

	for (unsigned i = 0; i < e->n; i++)
		sum += e->reasons[i].kind == REASON_UNEXPLAINED ? 0 : e->reasons[i].share;
	return sum;
}

/* `exact`: false where two reasons are as large, or nearly: either may be followed. */
static struct cause_end led_to(const struct analysed *a, uint32_t location, uint32_t wait,
			       unsigned hops, bool *exact)
{
	struct explanation e;
	struct cause_end end = { CAUSE_END_UNKNOWN, UINT32_MAX, UINT32_MAX }, further;
	const double length = (double)length_of(a, location, wait);

	if (!causes_explain(a->causes, location, wait, &e))
		return (struct cause_end){ CAUSE_END_NONE, UINT32_MAX, UINT32_MAX };
	*exact &= explained(&e) < 0.49 * length || explained(&e) > 0.51 * length;
	if (explained(&e) < 0.5 * length)
		return end;
	*exact &= e.n == 1 || e.reasons[1].share < 0.999 * e.reasons[0].share ||
		  e.reasons[1].kind == REASON_UNEXPLAINED;
	end = (struct cause_end){ e.reasons[0].kind == REASON_WORK ? CAUSE_END_WORK
								   : CAUSE_END_WAIT,
				  e.reasons[0].location, e.reasons[0].path };
	if (end.kind == CAUSE_END_WORK || hops == CAUSE_HOPS)
		return end;
	further = led_to(a, e.reasons[0].location, e.reasons[0].wait, hops + 1, exact);
	return further.kind == CAUSE_END_NONE || further.kind == CAUSE_END_UNKNOWN ? end : further;
}

/* In collectives a delay leaves out call paths in which the one that was waited for did no more than
 * it did since it met all of them (C14), an explanation does not. */
TEST(as_explanations_lead)
{
	int compared = 0, chains = 0, others = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		ANALYSED a = analysed(waiting_random(seed, 2 + (uint32_t)(seed % 7), STEPS));
		struct cause_ends *ends = cause_ends_new(a.causes);
		for (uint32_t l = 0; l < trace_location_count(a.trace); l++) {
			size_t n;
			const struct wait *waits = analysis_waits(a.analysis, l, &n);
			for (uint32_t i = 0; i < n; i++) {
				bool exact = true;
				const struct cause_end led = led_to(&a, l, i, 0, &exact);
				const struct cause_end end = cause_ends_of(ends, l, i);
				if (!exact)
					continue;
				if (end.kind == led.kind && led.kind != CAUSE_END_WORK &&
				    led.kind != CAUSE_END_WAIT)
					continue;
				if (end.kind != led.kind || end.path != led.path) {
					others++;
					continue;
				}
				assert_int_equal(end.location, led.location);
				compared++;
				chains += led.location != wait_partner(a.trace, &waits[i]);
			}
		}
		cause_ends_free(ends);
	}
	assert_true(compared > 2000);
	assert_true(chains > 300);
	assert_true(others < compared / 200);
}
