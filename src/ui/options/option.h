/* option: the one table of the options of the command line: name, kind, range, default, the verbs
 * it belongs to, help. Parsing, --help of every verb, the OPTIONS part of the manual page and the
 * completion of shells are made from it.
 *
 * Add an option by adding a row to the table in option.c and a field to `struct options`.
 *
 *	struct options options;
 *	if (!options_parse(&options, &all_views, VERB_EXPORT, argc, argv, &err)) ...	// status 2
 *	use(options.output, options.args[0]);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "correct/correct.h"
#include "model/formats/load.h"
#include "views/export/view_registry.h"

enum { OPTIONS_MOST = 96 }; /* rows of the table */

enum verb {
	VERB_OPEN,
	VERB_EXPORT,
	VERB_QUERY,
	VERB_REPORT,
	VERB_CHECK,
	VERB_CONVERT,
	VERB_GRAPH,
	VERB_LIVE,
	VERB_BASELINE,
	VERB_CACHE,
	VERB_MCP,
	VERB_HELP,
	VERB_COUNT
};

/* The values of an option that may be repeated. */
enum { OPTION_TEXTS_MOST = 64 };
struct option_texts {
	const char *texts[OPTION_TEXTS_MOST];
	int n;
};

/* Values after parsing. Texts are borrowed from argv; what depends on the trace (ranks, times,
 * filter) is still text. */
struct options {
	const struct view_registry *views; /* what --view and export may name */
	const char *output;                /* NULL, "-": stdout */
	const char *format;                /* NULL: by the output's ending, else text */
	const char *to;                    /* NULL: by the output's ending */
	const char *by;
	const char *ranks;
	const char *time;
	const char *filter;
	const char *baseline; /* repeated runs of the older trace, between commas; of one trace: the
				 name of figures that were kept */
	const char *fail_on;
	const char *base;            /* NULL: the trace's default */
	const char *callpath;        /* text, NULL: all */
	const char *sequence;        /* text, NULL: none */
	int depth;                   /* nesting levels; 0: innermost regions */
	const char *metric;          /* unique name, NULL: all, or the view's choice */
	const char *source_path;     /* folders between colons, NULL none */
	const char *iteration;       /* region or mark, NULL: they are found */
	const char *topology;        /* grid of the ranks, NULL: the trace's or a guess */
	const char *against;         /* base to compare with, NULL: as difference.h says */
	const char *join;            /* "yes", "no": the files are one run or not; NULL */
	struct load_options reading; /* without the part, see choose.h */
	bool bounds_clocks; /* of the view that is written: clocks are compared for any base */
	struct correct_options correct;       /* without the texts: correcting_options() has all */
	const char *presync, *overhead_model; /* NULL: not given */
	const char *view;                     /* NULL: the overview */
	const char *group;                    /* NULL: none, or by range where there are many */
	const char *hide, *open, *pin;        /* lists of ranks, see choose_rows.c */
	const char *counter;                  /* names between commas */
	const char *columns;                  /* of a table, NULL: those of the format */
	const char *colour;                   /* "function", NULL: by class */
	const char *hide_colour;              /* names of the legend between commas */
	const char *sort;                     /* of rows; NULL: their own order */
	const char *where;                    /* condition on rows, NULL none */
	int limit;                            /* rows, 0: all */
	const char *page;                     /* where another export left off, NULL: the begin */
	const char *theme;
	const char *graphics;
	int width; /* 0: no limit */
	int height;
	int level;                    /* of iterations, from 1; 0: the one to show */
	int worst;                    /* waits to explain, 0: the default */
	const char *event;            /* to explain; NULL: the worst waits */
	const char *at, *rank;        /* of the cursor, NULL: not given */
	struct option_texts commands; /* to run once the trace is there */
	bool diff;                    /* show also what the base changed */
	bool critical_path;           /* show it in the timeline */
	bool ascii;
	bool csv_safe; /* text without formulas */
	bool no_mouse;
	bool no_sync;
	const char *given[OPTIONS_MOST]; /* by the number of the row: what was typed, "" for a flag;
					    NULL: not given */
	bool list, clear;                /* of cache files */
	bool summary;                    /* of a job that runs */
	bool rollcall;
	const struct recent_facts *earlier; /* of a look before at the job, NULL none */
	double stuck;     /* seconds after which it is said to be stuck, 0: is not asked */
	bool stack;       /* where its ranks are in the source */
	const char *save; /* file for a trace of the job; NULL: show it */
	/* Where a job that runs will leave its trace; NULL: not known. Not of the command line. */
	const char *job_trace;
	bool help, version;
	const char *question; /* of `query`, whose clauses are the options; NULL none */
	char *const *args;    /* arguments that are not options, in order */
	int n_args;
};

/* A report on the arguments is a comparison. */
static inline bool options_compare(const struct options *options)
{
	return options->n_args > 1 || options->baseline;
}

enum option_group {
	OPTIONS_OUTPUT,
	OPTIONS_PICTURE,
	OPTIONS_CHOICE,
	OPTIONS_READING,
	OPTIONS_CORRECTING,
	OPTIONS_SCREEN,
	OPTIONS_OTHER,
	OPTION_GROUPS
};
enum option_kind {
	OPTION_FLAG,
	OPTION_INT,
	OPTION_FRACTION, /* double: above 0, at most 1 */
	OPTION_SECONDS,  /* double: a time, not negative */
	OPTION_BYTES,
	OPTION_TEXT,
	OPTION_TEXTS, /* may be repeated */
	OPTION_WORD,
	OPTION_VIEW /* a view on the screen */
};

/* In option_info.verbs: a matter of taste, which the file of settings and :set may set, too. */
#define OPTION_SETTING (1u << VERB_COUNT)

struct option_info {
	const char *name; /* without the dashes */
	char letter;      /* 0 none */
	enum option_kind kind;
	const char *argument; /* "FILE"; NULL for a flag */
	const char *words;    /* OPTION_WORD: "text|csv|json"; OPTION_TEXT: some; NULL */
	int min, max;         /* OPTION_INT */
	const char *fallback; /* default, for people; NULL: not printed */
	unsigned verbs;       /* bits 1 << enum verb */
	enum option_group group;
	const char *help;
	size_t field; /* offset in struct options */
};

/* All options, ending with a NULL name. */
const struct option_info *option_table(void);
const char *option_group_name(enum option_group group);
/* The row of a name that belongs to the verb, NULL without. Rows with the same name are
 * adjacent. */
const struct option_info *option_find(const char *name, enum verb verb);
/* Sets a value by its text, as the command line, the configuration and `:set` do (a flag takes
 * "yes" and "no", and NULL for yes). The text is borrowed. False with err: no such word, out of
 * range. */
bool option_set(struct options *options, const struct option_info *option, const char *text,
		struct err *err);

/* Its value as it was typed on the command line, "" for a flag; NULL: it was not given. */
const char *option_given(const struct options *options, const struct option_info *option);

/* Parses argv[0..argc-1] after the verb. argv is permuted so that args are adjacent. False with err
 * (status 2), which suggests a similar word: unknown or misplaced option, missing or wrong
 * value. */
bool options_parse(struct options *options, const struct view_registry *views, enum verb verb,
		   int argc, char **argv, struct err *err);

struct verb_info {
	const char *name; /* "export"; "" for opening */
	const char *args; /* "VIEW TRACE" */
	int min_args, max_args;
	const char *help;    /* one line */
	const char *text;    /* paragraph for its --help */
	const char *example; /* lines */
	const char *manual;  /* paragraph of the manual page */
};

const struct verb_info *verb_info(enum verb verb);
/* VERB_COUNT when the word is not a verb. */
enum verb verb_find(const char *word);
/* True with err if a word that is neither a file nor a verb resembles a verb. */
bool verb_is_mistyped(const char *word, struct err *err);

/* Appends the usage of a verb (at most a screen), and the short usage of the program. */
void option_help(enum verb verb, const struct view_registry *views, struct str *out);
void option_usage(struct str *out);
/* Appends parts of the manual page (man macros): the synopsis, the verbs, the options. */
void option_synopsis_manual(struct str *out);
void option_verbs_manual(struct str *out);
void option_manual(struct str *out);
