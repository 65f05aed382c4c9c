#include "model/filter/filter_alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/filter/filter_compiled.h"

struct filter_alone {
	char *text;
	struct filter_tree tree;
	struct timescale scale;
	VEC(struct filter_test) tests; /* in the order of its terms */
	VEC(char *) names;
	VEC(uint8_t) verdicts; /* [name][test] */
};

static struct filter_input input_of(const struct filter_alone *f, size_t term, struct err *err)
{
	return (struct filter_input){ .term = &f->tree.terms.data[term],
				      .field = &filter_fields[f->tree.terms.data[term].field],
				      .scale = &f->scale,
				      .text = f->text,
				      .err = err };
}

static bool compile_test(struct filter_alone *f, size_t term, struct err *err)
{
	const struct filter_input in = input_of(f, term, err);
	struct filter_test *test = vec_add(&f->tests);
	struct filter_matcher *matcher;

	test->field = (enum filter_field)in.term->field;
	test->negate =
		in.term->op == OP_NE || in.term->op == OP_NO_MATCH || in.term->op == OP_NOT_IN;
	switch (test->field) {
	case FILTER_RANK:
	case FILTER_THREAD:
	case FILTER_DUR: return filter_make_spans(test, &in);
	case FILTER_REGION: break;
	default:
		return FILTER_MISTAKE(&in, in.term->offset,
				      "while a program runs only region, rank, thread and dur of a "
				      "visit are known, not %s",
				      filter_fields[test->field].name);
	}
	matcher = filter_matcher_new(&in);
	filter_matcher_free(matcher);
	return matcher != NULL;
}

struct filter_alone *filter_alone_new(const char *text, const struct timescale *scale,
				      struct err *err)
{
	struct filter_alone *f = xcalloc(1, sizeof *f);
	bool ok;

	f->text = xstrdup(text);
	f->scale = *scale;
	ok = filter_parse(&f->tree, f->text, err);
	if (ok && !f->tree.nodes.n)
		ok = err_set(err, STATUS_USAGE, "the filter is empty");
	for (size_t i = 0; ok && i < f->tree.terms.n; i++)
		ok = compile_test(f, i, err);
	if (ok)
		return f;
	filter_alone_free(f);
	return NULL;
}

void filter_alone_free(struct filter_alone *f)
{
	struct filter_test *test;
	char **name;

	if (!f)
		return;
	vec_each (test, &f->tests)
		vec_fini(&test->spans);
	vec_each (name, &f->names)
		free(*name);
	vec_fini(&f->tests);
	vec_fini(&f->names);
	vec_fini(&f->verdicts);
	filter_tree_fini(&f->tree);
	free_all(f->text, f);
}

static int64_t least_of(const struct filter_alone *f, uint32_t id)
{
	const struct filter_node *node = &f->tree.nodes.data[id];
	const struct filter_test *test;
	int64_t left, right;

	if (node->type == NODE_NOT)
		return INT64_MIN;
	if (node->type == NODE_TEST) {
		test = &f->tests.data[node->left];
		if (test->field != FILTER_DUR || test->negate)
			return INT64_MIN;
		return test->spans.n ? test->spans.data[0].first : INT64_MAX;
	}
	left = least_of(f, node->left);
	right = least_of(f, node->right);
	return (left < right) == (node->type == NODE_AND) ? right : left;
}

int64_t filter_alone_least(const struct filter_alone *f)
{
	return least_of(f, f->tree.root);
}

/* A matcher a name: they may be asked for over hours, and its time is limited. */
static uint8_t verdict_on(const struct filter_alone *f, size_t test, const char *name)
{
	struct err ignored = ERR_INIT;
	const struct filter_input in = input_of(f, test, &ignored);
	struct filter_matcher *matcher = filter_matcher_new(&in);
	uint8_t verdict = VERDICT_ABSENT;

	if (!matcher || !filter_matcher_test(matcher, name, strlen(name), &verdict))
		verdict = VERDICT_ABSENT;
	filter_matcher_free(matcher);
	return verdict;
}

uint32_t filter_alone_region(struct filter_alone *f, const char *name)
{
	for (size_t i = 0; i < f->names.n; i++)
		if (!strcmp(f->names.data[i], name))
			return (uint32_t)i;
	vec_push(&f->names, xstrdup(name));
	for (size_t test = 0; test < f->tests.n; test++)
		vec_push(&f->verdicts, f->tests.data[test].field == FILTER_REGION
					       ? verdict_on(f, test, name)
					       : (uint8_t)VERDICT_ABSENT);
	return (uint32_t)(f->names.n - 1);
}

static bool test_matches(const struct filter_alone *f, size_t i,
			 const struct filter_alone_visit *visit)
{
	const struct filter_test *test = &f->tests.data[i];
	enum verdict verdict;

	switch (test->field) {
	case FILTER_RANK: verdict = filter_spans_verdict(test, visit->rank); break;
	case FILTER_THREAD: verdict = filter_spans_verdict(test, visit->thread); break;
	case FILTER_DUR: verdict = filter_spans_verdict(test, visit->dur); break;
	default: verdict = f->verdicts.data[visit->region * f->tests.n + i]; break;
	}
	return verdict == (test->negate ? VERDICT_MISS : VERDICT_HIT);
}

/* The depth of this recursion is bounded by the limits of the parser. */
static bool node_matches(const struct filter_alone *f, uint32_t id,
			 const struct filter_alone_visit *visit)
{
	const struct filter_node *node = &f->tree.nodes.data[id];

	switch (node->type) {
	case NODE_TEST: return test_matches(f, node->left, visit);
	case NODE_NOT: return !node_matches(f, node->left, visit);
	case NODE_AND:
		return node_matches(f, node->left, visit) && node_matches(f, node->right, visit);
	case NODE_OR:
		return node_matches(f, node->left, visit) || node_matches(f, node->right, visit);
	}
	return false;
}

bool filter_alone_matches(const struct filter_alone *f, const struct filter_alone_visit *visit)
{
	return node_matches(f, f->tree.root, visit);
}
