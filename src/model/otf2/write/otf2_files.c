#define _GNU_SOURCE
#include "model/otf2/write/otf2_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "model/otf2/write/otf2_write.h"

/* ---- an archive's names ---- */

struct archive {
	struct str folder; /* that it is in */
	struct str name;   /* without ".otf2" */
	struct str temp; /* folder beside it, for the new one and, while they change, the old one */
	int lock;        /* of that folder while it is in use, -1 none */
};

enum { RANDOM = 6 }; /* characters at the end of its name */

/* The names that an archive's path asks for. */
static void archive_init(struct archive *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	struct stat st;

	str_init(&a->folder);
	str_init(&a->name);
	str_init(&a->temp);
	a->lock = -1;
	if (!*last || (stat(path, &st) == 0 && S_ISDIR(st.st_mode))) {
		str_add(&a->folder, path);
		str_add(&a->name, "traces");
	} else {
		if (slash)
			str_add_n(&a->folder, path, (size_t)(slash - path) + (slash == path));
		else
			str_add_char(&a->folder, '.');
		str_add_n(&a->name, last,
			  strlen(last) - (str_ends_with(last, ".otf2") ? strlen(".otf2") : 0));
	}
	str_add_fmt(&a->temp, "%s/.%s.XXXXXX", a->folder.text, a->name.text);
}

static void archive_fini(struct archive *a)
{
	if (a->lock >= 0)
		close(a->lock);
	str_fini(&a->folder);
	str_fini(&a->name);
	str_fini(&a->temp);
}

/* In the order in which they are put in place: without the anchor there is no archive. */
static const char *const parts[] = { "", ".marker", ".def", ".otf2" };
enum { PARTS = sizeof parts / sizeof *parts, MARKERS = 1 /* few archives have any */ };

/* FOLDER[/SUB]/NAME.part; the caller frees it. */
static char *part_path(const struct archive *a, const char *sub, int part)
{
	struct str path = STR_INIT;

	str_add_fmt(&path, "%s/%s%s%s", *sub ? a->temp.text : a->folder.text, sub, a->name.text,
		    parts[part]);
	return str_take(&path);
}

static bool is_of_archive(const char *file)
{
	return str_ends_with(file, ".evt") || str_ends_with(file, ".def") ||
	       str_ends_with(file, ".snap") || str_ends_with(file, ".thumb") ||
	       strcmp(file, ".") == 0 || strcmp(file, "..") == 0;
}

static bool cannot_write(const struct archive *a, struct err *err)
{
	return err_errno(err, STATUS_IO, "cannot write %s/%s.otf2", a->folder.text, a->name.text);
}

/* Files with the archive's names that are not part of an archive must not be removed. */
static bool may_replace(const struct archive *a, struct err *err)
{
	OWNED char *folder = part_path(a, "", 0);
	const struct dirent *entry;
	bool ok = true;
	struct stat st;
	DIR *d = NULL;

	if (lstat(folder, &st) == 0) {
		d = S_ISDIR(st.st_mode) ? opendir(folder) : NULL;
		ok = d != NULL;
	}
	while (ok && d && (entry = readdir(d)))
		ok = is_of_archive(entry->d_name);
	if (d)
		closedir(d);
	if (!ok)
		err_set(err, STATUS_IO,
			"%s is in the way of %s.otf2, whose events go into a folder of that name: "
			"choose another name",
			folder, a->name.text);
	return ok;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- temporary folders that a killed process left ---- */

/* A folder's lock; -1: another process has it, or the file system has none. */
static int lock_folder(const char *path, int how)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, how) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Removes such a folder, unless a process writes there. What was there before the archive stays:
 * a folder with parts of an older one is not removed. */
static void remove_left(const struct archive *a, const char *name)
{
	OWNED_STR path = STR_INIT, fresh = STR_INIT, old = STR_INIT;
	struct stat st;
	int lock;

	str_add_fmt(&path, "%s/%s", a->folder.text, name);
	str_add_fmt(&fresh, "%s/new", path.text);
	str_add_fmt(&old, "%s/old", path.text);
	lock = lock_folder(path.text, LOCK_EX | LOCK_NB);
	if (lock < 0)
		return;
	/* It is locked before there is anything in it. */
	if (lstat(fresh.text, &st) == 0 && rmdir(old.text) == 0)
		remove_tree(path.text);
	close(lock);
}

static void remove_all_left(const struct archive *a)
{
	const char *begin = path_name(a->temp.text); /* with X's at its end */
	const size_t n = strlen(begin) - RANDOM;
	DIR *d = opendir(a->folder.text);
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (strlen(entry->d_name) == n + RANDOM && !strncmp(entry->d_name, begin, n))
			remove_left(a, entry->d_name);
	if (d)
		closedir(d);
}

/* Moves a part between the folder, "new/" and "old/"; a missing part is an error unless
 * it is optional. */
static bool move_part(const struct archive *a, const char *from, const char *to, int part,
		      bool may_miss)
{
	char *source = part_path(a, from, part), *target = part_path(a, to, part);
	const bool ok = rename(source, target) == 0 || (may_miss && errno == ENOENT);

	free_all(source, target);
	return ok;
}

static bool is_there(const struct archive *a, const char *sub, int part)
{
	OWNED char *path = part_path(a, sub, part);

	return access(path, F_OK) == 0;
}

/* What was put in place is moved back, or removed where even that fails. */
static void take_back(const struct archive *a, int part)
{
	OWNED char *path = part_path(a, "", part);

	if (!move_part(a, "", "new/", part, true))
		remove_tree(path);
}

/* The old archive goes away anchor first and comes back if the new one cannot be put in place;
 * *kept: that failed, too, and parts of it are in the temporary folder. */
static bool replace(const struct archive *a, bool *kept, struct err *err)
{
	int gone = PARTS, come = 0, why;

	while (gone > 0 && move_part(a, "", "old/", gone - 1, true))
		gone--;
	if (gone == 0)
		while (come < PARTS && move_part(a, "new/", "", come, come == MARKERS))
			come++;
	if (come == PARTS)
		return true;
	why = errno;
	while (come > 0)
		take_back(a, --come);
	for (; gone < PARTS; gone++)
		*kept |= !move_part(a, "old/", "", gone, true) && is_there(a, "old/", gone);
	errno = why;
	if (*kept)
		return err_errno(err, STATUS_IO,
				 "cannot write %s/%s.otf2, and parts of the old archive are in "
				 "%s/old (move them back)",
				 a->folder.text, a->name.text, a->temp.text);
	return cannot_write(a, err);
}

static bool is_input(const struct archive *a, const char *input)
{
	struct stat anchor, in;
	bool same = false;

	for (int part = 0; input && part < PARTS && !same; part++) {
		OWNED char *path = part_path(a, "", part);
		same = stat(path, &anchor) == 0 && stat(input, &in) == 0 &&
		       anchor.st_dev == in.st_dev && anchor.st_ino == in.st_ino;
	}
	return same;
}

static bool make_folders(struct archive *a, struct str *fresh, struct err *err)
{
	OWNED_STR old = STR_INIT;
	mode_t mask;
	bool ok;

	remove_all_left(a);
	if (!mkdtemp(a->temp.text))
		return cannot_write(a, err);
	a->lock = lock_folder(a->temp.text, LOCK_EX);
	mask = umask(0);
	umask(mask);
	str_add_fmt(fresh, "%s/new", a->temp.text);
	str_add_fmt(&old, "%s/old", a->temp.text);
	ok = mkdir(fresh->text, 0777 & ~mask) == 0 && mkdir(old.text, 0777 & ~mask) == 0;
	return ok || cannot_write(a, err);
}

/* Where several processes write, the first one makes the folders. */
static bool begin(struct archive *a, struct exchange *x, struct str *fresh, struct err *err)
{
	struct exchange_parts name;
	const bool is_first = exchange_process(x) == 0;
	const bool ok = !is_first || (may_replace(a, err) && make_folders(a, fresh, err));

	if (!x)
		return ok;
	x->gather(x, a->temp.text, is_first ? a->temp.n : 0, &name);
	str_clear(&a->temp);
	str_add_n(&a->temp, name.data, name.first[1]);
	exchange_parts_fini(&name);
	if (!is_first)
		str_add_fmt(fresh, "%s/new", a->temp.text);
	return !exchange_any(x, !ok);
}

bool otf2_save(struct trace *trace, const char *path, const char *input,
	       const struct save_options *options, const struct progress *progress, struct err *err)
{
	struct exchange *x = trace_exchange(trace);
	const bool is_first = exchange_process(x) == 0;
	struct archive a;
	OWNED_STR fresh = STR_INIT;
	bool ok, kept = false;

	if (strcmp(path, "-") == 0)
		return err_set(err, STATUS_USAGE,
			       "an OTF2 archive is several files: it cannot be written to stdout");
	archive_init(&a, path);
	if (exchange_any(x, is_input(&a, input))) {
		ok = err_set(err, STATUS_USAGE,
			     "%s is the trace that is read: write to another file", path);
	} else {
		ok = begin(&a, x, &fresh, err) &&
		     otf2_write(trace, fresh.text, a.name.text, options, progress, err) &&
		     (!is_first || (trace_is_unchanged(trace, err) && replace(&a, &kept, err)));
		if (is_first && fresh.n && !kept)
			remove_tree(a.temp.text);
	}
	archive_fini(&a);
	return ok;
}

bool otf2_save_check(const char *path, struct err *err)
{
	struct archive a;
	bool ok;

	archive_init(&a, path);
	ok = may_replace(&a, err);
	if (ok) {
		ok = mkdtemp(a.temp.text) != NULL || cannot_write(&a, err);
		rmdir(a.temp.text);
	}
	archive_fini(&a);
	return ok;
}
