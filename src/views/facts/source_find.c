#define _GNU_SOURCE /* strptime, timegm */
#include "views/facts/source_find.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

/* Folders of a file name that are tried below --source-path. */
enum { COMPONENTS = 64 };

/* ---- roots ---- */

/* Time of the run: as tvrun wrote it into the trace, otherwise the time of the trace's file. */
static int64_t time_of_run(const struct trace *trace)
{
	const char *date = trace_property_value(trace, "date");
	struct tm utc = { 0 };
	struct stat st;

	if (date && strptime(date, "%Y-%m-%dT%H:%M:%SZ", &utc))
		return timegm(&utc);
	if (trace_path(trace) && stat(trace_path(trace), &st) == 0)
		return st.st_mtime;
	return INT64_MAX;
}

void source_roots_of(struct source_roots *roots, const struct trace *trace, const char *paths)
{
	const char *path = trace_path(trace) ? trace_path(trace) : "";
	const char *slash = strrchr(path, '/');
	const char *directory = trace_property_value(trace, "directory");

	*roots = (struct source_roots){
		.directory = directory && directory[0] == '/' ? directory : NULL,
		.paths = paths && *paths ? paths : NULL,
		.beside = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(""),
		.when = time_of_run(trace),
	};
}

void source_roots_fini(struct source_roots *roots)
{
	free(roots->beside);
	roots->beside = NULL;
}

/* ---- one file ---- */

/* Opens regular files only: pipes and devices would block, or worse. -1 with errno; ENOENT for
 * anything else. */
static int open_regular(const char *path, struct stat *st)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

/* A search and its result. */
struct hunt {
	const struct source_roots *roots;
	struct source_found *found;
	struct str path; /* scratch */
	char *denied;    /* first one that exists but cannot be read or is forbidden */
	int denied_errno;
};

/* Tries DIR/name. */
static bool try(struct hunt *hunt, const char *dir, size_t n, const char *name)
{
	struct stat st;
	int fd;

	str_clear(&hunt->path);
	if ((n ? *dir : *name) == '-') /* so that an editor does not take it for an option */
		str_add(&hunt->path, "./");
	str_add_n(&hunt->path, dir, n);
	if (n && dir[n - 1] != '/')
		str_add_char(&hunt->path, '/');
	str_add(&hunt->path, name);
	if (hunt->path.n >= PATH_MAX)
		return false;
	fd = open_regular(hunt->path.text, &st);
	if (fd >= 0) {
		close(fd);
		hunt->found->newer = st.st_mtime > hunt->roots->when;
		hunt->found->path = str_take(&hunt->path);
		return true;
	}
	if (errno != ENOENT && errno != ENOTDIR && !hunt->denied) {
		hunt->denied_errno = errno;
		hunt->denied = xstrdup(hunt->path.text);
	}
	return false;
}

static bool try_as_named(struct hunt *hunt, const char *file)
{
	const struct source_roots *roots = hunt->roots;

	if (file[0] == '/')
		return try(hunt, "", 0, file);
	return (roots->directory && try(hunt, roots->directory, strlen(roots->directory), file)) ||
	       try(hunt, roots->beside, strlen(roots->beside), file) || try(hunt, "", 0, file);
}

/* Where the parts of a name begin, the last one last. "." and ".." reset the list: the parts before
 * them do not identify the file. */
static unsigned parts_of(const char *file, const char **parts)
{
	unsigned n = 0;

	for (const char *p = file; *p; p += strcspn(p, "/")) {
		p += strspn(p, "/");
		const size_t length = strcspn(p, "/");
		if (length == 0)
			break;
		if (p[0] == '.' && (length == 1 || (length == 2 && p[1] == '.'))) {
			n = 0;
			continue;
		}
		if (n == COMPONENTS) {
			memmove(parts, parts + 1, (COMPONENTS - 1) * sizeof *parts);
			n--;
		}
		parts[n++] = p;
	}
	return n;
}

static bool try_below(struct hunt *hunt, const char *file)
{
	const char *parts[COMPONENTS];
	const unsigned n = parts_of(file, parts);
	const char *dir = hunt->roots->paths ? hunt->roots->paths : "";

	while (*dir) {
		const size_t length = strcspn(dir, ":");
		for (unsigned i = 0; length && i < n; i++)
			if (try(hunt, dir, length, parts[i]))
				return true;
		dir += length;
		dir += *dir == ':';
	}
	return false;
}

/* "sweep.c is not there: looked for in ...". */
static void say_missing(const struct hunt *hunt, const char *file, struct err *err)
{
	const struct source_roots *roots = hunt->roots;
	OWNED_STR where = STR_INIT;

	if (file[0] == '/') {
		str_add(&where, "there");
	} else {
		if (roots->directory)
			str_add_fmt(&where, "in %s, ", roots->directory);
		str_add(&where, "beside the trace, here");
	}
	if (roots->paths)
		str_add_fmt(&where, " and below %s", roots->paths);
	err_set(err, STATUS_IO, "%s not found (searched %s); give its folder with --source-path",
		file, where.text);
}

bool source_find(const struct source_roots *roots, const char *file, struct source_found *found,
		 struct err *err)
{
	struct hunt hunt = { .roots = roots, .found = found, .path = STR_INIT };

	*found = (struct source_found){ 0 };
	if (!*file)
		return err_set(err, STATUS_IO,
			       "no source line recorded; compile the program with -g");
	if (!try_as_named(&hunt, file) && !try_below(&hunt, file)) {
		if (hunt.denied) {
			errno = hunt.denied_errno;
			err_errno(err, STATUS_IO, "%s cannot be read", hunt.denied);
		} else {
			say_missing(&hunt, file, err);
		}
	}
	str_fini(&hunt.path);
	free(hunt.denied);
	return found->path != NULL;
}

void source_found_fini(struct source_found *found)
{
	free(found->path);
	*found = (struct source_found){ 0 };
}

/* ---- text ---- */

enum { LOOKED_AT = 8192 };

static int64_t changed_at(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* Up to SOURCE_BYTES; -1 with errno. */
static ssize_t read_all(int fd, char *bytes, size_t size)
{
	size_t n = 0;

	while (n < size) {
		const ssize_t got = read(fd, bytes + n, size - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

static void find_lines(struct source_text *text)
{
	const char *p = text->bytes, *end = text->bytes + text->n;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		vec_push(&text->lines, (uint32_t)(p - text->bytes));
		p = newline ? newline + 1 : end;
	}
}

bool source_text_read(struct source_text *text, const char *path, struct err *err)
{
	struct stat st;
	const int fd = open_regular(path, &st);
	size_t size;
	ssize_t n;

	*text = (struct source_text){ 0 };
	if (fd < 0)
		return err_errno(err, STATUS_IO, "%s cannot be read", path);
	/* Files that the kernel makes up report size 0. */
	size = st.st_size > 0 && st.st_size < SOURCE_BYTES ? (size_t)st.st_size + 1 : SOURCE_BYTES;
	text->bytes = xmalloc(size);
	n = read_all(fd, text->bytes, size);
	if (n < 0)
		err_errno(err, STATUS_IO, "%s cannot be read", path);
	else if (memchr(text->bytes, '\0', n < LOOKED_AT ? (size_t)n : LOOKED_AT))
		err_set(err, STATUS_IO, "%s is not a text file (it contains NUL bytes)", path);
	close(fd);
	if (err_is_set(err)) {
		source_text_fini(text);
		return false;
	}
	text->n = (size_t)n;
	text->cut = text->n == SOURCE_BYTES && st.st_size > SOURCE_BYTES;
	text->changed = changed_at(&st);
	find_lines(text);
	return true;
}

void source_text_of(struct source_text *text, const char *bytes)
{
	*text = (struct source_text){ .bytes = xstrdup(bytes), .n = strlen(bytes) };
	find_lines(text);
}

void source_text_fini(struct source_text *text)
{
	free(text->bytes);
	vec_fini(&text->lines);
	*text = (struct source_text){ 0 };
}

bool source_text_stale(const struct source_text *text, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && changed_at(&st) != text->changed;
}

void source_text_line(const struct source_text *text, uint32_t line, struct str *out)
{
	const char *p, *end;
	int column = 0;

	str_clear(out);
	if (line == 0 || line > text->lines.n)
		return;
	p = text->bytes + text->lines.data[line - 1];
	end = text->bytes + (line < text->lines.n ? text->lines.data[line] : text->n);
	while (end > p && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	while (p < end && column < SOURCE_COLUMNS) {
		size_t n;
		if (*p == '\t') {
			do
				str_add_char(out, ' ');
			while (++column % SOURCE_TAB);
			p++;
			continue;
		}
		n = str_utf8_length(p, (size_t)(end - p));
		str_add_clean(out, p, n ? n : 1);
		p += n ? n : 1;
		column++; /* wide characters count once: the bound is for memory */
	}
}
