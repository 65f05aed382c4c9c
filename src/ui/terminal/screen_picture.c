#include "ui/terminal/screen_picture.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"

/* A terminal that answers does so at once, but it may be far away. */
enum { ANSWER_MS = 200, ANSWER_MOST = 4096 };

void screen_picture_ask(struct screen_picture *picture, int keys, struct str *typed)
{
	const int64_t end = clock_ms() + ANSWER_MS;
	struct kitty_answer answer = { .done = false };
	OWNED_STR bytes = STR_INIT;

	fputs(KITTY_QUESTION, stdout);
	fflush(stdout);
	while (!answer.done && bytes.n < ANSWER_MOST) {
		struct pollfd fd = { .fd = keys, .events = POLLIN };
		const int64_t left = end - clock_ms();
		char buffer[256];
		ssize_t n;

		if (left <= 0 || poll(&fd, 1, (int)left) <= 0)
			break;
		n = read(keys, buffer, sizeof buffer);
		if (n <= 0)
			break;
		str_add_n(&bytes, buffer, (size_t)n);
		kitty_read(&answer, bytes.text, bytes.n);
	}
	picture->can = answer.done && answer.pictures;
	if (answer.typed.n)
		str_add_n(typed, answer.typed.text, answer.typed.n);
	str_fini(&answer.typed);
}

bool screen_picture_cell(const struct screen_picture *picture, int *w, int *h)
{
	struct winsize size;

	*w = *h = 0;
	if (!picture->can || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col ||
	    !size.ws_row)
		return false;
	*w = size.ws_xpixel / size.ws_col;
	*h = size.ws_ypixel / size.ws_row;
	/* Of cells that are smaller or larger nothing could be read. */
	return *w >= 4 && *h >= 8 && *w <= 64 && *h <= 128;
}

/* Roles of lines have no background. */
static void make_palette(const struct theme *theme, uint32_t palette[ROLE_COUNT])
{
	for (int role = 0; role < ROLE_COUNT; role++) {
		const int back = theme_background(theme, (enum role)role, DEPTH_RGB).colour;
		const int front = theme_foreground(theme, (enum role)role, DEPTH_RGB).colour;

		palette[role] = (uint32_t)(back >= 0    ? back
					   : front >= 0 ? front
							: 0x808080) &
				0xffffff;
	}
}

/* Appends what brings the terminal to a picture, from the one before if it shows one; nothing if it
 * is the same. */
static void change(struct screen_picture *picture, const struct pixels *pixels,
		   const struct theme *theme, struct str *out)
{
	uint32_t palette[ROLE_COUNT];
	OWNED_STR png = STR_INIT;
	uint64_t sum;

	make_palette(theme, palette);
	kitty_png(&png, pixels, palette);
	sum = XXH3_64bits(png.text, png.n);
	if (picture->shown && sum == picture->sum &&
	    memcmp(&picture->at, &pixels->at, sizeof pixels->at) == 0)
		return;
	if (picture->shown)
		str_add(out, KITTY_DELETE);
	str_add_fmt(out, "\033[%d;%dH", pixels->at.y + 1, pixels->at.x + 1);
	kitty_show(out, &png, pixels->at.w, pixels->at.h);
	picture->shown = true;
	picture->sum = sum;
	picture->at = pixels->at;
}

void screen_picture_show(struct screen_picture *picture, const struct pixels *pixels,
			 const struct theme *theme, int x, int y)
{
	OWNED_STR out = STR_INIT;

	if (!picture->can)
		return;
	if (pixels)
		change(picture, pixels, theme, &out);
	else if (picture->shown)
		str_add(&out, KITTY_DELETE);
	picture->shown = pixels != NULL;
	if (out.n == 0)
		return;
	str_add_fmt(&out, "\033[%d;%dH", y + 1, x + 1);
	fwrite(out.text, 1, out.n, stdout);
	fflush(stdout);
}
