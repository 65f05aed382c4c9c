#include "harness/pictures.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "harness/test.h"

/* ---- kitty ---- */

static int digit_of(char c)
{
	const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void decode_base64(struct str *out, const char *text, size_t n)
{
	assert_int_equal(n % 4, 0);
	for (size_t i = 0; i < n; i += 4) {
		uint32_t bits = 0;

		for (int k = 0; k < 4; k++)
			bits = bits << 6 | (uint32_t)(digit_of(text[i + (size_t)k]) & 63);
		str_add_char(out, (char)(bits >> 16));
		if (text[i + 2] != '=')
			str_add_char(out, (char)(bits >> 8));
		if (text[i + 3] != '=')
			str_add_char(out, (char)bits);
	}
}

void kitty_payload(struct str *out, const char *sent, size_t n, const char *controls)
{
	const char *at = sent, *end = sent + n;
	OWNED_STR text = STR_INIT;

	for (int i = 0; at < end; i++) {
		const char *data = memchr(at, ';', (size_t)(end - at)), *stop, *more;

		assert_memory_equal(at, "\033_G", 3);
		assert_non_null(data);
		stop = memchr(data, '\033', (size_t)(end - data));
		assert_memory_equal(stop, "\033\\", 2);
		if (i == 0)
			assert_memory_equal(at + 3, controls, strlen(controls));
		assert_true(stop - data - 1 <= 4096);
		more = data - 1; /* m=1 but for the last */
		assert_int_equal(*more == '1', stop + 2 < end);
		str_add_n(&text, data + 1, (size_t)(stop - data) - 1);
		at = stop + 2;
	}
	decode_base64(out, text.text, text.n);
}

static uint32_t u32(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

struct picture decode_png(const struct str *png)
{
	const char *palette = NULL, *alpha = NULL, *data = NULL;
	uint32_t data_n = 0, alpha_n = 0;
	struct picture out = { 0 };
	unsigned char *raw;
	uLongf n;

	assert_memory_equal(png->text, "\x89PNG\r\n\x1a\n", 8);
	for (size_t at = 8; at < png->n;) {
		const uint32_t size = u32(png->text + at);
		const char *type = png->text + at + 4, *body = type + 4;

		assert_int_equal(u32(body + size), crc32(0, (const Bytef *)type, size + 4));
		if (memcmp(type, "IHDR", 4) == 0) {
			out.w = (int)u32(body);
			out.h = (int)u32(body + 4);
			assert_memory_equal(body + 8, "\x08\x03\0\0\0", 5);
		} else if (memcmp(type, "PLTE", 4) == 0) {
			palette = body;
		} else if (memcmp(type, "tRNS", 4) == 0) {
			alpha = body;
			alpha_n = size;
		} else if (memcmp(type, "IDAT", 4) == 0) {
			data = body;
			data_n = size;
		}
		at += 12 + size;
	}
	n = (uLongf)out.h * ((uLongf)out.w + 1);
	raw = xmalloc(n);
	assert_int_equal(uncompress(raw, &n, (const Bytef *)data, data_n), Z_OK);
	assert_int_equal(n, (uLongf)out.h * ((uLongf)out.w + 1));
	out.pixels = xcalloc(n, sizeof *out.pixels);
	for (int y = 0; y < out.h; y++)
		for (int x = 0; x < out.w; x++) {
			unsigned char *row = raw + (size_t)y * ((size_t)out.w + 1);
			const unsigned char *above = y ? row - out.w - 1 : NULL;
			unsigned char *c = &row[1 + x];

			assert_true(row[0] == 0 || (row[0] == 2 && y));
			if (row[0] == 2)
				*c = (unsigned char)(*c + above[1 + x]);
			if (*c >= alpha_n || alpha[*c])
				out.pixels[y * out.w + x] =
					PICTURE_DRAWN | u32(palette + 3 * *c) >> 8;
		}
	free(raw);
	return out;
}

/* ---- sixels ---- */

uint32_t picture_percent(uint32_t rgb)
{
	uint32_t out = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		const uint32_t percent = ((rgb >> shift & 255) * 200 + 255) / 510;

		out = out << 8 | (percent * 510 + 100) / 200;
	}
	return out;
}

static int number(const char **at)
{
	char *end;
	const long n = strtol(*at, &end, 10);

	assert_true(end > *at && n >= 0 && n < 1 << 20);
	*at = end;
	return (int)n;
}

/* Numbers with ';' between them. */
static int numbers(const char **at, int *out, int most)
{
	int n = 0;

	for (;;) {
		assert_true(n < most);
		out[n++] = number(at);
		if (**at != ';')
			return n;
		++*at;
	}
}

struct picture decode_sixel(const char *text, size_t n)
{
	const char *at = text, *end = text + n;
	uint32_t colours[256] = { 0 };
	struct picture out = { 0 };
	int a[5], colour = -1, x = 0, top = 0, times = 1;

	/* Square pixels; those that are not drawn stay (P2); the size is said. */
	assert_int_equal(numbers(&at, a, 3), 3);
	assert_int_equal(a[1], 1);
	assert_int_equal(*at++, 'q');
	assert_int_equal(*at++, '"');
	assert_int_equal(numbers(&at, a, 4), 4);
	assert_true(a[0] == 1 && a[1] == 1 && a[2] > 0 && a[3] > 0);
	out = (struct picture){ a[2], a[3], xcalloc((size_t)a[2] * (size_t)a[3], 4) };
	while (at < end) {
		const char c = *at++;

		if (c == '#') {
			const int many = numbers(&at, a, 5);

			colour = a[0];
			assert_in_range(colour, 0, 255);
			if (many == 1)
				assert_true(colours[colour] & PICTURE_DRAWN);
			else {
				assert_true(many == 5 && a[1] == 2);
				assert_true(a[2] <= 100 && a[3] <= 100 && a[4] <= 100);
				colours[colour] = PICTURE_DRAWN;
				for (int i = 2; i < 5; i++)
					colours[colour] |= (uint32_t)(a[i] * 510 + 100) / 200
							   << 8 * (4 - i);
			}
		} else if (c == '!') {
			times = number(&at);
			assert_true(times > 0);
		} else if (c == '$') {
			x = 0;
		} else if (c == '-') {
			x = 0;
			top += 6;
			assert_true(top < out.h);
		} else {
			assert_in_range(c, '?', '~');
			assert_true(colour >= 0 && x + times <= out.w);
			for (; times > 0; times--, x++)
				for (int bit = 0; bit < 6; bit++)
					if ((c - '?') >> bit & 1) {
						assert_true(top + bit < out.h);
						out.pixels[(top + bit) * out.w + x] =
							colours[colour];
					}
			times = 1;
		}
	}
	return out;
}
