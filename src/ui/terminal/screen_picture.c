#include "ui/terminal/screen_picture.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <xxhash.h>

#include "ui/terminal/terminal_type.h"

/* ---- what the terminal can ---- */

void screen_picture_ask(struct screen_picture *picture, const char *graphics, struct str *out)
{
	static const struct {
		const char *name;
		unsigned kinds;
	} all[] = { { "auto", PICTURES_KITTY | PICTURES_SIXEL },
		    { "kitty", PICTURES_KITTY },
		    { "sixel", PICTURES_SIXEL } };

	screen_picture_fini(picture);
	*picture = (struct screen_picture){ .sixel = { .whole = terminal_is_tmux(),
						       .palette.most = ROLE_COUNT } };
	for (size_t i = 0; graphics && i < sizeof all / sizeof *all; i++)
		if (strcmp(graphics, all[i].name) == 0)
			picture->wanted = all[i].kinds;
	if (picture->wanted & PICTURES_KITTY)
		str_add(out, REPLIES_KITTY);
	if (picture->wanted & PICTURES_SIXEL)
		str_add(out, REPLIES_LIMIT);
	if (picture->wanted)
		str_add(out, REPLIES_CELL REPLIES_END);
}

void screen_picture_fini(struct screen_picture *picture)
{
	screen_sixel_fini(&picture->sixel);
}

static void take_limit(struct screen_picture *picture, const int *numbers, unsigned n)
{
	if (n == 3 && numbers[0] == 1 && numbers[2] > 1)
		picture->sixel.palette.most =
			numbers[2] < ROLE_COUNT ? (unsigned)numbers[2] : ROLE_COUNT;
	if (n == 4 && numbers[0] == 2) {
		picture->sixel.most_w = numbers[2];
		picture->sixel.most_h = numbers[3];
	}
}

bool screen_picture_take(struct screen_picture *picture, enum answer answer,
			 const struct replies *answers)
{
	enum { SIXELS = 4, ATTRIBUTES_MOST = 32 };
	int numbers[ATTRIBUTES_MOST], w, h;
	const unsigned n = replies_numbers(answers, numbers, ATTRIBUTES_MOST);
	bool sixels = false;

	if (answer == ANSWER_KITTY)
		picture->has_kitty = true;
	if (answer == ANSWER_LIMIT)
		take_limit(picture, numbers, n);
	if (answer == ANSWER_CELL && n == 3) {
		picture->cell_h = numbers[1];
		picture->cell_w = numbers[2];
	}
	if (answer != ANSWER_END)
		return false;
	/* The first number is a class of terminals. */
	for (unsigned i = 1; i < n; i++)
		sixels |= numbers[i] == SIXELS;
	picture->kind = picture->wanted & PICTURES_KITTY && picture->has_kitty ? PICTURES_KITTY
			: picture->wanted & PICTURES_SIXEL && sixels           ? PICTURES_SIXEL
									       : PICTURES_NONE;
	return screen_picture_cell(picture, &w, &h);
}

bool screen_picture_cell(const struct screen_picture *picture, int *w, int *h)
{
	struct winsize size = { .ws_col = 0 };

	*w = picture->cell_w;
	*h = picture->cell_h;
	if (picture->kind == PICTURES_NONE)
		return false;
	/* The size now, where the terminal gives it; sixels are counted in those of the answer. */
	if ((picture->kind == PICTURES_KITTY || !*w || !*h) &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row &&
	    size.ws_xpixel && size.ws_ypixel) {
		*w = size.ws_xpixel / size.ws_col;
		*h = size.ws_ypixel / size.ws_row;
	}
	/* Of cells that are smaller or larger nothing could be read. */
	return *w >= 4 && *h >= 8 && *w <= 64 && *h <= 128;
}

/* ---- what it shows ---- */

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
static void add_kitty(struct screen_picture *picture, const struct pixels *pixels,
		      const struct theme *theme, struct str *out)
{
	uint32_t palette[ROLE_COUNT];
	OWNED_STR png = STR_INIT;
	uint64_t sum;

	if (!pixels) {
		if (picture->shown)
			str_add(out, KITTY_DELETE);
		picture->shown = false;
		return;
	}
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

static void add_sixels(struct screen_picture *picture, const struct pixels *pixels,
		       const struct theme *theme, struct str *out)
{
	if (!pixels) {
		picture->sixel.shown = false;
		return;
	}
	make_palette(theme, picture->sixel.palette.rgb);
	screen_sixel_add(&picture->sixel, out);
}

void screen_picture_show(struct screen_picture *picture, const struct pixels *pixels,
			 const struct theme *theme, int x, int y)
{
	OWNED_STR out = STR_INIT;

	if (picture->kind == PICTURES_KITTY)
		add_kitty(picture, pixels, theme, &out);
	if (picture->kind == PICTURES_SIXEL)
		add_sixels(picture, pixels, theme, &out);
	if (out.n == 0)
		return;
	str_add_fmt(&out, "\033[%d;%dH", y + 1, x + 1);
	fwrite(out.text, 1, out.n, stdout);
	fflush(stdout);
}
