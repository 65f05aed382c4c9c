/* stage_work: what the steps of a stage share (stage.h): its texts in memory, and how one of its
 * programs is run. */
#pragma once

#include <sys/types.h>

#include "capture/cc/driver/memory_file.h"
#include "capture/cc/driver/stage.h"

struct stage_work {
	char **argv;
	struct stage_plan plan;
	struct cc_options options;
	int text;           /* what cc1 -E wrote */
	int probed;         /* with probes */
	int list;           /* what was not instrumented, or why nothing could be done */
	int said;           /* what a silent step said */
	int warned;         /* what is said of the file itself */
	int out;            /* where the output is "-": what is to go there; else -1 */
	int input;          /* where the input is "-": what came from there; else -1 */
	char output[32];    /* the name of `out` */
	struct str why;     /* there are no probes: why */
	struct str without; /* the option for procedures without hooks; empty: none */
	bool has_words;     /* the compiler had something to say */
	bool has_nothing;   /* no place of the file is to have a probe */
};

#define STAGE_ONLY_HOOKS "only procedures are instrumented (-finstrument-functions)"

/* ---- programs ---- */

/* Starts one; descriptors of -1 stay as they are. -1: it cannot be. */
pid_t program_start(const struct words *argv, int in, int out, int say);
/* These return wait()'s status. */
int program_wait(pid_t child);
int program_run(const struct words *argv, int in, int out, int say);
bool program_succeeded(int status);

/* ---- steps ---- */

const char *stage_source(const struct stage_work *run);
/* The name to use in place of the output's; NULL: as it was given. */
const char *stage_output(const struct stage_work *run);

/* A step whose messages are not shown. `argv` is freed. */
bool stage_silent(struct stage_work *run, struct words *argv, int in, int out);
/* Becomes the program that was to be run; returns only if that fails. */
int stage_as_it_is(struct stage_work *run);
/* Compiles with hooks at procedures. */
bool stage_compile_hooks(struct stage_work *run, bool warnings);
/* What that runs. */
void stage_hook_words(const struct stage_work *run, struct words *argv);

/* Says `what`, and why. */
void stage_print(const struct stage_work *run, const char *what);
/* The same in the object: what is written so far is text for the assembler, this is appended. */
void stage_note(const struct stage_work *run, const char *what);
bool stage_append(const struct stage_work *run, const char *text, size_t n);
