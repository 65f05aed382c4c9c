#define _GNU_SOURCE /* memmem */
#include "harness/graphic_terminal.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vterm.h>

#include "base/clock.h"
#include "harness/pictures.h"
#include "harness/rest.h"
#include "harness/test.h"

/* ---- cells ---- */

static void clear_cell(struct graphic_terminal *t, int row, int col)
{
	for (int y = row * GRAPHIC_H; y < (row + 1) * GRAPHIC_H; y++)
		memset(&t->pixels[y][col * GRAPHIC_W], 0, GRAPHIC_W * sizeof **t->pixels);
}

static int put(VTermGlyphInfo *info, VTermPos pos, void *user)
{
	struct graphic_terminal *t = user;

	for (int i = 0; i < info->width && pos.col + i < GRAPHIC_COLS; i++) {
		t->text[pos.row][pos.col + i] = i ? 0 : info->chars[0];
		clear_cell(t, pos.row, pos.col + i);
	}
	return 1;
}

static int erase(VTermRect rect, int selective, void *user)
{
	struct graphic_terminal *t = user;

	(void)selective;
	for (int row = rect.start_row; row < rect.end_row; row++)
		for (int col = rect.start_col; col < rect.end_col; col++) {
			t->text[row][col] = ' ';
			clear_cell(t, row, col);
		}
	return 1;
}

static int move(VTermRect dest, VTermRect src, void *user)
{
	struct graphic_terminal *t = user;
	const int rows = src.end_row - src.start_row, cols = src.end_col - src.start_col;
	static uint32_t kept[GRAPHIC_ROWS][GRAPHIC_COLS];

	/* Terminals move pictures along, or not: the program must not rely on it. */
	memcpy(kept, t->text, sizeof kept);
	for (int row = 0; row < rows; row++)
		for (int col = 0; col < cols; col++) {
			t->text[dest.start_row + row][dest.start_col + col] =
				kept[src.start_row + row][src.start_col + col];
			clear_cell(t, dest.start_row + row, dest.start_col + col);
		}
	return 1;
}

/* ---- pictures ---- */

static void show(struct graphic_terminal *t, const char *text, size_t n)
{
	const struct picture p = decode_sixel(text, n);
	VTermPos at;

	vterm_state_get_cursorpos(vterm_obtain_state(t->vt), &at);
	/* A picture that reaches into the last row makes terminals scroll. */
	assert_true(at.row * GRAPHIC_H + p.h <= (GRAPHIC_ROWS - 1) * GRAPHIC_H);
	assert_true(at.col * GRAPHIC_W + p.w <= GRAPHIC_COLS * GRAPHIC_W);
	for (int y = 0; y < p.h; y++)
		for (int x = 0; x < p.w; x++)
			if (p.pixels[y * p.w + x])
				t->pixels[at.row * GRAPHIC_H + y][at.col * GRAPHIC_W + x] =
					p.pixels[y * p.w + x];
	t->sixels++;
	free(p.pixels);
}

/* Takes sequences with text of their own away from what libvterm gets. */
static void take(struct graphic_terminal *t, const char *bytes, size_t n)
{
	size_t from = 0, i = 0;
	const char *s;

	str_add_n(&t->sent, bytes, n);
	str_add_n(&t->rest, bytes, n);
	s = t->rest.text;
	n = t->rest.n;
	while (i < n) {
		const char *end;

		if (s[i] != '\033' || (i + 1 < n && s[i + 1] != 'P' && s[i + 1] != '_')) {
			i++;
			continue;
		}
		vterm_input_write(t->vt, s + from, i - from);
		from = i;
		end = i + 1 < n ? memmem(s + i, n - i, "\033\\", 2) : NULL;
		if (!end)
			break;
		if (s[i + 1] == 'P')
			show(t, s + i + 2, (size_t)(end - (s + i + 2)));
		from = i = (size_t)(end + 2 - s);
	}
	/* The rest, but for a sequence of which there is a part. */
	vterm_input_write(t->vt, s + from, i - from);
	from = i;
	memmove(t->rest.text, s + from, n - from);
	str_end(&t->rest, t->rest.text + (n - from));
}

/* ---- the program ---- */

struct graphic_terminal *graphic_terminal_open(const char *const argv[],
					       const struct graphic_answers *answers)
{
	static const VTermStateCallbacks callbacks = { .putglyph = put,
						       .erase = erase,
						       .moverect = move };
	struct graphic_terminal *t = xcalloc(1, sizeof *t);
	struct winsize size = { GRAPHIC_ROWS, GRAPHIC_COLS, GRAPHIC_COLS * GRAPHIC_W,
				GRAPHIC_ROWS * GRAPHIC_H };

	if (answers->no_pixels)
		size.ws_xpixel = size.ws_ypixel = 0;
	t->answers = *answers;
	t->vt = vterm_new(GRAPHIC_ROWS, GRAPHIC_COLS);
	vterm_set_utf8(t->vt, 1);
	vterm_state_set_callbacks(vterm_obtain_state(t->vt), &callbacks, t);
	vterm_state_reset(vterm_obtain_state(t->vt), 1);
	t->pid = forkpty(&t->fd, NULL, NULL, &size);
	if (t->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		setenv("XDG_STATE_HOME", "/dev/null/none", 1);
		setenv("XDG_CONFIG_HOME", "/dev/null/none", 1);
		unsetenv("TMUX");
		unsetenv("NO_COLOR");
		unsetenv("COLORFGBG");
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	assert_true(t->pid > 0);
	return t;
}

void graphic_terminal_close(struct graphic_terminal *t)
{
	if (!t->ended) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, &t->status, 0);
	}
	close(t->fd);
	vterm_free(t->vt);
	str_fini(&t->sent);
	str_fini(&t->rest);
	free(t);
}

void graphic_terminal_type(struct graphic_terminal *t, const char *keys)
{
	str_clear(&t->sent);
	t->cpu = rest_cpu(t->pid);
	assert_int_equal(write(t->fd, keys, strlen(keys)), strlen(keys));
}

static void sleep_ms(int ms)
{
	poll(NULL, 0, ms);
}

static void answer(struct graphic_terminal *t)
{
	const struct graphic_answers *a = &t->answers;
	const char *const all[] = { a->typed, a->ground, a->kitty, a->limits, a->cell, a->device };
	OWNED_STR out = STR_INIT;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i])
			str_add(&out, all[i]);
	sleep_ms(a->late_ms);
	for (size_t i = 0; i < out.n; i += a->in_pieces ? 1 : out.n) {
		const size_t n = a->in_pieces ? 1 : out.n;

		assert_int_equal(write(t->fd, out.text + i, n), n);
		if (a->in_pieces)
			sleep_ms(5);
	}
}

/* Takes what has come; false: nothing within that time. */
static bool read_some(struct graphic_terminal *t, int ms)
{
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	char buffer[4096];
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return false;
	n = read(t->fd, buffer, sizeof buffer);
	if (n <= 0) {
		t->ended = true;
		waitpid(t->pid, &t->status, 0);
		return false;
	}
	take(t, buffer, (size_t)n);
	if (!t->asked && memmem(t->sent.text, t->sent.n, "\033[c", 3)) {
		t->asked = true;
		answer(t);
	}
	return true;
}

/* Where the program waits for some time only, a picture may be finer when that is over. */
void graphic_terminal_settle(struct graphic_terminal *t)
{
	enum { STEP_MS = 5, UNDER_WAY_MS = 100, QUIET_MS = 600, LIMIT_MS = 60000 };
	const int64_t begin = clock_ms();
	int64_t quiet = begin;
	bool any = false;

	while (!t->ended && clock_ms() - begin < LIMIT_MS) {
		const bool rests = rest_cpu(t->pid) > t->cpu && rest_sleeps(t->pid);
		const bool waits = rests && rest_polls(t->pid);
		const bool some = read_some(t, STEP_MS);

		any |= some;
		if (some || !rests)
			quiet = clock_ms();
		else if ((any || waits) && clock_ms() - quiet > (waits ? UNDER_WAY_MS : QUIET_MS))
			return;
	}
}

void graphic_terminal_text(const struct graphic_terminal *t, struct str *out)
{
	for (int row = 0; row < GRAPHIC_ROWS; row++) {
		for (int col = 0; col < GRAPHIC_COLS; col++) {
			const uint32_t c = t->text[row][col];

			str_add_char(out, c < 128 && c ? (char)c : '?');
		}
		str_add_char(out, '\n');
	}
}

int graphic_terminal_drawn(const struct graphic_terminal *t)
{
	int n = 0;

	for (int y = 0; y < GRAPHIC_ROWS * GRAPHIC_H; y++)
		for (int x = 0; x < GRAPHIC_COLS * GRAPHIC_W; x++)
			n += t->pixels[y][x] != 0;
	return n;
}
