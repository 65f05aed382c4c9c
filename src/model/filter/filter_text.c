/* Text constants and PCRE2 patterns. The patterns come from a person, the subjects from a file:
 * neither may hang or overrun the program, so every match has a limit of steps and
 * memory, all matches of a pattern together have a limit of time, and an exceeded limit is an error
 * that names the pattern, not a silent "no". */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "model/filter/filter_compiled.h"

enum {
	MATCH_STEPS = 1000000, /* some milliseconds */
	MATCH_HEAP_KIB = 16 * 1024,
	JIT_STACK = 1024 * 1024,
	PATTERN_SECONDS = 10, /* for all subjects together */
	CLOCK_EVERY = 64,     /* subjects */
};

struct filter_matcher {
	const struct filter_input *in;
	pcre2_code *code; /* NULL: the constants are compared */
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	int64_t started; /* clock_ms() */
	uint32_t tested;
};

static const struct filter_constant *first_constant(const struct filter_input *in)
{
	return &in->term->set.data[0].first;
}

static bool check_constants(const struct filter_input *in)
{
	const struct filter_term *term = in->term;
	const struct filter_element *element;

	if (term->op >= OP_LT && term->op <= OP_GE)
		return FILTER_MISTAKE(in, term->offset,
				      "text has no order: compare it with == != in !in =~ !~");
	vec_each (element, &term->set) {
		if (element->range)
			return FILTER_MISTAKE(in, element->first.offset, "a range needs numbers");
		if (element->first.type == TOKEN_PATTERN)
			return FILTER_MISTAKE(in, element->first.offset,
					      "a pattern needs =~ or !~");
	}
	return true;
}

static bool compile_pattern(struct filter_matcher *m)
{
	const struct filter_constant *const c = first_constant(m->in);
	const uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
				 (c->caseless ? PCRE2_CASELESS : 0u);
	unsigned char reason[200];
	int code;
	size_t where;

	m->code = pcre2_compile((PCRE2_SPTR)c->value, PCRE2_ZERO_TERMINATED, options, &code, &where,
				NULL);
	if (!m->code) {
		/* Offsets are those of the text but in strings with escapes, where the start is
		 * near enough. */
		const size_t at = c->offset + (c->type == TOKEN_PATTERN ? 1 + where : 0);
		pcre2_get_error_message(code, reason, sizeof reason);
		return FILTER_MISTAKE(m->in, at, "this pattern is not valid (PCRE2: %s)",
				      (const char *)reason);
	}
	m->context = pcre2_match_context_create(NULL);
	m->data = pcre2_match_data_create(1, NULL);
	if (!m->context || !m->data)
		mem_exhausted(1024);
	pcre2_set_match_limit(m->context, MATCH_STEPS);
	pcre2_set_heap_limit(m->context, MATCH_HEAP_KIB);
	/* Without JIT (a hardened kernel, another machine) the interpreter does the same,
	 * slower. */
	if (pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE) == 0) {
		m->stack = pcre2_jit_stack_create(32 * 1024, JIT_STACK, NULL);
		pcre2_jit_stack_assign(m->context, NULL, m->stack);
	}
	return true;
}

struct filter_matcher *filter_matcher_new(const struct filter_input *in)
{
	struct filter_matcher *const m = xcalloc(1, sizeof *m);
	const bool pattern = in->term->op == OP_MATCH || in->term->op == OP_NO_MATCH;
	bool ok;

	m->in = in;
	m->started = clock_ms();
	if (pattern && first_constant(in)->type == TOKEN_NUMBER)
		ok = FILTER_MISTAKE(in, first_constant(in)->offset, "=~ and !~ need a /pattern/");
	else
		ok = pattern ? compile_pattern(m) : check_constants(in);
	if (ok)
		return m;
	filter_matcher_free(m);
	return NULL;
}

void filter_matcher_restart(struct filter_matcher *m)
{
	m->tested = 0;
	m->started = clock_ms();
}

void filter_matcher_free(struct filter_matcher *m)
{
	if (!m)
		return;
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->context);
	pcre2_jit_stack_free(m->stack);
	pcre2_code_free(m->code);
	free(m);
}

static bool out_of_time(struct filter_matcher *m)
{
	return ++m->tested % CLOCK_EVERY == 0 && clock_ms() - m->started > 1000 * PATTERN_SECONDS;
}

static bool match_pattern(struct filter_matcher *m, const char *subject, size_t length,
			  uint8_t *verdict)
{
	const int found =
		pcre2_match(m->code, (PCRE2_SPTR)subject, length, 0, 0, m->data, m->context);

	if (found == PCRE2_ERROR_NOMATCH || found >= 0) {
		*verdict = found >= 0 ? VERDICT_HIT : VERDICT_MISS;
		if (!out_of_time(m))
			return true;
	}
	return FILTER_MISTAKE(m->in, first_constant(m->in)->offset,
			      "this pattern takes too long on the names of this trace; write it "
			      "with fewer nested * and +");
}

bool filter_matcher_test(struct filter_matcher *m, const char *subject, size_t length,
			 uint8_t *verdict)
{
	const struct filter_element *element;

	if (m->code)
		return match_pattern(m, subject, length, verdict);
	*verdict = VERDICT_MISS;
	vec_each (element, &m->in->term->set)
		if (strcmp(element->first.value, subject) == 0)
			*verdict = VERDICT_HIT;
	return true;
}
