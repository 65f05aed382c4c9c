#include "harness/files.h"

#include <stdio.h>
#include <sys/wait.h>

#include "harness/test.h"

void folder_make(char *folder, const char *name)
{
	snprintf(folder, FOLDER_NAME, "/tmp/tview-%s-XXXXXX", name);
	assert_non_null(mkdtemp(folder));
}

void folder_remove(const char *folder)
{
	OWNED_STR command = STR_INIT;

	str_add_fmt(&command, "chmod -R u+w %s && rm -rf %s", folder, folder);
	assert_int_equal(system(command.text), 0);
}

static void read_all(FILE *in, struct str *out)
{
	char part[65536];
	size_t n;

	assert_non_null(in);
	while ((n = fread(part, 1, sizeof part, in)) > 0)
		str_add_n(out, part, n);
}

void file_read(const char *path, struct str *out)
{
	FILE *in = fopen(path, "r");

	read_all(in, out);
	fclose(in);
}

void file_write(const char *path, const char *bytes, size_t n)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

int command_read(struct str *out, const char *format, ...)
{
	OWNED_STR command = STR_INIT;
	va_list args;
	FILE *in;
	int status;

	va_start(args, format);
	str_add_fmt_v(&command, format, args);
	va_end(args);
	fflush(stdout);
	in = popen(command.text, "r"); /* NOLINT(cert-env33-c): a shell is what is wanted */
	read_all(in, out);
	status = pclose(in);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
