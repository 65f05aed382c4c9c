#include "ui/terminal/sgr.h"

#include <stdbool.h>
#include <string.h>

enum { PARAMETERS = 32, ESCAPE = 27, COLOUR_DEFAULT = -1, COLOUR_RGB = 1 << 24 };

/* Attributes by the number that sets them: 1 bold ... 9 struck out. */
struct look {
	int fg, bg;              /* COLOUR_DEFAULT, 0..255, or COLOUR_RGB | rgb */
	unsigned attr;           /* bit n: attribute n */
	bool small_fg, small_bg; /* set as 30..37, 90..97 and so on, not as 38;5 */
};

struct stream {
	struct look is, wanted;
	bool known;       /* `is` is true */
	bool usual_set;   /* of characters */
	struct str moves; /* that nothing needed yet */
	const int *exact; /* [256] or NULL */
	struct str *out;
};

static const struct look nothing = { .fg = COLOUR_DEFAULT, .bg = COLOUR_DEFAULT };

/* ---- out ---- */

static void add_number(struct str *out, bool *any, int number)
{
	if (*any)
		str_add_char(out, ';');
	*any = true;
	str_add_int(out, number);
}

/* base: 30 for the foreground, 40 for the background. */
static void add_colour(struct str *out, bool *any, int colour, bool small, int base)
{
	if (colour == COLOUR_DEFAULT) {
		add_number(out, any, base + 9);
	} else if (colour & COLOUR_RGB) {
		add_number(out, any, base + 8);
		add_number(out, any, 2);
		add_number(out, any, colour >> 16 & 255);
		add_number(out, any, colour >> 8 & 255);
		add_number(out, any, colour & 255);
	} else if (small) {
		add_number(out, any, colour < 8 ? base + colour : base + 60 + colour - 8);
	} else {
		add_number(out, any, base + 8);
		add_number(out, any, 5);
		add_number(out, any, colour);
	}
}

static bool same_colour(int a, bool small_a, int b, bool small_b)
{
	return a == b && (a < 0 || small_a == small_b);
}

/* The exact colour that one is for. */
static int exactly(const struct stream *s, int colour, bool small)
{
	const bool stands =
		s->exact && !small && colour >= 0 && colour < 256 && s->exact[colour] >= 0;

	return stands ? COLOUR_RGB | s->exact[colour] : colour;
}

/* Sends what `wanted` has and `is` has not. */
static void settle(struct stream *s)
{
	const struct look *w = &s->wanted;
	struct look *is = &s->is;
	bool any = false;
	const bool lost = (is->attr & ~w->attr) != 0;
	const bool same_fg = same_colour(is->fg, is->small_fg, w->fg, w->small_fg);
	const bool same_bg = same_colour(is->bg, is->small_bg, w->bg, w->small_bg);

	if (s->known && same_fg && same_bg && is->attr == w->attr)
		return;
	str_add(s->out, "\033[");
	if (!s->known || lost || (w->fg < 0 && w->bg < 0 && w->attr == 0)) {
		/* Nothing set is the shortest of all. */
		*is = nothing;
		if (w->fg >= 0 || w->bg >= 0 || w->attr)
			add_number(s->out, &any, 0);
	}
	for (int i = 1; i < 10; i++)
		if ((w->attr & ~is->attr) >> i & 1)
			add_number(s->out, &any, i);
	if (!same_colour(is->fg, is->small_fg, w->fg, w->small_fg))
		add_colour(s->out, &any, exactly(s, w->fg, w->small_fg), w->small_fg, 30);
	if (!same_colour(is->bg, is->small_bg, w->bg, w->small_bg))
		add_colour(s->out, &any, exactly(s, w->bg, w->small_bg), w->small_bg, 40);
	str_add_char(s->out, 'm');
	*is = *w;
	s->known = true;
}

/* A blank shows its ground alone, where no line is drawn through it. */
static bool ground_is_all(const struct stream *s)
{
	const unsigned lines = ~(1u << 1 | 1u << 2); /* all but bold and dim */

	return s->known && ((s->is.attr | s->wanted.attr) & lines) == 0;
}

/* Sends what blanks need: the ground, where it is another one; what is set for characters stays for
 * those that come next. */
static void settle_ground(struct stream *s)
{
	const struct look wanted = s->wanted;

	if (!ground_is_all(s)) {
		settle(s);
		return;
	}
	if (same_colour(s->is.bg, s->is.small_bg, wanted.bg, wanted.small_bg))
		return;
	/* Nothing set is shorter than no ground. */
	if (wanted.bg >= 0) {
		s->wanted = s->is;
		s->wanted.bg = wanted.bg;
		s->wanted.small_bg = wanted.small_bg;
	}
	settle(s);
	s->wanted = wanted;
}

/* ---- in ---- */

/* A colour after 38 or 48; the number of parameters it takes, 0 where it is none. */
static int long_colour(const int *p, int n, int *colour)
{
	if (n >= 2 && p[0] == 5 && p[1] >= 0 && p[1] < 256) {
		*colour = p[1];
		return 2;
	}
	if (n >= 4 && p[0] == 2 && (p[1] | p[2] | p[3]) >= 0 && (p[1] | p[2] | p[3]) < 256) {
		*colour = COLOUR_RGB | p[1] << 16 | p[2] << 8 | p[3];
		return 4;
	}
	return 0;
}

static bool take_parameter(struct look *look, int p)
{
	const int ten = p / 10, one = p % 10;

	if (p == 0) {
		*look = nothing;
	} else if (p < 10) {
		look->attr |= 1u << p;
	} else if (p == 22) {
		look->attr &= ~(1u << 1 | 1u << 2);
	} else if (ten == 2 && one > 2) {
		look->attr &= ~(1u << one);
	} else if (p == 39) {
		look->fg = COLOUR_DEFAULT;
	} else if (p == 49) {
		look->bg = COLOUR_DEFAULT;
	} else if ((ten == 3 || ten == 9) && one < 8) {
		look->fg = one + (ten == 9 ? 8 : 0);
		look->small_fg = true;
	} else if ((ten == 4 || ten == 10) && one < 8) {
		look->bg = one + (ten == 10 ? 8 : 0);
		look->small_bg = true;
	} else {
		return false;
	}
	return true;
}

static bool take_parameters(struct look *look, const int *p, int n)
{
	for (int i = 0; i < n; i++) {
		int used, colour;
		if (p[i] != 38 && p[i] != 48) {
			if (!take_parameter(look, p[i]))
				return false;
			continue;
		}
		used = long_colour(p + i + 1, n - i - 1, &colour);
		if (!used)
			return false;
		if (p[i] == 38) {
			look->fg = colour;
			look->small_fg = false;
		} else {
			look->bg = colour;
			look->small_bg = false;
		}
		i += used;
	}
	return true;
}

/* "12;34": the numbers, empty ones 0; -1 where it is something else. */
static int parse(const char *text, size_t n, int *p)
{
	int count = 1;

	p[0] = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == ';') {
			if (count == PARAMETERS)
				return -1;
			p[count++] = 0;
		} else if (text[i] >= '0' && text[i] <= '9' && p[count - 1] < 100000) {
			p[count - 1] = 10 * p[count - 1] + (text[i] - '0');
		} else {
			return -1;
		}
	}
	return count;
}

/* Length of the escape sequence at `bytes`. */
static size_t sequence(const char *bytes, size_t n)
{
	size_t i = 1;

	if (n < 2)
		return n;
	if (bytes[1] == '[') {
		for (i = 2;
		     i < n && (unsigned char)bytes[i] >= 0x20 && (unsigned char)bytes[i] < 0x40;
		     i++)
			;
		return i < n ? i + 1 : n;
	}
	/* ESC ( B: bytes in between, and a last one. */
	while (i < n && (unsigned char)bytes[i] >= 0x20 && (unsigned char)bytes[i] < 0x30)
		i++;
	return i < n ? i + 1 : n;
}

static bool sets_look(const char *bytes, size_t n)
{
	return n >= 3 && bytes[1] == '[' && bytes[n - 1] == 'm';
}

/* True where the sequence sets colours and attributes, and was understood. */
static bool take_look(struct stream *s, const char *bytes, size_t n)
{
	struct look look = s->wanted;
	int p[PARAMETERS], count;

	if (!sets_look(bytes, n))
		return false;
	count = parse(bytes + 2, n - 3, p);
	if (count < 0 || !take_parameters(&look, p, count))
		return false;
	s->wanted = look;
	return true;
}

/* ---- places ---- */

static bool is_move(const char *bytes, size_t n)
{
	return n >= 3 && bytes[1] == '[' && strchr("ABCDGHd", bytes[n - 1]);
}

/* An absolute place makes the moves before it needless. */
static void add_move(struct stream *s, const char *bytes, size_t n)
{
	if (bytes[n - 1] == 'H')
		str_clear(&s->moves);
	str_add_n(&s->moves, bytes, n);
}

static void settle_moves(struct stream *s)
{
	str_add_n(s->out, s->moves.text, s->moves.n);
	str_clear(&s->moves);
}

/* ---- the stream ---- */

/* The choice of a character set: again the usual one says nothing new. */
static void take_set(struct stream *s, const char *bytes, size_t n)
{
	const bool usual = n == 3 && bytes[2] == 'B';

	if (!usual || !s->usual_set)
		str_add_n(s->out, bytes, n);
	s->usual_set = usual;
}

/* Characters, or a sequence that draws. */
static void pass(struct stream *s, const char *bytes, size_t n, void (*prepare)(struct stream *s))
{
	settle_moves(s);
	if (prepare)
		prepare(s);
	str_add_n(s->out, bytes, n);
}

/* How many bytes of blanks there are in front. */
static size_t blanks_of(const char *bytes, size_t n)
{
	static const char no_break[] = "\u00a0";
	size_t i = 0;

	for (;;)
		if (i < n && bytes[i] == ' ')
			i++;
		else if (n - i >= 2 && memcmp(bytes + i, no_break, 2) == 0)
			i += 2;
		else
			return i;
}

/* Characters. Blanks need their ground alone; in front of others theirs is sent with it. */
static void pass_text(struct stream *s, const char *bytes, size_t n)
{
	const size_t blanks = blanks_of(bytes, n);
	const bool same = ground_is_all(s) &&
			  same_colour(s->is.bg, s->is.small_bg, s->wanted.bg, s->wanted.small_bg);

	if (blanks > 0)
		pass(s, bytes, blanks, same || blanks == n ? settle_ground : settle);
	if (blanks < n)
		pass(s, bytes + blanks, n - blanks, settle);
}

/* Takes characters away, or moves them, and leaves blanks. */
static bool leaves_blanks(const char *bytes, size_t n)
{
	return bytes[1] == '[' && strchr("@PXJK", bytes[n - 1]);
}

/* What is at `bytes`; how many bytes that are. 0: a look that is not understood. */
static size_t take(struct stream *s, const char *bytes, size_t n)
{
	size_t length = 0;

	if (*bytes == '\r' || *bytes == '\b') {
		add_move(s, bytes, 1);
		return 1;
	}
	if (*bytes != ESCAPE) {
		while (length < n && bytes[length] != ESCAPE && bytes[length] != '\r' &&
		       bytes[length] != '\b')
			length++;
		pass_text(s, bytes, length);
		return length;
	}
	length = sequence(bytes, n);
	if (take_look(s, bytes, length))
		return length;
	if (sets_look(bytes, length))
		return 0;
	if (is_move(bytes, length))
		add_move(s, bytes, length);
	else if (length >= 3 && bytes[1] == '(')
		take_set(s, bytes, length);
	else if (length >= 3 && leaves_blanks(bytes, length))
		pass(s, bytes, length, settle_ground);
	else
		/* Modes need no look. */
		pass(s, bytes, length,
		     !strchr("hlr", bytes[length - 1]) || bytes[1] != '[' ? settle : NULL);
	return length;
}

void sgr_shorten(const char *bytes, size_t n, const int *exact, struct str *out)
{
	struct stream s = {
		.is = nothing, .wanted = nothing, .exact = exact, .out = out, .moves = STR_INIT
	};
	size_t i = 0, used = 1;

	for (; i < n && used; i += used)
		used = take(&s, bytes + i, n - i);
	settle_moves(&s);
	settle(&s);
	/* After a look that is not understood everything passes unchanged. */
	str_add_n(out, bytes + i, n - i);
	str_fini(&s.moves);
}
