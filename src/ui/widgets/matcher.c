#include "ui/widgets/matcher.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

/* A cell is short: a pattern that needs more steps on it is lost in backtracking. */
enum { STEPS = 100000, HEAP_KIB = 4096 };

struct matcher {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	char *pattern;
};

/* Is there a capital that is not part of an escape such as \W? */
static bool has_capital(const char *pattern)
{
	for (const char *p = pattern; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p >= 'A' && *p <= 'Z')
			return true;
	}
	return false;
}

struct matcher *matcher_new(const char *pattern, struct err *err)
{
	int number;
	PCRE2_SIZE where;
	uint32_t flags = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
	if (!has_capital(pattern))
		flags |= PCRE2_CASELESS;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, flags, &number,
					 &where, NULL);
	if (!code) {
		PCRE2_UCHAR text[160];
		pcre2_get_error_message(number, text, sizeof text);
		err_set(err, STATUS_USAGE, "at character %zu of the pattern: %s", (size_t)where + 1,
			(const char *)text);
		return NULL;
	}
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it matching is slower, no more */
	struct matcher *matcher = xcalloc(1, sizeof *matcher);
	matcher->code = code;
	matcher->data = pcre2_match_data_create_from_pattern(code, NULL);
	matcher->limits = pcre2_match_context_create(NULL);
	if (!matcher->data || !matcher->limits)
		mem_exhausted(sizeof *matcher);
	pcre2_set_match_limit(matcher->limits, STEPS);
	pcre2_set_heap_limit(matcher->limits, HEAP_KIB);
	matcher->pattern = xstrdup(pattern);
	return matcher;
}

void matcher_free(struct matcher *matcher)
{
	if (!matcher)
		return;
	pcre2_match_context_free(matcher->limits);
	pcre2_match_data_free(matcher->data);
	pcre2_code_free(matcher->code);
	free_all(matcher->pattern, matcher);
}

bool matcher_change(struct matcher **matcher, const char *pattern, struct err *err)
{
	struct matcher *fresh = *pattern ? matcher_new(pattern, err) : NULL;

	if (*pattern && !fresh)
		return false;
	matcher_free(*matcher);
	*matcher = fresh;
	return true;
}

bool matcher_hits(const struct matcher *matcher, const char *text, size_t n)
{
	return pcre2_match(matcher->code, (PCRE2_SPTR)text, n, 0, PCRE2_NO_UTF_CHECK, matcher->data,
			   matcher->limits) >= 0;
}

bool matcher_find(const struct matcher *matcher, const char *text, size_t n, size_t from,
		  size_t *begin, size_t *end)
{
	if (pcre2_match(matcher->code, (PCRE2_SPTR)text, n, from, PCRE2_NO_UTF_CHECK, matcher->data,
			matcher->limits) < 0)
		return false;
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(matcher->data);
	*begin = ends[0];
	*end = ends[1] > ends[0] ? ends[1] : ends[0];
	return true;
}

size_t matcher_paint(const struct matcher *matcher, struct canvas *canvas, struct rect row, int x,
		     const struct str *text, size_t at)
{
	size_t begin, end;
	if (!matcher || at > text->n ||
	    !matcher_find(matcher, text->text, text->n, at, &begin, &end) || end == begin)
		return 0;
	OWNED char *head = xstrndup(text->text, end);
	const int behind = x + text_width(head), edge = row.x + row.w;
	head[begin] = '\0';
	const int first = x + text_width(head);
	const int left = first > row.x ? first : row.x, right = behind < edge ? behind : edge;
	if (left < right)
		canvas_paint(canvas, (struct rect){ left, row.y, right - left, 1 }, ROLE_MATCH,
			     ROLE_MATCH, 0);
	return end;
}

const char *matcher_pattern(const struct matcher *matcher)
{
	return matcher->pattern;
}
