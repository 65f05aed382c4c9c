#include "model/filter/filter_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/filter/filter_compiled.h"

/* Of a column with fractions: both ends are inside. */
struct real_span {
	double first, last;
};

struct row_test {
	unsigned name;
	bool negate;
	struct filter_test numbers;
	struct filter_input in; /* of the matcher, which borrows it */
	struct filter_matcher *matcher;
	VEC(struct real_span) reals;
};

/* What has no && at its top. */
struct part {
	char *text;
	struct filter_tree tree;
	struct row_test *tests; /* in the order of the terms */
};

struct filter_rows {
	VEC(struct part) parts;
	const struct filter_row_name *names; /* [n_names], copied */
	struct filter_field_info *fields;    /* [n_names + FILTER_COUNT] */
	unsigned n_names;
	struct timescale scale;
	filter_cell_of *cell_of;
	void *context;
};

/* ---- numbers with a fraction ---- */

static bool read_real(const struct filter_rows *f, const struct filter_input *in,
		      const struct filter_constant *c, bool time, double *real)
{
	int64_t ps;
	char *end;

	if (!c->value)
		return true;
	if (time && c->type == TOKEN_NUMBER &&
	    units_parse_time(c->value, NULL, &units_picoseconds, &ps, NULL)) {
		*real = (double)ps *
			((double)f->scale.per_second / (double)units_picoseconds.per_second);
		return true;
	}
	if (!time && c->type == TOKEN_NUMBER) {
		*real = strtod(c->value, &end);
		if (*end == '\0')
			return true;
	}
	return FILTER_MISTAKE(in, c->offset, "%s needs %s", in->field->name,
			      time ? "a time (0.25, 250ms, 12us)" : "a number");
}

static struct real_span span_of(enum filter_op op, double real)
{
	switch (op) {
	case OP_LT: return (struct real_span){ -INFINITY, nextafter(real, -INFINITY) };
	case OP_LE: return (struct real_span){ -INFINITY, real };
	case OP_GT: return (struct real_span){ nextafter(real, INFINITY), INFINITY };
	case OP_GE: return (struct real_span){ real, INFINITY };
	default: return (struct real_span){ real, real };
	}
}

static bool make_reals(const struct filter_rows *f, struct row_test *test, bool time)
{
	const struct filter_term *term = test->in.term;
	const struct filter_element *e;

	if (term->op == OP_MATCH || term->op == OP_NO_MATCH)
		return FILTER_MISTAKE(&test->in, term->offset,
				      "%s is a number, patterns are for text",
				      test->in.field->name);
	vec_each (e, &term->set) {
		struct real_span span = { -INFINITY, INFINITY };

		if (!read_real(f, &test->in, &e->first, time, &span.first) ||
		    (e->range && !read_real(f, &test->in, &e->last, time, &span.last)))
			return false;
		vec_push(&test->reals, e->range ? span : span_of(term->op, span.first));
	}
	return true;
}

/* ---- making ---- */

static enum filter_type type_of(enum filter_row_type type)
{
	switch (type) {
	case FILTER_ROW_TEXT: return TYPE_TEXT;
	case FILTER_ROW_RANK: return TYPE_RANK;
	case FILTER_ROW_TIME:
	case FILTER_ROW_REAL_TIME: return TYPE_TIME;
	case FILTER_ROW_BYTES: return TYPE_BYTES;
	default: return TYPE_NUMBER;
	}
}

static bool make_test(struct filter_rows *f, struct part *part, size_t i, struct err *err)
{
	struct row_test *test = &part->tests[i];
	const struct filter_term *term = &part->tree.terms.data[i];

	test->name = term->field;
	test->negate = term->op == OP_NE || term->op == OP_NO_MATCH || term->op == OP_NOT_IN;
	test->in = (struct filter_input){ .term = term,
					  .field = &f->fields[term->field],
					  .scale = &f->scale,
					  .text = part->text,
					  .err = err };
	switch (f->names[test->name].type) {
	case FILTER_ROW_TEXT: test->matcher = filter_matcher_new(&test->in); break;
	case FILTER_ROW_REAL: return make_reals(f, test, false);
	case FILTER_ROW_REAL_TIME: return make_reals(f, test, true);
	default: return filter_make_spans(&test->numbers, &test->in);
	}
	return test->matcher != NULL;
}

/* How many of its comparisons are about columns. */
static size_t of_columns(const struct filter_rows *f, const struct part *part)
{
	const struct filter_term *term;
	size_t n = 0;

	vec_each (term, &part->tree.terms)
		n += term->field < f->n_names;
	return n;
}

static bool add_part(struct filter_rows *f, const char *text, size_t length, struct str *events,
		     struct err *err)
{
	const struct filter_names names = { f->fields, f->n_names + FILTER_COUNT };
	struct part *part = vec_add(&f->parts);
	size_t columns;

	part->text = xstrndup(text, length);
	if (!filter_parse_names(&part->tree, part->text, &names, err))
		return false;
	if (!part->tree.nodes.n)
		return err_set(err, STATUS_USAGE, "a condition is missing beside &&");
	columns = of_columns(f, part);
	if (columns == 0) {
		str_add_fmt(events, "%s(%s)", events->n ? " && " : "", part->text);
		f->parts.n--;
		filter_tree_fini(&part->tree);
		free(part->text);
		return true;
	}
	if (columns < part->tree.terms.n)
		return err_set(err, STATUS_USAGE,
			       "'%s' mixes columns of the table with fields of events: what is "
			       "about one and about the other is joined by && at the top",
			       part->text);
	part->tests = xcalloc(part->tree.terms.n, sizeof *part->tests);
	for (size_t i = 0; i < part->tree.terms.n; i++) {
		if (!make_test(f, part, i, err))
			return false;
		part->tests[i].in.err = NULL;
	}
	return true;
}

/* Ends of parts: the offsets of && outside of parentheses; with || there, too, all is one part.
 * False with err: what cannot be read. */
static bool find_ends(const char *text, size_t *ends, size_t most, size_t *n, struct err *err)
{
	struct filter_lexer lexer = { .text = text };
	unsigned depth = 0;
	bool ok, alternative = false;

	*n = 0;
	while ((ok = filter_lex(&lexer, err)) && lexer.token.type != TOKEN_END) {
		const struct filter_token *t = &lexer.token;
		const bool word = t->type == TOKEN_WORD && !depth;

		depth += t->type == TOKEN_OPEN;
		depth -= t->type == TOKEN_CLOSE && depth;
		alternative |= !depth && (t->type == TOKEN_OR || (word && !strcmp(t->value, "or")));
		if (!depth && (t->type == TOKEN_AND || (word && !strcmp(t->value, "and"))) &&
		    *n < most)
			ends[(*n)++] = t->offset;
	}
	filter_lexer_fini(&lexer);
	*n = alternative ? 0 : *n;
	return ok;
}

static bool add_parts(struct filter_rows *f, const char *text, struct str *events, struct err *err)
{
	size_t ends[FILTER_TESTS_MAX], n, from = 0;

	if (!find_ends(text, ends, FILTER_TESTS_MAX, &n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!add_part(f, text + from, ends[i] - from, events, err))
			return false;
		from = ends[i] + (text[ends[i]] == '&' ? strlen("&&") : strlen("and"));
	}
	return add_part(f, text + from, strlen(text + from), events, err);
}

struct filter_rows *filter_rows_new(const char *text, const struct filter_row_name *names,
				    unsigned n, const struct timescale *scale, struct str *events,
				    struct err *err)
{
	struct filter_rows *f = xcalloc(1, sizeof *f);
	struct filter_row_name *copy = xcalloc(n + 1u, sizeof *copy);

	memcpy(copy, names, n * sizeof *copy);
	f->names = copy;
	f->n_names = n;
	f->scale = *scale;
	f->fields = xcalloc(n + FILTER_COUNT, sizeof *f->fields);
	for (unsigned i = 0; i < n; i++)
		f->fields[i] = (struct filter_field_info){ names[i].name, type_of(names[i].type),
							   SUBJECT_NOTHING };
	memcpy(f->fields + n, filter_fields, FILTER_COUNT * sizeof *f->fields);
	if (strnlen(text, FILTER_TEXT_MAX + 1) > FILTER_TEXT_MAX)
		err_set(err, STATUS_USAGE, "the condition is longer than 64 KiB");
	else if (add_parts(f, text, events, err))
		return f;
	filter_rows_free(f);
	return NULL;
}

void filter_rows_free(struct filter_rows *f)
{
	struct part *part;

	if (!f)
		return;
	vec_each (part, &f->parts) {
		for (size_t i = 0; part->tests && i < part->tree.terms.n; i++) {
			filter_matcher_free(part->tests[i].matcher);
			vec_fini(&part->tests[i].numbers.spans);
			vec_fini(&part->tests[i].reals);
		}
		filter_tree_fini(&part->tree);
		free_all(part->text, part->tests);
	}
	vec_fini(&f->parts);
	free_all((void *)(uintptr_t)f->names, f->fields, f);
}

/* ---- asking ---- */

static enum verdict real_verdict(const struct row_test *test, double real)
{
	const struct real_span *span;

	vec_each (span, &test->reals)
		if (span->first <= real && real <= span->last)
			return VERDICT_HIT;
	return VERDICT_MISS;
}

static enum verdict text_verdict(const struct row_test *test, const char *text)
{
	uint8_t verdict = VERDICT_ABSENT;

	filter_matcher_restart(test->matcher);
	return filter_matcher_test(test->matcher, text, strlen(text), &verdict)
		       ? (enum verdict)verdict
		       : VERDICT_ABSENT;
}

static bool test_matches(const struct filter_rows *f, const struct row_test *test)
{
	enum verdict verdict = VERDICT_ABSENT;
	struct filter_cell cell;

	f->cell_of(f->context, f->names[test->name].column, &cell);
	if (cell.known)
		switch (f->names[test->name].type) {
		case FILTER_ROW_TEXT: verdict = text_verdict(test, cell.text); break;
		case FILTER_ROW_REAL:
		case FILTER_ROW_REAL_TIME: verdict = real_verdict(test, cell.real); break;
		default: verdict = filter_spans_verdict(&test->numbers, cell.integer);
		}
	return verdict == (test->negate ? VERDICT_MISS : VERDICT_HIT);
}

/* The depth of this recursion is bounded by the limits of the parser. */
static bool node_matches(const struct filter_rows *f, const struct part *part, uint32_t id)
{
	const struct filter_node *node = &part->tree.nodes.data[id];

	switch (node->type) {
	case NODE_TEST: return test_matches(f, &part->tests[node->left]);
	case NODE_NOT: return !node_matches(f, part, node->left);
	case NODE_AND:
		return node_matches(f, part, node->left) && node_matches(f, part, node->right);
	case NODE_OR:
		return node_matches(f, part, node->left) || node_matches(f, part, node->right);
	}
	return false;
}

bool filter_rows_match(struct filter_rows *f, filter_cell_of *cell_of, void *context)
{
	const struct part *part;

	f->cell_of = cell_of;
	f->context = context;
	vec_each (part, &f->parts)
		if (!node_matches(f, part, part->tree.root))
			return false;
	return true;
}
