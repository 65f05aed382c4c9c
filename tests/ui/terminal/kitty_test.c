/* Pictures for terminals: what is sent, decoded by a decoder of its own, and what is answered. */
#include <poll.h>
#include <pty.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "harness/random.h"
#include "harness/test.h"
#include "ui/terminal/kitty.h"

/* ---- a terminal's side ---- */

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

/* The payload of the sequences, whose controls must be those of one picture. */
static void payload_of(struct str *out, const struct str *sent, const char *controls)
{
	const char *at = sent->text, *end = sent->text + sent->n;
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

/* Pixels of a PNG with a palette as 0xAARRGGBB; for free(). */
static uint32_t *decode_png(const struct str *png, int *w, int *h)
{
	const char *palette = NULL, *alpha = NULL, *data = NULL;
	uint32_t *out, data_n = 0, alpha_n = 0;
	unsigned char *raw;
	uLongf n;

	assert_memory_equal(png->text, "\x89PNG\r\n\x1a\n", 8);
	for (size_t at = 8; at < png->n;) {
		const uint32_t size = u32(png->text + at);
		const char *type = png->text + at + 4, *body = type + 4;

		assert_int_equal(u32(body + size), crc32(0, (const Bytef *)type, size + 4));
		if (memcmp(type, "IHDR", 4) == 0) {
			*w = (int)u32(body);
			*h = (int)u32(body + 4);
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
	n = (uLongf)*h * ((uLongf)*w + 1);
	raw = xmalloc(n);
	assert_int_equal(uncompress(raw, &n, (const Bytef *)data, data_n), Z_OK);
	assert_int_equal(n, (uLongf)*h * ((uLongf)*w + 1));
	out = xcalloc(n, sizeof *out);
	for (int y = 0; y < *h; y++)
		for (int x = 0; x < *w; x++) {
			unsigned char *row = raw + (size_t)y * ((size_t)*w + 1);
			const unsigned char *above = y ? row - *w - 1 : NULL;
			unsigned char *c = &row[1 + x];

			assert_true(row[0] == 0 || (row[0] == 2 && y));
			if (row[0] == 2)
				*c = (unsigned char)(*c + above[1 + x]);
			out[y * *w + x] = (*c < alpha_n ? (uint32_t)(unsigned char)alpha[*c] : 255u)
						  << 24 |
					  (u32(palette + 3 * *c) >> 8);
		}
	free(raw);
	return out;
}

/* ---- tests ---- */

/* Random rectangles, in a picture of several sequences: each pixel is what was put there last, or
 * clear. */
TEST(pixels_arrive_as_they_were_drawn)
{
	enum { W = 30, H = 8, CW = 7, CH = 15 };
	struct rng rng = { 11 };
	ENDED_BY(pixels_fini) struct pixels p;
	OWNED_STR png = STR_INIT, sent = STR_INIT, back = STR_INIT;
	uint32_t palette[ROLE_COUNT], *pixels;
	static uint8_t expected[H * CH][W * CW];
	int w = 0, h = 0;

	for (uint32_t i = 0; i < ROLE_COUNT; i++)
		palette[i] = i * 0x10307u & 0xffffff;
	pixels_init(&p, (struct rect){ 3, 2, W, H }, CW, CH);
	memset(expected, PIXEL_CLEAR, sizeof expected);
	for (int i = 0; i < 900; i++) {
		const struct rect r = { (int)(rng_next(&rng) % 220) - 5,
					(int)(rng_next(&rng) % 130) - 5, (int)(rng_next(&rng) % 12),
					(int)(rng_next(&rng) % 12) };
		const enum role role = ROLE_TITLE + rng_next(&rng) % 30;

		pixels_fill(&p, r, role);
		for (int y = 0; y < H * CH; y++)
			for (int x = 0; x < W * CW; x++)
				if (x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h)
					expected[y][x] = (uint8_t)role;
	}
	kitty_png(&png, &p, palette);
	kitty_show(&sent, &png, W, H);
	assert_true(sent.n > 4096);
	payload_of(&back, &sent, "a=T,f=100,i=7301,p=1,c=30,r=8,z=-1,C=1,q=2,m=1");
	assert_int_equal(back.n, png.n);
	pixels = decode_png(&back, &w, &h);
	assert_int_equal(w, W * CW);
	assert_int_equal(h, H * CH);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			const uint8_t role = expected[y][x];

			assert_int_equal(pixels[y * w + x] >> 24, role == PIXEL_CLEAR ? 0 : 255);
			if (role != PIXEL_CLEAR)
				assert_int_equal(pixels[y * w + x] & 0xffffff, palette[role]);
		}
	free(pixels);
}

/* A vertical line of 3 pixels; a shallow one has one or two in each of its ten columns. */
TEST(lines_are_one_pixel_wide)
{
	ENDED_BY(pixels_fini) struct pixels p;
	int n = 0;

	pixels_init(&p, (struct rect){ 0, 0, 10, 3 }, 1, 1);
	pixels_line(&p, 0, 0, 0, 2, ROLE_MESSAGE);
	for (int i = 0; i < 30; i++)
		n += p.roles[i] == ROLE_MESSAGE;
	assert_int_equal(n, 3);
	pixels_line(&p, 0, 0, 9, 2, ROLE_CRITICAL);
	for (int x = 0; x < 10; x++) {
		int in_column = 0;
		for (int y = 0; y < 3; y++)
			in_column += p.roles[y * 10 + x] == ROLE_CRITICAL;
		assert_in_range(in_column, 1, 2);
	}
	assert_int_equal(p.roles[0], ROLE_CRITICAL);
	assert_int_equal(p.roles[29], ROLE_CRITICAL);
	pixels_line(&p, -(INT64_C(1) << 40), -5, INT64_C(1) << 40, 40, ROLE_GOOD);
}

static void answers(const char *bytes, bool done, bool pictures, const char *typed)
{
	struct kitty_answer a = { .done = true };

	kitty_read(&a, bytes, strlen(bytes));
	assert_int_equal(a.done, done);
	assert_int_equal(a.pictures, pictures);
	assert_string_equal(a.typed.text ? a.typed.text : "", typed);
	str_fini(&a.typed);
}

/* What is typed meanwhile is kept; an answer in pieces is waited for. */
TEST(answers_of_terminals)
{
	answers("\033_Gi=31;OK\033\\\033[?62;4c", true, true, "");
	answers("\033[?1;2c", true, false, "");
	answers("\033_Gi=31;ENOTSUPPORTED:no\033\\\033[?62c", true, false, "");
	answers("j\033_Gi=31;OK\033\\2\033[A\033[?62c", true, true, "j2\033[A");
	answers("\033_Gi=31;OK\033", false, false, "");
	answers("\033_Gi=31;OK\033\\\033[?6", false, true, "");
	answers("", false, false, "");
}

/* ---- the program on a terminal that shows pictures ---- */

enum { COLS = 80, ROWS = 24, PIXELS_W = 8, PIXELS_H = 16 };

/* What the program sends until it is quiet; waits longer for its question, and answers it. */
static void settle(int fd, bool *asked, const char *answer, struct str *sent)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buffer[4096];

	while (poll(&p, 1, *asked ? 1000 : 20000) > 0) {
		const ssize_t n = read(fd, buffer, sizeof buffer);

		if (n <= 0)
			return;
		str_add_n(sent, buffer, (size_t)n);
		if (!*asked && strstr(sent->text, "\033[c")) {
			*asked = true;
			assert_int_equal(write(fd, answer, strlen(answer)), strlen(answer));
		}
	}
}

static pid_t start(int *fd)
{
	const struct winsize size = { ROWS, COLS, COLS * PIXELS_W, ROWS * PIXELS_H };
	const pid_t pid = forkpty(fd, NULL, NULL, &size);

	if (pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		setenv("XDG_STATE_HOME", "/nonexistent", 1);
		execl(TEST_BUILD "/tview", "tview", "--graphics", "kitty", "--no-cache", "--view",
		      "timeline", "traces/stencil.trc", (char *)NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

/* The last picture that was sent: its first sequence. */
static const char *last_picture(const char *sent)
{
	const char *at = NULL;

	for (const char *next = sent; (next = strstr(next, "\033_Ga=T")); next++)
		at = next;
	return at;
}

static void run(const char *answer, bool shows)
{
	OWNED_STR sent = STR_INIT, after = STR_INIT;
	bool asked = false;
	int fd, status, w = 0, h = 0;
	const pid_t pid = start(&fd);

	settle(fd, &asked, answer, &sent);
	assert_true(asked);
	assert_int_equal(last_picture(sent.text) != NULL, shows);
	if (shows) {
		const char *at = last_picture(sent.text), *end = at;
		OWNED_STR sequences = STR_INIT, png = STR_INIT;

		while (strncmp(end, "\033_G", 3) == 0)
			end = strstr(end, "\033\\") + 2;
		str_add_n(&sequences, at, (size_t)(end - at));
		payload_of(&png, &sequences, "a=T,f=100,i=7301,p=1,c=");
		free(decode_png(&png, &w, &h));
		assert_int_equal(w % PIXELS_W, 0);
		assert_in_range(w, 60 * PIXELS_W, COLS * PIXELS_W);
		assert_in_range(h, 10 * PIXELS_H, ROWS * PIXELS_H);
	}
	/* Another view has no picture, and the same one is not sent twice. */
	assert_int_equal(write(fd, "2", 1), 1);
	settle(fd, &asked, answer, &after);
	assert_null(last_picture(after.text ? after.text : ""));
	str_clear(&after);
	assert_int_equal(write(fd, "3", 1), 1);
	settle(fd, &asked, answer, &after);
	assert_int_equal(strstr(after.text, KITTY_DELETE) != NULL, shows);
	assert_int_equal(write(fd, "2", 1), 1);
	settle(fd, &asked, answer, &after);
	str_clear(&after);
	assert_int_equal(write(fd, "Q", 1), 1);
	settle(fd, &asked, answer, &after);
	assert_int_equal(strstr(after.text, KITTY_DELETE) != NULL, shows);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
}

TEST(a_terminal_with_pictures)
{
	run("\033_Gi=31;OK\033\\\033[?62;4c", true);
}

TEST(a_terminal_without_pictures)
{
	run("\033[?62;4c", false);
}
