/* What a cache file belongs to: the files of a trace as they are now, and the program as it is. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/version.h"
#include "model/cache_impl.h"
#include "model/otf2/otf2.h"

/* Of large archives (20,000 files) every file's size and time count, and some files' content. */
enum { DIGEST_BYTES = 4096, DIGEST_FILES = 64 };

/* ---- the source ---- */

static bool ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

bool cache_source(const char *path, struct str *source)
{
	struct stat st;

	if (strcmp(path, "-") == 0 || stat(path, &st) != 0)
		return false;
	char *anchor = S_ISDIR(st.st_mode) ? otf2_anchor_in(path, NULL) : NULL;
	if (anchor || S_ISREG(st.st_mode))
		str_add(source, anchor ? anchor : path);
	free(anchor);
	return source->n > 0;
}

/* ---- its state ---- */

static bool add_digest(XXH3_state_t *state, int folder, const char *name, const struct stat *st)
{
	char bytes[DIGEST_BYTES];
	const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, bytes, sizeof bytes, 0);
	if (n > 0)
		XXH3_128bits_update(state, bytes, (size_t)n);
	if (n >= 0 && st->st_size > DIGEST_BYTES)
		n = pread(fd, bytes, sizeof bytes, st->st_size - DIGEST_BYTES);
	if (n > 0)
		XXH3_128bits_update(state, bytes, (size_t)n);
	close(fd);
	return n >= 0;
}

static bool add_file(XXH3_state_t *state, int folder, const char *name, bool digest)
{
	struct stat st;
	int64_t facts[3];

	if (fstatat(folder, name, &st, 0) != 0 || !S_ISREG(st.st_mode))
		return false;
	facts[0] = st.st_size;
	facts[1] = st.st_mtim.tv_sec;
	facts[2] = st.st_mtim.tv_nsec;
	XXH3_128bits_update(state, facts, sizeof facts);
	return !digest || add_digest(state, folder, name, &st);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All files of an archive's folder, in the order of their names. */
static bool add_folder(XXH3_state_t *state, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	VEC(char *) names = VEC_INIT;
	bool ok = true;

	if (!dir)
		return true; /* an archive without events */
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			vec_push(&names, xstrdup(entry->d_name));
	if (names.n > 0)
		qsort(names.data, names.n, sizeof *names.data, by_name);
	for (size_t i = 0; i < names.n; i++) {
		XXH3_128bits_update(state, names.data[i], strlen(names.data[i]) + 1);
		ok = ok && add_file(state, dirfd(dir), names.data[i],
				    i < DIGEST_FILES / 2 || i + DIGEST_FILES / 2 >= names.n);
		free(names.data[i]);
	}
	vec_fini(&names);
	closedir(dir);
	return ok;
}

static bool add_archive(XXH3_state_t *state, const char *anchor)
{
	struct str folder = STR_INIT, definitions = STR_INIT;
	bool ok;

	str_add_n(&folder, anchor, strlen(anchor) - strlen(".otf2"));
	str_add_fmt(&definitions, "%s.def", folder.text);
	/* An archive without definitions is a damaged one, not one that cannot be cached. */
	if (!add_file(state, AT_FDCWD, definitions.text, true))
		XXH3_128bits_update(state, "none", 4);
	ok = add_folder(state, folder.text);
	str_fini(&folder);
	str_fini(&definitions);
	return ok;
}

bool cache_key_make(const char *source, const char *as, bool strict, struct cache_key *key)
{
	XXH3_state_t state;
	XXH128_hash_t hash;
	bool ok;

	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, strict ? "strict" : "", strict ? 7 : 1);
	XXH3_128bits_update(&state, as ? as : "", strlen(as ? as : "") + 1);
	ok = add_file(&state, AT_FDCWD, source, true);
	if (ok && ends_with(source, ".otf2"))
		ok = add_archive(&state, source);
	hash = XXH3_128bits_digest(&state);
	*key = (struct cache_key){ hash.low64, hash.high64 };
	return ok;
}

/* ---- the program ---- */

/* The linker's number of the build, in a note of the program itself. */
static int take_build_id(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const char *at = (const char *)(info->dlpi_addr + part->p_vaddr);
		const char *end = at + part->p_memsz;
		if (part->p_type != PT_NOTE)
			continue;
		while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof *note;
			const char *id = name + ((note->n_namesz + 3u) & ~3u);
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			    memcmp(name, "GNU", 4) == 0) {
				*(uint64_t *)context = XXH3_64bits(id, note->n_descsz);
				return 1;
			}
			at = id + ((note->n_descsz + 3u) & ~3u);
		}
	}
	return 1; /* the first is the program, the others are its libraries */
}

uint64_t cache_program(void)
{
	uint64_t parts[3] = { guard_sum(TVIEW_VERSION, sizeof TVIEW_VERSION), 0, cache_layout() };
	struct stat st;

	dl_iterate_phdr(take_build_id, &parts[1]);
	if (parts[1] == 0 && stat("/proc/self/exe", &st) == 0)
		parts[1] = (uint64_t)st.st_size ^ (uint64_t)st.st_mtim.tv_sec << 20 ^
			   (uint64_t)st.st_mtim.tv_nsec;
	return guard_sum(parts, sizeof parts);
}
