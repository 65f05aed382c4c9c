/* stage: one program that GCC's driver runs (cc1, cc1plus, f951, as, collect2), on its way through
 * tvcc.
 *
 *	tvcc --tv-stage /usr/lib/gcc/.../cc1 -quiet ... app.c ... -o /tmp/ccX.s
 *
 * cc1 and cc1plus: the file is preprocessed with the very arguments it was to be compiled with (so
 * that dependency files are the compiler's own), tvinstrument puts probes into the text, and that
 * is compiled with -fpreprocessed. The result is used only if none of these steps wrote a message.
 * Otherwise the file itself is compiled, as if tvcc were not there, so that every message is the
 * compiler's own; if that succeeds, the text with probes is compiled once more without warnings and
 * replaces it. If the text cannot be made or compiled, the file itself is compiled with
 * -finstrument-functions, and a message says so. f951 always gets that option. All else is run as
 * it is.
 *
 * No intermediate result is a file with a name: texts are in memory (memfd), so that a signal
 * leaves no file. */
#pragma once

#include "capture/cc/options/cc_options.h"

enum stage_kind {
	STAGE_RUN,   /* as it is */
	STAGE_HOOKS, /* with -finstrument-functions */
	STAGE_PROBES,
};

struct stage_plan {
	enum stage_kind kind;
	bool cxx;
	bool preprocessed;  /* the input is preprocessed already */
	bool macros;        /* -g3: definitions are kept in the text */
	bool lines;         /* some -g was given */
	bool warns;         /* some warning was asked for */
	bool analyses;      /* -fanalyzer: what it says is about the file itself */
	size_t input;       /* index of the input in argv */
	size_t output;      /* index of the output's name; 0: there is none */
	const char *reason; /* STAGE_RUN of a cc1 that compiles: why; else NULL */
};

/* How an argument vector is compiled: argv[0] is the program, NULL-terminated. */
struct stage_plan stage_plan(char *const *argv);
/* Whether the word after this one is its argument. */
bool stage_takes_next(const char *word);

/* The arguments for each step, of a STAGE_PROBES. `output` is the name of the file that is written;
 * NULL as given. */
void stage_preprocess(const struct stage_plan *plan, char *const *argv, struct words *out);
void stage_check(const struct stage_plan *plan, char *const *argv, struct words *out);
void stage_compile(const struct stage_plan *plan, char *const *argv, const char *input,
		   const char *output, bool warnings, struct words *out);
void stage_hooks(const struct stage_plan *plan, char *const *argv, const char *output,
		 struct words *out);
/* The arguments that libclang needs: the language, and what changes it. */
void stage_flags(char *const *argv, struct words *out);

/* Runs the stage: argv begins with the program. Returns its status, or not at all if the program
 * replaces this process. */
int stage_run(char **argv);
