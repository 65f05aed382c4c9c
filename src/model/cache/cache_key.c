/* What a cache file belongs to: the files of a trace as they are now, and the program as it is. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/jobs.h"
#include "base/version.h"
#include "model/cache/cache_state.h"
#include "model/otf2/otf2.h"

/* Of large archives (20,000 files) every file's size and time count, and some files' content:
 * pieces at equal distances, head and tail among them, more where the trace is one file. */
enum { PIECE = 4096, DIGEST_FILES = 64, PIECES_OF_MANY = 3, PIECES_OF_ONE = 64 };

/* ---- the source ---- */

bool cache_source(const char *path, struct str *source)
{
	struct stat st;

	if (strcmp(path, "-") == 0 || stat(path, &st) != 0)
		return false;
	OWNED char *anchor = S_ISDIR(st.st_mode) ? otf2_anchor_in(path, NULL) : NULL;
	if (anchor || S_ISREG(st.st_mode))
		str_add(source, anchor ? anchor : path);
	return source->n > 0;
}

/* ---- its state ---- */

static ssize_t read_piece(int fd, char *bytes, off_t at)
{
	ssize_t n;

	do
		n = pread(fd, bytes, PIECE, at);
	while (n < 0 && errno == EINTR);
	return n;
}

/* All of a file that is no longer than the pieces. */
static bool add_digest(XXH3_state_t *state, int folder, const char *name, off_t size, int pieces)
{
	char bytes[PIECE];
	const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	const off_t all = (size + PIECE - 1) / PIECE, last = size > PIECE ? size - PIECE : 0;
	ssize_t n = 0;

	if (fd < 0)
		return false;
	if (pieces > all)
		pieces = (int)all;
	for (int i = 0; i < pieces && n >= 0; i++) {
		n = read_piece(fd, bytes, pieces > 1 ? last / (pieces - 1) * i : 0);
		if (n > 0)
			XXH3_128bits_update(state, bytes, (size_t)n);
	}
	if (n >= 0 && pieces > 1)
		n = read_piece(fd, bytes, last);
	if (n > 0)
		XXH3_128bits_update(state, bytes, (size_t)n);
	close(fd);
	return n >= 0;
}

/* pieces: of its content, 0 none */
static bool add_file(XXH3_state_t *state, int folder, const char *name, int pieces)
{
	struct stat st;
	int64_t facts[3];

	if (fstatat(folder, name, &st, 0) != 0 || !S_ISREG(st.st_mode))
		return false;
	facts[0] = st.st_size;
	facts[1] = st.st_mtim.tv_sec;
	facts[2] = st.st_mtim.tv_nsec;
	XXH3_128bits_update(state, facts, sizeof facts);
	return !pieces || add_digest(state, folder, name, st.st_size, pieces);
}

/* The files of an archive's folder. Their digests are added up, so that the order does not
 * matter: sorting 20,000 names would delay the first screen too much. */
struct folder {
	int fd;
	VEC(char) names; /* each with its NUL */
	VEC(size_t) start;
	VEC(struct cache_key) sums; /* [slice]; both 0: a file could not be read */
};

enum { SLICE = 512 };

static void look_at_slice(void *context, unsigned worker, size_t slice)
{
	struct folder *f = context;
	const size_t from = slice * SLICE;
	const size_t to = f->start.n - from < SLICE ? f->start.n : from + SLICE;
	const uint64_t every = f->start.n / DIGEST_FILES + 1;
	struct cache_key *sum = &f->sums.data[slice];
	XXH3_state_t state;

	(void)worker;
	*sum = (struct cache_key){ 1, 1, 0 };
	for (size_t i = from; i < to; i++) {
		const char *name = f->names.data + f->start.data[i];
		const size_t length = strlen(name);
		XXH128_hash_t hash;
		XXH3_128bits_reset(&state);
		XXH3_128bits_update(&state, name, length);
		const bool looked_into = XXH3_64bits(name, length) % every == 0;
		if (!add_file(&state, f->fd, name, looked_into ? PIECES_OF_MANY : 0)) {
			*sum = (struct cache_key){ 0, 0, 0 };
			return;
		}
		hash = XXH3_128bits_digest(&state);
		sum->low += hash.low64;
		sum->high += hash.high64;
	}
}

static bool sum_up(struct folder *f, XXH3_state_t *state)
{
	const size_t slices = (f->start.n + SLICE - 1) / SLICE;
	struct cache_key all = { f->start.n, 0, 0 };
	bool ok = true;

	vec_reserve(&f->sums, slices + 1);
	jobs_run(jobs_count(0), slices, look_at_slice, f);
	for (size_t i = 0; i < slices; i++) {
		const struct cache_key *sum = &f->sums.data[i];
		ok = ok && (sum->low || sum->high);
		all.low += sum->low;
		all.high += sum->high;
	}
	XXH3_128bits_update(state, &all, sizeof all);
	return ok;
}

static bool add_folder(XXH3_state_t *state, const char *path)
{
	struct folder f = { .fd = -1 };
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool ok;

	if (!dir)
		return true; /* an archive without events */
	f.fd = dirfd(dir);
	while ((entry = readdir(dir))) {
		const size_t n = strlen(entry->d_name) + 1;
		if (entry->d_name[0] == '.')
			continue;
		vec_push(&f.start, f.names.n);
		vec_reserve(&f.names, n);
		memcpy(f.names.data + f.names.n, entry->d_name, n);
		f.names.n += n;
	}
	ok = sum_up(&f, state);
	vec_fini(&f.names);
	vec_fini(&f.start);
	vec_fini(&f.sums);
	closedir(dir);
	return ok;
}

static bool add_archive(XXH3_state_t *state, const char *anchor)
{
	OWNED_STR folder = STR_INIT, definitions = STR_INIT;

	str_add_n(&folder, anchor, strlen(anchor) - strlen(".otf2"));
	str_add_fmt(&definitions, "%s.def", folder.text);
	/* An archive without definitions is a damaged one, not one that cannot be cached. */
	if (!add_file(state, AT_FDCWD, definitions.text, PIECES_OF_ONE))
		XXH3_128bits_update(state, "none", 4);
	return add_folder(state, folder.text);
}

bool cache_key_make(const char *source, const char *as, bool strict, struct cache_key *key)
{
	XXH3_state_t state;
	XXH128_hash_t hash;
	bool ok;

	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, strict ? "strict" : "", strict ? 7 : 1);
	XXH3_128bits_update(&state, as ? as : "", strlen(as ? as : "") + 1);
	ok = add_file(&state, AT_FDCWD, source, PIECES_OF_ONE);
	if (ok && str_ends_with(source, ".otf2"))
		ok = add_archive(&state, source);
	hash = XXH3_128bits_digest(&state);
	*key = (struct cache_key){ hash.low64, hash.high64, cache_program() };
	return ok;
}

uint64_t cache_source_state(const char *path)
{
	OWNED_STR source = STR_INIT;
	struct cache_key key;

	return cache_source(path, &source) && cache_key_make(source.text, NULL, false, &key)
		       ? key.low | 1
		       : 0;
}

/* ---- the program ---- */

/* The linker's number of a build, from its notes; 0: it has none. */
static uint64_t build_id(const char *at, const char *end)
{
	while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		const char *name = at + sizeof *note;
		const uint64_t names = ((uint64_t)note->n_namesz + 3) & ~(uint64_t)3;
		const uint64_t bytes = ((uint64_t)note->n_descsz + 3) & ~(uint64_t)3;
		if (names + bytes > (uint64_t)(end - name))
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0)
			return XXH3_64bits(name + names, note->n_descsz);
		at = name + names + bytes;
	}
	return 0;
}

/* That of the program itself. */
static int take_build_id(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t *id = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum && !*id; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const char *at = (const char *)(info->dlpi_addr + part->p_vaddr);
		if (part->p_type == PT_NOTE)
			*id = build_id(at, at + part->p_memsz);
	}
	return 1; /* the first is the program, the others are its libraries */
}

/* That of a program in memory of n bytes. */
static uint64_t build_id_of(const char *file, size_t n)
{
	const ElfW(Ehdr) *head = (const void *)file;
	uint64_t id = 0;

	if (n < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_phentsize != sizeof(ElfW(Phdr)) || head->e_phoff > n ||
	    head->e_phnum > (n - head->e_phoff) / sizeof(ElfW(Phdr)))
		return 0;
	for (int i = 0; i < head->e_phnum && !id; i++) {
		ElfW(Phdr) part;
		memcpy(&part, file + head->e_phoff + (size_t)i * sizeof part, sizeof part);
		if (part.p_type == PT_NOTE && part.p_offset <= n &&
		    part.p_filesz <= n - part.p_offset)
			id = build_id(file + part.p_offset, file + part.p_offset + part.p_filesz);
	}
	return id;
}

static uint64_t program_hash(uint64_t id, const struct stat *st)
{
	const uint64_t parts[3] = { guard_sum(TVIEW_VERSION, sizeof TVIEW_VERSION),
				    id ? id
				       : (uint64_t)st->st_size ^
						    (uint64_t)st->st_mtim.tv_sec << 20 ^
						    (uint64_t)st->st_mtim.tv_nsec,
				    cache_layout() };

	return guard_sum(parts, sizeof parts);
}

uint64_t cache_program(void)
{
	struct stat st = { 0 };
	uint64_t id = 0;

	dl_iterate_phdr(take_build_id, &id);
	if (!id && stat("/proc/self/exe", &st) != 0)
		memset(&st, 0, sizeof st);
	return program_hash(id, &st);
}

bool cache_program_of(const char *path, uint64_t *program)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *file = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (file == MAP_FAILED)
		return false;
	*program = program_hash(build_id_of(file, (size_t)st.st_size), &st);
	munmap(file, (size_t)st.st_size);
	return true;
}
