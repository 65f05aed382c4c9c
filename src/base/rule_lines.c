#include "base/rule_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { FILE_MOST = 1 << 20 };

static const char *const kind_names[RULE_KINDS] = {
	[RULE_ONLY] = "only",
	[RULE_EXCLUDE] = "exclude",
	[RULE_NO_LOOPS] = "no-loops",
	[RULE_ITERATIONS] = "iterations",
};

const char *rule_kind_name(enum rule_kind kind)
{
	return kind_names[kind];
}

struct reading {
	rule_taker *take;
	void *context;
};

/* `line` is without its line break and is written into. */
static bool read_line(const struct reading *r, char *line, const char *place, struct err *err)
{
	static const char blanks[] = " \t\r";
	char *word = line + strspn(line, blanks);
	const size_t n = strcspn(word, blanks);
	char *pattern = word + n + strspn(word + n, blanks);
	size_t end = strlen(pattern);

	if (!*word || *word == '#')
		return true;
	while (end > 0 && strchr(blanks, pattern[end - 1]))
		pattern[--end] = '\0';
	for (unsigned kind = 0; kind < RULE_KINDS; kind++) {
		const bool needs = kind == RULE_ONLY || kind == RULE_EXCLUDE;
		if (strlen(kind_names[kind]) != n || strncmp(kind_names[kind], word, n) != 0)
			continue;
		if (needs && !*pattern)
			return err_set(err, STATUS_USAGE, "%s: %s needs a pattern", place,
				       kind_names[kind]);
		return r->take(r->context, (enum rule_kind)kind, *pattern ? pattern : NULL, place,
			       err);
	}
	return err_set(err, STATUS_USAGE,
		       "%s: unknown rule '%.*s' (only, exclude, no-loops, iterations)", place,
		       (int)(n > 40 ? 40 : n), word);
}

/* The whole file; NULL with err. It may be a pipe, and may have no end. */
static char *read_text(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	bool ok = false;
	char *text;
	size_t n;

	if (!f) {
		err_errno(err, STATUS_IO, "%s: cannot open the file of rules", path);
		return NULL;
	}
	text = xmalloc(FILE_MOST + 1);
	n = fread(text, 1, FILE_MOST + 1, f);
	if (ferror(f))
		err_errno(err, STATUS_IO, "%s: cannot read the file of rules", path);
	else if (n > FILE_MOST)
		err_set(err, STATUS_IO, "%s: not a file of rules (it has more than %d MiB)", path,
			FILE_MOST >> 20);
	else if (memchr(text, '\0', n))
		err_set(err, STATUS_IO, "%s: not a text file (it contains NUL bytes)", path);
	else
		ok = true;
	fclose(f);
	if (!ok) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

bool rule_lines_read(const char *path, rule_taker *take, void *context, struct err *err)
{
	const struct reading r = { take, context };
	static const char mark[] = "\xef\xbb\xbf"; /* some editors put it before UTF-8 */
	OWNED char *text = read_text(path, err);
	bool ok = text != NULL;
	char *line = text;

	if (ok && strncmp(text, mark, sizeof mark - 1) == 0)
		line += sizeof mark - 1;
	for (unsigned number = 1; ok && line; number++) {
		char *end = strchr(line, '\n');
		OWNED_STR place = STR_INIT;
		if (end)
			*end++ = '\0';
		str_add_fmt(&place, "%s:%u", path, number);
		ok = read_line(&r, line, place.text, err);
		line = end;
	}
	return ok;
}
