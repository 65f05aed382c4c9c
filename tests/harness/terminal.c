#include "harness/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utf8proc.h>
#include <vterm.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "harness/rest.h"

struct terminal {
	pid_t pid;
	int fd;      /* our side of the pseudo-terminal; -1 once the program has closed its side */
	int spare;   /* the program's side, kept open so that its settings can be read afterwards */
	bool reaped; /* the program has ended and status is its wait status */
	int status;
	VTerm *vt;
	VTermScreen *screen;
	int rows, cols;
	uint64_t bytes; /* from the program so far */
	double cpu;     /* its processor time when something was last sent to it */
	bool alternate, cursor_visible;
	int mouse;
	struct termios before; /* line settings when the program started */
	struct str osc;        /* an operating system command that is being read; "": none */
	struct str copied;     /* what the last OSC 52 put into the clipboard */
};

static int on_property(VTermProp property, VTermValue *value, void *user)
{
	struct terminal *t = user;

	if (property == VTERM_PROP_ALTSCREEN)
		t->alternate = value->boolean;
	else if (property == VTERM_PROP_CURSORVISIBLE)
		t->cursor_visible = value->boolean;
	else if (property == VTERM_PROP_MOUSE)
		t->mouse = value->number;
	return 1;
}

static void send_bytes(const char *bytes, size_t n, void *user)
{
	struct terminal *t = user;

	t->cpu = rest_cpu(t->pid);
	while (n > 0 && t->fd >= 0) {
		const ssize_t written = write(t->fd, bytes, n);

		if (written < 0 && errno != EINTR)
			return; /* the program is gone; what follows will see it */
		if (written > 0) {
			bytes += written;
			n -= (size_t)written;
		}
	}
}

enum { VARIABLES = 32, LOOK_MS = 2 };

__attribute__((format(printf, 2, 3))) static void set(char **env, const char *format, ...)
{
	struct str s = STR_INIT;
	va_list args;
	size_t n = 0;

	while (env[n])
		n++;
	va_start(args, format);
	str_add_fmt_v(&s, format, args);
	va_end(args);
	if (n + 1 < VARIABLES)
		env[n] = str_take(&s);
	str_fini(&s);
}

/* The environment is built before the fork: only async-signal-safe calls follow it. */
static char **make_environment(const struct terminal_options *options, const char *home)
{
	static const char *const kept[] = { "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS" };
	char **env = xcalloc(VARIABLES, sizeof *env);
	const char *path = getenv("PATH");

	set(env, "PATH=%s%s%s", options->path_prefix ? options->path_prefix : "",
	    options->path_prefix ? ":" : "", path ? path : "/usr/bin:/bin");
	set(env, "TERM=%s", options->term ? options->term : "xterm-256color");
	set(env, "HOME=%s", home);
	set(env, "XDG_CONFIG_HOME=%s/config", home);
	set(env, "XDG_STATE_HOME=%s/state", home);
	set(env, "XDG_CACHE_HOME=%s/cache", home);
	set(env, "LANG=C.UTF-8");
	set(env, "TZ=UTC");
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (getenv(kept[i]))
			set(env, "%s=%s", kept[i], getenv(kept[i]));
	for (size_t i = 0; options->env && options->env[i]; i++)
		set(env, "%s", options->env[i]);
	return env;
}

static void free_environment(char **env)
{
	for (char **e = env; *e; e++)
		free(*e);
	free(env);
}

static void become_program(int side, const char *command, char **env)
{
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };

	setsid();
	ioctl(side, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(side, fd);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	execve(argv[0], (char *const *)(uintptr_t)argv, env);
	_exit(127);
}

static void open_emulator(struct terminal *t)
{
	static const VTermScreenCallbacks callbacks = { .settermprop = on_property };

	t->vt = vterm_new(t->rows, t->cols);
	vterm_set_utf8(t->vt, 1);
	vterm_output_set_callback(t->vt, send_bytes, t);
	t->screen = vterm_obtain_screen(t->vt);
	vterm_screen_enable_altscreen(t->screen, 1);
	vterm_screen_set_callbacks(t->screen, &callbacks, t);
	vterm_screen_reset(t->screen, 1);
	t->cursor_visible = true;
}

struct terminal *terminal_open(const char *command, const struct terminal_options *options,
			       const char *home)
{
	struct terminal *t = xcalloc(1, sizeof *t);
	struct winsize size = { 0 };
	struct str line = STR_INIT;
	char **env;

	str_init(&t->osc);
	str_init(&t->copied);
	t->rows = options->rows ? options->rows : 24;
	t->cols = options->cols ? options->cols : 80;
	size.ws_row = (unsigned short)t->rows;
	size.ws_col = (unsigned short)t->cols;
	if (openpty(&t->fd, &t->spare, NULL, NULL, &size) < 0) {
		free(t);
		return NULL;
	}
	tcgetattr(t->spare, &t->before);
	fcntl(t->fd, F_SETFD, FD_CLOEXEC);
	env = make_environment(options, home);
	str_add_fmt(&line, "exec %s", command);
	t->pid = fork();
	if (t->pid == 0)
		become_program(t->spare, line.text, env);
	free_environment(env);
	str_fini(&line);
	open_emulator(t);
	return t;
}

void terminal_close(struct terminal *t)
{
	int status;

	if (!t)
		return;
	if (!terminal_ended(t, &status)) {
		kill(-t->pid, SIGKILL);
		waitpid(t->pid, &status, 0);
	}
	terminal_hangup(t);
	vterm_free(t->vt);
	str_fini(&t->osc);
	str_fini(&t->copied);
	free(t);
}

static void take_copy(struct terminal *t)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *p = t->osc.text + strlen("\033]52;c;");
	uint32_t bits = 0;
	int n = 0;

	str_clear(&t->copied);
	for (; *p && strchr(digits, *p); p++) {
		bits = bits << 6 | (uint32_t)(strchr(digits, *p) - digits);
		n += 6;
		if (n >= 8)
			str_add_char(&t->copied, (char)(bits >> (n -= 8)));
	}
}

/* The clipboard is the terminal's own, of which libvterm knows nothing. */
static void watch_copies(struct terminal *t, char byte)
{
	if (byte == '\033')
		str_clear(&t->osc);
	if (byte == '\033' || t->osc.n)
		str_add_char(&t->osc, byte);
	if (t->osc.n == 2 && byte != ']')
		str_clear(&t->osc);
	if (byte == '\007' && strncmp(t->osc.text, "\033]52;c;", 7) == 0)
		take_copy(t);
	if (byte == '\007')
		str_clear(&t->osc);
}

/* Takes in what the program has written within timeout_ms; false when that was nothing. */
static bool take_output(struct terminal *t, int timeout_ms)
{
	struct pollfd ready = { .fd = t->fd, .events = POLLIN };
	char bytes[65536];
	ssize_t n;

	if (poll(&ready, 1, timeout_ms) <= 0)
		return false;
	n = read(t->fd, bytes, sizeof bytes);
	if (n <= 0)
		return false;
	t->bytes += (uint64_t)n;
	for (ssize_t i = 0; i < n; i++)
		watch_copies(t, bytes[i]);
	vterm_input_write(t->vt, bytes, (size_t)n);
	vterm_screen_flush_damage(t->screen);
	return true;
}

const char *terminal_copied(const struct terminal *t)
{
	return t->copied.text;
}

uint64_t terminal_bytes(const struct terminal *t)
{
	return t->bytes;
}

bool terminal_settle(struct terminal *t, int quiet_ms, int limit_ms)
{
	const int64_t end = clock_ms() + limit_ms;
	int status;

	while (clock_ms() < end) {
		const bool ended = terminal_ended(t, &status);

		if (!take_output(t, ended ? 0 : quiet_ms))
			return true;
	}
	return false;
}

bool terminal_rest(struct terminal *t, int limit_ms)
{
	const int64_t end = clock_ms() + limit_ms;
	int status;

	for (double cpu, before = -1; clock_ms() < end; before = cpu) {
		cpu = take_output(t, LOOK_MS) ? -1 : rest_cpu(t->pid);
		if (terminal_ended(t, &status) ||
		    (cpu > t->cpu && cpu <= before && rest_sleeps(t->pid)))
			return true;
	}
	return false;
}

bool terminal_wait(struct terminal *t, bool (*holds)(struct terminal *t, void *context),
		   void *context, int limit_ms)
{
	const int64_t end = clock_ms() + limit_ms;

	while (!holds(t, context)) {
		if (clock_ms() >= end)
			return false;
		take_output(t, 20);
	}
	return true;
}

static bool shows(struct terminal *t, void *text)
{
	int row, col;

	return terminal_find(t, text, &row, &col);
}

bool terminal_wait_text(struct terminal *t, const char *text, int limit_ms)
{
	return terminal_wait(t, shows, (void *)(uintptr_t)text, limit_ms);
}

static bool has_ended(struct terminal *t, void *status)
{
	return terminal_ended(t, status);
}

bool terminal_wait_end(struct terminal *t, int *status, int limit_ms)
{
	return terminal_wait(t, has_ended, status, limit_ms);
}

static VTermKey key_by_name(const char *name)
{
	static const struct {
		const char *name;
		VTermKey key;
	} keys[] = { { "Up", VTERM_KEY_UP },       { "Down", VTERM_KEY_DOWN },
		     { "Left", VTERM_KEY_LEFT },   { "Right", VTERM_KEY_RIGHT },
		     { "Home", VTERM_KEY_HOME },   { "End", VTERM_KEY_END },
		     { "PgUp", VTERM_KEY_PAGEUP }, { "PgDn", VTERM_KEY_PAGEDOWN },
		     { "Insert", VTERM_KEY_INS },  { "Delete", VTERM_KEY_DEL },
		     { "Enter", VTERM_KEY_ENTER }, { "Tab", VTERM_KEY_TAB },
		     { "Esc", VTERM_KEY_ESCAPE },  { "Backspace", VTERM_KEY_BACKSPACE } };
	char *end;
	long number;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(name, keys[i].name) == 0)
			return keys[i].key;
	if (name[0] != 'F' || !name[1])
		return VTERM_KEY_NONE;
	number = strtol(name + 1, &end, 10);
	return *end || number < 1 || number > 12 ? VTERM_KEY_NONE
						 : (VTermKey)VTERM_KEY_FUNCTION((int)number);
}

/* The code of the one UTF-8 character that `text` is; 0 when it is not exactly one. */
static uint32_t single_character(const char *text)
{
	utf8proc_int32_t code;
	const utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &code);

	return n <= 0 || text[n] ? 0 : (uint32_t)code;
}

bool terminal_key(struct terminal *t, const char *name)
{
	VTermModifier modifier = VTERM_MOD_NONE;
	VTermKey key;
	uint32_t code;

	for (; name[0] && name[1] == '-' && name[2]; name += 2) {
		if (name[0] == 'C')
			modifier |= VTERM_MOD_CTRL;
		else if (name[0] == 'M')
			modifier |= VTERM_MOD_ALT;
		else if (name[0] == 'S')
			modifier |= VTERM_MOD_SHIFT;
		else
			return false;
	}
	key = key_by_name(name);
	code = strcmp(name, "Space") == 0 ? ' ' : single_character(name);
	if (key != VTERM_KEY_NONE)
		vterm_keyboard_key(t->vt, key, modifier);
	else if (code)
		vterm_keyboard_unichar(t->vt, code, modifier);
	return key != VTERM_KEY_NONE || code;
}

void terminal_input(struct terminal *t, const char *text)
{
	send_bytes(text, strlen(text), t);
}

void terminal_paste(struct terminal *t, const char *text)
{
	vterm_keyboard_start_paste(t->vt);
	terminal_input(t, text);
	vterm_keyboard_end_paste(t->vt);
}

void terminal_drag(struct terminal *t, int row, int from, int to)
{
	vterm_mouse_move(t->vt, row, from, VTERM_MOD_NONE);
	vterm_mouse_button(t->vt, 1, true, VTERM_MOD_NONE);
	while (from != to) {
		from += from < to ? 1 : -1;
		vterm_mouse_move(t->vt, row, from, VTERM_MOD_NONE);
	}
	vterm_mouse_button(t->vt, 1, false, VTERM_MOD_NONE);
}

void terminal_click(struct terminal *t, int row, int col, int button)
{
	vterm_mouse_move(t->vt, row, col, VTERM_MOD_NONE);
	vterm_mouse_button(t->vt, button, true, VTERM_MOD_NONE);
	vterm_mouse_button(t->vt, button, false, VTERM_MOD_NONE);
}

void terminal_resize(struct terminal *t, int rows, int cols)
{
	const struct winsize size = { .ws_row = (unsigned short)rows,
				      .ws_col = (unsigned short)cols };

	t->rows = rows;
	t->cols = cols;
	vterm_set_size(t->vt, rows, cols);
	ioctl(t->fd, TIOCSWINSZ, &size);
}

void terminal_signal(struct terminal *t, int signal)
{
	int status;

	if (!terminal_ended(t, &status))
		kill(t->pid, signal);
}

void terminal_hangup(struct terminal *t)
{
	if (t->fd < 0)
		return;
	close(t->spare);
	close(t->fd);
	t->fd = -1;
}

void terminal_size(const struct terminal *t, int *rows, int *cols)
{
	*rows = t->rows;
	*cols = t->cols;
}

static void add_code(struct str *s, uint32_t c)
{
	utf8proc_uint8_t bytes[4] = { 0 };
	const utf8proc_ssize_t n = utf8proc_encode_char((utf8proc_int32_t)c, bytes);

	str_add_n(s, (const char *)bytes, (size_t)n);
}

/* Appends one line; `starts`, where given, gets the offset in the line of each column. */
static void add_line(struct str *s, const struct terminal *t, int row, size_t *starts)
{
	const size_t from = s->n;
	size_t keep = s->n;

	for (int col = 0; col < t->cols; col++) {
		const VTermPos at = { .row = row, .col = col };
		VTermScreenCell cell;

		if (starts)
			starts[col] = s->n - from;
		if (!vterm_screen_get_cell(t->screen, at, &cell))
			continue;
		if (cell.chars[0] == (uint32_t)-1)
			continue; /* second half of a wide character */
		if (cell.chars[0] == 0)
			str_add_char(s, ' ');
		for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
			add_code(s, cell.chars[i]);
		if (s->text[s->n - 1] != ' ')
			keep = s->n;
	}
	s->n = keep;
	s->text[keep] = '\0';
}

char *terminal_text(const struct terminal *t)
{
	struct str s = STR_INIT;
	size_t keep = 0;

	for (int row = 0; row < t->rows; row++) {
		const size_t from = s.n;

		add_line(&s, t, row, NULL);
		if (s.n > from)
			keep = s.n + 1;
		str_add_char(&s, '\n');
	}
	s.text[keep] = '\0';
	return str_take(&s);
}

bool terminal_find(const struct terminal *t, const char *text, int *row, int *col)
{
	size_t *starts = xcalloc((size_t)t->cols, sizeof *starts);
	bool found = false;

	for (int r = 0; r < t->rows && !found; r++) {
		struct str s = STR_INIT;
		const char *place;

		str_add(&s, "");
		add_line(&s, t, r, starts);
		place = strstr(s.text, text);
		for (int c = 0; place && c < t->cols && !found; c++)
			if (starts[c] == (size_t)(place - s.text)) {
				*row = r;
				*col = c;
				found = true;
			}
		str_fini(&s);
	}
	free(starts);
	return found;
}

static void colour_name(VTermColor colour, bool standard, char *out, size_t size)
{
	if (standard)
		snprintf(out, size, "default");
	else if (VTERM_COLOR_IS_INDEXED(&colour))
		snprintf(out, size, "%u", colour.indexed.idx);
	else
		snprintf(out, size, "#%02x%02x%02x", colour.rgb.red, colour.rgb.green,
			 colour.rgb.blue);
}

struct terminal_look terminal_look(const struct terminal *t, int row, int col)
{
	const VTermPos at = { .row = row, .col = col };
	struct terminal_look look = { 0 };
	VTermScreenCell cell;

	if (!vterm_screen_get_cell(t->screen, at, &cell))
		return look;
	look.bold = cell.attrs.bold;
	look.underline = cell.attrs.underline != 0;
	look.italic = cell.attrs.italic;
	look.reverse = cell.attrs.reverse;
	look.blink = cell.attrs.blink;
	colour_name(cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg), look.fg, sizeof look.fg);
	colour_name(cell.bg, VTERM_COLOR_IS_DEFAULT_BG(&cell.bg), look.bg, sizeof look.bg);
	return look;
}

bool terminal_ended(struct terminal *t, int *status)
{
	if (!t->reaped && waitpid(t->pid, &t->status, WNOHANG) == t->pid) {
		t->reaped = true;
		/* What it wrote last is still in the terminal. */
		while (t->fd >= 0 && take_output(t, 0))
			;
	}
	if (t->reaped)
		*status = WIFEXITED(t->status) ? WEXITSTATUS(t->status) : 128 + WTERMSIG(t->status);
	return t->reaped;
}

static void note(const char *bytes, size_t n, void *user)
{
	(void)bytes;
	*(size_t *)user += n;
}

/* libvterm does not tell; but then it says that something is pasted. */
static bool marks_pastes(const struct terminal *t)
{
	size_t n = 0;

	vterm_output_set_callback(t->vt, note, &n);
	vterm_keyboard_start_paste(t->vt);
	vterm_output_set_callback(t->vt, send_bytes, (void *)(uintptr_t)t);
	return n > 0;
}

const char *terminal_left_over(const struct terminal *t)
{
	struct termios now;

	if (t->alternate)
		return "the alternate screen is still shown";
	if (!t->cursor_visible)
		return "the cursor is still hidden";
	if (t->mouse)
		return "the mouse still reports";
	if (marks_pastes(t))
		return "pasted text is still marked";
	if (t->fd < 0)
		return "the terminal was hung up";
	tcgetattr(t->spare, &now);
	if (now.c_lflag != t->before.c_lflag || now.c_iflag != t->before.c_iflag ||
	    now.c_oflag != t->before.c_oflag)
		return "the line settings (echo, line mode) are not what they were";
	return NULL;
}
