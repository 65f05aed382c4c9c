#include "base/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/pack.h"
#include "base/str.h"

static const char *name_of(const struct output *output)
{
	return output->path ? output->path : "stdout";
}

static bool is_same_file(const struct stat *a, const char *other)
{
	struct stat b;

	return other && stat(other, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Opens a temporary file beside the target, with the rights that creating the target would give. */
static bool open_temp(struct output *output, struct err *err)
{
	OWNED_STR name = STR_INIT;
	mode_t mask;
	int fd;

	str_add_fmt(&name, "%s.XXXXXX", output->path);
	fd = mkstemp(name.text);
	if (fd < 0)
		return err_errno(err, STATUS_IO, "cannot write %s", output->path);
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	output->temp = str_take(&name);
	output->stream = fdopen(fd, "w");
	if (str_ends_with(output->path, ".zst"))
		output->stream = pack_open(output->stream);
	if (output->stream)
		return true;
	unlink(output->temp);
	free(output->temp);
	return err_errno(err, STATUS_IO, "cannot write %s", output->path);
}

bool output_open(struct output *output, const char *path, const char *input, struct err *err)
{
	struct stat st;

	*output = (struct output){ .stream = stdout };
	if (!path || strcmp(path, "-") == 0)
		return true;
	output->path = xstrdup(path);
	if (stat(path, &st) == 0) {
		if (is_same_file(&st, input)) {
			err_set(err, STATUS_USAGE,
				"%s is the trace that is read: write to another file", path);
			goto failed;
		}
		if (!S_ISREG(st.st_mode)) {
			output->stream = fopen(path, "w");
			if (output->stream)
				return true;
			err_errno(err, STATUS_IO, "cannot write %s", path);
			goto failed;
		}
	}
	if (open_temp(output, err))
		return true;
failed:
	free(output->path);
	*output = (struct output){ 0 };
	return false;
}

bool output_check(FILE *stream, struct err *err)
{
	if (!ferror(stream))
		return true;
	return err_errno(err, STATUS_IO, "cannot write the output");
}

void output_drop(struct output *output)
{
	if (output->path)
		fclose(output->stream);
	if (output->temp)
		unlink(output->temp);
	free_all(output->temp, output->path);
	*output = (struct output){ 0 };
}

bool output_close(struct output *output, bool ok, struct err *err)
{
	bool written = !ferror(output->stream) && !fflush(output->stream);

	if (!written && ok)
		err_errno(err, STATUS_IO, "cannot write %s", name_of(output));
	/* Closing, too, can fail for a full disk. */
	if (output->path && fclose(output->stream) && written) {
		written = false;
		if (ok)
			err_errno(err, STATUS_IO, "cannot write %s", output->path);
	}
	ok = ok && written;
	if (output->temp && ok && rename(output->temp, output->path) != 0)
		ok = err_errno(err, STATUS_IO, "cannot write %s", output->path);
	if (output->temp && !ok)
		unlink(output->temp);
	free_all(output->temp, output->path);
	*output = (struct output){ 0 };
	return ok;
}
