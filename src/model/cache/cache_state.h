/* cache_state: the inside of the cache, shared by cache*.c; no other file includes it. */
#pragma once

#include <sys/stat.h>

#include "base/str.h"
#include "model/cache/cache.h"
#include "model/cache/cache_io.h"

struct cache_key {
	uint64_t low, high; /* of the trace */
	uint64_t program;   /* of the layout of the sections, and of the build of the program */
};

/* A trace's relation to its cache file. */
struct cache_state {
	char *source; /* the trace's file, or an archive's anchor */
	char *as;     /* options, NULL none */
	bool strict;
	struct cache_key key; /* when loading began */
	bool prepared;        /* the file is for another program, and the user asked for it */
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
/* The same of the program in a file, if it has this one's sources; false: it cannot be read. */
bool cache_program_of(const char *path, uint64_t *program);

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

/* ---- cache_write.c ---- */

/* A cache file that is not there yet: under another name, locked. */
struct cache_draft {
	struct str path, draft; /* the file's name, and the draft's */
	int fd;                 /* -1: another program is writing the file */
};

/* Opens a draft beside the source, or in the cache folder where that cannot be written; False with
 * err: nowhere. cache_draft_close() is due in any case; `keep`: it was placed. */
bool cache_draft_open(const struct cache_state *state, struct cache_draft *d, struct err *err);
void cache_draft_close(struct cache_draft *d, bool keep);
/* True if the file is there and valid. */
bool cache_draft_is_there(const struct cache_draft *d, const struct cache_state *state);
/* Measures the sections of a trace, makes a header for them, takes space on the disk, and gets *io,
 * whose `shared` is set, ready for the pass that writes. cache_draft_end() writes all that is not
 * data. */
struct cache_header;
bool cache_draft_begin(struct trace *trace, const struct cache_draft *d, struct cache_io *io,
		       struct cache_header *header, struct err *err);
bool cache_draft_end(const struct cache_draft *d, struct cache_io *io, struct cache_header *header,
		     struct err *err);
/* Gives the draft its name, if the source is still what was read. */
bool cache_draft_place(const struct cache_state *state, const struct cache_draft *d,
		       struct err *err);

/* ---- cache_file.c ---- */

struct cache_header {
	char magic[16];
	struct cache_key key;
	uint64_t data_offset, data_size;
	uint32_t chunk_bits, sections; /* sections are after the header, checksums after them */
	uint64_t events;
	uint64_t prepared;   /* 1: the user asked for it */
	char version[16];    /* of the program, for people */
	char source[1024];   /* the trace's full name, for people; cut where it is longer */
	uint64_t tables_sum; /* of the bytes between header and data */
	uint64_t sum;        /* of the header up to here */
};

/* Something that is not a file of this user has the name of a cache file or draft: it is not
 * touched. */
bool cache_is_foreign(const char *path);

enum cache_found { CACHE_NONE, CACHE_STALE, CACHE_DAMAGED, CACHE_GOOD };

/* Reads and checks a header. NONE: no such file, or not the user's own. GOOD: *fd is open; fd NULL:
 * not needed. */
enum cache_found cache_open_header(const char *path, const struct cache_key *key, int *fd,
				   struct cache_header *header, struct stat *st);
void cache_header_finish(struct cache_header *header);
