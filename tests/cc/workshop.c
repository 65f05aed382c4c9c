#include "cc/workshop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static int run(const char *fmt, va_list args)
{
	struct str command = STR_INIT;

	str_add_fmt_v(&command, fmt, args);
	fflush(stdout);
	const int status = system(command.text);
	if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		print_message("status %d: %s\n", status, command.text);
	str_fini(&command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int workshop_run(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	const int status = run(fmt, args);
	va_end(args);
	return status;
}

void workshop_must(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	const int status = run(fmt, args);
	va_end(args);
	assert_int_equal(status, 0);
}

void workshop_init(struct workshop *w)
{
	strcpy(w->folder, "/tmp/tview-cc-XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	workshop_must("gcc -O1 -Isrc -c -o %s tests/cc/units/double.c",
		      workshop_path(w, "double.o"));
}

void workshop_fini(struct workshop *w)
{
	workshop_must("rm -rf %s", w->folder);
}

const char *workshop_path(const struct workshop *w, const char *name)
{
	static char paths[16][256];
	static unsigned next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof paths[0], "%s/%s", w->folder, name);
	return path;
}

void workshop_read(const char *path, struct str *out)
{
	FILE *in = fopen(path, "r");
	char buffer[65536];
	size_t n;

	assert_non_null(in);
	while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
		str_add_n(out, buffer, n);
	fclose(in);
}

void workshop_write(const char *path, const char *bytes, size_t n)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
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
	struct str text = STR_INIT;
	struct err err = ERR_INIT;

	snprintf(path, sizeof path, "%s/%s.i", w->folder, name);
	workshop_read(path, &text);
	if (!instrument(text.text, text.n, options, result, &err))
		fail_msg("%s: %s", name, err.text);
	snprintf(path, sizeof path, "%s/%s.t.i", w->folder, name);
	workshop_write(path, result->text, result->size);
	workshop_check(text.text, text.n, result);
	str_fini(&text);
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
