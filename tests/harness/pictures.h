/* pictures: decoders of the pictures that terminals are sent, written from the formats alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* A pixel is 0 where nothing is drawn, else PICTURE_DRAWN | 0xRRGGBB. */
enum { PICTURE_DRAWN = 1 << 24 };

struct picture {
	int w, h;
	uint32_t *pixels; /* [h][w]; for free() */
};

/* The bytes that sequences of kitty's protocol carry, whose first controls must be those. */
void kitty_payload(struct str *out, const char *sent, size_t n, const char *controls);
/* A PNG of 8 bits with a palette, as the program writes it. */
struct picture decode_png(const struct str *png);
/* What is between "ESC P" and "ESC \": colours are rounded to percents. */
struct picture decode_sixel(const char *text, size_t n);
/* 0xRRGGBB as sixels have it: percents, and these as bytes again. */
uint32_t picture_percent(uint32_t rgb);
