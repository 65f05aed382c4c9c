#include "patterns/topology/topology_option.h"

#include <string.h>

/* Names of dimensions for `flip`: x, y, z, then the letters before them. */
static const char letters[] = "xyzuvwst";

static bool is_none(const char *text, struct err *err)
{
	char clean[64];

	str_clean(clean, sizeof clean, text, strlen(text));
	return err_set(err, STATUS_USAGE,
		       "invalid topology '%s' (examples: 4x4x2, 4x4,order=col,flip=y, guess)",
		       clean);
}

/* A size: 1 to a million, more than any machine has in one dimension. */
static bool parse_size(const char **p, uint32_t *size)
{
	enum { LARGEST = 1000000 };

	*size = 0;
	if (**p < '0' || **p > '9')
		return false;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		*size = 10 * *size + (uint32_t)(**p - '0');
		if (*size > LARGEST)
			return false;
	}
	return *size > 0;
}

static bool parse_sizes(const char **p, struct wish *wish)
{
	do {
		if (wish->dims == GRID_DIMS || !parse_size(p, &wish->size[wish->dims]))
			return false;
		wish->dims++;
	} while (**p == 'x' && ++*p);
	return true;
}

static bool starts(const char **p, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static bool parse_flip(const char **p, struct wish *wish)
{
	const char *begin = *p;

	for (; **p && **p != ','; ++*p) {
		const char *at = strchr(letters, **p);
		if (!at || at - letters >= (int)wish->dims)
			return false;
		wish->flip[at - letters] = true;
	}
	return *p > begin;
}

bool wish_parse(const char *text, struct wish *wish, struct err *err)
{
	const char *p = text;

	*wish = (struct wish){ .guess = strcmp(text, "guess") == 0 };
	if (wish->guess)
		return true;
	if (!parse_sizes(&p, wish))
		return is_none(text, err);
	while (*p == ',') {
		p++;
		if (starts(&p, "order=col"))
			wish->col = true;
		else if (starts(&p, "order=row"))
			wish->col = false;
		else if (!starts(&p, "flip=") || !parse_flip(&p, wish))
			return is_none(text, err);
	}
	return !*p || is_none(text, err);
}
