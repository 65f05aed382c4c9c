/* filter_compiled: the parts of a compiled filter. The inside of the filter (filter_*.c), not for
 * others.
 *
 * Every comparison is one filter_test. Fields that definitions decide (region, rank, comm, ...)
 * have a verdict for every definition in `table`; the other fields are numbers, and have
 * `spans`. */
#pragma once

#include "model/filter/filter.h"
#include "model/filter/filter_ast.h"
#include "model/trace/visit_ends.h"

/* The result of a comparison for one value of a field, before a negated operator inverts it. Of
 * several values (the two ends of a message) the largest verdict counts. */
enum verdict { VERDICT_ABSENT, VERDICT_MISS, VERDICT_HIT };

static inline enum verdict better(enum verdict a, enum verdict b)
{
	return a > b ? a : b;
}

/* Both ends are inside. */
struct filter_span {
	int64_t first, last;
};

struct filter_test {
	enum filter_field field;
	enum filter_subject subject;   /* of the field */
	bool negate;                   /* != !in !~ */
	uint8_t *table;                /* enum verdict by the subject; NULL: spans decide */
	VEC(struct filter_span) spans; /* ascending, disjoint */
	uint8_t *far; /* [ghosts] of attributes: enum verdict of the event's process (halo.h);
			 NULL without */
};

struct filter {
	char *text;
	const struct trace *trace; /* borrowed */
	struct filter_node *nodes; /* as in the tree; tests in the order of its terms */
	size_t n_nodes;            /* 0: matches everything */
	uint32_t root;
	VEC(struct filter_test) tests;
	struct visit_ends *ends; /* NULL unless durations are asked for */
	uint64_t *numbers;       /* trace_first_numbers(); NULL: an event's number is its id */
	/* A location of each kind: those of a kind have the same verdicts in all tests. */
	VEC(uint32_t) kinds;
};

/* The comparison that is compiled. */
struct filter_input {
	const struct filter_term *term;
	const struct filter_field_info *field; /* that of the term */
	const struct trace *trace;             /* NULL: without one (filter_alone.h) */
	const struct timescale *scale;
	const char *text; /* of the filter, for messages */
	enum filter_symbols symbols;
	struct err *err;
};

/* Reports an error at an offset of the text; false. */
#define FILTER_MISTAKE(in, offset, ...) \
	err_set_at((in)->err, filter_symbols_of((in)->symbols), (in)->text, offset, __VA_ARGS__)

/* A filter of a tree, which is taken, with the text that its offsets are of. NULL with err. */
struct filter *filter_of_tree(struct filter_tree *tree, const char *text,
			      enum filter_symbols symbols, const struct trace *trace,
			      struct err *err);

/* The verdict on a number by the test's spans. O(log spans). */
enum verdict filter_spans_verdict(const struct filter_test *test, int64_t value);

/* ---- filter_values.c: constants to spans ---- */

bool filter_make_spans(struct filter_test *test, const struct filter_input *in);

/* ---- filter_text.c: text constants and patterns ---- */

struct filter_matcher;

/* NULL with err if a constant is not text or a pattern is invalid. Borrows the input. */
struct filter_matcher *filter_matcher_new(const struct filter_input *in);
void filter_matcher_free(struct filter_matcher *matcher);
/* False with err if a pattern takes too long. The subject is valid UTF-8 (str_clean). */
bool filter_matcher_test(struct filter_matcher *matcher, const char *subject, size_t length,
			 uint8_t *verdict);
/* For subjects that come over a long time: the limit of time is one of each. */
void filter_matcher_restart(struct filter_matcher *matcher);

/* ---- filter_tables.c: the tables of the fields that definitions decide ---- */

/* Fills test->table; numbers among these fields need their spans first. */
bool filter_make_table(struct filter_test *test, const struct filter_input *in);

/* ---- filter_detail.c: events with details, attributes ---- */

/* The fields detail, object, value, comm, bytes and peer of an event's detail. */
enum verdict filter_detail_verdict(const struct filter_test *test, const struct trace *trace,
				   uint32_t id);
/* The fields object and value of any event's attributes. */
enum verdict filter_attributes_verdict(const struct filter_test *test, const struct trace *trace,
				       uint32_t event);
/* The same of all ghosts' events, asked of their processes: test->far. */
void filter_attributes_ask(struct filter_test *test, const struct trace *trace);
/* The site at which a sample was taken; false for other events. */
bool filter_detail_site(const struct trace *trace, uint32_t id, uint32_t *site);
