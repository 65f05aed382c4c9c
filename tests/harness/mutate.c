#include "harness/mutate.h"

#include <stdbool.h>
#include <string.h>

#include "harness/random.h"

/* libFuzzer's own. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

struct piece {
	size_t at, n;
};

struct change {
	uint8_t *data;
	size_t size, most;
	struct rng rng;
};

static size_t below(struct change *c, size_t n)
{
	return n ? (size_t)(rng_next(&c->rng) % n) : 0;
}

static struct change change_of(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return (struct change){ data, size, most, { seed * UINT64_C(0x9e3779b97f4a7c15) | 1 } };
}

/* Puts n bytes in the place of a piece; nothing where there is no room. `with` is not in the
 * data. */
static void replace(struct change *c, struct piece p, const void *with, size_t n)
{
	if (c->size - p.n + n > c->most)
		return;
	memmove(c->data + p.at + n, c->data + p.at + p.n, c->size - p.at - p.n);
	memcpy(c->data + p.at, with, n);
	c->size += n - p.n;
}

enum { COPY_MOST = 512 };

/* Puts a copy of one piece in the place of another. */
static void copy(struct change *c, struct piece from, struct piece to)
{
	uint8_t bytes[COPY_MOST];
	const size_t n = from.n < COPY_MOST ? from.n : COPY_MOST;

	memcpy(bytes, c->data + from.at, n);
	replace(c, to, bytes, n);
}

static void swap(struct change *c, struct piece a, struct piece b)
{
	uint8_t first[COPY_MOST], second[COPY_MOST];

	if (a.at > b.at) {
		const struct piece t = a;
		a = b;
		b = t;
	}
	if (a.at + a.n > b.at || a.n > COPY_MOST || b.n > COPY_MOST)
		return;
	memcpy(first, c->data + a.at, a.n);
	memcpy(second, c->data + b.at, b.n);
	replace(c, b, first, a.n);
	replace(c, a, second, b.n);
}

static void change_pieces(struct change *c, struct piece a, struct piece b)
{
	switch (below(c, 4)) {
	case 0: replace(c, a, "", 0); break;
	case 1: copy(c, a, (struct piece){ b.at, 0 }); break;
	case 2: copy(c, a, b); break;
	default: swap(c, a, b);
	}
}

/* ---- lines ---- */

/* One of the lines, with its line feed. */
static struct piece some_line(struct change *c)
{
	const size_t at = below(c, c->size);
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
	const char *with = numbers[below(c, sizeof numbers / sizeof *numbers)];

	replace(c, word, with, strlen(with));
}

static void change_descriptor(struct change *c, struct piece word)
{
	static const char *const descriptors[] = {
		"\"%d\"", "\"%c\"",   "\"%s\"",      "\"%2d\"",     "\"%d%d\"",   "\"%1d%4c\"",
		"\"%f\"", "\"%lf\"",  "\"%d%c%lf\"", "\"%99999d\"", "2",          "0",
		"\"%\"",  "\"%-1d\"", "\"\"",        "\"%hd%ld\"",  "\"%e%g%u\"", "-1"
	};
	const char *with = descriptors[below(c, sizeof descriptors / sizeof *descriptors)];

	replace(c, word, with, strlen(with));
}

static void change_word(struct change *c)
{
	const struct piece line = some_line(c), other = some_line(c);
	const size_t nth = below(c, 12);
	const struct piece word = word_of(c, line, nth);

	switch (below(c, 5)) {
	case 0: change_descriptor(c, word_of(c, line, 6)); break;
	case 1: copy(c, word_of(c, other, nth), word); break; /* the same column */
	case 2: change_pieces(c, word, word_of(c, line, below(c, 12))); break;
	default: change_number(c, word);
	}
}

size_t mutate_lines(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct change c = change_of(data, size, most, seed);

	if (size == 0 || below(&c, 2) == 0)
		return LLVMFuzzerMutate(data, size, most);
	for (size_t n = 1 + below(&c, 3); n > 0 && c.size > 0; n--)
		if (below(&c, 3) == 0)
			change_pieces(&c, some_line(&c), some_line(&c));
		else
			change_word(&c);
	return c.size;
}

/* ---- records ---- */

static struct piece some_record(struct change *c, size_t head, size_t width)
{
	return (struct piece){ head + below(c, (c->size - head) / width) * width, width };
}

static void add_record(struct change *c, size_t width)
{
	uint8_t bytes[COPY_MOST];

	for (size_t i = 0; i < width; i++)
		bytes[i] = (uint8_t)rng_next(&c->rng);
	replace(c, (struct piece){ c->size, 0 }, bytes, width);
}

static void change_byte(struct change *c, struct piece record)
{
	static const uint8_t steps[] = { 1, 255, 16, 128, 64, 2 };
	uint8_t *byte = c->data + record.at + below(c, record.n);

	*byte = below(c, 2) ? (uint8_t)rng_next(&c->rng)
			    : (uint8_t)(*byte + steps[below(c, sizeof steps)]);
}

size_t mutate_records(uint8_t *data, size_t size, size_t most, unsigned seed, size_t head,
		      size_t width)
{
	struct change c = change_of(data, size, most, seed);

	if (size < head || below(&c, 4) == 0)
		return LLVMFuzzerMutate(data, size, most);
	for (size_t n = 1 + below(&c, 3); n > 0; n--) {
		const size_t what = below(&c, 4);
		if (what == 0 || c.size < head + width)
			add_record(&c, width);
		else if (what == 1)
			change_pieces(&c, some_record(&c, head, width),
				      some_record(&c, head, width));
		else
			change_byte(&c, some_record(&c, head, width));
	}
	return c.size;
}
