/* cache_state: the inside of the cache, shared by cache*.c; no other file includes it. */
#pragma once

#include <sys/stat.h>

#include "base/str.h"
#include "model/cache/cache.h"
#include "model/cache/cache_io.h"

struct cache_key {
	uint64_t low, high;
};

/* A trace's relation to its cache file. */
struct cache_state {
	char *source; /* the trace's file, or an archive's anchor */
	char *as;     /* options, NULL none */
	bool strict;
	struct cache_key key; /* when loading began */
	bool damaged;         /* a cache file was discarded */
	char *file;           /* the cache file that the trace is mapped from */
	struct guard *guard;  /* guards its memory */
	void (*tell_damaged)(void *context);
	void *tell_context;
	char *tables; /* directory and checksums of that file */
};

/* ---- cache_layout.c ---- */

/* Measures, writes or reads all sections. Reading: the trace is fresh (zeroed but for its path). */
void cache_pass(struct cache_io *io, struct trace *trace);
/* A hash of the layout of all sections. */
uint64_t cache_layout(void);

/* ---- cache_key.c ---- */

/* Finds the file that represents the trace (an archive: its anchor); false if it cannot be
 * cached. */
bool cache_source(const char *path, struct str *source);
/* False where the source cannot be read. */
bool cache_key_make(const char *source, const char *as, bool strict, struct cache_key *key);
/* A hash of this build of the program: builds that differ do not share cache files. */
uint64_t cache_program(void);

/* ---- cache_place.c ---- */

/* The path of a source's cache file: place 0 is beside the source, 1 in the cache folder. False: no
 * such place. */
bool cache_path(const char *source, int place, struct str *path);
/* The cache folder, without a slash at its end; false if neither XDG_CACHE_HOME nor HOME is set. */
bool cache_folder(struct str *path);

/* ---- cache_folder.c ---- */

/* Removes the least recently used files until a new one of this size fits below the limit; false
 * with err if it cannot fit. */
bool cache_make_room(const char *file, uint64_t bytes, struct err *err);
/* Links a file that is beside its source in the cache folder. */
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

/* Reads and checks a header. NONE: no such file, or not the user's own. GOOD: *fd is open; fd NULL:
 * not needed. */
enum cache_found cache_open_header(const char *path, const struct cache_key *key, int *fd,
				   struct cache_header *header, struct stat *st);
void cache_header_finish(struct cache_header *header);
