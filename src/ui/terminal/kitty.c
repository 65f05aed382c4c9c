#include "ui/terminal/kitty.h"

#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "ui/terminal/base64.h"

static void add_u32(struct str *out, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		str_add_char(out, (char)(v >> shift));
}

static void add_chunk(struct str *out, const char *type, const void *data, size_t n)
{
	const size_t begin = out->n + 4;

	add_u32(out, (uint32_t)n);
	str_add_n(out, type, 4);
	str_add_n(out, data, n);
	add_u32(out, (uint32_t)crc32(0, (const Bytef *)out->text + begin, (uInt)(n + 4)));
}

/* Rows like the one above are zeros after the filter "up", which takes no time to compress. */
static void add_rows(struct str *out, const struct pixels *p)
{
	const size_t w = (size_t)p->w, h = (size_t)p->h, n = h * (w + 1);
	unsigned char *raw = xmalloc(n);
	uLongf packed = compressBound((uLong)n);
	unsigned char *data = xmalloc(packed);

	for (size_t y = 0; y < h; y++) {
		unsigned char *row = raw + y * (w + 1);
		const uint8_t *in = p->roles + y * w;

		row[0] = y ? 2 : 0;
		for (size_t x = 0; x < w; x++)
			row[1 + x] = (unsigned char)(in[x] - (y ? in[x - w] : 0));
	}
	if (compress2(data, &packed, raw, (uLong)n, 1) == Z_OK)
		add_chunk(out, "IDAT", data, packed);
	free_all(raw, data);
}

void kitty_png(struct str *out, const struct pixels *p, const uint32_t palette[ROLE_COUNT])
{
	OWNED_STR head = STR_INIT, colours = STR_INIT, clear = STR_INIT;

	str_add_n(out, "\x89PNG\r\n\x1a\n", 8);
	add_u32(&head, (uint32_t)p->w);
	add_u32(&head, (uint32_t)p->h);
	str_add_n(&head, "\x08\x03\0\0\0", 5); /* 8 bits, palette */
	add_chunk(out, "IHDR", head.text, head.n);
	for (int role = 0; role < ROLE_COUNT; role++) {
		for (int shift = 16; shift >= 0; shift -= 8)
			str_add_char(&colours, (char)(palette[role] >> shift));
		str_add_char(&clear, role == PIXEL_CLEAR ? '\0' : '\xff');
	}
	add_chunk(out, "PLTE", colours.text, colours.n);
	add_chunk(out, "tRNS", clear.text, clear.n);
	add_rows(out, p);
	add_chunk(out, "IEND", "", 0);
}

void kitty_show(struct str *out, const struct str *png, int w, int h)
{
	enum { CHUNK = 4096 }; /* of the protocol */
	OWNED_STR text = STR_INIT;

	base64_add(&text, png->text, png->n);
	str_add_fmt(out, "\033_Ga=T,f=100,i=%d,p=1,c=%d,r=%d,z=-1,C=1,q=2,m=%d;", KITTY_PICTURE, w,
		    h, text.n > CHUNK);
	for (size_t at = 0; at < text.n || at == 0; at += CHUNK) {
		const size_t n = text.n - at < CHUNK ? text.n - at : CHUNK;

		if (at)
			str_add_fmt(out, "\033_Gq=2,m=%d;", at + n < text.n);
		str_add_n(out, text.text + at, n);
		str_add(out, "\033\\");
	}
}
