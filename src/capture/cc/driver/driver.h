/* driver: what tvcc, tvcxx and tvfc do with a command line.
 *
 * They run the compiler with the command line they were given. Where it may compile something,
 * `-wrapper` is added: the compiler then calls the programs it consists of (cc1, cc1plus, f951, as,
 * collect2) through `tvcc --tv-stage`, which puts probes into what cc1 and cc1plus compile
 * (stage.h) and runs the others as they are. So everything that a command line can say is
 * understood by the compiler alone: languages, several files, names of dependency files, response
 * files, pipes, temporary files.
 *
 * -wrapper is GCC's. Of another compiler (clang) only -finstrument-functions is asked. */
#pragma once

#include "capture/cc/options/cc_options.h"

enum driver_language { DRIVER_C, DRIVER_CXX, DRIVER_FORTRAN };

enum driver_way {
	DRIVER_PLAIN,     /* as it is: nothing is compiled, or --no-instrument */
	DRIVER_STAGED,    /* by stages */
	DRIVER_FUNCTIONS, /* no GCC: with -finstrument-functions */
};

/* First word after -wrapper PROGRAM. A number follows that differs with the options, the rules and
 * tvcc itself: a cache of objects (TVIEW_CC="ccache mpicc") knows the command line only. */
#define DRIVER_STAGE_WORD "--tv-stage"

struct driver_plan {
	enum driver_way way;
	struct words argv; /* the compiler and its arguments */
	const char *why;   /* DRIVER_FUNCTIONS: why no more */
};

#define DRIVER_PLAN_INIT            \
	{                           \
		0, WORDS_INIT, NULL \
	}

/* By the name a program was called: tvcc, tvcxx (tvc++), tvfc (tvf90 ...). */
enum driver_language driver_language(const char *program);

/* What to run. `compiler` is the compiler under it, as words; `words` what cc_options_take() left;
 * `self` the path of tvcc. False with err if tvcc would call itself. */
bool driver_plan(struct driver_plan *plan, enum driver_language language,
		 const struct cc_options *options, const char *compiler, const struct words *words,
		 const char *self, struct err *err);
void driver_plan_fini(struct driver_plan *plan);

/* The whole: argv as in main(). Returns only if the compiler could not be run: the status. */
int driver_run(char **argv);
