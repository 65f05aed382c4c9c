/* The inside of the cache: what its files (cache*.c) know of each other. */
#pragma once

#include <sys/stat.h>

#include "base/str.h"
#include "model/cache/cache.h"
#include "model/cache/cache_io.h"

struct cache_key {
	uint64_t low, high;
};

/* What a trace has to do with a cache file. */
struct cache_state {
	char *source; /* the file that represents the trace: itself, or an archive's anchor */
	char *as;     /* options, NULL none */
	bool strict;
	struct cache_key key; /* when loading began */
	bool damaged;         /* a cache file was discarded */
	char *file;           /* the cache file that the trace is in */
	struct guard *guard;  /* ... */
	void (*tell_damaged)(void *context);
	void *tell_context;
	char *tables; /* directory and checksums of that file */
};

/* ---- cache_layout.c ---- */

/* Measures, writes or reads all sections. Reading: the trace is fresh (zeroed but for its path). */
void cache_pass(struct cache_io *io, struct trace *trace);
/* A number for the tables of sections. */
uint64_t cache_layout(void);

/* ---- cache_key.c ---- */

/* The file that represents the trace; false where there is none that could be cached. */
bool cache_source(const char *path, struct str *source);
/* False where the source cannot be read. */
bool cache_key_make(const char *source, const char *as, bool strict, struct cache_key *key);
/* A number for this build of the program: no two that differ share cache files. */
uint64_t cache_program(void);

/* ---- cache_place.c ---- */

/* Where the cache file of a source may lie: place 0 is beside it, 1 in the cache folder. False: no
 * such place. */
bool cache_path(const char *source, int place, struct str *path);
/* The cache folder, without a slash at its end; false where there is no home for it. */
bool cache_folder(struct str *path);

/* ---- cache_folder.c ---- */

/* Removes what was used longest ago until a new file of this size has room below the limit; false
 * with err where there is none. */
bool cache_make_room(const char *file, uint64_t bytes, struct err *err);
/* Enters a file that is beside its source into the cache folder. */
void cache_enter(const char *source, const char *file);

/* ---- cache_file.c ---- */

struct cache_header {
	char magic[16];
	uint64_t layout; /* of the sections, and the build of the program */
	struct cache_key key;
	uint64_t data_offset, data_size;
	uint32_t chunk_bits, sections; /* sections are after the header, checksums after them */
	uint64_t events;
	char version[16];    /* of the program, for people */
	char source[1024];   /* the trace's full name, for people; cut where it is longer */
	uint64_t tables_sum; /* of the bytes between header and data */
	uint64_t sum;        /* of the header up to here */
};

enum cache_found { CACHE_NONE, CACHE_STALE, CACHE_DAMAGED, CACHE_GOOD };

/* Reads and checks a header. NONE: no such file, or not the user's own. On GOOD *fd is open; NULL:
 * it is not wanted. */
enum cache_found cache_open_header(const char *path, const struct cache_key *key, int *fd,
				   struct cache_header *header, struct stat *st);
void cache_header_finish(struct cache_header *header);
