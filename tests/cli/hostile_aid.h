/* hostile_aid: runs tview on a file of a folder of its own, within bounds of time and memory; files
 * that nobody would write on purpose, and a sound one. What goes wrong fails the test. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "harness/files.h"

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* The folder, and files in it. */
struct hostile {
	char folder[FOLDER_NAME];
	char trace[96], out[96], said[96], copy[96];
};

struct hostile_outcome {
	int status;     /* of exit; 1000 + signal when it was killed */
	long peak;      /* MiB */
	double seconds; /* of the processor */
};

/* Fixture of a group: a struct hostile with a folder that anyone may write to. */
int hostile_begin(void **state);
int hostile_end(void **state);

/* Runs tview with words, NULL after the last, and standard input from a file; what it prints is in
 * s->out and s->said. */
struct hostile_outcome hostile_run_from(const struct hostile *s, const char *in, bool as_nobody,
					const char *const *words);
#define hostile_run(s, ...) \
	hostile_run_from(s, "/dev/null", false, (const char *const[]){ __VA_ARGS__, NULL })

/* Control characters other than line ends and tabs, or a C1 character, stand nowhere in a file. */
void hostile_is_harmless(const char *path, const char *what);
/* A part stands in what the program printed. */
void hostile_says(const struct hostile *s, const char *what, const char *part);

/* ---- files ---- */

typedef void (*wild_writer)(FILE *out);

struct wild_file {
	const char *name;
	bool framed;         /* between a head and a tail */
	wild_writer content; /* else a piece again and again */
	const char *piece;
	size_t bytes;
};

/* A sound little trace with something of everything. */
extern const struct wild_file sound_file;
void wild_sound(FILE *out);

/* As s->trace. */
void wild_write(const struct hostile *s, const struct wild_file *file);
/* The begin and the end of a trace of two processes. */
void wild_head(FILE *out);
void wild_tail(FILE *out);
/* A piece again and again, that many bytes. */
void wild_fill(FILE *out, const char *piece, size_t bytes);
