/* Makes a filter of a parsed expression and a trace. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/filter/filter_compiled.h"

static bool compile_test(struct filter *filter, const struct filter_term *term, struct err *err)
{
	struct filter_test *const test = vec_add(&filter->tests);
	const struct filter_input in = { term, filter->trace, filter->text, err };

	test->field = term->field;
	test->subject = filter_fields[term->field].subject;
	test->negate = term->op == OP_NE || term->op == OP_NO_MATCH || term->op == OP_NOT_IN;
	if (term->field == FILTER_DUR && !filter->visits)
		filter->visits = visits_new(filter->trace);
	if (filter_fields[term->field].type != TYPE_TEXT && !filter_make_spans(test, &in))
		return false;
	return test->subject == SUBJECT_NOTHING || filter_make_table(test, &in);
}

struct filter *filter_compile(const char *text, const struct trace *trace, struct err *err)
{
	struct filter *const filter = xcalloc(1, sizeof *filter);
	const struct filter_term *term;
	struct filter_tree tree;
	bool ok;

	filter->text = xstrdup(text);
	filter->trace = trace;
	ok = filter_parse(&tree, filter->text, err);
	for (term = tree.terms.data; ok && term < tree.terms.data + tree.terms.n; term++)
		ok = compile_test(filter, term, err);
	filter->nodes = tree.nodes.data;
	filter->n_nodes = tree.nodes.n;
	filter->root = tree.root;
	tree.nodes.data = NULL;
	filter_tree_fini(&tree);
	if (ok)
		return filter;
	filter_free(filter);
	return NULL;
}

void filter_free(struct filter *filter)
{
	struct filter_test *test;

	if (!filter)
		return;
	vec_each (test, &filter->tests) {
		free(test->table);
		vec_fini(&test->spans);
	}
	vec_fini(&filter->tests);
	visits_free(filter->visits);
	free_all(filter->nodes, filter->text, filter);
}

const char *filter_text(const struct filter *filter)
{
	return filter ? filter->text : "";
}
