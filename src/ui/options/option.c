#include "ui/options/option.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/options/joining.h"

#define FIELD(name) offsetof(struct options, name)
enum {
	OPEN = 1 << VERB_OPEN,
	EXPORT = 1 << VERB_EXPORT,
	QUERY = 1 << VERB_QUERY,
	ROWS = EXPORT | QUERY,
	REPORT = 1 << VERB_REPORT,
	CHECK = 1 << VERB_CHECK,
	CONVERT = 1 << VERB_CONVERT,
	GRAPH = 1 << VERB_GRAPH,
	LIVE = 1 << VERB_LIVE,
	BASELINE = 1 << VERB_BASELINE,
	CACHE = 1 << VERB_CACHE,
	HELP = 1 << VERB_HELP,
	MCP = 1 << VERB_MCP,
	READING = OPEN | ROWS | REPORT | CHECK | CONVERT | BASELINE,
	JOINING = OPEN | ROWS | REPORT | CHECK | CONVERT | MCP,
	SCREEN = OPEN | LIVE,
	TASTE = OPTION_SETTING,
	EVERY = READING | GRAPH | LIVE | CACHE | MCP | HELP,
};

static const struct option_info table[] = {
	{ "output", 'o', OPTION_TEXT, "FILE", NULL, 0, 0, "stdout", ROWS | REPORT | GRAPH,
	  OPTIONS_OUTPUT, "to FILE; .csv, .json, .md set the format", FIELD(output) },
	{ "format", 'f', OPTION_WORD, "FORMAT", "text|csv|json|md|cube", 0, 0, "text", EXPORT,
	  OPTIONS_OUTPUT, "text, csv, json, md; patterns: cube", FIELD(format) },
	{ "format", 'f', OPTION_WORD, "FORMAT", "text|csv|json|md", 0, 0, "text", QUERY,
	  OPTIONS_OUTPUT, "text, csv, json or md", FIELD(format) },
	{ "format", 'f', OPTION_WORD, "FORMAT", "text|md|json|junit|github", 0, 0, "text", REPORT,
	  OPTIONS_OUTPUT, "text, md, json; --fail-on: junit, github", FIELD(format) },
	{ "format", 'f', OPTION_WORD, "FORMAT", "text|csv|json|md", 0, 0, "text", GRAPH,
	  OPTIONS_OUTPUT, "text, csv, json or md", FIELD(format) },
	{ "format", 'f', OPTION_WORD, "FORMAT", "text|md|json", 0, 0, "text", LIVE, OPTIONS_OUTPUT,
	  "list, --summary: text, md, json", FIELD(format) },
	{ "summary", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, LIVE, OPTIONS_OUTPUT,
	  "print one page and exit", FIELD(summary) },
	{ "rollcall", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, LIVE, OPTIONS_OUTPUT,
	  "say where every rank is and exit", FIELD(rollcall) },
	{ "fail-if-stuck", 0, OPTION_SECONDS, "TIME", NULL, 0, 0, NULL, LIVE, OPTIONS_OUTPUT,
	  "the same; status 1: stuck for TIME", FIELD(stuck) },
	{ "stack", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, LIVE, OPTIONS_OUTPUT,
	  "stop each rank briefly: its calls", FIELD(stack) },
	{ "save", 0, OPTION_TEXT, "FILE", NULL, 0, 0, NULL, LIVE, OPTIONS_OUTPUT,
	  "write a trace of all up to now and exit", FIELD(save) },
	{ "width", 'w', OPTION_INT, "N", NULL, 20, 1000, "no limit; timeline: 100", ROWS | REPORT,
	  OPTIONS_OUTPUT, "columns of text", FIELD(width) },
	{ "height", 0, OPTION_INT, "N", NULL, 5, 100000, "all ranks", EXPORT, OPTIONS_PICTURE,
	  "lines of the timeline", FIELD(height) },
	{ "by", 0, OPTION_WORD, "KEY", "region|metric|callpath|rank|destination|level|all", 0, 0,
	  "by view", ROWS, OPTIONS_OUTPUT, "by region, rank, metric, callpath", FIELD(by) },
	{ "level", 0, OPTION_INT, "N", NULL, 1, 64, "shown one", ROWS, OPTIONS_PICTURE,
	  "iterations: of this level (--by level)", FIELD(level) },
	{ "worst", 0, OPTION_INT, "N", NULL, 1, 1000, "5", EXPORT, OPTIONS_OUTPUT,
	  "explain: the N longest waits", FIELD(worst) },
	{ "event", 0, OPTION_TEXT, "ID", NULL, 0, 0, NULL, EXPORT, OPTIONS_OUTPUT,
	  "explain: what is at this event", FIELD(event) },
	{ "to", 0, OPTION_WORD, "FORMAT", "picl|otf2|json|sqlite", 0, 0, "by OUT's name", CONVERT,
	  OPTIONS_OUTPUT, "picl, otf2, json or sqlite", FIELD(to) },
	{ "sort", 0, OPTION_TEXT, "COLUMN", NULL, 0, 0, NULL, EXPORT, OPTIONS_PICTURE,
	  "the most first; COLUMN:asc; timeline: mpi", FIELD(sort) },
	{ "where", 0, OPTION_TEXT, "EXPR", NULL, 0, 0, NULL, EXPORT, OPTIONS_PICTURE,
	  "rows of which this holds: share > 0.1", FIELD(where) },
	{ "limit", 0, OPTION_INT, "N", NULL, 1, INT32_MAX, "all", EXPORT, OPTIONS_PICTURE,
	  "so many rows; says how to get the others", FIELD(limit) },
	{ "page", 0, OPTION_TEXT, "TOKEN", NULL, 0, 0, NULL, ROWS, OPTIONS_PICTURE,
	  "the rows from where an export left off", FIELD(page) },
	{ "columns", 0, OPTION_TEXT, "NAMES", NULL, 0, 0, "by format", EXPORT, OPTIONS_PICTURE,
	  "these columns; +NAME, -NAME: more, less", FIELD(columns) },
	{ "hide", 0, OPTION_TEXT, "LIST", NULL, 0, 0, NULL, EXPORT, OPTIONS_PICTURE,
	  "not these ranks: 0-3,8.1,host", FIELD(hide) },
	{ "group", 0, OPTION_WORD, "KEY", "none|node|process|range|range:N|likeness", 0, 0, "none",
	  OPEN | TASTE, OPTIONS_PICTURE, "rows of the timeline: by node, ...", FIELD(group) },
	{ "group", 0, OPTION_WORD, "KEY", "none|node|process|range|range:N|likeness|likeness:N", 0,
	  0, "none", EXPORT, OPTIONS_PICTURE, "timeline by node, N ranks, N groups", FIELD(group) },
	{ "open", 0, OPTION_TEXT, "LIST", NULL, 0, 0, NULL, EXPORT, OPTIONS_PICTURE,
	  "timeline: open groups, by first ranks", FIELD(open) },
	{ "pin", 0, OPTION_TEXT, "LIST", NULL, 0, 0, NULL, EXPORT, OPTIONS_PICTURE,
	  "timeline: ranks on top; 8+: its group", FIELD(pin) },
	{ "counter", 0, OPTION_TEXT, "NAMES", NULL, 0, 0, NULL, EXPORT, OPTIONS_PICTURE,
	  "timeline: charts of these counters", FIELD(counter) },
	{ "depth", 0, OPTION_INT, "N", NULL, 1, 1000, "innermost", EXPORT, OPTIONS_PICTURE,
	  "timeline: this many nesting levels", FIELD(depth) },
	{ "sequence", 0, OPTION_TEXT, "PATTERN", NULL, 0, 0, NULL, OPEN | ROWS, OPTIONS_PICTURE,
	  "sequences of calls: 'MPI_Isend+ MPI_Waitall'", FIELD(sequence) },
	{ "critical-path", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, EXPORT, OPTIONS_PICTURE,
	  "timeline: what others waited for", FIELD(critical_path) },
	{ "colour", 0, OPTION_WORD, "BY", "class|function", 0, 0, "class", EXPORT, OPTIONS_PICTURE,
	  "timeline: by class, or by function", FIELD(colour) },
	{ "hide-colour", 0, OPTION_TEXT, "NAMES", NULL, 0, 0, NULL, EXPORT, OPTIONS_PICTURE,
	  "timeline without these: 'user code'", FIELD(hide_colour) },
	{ "ascii", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, SCREEN | EXPORT | TASTE, OPTIONS_PICTURE,
	  "draw with ASCII characters only", FIELD(ascii) },
	{ "csv-safe", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, ROWS, OPTIONS_PICTURE,
	  "CSV: mark text that begins like a formula", FIELD(csv_safe) },
	{ "topology", 0, OPTION_TEXT, "GRID", NULL, 0, 0, "trace's", OPEN | EXPORT | REPORT,
	  OPTIONS_PICTURE, "grid of ranks: 4x4,order=col,flip=y", FIELD(topology) },
	{ "iteration", 0, OPTION_TEXT, "NAME", NULL, 0, 0, "found", OPEN | ROWS | REPORT,
	  OPTIONS_READING, "region or mark where iterations begin", FIELD(iteration) },
	{ "ranks", 'r', OPTION_TEXT, "LIST", NULL, 0, 0, "all", OPEN | ROWS | REPORT | CONVERT,
	  OPTIONS_CHOICE, "only these ranks: 0-3,8,host", FIELD(ranks) },
	{ "time", 't', OPTION_TEXT, "FROM:TO", NULL, 0, 0, NULL, OPEN | ROWS | REPORT | CONVERT,
	  OPTIONS_CHOICE, "only this window: 0.1s:250ms, 3ms:, :0.5", FIELD(time) },
	{ "filter", 'F', OPTION_TEXT, "EXPR", NULL, 0, 0, NULL, OPEN | ROWS, OPTIONS_CHOICE,
	  "only matches: region =~ /^MPI_/ && dur > 10us", FIELD(filter) },
	{ "base", 'b', OPTION_WORD, "BASE",
	  "measured|linear|fitted|clc|compensated|lower|upper|virtual", 0, 0, "best there is",
	  READING, OPTIONS_CHOICE, "time base: measured, linear, ...", FIELD(base) },
	{ "diff", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, OPEN | EXPORT | TASTE, OPTIONS_CHOICE,
	  "show the changes made by corrections", FIELD(diff) },
	{ "against", 0, OPTION_WORD, "BASE",
	  "measured|linear|fitted|clc|compensated|lower|upper|virtual", 0, 0,
	  "linear, else measured", EXPORT, OPTIONS_CHOICE, "base --diff compares with",
	  FIELD(against) },
	{ "baseline", 0, OPTION_TEXT, "RUNS", NULL, 0, 0, NULL, OPEN | EXPORT | REPORT,
	  OPTIONS_CHOICE, "repeated runs of OLD: a.trc,b.trc; or a NAME", FIELD(baseline) },
	{ "fail-on", 0, OPTION_TEXT, "EXPR", NULL, 0, 0, NULL, REPORT, OPTIONS_CHOICE,
	  "status 1 if: time > 1.1x || comp < 5s", FIELD(fail_on) },
	{ "callpath", 0, OPTION_TEXT, "PATH", NULL, 0, 0, "all", ROWS, OPTIONS_CHOICE,
	  "waits, topology: main/MPI_Recv", FIELD(callpath) },
	{ "metric", 0, OPTION_TEXT, "NAME", NULL, 0, 0, "all", ROWS, OPTIONS_CHOICE,
	  "patterns, waits, topology: mpi_latesender", FIELD(metric) },
	{ "source-path", 0, OPTION_TEXT, "DIRS", NULL, 0, 0, NULL, OPEN | EXPORT | TASTE,
	  OPTIONS_READING, "folders with the sources: DIR or DIR:DIR", FIELD(source_path) },
	{ "as", 0, OPTION_WORD, "FORMAT", "picl|otf2|json", 0, 0, "by content", READING,
	  OPTIONS_READING, "format of the trace: picl, otf2, json", FIELD(reading.as) },
	{ "join", 0, OPTION_WORD, "HOW", "auto|yes|no", 0, 0, "auto", JOINING, OPTIONS_READING,
	  "JSON files are one run, a process each", FIELD(join) },
	{ "strict", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, READING, OPTIONS_READING,
	  "any deviation from the format is an error", FIELD(reading.strict) },
	{ "no-cache", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, READING | TASTE, OPTIONS_READING,
	  "neither use nor write a cache file", FIELD(reading.no_cache) },
	{ "max-mem", 0, OPTION_BYTES, "SIZE", NULL, 0, 0, "half of RAM", READING | TASTE,
	  OPTIONS_READING, "memory limit, then a file is used", FIELD(reading.max_mem) },
	{ "jobs", 'j', OPTION_INT, "N", NULL, 0, 1024, "all cores", READING | TASTE,
	  OPTIONS_READING, "threads to use", FIELD(reading.jobs) },
	{ "presync", 0, OPTION_WORD, "HOW", "offsets|messages|auto", 0, 0, "auto", READING,
	  OPTIONS_CORRECTING, "clocks by offsets, messages or auto", FIELD(presync) },
	{ "offsets", 0, OPTION_TEXT, "FILE", NULL, 0, 0, NULL, READING, OPTIONS_CORRECTING,
	  "clock offsets from FILE, not the trace's", FIELD(correct.offsets) },
	{ "gamma", 0, OPTION_FRACTION, "G", NULL, 0, 0, "0.99999; 0.99 if fitted", READING,
	  OPTIONS_CORRECTING, "clc: rate after a jump", FIELD(correct.gamma) },
	{ "passes", 0, OPTION_INT, "N", NULL, 1, 100, "1", READING, OPTIONS_CORRECTING,
	  "passes of the logical clock at most", FIELD(correct.passes) },
	{ "lmin-inter", 0, OPTION_SECONDS, "TIME", NULL, 0, 0, "estimated", READING,
	  OPTIONS_CORRECTING, "minimum latency between nodes: 1us", FIELD(correct.lmin.inter) },
	{ "lmin-intra", 0, OPTION_SECONDS, "TIME", NULL, 0, 0, "estimated", READING,
	  OPTIONS_CORRECTING, "minimum latency in a node: 0.1us", FIELD(correct.lmin.intra) },
	{ "overhead-model", 0, OPTION_WORD, "MODEL", "insitu|paper|paper-12", 0, 0, NULL, READING,
	  OPTIONS_CORRECTING, "overhead by insitu, paper, paper-12", FIELD(overhead_model) },
	{ "overhead", 0, OPTION_SECONDS, "TIME", NULL, 0, 0, "trace's own", READING,
	  OPTIONS_CORRECTING, "cost of a record: 9.8ns", FIELD(correct.overhead.event) },
	{ "copy-cost", 0, OPTION_SECONDS, "TIME", NULL, 0, 0, "trace's own", READING,
	  OPTIONS_CORRECTING, "cost of copying a byte: 50ps", FIELD(correct.overhead.copy_cost) },
	{ "view", 0, OPTION_VIEW, "VIEW", NULL, 0, 0, "overview", SCREEN | TASTE, OPTIONS_SCREEN,
	  "begin with this view", FIELD(view) },
	{ "at", 0, OPTION_TEXT, "TIME", NULL, 0, 0, NULL, OPEN, OPTIONS_SCREEN,
	  "begin with the cursor at this time: 12.5ms", FIELD(at) },
	{ "rank", 0, OPTION_TEXT, "N", NULL, 0, 0, NULL, OPEN, OPTIONS_SCREEN,
	  "begin with the cursor at a rank: 3, 3.1, host", FIELD(rank) },
	{ "command", 'c', OPTION_TEXTS, "COMMAND", NULL, 0, 0, NULL, OPEN, OPTIONS_OTHER,
	  "run a command of ':' (repeatable): 'print waits'", FIELD(commands) },
	{ "theme", 0, OPTION_TEXT, "NAME", "dark|light|mono", 0, 0, "by terminal", SCREEN | TASTE,
	  OPTIONS_SCREEN, "colours: dark, light, mono or a FILE", FIELD(theme) },
	{ "no-mouse", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, SCREEN | TASTE, OPTIONS_SCREEN,
	  "leave the mouse to the terminal", FIELD(no_mouse) },
	{ "no-sync", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, SCREEN | TASTE, OPTIONS_SCREEN,
	  "no synchronized output, if pictures tear", FIELD(no_sync) },
	{ "graphics", 0, OPTION_WORD, "HOW", "none|auto|kitty|sixel", 0, 0, "none", SCREEN | TASTE,
	  OPTIONS_SCREEN, "timeline as pixels, where the terminal can: auto", FIELD(graphics) },
	{ "list", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, CACHE, OPTIONS_OTHER,
	  "list cache files with their sizes (the default)", FIELD(list) },
	{ "clear", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, CACHE, OPTIONS_OTHER,
	  "remove cache files", FIELD(clear) },
	{ "help", 'h', OPTION_FLAG, NULL, NULL, 0, 0, NULL, EVERY, OPTIONS_OTHER,
	  "help; after a verb, help on that verb", FIELD(help) },
	{ "version", 'V', OPTION_FLAG, NULL, NULL, 0, 0, NULL, OPEN, OPTIONS_OTHER,
	  "the program's version", FIELD(version) },
	{ .name = NULL },
};
_Static_assert(sizeof table / sizeof *table <= OPTIONS_MOST, "given[] has all rows");

const struct option_info *option_table(void)
{
	return table;
}

const char *option_group_name(enum option_group group)
{
	static const char *const names[OPTION_GROUPS] = {
		[OPTIONS_OUTPUT] = "Output",
		[OPTIONS_PICTURE] = "Form",
		[OPTIONS_CHOICE] = "Selection",
		[OPTIONS_READING] = "Reading",
		[OPTIONS_CORRECTING] = "Correcting times",
		[OPTIONS_SCREEN] = "Screen",
		[OPTIONS_OTHER] = "Other",
	};

	return names[group];
}

const struct option_info *option_find(const char *name, enum verb verb)
{
	for (const struct option_info *o = table; o->name; o++)
		if (strcmp(o->name, name) == 0 && o->verbs & 1u << verb)
			return o;
	return NULL;
}

/* ---- what was probably meant ---- */

static const char *nearest_option(const char *typed, enum verb verb)
{
	const char *names[sizeof table / sizeof *table];
	size_t n = 0;

	for (const struct option_info *o = table; o->name; o++)
		if (o->verbs & 1u << verb)
			names[n++] = o->name;
	names[n] = NULL;
	return nearest_word(typed, names);
}

/* ---- values ---- */

/* Is the text a word of n bytes? "range:64" is a "range:N". */
static bool is_word(const char *text, const char *word, size_t n)
{
	const bool numbered = n > 2 && memcmp(word + n - 2, ":N", 2) == 0;
	const char *digits = text + n - 1;

	if (!numbered)
		return strlen(text) == n && memcmp(text, word, n) == 0;
	return strncmp(text, word, n - 1) == 0 && *digits >= '1' && *digits <= '9' &&
	       !digits[strspn(digits, "0123456789")] && strlen(digits) < 10;
}

static bool is_word_of(const char *text, const char *words)
{
	for (const char *w = words;; w += strcspn(w, "|") + 1) {
		if (*text && is_word(text, w, strcspn(w, "|")))
			return true;
		if (!w[strcspn(w, "|")])
			return false;
	}
}

static bool set_int(int *field, const struct option_info *option, const char *text, struct err *err)
{
	char *end;
	const long value = strtol(text, &end, 10);

	if (end == text || *end || value < option->min || value > option->max)
		return err_set(err, STATUS_USAGE,
			       "--%s takes a whole number from %d to %d, not '%s'", option->name,
			       option->min, option->max, text);
	*field = (int)value;
	return true;
}

/* A finite number in (0, 1], its point a point in any locale. */
static bool set_fraction(double *field, const struct option_info *option, const char *text,
			 struct err *err)
{
	static const struct timescale exact = { 1000000000000, 12 };
	int64_t parts;
	const bool is = strspn(text, ".0123456789") == strlen(text) &&
			units_parse_time(text, NULL, &exact, &parts, NULL);

	if (!is || parts <= 0 || parts > exact.per_second)
		return err_set(err, STATUS_USAGE,
			       "--%s takes a number above 0, at most 1, not '%s'", option->name,
			       text);
	*field = (double)parts / (double)exact.per_second;
	return true;
}

/* Costs of a byte are picoseconds: the scale is finer than that, for which a short text leaves
 * room. */
static bool set_seconds(double *field, const struct option_info *option, const char *text,
			struct err *err)
{
	static const struct timescale fine = { 1000000000000000, 15 };
	enum { LONGEST = 20 };
	int64_t parts;

	if (strlen(text) > LONGEST || !units_parse_time(text, NULL, &fine, &parts, NULL) ||
	    parts < 0)
		return err_set(err, STATUS_USAGE, "--%s takes a time such as 1us or 50ps, not '%s'",
			       option->name, text);
	*field = (double)parts / (double)fine.per_second;
	return true;
}

static bool add_text(struct option_texts *field, const struct option_info *option, const char *text,
		     struct err *err)
{
	if (field->n == OPTION_TEXTS_MOST)
		return err_set(err, STATUS_USAGE, "--%s can be given %d times, not more",
			       option->name, OPTION_TEXTS_MOST);
	field->texts[field->n++] = text;
	return true;
}

static bool unknown_view(const struct view_registry *views, const char *text, struct err *err)
{
	const char *names[VIEWS_MOST + 1];
	OWNED_STR list = STR_INIT;

	view_names(views, names);
	for (const char **name = names; *name; name++)
		str_add_fmt(&list, "%s%s", list.n ? "|" : "", *name);
	return err_set(err, STATUS_USAGE, "--view is one of %s, not '%s'", list.text, text);
}

bool option_set(struct options *options, const struct option_info *option, const char *text,
		struct err *err)
{
	void *field = (char *)options + option->field;

	if (!text) { /* a flag */
		*(bool *)field = true;
		return true;
	}
	switch (option->kind) {
	case OPTION_FLAG:
		if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
			return err_set(err, STATUS_USAGE, "%s is yes or no, not '%s'", option->name,
				       text);
		*(bool *)field = strcmp(text, "yes") == 0;
		return true;
	case OPTION_INT: return set_int(field, option, text, err);
	case OPTION_FRACTION: return set_fraction(field, option, text, err);
	case OPTION_SECONDS: return set_seconds(field, option, text, err);
	case OPTION_BYTES:
		if (units_parse_bytes(text, field, NULL) && *(uint64_t *)field > 0)
			return true;
		return err_set(err, STATUS_USAGE, "--%s takes a size such as 500M or 8G, not '%s'",
			       option->name, text);
	case OPTION_WORD:
		if (!is_word_of(text, option->words))
			return err_set(err, STATUS_USAGE, "--%s is one of %s, not '%s'",
				       option->name, option->words, text);
		break;
	case OPTION_VIEW:
		if (!view_of_name(options->views, text))
			return unknown_view(options->views, text, err);
		break;
	case OPTION_TEXTS: return add_text(field, option, text, err);
	case OPTION_TEXT: break;
	}
	*(const char **)field = text;
	return true;
}

const char *option_given(const struct options *options, const struct option_info *option)
{
	return options->given[option - table];
}

/* ---- the command line ---- */

/* What getopt_long() needs, made from the table: an option that belongs to other verbs is parsed
 * too, so that it can be named in the error. */
struct getopt_tables {
	char letters[2 * sizeof table / sizeof *table + 3];
	struct option longs[sizeof table / sizeof *table];
};

static void fill(struct getopt_tables *g)
{
	char *letter = g->letters;
	size_t n = 0;

	*letter++ = ':'; /* a missing value comes back as ':' */
	for (const struct option_info *o = table; o->name; o++) {
		const bool flag = o->kind == OPTION_FLAG;
		/* Rows of one name differ by verb; getopt needs the name once. */
		if (o > table && strcmp(o->name, o[-1].name) == 0)
			continue;
		g->longs[n++] = (struct option){ o->name, flag ? no_argument : required_argument,
						 NULL, (int)(256 + (o - table)) };
		if (!o->letter)
			continue;
		*letter++ = o->letter;
		if (!flag)
			*letter++ = ':';
	}
	*letter = '\0';
	g->longs[n] = (struct option){ 0 };
}

/* The row of a code for the verb; for an error message of any verb. */
static const struct option_info *row_of(int code, enum verb verb)
{
	const struct option_info *o = table;

	if (code >= 256)
		o = &table[code - 256];
	else
		while (o->letter != code)
			o++;
	const struct option_info *own = option_find(o->name, verb);
	return own ? own : o;
}

/* The command that prints the help of a verb. */
struct help_command {
	char text[32];
};

static struct help_command help_of(enum verb verb)
{
	struct help_command command;

	snprintf(command.text, sizeof command.text,
		 verb == VERB_OPEN ? "tview --help" : "tview help%s%s",
		 verb == VERB_HELP ? "" : " ", verb == VERB_HELP ? "" : verb_info(verb)->name);
	return command;
}

static bool unknown(enum verb verb, const char *word, struct err *err)
{
	const char *near;
	char name[64];
	size_t n;

	if (optopt && optopt < 256)
		return err_set(err, STATUS_USAGE, "there is no option '-%c' (%s lists them)",
			       optopt, help_of(verb).text);
	if (optopt >= 256) /* getopt: a flag was given a value */
		return err_set(err, STATUS_USAGE, "--%s takes no value", table[optopt - 256].name);
	word += strspn(word, "-");
	n = strcspn(word, "=");
	if (n >= sizeof name)
		n = sizeof name - 1;
	memcpy(name, word, n);
	name[n] = '\0';
	near = nearest_option(name, verb);
	if (near)
		return err_set(err, STATUS_USAGE,
			       "there is no option '--%s'; did you mean '--%s'? (%s lists them)",
			       name, near, help_of(verb).text);
	return err_set(err, STATUS_USAGE, "there is no option '--%s' (%s lists them)", name,
		       help_of(verb).text);
}

static bool check_args(const struct options *options, enum verb verb, struct err *err)
{
	const struct verb_info *v = verb_info(verb);

	if (options->help || options->version)
		return true;
	if (options->n_args < v->min_args)
		return err_set(err, STATUS_USAGE, "%s%sneeds %s (%s)", v->name, *v->name ? " " : "",
			       v->args, help_of(verb).text);
	if (options->n_args > v->max_args)
		return err_set(err, STATUS_USAGE, "unexpected argument '%s'; usage: tview%s%s %s",
			       options->args[v->max_args], *v->name ? " " : "", v->name, v->args);
	return true;
}

bool options_parse(struct options *options, const struct view_registry *views, enum verb verb,
		   int argc, char **argv, struct err *err)
{
	struct getopt_tables g = { "", { { 0 } } };
	int code;

	*options = (struct options){ .views = views, .correct = CORRECT_DEFAULTS };
	fill(&g);
	opterr = 0;
	optind = 0; /* glibc: reset the scanner, whatever was parsed before */
	while ((code = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1) {
		const struct option_info *o;
		if (code == '?')
			return unknown(verb, argv[optind - 1], err);
		o = row_of(code == ':' ? optopt : code, verb);
		if (code == ':')
			return err_set(err, STATUS_USAGE, "--%s needs a value: %s (%s)", o->name,
				       o->argument, help_of(verb).text);
		if (!(o->verbs & 1u << verb))
			return err_set(err, STATUS_USAGE, "tview%s%s has no option --%s (see %s)",
				       *verb_info(verb)->name ? " " : "", verb_info(verb)->name,
				       o->name, help_of(verb).text);
		if (!option_set(options, o, optarg, err))
			return false;
		options->given[o - table] = optarg ? optarg : "";
	}
	options->args = argv + optind;
	options->n_args = argc - optind;
	return joining_take(options, verb, err) && check_args(options, verb, err);
}
