#include "harness/screenplay.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "harness/files.h"
#include "harness/terminal.h"
#include "harness/terminal_conditions.h"

enum {
	QUIET_MS = 40, /* a program that has been silent this long has drawn what it had to draw */
	LIMIT_MS = 8000,  /* a condition that does not hold by then has failed */
	LONG_MS = 60000,  /* so is a program that is busy for longer */
	SETTLED_MS = 300, /* silence before a screen is written into a file */
	MAX_ENV = 8,
};

struct play {
	const char *path;
	const char *programs;
	bool update;
	struct str *report;
	VEC(char *) lines;
	size_t at; /* line being played, from 0 */
	struct terminal_options options;
	char *term, *path_prefix;
	char *env[MAX_ENV + 1];
	size_t envs;
	char home[FOLDER_NAME];
	struct terminal *terminal;
	uint64_t bytes_before; /* of the last key */
	unsigned actions;      /* keys, characters, clicks and drags since `task` */
	bool changed;          /* a screen block was written anew */
};

static bool fails(struct play *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fails(struct play *p, const char *fmt, ...)
{
	va_list args;

	str_add_fmt(p->report, "%s:%zu: ", p->path, p->at + 1);
	va_start(args, fmt);
	str_add_fmt_v(p->report, fmt, args);
	va_end(args);
	str_add_char(p->report, '\n');
	if (p->terminal) {
		char *text = terminal_text(p->terminal);

		str_add(p->report, "the screen:\n");
		str_add(p->report, text);
		free(text);
	}
	return false;
}

static bool parse_size(const char *text, int *rows, int *cols)
{
	int used = 0;

	return sscanf(text, "%dx%d%n", cols, rows, &used) == 2 && !text[used] && *rows > 0 &&
	       *cols > 0 && *rows <= 1000 && *cols <= 1000;
}

static bool do_size(struct play *p, const char *text)
{
	return parse_size(text, &p->options.rows, &p->options.cols) ||
	       fails(p, "'%s' is not a size such as 80x24", text);
}

static bool do_term(struct play *p, const char *text)
{
	free(p->term);
	p->options.term = p->term = xstrdup(text);
	return true;
}

static bool do_env(struct play *p, const char *text)
{
	if (p->envs == MAX_ENV)
		return fails(p, "more than %d variables", MAX_ENV);
	p->env[p->envs++] = xstrdup(text);
	return true;
}

static bool do_run(struct play *p, const char *text)
{
	terminal_close(p->terminal);
	p->terminal = terminal_open(text, &p->options, p->home);
	if (!p->terminal)
		return fails(p, "no pseudo-terminal: %s", strerror(errno));
	/* The first output may take a while (sanitizers, a cold cache). */
	for (int i = 0; i < 100; i++) {
		char *shown = terminal_text(p->terminal);
		const bool any = *shown;
		int status;

		free(shown);
		if (any || terminal_ended(p->terminal, &status))
			break;
		terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	}
	terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	return true;
}

static bool do_keys(struct play *p, const char *text)
{
	char *words = xstrdup(text);
	char *rest = words;
	bool good = true;

	for (char *word; good && (word = strtok_r(rest, " \t", &rest));) {
		p->bytes_before = terminal_bytes(p->terminal);
		good = terminal_key(p->terminal, word) || fails(p, "there is no key '%s'", word);
		p->actions++;
		terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	}
	free(words);
	return good;
}

static bool do_type(struct play *p, const char *text)
{
	terminal_input(p->terminal, text);
	p->actions += (unsigned)strlen(text);
	terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	return true;
}

/* '\\r' ends a line of it. */
static bool do_paste(struct play *p, const char *text)
{
	struct str s = STR_INIT;

	for (; *text; text++) {
		const bool ends = text[0] == '\\' && text[1] == 'r';
		str_add_char(&s, ends ? '\r' : *text);
		text += ends;
	}
	terminal_paste(p->terminal, s.text);
	str_fini(&s);
	terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	return true;
}

static bool do_click(struct play *p, const char *text)
{
	int row, col, button = 1;

	if (sscanf(text, "%d %d %d", &row, &col, &button) < 2)
		return fails(p, "click needs a row and a column");
	terminal_click(p->terminal, row - 1, col - 1, button);
	p->actions++;
	terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	return true;
}

static bool do_drag(struct play *p, const char *text)
{
	int row, from, to;

	if (sscanf(text, "%d %d %d", &row, &from, &to) < 3)
		return fails(p, "drag needs a row and two columns");
	terminal_drag(p->terminal, row - 1, from - 1, to - 1);
	p->actions++;
	terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	return true;
}

static bool do_resize(struct play *p, const char *text)
{
	int rows, cols;

	if (!parse_size(text, &rows, &cols))
		return fails(p, "'%s' is not a size such as 80x24", text);
	terminal_resize(p->terminal, rows, cols);
	terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	return true;
}

static bool do_signal(struct play *p, const char *text)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = { { "TERM", SIGTERM }, { "INT", SIGINT },   { "HUP", SIGHUP },
			{ "TSTP", SIGTSTP }, { "CONT", SIGCONT }, { "WINCH", SIGWINCH },
			{ "QUIT", SIGQUIT }, { "ALRM", SIGALRM }, { "USR1", SIGUSR1 },
			{ "USR2", SIGUSR2 }, { "XCPU", SIGXCPU } };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (strcmp(text, signals[i].name) == 0) {
			terminal_signal(p->terminal, signals[i].number);
			terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
			return true;
		}
	return fails(p, "the signal '%s' is not known here", text);
}

static bool do_hangup(struct play *p, const char *text)
{
	(void)text;
	terminal_hangup(p->terminal);
	return true;
}

/* Makes an empty file in the home folder: a program that was run can wait for it. */
static bool do_touch(struct play *p, const char *text)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", p->home, text);
	out = fopen(path, "w");
	return (out && fclose(out) == 0) || fails(p, "cannot make %s", path);
}

static bool do_see(struct play *p, const char *text)
{
	return terminal_wait_text(p->terminal, text, LIMIT_MS) ||
	       fails(p, "'%s' does not stand on the screen", text);
}

static bool do_rest(struct play *p, const char *text)
{
	return terminal_rest(p->terminal, LONG_MS) || fails(p, "the program is still busy%s", text);
}

static bool do_bytes(struct play *p, const char *text)
{
	const bool rests = do_rest(p, "");
	const uint64_t n = terminal_bytes(p->terminal) - p->bytes_before;

	if (!rests)
		return false;
	return n <= strtoull(text, NULL, 10) ||
	       fails(p, "the last key brought %llu bytes", (unsigned long long)n);
}

static bool do_task(struct play *p, const char *text)
{
	p->actions = 0;
	return !*text || fails(p, "task has no argument: '%s'", text);
}

static bool do_took(struct play *p, const char *text)
{
	unsigned n, most;

	if (sscanf(text, "%u of %u", &n, &most) != 2 || n > most)
		return fails(p, "took needs two numbers, '4 of 6': '%s'", text);
	return p->actions == n || fails(p, "it took %u keys, not %u", p->actions, n);
}

static bool do_absent(struct play *p, const char *text)
{
	return terminal_wait(p->terminal, terminal_shows_not, (void *)(uintptr_t)text, LIMIT_MS) ||
	       fails(p, "'%s' stands on the screen", text);
}

static bool do_copied(struct play *p, const char *text)
{
	return terminal_wait(p->terminal, terminal_was_copied, (void *)(uintptr_t)text, LIMIT_MS) ||
	       fails(p, "'%s' is not in the clipboard: %s", text, terminal_copied(p->terminal));
}

static bool do_row(struct play *p, const char *text)
{
	int rows, cols, used = 0;
	struct in_row in;

	if (sscanf(text, "%d %n", &in.row, &used) != 1 || in.row == 0)
		return fails(p, "row needs a number and a text");
	terminal_size(p->terminal, &rows, &cols);
	if (in.row < 0)
		in.row += rows + 1;
	in.text = text + used;
	return terminal_wait(p->terminal, terminal_row_shows, &in, LIMIT_MS) ||
	       fails(p, "row %d does not show '%s'", in.row, in.text);
}

static bool do_look(struct play *p, const char *text)
{
	const char *colon = strstr(text, ": ");
	struct with_look with;
	bool holds;

	if (!colon)
		return fails(p, "look needs TEXT: and words behind it");
	with.text = xstrndup(text, (size_t)(colon - text));
	with.words = colon + 2;
	holds = terminal_wait(p->terminal, terminal_text_looks, &with, LIMIT_MS) ||
		fails(p, "'%s' does not look %s", with.text, with.words);
	free(with.text);
	return holds;
}

static bool do_colourless(struct play *p, const char *text)
{
	return terminal_wait(p->terminal, terminal_has_no_colour, NULL, LIMIT_MS) ||
	       fails(p, "there are colours on the screen%s", text);
}

static bool do_ascii(struct play *p, const char *text)
{
	return terminal_wait(p->terminal, terminal_is_ascii, NULL, LIMIT_MS) ||
	       fails(p, "there is more than ASCII on the screen%s", text);
}

static bool do_ended(struct play *p, const char *text)
{
	int status = -1;

	if (!terminal_wait_end(p->terminal, &status, LIMIT_MS))
		return fails(p, "the program still runs");
	terminal_settle(p->terminal, QUIET_MS, LIMIT_MS);
	return status == atoi(text) ||
	       fails(p, "the program ended with status %d, not %s", status, text);
}

static bool do_restored(struct play *p, const char *text)
{
	const char *left = terminal_left_over(p->terminal);

	return !left || fails(p, "%s%s", left, text);
}

/* Number of lines of the block of '|' lines that follows line `at`. */
static size_t block_length(const struct play *p)
{
	size_t n = 0;

	while (p->at + 1 + n < p->lines.n && p->lines.data[p->at + 1 + n][0] == '|')
		n++;
	return n;
}

/* What a line of a block wants: the text behind '|' and a space. */
static const char *wanted_of(const char *line)
{
	return line + 1 + (line[1] == ' ');
}

/* A row that may hold anything. */
static bool is_any(const char *line)
{
	return strcmp(wanted_of(line), "*") == 0;
}

/* Compares what is shown with the block behind `screen`; NULL context of terminal_wait is the
 * play. */
static bool screen_is(struct terminal *t, void *context)
{
	const struct play *p = context;
	const size_t rows = block_length(p);
	char *shown = terminal_text(t);
	char *rest = shown;
	bool same = true;

	for (size_t i = 0; i < rows && same; i++) {
		const char *wanted = p->lines.data[p->at + 1 + i];
		char *line = rest;

		rest += strcspn(rest, "\n");
		if (*rest)
			*rest++ = '\0';
		same = is_any(wanted) || strcmp(wanted_of(wanted), line) == 0;
	}
	same = same && !*rest;
	free(shown);
	return same;
}

/* Puts the rows shown in place of the block; a row that may hold anything stays so. */
static void rewrite_block(struct play *p)
{
	const size_t old = block_length(p);
	VEC(char *) lines = VEC_INIT;
	char *shown, *rest;
	size_t row = 0;

	terminal_settle(p->terminal, SETTLED_MS, LIMIT_MS);
	rest = shown = terminal_text(p->terminal);
	for (size_t i = 0; i <= p->at; i++)
		vec_push(&lines, p->lines.data[i]);
	while (*rest) {
		const size_t n = strcspn(rest, "\n");
		const bool any = row < old && is_any(p->lines.data[p->at + 1 + row]);
		struct str s = STR_INIT;

		str_add(&s, any ? "|*" : n ? "| " : "|");
		str_add_n(&s, rest, any ? 0 : n);
		vec_push(&lines, str_take(&s));
		rest += n + (rest[n] == '\n');
		row++;
	}
	for (size_t i = 0; i < old; i++)
		free(p->lines.data[p->at + 1 + i]);
	for (size_t i = p->at + 1 + old; i < p->lines.n; i++)
		vec_push(&lines, p->lines.data[i]);
	free(shown);
	vec_fini(&p->lines);
	p->lines.data = lines.data;
	p->lines.n = lines.n;
	p->lines.cap = lines.cap;
	p->changed = true;
}

static bool do_screen(struct play *p, const char *text)
{
	bool same = true;

	if (p->update)
		rewrite_block(p);
	else
		same = terminal_wait(p->terminal, screen_is, p, LIMIT_MS) ||
		       fails(p, "the screen is another one%s (make screens-update writes it anew)",
			     text);
	p->at += block_length(p);
	return same;
}

static bool play_line(struct play *p, const char *line)
{
	static const struct {
		const char *name;
		bool (*play)(struct play *p, const char *text);
		bool needs_program;
	} commands[] = {
		{ "size", do_size, false },    { "term", do_term, false },
		{ "env", do_env, false },      { "run", do_run, false },
		{ "keys", do_keys, true },     { "type", do_type, true },
		{ "paste", do_paste, true },   { "click", do_click, true },
		{ "drag", do_drag, true },     { "resize", do_resize, true },
		{ "signal", do_signal, true }, { "hangup", do_hangup, true },
		{ "touch", do_touch, true },   { "see", do_see, true },
		{ "absent", do_absent, true }, { "bytes", do_bytes, true },
		{ "task", do_task, true },     { "took", do_took, true },
		{ "row", do_row, true },       { "look", do_look, true },
		{ "ascii", do_ascii, true },   { "colourless", do_colourless, true },
		{ "ended", do_ended, true },   { "restored", do_restored, true },
		{ "screen", do_screen, true }, { "copied", do_copied, true },
		{ "rest", do_rest, true },
	};
	const size_t n = strcspn(line, " \t");

	if (!*line || *line == '#')
		return true;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (strlen(commands[i].name) != n || strncmp(line, commands[i].name, n) != 0)
			continue;
		if (commands[i].needs_program && !p->terminal)
			return fails(p, "'run' must come before '%s'", commands[i].name);
		return commands[i].play(p, line + n + strspn(line + n, " \t"));
	}
	return fails(p, "'%s' is no command of a screen test", line);
}

static bool read_lines(struct play *p)
{
	FILE *file = fopen(p->path, "r");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return fails(p, "%s", strerror(errno));
	for (ssize_t n; (n = getline(&line, &size, file)) >= 0;) {
		if (n && line[n - 1] == '\n')
			line[n - 1] = '\0';
		vec_push(&p->lines, xstrdup(line));
	}
	free(line);
	fclose(file);
	return true;
}

static bool write_lines(struct play *p)
{
	FILE *file = fopen(p->path, "w");

	if (!file)
		return fails(p, "%s", strerror(errno));
	for (size_t i = 0; i < p->lines.n; i++)
		fprintf(file, "%s\n", p->lines.data[i]);
	return fclose(file) == 0 || fails(p, "%s", strerror(errno));
}

bool screenplay_run(const char *path, const char *programs, bool update, struct str *report)
{
	struct play p = { .path = path, .programs = programs, .update = update, .report = report };
	bool good;

	folder_make(p.home, "screen");
	p.path_prefix = realpath(programs, NULL);
	p.options.path_prefix = p.path_prefix;
	p.options.env = (const char *const *)p.env;
	good = read_lines(&p);
	for (; good && p.at < p.lines.n; p.at++)
		good = play_line(&p, p.lines.data[p.at]);
	terminal_close(p.terminal);
	p.terminal = NULL;
	if (good && p.changed)
		good = write_lines(&p);
	for (size_t i = 0; i < p.lines.n; i++)
		free(p.lines.data[i]);
	vec_fini(&p.lines);
	for (size_t i = 0; i < p.envs; i++)
		free(p.env[i]);
	free(p.term);
	free(p.path_prefix);
	folder_remove(p.home);
	return good;
}
