#include "harness/mutate.h"

#include <stdbool.h>
#include <string.h>

#include "harness/mutate_pieces.h"

/* ---- lines ---- */

/* One of the lines, with its line feed. */
static struct piece some_line(struct change *c)
{
	const size_t at = pieces_below(c, c->size);
	size_t from = at, to = at;

	while (from > 0 && c->data[from - 1] != '\n')
		from--;
	while (to < c->size && c->data[to] != '\n')
		to++;
	return (struct piece){ from, (to < c->size ? to + 1 : to) - from };
}

static size_t word_end(const struct change *c, size_t at, size_t end)
{
	const bool quoted = at < end && c->data[at] == '"';

	for (at += quoted; at < end; at++)
		if (quoted ? c->data[at] == '"' : c->data[at] == ' ')
			return at + quoted;
	return end;
}

/* The nth word of a line, or its last one. */
static struct piece word_of(const struct change *c, struct piece line, size_t nth)
{
	const size_t end = line.at + line.n - (line.n && c->data[line.at + line.n - 1] == '\n');
	struct piece word = { line.at, 0 };

	for (size_t at = line.at, i = 0; at < end && i <= nth; i++) {
		while (at < end && c->data[at] == ' ')
			at++;
		if (at == end)
			break;
		word = (struct piece){ at, word_end(c, at, end) - at };
		at = word.at + word.n;
	}
	return word;
}

static void change_number(struct change *c, struct piece word)
{
	static const char *const numbers[] = {
		"0",
		"1",
		"-1",
		"2",
		"3",
		"-2",
		"7",
		"255",
		"65536",
		"2147483647",
		"-901",
		"-21",
		"-22",
		"-51",
		"-52",
		"4294967295",
		"-2147483648",
		"1e9",
		"0.5",
		"-0.0",
		"00",
		"-3",
		"-4",
		"-5",
		"-6",
		"-7",
		"-8",
		"-9",
		"-10",
		"-101",
		"-102",
		"-201",
		"-900",
		"1000000",
		"9223372036854775807",
		".",
		"+1",
		"18446744073709551616",
		"0.000000000000000001",
	};
	const char *with = numbers[pieces_below(c, sizeof numbers / sizeof *numbers)];

	pieces_replace(c, word, with, strlen(with));
}

static void change_descriptor(struct change *c, struct piece word)
{
	static const char *const descriptors[] = {
		"\"%d\"", "\"%c\"",   "\"%s\"",      "\"%2d\"",     "\"%d%d\"",   "\"%1d%4c\"",
		"\"%f\"", "\"%lf\"",  "\"%d%c%lf\"", "\"%99999d\"", "2",          "0",
		"\"%\"",  "\"%-1d\"", "\"\"",        "\"%hd%ld\"",  "\"%e%g%u\"", "-1"
	};
	const char *with = descriptors[pieces_below(c, sizeof descriptors / sizeof *descriptors)];

	pieces_replace(c, word, with, strlen(with));
}

static void change_word(struct change *c)
{
	const struct piece line = some_line(c), other = some_line(c);
	const size_t nth = pieces_below(c, 12);
	const struct piece word = word_of(c, line, nth);

	switch (pieces_below(c, 5)) {
	case 0: change_descriptor(c, word_of(c, line, 6)); break;
	case 1: pieces_copy(c, word_of(c, other, nth), word); break; /* the same column */
	case 2: pieces_alter(c, word, word_of(c, line, pieces_below(c, 12))); break;
	default: change_number(c, word);
	}
}

size_t mutate_lines(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct change c = pieces_change(data, size, most, seed);

	if (size == 0 || pieces_below(&c, 2) == 0)
		return LLVMFuzzerMutate(data, size, most);
	for (size_t n = 1 + pieces_below(&c, 3); n > 0 && c.size > 0; n--)
		if (pieces_below(&c, 3) == 0)
			pieces_alter(&c, some_line(&c), some_line(&c));
		else
			change_word(&c);
	return c.size;
}

/* ---- words ---- */

static struct piece some_word(struct change *c)
{
	size_t from = pieces_below(c, c->size), to = from;

	while (from > 0 && c->data[from - 1] != ' ')
		from--;
	while (to < c->size && c->data[to] != ' ')
		to++;
	return (struct piece){ from, to - from };
}

/* With the blank after it. */
static struct piece with_blank(const struct change *c, struct piece word)
{
	return (struct piece){ word.at, word.n + (word.at + word.n < c->size) };
}

static void add_word(struct change *c, size_t at, const char *word)
{
	pieces_replace(c, (struct piece){ at, 0 }, " ", 1);
	pieces_replace(c, (struct piece){ at, 0 }, word, strlen(word));
}

size_t mutate_words(uint8_t *data, size_t size, size_t most, unsigned seed,
		    const char *const *words)
{
	struct change c = pieces_change(data, size, most, seed);
	size_t n_words = 0;

	while (words[n_words])
		n_words++;
	if (size == 0 || pieces_below(&c, 4) == 0)
		return LLVMFuzzerMutate(data, size, most);
	for (size_t n = 1 + pieces_below(&c, 3); n > 0 && c.size > 0; n--) {
		const struct piece a = some_word(&c), b = some_word(&c);
		const char *word = words[pieces_below(&c, n_words)];

		switch (pieces_below(&c, 3)) {
		case 0: pieces_replace(&c, a, word, strlen(word)); break;
		case 1: add_word(&c, a.at, word); break;
		default: pieces_alter(&c, with_blank(&c, a), with_blank(&c, b));
		}
	}
	return c.size;
}

/* ---- records ---- */

static struct piece some_record(struct change *c, size_t head, size_t width)
{
	return (struct piece){ head + pieces_below(c, (c->size - head) / width) * width, width };
}

static void add_record(struct change *c, size_t width)
{
	uint8_t bytes[PIECE_MOST];

	for (size_t i = 0; i < width; i++)
		bytes[i] = (uint8_t)rng_next(&c->rng);
	pieces_replace(c, (struct piece){ c->size, 0 }, bytes, width);
}

static void change_byte(struct change *c, struct piece record)
{
	static const uint8_t steps[] = { 1, 255, 16, 128, 64, 2 };
	uint8_t *byte = c->data + record.at + pieces_below(c, record.n);

	*byte = pieces_below(c, 2) ? (uint8_t)rng_next(&c->rng)
				   : (uint8_t)(*byte + steps[pieces_below(c, sizeof steps)]);
}

size_t mutate_records(uint8_t *data, size_t size, size_t most, unsigned seed, size_t head,
		      size_t width)
{
	struct change c = pieces_change(data, size, most, seed);

	if (size < head || pieces_below(&c, 4) == 0)
		return LLVMFuzzerMutate(data, size, most);
	for (size_t n = 1 + pieces_below(&c, 3); n > 0; n--) {
		const size_t what = pieces_below(&c, 4);
		if (what == 0 || c.size < head + width)
			add_record(&c, width);
		else if (what == 1)
			pieces_alter(&c, some_record(&c, head, width),
				     some_record(&c, head, width));
		else
			change_byte(&c, some_record(&c, head, width));
	}
	return c.size;
}
