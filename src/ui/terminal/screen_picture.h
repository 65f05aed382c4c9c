/* screen_picture: the one picture that a terminal shows with the text of its cells: below it by
 * kitty's protocol (kitty.h), or in place of blanks as sixels (screen_sixel.h).
 *
 * Nothing is sent to a terminal that did not say that it can. */
#pragma once

#include "ui/terminal/kitty.h"
#include "ui/terminal/replies.h"
#include "ui/terminal/screen_sixel.h"

enum picture_kind { PICTURES_NONE = 0, PICTURES_KITTY = 1, PICTURES_SIXEL = 2 };

struct screen_picture {
	unsigned wanted;        /* set of kinds that the user allows */
	enum picture_kind kind; /* that is shown */
	bool has_kitty;         /* as the terminal answered; */
	int cell_w, cell_h;     /* pixels; 0: not yet */
	bool shown;             /* kitty: there is a picture now */
	struct rect at;         /* cells of it */
	uint64_t sum;           /* of its bytes */
	struct screen_sixel sixel;
};

/* Starts again, without pictures, and appends the questions for what an option's value allows:
 * "none", "auto", "kitty", "sixel". */
void screen_picture_ask(struct screen_picture *picture, const char *graphics, struct str *out);
/* Takes an answer; true: it was the last one, and pictures are shown from now on. */
bool screen_picture_take(struct screen_picture *picture, enum answer answer,
			 const struct replies *answers);
void screen_picture_fini(struct screen_picture *picture);

/* Pixels of a cell, as the terminal says; false: it does not show pictures, or does not say. */
bool screen_picture_cell(const struct screen_picture *picture, int *w, int *h);

/* Brings the terminal from the picture that it shows to this one (NULL: to none); sends nothing if
 * they are the same. The cursor goes to (x, y), where it was. Sixels must be begun and written
 * before. */
void screen_picture_show(struct screen_picture *picture, const struct pixels *pixels,
			 const struct theme *theme, int x, int y);
