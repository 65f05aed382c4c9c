#include "ui/widgets/prompt.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/mem.h"
#include "base/text.h"

enum { HISTORY_LINES = 100 };

void prompt_begin(struct prompt *prompt, const char *label, struct history *history,
		  const char *text)
{
	*prompt = (struct prompt){ .label = label, .history = history };
	prompt->nth = history->lines.n;
	prompt_set(prompt, text);
}

void prompt_set(struct prompt *prompt, const char *text)
{
	prompt->n = str_clean(prompt->text, sizeof prompt->text, text, strlen(text));
	prompt->cursor = prompt->n;
}

static size_t before(const struct prompt *prompt, size_t at)
{
	while (at > 0 && ((unsigned char)prompt->text[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t behind(const struct prompt *prompt, size_t at)
{
	if (at < prompt->n)
		at++;
	while (at < prompt->n && ((unsigned char)prompt->text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* Start of the word before the cursor; blanks between them count. */
static size_t word_start(const struct prompt *prompt)
{
	size_t at = prompt->cursor;
	while (at > 0 && prompt->text[at - 1] == ' ')
		at--;
	while (at > 0 && prompt->text[at - 1] != ' ')
		at--;
	return at;
}

/* Cuts what is between the cursor and a place. */
static bool cut(struct prompt *prompt, size_t at)
{
	const size_t from = at < prompt->cursor ? at : prompt->cursor;
	const size_t to = at < prompt->cursor ? prompt->cursor : at;
	if (from == to)
		return false;
	memmove(prompt->text + from, prompt->text + to, prompt->n - to + 1);
	prompt->n -= to - from;
	prompt->cursor = from;
	return true;
}

static bool insert(struct prompt *prompt, uint32_t ch)
{
	utf8proc_uint8_t bytes[4];
	const size_t n = (size_t)utf8proc_encode_char((utf8proc_int32_t)ch, bytes);
	if (n == 0 || prompt->n + n >= sizeof prompt->text)
		return false;
	char *at = prompt->text + prompt->cursor;
	memmove(at + n, at, prompt->n - prompt->cursor + 1);
	memcpy(at, bytes, n);
	prompt->n += n;
	prompt->cursor += n;
	return true;
}

static bool recall(struct prompt *prompt, bool older)
{
	const struct history *history = prompt->history;
	if (older ? prompt->nth == 0 : prompt->nth >= history->lines.n)
		return false;
	if (prompt->nth == history->lines.n)
		memcpy(prompt->own, prompt->text, prompt->n + 1);
	prompt->nth += older ? (size_t)-1 : 1;
	prompt_set(prompt, prompt->nth == history->lines.n ? prompt->own
							   : history->lines.data[prompt->nth]);
	return true;
}

enum place { LEFT, RIGHT, START, END, WORD, OLDER, NEWER };

static size_t place_of(const struct prompt *prompt, enum place place)
{
	switch (place) {
	case LEFT: return before(prompt, prompt->cursor);
	case RIGHT: return behind(prompt, prompt->cursor);
	case WORD: return word_start(prompt);
	case END: return prompt->n;
	default: return 0;
	}
}

bool prompt_key(struct prompt *prompt, const char *key, uint32_t ch)
{
	/* Keys that move the cursor to a place, or cut all up to it. */
	static const struct {
		const char *key;
		enum place to;
		bool cuts;
	} edits[] = {
		{ "Left", LEFT, false },    { "Ctrl-b", LEFT, false }, { "Right", RIGHT, false },
		{ "Ctrl-f", RIGHT, false }, { "Home", START, false },  { "Ctrl-a", START, false },
		{ "End", END, false },      { "Ctrl-e", END, false },  { "Backspace", LEFT, true },
		{ "Delete", RIGHT, true },  { "Ctrl-d", RIGHT, true }, { "Ctrl-u", START, true },
		{ "Ctrl-k", END, true },    { "Ctrl-w", WORD, true },  { "Up", OLDER, false },
		{ "Ctrl-p", OLDER, false }, { "Down", NEWER, false },  { "Ctrl-n", NEWER, false },
	};
	if (ch)
		return insert(prompt, ch);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		if (strcmp(edits[i].key, key) != 0)
			continue;
		if (edits[i].to >= OLDER)
			return recall(prompt, edits[i].to == OLDER);
		if (edits[i].cuts)
			return cut(prompt, place_of(prompt, edits[i].to));
		prompt->cursor = place_of(prompt, edits[i].to);
		break;
	}
	return false;
}

int prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect row)
{
	const int label = canvas_text(canvas, row.x, row.y, row.w, prompt->label, ROLE_HINT_KEY,
				      ROLE_DEFAULT, ATTR_BOLD);
	const int x = row.x + label;
	const int room = row.w - label;
	if (room <= 1)
		return row.x;
	/* What is left of the cursor is shown from the first character that still fits. */
	char head[PROMPT_BYTES];
	memcpy(head, prompt->text, prompt->cursor);
	head[prompt->cursor] = '\0';
	size_t from = 0;
	while (text_width(head + from) >= room)
		from = behind(prompt, from);
	canvas_write(canvas, x, row.y, room, prompt->text + from, ROLE_PROMPT);
	return x + text_width(head + from);
}

void history_add(struct history *history, const char *line)
{
	if (!*line)
		return;
	for (size_t i = 0; i < history->lines.n; i++) {
		char **at = &history->lines.data[i];
		if (strcmp(*at, line) != 0)
			continue;
		char *kept = *at;
		memmove(at, at + 1, (history->lines.n - i - 1) * sizeof *at);
		*vec_last(&history->lines) = kept;
		return;
	}
	if (history->lines.n == HISTORY_LINES) {
		free(history->lines.data[0]);
		history->lines.n--;
		memmove(history->lines.data, history->lines.data + 1,
			history->lines.n * sizeof *history->lines.data);
	}
	vec_push(&history->lines, xstrdup(line));
}

void history_fini(struct history *history)
{
	for (size_t i = 0; i < history->lines.n; i++)
		free(history->lines.data[i]);
	vec_fini(&history->lines);
}
