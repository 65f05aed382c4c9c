/* Makes a filter of a parsed expression and a trace. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/filter/filter_compiled.h"
#include "model/trace/halo.h"

static bool compile_test(struct filter *filter, const struct filter_term *term,
			 enum filter_symbols symbols, struct err *err)
{
	struct filter_test *const test = vec_add(&filter->tests);
	const struct filter_input in = { term,
					 &filter_fields[term->field],
					 filter->trace,
					 trace_scale(filter->trace),
					 filter->text,
					 symbols,
					 err };

	test->field = (enum filter_field)term->field;
	test->subject = filter_fields[term->field].subject;
	test->negate = term->op == OP_NE || term->op == OP_NO_MATCH || term->op == OP_NOT_IN;
	if (term->field == FILTER_DUR && !filter->ends)
		filter->ends = visit_ends_new(filter->trace);
	if (term->field == FILTER_EVENT && !filter->numbers)
		filter->numbers = trace_first_numbers(filter->trace);
	if (filter_fields[term->field].type != TYPE_TEXT && !filter_make_spans(test, &in))
		return false;
	if (test->subject != SUBJECT_NOTHING && !filter_make_table(test, &in))
		return false;
	if (term->field == FILTER_OBJECT || term->field == FILTER_VALUE)
		filter_attributes_ask(test, filter->trace);
	return true;
}

/* Of one kind at first, locations are parted by each test in turn. O(tests x locations). */
static void find_kinds(struct filter *filter)
{
	enum { VERDICTS = VERDICT_HIT + 1 };
	const uint32_t n = trace_location_count(filter->trace);
	uint32_t *kind = xcalloc((size_t)n + 1, sizeof *kind);
	uint32_t *parted = xmalloc(((size_t)n + 1) * VERDICTS * sizeof *parted);
	uint32_t kinds = n > 0;
	const struct filter_test *test;

	vec_each (test, &filter->tests) {
		if (test->subject != SUBJECT_LOCATION)
			continue;
		memset(parted, 0xff, (size_t)kinds * VERDICTS * sizeof *parted);
		kinds = 0;
		for (uint32_t l = 0; l < n; l++) {
			uint32_t *part = &parted[kind[l] * VERDICTS + test->table[l]];
			if (*part == UINT32_MAX)
				*part = kinds++;
			kind[l] = *part;
		}
	}
	/* Kinds are numbered in the order of their first locations. */
	for (uint32_t l = 0; l < n; l++)
		if (kind[l] == filter->kinds.n)
			vec_push(&filter->kinds, l);
	free_all(kind, parted);
}

struct filter *filter_of_tree(struct filter_tree *tree, const char *text,
			      enum filter_symbols symbols, const struct trace *trace,
			      struct err *err)
{
	struct filter *const filter = xcalloc(1, sizeof *filter);
	const struct filter_term *term;
	bool ok = true;

	filter->text = xstrdup(text);
	filter->trace = trace;
	for (term = tree->terms.data; ok && term < tree->terms.data + tree->terms.n; term++)
		ok = compile_test(filter, term, symbols, err);
	filter->nodes = tree->nodes.data;
	filter->n_nodes = tree->nodes.n;
	filter->root = tree->root;
	tree->nodes.data = NULL;
	filter_tree_fini(tree);
	if (ok) {
		find_kinds(filter);
		return filter;
	}
	filter_free(filter);
	return NULL;
}

struct filter *filter_compile(const char *text, const struct trace *trace, struct err *err)
{
	struct filter_tree tree;

	if (filter_parse(&tree, text, err))
		return filter_of_tree(&tree, text, SYMBOLS_EXPRESSION, trace, err);
	filter_tree_fini(&tree);
	return NULL;
}

void filter_free(struct filter *filter)
{
	struct filter_test *test;

	if (!filter)
		return;
	vec_each (test, &filter->tests) {
		free_all(test->table, test->far);
		vec_fini(&test->spans);
	}
	vec_fini(&filter->tests);
	vec_fini(&filter->kinds);
	visit_ends_free(filter->ends);
	free_all(filter->numbers, filter->nodes, filter->text, filter);
}

const char *filter_text(const struct filter *filter)
{
	return filter ? filter->text : "";
}
