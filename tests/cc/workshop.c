#include "cc/workshop.h"

#include <stdio.h>
#include <string.h>

#include "harness/test.h"

void workshop_must(const char *fmt, ...)
{
	OWNED_STR command = STR_INIT;
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(&command, fmt, args);
	va_end(args);
	fflush(stdout);
	const int status = system(command.text);
	if (status != 0)
		fail_msg("status %d: %s", status, command.text);
}

static void workshop_init(struct workshop *w)
{
	folder_make(w->folder, "cc");
	workshop_must("gcc -O1 -Isrc -c -o %s tests/cc/units/double.c",
		      workshop_path(w, "double.o"));
}

static void workshop_fini(struct workshop *w)
{
	folder_remove(w->folder);
}

int workshop_setup(void **state)
{
	static struct workshop w;

	workshop_init(&w);
	*state = &w;
	return 0;
}

int workshop_teardown(void **state)
{
	workshop_fini(*state);
	return 0;
}

const char *workshop_path(const struct workshop *w, const char *name)
{
	static char paths[16][256];
	static unsigned next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof paths[0], "%s/%s", w->folder, name);
	return path;
}

void workshop_check(const char *text, size_t size, const struct instrument_result *result)
{
	const char *at = result->text;
	const char *end = result->text + result->size;

	if (result->sites) { /* behind the preface: a line by itself, the first that ends with the
				prologue's last brace */
		at = strstr(at, "# 1 \"<tview>\" 3\n");
		assert_non_null(at);
		at = strchr(at, '\n') + 1;
		at = strchr(at, '\n') + 1;
		if (size == 0 || text[0] != '#')
			at = strchr(at, '\n') + 1;
	}
	for (size_t i = 0; i < size; i++, at++) {
		/* What was inserted is skipped; it holds no line break, and no line begins with it
		 * but for code. */
		while (at < end && *at != text[i] && *at != '\n')
			at++;
		assert_true(at < end);
		assert_int_equal(*at, text[i]);
	}
	for (; at < end; at++)
		assert_int_not_equal(*at, '\n');
}

void workshop_instrument(const struct workshop *w, const char *name,
			 const struct instrument_options *options, struct instrument_result *result)
{
	char path[256];
	OWNED_STR text = STR_INIT;
	struct err err = ERR_INIT;

	snprintf(path, sizeof path, "%s/%s.i", w->folder, name);
	file_read(path, &text);
	if (!instrument(text.text, text.n, options, result, &err))
		fail_msg("%s: %s", name, err.text);
	snprintf(path, sizeof path, "%s/%s.t.i", w->folder, name);
	file_write(path, result->text, result->size);
	workshop_check(text.text, text.n, result);
}

void workshop_account(const struct workshop *w, const char *file, struct account *account)
{
	static const char kinds[] = "PLCSI";
	FILE *in = fopen(workshop_path(w, "counts"), "r");
	char line[4096];
	bool ended = false;

	assert_non_null(in);
	memset(account, 0, sizeof *account);
	while (fgets(line, sizeof line, in)) {
		char kind;
		char where[1024];
		unsigned at;
		unsigned long one;
		unsigned long two;
		if (sscanf(line, "end %ld %ld %ld", &account->lost, &account->open,
			   &account->bad) == 3) {
			ended = true;
			continue;
		}
		assert_int_equal(sscanf(line, "%c %1023s %u %lu %lu", &kind, where, &at, &one,
					&two),
				 5);
		if ((file && strcmp(where, file) != 0) || at >= WORKSHOP_LINES)
			continue;
		account->by_line[strchr(kinds, kind) - kinds][at] += kind == 'L' ? two : one;
		if (kind == 'P' && !account->lost)
			assert_true(one >= two);
	}
	fclose(in);
	assert_true(ended);
}
