#include "model/picl/descriptor.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/picl/picl_text.h"

enum { MAX_WIDTH = 1 << 20 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *descriptor_predefined(int64_t number)
{
	static const char *const controls[] = { "%c", "%s", "%d", "%ld", "%f", "%lf" };

	return number >= 0 && number < 6 ? controls[number] : NULL;
}

/* ---- control strings ---- */

/* Parses "%[^abc]" from after the bracket. */
static const char *parse_set(const char *p, const char *end, const char *control,
			     struct conversion *part)
{
	part->literal = (uint32_t)(p - control);
	if (p < end && *p == '^')
		p++;
	/* A bracket that comes first belongs to the set. */
	if (p < end && *p == ']')
		p++;
	while (p < end && *p != ']')
		p++;
	part->length = (uint32_t)(p - control) - part->literal;
	return p < end ? p + 1 : NULL;
}

/* Parses a conversion from after the '%'; NULL if it is unknown. */
static const char *parse_conversion(const char *p, const char *end, const char *control,
				    struct conversion *part)
{
	if (p < end && *p == '*') {
		part->dropped = true;
		p++;
	}
	for (; p < end && is_digit(*p); p++) {
		part->width = part->width * 10 + (*p - '0');
		if (part->width > MAX_WIDTH)
			return NULL;
	}
	for (int i = 0; i < 2 && p < end && (*p == 'h' || *p == 'l' || *p == 'L'); i++)
		p++;
	if (p == end)
		return NULL;
	switch (*p) {
	case 'd':
	case 'i':
	case 'u':
	case 's':
	case 'c': part->kind = *p; return p + 1;
	case 'x':
	case 'X': part->kind = 'x'; return p + 1;
	case 'f':
	case 'e':
	case 'g':
	case 'E':
	case 'G': part->kind = 'f'; return p + 1;
	case '[': part->kind = '['; return parse_set(p + 1, end, control, part);
	default: return NULL;
	}
}

bool descriptor_parse(struct descriptor *d, const char *control, size_t n)
{
	VEC(struct conversion) parts = VEC_INIT;
	const char *p, *end;

	*d = (struct descriptor){ 0 };
	if (n > MAX_WIDTH)
		return false;
	d->control = xstrndup(control, n);
	end = d->control + n;
	for (p = d->control; p && p < end;) {
		struct conversion *part = vec_add(&parts);

		if (picl_is_blank(*p)) {
			part->kind = 'w';
			p++;
		} else if (*p == '%' && end - p > 1 && p[1] != '%') {
			p = parse_conversion(p + 1, end, d->control, part);
			d->values += !part->dropped;
		} else {
			p += *p == '%';
			part->kind = 'l';
			part->literal = (uint32_t)(p - d->control);
			p = p < end ? p + 1 : NULL;
		}
	}
	d->parts = parts.data;
	d->n = parts.n;
	if (p && d->values)
		return true;
	descriptor_fini(d);
	return false;
}

void descriptor_fini(struct descriptor *d)
{
	free_all(d->control, d->parts);
	*d = (struct descriptor){ 0 };
}

bool descriptor_is(const struct descriptor *d, char kind)
{
	return d->n == 1 && d->parts[0].kind == kind && !d->parts[0].dropped &&
	       d->parts[0].width <= 1;
}

/* ---- data ---- */

static size_t digits_at(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && is_digit(*p))
		p++;
	return (size_t)(p - start);
}

size_t descriptor_number(const char *p, const char *end, size_t *whole)
{
	const char *start = p;
	size_t digits, fraction = 0;

	p += p < end && (*p == '-' || *p == '+');
	digits = digits_at(p, end);
	p += digits;
	*whole = (size_t)(p - start);
	if (p < end && *p == '.') {
		fraction = digits_at(p + 1, end);
		if (digits || fraction)
			p += 1 + fraction;
	}
	if (!digits && !fraction)
		return 0;
	if (p < end && (*p == 'e' || *p == 'E')) {
		const char *q = p + 1;
		q += q < end && (*q == '-' || *q == '+');
		digits = digits_at(q, end);
		if (digits)
			p = q + digits;
	}
	return (size_t)(p - start);
}

size_t descriptor_integer(const char *p, const char *end, int64_t *value, bool *is_float,
			  bool *saturated)
{
	const bool negative = p < end && *p == '-';
	const uint64_t most = (uint64_t)INT64_MAX + negative;
	size_t whole;
	const size_t n = descriptor_number(p, end, &whole);
	uint64_t x = 0;

	*is_float = n != whole;
	*saturated = false;
	for (size_t i = 0; i < whole && !*saturated; i++) {
		const uint64_t digit = (uint64_t)(p[i] - '0');
		if (!is_digit(p[i]))
			continue;
		*saturated = x > (most - digit) / 10;
		x = *saturated ? most : x * 10 + digit;
	}
	*value = (int64_t)(negative ? 0 - x : x);
	return n;
}

static size_t hexadecimal(const char *p, const char *end, int64_t *value, bool *saturated)
{
	const char *start = p;
	uint64_t x = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (; p < end; p++) {
		const char c = (char)(*p | 0x20);
		unsigned digit;
		if (is_digit(*p))
			digit = (unsigned)(*p - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)(c - 'a') + 10;
		else
			break;
		if (x >> 59)
			*saturated = true;
		x = x << 4 | digit;
	}
	*value = *saturated ? INT64_MAX : (int64_t)x;
	return (size_t)(p - start);
}

/* The length of a word; a double-quoted run with its blanks and escaped quotes is part of it. */
static size_t word_length(const char *p, const char *end)
{
	const char *start = p;

	if (p < end && *p == '"') {
		for (p++; p < end && *p != '"'; p++)
			p += *p == '\\' && end - p > 1;
		return (size_t)(p - start) + (p < end);
	}
	return (size_t)(picl_skip_word(p, end) - start);
}

static bool in_set(const char *set, size_t n, char c)
{
	const bool inverted = n && *set == '^';
	const char *end = set + n;
	bool found = false;

	for (set += inverted; set < end && !found; set++) {
		if (end - set > 2 && set[1] == '-' && set[2] != ']') {
			found = c >= set[0] && c <= set[2];
			set += 2;
		} else {
			found = c == *set;
		}
	}
	return found != inverted;
}

static void deliver(struct descriptor_sink *sink, const struct conversion *part, int64_t value)
{
	if (part->dropped)
		return;
	if (sink->n < sink->room)
		sink->v[sink->n] = value;
	sink->n++;
}

static size_t read_number(const struct conversion *part, const char *p, const char *end,
			  struct descriptor_sink *sink)
{
	bool is_float = false, saturated = false;
	int64_t value = 0;
	size_t n;

	if (part->kind == 'x') {
		n = hexadecimal(p, end, &value, &saturated);
	} else {
		n = descriptor_integer(p, end, &value, &is_float, &saturated);
		if (part->kind == 'f')
			saturated = false;
		else if (is_float && !part->dropped)
			sink->float_given = true;
	}
	sink->saturated = sink->saturated || saturated;
	if (part->kind == 'f' && !part->dropped)
		sink->only_integers = false;
	if (n)
		deliver(sink, part, value);
	return n;
}

static size_t read_text(const struct descriptor *d, const struct conversion *part, const char *p,
			const char *end, struct descriptor_sink *sink)
{
	size_t n = 0;

	if (!part->dropped)
		sink->only_integers = false;
	if (part->kind == 's')
		return word_length(p, end);
	if (part->kind == 'c')
		n = part->width ? (size_t)part->width : 1;
	else
		while (p + n < end && in_set(d->control + part->literal, part->length, p[n]))
			n++;
	return (size_t)(end - p) < n ? 0 : n;
}

bool descriptor_field(const struct descriptor *d, const char **p, const char *end,
		      struct descriptor_sink *sink)
{
	const char *q = *p;

	for (const struct conversion *part = d->parts; part < d->parts + d->n; part++) {
		const char *stop = end;
		size_t n;

		if (part->kind != 'c' && part->kind != '[' && part->kind != 'l')
			q = picl_skip_blanks(q, end);
		if (part->kind == 'w')
			continue;
		if (part->kind == 'l') {
			if (q == end || *q++ != d->control[part->literal])
				return false;
			continue;
		}
		if (part->width && part->width < end - q)
			stop = q + part->width;
		n = strchr("sc[", part->kind) ? read_text(d, part, q, stop, sink)
					      : read_number(part, q, stop, sink);
		if (n == 0)
			return false;
		q += n;
	}
	*p = q;
	return true;
}
