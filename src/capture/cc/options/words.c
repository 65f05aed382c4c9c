#include "capture/cc/options/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

void words_fini(struct words *words)
{
	for (size_t i = 0; i < words->list.n; i++)
		free(words->list.data[i]);
	vec_fini(&words->list);
}

static void take_word(struct words *words, char *take)
{
	vec_reserve(&words->list, 2);
	words->list.data[words->list.n++] = take;
	words->list.data[words->list.n] = NULL;
}

void words_add(struct words *words, const char *word)
{
	take_word(words, xstrdup(word));
}

void words_add_all(struct words *words, char *const *argv)
{
	for (; *argv; argv++)
		words_add(words, *argv);
}

/* One word from *at, which is moved after it. */
static char *split_word(const char **at)
{
	struct str word = STR_INIT;
	char quote = '\0';
	const char *p = *at;

	for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
		if (*p == '\\' && p[1])
			str_add_char(&word, *++p);
		else if (quote && *p == quote)
			quote = '\0';
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
		else if (*p != '\\')
			str_add_char(&word, *p);
	}
	*at = p;
	return word.n ? str_take(&word) : xstrdup("");
}

void words_split(struct words *words, const char *text)
{
	for (;;) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			return;
		take_word(words, split_word(&text));
	}
}

void words_join(struct str *out, const char *word)
{
	if (out->n)
		str_add_char(out, ' ');
	if (!*word)
		str_add(out, "\"\"");
	for (; *word; word++) {
		if (isspace((unsigned char)*word) || strchr("\\'\"", *word))
			str_add_char(out, '\\');
		str_add_char(out, *word);
	}
}

/* False if the file cannot be read completely. */
static bool read_text(const char *path, struct str *text)
{
	char bytes[4096];
	struct stat st;
	FILE *f;
	size_t n;
	bool ok;

	if (stat(path, &st) != 0 || S_ISDIR(st.st_mode) || !(f = fopen(path, "re")))
		return false;
	while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
		str_add_n(text, bytes, n);
	ok = !ferror(f);
	fclose(f);
	return ok;
}

void words_expand(struct words *words, char *const *argv)
{
	enum { MOST = 2000 }; /* files, as in libiberty: they may name themselves */
	ENDED_BY(words_fini) struct words rest = WORDS_INIT;
	unsigned files = 0;
	size_t count;

	/* `rest` has the words that were not read yet, in reverse order. */
	for (count = 0; argv[count]; count++)
		continue;
	while (count > 0)
		words_add(&rest, argv[--count]);
	while (rest.list.n) {
		char *word = rest.list.data[--rest.list.n];
		OWNED_STR text = STR_INIT;
		ENDED_BY(words_fini) struct words inner = WORDS_INIT;
		if (word[0] != '@' || files >= MOST || !read_text(word + 1, &text)) {
			take_word(words, word);
			continue;
		}
		files++;
		words_split(&inner, text.text);
		while (inner.list.n)
			take_word(&rest, inner.list.data[--inner.list.n]);
		free(word);
	}
}

static bool search_list(const char *list, const char *word, bool whole)
{
	for (size_t n; *list; list += n, list += strspn(list, " ")) {
		n = strcspn(list, " ");
		if (!strncmp(word, list, n) && (!whole || !word[n]))
			return true;
	}
	return false;
}

bool words_have(const char *list, const char *word)
{
	return search_list(list, word, true);
}

bool words_begin(const char *list, const char *word)
{
	return search_list(list, word, false);
}
