#define _GNU_SOURCE
#include "base/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/pack.h"
#include "base/path.h"
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

/* Opens a file without a name in the target's folder; false: there is no such thing. */
static bool open_unnamed(struct output *output, int *fd)
{
	OWNED_STR folder = STR_INIT;

	str_add_n(&folder, output->path, (size_t)(path_name(output->path) - output->path));
	*fd = open(folder.n ? folder.text : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (*fd < 0)
		return false;
	/* Its descriptor names it there, also when the stream is closed. */
	output->unnamed = access("/proc/self/fd", X_OK) == 0 ? fcntl(*fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (output->unnamed >= 0)
		return true;
	close(*fd);
	return false;
}

/* Opens a temporary file beside the target, with the rights that creating the target would give. */
static bool open_named(struct output *output, int *fd)
{
	OWNED_STR name = STR_INIT;
	mode_t mask;

	str_add_fmt(&name, "%s.XXXXXX", output->path);
	*fd = mkostemp(name.text, O_CLOEXEC);
	if (*fd < 0)
		return false;
	mask = umask(0);
	umask(mask);
	fchmod(*fd, 0666 & ~mask);
	output->temp = str_take(&name);
	return true;
}

/* Removes what was written. */
static void remove_written(struct output *output)
{
	if (output->unnamed >= 0)
		close(output->unnamed);
	if (output->temp)
		unlink(output->temp);
}

static bool open_temp(struct output *output, struct err *err)
{
	int fd;

	if (!open_unnamed(output, &fd) && !open_named(output, &fd))
		return err_errno(err, STATUS_IO, "cannot write %s", output->path);
	output->stream = fdopen(fd, "w");
	if (str_ends_with(output->path, ".zst"))
		output->stream = pack_open(output->stream);
	if (output->stream)
		return true;
	err_errno(err, STATUS_IO, "cannot write %s", output->path);
	remove_written(output);
	free(output->temp);
	return false;
}

/* Gives the file without a name that of the target; if there is such a file already, by way of
 * another name, as a link replaces nothing. */
static bool link_unnamed(const struct output *output)
{
	OWNED_STR name = STR_INIT;
	char from[32];
	int fd;
	bool ok;

	assert(output->path);
	snprintf(from, sizeof from, "/proc/self/fd/%d", output->unnamed);
	if (linkat(AT_FDCWD, from, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW) == 0)
		return true;
	if (errno != EEXIST)
		return false;
	str_add_fmt(&name, "%s.XXXXXX", output->path);
	fd = mkostemp(name.text, O_CLOEXEC);
	if (fd < 0)
		return false;
	close(fd);
	ok = unlink(name.text) == 0 &&
	     linkat(AT_FDCWD, from, AT_FDCWD, name.text, AT_SYMLINK_FOLLOW) == 0 &&
	     rename(name.text, output->path) == 0;
	if (!ok)
		unlink(name.text);
	return ok;
}

/* Gives what was written its name. */
static bool put_in_place(const struct output *output)
{
	if (output->unnamed >= 0)
		return link_unnamed(output);
	return !output->temp || rename(output->temp, output->path) == 0;
}

static bool is_the_trace(const char *path, struct err *err)
{
	return err_set(err, STATUS_USAGE, "%s is the trace that is read: write to another file",
		       path);
}

bool output_open(struct output *output, const char *path, const char *input, struct err *err)
{
	struct stat st;

	*output = (struct output){ .stream = stdout, .unnamed = -1 };
	if (!path || strcmp(path, "-") == 0)
		return true;
	output->path = xstrdup(path);
	if (stat(path, &st) == 0) {
		if (is_same_file(&st, input)) {
			is_the_trace(path, err);
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
	*output = (struct output){ .unnamed = -1 };
	return false;
}

bool output_open_named(struct output *output, const char *path, const char *input, struct err *err)
{
	struct stat st;
	const bool is = stat(path, &st) == 0;
	int fd;

	*output = (struct output){ .unnamed = -1 };
	if (is && is_same_file(&st, input))
		return is_the_trace(path, err);
	if (strcmp(path, "-") == 0 || (is && !S_ISREG(st.st_mode)))
		return err_set(err, STATUS_USAGE, "this format needs a file, which %s is not",
			       strcmp(path, "-") ? path : "stdout");
	output->path = xstrdup(path);
	if (open_named(output, &fd)) {
		output->stream = fdopen(fd, "w");
		return true;
	}
	err_errno(err, STATUS_IO, "cannot write %s", path);
	free(output->path);
	*output = (struct output){ .unnamed = -1 };
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
	remove_written(output);
	free_all(output->temp, output->path);
	*output = (struct output){ .unnamed = -1 };
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
	if (ok && !put_in_place(output))
		ok = err_errno(err, STATUS_IO, "cannot write %s", output->path);
	if (!ok)
		remove_written(output);
	else if (output->unnamed >= 0)
		close(output->unnamed);
	free_all(output->temp, output->path);
	*output = (struct output){ .unnamed = -1 };
	return ok;
}
