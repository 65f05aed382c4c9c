#include "ui/terminal/writer_look.h"

enum {
	LINES = ATTR_UNDERLINE | ATTR_REVERSE, /* that are seen on a blank */
	EXACT = 0x1000000,                     /* a colour is 0..255 or this and rgb */
	SHORT_COLOUR = 15                      /* up to which one is as short as an attribute */
};

static const struct ink nothing = { .ch = ' ', .fg = -1, .bg = -1 };

static void add_number(struct writer *w, bool *any, int number)
{
	if (*any)
		str_add_char(&w->out, ';');
	*any = true;
	str_add_int(&w->out, number);
}

/* base: 30 for the foreground, 40 for the background. */
static void add_colour(struct writer *w, bool *any, int colour, int base)
{
	if (colour < 0) {
		add_number(w, any, base + 9);
	} else if (colour <= SHORT_COLOUR) {
		add_number(w, any, colour < 8 ? base + colour : base + 60 + colour - 8);
	} else {
		add_number(w, any, base + 8);
		add_number(w, any, colour & EXACT ? 2 : 5);
		for (int shift = colour & EXACT ? 16 : 0; shift >= 0; shift -= 8)
			add_number(w, any, colour >> shift & 255);
	}
}

static int colour_bytes(int colour)
{
	return colour <= SHORT_COLOUR ? 3 : colour & EXACT ? 17 : 9;
}

/* Attributes that go, of which some may come back at once; the bytes that takes. */
static int remove_attributes(struct writer *w, bool *any, unsigned *attrs, unsigned wanted)
{
	static const struct {
		unsigned attrs;
		int number;
	} all[] = { { ATTR_BOLD | ATTR_DIM, 22 }, { ATTR_UNDERLINE, 24 }, { ATTR_REVERSE, 27 } };
	int bytes = 0;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (!(*attrs & ~wanted & all[i].attrs))
			continue;
		*attrs &= ~all[i].attrs;
		bytes += 3;
		if (w)
			add_number(w, any, all[i].number);
	}
	return bytes;
}

static int add_attributes(struct writer *w, bool *any, unsigned attrs)
{
	static const struct {
		unsigned attr;
		int number;
	} all[] = { { ATTR_BOLD, 1 }, { ATTR_DIM, 2 }, { ATTR_UNDERLINE, 4 }, { ATTR_REVERSE, 7 } };
	int bytes = 0;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (!(attrs & all[i].attr))
			continue;
		bytes += 2;
		if (w)
			add_number(w, any, all[i].number);
	}
	return bytes;
}

/* From one look to another one; about the bytes that takes. w NULL: only these. */
static int change_look(struct writer *w, const struct ink *from, const struct ink *to)
{
	unsigned attrs = from->attr;
	bool any = false;
	int bytes = remove_attributes(w, &any, &attrs, to->attr);

	bytes += add_attributes(w, &any, to->attr & ~attrs);
	if (from->fg != to->fg) {
		bytes += colour_bytes(to->fg);
		if (w)
			add_colour(w, &any, to->fg, 30);
	}
	if (from->bg != to->bg) {
		bytes += colour_bytes(to->bg);
		if (w)
			add_colour(w, &any, to->bg, 40);
	}
	return bytes;
}

bool writer_same_look(const struct ink *a, const struct ink *b)
{
	return a->fg == b->fg && a->bg == b->bg && a->attr == b->attr;
}

/* Sets a look as it is. */
static void send_look(struct writer *w, const struct ink *look)
{
	const bool plain = writer_same_look(look, &nothing);
	struct ink *set = &w->set;

	if (writer_same_look(set, look))
		return;
	str_add(&w->out, "\033[");
	/* Nothing set is the shortest of all. */
	if (plain || (set->attr & ~look->attr && !w->terminal->takes_back) ||
	    2 + change_look(NULL, &nothing, look) < change_look(NULL, set, look)) {
		*set = nothing;
		str_add(&w->out, plain ? "" : "0;");
	}
	change_look(plain ? NULL : w, set, look);
	str_add_char(&w->out, 'm');
	*set = *look;
}

/* Can colours be exchanged and shown in reverse? */
static bool reverses(const struct writer *w)
{
	return w->terminal->takes_back && w->terminal->attrs_in_colour & ATTR_REVERSE;
}

/* The same so; false: that would be another one. The terminal's own colours have no reverse that is
 * known. */
static bool reverse_look(const struct writer *w, const struct ink *look, struct ink *reverse)
{
	*reverse = *look;
	reverse->fg = look->bg;
	reverse->bg = look->fg;
	reverse->attr ^= ATTR_REVERSE;
	return look->fg >= 0 && look->bg >= 0 && reverses(w);
}

/* What is drawn and no text: colours of text stay what they are, whatever a terminal does for its
 * contrast. */
static bool is_drawn(const struct ink *ink)
{
	return ink->ch >= 0x2580 && ink->ch < 0x2900;
}

struct ink writer_look_of(const struct writer *w, const struct ink *ink)
{
	const bool plain = ink->fg < 0 && ink->bg < 0;
	struct ink look = *ink, reverse;

	look.attr &= plain ? w->terminal->attrs : w->terminal->attrs_in_colour;
	if (is_drawn(ink) && reverse_look(w, &look, &reverse) &&
	    change_look(NULL, &w->set, &reverse) < change_look(NULL, &w->set, &look))
		look = reverse;
	return look;
}

void writer_set_look(struct writer *w, const struct ink *ink)
{
	const struct ink look = writer_look_of(w, ink);

	if (writer_same_look(&w->set, &look))
		return;
	if (w->terminal->ansi) {
		send_look(w, &look);
	} else {
		w->terminal->look(&w->out, look.attr);
		w->set.attr = look.attr;
	}
}

bool writer_shows_ground(const struct writer *w, int bg)
{
	struct ink shown = w->set;

	if (shown.attr & ATTR_REVERSE && !reverse_look(w, &w->set, &shown))
		return false;
	return shown.bg == bg && !(shown.attr & LINES);
}

/* Sets another ground so that the one that is set comes back by the reverse. */
static bool by_turns(const struct writer *w, struct ink *look, int bg, int next)
{
	int *const other = look->attr & ATTR_REVERSE ? &look->bg : &look->fg;

	if (next <= SHORT_COLOUR || bg < 0 || !reverses(w) || !writer_shows_ground(w, next))
		return false;
	*other = bg;
	look->attr ^= ATTR_REVERSE;
	return true;
}

/* Nothing set is shorter than no ground. */
void writer_set_ground(struct writer *w, int bg, int next)
{
	struct ink look = w->set, reverse;
	const bool may = bg >= 0 && next != GROUND_ERASED && reverse_look(w, &look, &reverse);
	const bool in_reverse = look.attr & ATTR_REVERSE;

	if (writer_shows_ground(w, bg) && (may || !in_reverse))
		return;
	if (bg < 0 || look.attr & ATTR_UNDERLINE || (in_reverse && !may))
		look = (struct ink){ ' ', -1, bg, 0 };
	else if (may && bg == (in_reverse ? look.bg : look.fg))
		look.attr ^= ATTR_REVERSE;
	else if (!by_turns(w, &look, bg, next))
		*(in_reverse ? &look.fg : &look.bg) = bg;
	if (w->terminal->ansi)
		send_look(w, &look);
	else
		writer_set_look(w, &look);
}
