#include "model/cache/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/order.h"
#include "base/units.h"
#include "model/cache/cache_state.h"

static const char ending[] = ".tvcache";

/* ---- the list ---- */

typedef VEC(struct cache_entry) entries;

/* Reads a file's own description; only the user's own cache files are entries. */
static bool describe(struct cache_entry *e)
{
	static const struct cache_key any;
	struct cache_header header;
	struct stat st;
	const enum cache_found found = cache_open_header(e->file, &any, NULL, &header, &st);

	if (found != CACHE_GOOD && found != CACHE_STALE)
		return false;
	e->bytes = (uint64_t)st.st_blocks * 512;
	e->events = header.events;
	e->prepared = header.prepared != 0;
	e->used = st.st_atim.tv_sec > st.st_mtim.tv_sec ? st.st_atim.tv_sec : st.st_mtim.tv_sec;
	header.source[sizeof header.source - 1] = '\0';
	e->source = xstrdup(header.source);
	return true;
}

static void entry_fini(struct cache_entry *e)
{
	free_all(e->file, e->link, e->source);
}

/* `of`: only of that trace, NULL all. */
static void look_at(entries *list, const char *folder, const char *name, const char *of)
{
	struct cache_entry e = { .file = NULL };
	struct str link = STR_INIT;
	struct stat st;

	str_add_fmt(&link, "%s/%s", folder, name);
	e.link = str_take(&link);
	e.file = lstat(e.link, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(e.link, NULL)
								: xstrdup(e.link);
	if (e.file && str_ends_with(e.file, ending) && describe(&e) &&
	    (!of || strcmp(e.source, of) == 0)) {
		vec_push(list, e);
		return;
	}
	if (!e.file && errno == ENOENT)
		unlink(e.link);
	entry_fini(&e);
}

ORDERING(by_use, struct cache_entry, used)

size_t cache_list(const char *of, struct cache_entry **out)
{
	OWNED_STR folder = STR_INIT;
	OWNED_STR source = STR_INIT;
	OWNED char *wanted = of && cache_source(of, &source) ? realpath(source.text, NULL) : NULL;
	DIR *dir = (!of || wanted) && cache_folder(&folder) ? opendir(folder.text) : NULL;
	const struct dirent *entry;
	entries list = VEC_INIT;

	while (dir && (entry = readdir(dir)))
		if (str_ends_with(entry->d_name, ending))
			look_at(&list, folder.text, entry->d_name, wanted);
	if (dir)
		closedir(dir);
	vec_sort(&list, by_use);
	*out = list.data;
	return list.n;
}

void cache_list_free(struct cache_entry *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		entry_fini(&list[i]);
	free(list);
}

/* ---- removing ---- */

static void remove_draft(const char *file)
{
	OWNED_STR draft = STR_INIT;
	int fd;

	str_add_fmt(&draft, "%s.part", file);
	fd = open(draft.text, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlink(draft.text);
	if (fd >= 0)
		close(fd);
}

bool cache_remove(const struct cache_entry *e, struct err *err)
{
	remove_draft(e->file);
	if (unlink(e->file) != 0 && errno != ENOENT)
		return err_errno(err, STATUS_IO, "cannot remove %s", e->file);
	if (strcmp(e->link, e->file) != 0)
		unlink(e->link);
	return true;
}

/* ---- the limit ---- */

static uint64_t limit_at(const char *file)
{
	const char *text = getenv("TVIEW_CACHE_SIZE");
	const char *slash = strrchr(file, '/');
	OWNED_STR folder = STR_INIT;
	struct statvfs disk;
	uint64_t limit = (uint64_t)10 << 30;

	if (text && units_parse_bytes(text, &limit, NULL))
		return limit;
	str_add_n(&folder, slash ? file : ".", slash ? (size_t)(slash - file) + 1 : 1);
	if (statvfs(folder.text, &disk) == 0 &&
	    (uint64_t)disk.f_blocks * disk.f_frsize / 10 < limit)
		limit = (uint64_t)disk.f_blocks * disk.f_frsize / 10;
	return limit;
}

/* The file that is going to be replaced does not count, nor what users have asked for. */
static bool counts(const struct cache_entry *e, const char *replaced)
{
	return !e->prepared && (!replaced || strcmp(e->file, replaced) != 0);
}

bool cache_make_room(const char *file, uint64_t bytes, struct err *err)
{
	const uint64_t limit = limit_at(file);
	struct cache_entry *list;
	const size_t n = cache_list(NULL, &list);
	OWNED char *real = realpath(file, NULL);
	uint64_t sum = bytes;

	for (size_t i = 0; i < n; i++)
		if (counts(&list[i], real))
			sum += list[i].bytes;
	for (size_t i = 0; i < n && sum > limit && bytes <= limit; i++)
		if (counts(&list[i], real) && cache_remove(&list[i], NULL))
			sum -= list[i].bytes;
	cache_list_free(list, n);
	if (sum <= limit)
		return true;
	return err_set(err, STATUS_IO,
		       "the cache file would take %llu MB, and all of them may take %llu MB "
		       "(TVIEW_CACHE_SIZE)",
		       (unsigned long long)(bytes >> 20), (unsigned long long)(limit >> 20));
}

void cache_enter(const char *source, const char *file)
{
	OWNED_STR link = STR_INIT;
	OWNED char *real = realpath(file, NULL);

	if (real && cache_path(source, 1, &link) && strcmp(link.text, real) != 0) {
		folders_make(link.text);
		unlink(link.text);
		/* Without the link the file is used all the same; only the list lacks it. */
		if (symlink(real, link.text) != 0)
			errno = 0;
	}
}
