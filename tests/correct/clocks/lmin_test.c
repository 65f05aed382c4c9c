/* Least latencies: where they come from, and between whom they hold. */
#include "correct/clocks/lmin.h"
#include "harness/notation.h"
#include "harness/test.h"

static const struct lmin_options none = LMIN_DEFAULTS;

enum { SLOW = 1000000 };

struct fixture {
	struct notation text;
	struct builder *b; /* the text's */
	struct trace *t;
	struct logical *logical;
	int64_t now;
};

static void begin(struct fixture *f, int64_t per_second)
{
	notation_begin(&f->text, per_second);
	notation_write(&f->text, "ranks 4; node a 0 1; node b 2");
	f->b = f->text.b;
}

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	begin(f, 1000000000);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	logical_free(f->logical);
	notation_fini(&f->text);
	trace_free(f->t);
	test_free(f);
	return 0;
}

FIXTURE(setup, teardown)

static struct lmin finish(struct fixture *f, const struct lmin_options *options)
{
	f->t = notation_finish(&f->text);
	f->logical = logical_new(f->t, NULL, NULL);
	return lmin_make(f->logical, BASE_MEASURED, options);
}

/* Ten messages each way between two locations, the second of which has a clock that is `ahead`; the
 * fastest takes `there` and `back`. */
static void talk(struct fixture *f, uint32_t one, uint32_t two, int64_t there, int64_t back,
		 int64_t ahead)
{
	for (int i = 0; i < 20; i++) {
		const bool forth = i % 2 == 0;
		const uint32_t from = forth ? one : two, to = forth ? two : one;
		const int64_t took = (forth ? there : back) + (i % 8 == i % 2 ? 0 : 100 * i);
		f->now += SLOW;
		notation_write(&f->text,
			       "rank %u: ->%u tag 1 0B @%lld; rank %u: <-%u tag 1 0B @%lld", from,
			       to, (long long)f->now + (forth ? 0 : ahead), to, from,
			       (long long)f->now + took + (forth ? ahead : 0));
	}
}

TEST_WITH(test_default, struct fixture *f)
{
	struct lmin lmin = finish(f, &none);

	assert_int_equal(lmin.inter, 1000);
	assert_int_equal(lmin.intra, 100);
	assert_int_equal(lmin.omp, 10);
	assert_int_equal(lmin.inter_source, LMIN_DEFAULT);
	assert_int_equal(lmin_between(&lmin, 0, 1, LOGICAL_P2P), 100);
	assert_int_equal(lmin_between(&lmin, 0, 2, LOGICAL_P2P), 1000);
	assert_int_equal(lmin_between(&lmin, 2, 0, LOGICAL_N_TO_N), 1000);
	/* Of an unknown node nobody knows: the smaller one. */
	assert_int_equal(lmin_between(&lmin, 3, 0, LOGICAL_P2P), 100);
	assert_int_equal(lmin_between(&lmin, 0, 2, LOGICAL_FORK), 10);
	assert_int_equal(lmin_between(&lmin, 0, 2, LOGICAL_JOIN), 10);
	assert_int_equal(lmin_between(&lmin, 0, 2, LOGICAL_TEAM), 10);
}

TEST_WITH(test_options, struct fixture *f)
{
	const struct lmin_options options = { .inter = 3e-6, .intra = -1 };
	struct lmin lmin;

	builder_property(f->b, "lmin-inter", "7e-6");
	builder_property(f->b, "lmin-intra", "0.0000025");
	talk(f, 0, 1, 40, 40, 0);
	lmin = finish(f, &options);
	assert_int_equal(lmin.inter, 3000); /* before the header */
	assert_int_equal(lmin.inter_source, LMIN_OPTION);
	assert_int_equal(lmin.intra, 2500); /* before the trace's messages */
	assert_int_equal(lmin.intra_source, LMIN_HEADER);
}

TEST_WITH(test_bad_header, struct fixture *f)
{
	struct lmin lmin;

	builder_property(f->b, "lmin-inter", "soon");
	builder_property(f->b, "lmin-intra", "-1e-6");
	lmin = finish(f, &none);
	assert_int_equal(lmin.inter_source, LMIN_DEFAULT);
	assert_int_equal(lmin.intra_source, LMIN_DEFAULT);
}

/* (60 + 20) / 2 / 2, whatever the clocks' offset, even where all messages of one way are
 * reversed. */
TEST_WITH(test_estimated, struct fixture *f)
{
	struct lmin lmin;

	talk(f, 0, 1, 60, 20, 500000);
	talk(f, 0, 2, 700, 300, -70000);
	lmin = finish(f, &none);
	assert_int_equal(lmin.intra, 20);
	assert_int_equal(lmin.intra_source, LMIN_ESTIMATED);
	assert_int_equal(lmin.inter, 250);
	assert_int_equal(lmin.inter_source, LMIN_ESTIMATED);
}

/* Slow messages do not raise it, impossible ones do not make it 0. */
TEST_WITH(test_no_estimate, struct fixture *f)
{
	struct lmin lmin;

	talk(f, 0, 1, 50000, 50000, 0);
	talk(f, 0, 2, 100, -5000, 0);
	lmin = finish(f, &none);
	assert_int_equal(lmin.intra, 100);
	assert_int_equal(lmin.intra_source, LMIN_DEFAULT);
	assert_int_equal(lmin.inter, 1000);
	assert_int_equal(lmin.inter_source, LMIN_DEFAULT);
}

/* A clock of 3 MHz: 1 us are 3 ticks, 0.1 us less than one. */
TEST_WITH(test_coarse, struct fixture *f)
{
	struct lmin lmin;

	notation_fini(&f->text);
	begin(f, 3000000);
	lmin = finish(f, &none);
	assert_int_equal(lmin.inter, 3);
	assert_int_equal(lmin.intra, 0);
	assert_int_equal(lmin.omp, 0);
}
