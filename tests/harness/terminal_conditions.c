#include "harness/terminal_conditions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool terminal_shows_not(struct terminal *t, void *text)
{
	int row, col;

	return !terminal_find(t, text, &row, &col);
}

bool terminal_was_copied(struct terminal *t, void *context)
{
	return strstr(terminal_copied(t), context) != NULL;
}

bool terminal_row_shows(struct terminal *t, void *context)
{
	const struct in_row *in = context;
	char *shown = terminal_text(t);
	char *line = shown;
	bool holds;

	for (int row = 1; row < in->row && line; row++) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (line)
		line[strcspn(line, "\n")] = '\0';
	holds = line && strstr(line, in->text);
	free(shown);
	return holds;
}

/* True when `look` is what the words ask for; words that are not named are not looked at. */
static bool looks_like(struct terminal_look look, const char *words)
{
	char *copy = xstrdup(words);
	char *rest = copy;
	bool same = true;

	for (char *word; same && (word = strtok_r(rest, " ", &rest));) {
		if (strcmp(word, "plain") == 0)
			same = !look.bold && !look.underline && !look.reverse &&
			       !strcmp(look.fg, "default") && !strcmp(look.bg, "default");
		else if (strncmp(word, "fg=", 3) == 0)
			same = strcmp(word + 3, look.fg) == 0;
		else if (strncmp(word, "bg=", 3) == 0)
			same = strcmp(word + 3, look.bg) == 0;
		else
			same = (look.bold && !strcmp(word, "bold")) ||
			       (look.underline && !strcmp(word, "underline")) ||
			       (look.reverse && !strcmp(word, "reverse"));
	}
	free(copy);
	return same;
}

bool terminal_text_looks(struct terminal *t, void *context)
{
	const struct with_look *with = context;
	int row, col;

	return terminal_find(t, with->text, &row, &col) &&
	       looks_like(terminal_look(t, row, col), with->words);
}

bool terminal_has_no_colour(struct terminal *t, void *context)
{
	int rows, cols;

	(void)context;
	terminal_size(t, &rows, &cols);
	for (int row = 0; row < rows; row++)
		for (int col = 0; col < cols; col++) {
			const struct terminal_look look = terminal_look(t, row, col);

			if (strcmp(look.fg, "default") || strcmp(look.bg, "default"))
				return false;
		}
	return true;
}

bool terminal_is_ascii(struct terminal *t, void *context)
{
	char *shown = terminal_text(t);
	bool ascii = true;

	(void)context;
	for (const char *c = shown; *c && ascii; c++)
		ascii = *c > 0;
	free(shown);
	return ascii;
}
