/* Values of JSON, found by their brackets and quotes: what is damaged is changed as it is. */
#include <stdbool.h>
#include <string.h>

#include "harness/mutate.h"
#include "harness/mutate_pieces.h"

/* The piece's end: after a string, a number or word, or the bracket that closes. */
static size_t value_end(const struct change *c, size_t at)
{
	size_t depth = 0;

	for (bool quoted = false; at < c->size; at++) {
		const uint8_t byte = c->data[at];
		if (quoted && byte == '\\')
			at++;
		else if (byte == '"')
			quoted = !quoted;
		else if (!quoted && (byte == '{' || byte == '['))
			depth++;
		else if (!quoted && (byte == '}' || byte == ']'))
			depth -= depth > 0;
		else if (quoted || depth || !memchr(" \n,:", byte, 4))
			continue;
		if (!quoted && !depth)
			return memchr(" \n,:", byte, 4) ? at : at + 1;
	}
	return c->size;
}

/* A value or key that begins at a place that is picked, or after it. */
static struct piece some_value(struct change *c)
{
	size_t at = pieces_below(c, c->size), end;

	while (at > 0 && !memchr("{[,:\n", c->data[at - 1], 5))
		at--;
	while (at < c->size && memchr(" \n,", c->data[at], 3))
		at++;
	end = at < c->size ? value_end(c, at) : at;
	return (struct piece){ at, end < c->size ? end - at : c->size - at };
}

/* A value with its key, or what else is between commas, and the comma after it. */
static struct piece with_comma(const struct change *c, struct piece value)
{
	size_t end = value.at + value.n;

	if (end < c->size && c->data[end] == ':')
		end = value_end(c, end + 1 < c->size ? end + 1 : end);
	while (end < c->size && (c->data[end] == ',' || c->data[end] == '\n'))
		end++;
	return (struct piece){ value.at, end - value.at };
}

size_t mutate_json(uint8_t *data, size_t size, size_t most, unsigned seed, const char *const *words)
{
	struct change c = pieces_change(data, size, most, seed);
	size_t n_words = 0;

	while (words[n_words])
		n_words++;
	if (size == 0 || pieces_below(&c, 4) == 0)
		return LLVMFuzzerMutate(data, size, most);
	for (size_t n = 1 + pieces_below(&c, 3); n > 0 && c.size > 0; n--) {
		const struct piece value = some_value(&c), other = some_value(&c);
		const char *word = words[pieces_below(&c, n_words)];

		switch (pieces_below(&c, 3)) {
		case 0: pieces_replace(&c, value, word, strlen(word)); break;
		case 1: pieces_alter(&c, value, other); break;
		default: pieces_alter(&c, with_comma(&c, value), with_comma(&c, other));
		}
	}
	return c.size;
}
