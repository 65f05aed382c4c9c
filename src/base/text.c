#include "base/text.h"

#include <string.h>
#include <utf8proc.h>

#include "base/str.h"

uint32_t text_next(const char **text, int *width)
{
	while (**text) {
		const unsigned char byte = (unsigned char)**text;
		utf8proc_int32_t ch;
		utf8proc_ssize_t n;

		/* What most text is made of. */
		if (byte >= ' ' && byte < 0x7f) {
			++*text;
			*width = 1;
			return byte;
		}
		n = utf8proc_iterate((const utf8proc_uint8_t *)*text, -1, &ch);
		if (n <= 0) { /* text is clean by contract; never hang on text that is not */
			(*text)++;
			*width = 1;
			return '?';
		}
		*text += n;
		*width = utf8proc_charwidth(ch);
		if (*width > 0)
			return (uint32_t)ch;
	}
	return 0;
}

int text_width(const char *text)
{
	const char *p = text;
	int sum, width;

	while (*p >= ' ' && *p < 0x7f) /* most text is that alone */
		p++;
	sum = (int)(p - text);
	while (text_next(&p, &width))
		sum += width;
	return sum;
}

void text_add_blanks(struct str *out, int blanks)
{
	const size_t n = blanks > 0 ? (size_t)blanks : 0;

	if (n)
		str_end(out, (char *)memset(str_room(out, n), ' ', n) + n);
}

size_t text_fit(const char *text, int width)
{
	const char *p = text;
	for (int used = 0;;) {
		const char *before = p;
		int w;
		if (!text_next(&p, &w))
			return (size_t)(p - text);
		used += w;
		if (used > width)
			return (size_t)(before - text);
	}
}

/* ---- words ---- */

enum { WORD_LIMIT = 32 };

/* Edits (insert, delete, replace, swap of neighbours) between two words. */
static unsigned distance(const char *a, const char *b)
{
	const size_t na = strlen(a), nb = strlen(b);
	unsigned d[WORD_LIMIT + 1][WORD_LIMIT + 1];

	if (na > WORD_LIMIT || nb > WORD_LIMIT)
		return UINT32_MAX;
	for (unsigned i = 0; i <= na; i++)
		d[i][0] = i;
	for (unsigned k = 0; k <= nb; k++)
		d[0][k] = k;
	for (size_t i = 1; i <= na; i++)
		for (size_t k = 1; k <= nb; k++) {
			unsigned best = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
			if (d[i - 1][k] + 1 < best)
				best = d[i - 1][k] + 1;
			if (d[i][k - 1] + 1 < best)
				best = d[i][k - 1] + 1;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
			    d[i - 2][k - 2] + 1 < best)
				best = d[i - 2][k - 2] + 1;
			d[i][k] = best;
		}
	return d[na][nb];
}

const char *nearest_word(const char *typed, const char *const *words)
{
	const char *best = NULL;
	unsigned least = strlen(typed) < 5 ? 2 : 3;

	for (; *words; words++) {
		const unsigned d = distance(typed, *words);
		if (d < least) {
			least = d;
			best = *words;
		}
	}
	return best;
}
