/* Makes a sequence of a parsed pattern and a trace. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/filter/filter_compiled.h"
#include "model/filter/sequence_state.h"

/* What may come after a place. */
struct following {
	uint64_t elements; /* as bits */
	bool end;          /* nothing: the match ends */
};

static uint64_t bit(unsigned element)
{
	return (uint64_t)1 << element;
}

/* Whether places may be empty, and with which elements they begin. */
static void find_first(struct sequence *s, uint64_t *first)
{
	for (uint32_t i = 0; i < s->n_places; i++) {
		struct sequence_place *p = &s->places[i];
		const struct sequence_place *left = &s->places[p->left];
		switch (p->type) {
		case SEQUENCE_ELEMENT: first[i] = bit(p->left); break;
		case SEQUENCE_GAP: p->may_be_empty = true; break;
		case SEQUENCE_CHAIN:
			p->may_be_empty = left->may_be_empty && s->places[p->right].may_be_empty;
			first[i] = first[p->left] | (left->may_be_empty ? first[p->right] : 0);
			break;
		case SEQUENCE_EITHER:
			p->may_be_empty = left->may_be_empty || s->places[p->right].may_be_empty;
			first[i] = first[p->left] | first[p->right];
			break;
		case SEQUENCE_MANY:
		case SEQUENCE_MAYBE:
			p->may_be_empty = left->may_be_empty || p->type == SEQUENCE_MAYBE;
			first[i] = first[p->left];
			break;
		}
	}
}

/* Passes on what comes after a place to those below it. */
static void pass_on(const struct sequence *s, uint32_t i, const uint64_t *first,
		    struct following *after)
{
	const struct sequence_place *p = &s->places[i];
	const bool skip = s->places[p->right].may_be_empty;

	if (p->type <= SEQUENCE_GAP)
		return;
	after[p->left] = after[i];
	switch (p->type) {
	case SEQUENCE_CHAIN:
		after[p->right] = after[i];
		after[p->left].elements = first[p->right] | (skip ? after[i].elements : 0);
		after[p->left].end = skip && after[i].end;
		break;
	case SEQUENCE_EITHER: after[p->right] = after[i]; break;
	case SEQUENCE_MANY: after[p->left].elements |= first[p->left]; break;
	default: break;
	}
}

static bool find_following(struct sequence *s, const struct sequence_tree *tree, struct err *err)
{
	uint64_t first[SEQUENCE_PLACES_MAX] = { 0 };
	struct following after[SEQUENCE_PLACES_MAX] = { { 0 } };

	find_first(s, first);
	after[s->n_places - 1] = (struct following){ 0, true };
	for (uint32_t i = s->n_places; i-- > 0;) {
		struct sequence_place *p = &s->places[i];
		pass_on(s, i, first, after);
		if (p->type == SEQUENCE_ELEMENT && after[i].end)
			s->last |= bit(p->left);
		if (p->type != SEQUENCE_GAP)
			continue;
		s->has_gap = true;
		p->stops = after[i].elements;
		if (after[i].end)
			return err_set_at(err, "sequence", s->text, tree->nodes.data[i].offset,
					  "an element that must be there has to follow ...");
	}
	return !s->places[s->n_places - 1].may_be_empty ||
	       err_set_at(err, "sequence", s->text, 0,
			  "this matches no call at all, too; one element must be there");
}

/* Whether all names are those of libraries, as far as the trace has them. */
static bool names_libraries(const struct sequence *s)
{
	bool library = false;

	for (unsigned e = 0; e < s->n_tests; e++)
		for (uint32_t p = 1; s->tests[e].named && p < trace_callpath_count(s->trace); p++) {
			if (!filter_callpath_anywhere(s->tests[e].filter, p))
				continue;
			if (trace_callpath_class(s->trace, p) == CLASS_USER)
				return false;
			library = true;
		}
	return library;
}

static bool compile_tests(struct sequence *s, struct sequence_tree *tree, struct err *err)
{
	struct sequence_element *element;

	vec_each (element, &tree->elements) {
		struct sequence_test *test = &s->tests[s->n_tests++];
		test->negate = element->negate;
		test->named = element->named;
		test->filter =
			filter_of_tree(&element->tree, s->text, SYMBOLS_SEQUENCE, s->trace, err);
		if (!test->filter)
			return false;
		test->by_call = filter_by_visit(test->filter);
	}
	return true;
}

static void take_places(struct sequence *s, const struct sequence_tree *tree)
{
	s->n_places = (uint32_t)tree->nodes.n;
	for (uint32_t i = 0; i < s->n_places; i++)
		s->places[i] =
			(struct sequence_place){ tree->nodes.data[i].type, tree->nodes.data[i].left,
						 tree->nodes.data[i].right, false, 0 };
}

struct sequence *sequence_compile(const char *text, const struct trace *trace, struct err *err)
{
	struct sequence *s = xcalloc(1, sizeof *s);
	struct sequence_tree tree;
	bool ok;

	s->text = xstrdup(text);
	s->trace = trace;
	ok = sequence_parse(&tree, text, trace_scale(trace), err);
	if (ok) {
		take_places(s, &tree);
		s->among = tree.among;
		s->within = tree.within;
		ok = find_following(s, &tree, err) && compile_tests(s, &tree, err);
	}
	sequence_tree_fini(&tree);
	if (!ok) {
		sequence_free(s);
		return NULL;
	}
	s->skips_user = s->among == SEQUENCE_NONE && names_libraries(s);
	return s;
}

void sequence_free(struct sequence *s)
{
	if (!s)
		return;
	for (unsigned e = 0; e < s->n_tests; e++)
		filter_free(s->tests[e].filter);
	free_all(s->text, s);
}

const char *sequence_text(const struct sequence *sequence)
{
	return sequence->text;
}

bool sequence_skips_user(const struct sequence *sequence)
{
	return sequence->skips_user;
}
